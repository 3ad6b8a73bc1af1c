//! Attributes: everything in a class file beyond its skeleton.

use crate::annotation::{self, Annotation, ElementValue, TypeAnnotation};
use crate::bytes::{Put, Reader};
use crate::code::Code;
use crate::constant::{Index, kind};
use crate::constant_pool::ConstantPool;
use crate::error::{Overflow, ParseError};
use crate::flags::Flags;
use crate::instruction::Pc;
use crate::module::Module;
use crate::stack_map::{self, Frame};
use std::borrow::Cow;

/// An attribute with its name.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Attribute<'a> {
    pub name: Index<kind::Utf8>,
    pub value: AttributeValue<'a>,
}

/// The content of an attribute: one variant for each that the specification defines.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)] // Named as in the specification.
pub enum AttributeValue<'a> {
    AnnotationDefault(ElementValue),
    Annotations {
        visible: bool,
        annotations: Vec<Annotation>,
    },
    BootstrapMethods(Vec<BootstrapMethod>),
    Code(Box<Code<'a>>),
    ConstantValue(Index<kind::Value>),
    Deprecated,
    EnclosingMethod {
        class: Index<kind::Class>,
        method: Option<Index<kind::NameAndType>>,
    },
    Exceptions(Vec<Index<kind::Class>>),
    InnerClasses(Vec<InnerClass>),
    LineNumberTable(Vec<LineNumber>),
    LocalVariableTable(Vec<LocalVariable>),
    LocalVariableTypeTable(Vec<LocalVariable>),
    MethodParameters(Vec<MethodParameter>),
    Module(Box<Module>),
    ModuleMainClass(Index<kind::Class>),
    ModulePackages(Vec<Index<kind::Package>>),
    NestHost(Index<kind::Class>),
    NestMembers(Vec<Index<kind::Class>>),
    ParameterAnnotations {
        visible: bool,
        parameters: Vec<Vec<Annotation>>,
    },
    PermittedSubclasses(Vec<Index<kind::Class>>),
    Record(Vec<RecordComponent<'a>>),
    Signature(Index<kind::Utf8>),
    SourceDebugExtension(Cow<'a, [u8]>),
    SourceFile(Index<kind::Utf8>),
    StackMapTable(Vec<Frame>),
    Synthetic,
    TypeAnnotations {
        visible: bool,
        annotations: Vec<TypeAnnotation>,
    },
    /// An attribute that the specification does not know, or not in this place.
    Unknown(Cow<'a, [u8]>),
}

/// A method that links a dynamic call site or constant, with its static arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct BootstrapMethod {
    pub method: Index<kind::MethodHandle>,
    pub arguments: Vec<Index<kind::Loadable>>,
}

/// A nested class that the file mentions.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct InnerClass {
    pub inner: Index<kind::Class>,
    pub outer: Option<Index<kind::Class>>,
    /// None for an anonymous class.
    pub name: Option<Index<kind::Utf8>>,
    pub flags: Flags,
}

/// From this offset on, the code belongs to this line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct LineNumber {
    pub start: Pc,
    pub line: u16,
}

/// A named local variable. `descriptor` is a generic signature in a `LocalVariableTypeTable`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct LocalVariable {
    pub start: Pc,
    pub length: u16,
    pub name: Index<kind::Utf8>,
    pub descriptor: Index<kind::Utf8>,
    pub slot: u16,
}

/// A parameter's name, if known, and flags.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct MethodParameter {
    pub name: Option<Index<kind::Utf8>>,
    pub flags: Flags,
}

/// A component of a record class.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct RecordComponent<'a> {
    pub name: Index<kind::Utf8>,
    pub descriptor: Index<kind::Utf8>,
    pub attributes: Vec<Attribute<'a>>,
}

/// Where an attribute stands: names mean something only in their place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Class,
    Field,
    Method,
    Code {
        /// How many bytes of instructions there are.
        length: usize,
    },
    RecordComponent,
}

pub(crate) fn parse_attributes<'a>(
    r: &mut Reader<'a>,
    constants: &ConstantPool<'a>,
    place: Place,
) -> Result<Vec<Attribute<'a>>, ParseError> {
    r.table(6, |r| {
        let name = constants.read(r)?;
        let length = r.u4()? as usize;
        let mut content = r.part(length)?;
        let value = parse_value(&mut content, constants, place, constants.utf8(name).as_bytes())?;
        content.finish()?;
        Ok(Attribute { name, value })
    })
}

