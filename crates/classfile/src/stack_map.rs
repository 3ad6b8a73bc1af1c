//! `StackMapTable`: the types of locals and stack where control flow meets.

use crate::bytes::{Put, Reader};
use crate::constant::{Index, kind};
use crate::constant_pool::ConstantPool;
use crate::error::{Overflow, ParseError, ParseErrorKind};
use crate::instruction::Pc;

/// A type as the verifier sees it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum VerificationType {
    /// Nothing usable.
    Top,
    /// `int` and what is smaller.
    Int,
    /// `float`.
    Float,
    /// `double`: two slots.
    Double,
    /// `long`: two slots.
    Long,
    /// The type of `null`.
    Null,
    /// `this` in a constructor that has not called another yet.
    UninitializedThis,
    /// An object or array.
    Object(Index<kind::Class>),
    /// An object made by the `new` at this offset, whose constructor was not called yet.
    Uninitialized(Pc),
}

impl VerificationType {
    /// How many slots it takes.
    pub fn slots(self) -> u16 {
        if matches!(self, VerificationType::Double | VerificationType::Long) { 2 } else { 1 }
    }
}

/// One frame, told as its difference from the frame before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// One less than the distance from the frame before; the first frame counts from 0.
    pub offset_delta: u16,
    /// What has changed.
    pub kind: FrameKind,
}

impl Frame {
    /// The types that the frame names.
    pub fn types(&self) -> impl Iterator<Item = &VerificationType> {
        let (first, second): (&[_], &[_]) = match &self.kind {
            FrameKind::Same { .. } | FrameKind::Chop(_) => (&[], &[]),
            FrameKind::SameWithStack { stack, .. } => (std::slice::from_ref(stack), &[]),
            FrameKind::Append(added) => (added, &[]),
            FrameKind::Full(full) => (&full.locals, &full.stack),
        };
        first.iter().chain(second)
    }

    /// The types that the frame names, to be changed.
    pub fn types_mut(&mut self) -> impl Iterator<Item = &mut VerificationType> {
        let (first, second): (&mut [_], &mut [_]) = match &mut self.kind {
            FrameKind::Same { .. } | FrameKind::Chop(_) => (&mut [], &mut []),
            FrameKind::SameWithStack { stack, .. } => (std::slice::from_mut(stack), &mut []),
            FrameKind::Append(added) => (added, &mut []),
            FrameKind::Full(full) => (&mut full.locals, &mut full.stack),
        };
        first.iter_mut().chain(second)
    }
}

/// How a frame differs from the one before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FrameKind {
    /// Same locals, empty stack. `long` keeps a form that holds a larger delta than is needed.
    Same {
        /// Whether the delta is in a field of its own though it need not be.
        long: bool,
    },
    /// Same locals, one value on the stack.
    SameWithStack {
        /// As in [`FrameKind::Same`].
        long: bool,
        /// The value.
        stack: VerificationType,
    },
    /// The last 1 to 3 locals are gone; empty stack.
    Chop(u8),
    /// 1 to 3 more locals; empty stack.
    Append(Box<[VerificationType]>),
    /// All anew.
    Full(Box<FullFrame>),
}

/// All locals and the whole stack; `long` and `double` are one entry each.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct FullFrame {
    pub locals: Vec<VerificationType>,
    pub stack: Vec<VerificationType>,
}

const LONGEST_SHORT_DELTA: u16 = 63;

