//! A class file as a whole: its skeleton, and what can be added to it.

use crate::attribute::{Attribute, AttributeValue, Place, parse_attributes, write_attributes};
use crate::bytes::{Put, Reader};
use crate::code::Code;
use crate::constant::{Index, kind};
use crate::constant_pool::ConstantPool;
use crate::descriptor::{MethodDescriptor, TypeDescriptor};
use crate::error::{Overflow, ParseError, ParseErrorKind};
use crate::flags::Flags;
use crate::instruction::{Instruction, InvokeOp};
use crate::java_str::JavaStr;

/// A class, interface, enum, record, annotation type or module declaration.
///
/// It borrows from the bytes it was read from. Its parts are plain data: change them and
/// [`write`](ClassFile::write) the result. Indices belong to this file's own `constants`.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // Named as in the specification.
pub struct ClassFile<'a> {
    pub minor_version: u16,
    pub major_version: u16,
    pub constants: ConstantPool<'a>,
    pub flags: Flags,
    pub this_class: Index<kind::Class>,
    /// None for `java/lang/Object` and for modules.
    pub super_class: Option<Index<kind::Class>>,
    pub interfaces: Vec<Index<kind::Class>>,
    pub fields: Vec<Field<'a>>,
    pub methods: Vec<Method<'a>>,
    pub attributes: Vec<Attribute<'a>>,
}

/// A field of a class.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Field<'a> {
    pub flags: Flags,
    pub name: Index<kind::Utf8>,
    pub descriptor: Index<kind::Utf8>,
    pub attributes: Vec<Attribute<'a>>,
}

/// A method of a class.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Method<'a> {
    pub flags: Flags,
    pub name: Index<kind::Utf8>,
    pub descriptor: Index<kind::Utf8>,
    pub attributes: Vec<Attribute<'a>>,
}

/// The class file version of Java 1.0, the oldest.
pub const OLDEST_VERSION: u16 = 45;
/// Java 1.4: since then the virtual machine takes texts in their shortest form only.
const FIRST_STRICT_VERSION: u16 = 48;
/// Java 5: since then a class is a constant that can be loaded.
const FIRST_VERSION_WITH_CLASS_LITERALS: u16 = 49;
/// The class file version of Java 25, the newest that this crate knows.
pub const NEWEST_VERSION: u16 = 69;

