//! Where JDKs are looked for, and in which order.
//!
//! What is asked of the environment is gathered in one value first, so that the search itself can be
//! tested on any environment.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{Error, Jdk};

/// What the search for a JDK depends on.
#[derive(Debug, Default)]
pub(crate) struct Surroundings {
    /// The environment's `JAVA_HOME`.
    pub java_home: Option<OsString>,
    /// The environment's `PATH`.
    pub path: Option<OsString>,
    /// Folders whose sub-folders may be JDKs.
    pub usual_places: Vec<PathBuf>,
}

impl Surroundings {
    pub fn of_this_process() -> Surroundings {
        const OF_THE_SYSTEM: [&str; 5] =
            ["/usr/lib/jvm", "/usr/java", "/opt/java", "/opt", "/Library/Java/JavaVirtualMachines"];
        // Those of SDKMAN, of IntelliJ and of Gradle.
        const OF_THE_USER: [&str; 3] = [".sdkman/candidates/java", ".jdks", ".gradle/jdks"];

        let home = env::home_dir();
        let of_the_user = home.iter().flat_map(|home| OF_THE_USER.map(|place| home.join(place)));
        Surroundings {
            java_home: env::var_os("JAVA_HOME"),
            path: env::var_os("PATH"),
            usual_places: OF_THE_SYSTEM.map(PathBuf::from).into_iter().chain(of_the_user).collect(),
        }
    }

    pub fn find(&self, given: Option<&Path>) -> Result<Jdk, Error> {
        let named = match (given, self.java_home()) {
            (Some(home), _) => Some(("--java-home", home)),
            (None, Some(home)) => Some(("JAVA_HOME", home)),
            (None, None) => None,
        };
        if let Some((given_by, home)) = named {
            return Jdk::at(home).map_err(|reason| Error::NotAJdk { given_by, home: home.to_path_buf(), reason });
        }
        self.on_path().next().or_else(|| self.in_usual_places().max_by(Jdk::cmp_age)).ok_or(Error::NoJdk)
    }

    pub fn installed(&self) -> Vec<Jdk> {
        let mut all: Vec<Jdk> = self
            .java_home()
            .and_then(|home| Jdk::at(home).ok())
            .into_iter()
            .chain(self.on_path())
            .chain(self.in_usual_places())
            .collect();
        all.sort_by(Jdk::cmp_age);
        all.dedup();
        all
    }

    /// A variable that is set to nothing counts as not set.
    fn java_home(&self) -> Option<&Path> {
        self.java_home.as_deref().filter(|home| !home.is_empty()).map(Path::new)
    }

    /// The JDKs to which the `java` commands on the path belong, behind all symbolic links.
    fn on_path(&self) -> impl Iterator<Item = Jdk> {
        let folders: Vec<PathBuf> = self.path.iter().flat_map(env::split_paths).collect();
        folders.into_iter().filter_map(|folder| {
            let java = folder.join("java").with_extension(env::consts::EXE_EXTENSION);
            let java = java.canonicalize().ok()?;
            Jdk::at(java.parent()?.parent()?).ok()
        })
    }

