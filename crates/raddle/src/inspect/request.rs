//! What is to be shown: the resolved form of the arguments.
//!
//! An existing regular file is always meant as a file: a class of the same name can be told from it by
//! writing it with its package. A folder is no target, so a class of that name wins over a folder.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use classpath::ClassName;

use crate::args::InspectArgs;

/// What to show, and how much of it.
#[derive(Debug)]
pub struct Request {
    pub target: Target,
    pub class_path: Option<String>,
    pub java_home: Option<PathBuf>,
    /// Whether instructions are shown.
    pub code: bool,
    /// The name of the only methods to show.
    pub method: Option<String>,
}

/// Where the class comes from.
#[derive(Debug)]
pub enum Target {
    /// A regular file.
    File(PathBuf),
    /// A class to look up. `folder` is a folder of the same name, for the case that there is no class.
    Class { name: ClassName, folder: Option<PathBuf> },
}

impl Request {
    /// Decides what the arguments mean.
    pub fn resolve(args: &InspectArgs) -> anyhow::Result<Request> {
        Ok(Request {
            target: Target::resolve(Path::new(&args.target))?,
            class_path: args.classpath.clone(),
            java_home: args.java_home.clone(),
            code: args.code,
            method: args.method.clone(),
        })
    }
}

impl Target {
    fn resolve(given: &Path) -> anyhow::Result<Target> {
        let shown = given.display();
        let found = match fs::metadata(given) {
            Ok(found) if found.is_file() => return Ok(Target::File(given.to_path_buf())),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => bail!("cannot read {shown}: {error}"),
            found => found.ok(),
        };
        let folder = found.as_ref().is_some_and(fs::Metadata::is_dir).then(|| given.to_path_buf());
        let no_file = || {
            anyhow!("there is no file {shown}: give the path of a class file, or the name of a class without .class")
        };
        let text = given.to_str().filter(|text| !text.ends_with(".class")).ok_or_else(no_file)?;
        match (ClassName::parse(text), folder, found) {
            (Ok(name), folder, _) => Ok(Target::Class { name, folder }),
            (Err(_), Some(folder), _) => Err(folder_given(&folder)),
            (Err(_), None, Some(_)) => {
                bail!("{shown} is not a regular file: give a .class file or the name of a class")
            }
            (Err(_), None, None) if given.components().count() > 1 => Err(no_file()),
            (Err(error), None, None) => bail!("{error}; give a name such as java.util.Map.Entry"),
        }
    }
}

/// What to do with a folder.
pub fn folder_given(folder: &Path) -> anyhow::Error {
    let shown = folder.display();
    anyhow!("{shown} is a folder: name a class in it with --classpath {shown} CLASS")
}
