//! The classes that a test can use, read when they are first asked for.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use classfile::{Flags, TypeSignature};
use classpath::{ClassName, ClassPath};

use crate::class_info::{ClassInfo, FieldInfo, MethodInfo, package};
use crate::keys::{self, Key};
use crate::mix::ByMix;
use crate::types::{self, Bindings};

/// All classes of a class path, as seen by a test in one package.
pub struct Library<'p> {
    class_path: &'p ClassPath,
    /// The package that the test is in.
    package: String,
    read: RefCell<ByText<Option<Rc<ClassInfo>>>>,
    packages: RefCell<BTreeMap<String, Rc<[Rc<ClassInfo>]>>>,
    ancestors: RefCell<ByText<Rc<BTreeSet<String>>>>,
    /// Those outside of the JDK.
    given: OnceCell<Rc<[Rc<ClassInfo>]>>,
    keys: RefCell<ByText<Rc<[Key]>>>,
    open: RefCell<ByText<Rc<[OpenMethod]>>>,
    /// What the variables of those above a class stand for, in its own.
    bindings: RefCell<ByText<ByText<Rc<Bindings>>>>,
}

/// What is known by the names of classes.
type ByText<T> = HashMap<String, T, ByMix>;

/// A method that has to be written, with the class that declares it.
pub type OpenMethod = (String, MethodInfo);

/// So many classes outside of the JDK are looked at when something is looked for in all of them.
const MOST: usize = 3000;

