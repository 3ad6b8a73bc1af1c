//! The classes that the analysis has met: loaded when they are first needed, and kept.
//!
//! A class that is missing or damaged is remembered as such. It is an error only for the class under test
//! and its supertypes; what calls into it elsewhere is opaque.

use std::rc::Rc;

use classfile::{ClassFile, Code, Flags, Method, ParseError, TypeDescriptor};
use classpath::{ClassName, ClassPath};

use crate::body::Shape;
use crate::lambda::Lambda;
use crate::names::{Map, Names, Sym};
use crate::scope::Scope;
use crate::store::ByteStore;

/// A method of a loaded class, by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MethodId(pub u32);

/// A field by number: one that a class declares, the elements of arrays, or what a lambda captured.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FieldId(pub u32);

/// The elements of any array: one location an array.
pub const ELEMENTS: FieldId = FieldId(0);
/// The read lock of a `ReadWriteLock`, as if it were a field of it.
pub const READ_HALF: FieldId = FieldId(1);
/// The write lock likewise.
pub const WRITE_HALF: FieldId = FieldId(2);

/// What is known of a method without its code.
#[derive(Clone, Debug)]
pub struct MethodInfo {
    pub owner: Sym,
    pub name: Sym,
    pub descriptor: Sym,
    pub flags: Flags,
    /// Its number in the class file.
    pub index: usize,
}

/// What is known of a field.
#[derive(Clone, Debug)]
pub struct FieldInfo {
    /// The class that declares it.
    pub owner: Sym,
    pub name: Sym,
    /// The class of its values; None for primitive ones.
    pub type_name: Option<Sym>,
    pub flags: Flags,
}

impl FieldInfo {
    pub fn is_final(&self) -> bool {
        self.flags.has(Flags::FINAL)
    }

    pub fn is_volatile(&self) -> bool {
        self.flags.has(Flags::VOLATILE)
    }
}

/// A class that was read.
#[derive(Debug)]
pub struct Class<'s> {
    pub name: Sym,
    pub super_class: Option<Sym>,
    pub interfaces: Vec<Sym>,
    pub flags: Flags,
    pub file: ClassFile<'s>,
    /// Its methods by name and descriptor.
    pub methods: Map<(Sym, Sym), MethodId>,
    /// Its methods in the order of the file.
    pub in_order: Vec<MethodId>,
    fields: Map<Sym, FieldId>,
    /// Whether it came out of a JDK's image.
    pub of_jdk: bool,
}

impl Class<'_> {
    pub fn is_interface(&self) -> bool {
        self.flags.has(Flags::INTERFACE)
    }

    /// The fields that it declares itself.
    pub fn fields(&self) -> impl Iterator<Item = FieldId> {
        self.fields.values().copied()
    }

    pub fn is_concrete(&self) -> bool {
        !self.flags.has(Flags::ABSTRACT) && !self.is_interface()
    }
}

/// Why there is no class of a name.
#[derive(Clone, Debug)]
pub enum Absent {
    Missing,
    Unreadable(String),
    Damaged(ParseError),
    /// The file holds another class.
    Other(Sym),
}

/// A look-up that may have failed.
pub type Loaded<'s> = Result<Rc<Class<'s>>, Absent>;

/// Names that the analysis itself needs.
#[derive(Clone, Copy, Debug)]
pub struct WellKnown {
    pub object: Sym,
    pub string: Sym,
    pub class: Sym,
    pub throwable: Sym,
    pub init: Sym,
    pub clinit: Sym,
}

/// Everything that was met.
pub struct Program<'s> {
    class_path: &'s ClassPath,
    bytes: &'s ByteStore,
    pub names: Names,
    pub known: WellKnown,
    classes: Map<Sym, Loaded<'s>>,
    pub methods: Vec<MethodInfo>,
    pub fields: Vec<FieldInfo>,
    pub lambdas: Map<Sym, Rc<Lambda>>,
    pub(crate) supertypes: Map<Sym, Rc<[Sym]>>,
    pub(crate) overlaps: Map<(Sym, Sym), bool>,
    /// What was asked before, and the answers.
    pub(crate) holders: Map<(Sym, bool, FieldId), bool>,
    pub(crate) elements: Map<Sym, Option<Sym>>,
    pub(crate) selected: Map<(Sym, Sym, Sym), Option<MethodId>>,
    pub(crate) resolved_methods: Map<(Sym, Sym, Sym), Option<MethodId>>,
    resolved_fields: Map<(Sym, Sym), Option<FieldId>>,
    shapes: Map<Sym, Rc<Shape>>,
    scopes: Map<Sym, Scope>,
}

