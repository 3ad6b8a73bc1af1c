//! The name of a class, as users write it and as class files do.

use std::fmt;
use std::sync::Arc;

use crate::Error;

/// The name of one class or interface; never of an array or a primitive type.
///
/// It is shown as `java.util.Map$Entry`, and cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassName(
    /// The internal form, `java/util/Map$Entry`. No segment is empty, or holds a character that would
    /// give the name another meaning as a path, so joining it to a folder never leads out of the folder.
    Arc<str>,
);

impl ClassName {
    /// Takes `java.util.Vector` and `java/util/Vector`, nested classes as `java.util.Map$Entry`.
    ///
    /// `java.util.Map.Entry` is taken too: it is the name of a class `Entry` in a package
    /// `java.util.Map`, and [`ClassPath::find`](crate::ClassPath::find) tries the nested class when there
    /// is no such class.
    pub fn parse(name: &str) -> Result<ClassName, Error> {
        let internal = name.replace('.', "/");
        match fault(&internal) {
            None => Ok(ClassName(internal.into())),
            Some(reason) => Err(Error::BadClassName { name: name.to_owned(), reason }),
        }
    }

    /// The form that class files use: `java/util/Map$Entry`.
    pub fn internal(&self) -> &str {
        &self.0
    }

    /// The package: `java.util`, or nothing for the unnamed package.
    pub fn package(&self) -> String {
        split(&self.0).0.replace('/', ".")
    }

    /// The name of the listed class in the file `internal`.class, if listings are to show that.
    pub(crate) fn listed(internal: &str) -> Option<ClassName> {
        let (package, class) = split(internal);
        let named = package.is_empty() || package.split('/').all(is_identifier);
        let runs = !matches!(class, "module-info" | "package-info");
        // A dot would have become a slash in `parse`, so it must be ruled out here.
        let sound = !internal.contains('.') && fault(internal).is_none();
        (named && runs && sound).then(|| ClassName(internal.into()))
    }

    /// The nested classes that a name with dots may mean, the likeliest first: `a.b.C.D` may be `a.b.C$D`
    /// or `a.b$C$D` or `a$b$C$D`.
    pub(crate) fn as_nested(&self) -> impl Iterator<Item = ClassName> + '_ {
        let dots = self.0.char_indices().filter(|(_, c)| *c == '/').rev();
        dots.map(|(at, _)| {
            let outer = &self.0[..at];
            let nested = self.0[at..].replace('/', "$");
            ClassName(format!("{outer}{nested}").into())
        })
    }
}

impl fmt::Display for ClassName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0.replace('/', "."))
    }
}

/// Whether Java source can name a package so, as far as that does not depend on the list of keywords.
pub(crate) fn is_identifier(segment: &str) -> bool {
    let mut chars = segment.chars();
    let letter = |c: char| c.is_alphabetic() || c == '_' || c == '$';
    chars.next().is_some_and(letter) && chars.all(|c| letter(c) || c.is_numeric())
}

/// Splits an internal name into package and class.
fn split(internal: &str) -> (&str, &str) {
    internal.rsplit_once('/').unwrap_or(("", internal))
}

/// The longest name that a class file can hold, in bytes.
const MAX_LENGTH: usize = u16::MAX as usize;

fn fault(internal: &str) -> Option<&'static str> {
    // The JVM would allow the last three in a name, but no file system keeps all of them.
    let foreign = |c| matches!(c, ';' | '[' | '\\' | ':' | '\0');
    if internal.is_empty() {
        Some("it is empty")
    } else if internal.len() > MAX_LENGTH {
        Some("it is too long")
    } else if internal.split('/').any(str::is_empty) {
        Some("a part of it is empty")
    } else if internal.contains(foreign) {
        Some("it holds one of ; [ \\ : or a zero byte")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> ClassName {
        ClassName::parse(text).expect(text)
    }

    #[test]
    fn both_forms_are_one_name() {
        let dotted = name("java.util.Map$Entry");
        assert_eq!(dotted, name("java/util/Map$Entry"));
        assert_eq!(dotted.internal(), "java/util/Map$Entry");
        assert_eq!(dotted.to_string(), "java.util.Map$Entry");
        assert_eq!(dotted.package(), "java.util");
        assert_eq!(name("Main").package(), "");
        assert_eq!(format!("{:>6}", name("Main")), "  Main");
    }

    #[test]
    fn what_no_class_is_called() {
        for text in [
            "",
            ".",
            "..",
            "/etc/passwd",
            "a//b",
            "a..b",
            "../a",
            "a/../b",
            "a/",
            "a.",
            "[I",
            "La;",
            "a\\b",
            "C:/a",
            "a\0b",
        ] {
            let error = ClassName::parse(text).expect_err(text).to_string();
            assert!(error.contains("is not a class name"), "{error}");
            assert_eq!(error.lines().count(), 1, "{error}");
        }
        assert!(ClassName::parse(&"a".repeat(MAX_LENGTH)).is_ok());
        assert!(ClassName::parse(&"a".repeat(MAX_LENGTH + 1)).is_err());
    }

    #[test]
    fn nested_guesses_start_at_the_last_dot() {
        let shown = |text| -> Vec<String> { name(text).as_nested().map(|n| n.to_string()).collect() };
        assert_eq!(shown("a.b.C.D"), ["a.b.C$D", "a.b$C$D", "a$b$C$D"]);
        assert_eq!(shown("Main"), Vec::<String>::new());
    }

    #[test]
    fn listings_show_classes_that_source_can_name() {
        for internal in ["Main", "a/B", "a/b_1/C$1", "okio/-Util", "größe/Maß"] {
            assert_eq!(ClassName::listed(internal).expect(internal).internal(), internal);
        }
        for internal in
            ["module-info", "a/package-info", "META-INF/a/B", "a/1/B", "../B", "a/../B", "/a/B", "a/", "", "a.b/C"]
        {
            assert_eq!(ClassName::listed(internal), None, "{internal}");
        }
    }
}