fn parse_value<'a>(
    r: &mut Reader<'a>,
    constants: &ConstantPool<'a>,
    place: Place,
    name: &[u8],
) -> Result<AttributeValue<'a>, ParseError> {
    use AttributeValue as A;
    let annotations = |r: &mut Reader<'a>| r.table(4, |r| annotation::parse_annotation(r, constants, 0));
    let local_variable = |r: &mut Reader<'a>| {
        Ok(LocalVariable {
            start: r.u2()?,
            length: r.u2()?,
            name: constants.read(r)?,
            descriptor: constants.read(r)?,
            slot: r.u2()?,
        })
    };
    Ok(match (place, name) {
        (Place::Code { .. }, b"LineNumberTable") => A::LineNumberTable(r.rows(|&[a, b, c, d]| LineNumber {
            start: u16::from_be_bytes([a, b]),
            line: u16::from_be_bytes([c, d]),
        })?),
        (Place::Code { length }, b"StackMapTable") => A::StackMapTable(stack_map::parse(r, constants, length)?),
        (Place::Code { .. }, b"LocalVariableTable") => A::LocalVariableTable(r.table(10, local_variable)?),
        (Place::Code { .. }, b"LocalVariableTypeTable") => A::LocalVariableTypeTable(r.table(10, local_variable)?),
        (Place::Method, b"Code") => A::Code(Box::new(Code::parse(r, constants)?)),
        (Place::Method, b"Exceptions") => A::Exceptions(r.table(2, |r| constants.read(r))?),
        (Place::Method, b"MethodParameters") => {
            let count = r.u1()? as usize;
            A::MethodParameters(r.entries(count, 4, |r| {
                Ok(MethodParameter { name: constants.read_optional(r)?, flags: Flags(r.u2()?) })
            })?)
        }
        (Place::Method, b"AnnotationDefault") => A::AnnotationDefault(annotation::parse_value(r, constants, 0)?),
        (Place::Method, b"RuntimeVisibleParameterAnnotations" | b"RuntimeInvisibleParameterAnnotations") => {
            let count = r.u1()? as usize;
            A::ParameterAnnotations { visible: name[7] == b'V', parameters: r.entries(count, 2, annotations)? }
        }
        (Place::Field, b"ConstantValue") => A::ConstantValue(constants.read(r)?),
        (Place::Class, b"SourceFile") => A::SourceFile(constants.read(r)?),
        (Place::Class, b"InnerClasses") => A::InnerClasses(r.table(8, |r| {
            Ok(InnerClass {
                inner: constants.read(r)?,
                outer: constants.read_optional(r)?,
                name: constants.read_optional(r)?,
                flags: Flags(r.u2()?),
            })
        })?),
        (Place::Class, b"EnclosingMethod") => {
            A::EnclosingMethod { class: constants.read(r)?, method: constants.read_optional(r)? }
        }
        (Place::Class, b"SourceDebugExtension") => A::SourceDebugExtension(Cow::Borrowed(r.bytes(r.left())?)),
        (Place::Class, b"BootstrapMethods") => A::BootstrapMethods(r.table(4, |r| {
            Ok(BootstrapMethod { method: constants.read(r)?, arguments: r.table(2, |r| constants.read(r))? })
        })?),
        (Place::Class, b"NestHost") => A::NestHost(constants.read(r)?),
        (Place::Class, b"NestMembers") => A::NestMembers(r.table(2, |r| constants.read(r))?),
        (Place::Class, b"PermittedSubclasses") => A::PermittedSubclasses(r.table(2, |r| constants.read(r))?),
        (Place::Class, b"Record") => A::Record(r.table(6, |r| {
            Ok(RecordComponent {
                name: constants.read(r)?,
                descriptor: constants.read(r)?,
                attributes: parse_attributes(r, constants, Place::RecordComponent)?,
            })
        })?),
        (Place::Class, b"Module") => A::Module(Box::new(Module::parse(r, constants)?)),
        (Place::Class, b"ModulePackages") => A::ModulePackages(r.table(2, |r| constants.read(r))?),
        (Place::Class, b"ModuleMainClass") => A::ModuleMainClass(constants.read(r)?),
        (Place::Class | Place::Field | Place::Method, b"Synthetic") => A::Synthetic,
        (Place::Class | Place::Field | Place::Method, b"Deprecated") => A::Deprecated,
        (Place::Class | Place::Field | Place::Method | Place::RecordComponent, b"Signature") => {
            A::Signature(constants.read(r)?)
        }
        (
            Place::Class | Place::Field | Place::Method | Place::RecordComponent,
            b"RuntimeVisibleAnnotations" | b"RuntimeInvisibleAnnotations",
        ) => A::Annotations { visible: name[7] == b'V', annotations: annotations(r)? },
        (_, b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations") => A::TypeAnnotations {
            visible: name[7] == b'V',
            annotations: r.table(6, |r| annotation::parse_type_annotation(r, constants))?,
        },
        _ => A::Unknown(Cow::Borrowed(r.bytes(r.left())?)),
    })
}