impl<'s> Program<'s> {
    pub fn new(class_path: &'s ClassPath, bytes: &'s ByteStore) -> Program<'s> {
        let mut names = Names::default();
        let known = WellKnown {
            object: names.get("java/lang/Object"),
            string: names.get("java/lang/String"),
            class: names.get("java/lang/Class"),
            throwable: names.get("java/lang/Throwable"),
            init: names.get("<init>"),
            clinit: names.get("<clinit>"),
        };
        let lock = names.get("java/util/concurrent/locks/Lock");
        let mut invented = |owner: &str, name: &str, type_name: Sym, flags: Flags| FieldInfo {
            owner: names.get(owner),
            name: names.get(name),
            type_name: Some(type_name),
            flags,
        };
        let read_write = "java/util/concurrent/locks/ReadWriteLock";
        let fields = vec![
            invented("[]", "[]", known.object, Flags::default()),
            invented(read_write, "readLock()", lock, Flags::FINAL),
            invented(read_write, "writeLock()", lock, Flags::FINAL),
        ];
        Program {
            class_path,
            bytes,
            names,
            known,
            classes: Map::default(),
            methods: Vec::new(),
            fields,
            lambdas: Map::default(),
            supertypes: Map::default(),
            overlaps: Map::default(),
            holders: Map::default(),
            elements: Map::default(),
            selected: Map::default(),
            resolved_methods: Map::default(),
            resolved_fields: Map::default(),
            shapes: Map::default(),
            scopes: Map::default(),
        }
    }

    /// The class of that name, read when it is first asked for. Array types have none.
    pub fn class(&mut self, name: Sym) -> Loaded<'s> {
        if let Some(known) = self.classes.get(&name) {
            return known.clone();
        }
        let loaded = self.load(name).map(Rc::new);
        self.classes.insert(name, loaded.clone());
        loaded
    }

    pub fn method(&self, id: MethodId) -> &MethodInfo {
        &self.methods[id.0 as usize]
    }

    pub fn field(&self, id: FieldId) -> &FieldInfo {
        &self.fields[id.0 as usize]
    }

    /// A field of no class file: what a lambda captured, or a lock inside another.
    pub fn add_field(&mut self, field: FieldInfo) -> FieldId {
        self.fields.push(field);
        FieldId(self.fields.len() as u32 - 1)
    }

    /// Parameters and result of a method descriptor.
    pub fn shape(&mut self, descriptor: Sym) -> Rc<Shape> {
        if let Some(known) = self.shapes.get(&descriptor) {
            return known.clone();
        }
        let shape = Rc::new(Shape::of(descriptor, &mut self.names));
        self.shapes.insert(descriptor, shape.clone());
        shape
    }

    /// How calls into a class are taken.
    pub fn scope(&mut self, class: Sym) -> Scope {
        let names = &self.names;
        *self.scopes.entry(class).or_insert_with(|| Scope::of(names.text(class)))
    }

    /// The text of a name, for people: with dots.
    pub fn dotted(&self, name: Sym) -> String {
        self.names.text(name).replace('/', ".")
    }

    /// The field that an instruction of a class means: declared there or in a supertype.
    pub fn resolve_field(&mut self, class: Sym, name: Sym) -> Option<FieldId> {
        if let Some(&known) = self.resolved_fields.get(&(class, name)) {
            return known;
        }
        let supertypes = self.supertypes(class);
        let found = supertypes.iter().find_map(|&supertype| self.class(supertype).ok()?.fields.get(&name).copied());
        self.resolved_fields.insert((class, name), found);
        found
    }

    fn load(&mut self, name: Sym) -> Result<Class<'s>, Absent> {
        let text = self.names.text(name).clone();
        let asked = ClassName::parse(&text).map_err(|_| Absent::Missing)?;
        let found = self.class_path.find_exact(&asked).map_err(|error| Absent::Unreadable(error.to_string()))?;
        let found = found.ok_or(Absent::Missing)?;
        let of_jdk = found.origin.module.is_some();
        let file = ClassFile::parse(self.bytes.keep(found.bytes)).map_err(Absent::Damaged)?;
        let holds = self.names.java(file.name());
        if holds != name {
            return Err(Absent::Other(holds));
        }
        let names = &mut self.names;
        let super_class = file.super_class.map(|index| names.java(file.constants.class_name(index)));
        let interfaces = file.interfaces.iter().map(|&index| names.java(file.constants.class_name(index))).collect();
        let mut methods = Map::default();
        let mut in_order = Vec::with_capacity(file.methods.len());
        for (index, method) in file.methods.iter().enumerate() {
            let id = MethodId(self.methods.len() as u32);
            let info = MethodInfo {
                owner: name,
                name: names.java(file.constants.utf8(method.name)),
                descriptor: names.java(file.constants.utf8(method.descriptor)),
                flags: method.full_flags(),
                index,
            };
            methods.insert((info.name, info.descriptor), id);
            in_order.push(id);
            self.methods.push(info);
        }
        let mut fields = Map::default();
        for field in &file.fields {
            let id = FieldId(self.fields.len() as u32);
            let descriptor = TypeDescriptor::new(file.constants.utf8(field.descriptor));
            let type_name = descriptor.and_then(|descriptor| descriptor.class_name());
            let info = FieldInfo {
                owner: name,
                name: names.java(file.constants.utf8(field.name)),
                type_name: type_name.map(|type_name| names.java(type_name)),
                flags: field.full_flags(),
            };
            fields.insert(info.name, id);
            self.fields.push(info);
        }
        let flags = file.flags;
        Ok(Class { name, super_class, interfaces, flags, file, methods, in_order, fields, of_jdk })
    }
}

/// A method in its class file.
pub fn method_of<'c, 's>(class: &'c Class<'s>, info: &MethodInfo) -> &'c Method<'s> {
    &class.file.methods[info.index]
}

/// The code of a method.
pub fn code_of<'c, 's>(class: &'c Class<'s>, info: &MethodInfo) -> Option<&'c Code<'s>> {
    method_of(class, info).code()
}
