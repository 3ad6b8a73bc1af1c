//! What the caller knows of classes: the facts of a class file that decide how Java source names and calls things.

use std::rc::Rc;

/// Knows classes. Names are those of class files: `java/util/Map$Entry`.
pub trait Types {
    /// What is known of a class; None if it is not there. Never asked about arrays and primitive types.
    fn class(&self, name: &str) -> Option<Rc<ClassFacts>>;
}

/// A class, interface, enum or record, as it is declared.
#[derive(Clone, PartialEq, Debug)]
pub struct ClassFacts {
    /// As class files have it.
    pub name: String,
    /// As source names it within its package, `Map.Entry`; None for a local or anonymous class.
    pub source: Option<String>,
    /// The narrowest of its own access and that of the classes around it. A package that its module does not export is
    /// as good as [`Access::Package`].
    pub access: Access,
    /// Also for annotations.
    pub is_interface: bool,
    /// It belongs to an object of the class around it, which its constructors take first.
    pub is_inner: bool,
    /// Nothing can be put into its package.
    pub of_jdk: bool,
    /// None for `java/lang/Object`.
    pub superclass: Option<String>,
    /// Those that it names itself.
    pub interfaces: Vec<String>,
    /// The generic declaration, if there is one, as class files have it.
    pub signature: Option<String>,
    /// Those that it declares itself, constructors as `<init>`.
    pub methods: Vec<MemberFacts>,
    /// Those that it declares itself.
    pub fields: Vec<MemberFacts>,
}

/// A method, constructor or field, as it is declared.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct MemberFacts {
    pub name: String,
    pub descriptor: String,
    /// The generic declaration, if there is one.
    pub signature: Option<String>,
    pub access: Access,
    pub is_static: bool,
    pub is_abstract: bool,
    pub is_final: bool,
    /// Made by the compiler: source cannot call it.
    pub is_synthetic: bool,
    pub is_varargs: bool,
    /// The exceptions that it declares, as class files name them.
    pub throws: Vec<String>,
}

/// Who may name something.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum Access {
    Private,
    Package,
    Protected,
    Public,
}

impl ClassFacts {
    /// With slashes; empty for the unnamed one.
    pub fn package(&self) -> &str {
        package(&self.name)
    }

    /// Whether it declares type parameters.
    pub fn is_generic(&self) -> bool {
        self.signature.as_deref().is_some_and(|signature| signature.starts_with('<'))
    }
}

/// The package of a class, with slashes.
pub(crate) fn package(class: &str) -> &str {
    class.rsplit_once('/').map_or("", |(package, _)| package)
}
