//! From bytes to an [`Instruction`].

use crate::constant::Index;
use crate::error::ParseErrorKind;
use crate::instruction::*;

/// Reads the instruction at `pc`; also gives its length in bytes.
///
/// It trusts nothing: any bytes give an instruction or an error. What it does not check is whether
/// constants are there and of the right kind, and whether jumps land on instructions;
/// [`Code`](crate::Code) does that once, when a class file is read.
#[inline]
pub fn decode(code: &[u8], pc: Pc) -> Result<(Instruction, usize), ParseErrorKind> {
    let at = Operands { code: code.get(pc as usize..).unwrap_or_default(), pc };
    let opcode = at.u1(0)?;
    Ok(match opcode {
        0 => (Instruction::Nop, 1),
        1 => (Instruction::Null, 1),
        2..=8 => (Instruction::Int(opcode as i16 - 3), 1),
        9 | 10 => (Instruction::Long(opcode - 9), 1),
        11..=13 => (Instruction::Float(opcode - 11), 1),
        14 | 15 => (Instruction::Double(opcode - 14), 1),
        16 => (Instruction::Int(at.u1(1)? as i8 as i16), 2),
        17 => (Instruction::Int(at.u2(1)? as i16), 3),
        18 => (Instruction::Ldc(index(at.u1(1)? as u16)?), 2),
        19 => (Instruction::Ldc(index(at.u2(1)?)?), 3),
        20 => (Instruction::Ldc2(index(at.u2(1)?)?), 3),
        21..=25 => (Instruction::Load(value_type(opcode - 21), at.u1(1)? as u16), 2),
        26..=45 => (Instruction::Load(value_type((opcode - 26) / 4), (opcode as u16 - 26) % 4), 1),
        46..=53 => (Instruction::ArrayLoad(array_type(opcode - 46)), 1),
        54..=58 => (Instruction::Store(value_type(opcode - 54), at.u1(1)? as u16), 2),
        59..=78 => (Instruction::Store(value_type((opcode - 59) / 4), (opcode as u16 - 59) % 4), 1),
        79..=86 => (Instruction::ArrayStore(array_type(opcode - 79)), 1),
        132 => (Instruction::Increment { slot: at.u1(1)? as u16, by: at.u1(2)? as i8 as i16 }, 3),
        167 => (Instruction::Goto(at.short_target()?), 3),
        168 => (Instruction::Jsr(at.short_target()?), 3),
        169 => (Instruction::Ret(at.u1(1)? as u16), 2),
        170 => at.table_switch()?,
        171 => at.lookup_switch()?,
        172..=176 => (Instruction::Return(Some(value_type(opcode - 172))), 1),
        177 => (Instruction::Return(None), 1),
        185 => {
            // The count of argument slots repeats what the descriptor says; a zero byte follows.
            at.u1(4)?;
            (Instruction::Invoke(InvokeOp::Interface, index(at.u2(1)?)?), 5)
        }
        186 => {
            at.u1(4)?;
            (Instruction::InvokeDynamic(index(at.u2(1)?)?), 5)
        }
        187 => (Instruction::New(index(at.u2(1)?)?), 3),
        188 => {
            let element = PrimitiveType::from_code(at.u1(1)?).ok_or(ParseErrorKind::Code("unknown array type"))?;
            (Instruction::NewArray(element), 2)
        }
        189 => (Instruction::NewReferenceArray(index(at.u2(1)?)?), 3),
        190 => (Instruction::ArrayLength, 1),
        191 => (Instruction::Throw, 1),
        192 => (Instruction::CheckCast(index(at.u2(1)?)?), 3),
        193 => (Instruction::InstanceOf(index(at.u2(1)?)?), 3),
        194 => (Instruction::MonitorEnter, 1),
        195 => (Instruction::MonitorExit, 1),
        196 => at.wide()?,
        197 => {
            let dimensions = at.u1(3)?;
            if dimensions == 0 {
                return Err(ParseErrorKind::Code("an array without dimensions"));
            }
            (Instruction::NewMultiArray { class: index(at.u2(1)?)?, dimensions }, 4)
        }
        200 => (Instruction::Goto(at.target(at.i4(1)?)?), 5),
        201 => (Instruction::Jsr(at.target(at.i4(1)?)?), 5),
        87..=95 => (Instruction::Stack(known(StackOp::from_code(opcode))), 1),
        96..=131 | 133..=152 => (Instruction::Operate(known(Operator::from_code(opcode))), 1),
        153..=166 | 198 | 199 => (Instruction::If(known(Condition::from_code(opcode)), at.short_target()?), 3),
        178..=181 => (Instruction::Field(known(FieldOp::from_code(opcode)), index(at.u2(1)?)?), 3),
        182..=184 => (Instruction::Invoke(known(InvokeOp::from_code(opcode)), index(at.u2(1)?)?), 3),
        202.. => return Err(ParseErrorKind::Opcode(opcode)),
    })
}

/// The lengths of instructions whose operands, if any, are not to be checked: any bytes will do. Zero for
/// other opcodes.
pub(crate) const PLAIN_LENGTHS: [u8; 256] = {
    let mut lengths = [0; 256];
    let mut opcode = 0;
    while opcode < 256 {
        lengths[opcode] = match opcode {
            0..=15 | 26..=53 | 59..=131 | 133..=152 | 172..=177 | 190 | 191 | 194 | 195 => 1,
            16 | 21..=25 | 54..=58 | 169 => 2,
            17 | 132 => 3,
            _ => 0,
        };
        opcode += 1;
    }
    lengths
};

