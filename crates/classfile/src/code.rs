//! The code of a method: its instructions and the tables that point into them.

use crate::annotation::{TypeAnnotation, TypeTarget};
use crate::attribute::{Attribute, AttributeValue, LineNumber, Place, parse_attributes, write_attributes};
use crate::bytes::{Put, Reader};
use crate::constant::{Constant, Index, Kind, kind};
use crate::constant_pool::ConstantPool;
use crate::decode::{PLAIN_LENGTHS, decode};
use crate::error::{Overflow, ParseError, ParseErrorKind};
use crate::instruction::{Instruction, InvokeOp, Pc};
use crate::stack_map::{Frame, VerificationType};
use std::borrow::Cow;

/// The body of a method.
///
/// It keeps its instructions as bytes and reads them as typed values on the way. That they are
/// instructions, that they name constants of the right kind and that jumps, handlers and frames point at
/// instructions was checked when the code was made, so reading them cannot fail.
#[derive(Clone, PartialEq, Debug)]
pub struct Code<'a> {
    /// How many slots the operand stack may take.
    pub max_stack: u16,
    /// How many slots the local variables take.
    pub max_locals: u16,
    pub(crate) bytes: Cow<'a, [u8]>,
    /// The exception table: the first entry that covers an instruction and catches the class is taken.
    pub handlers: Vec<Handler>,
    /// Line numbers, local variables, frames and the like.
    pub attributes: Vec<Attribute<'a>>,
}

/// An entry of the exception table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handler {
    /// The first instruction that is covered.
    pub start: Pc,
    /// The first instruction after those.
    pub end: Pc,
    /// Where the handler begins.
    pub handler: Pc,
    /// What is caught; None catches everything.
    pub catch: Option<Index<kind::Class>>,
}

/// An instruction with its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Placed {
    /// Where it starts.
    pub pc: Pc,
    /// How many bytes it takes.
    pub length: u16,
    /// What it is.
    pub instruction: Instruction,
}

