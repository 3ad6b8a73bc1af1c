//! Numbers that the code of a class mentions: where it compares, divides or shifts by one, it does another thing on the
//! other side of it.

use std::collections::BTreeSet;

use classfile::{ClassFile, Constant, Instruction, Operator};

/// Larger ones make long executions.
const LARGEST: i64 = 1 << 8;
/// Up to here numbers are usual, and every test has some.
const USUAL: i64 = 3;

/// Where a number is cut into parts of a size, there may be room for so many parts at first.
const PARTS: [i64; 3] = [1, 2, 4];

/// Numbers worth passing: those of the code with their neighbours, and of what is cut into parts of one size, by a shift or
/// a division, the first numbers of later parts.
pub fn of(file: &ClassFile<'_>) -> Vec<i64> {
    let mut found = BTreeSet::new();
    for code in file.methods.iter().filter_map(|method| method.code()) {
        let instructions: Vec<Instruction> = code.instructions().map(|placed| placed.instruction).collect();
        for (at, instruction) in instructions.iter().enumerate() {
            let number = match instruction {
                Instruction::Int(number) => i64::from(*number),
                Instruction::Ldc(constant) | Instruction::Ldc2(constant) => match file.constants.get(constant.raw()) {
                    Some(Constant::Integer(number)) => number.into(),
                    Some(Constant::Long(number)) => number,
                    _ => continue,
                },
                _ => continue,
            };
            let size = match instructions.get(at + 1) {
                Some(Instruction::Operate(by)) if shifts(*by) => 1_i64.checked_shl(number as u32),
                Some(Instruction::Operate(by)) if divides(*by) => Some(number),
                _ => None,
            };
            let parts = size.into_iter().flat_map(|size| PARTS.map(|parts| size.saturating_mul(parts)));
            let is_wanted = |number: &i64| (USUAL + 1..=LARGEST).contains(number);
            for number in parts.chain([number]).filter(is_wanted) {
                found.extend([number - 1, number, number + 1]);
            }
        }
    }
    found.into_iter().collect()
}

fn shifts(operator: Operator) -> bool {
    matches!(
        operator,
        Operator::Ishl | Operator::Lshl | Operator::Ishr | Operator::Lshr | Operator::Iushr | Operator::Lushr
    )
}

fn divides(operator: Operator) -> bool {
    matches!(operator, Operator::Idiv | Operator::Ldiv | Operator::Irem | Operator::Lrem)
}