/// How many bytes of padding follow a switch opcode at `pc`.
pub(crate) fn switch_padding(pc: u32) -> usize {
    (3 - pc % 4) as usize
}

fn index<K>(raw: u16) -> Result<Index<K>, ParseErrorKind> {
    Index::unchecked(raw).ok_or(ParseErrorKind::Constant { index: 0, expected: "there" })
}

#[inline]
fn value_type(code: u8) -> ValueType {
    known(ValueType::from_code(code))
}

#[inline]
fn array_type(code: u8) -> ArrayType {
    known(ArrayType::from_code(code))
}

/// What an opcode in one of the ranges of [`decode`] means.
#[inline]
fn known<T>(operation: Option<T>) -> T {
    operation.expect("internal bug: the ranges are those of the operations")
}

/// The bytes from an opcode on.
struct Operands<'c> {
    code: &'c [u8],
    pc: Pc,
}

impl Operands<'_> {
    #[inline]
    fn bytes<const N: usize>(&self, at: usize) -> Result<[u8; N], ParseErrorKind> {
        let ends = ParseErrorKind::Code("the code ends inside an instruction");
        self.code.get(at..).and_then(|rest| rest.first_chunk()).copied().ok_or(ends)
    }

    #[inline]
    fn u1(&self, at: usize) -> Result<u8, ParseErrorKind> {
        self.bytes(at).map(u8::from_be_bytes)
    }

    #[inline]
    fn u2(&self, at: usize) -> Result<u16, ParseErrorKind> {
        self.bytes(at).map(u16::from_be_bytes)
    }

    #[inline]
    fn i4(&self, at: usize) -> Result<i32, ParseErrorKind> {
        self.bytes(at).map(i32::from_be_bytes)
    }

    #[inline]
    fn short_target(&self) -> Result<Pc, ParseErrorKind> {
        self.target(self.u2(1)? as i16 as i32)
    }

    #[inline]
    fn target(&self, offset: i32) -> Result<Pc, ParseErrorKind> {
        let target = self.pc as i64 + offset as i64;
        Pc::try_from(target).map_err(|_| ParseErrorKind::Code("a jump leaves the method"))
    }

    fn table_switch(&self) -> Result<(Instruction, usize), ParseErrorKind> {
        let at = 1 + switch_padding(self.pc as u32);
        let default = self.target(self.i4(at)?)?;
        let (low, high) = (self.i4(at + 4)?, self.i4(at + 8)?);
        if low > high {
            return Err(ParseErrorKind::Code("a switch with low above high"));
        }
        let end = at as i64 + 12 + 4 * (high as i64 - low as i64 + 1);
        if end > self.code.len() as i64 {
            return Err(ParseErrorKind::Code("the code ends inside an instruction"));
        }
        let targets =
            (at + 12..end as usize).step_by(4).map(|at| self.target(self.i4(at)?)).collect::<Result<_, _>>()?;
        Ok((Instruction::TableSwitch(Box::new(TableSwitch { default, low, targets })), end as usize))
    }

    fn lookup_switch(&self) -> Result<(Instruction, usize), ParseErrorKind> {
        let at = 1 + switch_padding(self.pc as u32);
        let (default, pairs) = (self.target(self.i4(at)?)?, self.i4(at + 4)?);
        let end = at as i64 + 8 + 8 * pairs as i64;
        if pairs < 0 || end > self.code.len() as i64 {
            return Err(ParseErrorKind::Code("the code ends inside an instruction"));
        }
        let pair = |at| Ok((self.i4(at)?, self.target(self.i4(at + 4)?)?));
        let targets = (at + 8..end as usize).step_by(8).map(pair).collect::<Result<Vec<_>, _>>()?;
        if !targets.is_sorted_by(|a, b| a.0 < b.0) {
            return Err(ParseErrorKind::Code("a switch with unsorted keys"));
        }
        Ok((Instruction::LookupSwitch(Box::new(LookupSwitch { default, targets })), end as usize))
    }

    fn wide(&self) -> Result<(Instruction, usize), ParseErrorKind> {
        let slot = self.u2(2)?;
        Ok(match self.u1(1)? {
            load @ 21..=25 => (Instruction::Load(value_type(load - 21), slot), 4),
            store @ 54..=58 => (Instruction::Store(value_type(store - 54), slot), 4),
            169 => (Instruction::Ret(slot), 4),
            132 => (Instruction::Increment { slot, by: self.u2(4)? as i16 }, 6),
            _ => return Err(ParseErrorKind::Code("wide before an instruction that has no wide form")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_instructions_take_any_operands() {
        for opcode in 0..=255 {
            let length = PLAIN_LENGTHS[opcode as usize] as usize;
            for operand in [0, 1, 0x7f, 0xff] {
                let mut code = [operand; 3];
                code[0] = opcode;
                match decode(&code[..length.max(1)], 0) {
                    Ok((instruction, decoded)) => {
                        assert_eq!(decoded, length, "{instruction:?}");
                        instruction.for_each_target(|target| panic!("{instruction:?} names {target}"));
                    }
                    Err(_) => assert_eq!(length, 0, "opcode {opcode}"),
                }
            }
        }
    }
}