impl<'a> Code<'a> {
    /// The instructions as bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The instructions in order.
    pub fn instructions(&self) -> Instructions<'_> {
        Instructions { code: &self.bytes, pc: 0 }
    }

    /// The instruction at `pc`, which must be the start of one.
    pub fn instruction_at(&self, pc: Pc) -> Placed {
        let (instruction, length) = decode(&self.bytes, pc).expect("internal bug: no instruction starts there");
        Placed { pc, length: length as u16, instruction }
    }

    /// The frames of the `StackMapTable`; empty where there is none.
    pub fn frames(&self) -> &[Frame] {
        let frames = |a: &'_ Attribute<'_>| matches!(a.value, AttributeValue::StackMapTable(_));
        match self.attributes.iter().find(|a| frames(a)) {
            Some(Attribute { value: AttributeValue::StackMapTable(frames), .. }) => frames,
            _ => &[],
        }
    }

    /// All line numbers; the entries may stand in several tables.
    pub fn line_numbers(&self) -> impl Iterator<Item = LineNumber> {
        let tables = self.attributes.iter().filter_map(|a| match &a.value {
            AttributeValue::LineNumberTable(lines) => Some(lines.iter().copied()),
            _ => None,
        });
        tables.flatten()
    }

    /// The source line of the instruction at `pc`, if it is known.
    pub fn line_at(&self, pc: Pc) -> Option<u16> {
        self.line_numbers().filter(|entry| entry.start <= pc).max_by_key(|entry| entry.start).map(|entry| entry.line)
    }

    pub(crate) fn parse(r: &mut Reader<'a>, constants: &ConstantPool<'a>) -> Result<Self, ParseError> {
        let (max_stack, max_locals) = (r.u2()?, r.u2()?);
        let length = r.u4()? as usize;
        if length == 0 || length > u16::MAX as usize {
            return Err(r.error(ParseErrorKind::Code("code is 1 to 65,535 bytes long")));
        }
        let at = r.offset();
        let bytes = r.bytes(length)?;
        let starts = check_instructions(bytes, constants, at)?;
        let handlers = r.table(8, |r| {
            let handler =
                Handler { start: r.u2()?, end: r.u2()?, handler: r.u2()?, catch: constants.read_optional(r)? };
            let fine = handler.start < handler.end
                && starts.has(handler.start)
                && starts.has(handler.handler)
                && (starts.has(handler.end) || handler.end as usize == length);
            if fine { Ok(handler) } else { Err(r.error(ParseErrorKind::Code("malformed exception table"))) }
        })?;
        let attributes = parse_attributes(r, constants, Place::Code { length })?;
        let code = Code { max_stack, max_locals, bytes: Cow::Borrowed(bytes), handlers, attributes };
        code.check_tables(&starts).map_err(|kind| ParseError { offset: at, kind })?;
        Ok(code)
    }

    /// Checks that frames stand at instructions, and that tables for debuggers stay inside the code.
    fn check_tables(&self, starts: &Starts) -> Result<(), ParseErrorKind> {
        let length = self.bytes.len() as u32;
        let mut frame_tables = 0;
        let is_new = |pc: Pc| starts.has(pc) && self.bytes[pc as usize] == NEW;
        for attribute in &self.attributes {
            match &attribute.value {
                AttributeValue::StackMapTable(frames) => {
                    frame_tables += 1;
                    let mut next = 0u32;
                    for frame in frames {
                        if frame.types().any(|t| matches!(t, VerificationType::Uninitialized(pc) if !is_new(*pc))) {
                            return Err(ParseErrorKind::Attribute("StackMapTable"));
                        }
                        let pc = next + frame.offset_delta as u32;
                        if pc >= length || !starts.has(pc as Pc) {
                            return Err(ParseErrorKind::NoInstruction(pc));
                        }
                        next = pc + 1;
                    }
                }
                AttributeValue::TypeAnnotations { annotations, .. } => {
                    let inside = |annotation: &TypeAnnotation| match &annotation.target {
                        TypeTarget::LocalVariable(ranges) => {
                            ranges.iter().all(|range| range.start as u32 + range.length as u32 <= length)
                        }
                        TypeTarget::Offset(pc) | TypeTarget::TypeArgument { offset: pc, .. } => (*pc as u32) < length,
                        _ => true,
                    };
                    if !annotations.iter().all(inside) {
                        return Err(ParseErrorKind::Attribute("type annotation"));
                    }
                }
                AttributeValue::LineNumberTable(lines) if lines.iter().any(|l| l.start as u32 >= length) => {
                    return Err(ParseErrorKind::Attribute("LineNumberTable"));
                }
                AttributeValue::LocalVariableTable(variables) | AttributeValue::LocalVariableTypeTable(variables)
                    if variables.iter().any(|v| v.start as u32 + v.length as u32 > length) =>
                {
                    return Err(ParseErrorKind::Attribute("LocalVariableTable"));
                }
                _ => {}
            }
        }
        if frame_tables > 1 { Err(ParseErrorKind::Attribute("second StackMapTable")) } else { Ok(()) }
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Result<(), Overflow> {
        out.u2(self.max_stack);
        out.u2(self.max_locals);
        out.u4(self.bytes.len() as u32);
        out.extend_from_slice(&self.bytes);
        out.table("exception handlers", &self.handlers, |out, handler| {
            out.u2(handler.start);
            out.u2(handler.end);
            out.u2(handler.handler);
            out.u2(handler.catch.map_or(0, Index::raw));
        })?;
        write_attributes(&self.attributes, out)
    }
}

/// The opcode of `new`.
const NEW: u8 = 187;

/// Reads one instruction after the other.
#[derive(Clone, Debug)]
pub struct Instructions<'c> {
    code: &'c [u8],
    pc: usize,
}

