//! An installed JDK.
//!
//! A folder is one if it has the module image `lib/modules` and a `release` file that tells its version:
//! so has every JDK since 9, and every runtime that `jlink` makes. JDK 8 and older are not found.

use std::cmp::Ordering;
use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Error;
use crate::surroundings::Surroundings;

/// An installed JDK, version 9 or newer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jdk {
    /// Its folder, absolute and without symbolic links: two values with the same home are the same JDK.
    pub home: PathBuf,
    /// The version as its `release` file has it: `17.0.15`.
    pub version: String,
    /// The feature release, the first number of the version: `17`.
    pub feature: u32,
}

impl Jdk {
    /// Finds the JDK to use: the folder `java_home` if given, else the environment's `JAVA_HOME`, else the
    /// `java` on `PATH`, else the newest one in the usual places of the system and of the user.
    ///
    /// A folder that somebody named is used or refused, never passed over: whoever set `JAVA_HOME` wants
    /// to know that it is wrong. A `java` on `PATH` that belongs to no JDK (a launcher, a Java 8) is passed
    /// over.
    pub fn find(java_home: Option<&Path>) -> Result<Jdk, Error> {
        Surroundings::of_this_process().find(java_home)
    }

    /// Every JDK in the places where [`Jdk::find`] looks, each once, the oldest first.
    pub fn installed() -> Vec<Jdk> {
        Surroundings::of_this_process().installed()
    }

    /// The image that holds the classes of all its modules.
    pub fn modules_image(&self) -> PathBuf {
        self.home.join("lib/modules")
    }

    /// The folder of its modules as jmod files, which not every JDK has.
    pub fn jmods_dir(&self) -> PathBuf {
        self.home.join("jmods")
    }

    /// The compiler, which a runtime without development tools does not have.
    pub fn javac(&self) -> PathBuf {
        self.home.join("bin").join(format!("javac{EXE_SUFFIX}"))
    }

    /// The launcher.
    pub fn java(&self) -> PathBuf {
        self.home.join("bin").join(format!("java{EXE_SUFFIX}"))
    }

    /// The JDK in `home`, or what is wrong with that folder.
    pub(crate) fn at(home: &Path) -> Result<Jdk, String> {
        let home = home.canonicalize().map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => "there is no such folder".to_owned(),
            _ => e.to_string(),
        })?;
        if !home.join("lib/modules").is_file() {
            return Err("it has no lib/modules, as every JDK since 9 does".to_owned());
        }
        let release =
            fs::read_to_string(home.join("release")).map_err(|e| format!("its release file cannot be read: {e}"))?;
        let version = java_version(&release).ok_or_else(|| "its release file names no JAVA_VERSION".to_owned())?;
        let feature = *numbers(version).first().ok_or_else(|| format!("its version {version:?} has no number"))?;
        Ok(Jdk { version: version.to_owned(), feature, home })
    }

    /// Orders by age, the oldest first.
    pub(crate) fn cmp_age(&self, other: &Jdk) -> Ordering {
        numbers(&self.version).cmp(&numbers(&other.version)).then_with(|| self.home.cmp(&other.home))
    }
}

/// The value in a line `JAVA_VERSION="17.0.15"`.
fn java_version(release: &str) -> Option<&str> {
    release.lines().find_map(|line| line.trim().strip_prefix("JAVA_VERSION=")).map(|value| value.trim_matches('"'))
}

/// The leading numbers of a version: 17, 0, 15 of `17.0.15`, and 26 of `26-ea`.
fn numbers(version: &str) -> Vec<u32> {
    let plain = version.split(|c: char| !c.is_ascii_digit() && c != '.').next().unwrap_or_default();
    plain.split('.').map_while(|n| n.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_of_a_release_file() {
        let release = "IMPLEMENTOR=\"X\"\nJAVA_RUNTIME_VERSION=\"17.0.15+6\"\r\nJAVA_VERSION=\"17.0.15\"\r\n";
        assert_eq!(java_version(release), Some("17.0.15"));
        assert_eq!(java_version("JAVA_VERSION=21\n"), Some("21"));
        assert_eq!(java_version("JAVA_VERSION_DATE=\"2025-04-15\"\n"), None);
    }

    #[test]
    fn numbers_of_a_version() {
        assert_eq!(numbers("17.0.15"), [17, 0, 15]);
        assert_eq!(numbers("26-ea"), [26]);
        assert_eq!(numbers("25"), [25]);
        assert_eq!(numbers("21.0.1-internal"), [21, 0, 1]);
        assert_eq!(numbers("unknown"), Vec::<u32>::new());
        assert!(numbers("9.0.4") < numbers("10"));
    }
}