/// Reads the frames of code of that length.
pub(crate) fn parse(
    r: &mut Reader<'_>,
    constants: &ConstantPool<'_>,
    code_length: usize,
) -> Result<Vec<Frame>, ParseError> {
    let count = r.u2()? as usize;
    // Each stands at an instruction of its own. A frame takes far more memory than the byte it may be told
    // in, so a table that cannot be right is not read.
    if count > code_length {
        return Err(r.error(ParseErrorKind::Attribute("StackMapTable")));
    }
    r.entries(count, 1, |r| {
        let tag = r.u1()?;
        Ok(match tag {
            0..=63 => Frame { offset_delta: tag as u16, kind: FrameKind::Same { long: false } },
            64..=127 => {
                let stack = verification_type(r, constants)?;
                Frame { offset_delta: tag as u16 - 64, kind: FrameKind::SameWithStack { long: false, stack } }
            }
            128..=246 => return Err(r.error(ParseErrorKind::Attribute("StackMapTable"))),
            247 => {
                let (offset_delta, stack) = (r.u2()?, verification_type(r, constants)?);
                Frame { offset_delta, kind: FrameKind::SameWithStack { long: true, stack } }
            }
            248..=250 => Frame { offset_delta: r.u2()?, kind: FrameKind::Chop(251 - tag) },
            251 => Frame { offset_delta: r.u2()?, kind: FrameKind::Same { long: true } },
            252..=254 => {
                let offset_delta = r.u2()?;
                let added = r.entries(tag as usize - 251, 1, |r| verification_type(r, constants))?;
                Frame { offset_delta, kind: FrameKind::Append(added.into()) }
            }
            255 => {
                let offset_delta = r.u2()?;
                let locals = r.table(1, |r| verification_type(r, constants))?;
                let stack = r.table(1, |r| verification_type(r, constants))?;
                Frame { offset_delta, kind: FrameKind::Full(Box::new(FullFrame { locals, stack })) }
            }
        })
    })
}

pub(crate) fn write(frames: &[Frame], out: &mut Vec<u8>) -> Result<(), Overflow> {
    out.count("frames", frames.len())?;
    for frame in frames {
        let delta = frame.offset_delta;
        match &frame.kind {
            FrameKind::Same { long: false } if delta <= LONGEST_SHORT_DELTA => out.u1(delta as u8),
            FrameKind::Same { .. } => {
                out.u1(251);
                out.u2(delta);
            }
            FrameKind::SameWithStack { long: false, stack } if delta <= LONGEST_SHORT_DELTA => {
                out.u1(64 + delta as u8);
                write_type(*stack, out);
            }
            FrameKind::SameWithStack { stack, .. } => {
                out.u1(247);
                out.u2(delta);
                write_type(*stack, out);
            }
            FrameKind::Chop(count) => {
                out.u1(251 - count);
                out.u2(delta);
            }
            FrameKind::Append(added) => {
                out.u1(251 + added.len() as u8);
                out.u2(delta);
                added.iter().for_each(|&t| write_type(t, out));
            }
            FrameKind::Full(frame) => {
                out.u1(255);
                out.u2(delta);
                out.table("locals", &frame.locals, |out, &t| write_type(t, out))?;
                out.table("stack values", &frame.stack, |out, &t| write_type(t, out))?;
            }
        }
    }
    Ok(())
}

fn verification_type(r: &mut Reader<'_>, constants: &ConstantPool<'_>) -> Result<VerificationType, ParseError> {
    Ok(match r.u1()? {
        0 => VerificationType::Top,
        1 => VerificationType::Int,
        2 => VerificationType::Float,
        3 => VerificationType::Double,
        4 => VerificationType::Long,
        5 => VerificationType::Null,
        6 => VerificationType::UninitializedThis,
        7 => VerificationType::Object(constants.read(r)?),
        8 => VerificationType::Uninitialized(r.u2()?),
        _ => return Err(r.error(ParseErrorKind::Attribute("StackMapTable"))),
    })
}

fn write_type(t: VerificationType, out: &mut Vec<u8>) {
    match t {
        VerificationType::Top => out.u1(0),
        VerificationType::Int => out.u1(1),
        VerificationType::Float => out.u1(2),
        VerificationType::Double => out.u1(3),
        VerificationType::Long => out.u1(4),
        VerificationType::Null => out.u1(5),
        VerificationType::UninitializedThis => out.u1(6),
        VerificationType::Object(class) => {
            out.u1(7);
            out.u2(class.raw());
        }
        VerificationType::Uninitialized(pc) => {
            out.u1(8);
            out.u2(pc);
        }
    }
}
