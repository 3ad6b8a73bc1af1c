//! What the user gave is looked at before anything runs: whoever has made a mistake should not hear of it at the end.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::available_parallelism;

use anyhow::{Context, bail, ensure};
use classpath::Jdk;

/// More workers than this for each core only keep each other waiting, and may leave no memory for anybody.
const WORKERS_A_CORE: usize = 16;

/// How many workers there are to be.
pub fn jobs(given: Option<usize>) -> anyhow::Result<()> {
    let most = WORKERS_A_CORE * available_parallelism().map_or(1, usize::from);
    match given {
        Some(0) => bail!("--jobs must be at least 1"),
        Some(jobs) if jobs > most => bail!("--jobs {jobs} is too many for this machine: give {most} at the most"),
        _ => Ok(()),
    }
}

/// Where findings are to be written: it must be possible to.
pub fn out(folder: &Path) -> anyhow::Result<()> {
    // The part of it that is there. What is missing is made when there is something to write.
    let there = folder.ancestors().find(|part| part.exists() || part.as_os_str().is_empty());
    let there = there.filter(|part| !part.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let advice = || format!("findings cannot be written to {}: give another folder with --out", folder.display());
    ensure!(there.is_dir(), advice());
    let trial = there.join(format!(".raddle-{}", std::process::id()));
    std::fs::create_dir(&trial).and_then(|()| std::fs::remove_dir(&trial)).with_context(advice)
}

/// Sources are not needed, but whoever named a place for them wants to know that it is wrong.
pub fn source_path(source_path: Option<&str>) -> anyhow::Result<()> {
    let gone = source_path.into_iter().flat_map(std::env::split_paths).find(|path| !path.exists());
    match gone {
        Some(path) => bail!("there is no {}: correct --source-path", path.display()),
        None => Ok(()),
    }
}

/// What the code under test may read.
pub fn readable(paths: &[PathBuf]) -> anyhow::Result<()> {
    match paths.iter().find(|path| !path.exists()) {
        Some(path) => bail!("there is no {}: correct --allow-read", path.display()),
        None => Ok(()),
    }
}

/// Options of the virtual machine: those that it does not know it would not complain about to us.
pub fn java_options(jdk: &Jdk, options: &[String], heap: u64) -> anyhow::Result<()> {
    ensure!(heap > 0, "--heap must be at least 1");
    if options.is_empty() {
        return Ok(());
    }
    let java = jdk.java();
    // As workers have it.
    let unlocked = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+UnlockExperimentalVMOptions"];
    let ran = Command::new(&java).args(unlocked).args(options).arg("-version").output();
    let ran = ran.with_context(|| format!("cannot run {}", java.display()))?;
    if ran.status.success() {
        return Ok(());
    }
    let said = [ran.stdout, ran.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    let what = said.lines().find(|line| !line.trim().is_empty() && !line.starts_with("Error: Could not create"));
    bail!("{}: correct --java-option", what.unwrap_or("the virtual machine does not take its options"))
}
