//! Arrays of the code under test that opaque methods read or write by instructions.
//!
//! The method tells of the elements when it is called, and then does all as one step.

use crate::hook_class::{HOOKS, TOUCH};
use classfile::{ClassFile, EditError, Instruction, InvokeOp, Operator, ValueType};
use schedule::EventKind;

/// Which elements of an array a method touches. Numbers are of the local variables that hold its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Touch {
    array: u16,
    kind: EventKind,
    range: Range,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Range {
    All,
    /// From the first, so many.
    Count {
        first: u16,
        count: u16,
    },
    /// From the first, as many as there are between two others.
    Between {
        first: u16,
        begin: u16,
        end: u16,
    },
}

/// What a method of an opaque class touches, if it is one of those that users pass their arrays to.
pub fn touched(class: &str, method: &str, descriptor: &str) -> Option<Touch> {
    let read = |array, range| Some(Touch { array, kind: EventKind::Read, range });
    match (class, method, descriptor) {
        ("java/lang/String", "<init>", "([C)V" | "([B)V") => read(1, Range::All),
        ("java/lang/String", "<init>", "([CII)V" | "([III)V" | "([BII)V") => {
            read(1, Range::Count { first: 2, count: 3 })
        }
        ("java/lang/String", "getChars", "(II[CI)V") | ("java/lang/String", "getBytes", "(II[BI)V") => {
            let range = Range::Between { first: 4, begin: 1, end: 2 };
            Some(Touch { array: 3, kind: EventKind::Write, range })
        }
        // Not those for the bytes of strings, which have other names.
        ("jdk/internal/util/ArraysSupport", "hashCode", _) if descriptor.starts_with("(I[") => {
            read(1, Range::Count { first: 2, count: 3 })
        }
        (
            "java/lang/invoke/MethodType",
            "methodType",
            "(Ljava/lang/Class;[Ljava/lang/Class;)Ljava/lang/invoke/MethodType;",
        ) => read(1, Range::All),
        ("java/lang/invoke/MethodType", "methodType", _) if descriptor.contains(";[Ljava/lang/Class;)") => {
            read(2, Range::All)
        }
        (
            "java/lang/invoke/MethodType",
            "appendParameterTypes",
            "([Ljava/lang/Class;)Ljava/lang/invoke/MethodType;",
        ) => read(1, Range::All),
        (
            "java/lang/invoke/MethodType",
            "insertParameterTypes",
            "(I[Ljava/lang/Class;)Ljava/lang/invoke/MethodType;",
        ) => read(2, Range::All),
        ("java/lang/invoke/LambdaMetafactory", "altMetafactory", _) => read(3, Range::All),
        ("java/lang/invoke/StringConcatFactory", "makeConcatWithConstants", _) => read(4, Range::All),
        ("java/lang/invoke/MethodHandles$Lookup", _, _)
            if method.starts_with("define") && descriptor.starts_with("([B") =>
        {
            read(1, Range::All)
        }
        _ => None,
    }
}

/// The instructions by which a method tells of what it touches, before anything else.
pub fn telling(class: &mut ClassFile<'_>, touch: Touch) -> Result<Vec<Instruction>, EditError> {
    let hook = class.constants.add_method(HOOKS, TOUCH.name, TOUCH.descriptor)?;
    let int = |slot| Instruction::Load(ValueType::Int, slot);
    let range = match touch.range {
        Range::All => vec![Instruction::Int(0), Instruction::Int(-1)],
        Range::Count { first, count } => vec![int(first), int(count)],
        Range::Between { first, begin, end } => {
            vec![int(first), int(end), int(begin), Instruction::Operate(Operator::Isub)]
        }
    };
    let mut told = vec![Instruction::Load(ValueType::Reference, touch.array)];
    told.extend(range);
    told.extend([Instruction::Int(touch.kind as i16), Instruction::Invoke(InvokeOp::Static, hook)]);
    Ok(told)
}
