//! Which methods a class that implements a type has to have. Pure.
//!
//! The virtual machine looks a method up in the superclasses first; only what none of them declares is taken from the
//! interfaces, where the most specific declaration counts (JVMS 5.4.6). A method is needed where that look-up ends at an
//! abstract one, or at several defaults that contradict each other.

use classfile::Flags;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The types that a new class inherits from, by name.
#[derive(Debug, Default)]
pub struct Hierarchy {
    pub types: HashMap<String, Inherited>,
}

/// A class or interface that is inherited from.
#[derive(Debug, Default, Clone)]
pub struct Inherited {
    pub super_class: Option<String>,
    pub interfaces: Vec<String>,
    pub methods: Vec<Declared>,
}

/// A method as it is declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    pub name: String,
    pub descriptor: String,
    pub flags: Flags,
}

/// A method that can be overridden, and the type that declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inheritable {
    pub declared: Declared,
    pub by: String,
    /// Whether an object needs an implementation of it.
    pub needed: bool,
}

impl Hierarchy {
    /// All methods that a subclass of `super_class` that implements `interface` can have to implement or may override,
    /// in the order of name and descriptor.
    pub fn inheritable(&self, super_class: &str, interface: Option<&str>) -> Vec<Inheritable> {
        let mut found: BTreeMap<(String, String), Inheritable> = BTreeMap::new();
        let classes = self.super_classes(super_class);
        for class in &classes {
            for declared in self.types[class].methods.iter().filter(|method| is_virtual(method)) {
                let key = (declared.name.clone(), declared.descriptor.clone());
                let needed = declared.flags.has(Flags::ABSTRACT);
                found.entry(key).or_insert(Inheritable { declared: declared.clone(), by: class.clone(), needed });
            }
        }
        let roots = classes.iter().flat_map(|class| &self.types[class].interfaces).map(String::as_str);
        let interfaces = self.super_interfaces(roots.chain(interface));
        let mut of_interfaces: BTreeMap<(String, String), Vec<(&String, &Declared)>> = BTreeMap::new();
        for name in &interfaces {
            for declared in self.types[name].methods.iter().filter(|method| is_virtual(method)) {
                let key = (declared.name.clone(), declared.descriptor.clone());
                of_interfaces.entry(key).or_default().push((name, declared));
            }
        }
        for (key, declarations) in of_interfaces {
            let most_specific: Vec<_> = declarations
                .iter()
                .filter(|(name, _)| !declarations.iter().any(|(other, _)| other != name && self.extends(other, name)))
                .collect();
            let is_default = |declared: &Declared| !declared.flags.has(Flags::ABSTRACT);
            let needed = most_specific.len() != 1 || !is_default(most_specific[0].1);
            let (by, declared) = most_specific[0];
            found.entry(key).or_insert(Inheritable { declared: (*declared).clone(), by: (*by).clone(), needed });
        }
        found.into_values().collect()
    }

    /// A class and its superclasses.
    fn super_classes(&self, class: &str) -> Vec<String> {
        let next = |class: &String| self.types.get(class)?.super_class.clone();
        std::iter::successors(Some(class.to_owned()), next).filter(|class| self.types.contains_key(class)).collect()
    }

    /// Interfaces and all that they extend, each once.
    fn super_interfaces<'n>(&self, roots: impl Iterator<Item = &'n str>) -> Vec<String> {
        let (mut seen, mut found) = (HashSet::new(), Vec::new());
        let mut left: Vec<String> = roots.map(str::to_owned).collect();
        while let Some(name) = left.pop() {
            if let Some(inherited) = self.types.get(&name)
                && seen.insert(name.clone())
            {
                left.extend(inherited.interfaces.iter().cloned());
                found.push(name);
            }
        }
        found.sort();
        found
    }

    fn extends(&self, interface: &str, other: &str) -> bool {
        let direct = self.types.get(interface).map_or(&[][..], |inherited| &inherited.interfaces);
        self.super_interfaces(direct.iter().map(String::as_str)).iter().any(|name| name == other)
    }
}

/// Whether a subclass can have it in its stead, final methods aside.
fn is_virtual(method: &Declared) -> bool {
    !method.flags.has(Flags::STATIC) && !method.flags.has(Flags::PRIVATE) && !method.name.starts_with('<')
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABSTRACT: Flags = Flags(Flags::PUBLIC.0 | Flags::ABSTRACT.0);
    const CONCRETE: Flags = Flags::PUBLIC;

    /// Name, superclass, interfaces, methods.
    type Told<'t> = (&'t str, Option<&'t str>, &'t [&'t str], &'t [(&'t str, Flags)]);

    fn hierarchy(types: &[Told<'_>]) -> Hierarchy {
        let inherited = |(name, above, interfaces, methods): &Told<'_>| {
            let declared = |(method, flags): &(&str, Flags)| {
                let (name, descriptor) = method.split_at(method.find('(').unwrap());
                Declared { name: name.into(), descriptor: descriptor.into(), flags: *flags }
            };
            let inherited = Inherited {
                super_class: above.map(str::to_owned),
                interfaces: interfaces.iter().map(|name| name.to_string()).collect(),
                methods: methods.iter().map(declared).collect(),
            };
            (name.to_string(), inherited)
        };
        Hierarchy { types: types.iter().map(inherited).collect() }
    }

    fn needed(hierarchy: &Hierarchy, super_class: &str, interface: Option<&str>) -> Vec<String> {
        let found = hierarchy.inheritable(super_class, interface).into_iter().filter(|method| method.needed);
        found.map(|method| format!("{}{}", method.declared.name, method.declared.descriptor)).collect()
    }

    #[test]
    fn abstract_methods_of_all_superinterfaces_are_needed_and_those_of_object_are_not() {
        let types = hierarchy(&[
            ("Object", None, &[], &[("equals(Object)Z", CONCRETE)]),
            ("Root", None, &[], &[("get()Object", ABSTRACT), ("equals(Object)Z", ABSTRACT)]),
            ("Other", None, &[], &[("get()String", ABSTRACT)]),
            ("Leaf", None, &["Root", "Other"], &[("own()V", ABSTRACT), ("rest()V", CONCRETE)]),
        ]);
        assert_eq!(needed(&types, "Object", Some("Leaf")), ["get()Object", "get()String", "own()V"]);
    }

    #[test]
    fn a_class_wins_over_interfaces_and_a_subinterface_over_its_superinterface() {
        let types = hierarchy(&[
            ("Object", None, &[], &[]),
            ("Root", None, &[], &[("a()V", ABSTRACT), ("b()V", CONCRETE), ("c()V", ABSTRACT), ("d()V", ABSTRACT)]),
            ("Leaf", None, &["Root"], &[("a()V", CONCRETE), ("b()V", ABSTRACT)]),
            ("Base", Some("Object"), &["Leaf"], &[("c()V", CONCRETE)]),
            ("Top", Some("Base"), &["Root"], &[("e()V", ABSTRACT)]),
        ]);
        assert_eq!(needed(&types, "Top", None), ["b()V", "d()V", "e()V"], "a is a default that overrides, c inherited");
    }

    #[test]
    fn a_method_made_abstract_again_is_needed_and_contradicting_defaults_too() {
        let types = hierarchy(&[
            ("Object", None, &[], &[("toString()String", CONCRETE)]),
            ("One", None, &[], &[("f()V", CONCRETE)]),
            ("Two", None, &[], &[("f()V", CONCRETE)]),
            ("Base", Some("Object"), &["One", "Two"], &[("toString()String", ABSTRACT)]),
        ]);
        assert_eq!(needed(&types, "Base", None), ["f()V", "toString()String"]);
    }
}
