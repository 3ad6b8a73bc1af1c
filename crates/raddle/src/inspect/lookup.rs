//! Finds the bytes that a request is about.
//!
//! A file needs no JDK. A class that is on the class path needs none either, unless `--java-home` names
//! one: then a wrong name is an error, not passed over.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use classfile::NEWEST_VERSION;
use classpath::{ClassName, ClassPath, Error, Jdk, MAX_CLASS_SIZE};

use super::request::{Request, Target, folder_given};
use super::suggest::suggest;

/// A class file that was found.
#[derive(Debug)]
pub struct Found {
    pub bytes: Vec<u8>,
    /// What errors call it: the file, or the class with its class path entry.
    pub label: String,
    /// The file, or the class path entry with the module.
    pub origin: String,
    /// The name under which the class path holds it.
    pub name: Option<ClassName>,
}

/// Finds the class file.
pub fn find(request: &Request) -> anyhow::Result<Found> {
    match &request.target {
        Target::File(path) => read_file(path),
        Target::Class { name, folder } => match (find_class(name, request), folder) {
            (Err(NotFound::Nowhere(_)), Some(folder)) => Err(folder_given(folder)),
            (Err(NotFound::Nowhere(error) | NotFound::Failed(error)), _) => Err(error),
            (Ok(found), _) => Ok(found),
        },
    }
}

fn read_file(path: &Path) -> anyhow::Result<Found> {
    let label = path.display().to_string();
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAX_CLASS_SIZE + 1).read_to_end(&mut bytes))
        .with_context(|| format!("cannot read {label}"))?;
    let kind = match bytes.as_slice() {
        [b'P', b'K', 3 | 5, 4 | 6, ..] => Some("a jar"),
        [b'J', b'M', 1, 0, ..] => Some("a jmod"),
        [0xda, 0xda, 0xfe, 0xca, ..] | [0xca, 0xfe, 0xda, 0xda, ..] => Some("a JDK image"),
        _ => None,
    };
    if let Some(kind) = kind {
        bail!("{label} is {kind}: name a class of it with --classpath {label} CLASS");
    }
    if bytes.len() as u64 > MAX_CLASS_SIZE {
        bail!("{label} is larger than any class file: give a .class file or the name of a class");
    }
    Ok(Found { bytes, origin: label.clone(), label, name: None })
}

/// Why there is no class to show.
enum NotFound {
    /// The look-up went well, and there is none.
    Nowhere(anyhow::Error),
    /// The look-up itself failed.
    Failed(anyhow::Error),
}

impl From<Error> for NotFound {
    fn from(error: Error) -> NotFound {
        NotFound::Failed(match error {
            Error::MissingEntry { .. } | Error::NotAnEntry { .. } => anyhow!("{error}: correct --classpath"),
            error => error.into(),
        })
    }
}

fn find_class(name: &ClassName, request: &Request) -> Result<Found, NotFound> {
    let jdk = match Jdk::find(request.java_home.as_deref()) {
        Err(error) if request.java_home.is_some() => return Err(error.into()),
        jdk => jdk,
    };
    // Without a JDK, a multi-release jar shows its newest classes.
    let feature = jdk.as_ref().map_or(u32::from(NEWEST_VERSION) - 44, |jdk| jdk.feature);
    let mut class_path = match &request.class_path {
        Some(text) => ClassPath::parse(text, feature)?,
        None => ClassPath::new(feature),
    };
    if let Ok(jdk) = &jdk {
        class_path.append(ClassPath::of_jdk(jdk)?);
    }
    if let Some(found) = class_path.find(name)? {
        return Ok(Found {
            label: format!("{} in {}", found.name, found.origin),
            origin: found.origin.to_string(),
            name: Some(found.name),
            bytes: found.bytes.into_owned(),
        });
    }
    let beside = request.class_path.is_some();
    Err(NotFound::Nowhere(match jdk {
        Ok(jdk) => {
            let place = if beside { "on the class path or in" } else { "in" };
            let advice = advice_for(name, class_path.classes()?);
            anyhow!("class {name} is not {place} JDK {} ({}): {advice}", jdk.version, jdk.home.display())
        }
        Err(error) if beside => anyhow!("class {name} is not on the class path, and {error}"),
        Err(error) => error.into(),
    }))
}

/// What to do about a name that is not there, given all that are.
pub fn advice_for<'n>(name: &ClassName, names: impl Iterator<Item = &'n ClassName>) -> String {
    advice(&suggest(name, names))
}

fn advice(similar: &[&ClassName]) -> String {
    let names: Vec<String> = similar.iter().map(|name| name.to_string()).collect();
    match names.split_last() {
        None => "correct the name, or name its jar or folder with --classpath".to_owned(),
        Some((only, [])) => format!("did you mean {only}?"),
        Some((last, others)) => format!("did you mean {} or {last}?", others.join(", ")),
    }
}
