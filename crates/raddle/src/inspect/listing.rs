//! The instructions of a method, with their operands resolved.

use std::borrow::Cow;

use classfile::{ClassFile, Code, Instruction, Pc, Placed};

use super::mnemonic::mnemonic;
use super::{constant, spelling};

/// The code of a method, ready to be written.
#[derive(Debug)]
pub struct Listing {
    pub rows: Vec<Row>,
    pub handlers: Vec<HandlerRow>,
}

/// An instruction.
#[derive(Debug)]
pub struct Row {
    /// The source line, where it is not that of the instruction before.
    pub line: Option<u16>,
    pub pc: Pc,
    pub mnemonic: Cow<'static, str>,
    pub operand: String,
    /// What does not fit on the instruction's own line: the cases of a switch, a bootstrap method.
    pub more: Vec<String>,
}

/// An entry of the exception table.
#[derive(Debug)]
pub struct HandlerRow {
    pub start: Pc,
    /// The first instruction that is not covered.
    pub end: Pc,
    pub handler: Pc,
    /// The class that is caught, or `any`.
    pub catches: String,
}

impl Listing {
    /// Lists the code of a method of `class`.
    pub fn of(class: &ClassFile<'_>, code: &Code<'_>) -> Listing {
        let mut lines: Vec<_> = code.line_numbers().map(|entry| (entry.start, entry.line)).collect();
        // Stable: of two entries for one offset, the last counts.
        lines.sort_by_key(|&(start, _)| start);
        let mut last = None;
        let rows = code.instructions().map(|placed| {
            let entries = lines.partition_point(|&(start, _)| start <= placed.pc);
            let line = entries.checked_sub(1).map(|entry| lines[entry].1);
            let shown = line.filter(|_| line != last);
            last = line;
            let (operand, more) = operands(class, &placed);
            Row { line: shown, pc: placed.pc, mnemonic: mnemonic(&placed), operand, more }
        });
        let rows = rows.collect();
        let handlers = code.handlers.iter().map(|handler| HandlerRow {
            start: handler.start,
            end: handler.end,
            handler: handler.handler,
            catches: match handler.catch {
                Some(caught) => spelling::class(class.constants.class_name(caught)),
                None => "any".to_owned(),
            },
        });
        Listing { rows, handlers: handlers.collect() }
    }
}

fn operands(class: &ClassFile<'_>, placed: &Placed) -> (String, Vec<String>) {
    let constants = &class.constants;
    let class_name = |index| spelling::class(constants.class_name(index));
    let operand = match &placed.instruction {
        Instruction::Int(_) | Instruction::Load(..) | Instruction::Store(..) if placed.length == 1 => String::new(),
        Instruction::Int(value) => value.to_string(),
        Instruction::Load(_, slot) | Instruction::Store(_, slot) | Instruction::Ret(slot) => slot.to_string(),
        Instruction::Increment { slot, by } => format!("{slot}, {by}"),
        Instruction::If(_, target) | Instruction::Goto(target) | Instruction::Jsr(target) => target.to_string(),
        Instruction::Field(_, field) => constant::member(constants.field(*field)),
        Instruction::Invoke(_, method) => constant::member(constants.method(*method)),
        Instruction::NewArray(element) => element.mnemonic().to_owned(),
        Instruction::NewMultiArray { class, dimensions } => format!("{}, {dimensions}", class_name(*class)),
        Instruction::New(class)
        | Instruction::NewReferenceArray(class)
        | Instruction::CheckCast(class)
        | Instruction::InstanceOf(class) => class_name(*class),
        Instruction::Ldc(index) | Instruction::Ldc2(index) => {
            let more = constant::bootstrap_of(class, *index).map(|number| constant::bootstrap(class, number));
            return (constant::loadable(class, *index), more.unwrap_or_default());
        }
        Instruction::InvokeDynamic(site) => {
            let (number, name, descriptor) = constants.call_site(*site);
            let site = format!("{}{}", spelling::plain(name), spelling::method_type(descriptor));
            return (site, constant::bootstrap(class, number));
        }
        Instruction::TableSwitch(switch) => {
            let keys = (i64::from(switch.low)..).zip(&switch.targets);
            return (String::new(), cases(keys.map(|(key, &target)| (key, target)), switch.default));
        }
        Instruction::LookupSwitch(switch) => {
            let keys = switch.targets.iter().map(|&(key, target)| (key.into(), target));
            return (String::new(), cases(keys, switch.default));
        }
        _ => String::new(),
    };
    (operand, Vec::new())
}

/// The cases of a switch, with their colons in one column.
fn cases(keys: impl Iterator<Item = (i64, Pc)>, default: Pc) -> Vec<String> {
    let named = keys.map(|(key, target)| (key.to_string(), target)).chain([("default".to_owned(), default)]);
    let named: Vec<_> = named.collect();
    let width = named.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
    named.into_iter().map(|(key, target)| format!("{key:>width$}: {target}")).collect()
}
