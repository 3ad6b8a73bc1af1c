//! Carries the tables of a method's code along with its instructions.

use crate::annotation::{LocalRange, TypeTarget};
use crate::attribute::{Attribute, AttributeValue};
use crate::code::Handler;
use crate::instruction::Pc;
use crate::layout::Layout;

pub(crate) fn relocate_handler(handler: &Handler, layout: &Layout) -> Handler {
    Handler {
        start: layout.label(handler.start),
        end: layout.label(handler.end),
        handler: layout.label(handler.handler),
        catch: handler.catch,
    }
}

/// All tables but the frames.
pub(crate) fn relocate_tables(attributes: &mut [Attribute<'_>], layout: &Layout) {
    for attribute in attributes {
        match &mut attribute.value {
            AttributeValue::LineNumberTable(lines) => {
                lines.iter_mut().for_each(|entry| entry.start = layout.label(entry.start));
            }
            AttributeValue::LocalVariableTable(variables) | AttributeValue::LocalVariableTypeTable(variables) => {
                for variable in variables {
                    (variable.start, variable.length) = relocate_range(variable.start, variable.length, layout);
                }
            }
            AttributeValue::TypeAnnotations { annotations, .. } => {
                annotations.iter_mut().for_each(|annotation| relocate_target(&mut annotation.target, layout));
            }
            _ => {}
        }
    }
}

fn relocate_target(target: &mut TypeTarget, layout: &Layout) {
    match target {
        TypeTarget::LocalVariable(ranges) => {
            for LocalRange { start, length, .. } in ranges {
                (*start, *length) = relocate_range(*start, *length, layout);
            }
        }
        // These mean one instruction, not what stands before it.
        TypeTarget::Offset(pc) | TypeTarget::TypeArgument { offset: pc, .. } => *pc = layout.exact(*pc),
        // Handlers are only ever added at the end of their table, so a Catch keeps its number.
        _ => {}
    }
}

fn relocate_range(start: Pc, length: u16, layout: &Layout) -> (Pc, u16) {
    let (from, to) = (layout.label(start), layout.label(start + length));
    (from, to - from)
}