pub(crate) fn write_attributes(attributes: &[Attribute<'_>], out: &mut Vec<u8>) -> Result<(), Overflow> {
    out.count("attributes", attributes.len())?;
    for attribute in attributes {
        out.u2(attribute.name.raw());
        out.u4(0);
        let start = out.len();
        attribute.value.write(out)?;
        let length = u32::try_from(out.len() - start).map_err(|_| Overflow("bytes in an attribute"))?;
        out[start - 4..start].copy_from_slice(&length.to_be_bytes());
    }
    Ok(())
}

impl AttributeValue<'_> {
    fn write(&self, out: &mut Vec<u8>) -> Result<(), Overflow> {
        use AttributeValue as A;
        match self {
            A::Deprecated | A::Synthetic => {}
            A::AnnotationDefault(value) => value.write(out)?,
            A::Annotations { annotations, .. } => write_annotations(annotations, out)?,
            A::ParameterAnnotations { parameters, .. } => {
                out.u1(u8::try_from(parameters.len()).map_err(|_| Overflow("annotated parameters"))?);
                parameters.iter().try_for_each(|annotations| write_annotations(annotations, out))?;
            }
            A::TypeAnnotations { annotations, .. } => {
                out.count("annotations", annotations.len())?;
                annotations.iter().try_for_each(|annotation| annotation.write(out))?;
            }
            A::BootstrapMethods(methods) => {
                out.count("bootstrap methods", methods.len())?;
                for bootstrap in methods {
                    out.u2(bootstrap.method.raw());
                    out.table("bootstrap arguments", &bootstrap.arguments, |out, argument| out.u2(argument.raw()))?;
                }
            }
            A::Code(code) => code.write(out)?,
            A::ConstantValue(value) => out.u2(value.raw()),
            A::EnclosingMethod { class, method } => {
                out.u2(class.raw());
                out.u2(method.map_or(0, Index::raw));
            }
            A::InnerClasses(classes) => out.table("inner classes", classes, |out, class| {
                out.u2(class.inner.raw());
                out.u2(class.outer.map_or(0, Index::raw));
                out.u2(class.name.map_or(0, Index::raw));
                out.u2(class.flags.0);
            })?,
            A::LineNumberTable(lines) => out.table("line numbers", lines, |out, entry| {
                out.u2(entry.start);
                out.u2(entry.line);
            })?,
            A::LocalVariableTable(variables) | A::LocalVariableTypeTable(variables) => {
                out.table("local variables", variables, |out, variable| {
                    out.u2(variable.start);
                    out.u2(variable.length);
                    out.u2(variable.name.raw());
                    out.u2(variable.descriptor.raw());
                    out.u2(variable.slot);
                })?;
            }
            A::MethodParameters(parameters) => {
                out.u1(u8::try_from(parameters.len()).map_err(|_| Overflow("parameters"))?);
                for parameter in parameters {
                    out.u2(parameter.name.map_or(0, Index::raw));
                    out.u2(parameter.flags.0);
                }
            }
            A::Module(module) => module.write(out)?,
            A::ModuleMainClass(class) | A::NestHost(class) => out.u2(class.raw()),
            A::ModulePackages(packages) => out.table("packages", packages, |out, package| out.u2(package.raw()))?,
            A::Exceptions(classes) | A::NestMembers(classes) | A::PermittedSubclasses(classes) => {
                out.table("classes", classes, |out, class| out.u2(class.raw()))?;
            }
            A::Record(components) => {
                out.count("record components", components.len())?;
                for component in components {
                    out.u2(component.name.raw());
                    out.u2(component.descriptor.raw());
                    write_attributes(&component.attributes, out)?;
                }
            }
            A::Signature(text) | A::SourceFile(text) => out.u2(text.raw()),
            A::StackMapTable(frames) => stack_map::write(frames, out)?,
            A::SourceDebugExtension(bytes) | A::Unknown(bytes) => out.extend_from_slice(bytes),
        }
        Ok(())
    }
}

fn write_annotations(annotations: &[Annotation], out: &mut Vec<u8>) -> Result<(), Overflow> {
    out.count("annotations", annotations.len())?;
    annotations.iter().try_for_each(|annotation| annotation.write(out))
}
