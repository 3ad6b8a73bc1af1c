//! Annotations, on declarations and on types.

use crate::bytes::{Put, Reader};
use crate::constant::{Index, kind};
use crate::constant_pool::ConstantPool;
use crate::error::{Overflow, ParseError, ParseErrorKind};
use crate::instruction::Pc;

/// An annotation with the elements that were given.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Annotation {
    /// A field descriptor, such as `Ljava/lang/Deprecated;`.
    pub type_descriptor: Index<kind::Utf8>,
    pub elements: Vec<(Index<kind::Utf8>, ElementValue)>,
}

/// The value of an annotation's element.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum ElementValue {
    /// A number; the tag is the letter of its primitive type.
    Number {
        tag: u8,
        value: Index<kind::Number>,
    },
    Text(Index<kind::Utf8>),
    Enum {
        type_descriptor: Index<kind::Utf8>,
        name: Index<kind::Utf8>,
    },
    /// A class, by a return descriptor.
    Class(Index<kind::Utf8>),
    Annotation(Box<Annotation>),
    Array(Vec<ElementValue>),
}

/// An annotation on a type in a declaration or in code.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct TypeAnnotation {
    /// The specification's `target_type`.
    pub target_type: u8,
    pub target: TypeTarget,
    /// Steps into the type: kind and type argument each.
    pub path: Vec<(u8, u8)>,
    pub annotation: Annotation,
}

/// Which type is annotated.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // Named as in the specification.
pub enum TypeTarget {
    TypeParameter(u8),
    Supertype(u16),
    TypeParameterBound {
        parameter: u8,
        bound: u8,
    },
    Empty,
    FormalParameter(u8),
    Throws(u16),
    LocalVariable(Vec<LocalRange>),
    /// The number of an entry of the exception table.
    Catch(u16),
    Offset(Pc),
    TypeArgument {
        offset: Pc,
        argument: u8,
    },
}

/// Where a local variable lives in a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct LocalRange {
    pub start: Pc,
    pub length: u16,
    pub slot: u16,
}

/// Java source cannot nest annotations this deeply; a file that does would exhaust the stack.
const DEEPEST: usize = 64;

pub(crate) fn parse_annotation(
    r: &mut Reader<'_>,
    constants: &ConstantPool<'_>,
    depth: usize,
) -> Result<Annotation, ParseError> {
    let type_descriptor = constants.read(r)?;
    let elements = r.table(5, |r| Ok((constants.read(r)?, parse_value(r, constants, depth)?)))?;
    Ok(Annotation { type_descriptor, elements })
}

pub(crate) fn parse_value(
    r: &mut Reader<'_>,
    constants: &ConstantPool<'_>,
    depth: usize,
) -> Result<ElementValue, ParseError> {
    if depth > DEEPEST {
        return Err(r.error(ParseErrorKind::TooDeep));
    }
    Ok(match r.u1()? {
        tag @ (b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z') => {
            ElementValue::Number { tag, value: constants.read(r)? }
        }
        b's' => ElementValue::Text(constants.read(r)?),
        b'e' => ElementValue::Enum { type_descriptor: constants.read(r)?, name: constants.read(r)? },
        b'c' => ElementValue::Class(constants.read(r)?),
        b'@' => ElementValue::Annotation(Box::new(parse_annotation(r, constants, depth + 1)?)),
        b'[' => ElementValue::Array(r.table(3, |r| parse_value(r, constants, depth + 1))?),
        _ => return Err(r.error(ParseErrorKind::Attribute("annotation"))),
    })
}

pub(crate) fn parse_type_annotation(
    r: &mut Reader<'_>,
    constants: &ConstantPool<'_>,
) -> Result<TypeAnnotation, ParseError> {
    let target_type = r.u1()?;
    let target = match target_type {
        0x00 | 0x01 => TypeTarget::TypeParameter(r.u1()?),
        0x10 => TypeTarget::Supertype(r.u2()?),
        0x11 | 0x12 => TypeTarget::TypeParameterBound { parameter: r.u1()?, bound: r.u1()? },
        0x13..=0x15 => TypeTarget::Empty,
        0x16 => TypeTarget::FormalParameter(r.u1()?),
        0x17 => TypeTarget::Throws(r.u2()?),
        0x40 | 0x41 => TypeTarget::LocalVariable(
            r.table(6, |r| Ok(LocalRange { start: r.u2()?, length: r.u2()?, slot: r.u2()? }))?,
        ),
        0x42 => TypeTarget::Catch(r.u2()?),
        0x43..=0x46 => TypeTarget::Offset(r.u2()?),
        0x47..=0x4b => TypeTarget::TypeArgument { offset: r.u2()?, argument: r.u1()? },
        _ => return Err(r.error(ParseErrorKind::Attribute("type annotation"))),
    };
    let steps = r.u1()? as usize;
    let path = r.entries(steps, 2, |r| Ok((r.u1()?, r.u1()?)))?;
    Ok(TypeAnnotation { target_type, target, path, annotation: parse_annotation(r, constants, 0)? })
}

impl Annotation {
    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Result<(), Overflow> {
        out.u2(self.type_descriptor.raw());
        out.count("annotation elements", self.elements.len())?;
        for (name, value) in &self.elements {
            out.u2(name.raw());
            value.write(out)?;
        }
        Ok(())
    }
}

impl ElementValue {
    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Result<(), Overflow> {
        let mut single = |tag: u8, index: u16| {
            out.u1(tag);
            out.u2(index);
        };
        match self {
            ElementValue::Number { tag, value } => single(*tag, value.raw()),
            ElementValue::Text(text) => single(b's', text.raw()),
            ElementValue::Class(class) => single(b'c', class.raw()),
            ElementValue::Enum { type_descriptor, name } => {
                single(b'e', type_descriptor.raw());
                out.u2(name.raw());
            }
            ElementValue::Annotation(annotation) => {
                out.u1(b'@');
                annotation.write(out)?;
            }
            ElementValue::Array(values) => {
                single(b'[', u16::try_from(values.len()).map_err(|_| Overflow("annotation values"))?);
                for value in values {
                    value.write(out)?;
                }
            }
        }
        Ok(())
    }
}

impl TypeAnnotation {
    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Result<(), Overflow> {
        out.u1(self.target_type);
        match &self.target {
            TypeTarget::Empty => {}
            TypeTarget::TypeParameter(n) | TypeTarget::FormalParameter(n) => out.u1(*n),
            TypeTarget::TypeParameterBound { parameter, bound } => out.extend([*parameter, *bound]),
            TypeTarget::Supertype(n) | TypeTarget::Throws(n) | TypeTarget::Catch(n) | TypeTarget::Offset(n) => {
                out.u2(*n);
            }
            TypeTarget::TypeArgument { offset, argument } => {
                out.u2(*offset);
                out.u1(*argument);
            }
            TypeTarget::LocalVariable(ranges) => out.table("local ranges", ranges, |out, range| {
                out.u2(range.start);
                out.u2(range.length);
                out.u2(range.slot);
            })?,
        }
        out.u1(u8::try_from(self.path.len()).map_err(|_| Overflow("type path steps"))?);
        self.path.iter().for_each(|&(kind, argument)| out.extend([kind, argument]));
        self.annotation.write(out)
    }
}
