//! Names of classes in one source file: simple ones where they mean only one class, and the imports for them.

use crate::types::ClassFacts;
use std::collections::{BTreeMap, BTreeSet};

/// The names that are in use.
#[derive(Clone, Debug, Default)]
pub struct ClassNames {
    /// The package of the file, with slashes; empty for the unnamed one.
    package: String,
    /// Which outermost class each simple name means, as source names it in full.
    meanings: BTreeMap<String, String>,
    imports: BTreeSet<String>,
}

impl ClassNames {
    /// For a file in that package.
    pub fn in_package(package: &str) -> ClassNames {
        ClassNames { package: package.to_owned(), ..ClassNames::default() }
    }

    /// Reserves a name for a class that is written in full elsewhere, or for one of the file itself.
    pub fn reserve(&mut self, simple: &str, meaning: &str) {
        self.meanings.insert(simple.to_owned(), meaning.to_owned());
    }

    /// Imports a class, even if it would be seen without that.
    pub fn import(&mut self, full: &str) {
        self.imports.insert(full.to_owned());
    }

    /// The name of a class: with its package where the simple name means another class. None if there is no way to name
    /// it: it has no package, and its name is taken.
    pub fn name(&mut self, package: &str, source: &str) -> Option<String> {
        let outermost = source.split('.').next().unwrap_or(source);
        let dotted = package.replace('/', ".");
        let full = |name: &str| if dotted.is_empty() { name.to_owned() } else { format!("{dotted}.{name}") };
        let meaning = full(outermost);
        match self.meanings.get(outermost) {
            Some(known) if *known == meaning => Some(source.to_owned()),
            Some(_) if dotted.is_empty() => None,
            Some(_) => Some(full(source)),
            None => {
                if package != self.package && package != "java/lang" && !package.is_empty() {
                    self.imports.insert(meaning.clone());
                }
                self.meanings.insert(outermost.to_owned(), meaning);
                Some(source.to_owned())
            }
        }
    }

    /// The classes of `java.lang` in use: simple and full names.
    pub fn of_java_lang(&self) -> Vec<(String, String)> {
        let is_of = |simple: &str, full: &str| full.strip_prefix("java.lang.") == Some(simple);
        let found = self.meanings.iter().filter(|(simple, full)| is_of(simple, full));
        found.map(|(simple, full)| (simple.clone(), full.clone())).collect()
    }

    /// What is to be imported, in order.
    pub fn imports(&self) -> impl Iterator<Item = &str> {
        self.imports.iter().map(String::as_str)
    }
}

/// Package and source name of a class; where it has none, the parts of its name.
pub fn source_name(name: &str, facts: Option<&ClassFacts>) -> (String, String) {
    let (package, last) = name.rsplit_once('/').unwrap_or(("", name));
    let source = facts.and_then(|facts| facts.source.clone()).unwrap_or_else(|| last.replace('$', "."));
    (package.to_owned(), source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_of_a_name_is_written_in_full() {
        let mut names = ClassNames::in_package("acme");
        names.reserve("Round", "");
        let mut name = |package: &str, source: &str| names.name(package, source);
        assert_eq!(name("java/util", "List").as_deref(), Some("List"));
        assert_eq!(name("java/awt", "List").as_deref(), Some("java.awt.List"));
        assert_eq!(name("java/util", "Map.Entry").as_deref(), Some("Map.Entry"));
        assert_eq!(name("java/lang", "String").as_deref(), Some("String"));
        assert_eq!(name("acme", "Account").as_deref(), Some("Account"));
        assert_eq!(name("acme", "Round").as_deref(), Some("acme.Round"));
        assert_eq!(name("", "Round"), None);
        assert_eq!(names.imports().collect::<Vec<_>>(), ["java.util.List", "java.util.Map"]);
    }
}
