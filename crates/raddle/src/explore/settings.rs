//! What the arguments mean for the workers.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use classpath::{ClassPath, Jdk};

use super::given;
use crate::args::RunArgs;
use crate::deps::correct_class_path;
use crate::fence;
use crate::supervisor::{PoolSettings, PrivateFolders};

/// Where code under test is run.
pub struct Place {
    pub jdk: Jdk,
    pub class_path: ClassPath,
    /// The entries of the class path as they were given, each absolute.
    pub entries: Vec<String>,
    /// What the manifests of those name as well.
    pub by_manifest: Vec<PathBuf>,
    /// Further options of the virtual machine that the user gave.
    pub java_options: Vec<String>,
    pub pool: PoolSettings,
}

/// What the class path is where none is given.
#[derive(Clone, Copy, Debug)]
pub enum Fallback<'f> {
    /// As for java.
    CurrentFolder,
    /// Only the JDK.
    Nothing,
    /// These entries.
    These(&'f [String]),
}

/// Finds JDK, classes and fence.
pub fn place(args: &RunArgs, fallback: Fallback<'_>) -> anyhow::Result<Place> {
    if !args.no_fence {
        fence::check().map_err(|missing| anyhow!("{missing}; --no-fence runs it all the same"))?;
    }
    let jdk = Jdk::find(args.java_home.as_deref())?;
    given::java_options(&jdk, &args.java_option, args.heap)?;
    given::readable(&args.allow_read)?;
    let given = match &args.classpath {
        Some(text) => std::env::split_paths(text).filter(|entry| !entry.as_os_str().is_empty()).collect(),
        None => match fallback {
            Fallback::CurrentFolder => vec![PathBuf::from(".")],
            Fallback::Nothing => Vec::new(),
            Fallback::These(entries) => entries.iter().map(PathBuf::from).collect(),
        },
    };
    // A worker has another current folder.
    let entries = given.iter().map(std::path::absolute).collect::<Result<Vec<_>, _>>();
    let entries = entries.context("cannot use the class path")?;
    let joined = std::env::join_paths(&entries)?.into_string().map_err(|_| anyhow!("the class path is not UTF-8"))?;
    let mut class_path = ClassPath::parse(&joined, jdk.feature).map_err(correct_class_path)?;
    // Wildcards are resolved by `java` itself, and not by the virtual machine.
    let entries: Vec<PathBuf> = class_path.given().map(Path::to_owned).collect();
    let by_manifest: Vec<PathBuf> = class_path.named_by_manifests().map(Path::to_owned).collect();
    let joined = std::env::join_paths(&entries)?.into_string().map_err(|_| anyhow!("the class path is not UTF-8"))?;
    class_path.append(ClassPath::of_jdk(&jdk)?);
    let program = std::env::current_exe().context("cannot find our own executable")?;
    let mut pool = PoolSettings::new(program, jdk.home.clone(), joined);
    pool.workers = 1;
    // Tests are mostly run with assertions, and a program's own are what it says about itself.
    pool.options.push("-ea".into());
    // Exceptions are told apart by where they were thrown, and those that are thrown often would lose that.
    pool.options.push("-XX:-OmitStackTraceInFastThrow".into());
    pool.options.extend(args.java_option.iter().cloned());
    pool.fence = (!args.no_fence).then_some(fence::Extent::Whole);
    pool.by_manifest = by_manifest.clone();
    pool.readable = args.allow_read.clone();
    pool.heap = args.heap;
    let entries = entries.iter().map(|entry| entry.to_string_lossy().into_owned()).collect();
    Ok(Place { jdk, class_path, entries, by_manifest, java_options: args.java_option.clone(), pool })
}

impl Place {
    /// Where sources may be near.
    pub fn all_entries(&self) -> impl Iterator<Item = &Path> {
        self.entries.iter().map(Path::new).chain(self.by_manifest.iter().map(|path| &**path))
    }
}

/// A folder for the worker. Not below the findings, where another run may be at work.
pub fn folders() -> anyhow::Result<PrivateFolders> {
    let place = std::env::temp_dir();
    PrivateFolders::temporary(&place).with_context(|| format!("cannot make a folder in {}", place.display()))
}

/// A time such as 500ms, 60s, 5m or 1h; a number alone is seconds.
pub fn time(text: &str) -> anyhow::Result<Duration> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let millis = match &text[digits.len()..] {
        "ms" => 1,
        "s" | "" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => bail!("{text} is no time: write 500ms, 60s, 5m or 1h"),
    };
    let number: u64 = digits.parse().map_err(|_| anyhow!("{text} is no time: write 500ms, 60s, 5m or 1h"))?;
    Ok(Duration::from_millis(number.saturating_mul(millis)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        let millis = |text| time(text).map(|time| time.as_millis()).ok();
        assert_eq!(
            ["500ms", "60s", "5m", "1h", "7"].map(millis),
            [Some(500), Some(60_000), Some(300_000), Some(3_600_000), Some(7_000)]
        );
        assert_eq!(["", "s", "5 s", "-1s", "1d", "5M"].map(millis), [None; 6]);
    }
}