impl<'p> Library<'p> {
    /// The classes of a class path as a test in the package of this class sees them. Nobody can be in a package of the JDK.
    pub fn new(class_path: &'p ClassPath, class: &str) -> Library<'p> {
        let package = if is_of_jdk(class) { String::new() } else { package(class).to_owned() };
        Library {
            class_path,
            package,
            read: RefCell::default(),
            packages: RefCell::default(),
            ancestors: RefCell::default(),
            given: OnceCell::new(),
            keys: RefCell::default(),
            open: RefCell::default(),
            bindings: RefCell::default(),
        }
    }

    /// A class by its name.
    pub fn class(&self, name: &str) -> Option<Rc<ClassInfo>> {
        if let Some(known) = self.read.borrow().get(name) {
            return known.clone();
        }
        let info = ClassName::parse(name).ok().and_then(|class| {
            let found = self.class_path.find_exact(&class).ok()??;
            ClassInfo::read(&found.bytes).map(Rc::new)
        });
        self.read.borrow_mut().insert(name.to_owned(), info.clone());
        info
    }

    /// The classes of a package that a test can use.
    pub fn visible_in(&self, package: &str) -> Rc<[Rc<ClassInfo>]> {
        if let Some(known) = self.packages.borrow().get(package) {
            return known.clone();
        }
        let names: Vec<String> = match self.class_path.classes_in(&package.replace('/', ".")) {
            Ok(names) => names.iter().map(|name| name.internal().to_owned()).collect(),
            Err(_) => Vec::new(),
        };
        let classes = names.iter().filter_map(|name| self.class(name));
        let mut classes: Vec<Rc<ClassInfo>> = classes.filter(|class| self.is_visible(class)).collect();
        classes.sort_by(|a, b| a.name.cmp(&b.name));
        let classes: Rc<[Rc<ClassInfo>]> = classes.into();
        self.packages.borrow_mut().insert(package.to_owned(), classes.clone());
        classes
    }

    /// The classes that are not of the JDK and that a test can use; of very many those whose names have the longest beginning in common
    /// with the package of the test.
    pub fn given(&self) -> Rc<[Rc<ClassInfo>]> {
        self.given.get_or_init(|| self.find_given().unwrap_or_default().into()).clone()
    }

    fn find_given(&self) -> Option<Vec<Rc<ClassInfo>>> {
        let mut of_jdk = HashSet::new();
        for module in self.class_path.modules().ok()? {
            of_jdk.extend(self.class_path.classes_in_module(module).ok()?);
        }
        let mut names: Vec<&ClassName> =
            self.class_path.classes().ok()?.filter(|name| !of_jdk.contains(name)).collect();
        let common = |name: &ClassName| {
            name.internal().bytes().zip(self.package.bytes()).take_while(|(one, other)| one == other).count()
        };
        names.sort_by_key(|name| (usize::MAX - common(name), name.internal()));
        names.truncate(MOST);
        let classes = names.iter().filter_map(|name| self.class(name.internal()));
        Some(classes.filter(|class| self.is_visible(class)).collect())
    }

    /// The keys that a class asks for.
    pub fn keys(&self, name: &str) -> Rc<[Key]> {
        if let Some(known) = self.keys.borrow().get(name) {
            return known.clone();
        }
        let bytes = ClassName::parse(name).ok().and_then(|class| self.class_path.find_exact(&class).ok()?);
        let found: Rc<[Key]> = bytes.map(|found| keys::of(&found.bytes)).unwrap_or_default().into();
        self.keys.borrow_mut().insert(name.to_owned(), found.clone());
        found
    }

    /// Whether a test can name a class.
    pub fn is_visible(&self, class: &ClassInfo) -> bool {
        let hidden = ["sun/", "jdk/internal/", "com/sun/"].iter().any(|start| class.name.starts_with(start));
        let around = class.outer.as_ref().is_none_or(|outer| self.class(outer).is_some_and(|o| self.is_visible(&o)));
        !hidden
            && !class.is_local
            && !class.flags.has(Flags::SYNTHETIC)
            && around
            && self.can_use(class.flags, class.package())
    }

    /// Whether a test can use what has these flags in a class of that package.
    pub fn can_use(&self, flags: Flags, package: &str) -> bool {
        flags.has(Flags::PUBLIC) || !flags.has(Flags::PRIVATE) && !self.package.is_empty() && self.package == package
    }

    /// Whether a class is another or below it. Arrays are below `Object`, and below arrays of what is above.
    pub fn is_subtype(&self, below: &str, above: &str) -> bool {
        if below == above || above == "java/lang/Object" {
            return true;
        }
        if let (Some(below), Some(above)) = (below.strip_prefix('['), above.strip_prefix('[')) {
            let names = |element: &str| element.strip_prefix('L').and_then(|e| e.strip_suffix(';')).map(str::to_owned);
            return match (names(below), names(above)) {
                (Some(below), Some(above)) => self.is_subtype(&below, &above),
                _ => below == above || below.starts_with('[') && self.is_subtype(below, above),
            };
        }
        self.ancestors(below).contains(above)
    }

    /// All classes and interfaces above a class, without itself.
    pub fn ancestors(&self, class: &str) -> Rc<BTreeSet<String>> {
        if let Some(known) = self.ancestors.borrow().get(class) {
            return known.clone();
        }
        let mut found = BTreeSet::new();
        let mut open = vec![class.to_owned()];
        while let Some(name) = open.pop() {
            let Some(info) = self.class(&name) else { continue };
            for above in info.super_class.iter().chain(&info.interfaces) {
                if found.insert(above.clone()) {
                    open.push(above.clone());
                }
            }
        }
        let found = Rc::new(found);
        self.ancestors.borrow_mut().insert(class.to_owned(), found.clone());
        found
    }

    /// Whether objects of a class look as if nobody could change them: nothing is in their fields that can be another thing later, or
    /// become one. What is constant in the JDK is taken for such.
    pub fn never_changes(&self, class: &str) -> bool {
        let holds =
            |field: &FieldInfo| !field.descriptor.starts_with('[') && !field.descriptor.starts_with("Ljava/util/");
        let is_fixed = |field: &FieldInfo| field.flags.has(Flags::FINAL) && holds(field);
        is_of_jdk(class) || self.line(class).iter().all(|info| info.fields.iter().all(is_fixed))
    }

    /// Whether objects of a class have nothing to remember anything with.
    pub fn is_stateless(&self, class: &str) -> bool {
        self.line(class).iter().all(|info| info.fields.is_empty())
    }

    /// A class and those above it, the nearest first: superclasses, then interfaces.
    pub fn line(&self, class: &str) -> Vec<Rc<ClassInfo>> {
        let mut line = Vec::new();
        let mut next = Some(class.to_owned());
        while let Some(info) = next.take().and_then(|name| self.class(&name)) {
            // A hierarchy that is a ring has no end.
            if line.iter().any(|known: &Rc<ClassInfo>| known.name == info.name) {
                break;
            }
            next = info.super_class.clone();
            line.push(info);
        }
        let known: BTreeSet<String> = line.iter().map(|info| info.name.clone()).collect();
        let above = self.ancestors(class);
        line.extend(above.iter().filter(|name| !known.contains(*name)).filter_map(|name| self.class(name)));
        line
    }

    /// What the variables of `above` stand for in an object whose class has these bindings.
    pub fn bindings_above(&self, class: &str, bindings: &Bindings, above: &str) -> Bindings {
        if class == above {
            return bindings.clone();
        }
        let open = self.open_bindings(class, above);
        open.iter().map(|(variable, of)| (variable.clone(), types::substitute(of, bindings))).collect()
    }

    /// The same with the variables of the class itself still open.
    pub fn open_bindings(&self, class: &str, above: &str) -> Rc<Bindings> {
        if let Some(known) = self.bindings.borrow().get(class).and_then(|of| of.get(above)) {
            return known.clone();
        }
        let found = Rc::new(self.find_bindings(class, above));
        let mut known = self.bindings.borrow_mut();
        known.entry(class.to_owned()).or_default().insert(above.to_owned(), found.clone());
        found
    }

    fn find_bindings(&self, class: &str, above: &str) -> Bindings {
        let Some(info) = self.class(class) else { return Bindings::new() };
        let variables = info.type_parameters.iter().map(|parameter| &parameter.name);
        let bindings = variables.map(|name| (name.clone(), TypeSignature::Variable(name.clone()))).collect();
        let mut open = vec![(class.to_owned(), bindings)];
        let mut seen = BTreeSet::new();
        while let Some((name, bindings)) = open.pop() {
            if name == above {
                return bindings;
            }
            if !seen.insert(name.clone()) {
                continue;
            }
            let Some(info) = self.class(&name) else { continue };
            for supertype in &info.supertypes {
                let name = types::class_name(supertype);
                let Some(parent) = self.class(&name) else { continue };
                let bound = types::bind(&parent.type_parameters, types::arguments(supertype), &bindings);
                open.push((name.into_owned(), bound));
            }
        }
        Bindings::new()
    }

    /// The abstract methods that whoever implements a type has to write.
    pub fn abstract_methods(&self, class: &str) -> Rc<[OpenMethod]> {
        if let Some(known) = self.open.borrow().get(class) {
            return known.clone();
        }
        let found: Rc<[OpenMethod]> = self.find_abstract_methods(class).into();
        self.open.borrow_mut().insert(class.to_owned(), found.clone());
        found
    }

    fn find_abstract_methods(&self, class: &str) -> Vec<OpenMethod> {
        let line = self.line(class);
        let mut found: Vec<OpenMethod> = Vec::new();
        for info in &line {
            for method in info.methods.iter().filter(|method| method.flags.has(Flags::ABSTRACT)) {
                let same = |other: &MethodInfo| other.name == method.name && other.descriptor == method.descriptor;
                let written = line.iter().any(|info| {
                    info.methods
                        .iter()
                        .any(|other| same(other) && !other.flags.has(Flags::ABSTRACT) && !other.is_static())
                });
                // What `Object` has is there in every object.
                let is_known = found.iter().any(|(_, other)| same(other));
                let of_object = self.class("java/lang/Object").is_some_and(|object| object.methods.iter().any(same));
                if !written && !is_known && !of_object {
                    found.push((info.name.clone(), method.clone()));
                }
            }
        }
        found
    }

    /// Whether a value of this type can be passed where that one is wanted. Type arguments are not compared.
    pub fn fits(&self, given: &TypeSignature, wanted: &TypeSignature) -> bool {
        match (types::erased(given), types::erased(wanted)) {
            (Some(given), Some(wanted)) => self.is_subtype(&given, &wanted),
            _ => given == wanted,
        }
    }
}

/// Whether a class is of a package that the JDK keeps to itself.
pub fn is_of_jdk(class: &str) -> bool {
    ["java/", "javax/", "jdk/", "sun/"].iter().any(|start| class.starts_with(start))
}
