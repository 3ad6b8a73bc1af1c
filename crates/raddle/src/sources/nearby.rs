//! Where builds put sources, seen from an entry of a class path. What is not there is not told.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The folders of a project that hold sources, as Maven, Gradle and older builds name them.
const OF_PROJECT: [&str; 5] = ["src/main/java", "src/test/java", "src/main/kotlin", "src/test/kotlin", "src"];

/// How far above a folder of classes its project may be: Gradle writes to `build/classes/java/main`.
const LEVELS: usize = 4;

/// The places near an entry of the class path.
pub fn of_entry(entry: &Path) -> Vec<PathBuf> {
    let Ok(entry) = std::path::absolute(entry) else { return Vec::new() };
    if entry.is_dir() {
        return near_folder(&entry);
    }
    // Maven and Gradle name the archives so. A jar may also hold its own sources.
    let stem = entry.file_stem().and_then(OsStr::to_str);
    let beside = stem.map(|stem| entry.with_file_name(format!("{stem}-sources.jar")));
    let is_jar = entry.extension().is_some_and(|end| end.eq_ignore_ascii_case("jar"));
    beside.into_iter().chain(is_jar.then(|| entry.clone())).filter(|place| place.is_file()).collect()
}

/// The archive of a JDK's sources, which is a package of its own on some systems.
pub fn of_jdk(home: &Path) -> Vec<PathBuf> {
    ["lib/src.zip", "src.zip"].map(|file| home.join(file)).into_iter().filter(|place| place.is_file()).collect()
}

/// The folder itself, for the compiler puts classes beside their sources unless told otherwise, and the source folders
/// of the projects that it may belong to, the innermost first.
fn near_folder(folder: &Path) -> Vec<PathBuf> {
    let projects = folder.ancestors().skip(1).take(LEVELS);
    let of_projects = projects.flat_map(|project| OF_PROJECT.map(|sources| project.join(sources)));
    [folder.to_path_buf()].into_iter().chain(of_projects.filter(|place| place.is_dir())).collect()
}