impl<'a> ClassFile<'a> {
    /// Reads a class file. All of it is checked, so that what is read can be used without further ado.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ParseError> {
        let mut r = Reader::new(bytes);
        if !bytes.starts_with(&0xcafe_babe_u32.to_be_bytes()) {
            return Err(r.error(ParseErrorKind::NoMagic));
        }
        r.u4()?;
        let (minor_version, major_version) = (r.u2()?, r.u2()?);
        if !(OLDEST_VERSION..=NEWEST_VERSION).contains(&major_version) {
            return Err(r.error(ParseErrorKind::Version(major_version)));
        }
        let constants = ConstantPool::parse(&mut r, major_version < FIRST_STRICT_VERSION)?;
        let flags = Flags(r.u2()?);
        let this_class = constants.read(&mut r)?;
        let super_class = constants.read_optional(&mut r)?;
        let interfaces = r.table(2, |r| constants.read(r))?;
        let fields = r.table(8, |r| {
            let (flags, name, descriptor) = parse_member(r, &constants, |text| TypeDescriptor::new(text).is_some())?;
            Ok(Field { flags, name, descriptor, attributes: parse_attributes(r, &constants, Place::Field)? })
        })?;
        let methods = r.table(8, |r| {
            let (flags, name, descriptor) = parse_member(r, &constants, |text| MethodDescriptor::new(text).is_some())?;
            Ok(Method { flags, name, descriptor, attributes: parse_attributes(r, &constants, Place::Method)? })
        })?;
        let attributes = parse_attributes(&mut r, &constants, Place::Class)?;
        let class = ClassFile {
            minor_version,
            major_version,
            constants,
            flags,
            this_class,
            super_class,
            interfaces,
            fields,
            methods,
            attributes,
        };
        match class.constants.highest_bootstrap() {
            Some(highest) if highest as usize >= class.bootstrap_methods().len() => {
                return Err(r.error(ParseErrorKind::Bootstrap(highest)));
            }
            _ => {}
        }
        r.finish()?;
        Ok(class)
    }

    /// A public class with no members, to be filled. Names are as constants hold them: `com/acme/Hook`.
    pub fn new(name: &str, super_name: &str, major_version: u16) -> Result<Self, Overflow> {
        let mut constants = ConstantPool::new();
        Ok(ClassFile {
            minor_version: 0,
            major_version,
            flags: Flags::PUBLIC.with(Flags::SUPER),
            this_class: constants.add_class(name)?,
            super_class: Some(constants.add_class(super_name)?),
            constants,
            interfaces: Vec::new(),
            fields: Vec::new(),
            methods: Vec::new(),
            attributes: Vec::new(),
        })
    }

    /// The bytes of the class file.
    pub fn write(&self) -> Result<Vec<u8>, Overflow> {
        let mut out = Vec::new();
        self.write_to(&mut out)?;
        Ok(out)
    }

    /// Appends the bytes of the class file to `out`. After an error, `out` holds a part of them.
    pub fn write_to(&self, out: &mut Vec<u8>) -> Result<(), Overflow> {
        out.u4(0xcafe_babe);
        out.u2(self.minor_version);
        out.u2(self.major_version);
        self.constants.write(out);
        out.u2(self.flags.0);
        out.u2(self.this_class.raw());
        out.u2(self.super_class.map_or(0, Index::raw));
        out.table("interfaces", &self.interfaces, |out, interface| out.u2(interface.raw()))?;
        out.count("fields", self.fields.len())?;
        for field in &self.fields {
            write_member(out, field.flags, field.name, field.descriptor, &field.attributes)?;
        }
        out.count("methods", self.methods.len())?;
        for method in &self.methods {
            write_member(out, method.flags, method.name, method.descriptor, &method.attributes)?;
        }
        write_attributes(&self.attributes, out)
    }

    /// The name of the class: `java/util/Map$Entry`.
    pub fn name(&self) -> JavaStr<'_> {
        self.constants.class_name(self.this_class)
    }

    /// Its flags, with `SYNTHETIC` also where an attribute says so. See [`Method::full_flags`].
    pub fn full_flags(&self) -> Flags {
        full_flags(self.flags, &self.attributes)
    }

    /// The bootstrap methods that dynamic call sites and constants name by their number.
    pub fn bootstrap_methods(&self) -> &[crate::attribute::BootstrapMethod] {
        let find = |a: &'_ Attribute<'a>| matches!(a.value, AttributeValue::BootstrapMethods(_));
        match self.attributes.iter().find(|a| find(a)).map(|a| &a.value) {
            Some(AttributeValue::BootstrapMethods(methods)) => methods,
            _ => &[],
        }
    }

    /// Instructions that push this class, as an object of class `Class`. Before Java 5 that takes a call,
    /// which may throw.
    pub fn load_this_class(&mut self) -> Result<Vec<Instruction>, Overflow> {
        if self.major_version >= FIRST_VERSION_WITH_CLASS_LITERALS {
            let this = self.constants.index(self.this_class.raw());
            return Ok(vec![Instruction::Ldc(this.expect("internal bug: a class is loadable"))]);
        }
        let name = self.name().to_str().replace('/', ".");
        let name = self.constants.add_string(&name)?;
        let descriptor = "(Ljava/lang/String;)Ljava/lang/Class;";
        let for_name = self.constants.add_method("java/lang/Class", "forName", descriptor)?;
        Ok(vec![Instruction::Ldc(name), Instruction::Invoke(InvokeOp::Static, for_name)])
    }

    /// The method with that name and descriptor, by its number in `methods`.
    pub fn find_method(&self, name: &str, descriptor: &str) -> Option<usize> {
        let text = |index| self.constants.utf8(index);
        self.methods.iter().position(|m| text(m.name) == name && text(m.descriptor) == descriptor)
    }

    /// Adds a field.
    pub fn add_field(&mut self, flags: Flags, name: &str, descriptor: &str) -> Result<&mut Field<'a>, Overflow> {
        let (name, descriptor) = (self.constants.add_utf8(name)?, self.constants.add_utf8(descriptor)?);
        self.fields.push(Field { flags, name, descriptor, attributes: Vec::new() });
        Ok(self.fields.last_mut().expect("internal bug: just pushed"))
    }

    /// Adds a method, with `code` unless it is abstract or native.
    pub fn add_method(
        &mut self,
        flags: Flags,
        name: &str,
        descriptor: &str,
        code: Option<Code<'a>>,
    ) -> Result<&mut Method<'a>, Overflow> {
        let (name, descriptor) = (self.constants.add_utf8(name)?, self.constants.add_utf8(descriptor)?);
        let mut attributes = Vec::new();
        if let Some(code) = code {
            attributes.push(Attribute {
                name: self.constants.add_utf8("Code")?,
                value: AttributeValue::Code(Box::new(code)),
            });
        }
        self.methods.push(Method { flags, name, descriptor, attributes });
        Ok(self.methods.last_mut().expect("internal bug: just pushed"))
    }

    /// Adds a copy of a method under another name, with other flags: a static initialiser as a method
    /// that can be called again, say. What the copy may do is up to the virtual machine: since Java 9,
    /// only `<clinit>` itself may assign a static final field.
    pub fn copy_method(&mut self, method: usize, name: &str, flags: Flags) -> Result<&mut Method<'a>, Overflow> {
        let name = self.constants.add_utf8(name)?;
        let copy = Method { name, flags, ..self.methods[method].clone() };
        self.methods.push(copy);
        Ok(self.methods.last_mut().expect("internal bug: just pushed"))
    }
}

