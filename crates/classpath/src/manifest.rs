//! The manifest of a jar, and the other jars and folders that its `Class-Path` names.
//!
//! The rules are those of the JDK's own class loader: names are URLs relative to the jar, a name that ends with `/` is a folder
//! and any other a jar, and what is not there is ignored. As in the JDK, URLs other than those of files do not count.

use std::path::{Component, Path, PathBuf};

/// Whether a file of this name is the manifest.
pub(crate) fn is_manifest(name: &str) -> bool {
    name.eq_ignore_ascii_case("META-INF/MANIFEST.MF")
}

/// What the `Class-Path` of a jar names, in its order. `jar` is where the jar is; whether something is at these places is not known.
pub(crate) fn class_path(manifest: &[u8], jar: &Path) -> Vec<PathBuf> {
    let folder = jar.parent().unwrap_or(Path::new("/"));
    let names = main_attribute(manifest, "Class-Path").unwrap_or_default();
    names.split_ascii_whitespace().filter_map(|name| resolve(folder, name)).collect()
}

/// The value of an attribute in the main section, which ends at the first empty line. A line that begins with a space goes on with the
/// line before it, and may do so inside a character.
fn main_attribute(manifest: &[u8], name: &str) -> Option<String> {
    let mut lines: Vec<Vec<u8>> = Vec::new();
    for line in lines_of(manifest).take_while(|line| !line.is_empty()) {
        match (line.split_first(), lines.last_mut()) {
            (Some((b' ', rest)), Some(last)) => last.extend_from_slice(rest),
            _ => lines.push(line.to_vec()),
        }
    }
    lines.iter().find_map(|line| {
        let (key, value) = std::str::from_utf8(line).ok()?.split_once(": ")?;
        key.eq_ignore_ascii_case(name).then(|| value.to_owned())
    })
}

/// The lines of a text, which end with a line feed, a carriage return, or both.
fn lines_of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
        let (line, after) = rest.split_at(end);
        rest = after.strip_prefix(b"\r\n").or(after.get(1..)).unwrap_or_default();
        Some(line)
    })
}

/// Where a URL leads that is relative to a folder; None if it is none of a file.
fn resolve(folder: &Path, url: &str) -> Option<PathBuf> {
    let path = match url.split_once(':') {
        None => url,
        Some((scheme, path)) if scheme.eq_ignore_ascii_case("file") => path,
        Some(_) => return None,
    };
    let path = match path.strip_prefix("//") {
        None => path,
        // Between these and the next slash is the name of a machine.
        Some(rest) => rest.strip_prefix("localhost").unwrap_or(rest),
    };
    let path = path.split('#').next().filter(|path| !path.is_empty())?;
    let mut resolved = PathBuf::new();
    for component in folder.join(decode(path)?).components() {
        match component {
            Component::CurDir => {}
            // A URL is made shorter by its text, wherever links lead.
            Component::ParentDir => drop(resolved.pop()),
            other => resolved.push(other),
        }
    }
    // The slash at the end tells folders from jars.
    if path.ends_with('/') {
        resolved.push("");
    }
    Some(resolved)
}

/// A path without the escapes of a URL.
fn decode(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'%' => {
                let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
                bytes.push(u8::from_str_radix(digits, 16).ok()?);
                rest = &rest[2..];
            }
            _ => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(manifest: &str) -> Vec<String> {
        let paths = class_path(manifest.as_bytes(), Path::new("/opt/app/main.jar"));
        paths.into_iter().map(|path| path.to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn names_are_urls_relative_to_the_jar() {
        for (name, path) in [
            ("a.jar", "/opt/app/a.jar"),
            ("./lib/../a.jar", "/opt/app/a.jar"),
            ("../lib/a.jar", "/opt/lib/a.jar"),
            ("../../../../a.jar", "/a.jar"),
            ("classes/", "/opt/app/classes/"),
            ("/lib/a.jar", "/lib/a.jar"),
            ("file:/lib/a.jar", "/lib/a.jar"),
            ("FILE:///lib/a.jar", "/lib/a.jar"),
            ("file://localhost/lib/a.jar", "/lib/a.jar"),
            ("file:a.jar", "/opt/app/a.jar"),
            ("with%20space/%C3%BC.jar", "/opt/app/with space/\u{fc}.jar"),
            ("a.jar#part", "/opt/app/a.jar"),
        ] {
            assert_eq!(named(&format!("Class-Path: {name}\n")), [path], "{name}");
        }
        for name in ["http://example.org/a.jar", "jar:file:/a.jar!/", "%zz.jar", "%C3.jar", "#", ""] {
            assert_eq!(named(&format!("Class-Path: {name}\n")), [""; 0], "{name}");
        }
    }

    #[test]
    fn long_lines_go_on_and_only_the_main_section_counts() {
        let all = ["/opt/app/a.jar", "/opt/app/b.jar"];
        assert_eq!(named("Manifest-Version: 1.0\r\nclass-path: a.j\r\n ar b.jar\r\n\r\n"), all);
        assert_eq!(named("Class-Path: a.jar\n  b.jar\nCreated-By: us\n"), all);
        assert_eq!(named("Class-Path: a.jar\r  b.jar\r\rClass-Path: c.jar"), all);
        assert_eq!(named("Manifest-Version: 1.0\n\nName: x\nClass-Path: a.jar\n"), [""; 0]);
        assert_eq!(named("Class-Path:a.jar\n"), [""; 0]);
        assert_eq!(named(" Class-Path: a.jar\n"), [""; 0]);
        assert_eq!(named(""), [""; 0]);
        let split = [b"Class-Path: \xC3".as_slice(), b"\n \xBC.jar\n"].concat();
        assert_eq!(class_path(&split, Path::new("/m.jar")), [Path::new("/\u{fc}.jar")]);
    }
}
