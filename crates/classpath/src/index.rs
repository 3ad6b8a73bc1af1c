//! All classes of a class path, by package and by module.

use std::collections::{BTreeMap, HashSet};

use crate::ClassName;

/// The classes of a class path, each once: that of the first entry which has it.
#[derive(Debug, Default)]
pub(crate) struct Index {
    seen: HashSet<ClassName>,
    packages: BTreeMap<String, Vec<ClassName>>,
    modules: BTreeMap<String, Vec<ClassName>>,
}

impl Index {
    /// Adds the file `internal`.class, if it holds a class that is to be listed and is not yet there.
    pub fn add(&mut self, internal: &str, module: Option<&str>) {
        if internal == "module-info"
            && let Some(module) = module
        {
            // Some modules declare what others are needed and have no class of their own.
            self.modules.entry(module.to_owned()).or_default();
        }
        let Some(name) = ClassName::listed(internal) else {
            return;
        };
        if !self.seen.insert(name.clone()) {
            return;
        }
        if let Some(module) = module {
            push(&mut self.modules, module, name.clone());
        }
        push(&mut self.packages, &name.package(), name);
    }

    /// Ends the building: sorts the names of each group.
    pub fn finish(mut self) -> Index {
        self.seen = HashSet::new();
        let groups = self.packages.values_mut().chain(self.modules.values_mut());
        groups.for_each(|names| names.sort_unstable());
        self
    }

    pub fn packages(&self) -> impl Iterator<Item = &str> {
        self.packages.keys().map(String::as_str)
    }

    pub fn modules(&self) -> impl Iterator<Item = &str> {
        self.modules.keys().map(String::as_str)
    }

    pub fn classes(&self) -> impl Iterator<Item = &ClassName> {
        self.packages.values().flatten()
    }

    pub fn in_package(&self, package: &str) -> &[ClassName] {
        self.packages.get(package).map_or(&[], Vec::as_slice)
    }

    pub fn in_module(&self, module: &str) -> &[ClassName] {
        self.modules.get(module).map_or(&[], Vec::as_slice)
    }
}

fn push(groups: &mut BTreeMap<String, Vec<ClassName>>, group: &str, name: ClassName) {
    match groups.get_mut(group) {
        Some(names) => names.push(name),
        None => {
            groups.insert(group.to_owned(), vec![name]);
        }
    }
}