impl Iterator for Instructions<'_> {
    type Item = Placed;

    #[inline]
    fn next(&mut self) -> Option<Placed> {
        if self.pc >= self.code.len() {
            return None;
        }
        let pc = self.pc as Pc;
        let (instruction, length) = decode(self.code, pc).expect("internal bug: code is checked when it is made");
        self.pc += length;
        Some(Placed { pc, length: length as u16, instruction })
    }
}

/// The offsets at which instructions start: a bit each.
struct Starts(Vec<u64>);

impl Starts {
    #[inline]
    fn has(&self, pc: Pc) -> bool {
        self.0.get(pc as usize / 64).is_some_and(|bits| bits >> (pc % 64) & 1 == 1)
    }
}

fn check_instructions(bytes: &[u8], constants: &ConstantPool<'_>, offset: usize) -> Result<Starts, ParseError> {
    let mut starts = Starts(vec![0; bytes.len().div_ceil(64)]);
    let mut targets: Vec<(Pc, Pc)> = Vec::new();
    let mut pc = 0;
    while pc < bytes.len() {
        starts.0[pc / 64] |= 1 << (pc % 64);
        // In half of all instructions there is nothing to check.
        let length = PLAIN_LENGTHS[bytes[pc] as usize] as usize;
        if length > 0 && length <= bytes.len() - pc {
            pc += length;
            continue;
        }
        let at = |kind| ParseError { offset: offset + pc, kind };
        let (instruction, length) = decode(bytes, pc as Pc).map_err(at)?;
        check_constants(&instruction, constants).map_err(at)?;
        instruction.for_each_target(|target| targets.push((pc as Pc, target)));
        pc += length;
    }
    for (pc, target) in targets {
        if !starts.has(target) {
            let kind = ParseErrorKind::NoInstruction(target as u32);
            return Err(ParseError { offset: offset + pc as usize, kind });
        }
    }
    Ok(starts)
}

/// Checks that the constants that an instruction names are there and of the right kind.
#[inline]
fn check_constants(instruction: &Instruction, constants: &ConstantPool<'_>) -> Result<(), ParseErrorKind> {
    fn is<K: Kind>(constants: &ConstantPool<'_>, index: Index<K>) -> Result<(), ParseErrorKind> {
        let found = constants.index::<K>(index.raw());
        found.map(drop).ok_or(ParseErrorKind::Constant { index: index.raw(), expected: K::NAME })
    }
    match *instruction {
        Instruction::Ldc(constant) | Instruction::Ldc2(constant) => {
            is(constants, constant)?;
            let wide = matches!(instruction, Instruction::Ldc2(_));
            if is_wide(constants, constant) == wide {
                Ok(())
            } else {
                Err(ParseErrorKind::Code("ldc and ldc2_w load constants of one and of two slots"))
            }
        }
        Instruction::Field(_, field) => is(constants, field),
        Instruction::Invoke(op, method) => {
            is(constants, method)?;
            let wrong = match op {
                InvokeOp::Virtual => constants.is_interface_method(method),
                InvokeOp::Interface => !constants.is_interface_method(method),
                InvokeOp::Special | InvokeOp::Static => false,
            };
            if wrong {
                let expected = "a method of the right kind";
                return Err(ParseErrorKind::Constant { index: method.raw(), expected });
            }
            Ok(())
        }
        Instruction::InvokeDynamic(site) => is(constants, site),
        Instruction::New(class)
        | Instruction::NewReferenceArray(class)
        | Instruction::NewMultiArray { class, .. }
        | Instruction::CheckCast(class)
        | Instruction::InstanceOf(class) => is(constants, class),
        _ => Ok(()),
    }
}

/// Whether a loadable constant takes two slots.
pub(crate) fn is_wide(constants: &ConstantPool<'_>, index: Index<kind::Loadable>) -> bool {
    match constants.get(index.raw()) {
        Some(Constant::Dynamic { name_and_type, .. }) => {
            matches!(constants.name_and_type(name_and_type).1.as_bytes(), b"J" | b"D")
        }
        Some(constant) => constant.is_wide(),
        None => false,
    }
}