    fn in_usual_places(&self) -> impl Iterator<Item = Jdk> {
        self.usual_places.iter().filter_map(|place| fs::read_dir(place).ok()).flatten().filter_map(|child| {
            let child = child.ok()?.path();
            // macOS wraps a JDK in a bundle.
            Jdk::at(&child).or_else(|_| Jdk::at(&child.join("Contents/Home"))).ok()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{create_dir_all, write};

    /// Makes a folder that counts as a JDK.
    fn jdk(home: &Path, version: &str) -> PathBuf {
        create_dir_all(home.join("lib")).unwrap();
        create_dir_all(home.join("bin")).unwrap();
        write(home.join("lib/modules"), "image").unwrap();
        write(home.join("bin").join(format!("java{}", env::consts::EXE_SUFFIX)), "").unwrap();
        write(home.join("release"), format!("JAVA_VERSION=\"{version}\"\n")).unwrap();
        home.canonicalize().unwrap()
    }

    fn text(path: &Path) -> Option<OsString> {
        Some(path.as_os_str().to_owned())
    }

    #[test]
    fn the_named_comes_before_java_home_before_path_before_usual_places() {
        let temp = tempfile::tempdir().unwrap();
        let given = jdk(&temp.path().join("given"), "11.0.1");
        let set = jdk(&temp.path().join("set"), "17.0.2");
        let on_path = jdk(&temp.path().join("on-path"), "21");
        let usual = jdk(&temp.path().join("usual/a"), "25.0.3");
        let mut around = Surroundings {
            java_home: text(&set),
            path: text(&on_path.join("bin")),
            usual_places: vec![temp.path().join("nowhere"), temp.path().join("usual")],
        };

        let found = around.find(Some(&given)).unwrap();
        assert_eq!((found.home, found.version.as_str(), found.feature), (given, "11.0.1", 11));
        assert_eq!(around.find(None).unwrap().home, set);
        around.java_home = Some(OsString::new());
        assert_eq!(around.find(None).unwrap().home, on_path);
        around.path = text(&temp.path().join("nowhere"));
        assert_eq!(around.find(None).unwrap().home, usual);
        around.usual_places.clear();
        let error = around.find(None).unwrap_err().to_string();
        assert_eq!(error, "no JDK found: give --java-home DIR or set JAVA_HOME");
    }

    #[test]
    fn the_newest_of_the_usual_places_wins() {
        let temp = tempfile::tempdir().unwrap();
        jdk(&temp.path().join("z"), "9.0.4");
        let newest = jdk(&temp.path().join("b.jdk/Contents/Home"), "21.0.10");
        jdk(&temp.path().join("c"), "21.0.9");
        create_dir_all(temp.path().join("no-jdk")).unwrap();
        let around = Surroundings { usual_places: vec![temp.path().to_path_buf()], ..Surroundings::default() };
        assert_eq!(around.find(None).unwrap().home, newest);
        let versions: Vec<String> = around.installed().into_iter().map(|j| j.version).collect();
        assert_eq!(versions, ["9.0.4", "21.0.9", "21.0.10"]);
    }

    #[test]
    fn a_named_folder_that_is_no_jdk_is_an_error() {
        let temp = tempfile::tempdir().unwrap();
        let good = jdk(&temp.path().join("good"), "17");
        let no_release = jdk(&temp.path().join("no-release"), "17");
        fs::remove_file(no_release.join("release")).unwrap();
        let no_version = jdk(&temp.path().join("no-version"), "17");
        write(no_version.join("release"), "OS_NAME=\"Linux\"\n").unwrap();
        let no_modules = temp.path().join("no-modules");
        create_dir_all(&no_modules).unwrap();
        let missing = temp.path().join("missing");

        for (home, reason) in [
            (&missing, "there is no such folder"),
            (&no_modules, "it has no lib/modules"),
            (&no_release, "its release file cannot be read"),
            (&no_version, "names no JAVA_VERSION"),
        ] {
            let around = Surroundings {
                java_home: text(home),
                path: text(&good.join("bin")),
                usual_places: vec![temp.path().to_path_buf()],
            };
            for (given, by) in [(Some(home.as_path()), "--java-home"), (None, "JAVA_HOME")] {
                let error = around.find(given).unwrap_err().to_string();
                assert!(error.starts_with(by), "{error}");
                assert!(error.contains(home.to_str().unwrap()), "{error}");
                assert!(error.contains(reason), "{error}");
                assert_eq!(error.lines().count(), 1, "{error}");
            }
            assert_eq!(around.installed().len(), 1, "a bad JAVA_HOME hides no JDK");
        }
    }

    #[cfg(unix)]
    #[test]
    fn symbolic_links_lead_to_one_jdk() {
        use std::os::unix::fs::symlink;
        let temp = tempfile::tempdir().unwrap();
        let real = jdk(&temp.path().join("jvm/java-17"), "17.0.15");
        let alias = temp.path().join("jvm/java-1.17");
        symlink(&real, &alias).unwrap();
        let bin = temp.path().join("bin");
        create_dir_all(&bin).unwrap();
        symlink(alias.join("bin/java"), bin.join("java")).unwrap();
        let around =
            Surroundings { java_home: text(&alias), path: text(&bin), usual_places: vec![temp.path().join("jvm")] };
        let homes: Vec<PathBuf> = around.installed().into_iter().map(|j| j.home).collect();
        assert_eq!(homes, vec![real.clone()]);
        let by_path = Surroundings { path: text(&bin), ..Surroundings::default() };
        assert_eq!(by_path.find(None).unwrap().home, real);
    }

    #[test]
    fn a_java_that_belongs_to_no_jdk_is_passed_over() {
        let temp = tempfile::tempdir().unwrap();
        let launcher = temp.path().join("launcher/bin");
        create_dir_all(&launcher).unwrap();
        write(launcher.join(format!("java{}", env::consts::EXE_SUFFIX)), "").unwrap();
        let real = jdk(&temp.path().join("real"), "17");
        let around = Surroundings {
            path: Some(env::join_paths([launcher, real.join("bin")]).unwrap()),
            ..Surroundings::default()
        };
        assert_eq!(around.find(None).unwrap().home, real);
    }
}
