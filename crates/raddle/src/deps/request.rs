//! Which classes are meant, and where they are looked up.

use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use classpath::{ClassName, ClassPath, Error, Jdk};

use crate::args::DepsArgs;
use crate::explore::given;
use crate::inspect::advice_for;
use crate::sources::Sources;

/// What to analyse.
pub struct Request {
    pub target: Target,
    pub class_path: ClassPath,
    /// The version of the JDK.
    pub java: String,
    java_home: PathBuf,
}

/// One class, or all of a jar, folder or package.
pub enum Target {
    Class(ClassName),
    Library(Vec<ClassName>),
}

impl Request {
    /// Decides what the arguments mean. Whatever lies on the class path calls into the JDK, so there has to be
    /// one.
    pub fn resolve(args: &DepsArgs) -> anyhow::Result<Request> {
        let jdk = Jdk::find(args.java_home.as_deref())?;
        let parse = |text: &str| ClassPath::parse(text, jdk.feature).map_err(correct_class_path);
        let given = args.classpath.as_deref().map(parse).transpose()?;
        let path = Path::new(&args.target);
        let (own, target_is_path) = match path.is_dir() || is_archive(path) {
            true => {
                let mut own = ClassPath::new(jdk.feature);
                own.push(path).map_err(correct_class_path)?;
                (own, true)
            }
            false if path.is_file() => {
                bail!("{}: give the name of a class, and its folder with --classpath", not_a_jar(path))
            }
            false => (ClassPath::new(jdk.feature), false),
        };
        let mut class_path = own;
        let names = if target_is_path { Some(class_path.classes()?.cloned().collect::<Vec<_>>()) } else { None };
        class_path.follow_manifests();
        if let Some(given) = given {
            class_path.append(given);
        }
        class_path.append(ClassPath::of_jdk(&jdk)?);
        let target = match names {
            Some(names) if names.is_empty() => bail!("{} holds no classes: name another jar or folder", args.target),
            Some(names) => Target::Library(names),
            None => named(&args.target, &class_path, &jdk, args.classpath.is_some())?,
        };
        given::source_path(args.source_path.as_deref())?;
        Ok(Request { target, class_path, java: jdk.version, java_home: jdk.home })
    }

    /// The sources of the classes, as far as they are there.
    pub fn sources(&self, source_path: Option<&str>) -> Sources {
        Sources::new(source_path, self.class_path.entries(), Some(&self.java_home))
    }
}

fn named(text: &str, class_path: &ClassPath, jdk: &Jdk, beside: bool) -> anyhow::Result<Target> {
    if let Some(package) = text.strip_suffix(".*") {
        let names = class_path.classes_in(package)?;
        if names.is_empty() {
            bail!("there is no package {package}: correct the name, or name its jar or folder with --classpath");
        }
        return Ok(Target::Library(names.to_vec()));
    }
    if text.ends_with(".jar") {
        bail!("there is no file {text}: name another jar, or a class");
    }
    let name = ClassName::parse(text).map_err(|error| anyhow!("{error}; give a name such as java.util.Map.Entry"))?;
    if let Some(found) = class_path.find(&name)? {
        return Ok(Target::Class(found.name));
    }
    let names = class_path.classes_in(text)?;
    if !names.is_empty() {
        return Ok(Target::Library(names.to_vec()));
    }
    let place = if beside { "on the class path or in" } else { "in" };
    let advice = advice_for(&name, class_path.classes()?);
    bail!("class {name} is not {place} JDK {} ({}): {advice}", jdk.version, jdk.home.display())
}

/// What to do about a class path that cannot be used.
pub fn correct_class_path(error: Error) -> anyhow::Error {
    match error {
        Error::MissingEntry { .. } | Error::NotAnEntry { .. } => anyhow!("{error}: correct --classpath"),
        error => error.into(),
    }
}

fn is_archive(path: &Path) -> bool {
    let known =
        |end: &std::ffi::OsStr| ["jar", "jmod", "zip", "war"].iter().any(|known| end.eq_ignore_ascii_case(known));
    path.is_file() && path.extension().is_some_and(known)
}

fn not_a_jar(path: &Path) -> String {
    format!("{} is neither a jar nor a folder", path.display())
}