impl Field<'_> {
    /// Its flags, with `SYNTHETIC` also where an attribute says so. See [`Method::full_flags`].
    pub fn full_flags(&self) -> Flags {
        full_flags(self.flags, &self.attributes)
    }
}

impl<'a> Method<'a> {
    /// Its flags, with `SYNTHETIC` also where an attribute says so: compilers before Java 5 have no flag for it.
    pub fn full_flags(&self) -> Flags {
        full_flags(self.flags, &self.attributes)
    }

    /// The code; None for abstract and native methods.
    pub fn code(&self) -> Option<&Code<'a>> {
        self.attributes.iter().find_map(|a| match &a.value {
            AttributeValue::Code(code) => Some(&**code),
            _ => None,
        })
    }

    /// The code, to be changed.
    pub fn code_mut(&mut self) -> Option<&mut Code<'a>> {
        self.attributes.iter_mut().find_map(|a| match &mut a.value {
            AttributeValue::Code(code) => Some(&mut **code),
            _ => None,
        })
    }
}

fn full_flags(flags: Flags, attributes: &[Attribute<'_>]) -> Flags {
    let is_synthetic = attributes.iter().any(|attribute| matches!(attribute.value, AttributeValue::Synthetic));
    if is_synthetic { flags.with(Flags::SYNTHETIC) } else { flags }
}

/// Removes all annotations of a type, given by its descriptor: `Ljava/lang/Deprecated;`. Says whether
/// there was one.
pub fn drop_annotation(attributes: &mut Vec<Attribute<'_>>, constants: &ConstantPool<'_>, descriptor: &str) -> bool {
    let mut dropped = false;
    attributes.retain_mut(|attribute| match &mut attribute.value {
        AttributeValue::Annotations { annotations, .. } => {
            let before = annotations.len();
            annotations.retain(|annotation| constants.utf8(annotation.type_descriptor) != descriptor);
            dropped |= annotations.len() < before;
            !annotations.is_empty() || before == 0
        }
        _ => true,
    });
    dropped
}

fn parse_member(
    r: &mut Reader<'_>,
    constants: &ConstantPool<'_>,
    is_descriptor: impl Fn(JavaStr<'_>) -> bool,
) -> Result<(Flags, Index<kind::Utf8>, Index<kind::Utf8>), ParseError> {
    let (flags, name, descriptor) = (Flags(r.u2()?), constants.read(r)?, constants.read(r)?);
    if !is_descriptor(constants.utf8(descriptor)) {
        return Err(r.error(ParseErrorKind::Descriptor(descriptor.raw())));
    }
    Ok((flags, name, descriptor))
}

fn write_member(
    out: &mut Vec<u8>,
    flags: Flags,
    name: Index<kind::Utf8>,
    descriptor: Index<kind::Utf8>,
    attributes: &[Attribute<'_>],
) -> Result<(), Overflow> {
    out.u2(flags.0);
    out.u2(name.raw());
    out.u2(descriptor.raw());
    write_attributes(attributes, out)
}
