//! The edited code as one stream of steps, in the order in which they will stand.
//!
//! Layout and frames both walk it, so they cannot disagree about what comes where.

use crate::code::{Code, Placed};
use crate::edit::{CodeEdit, Place, Wrap};
use crate::instruction::{Instruction, Pc};

/// One step of the stream.
pub(crate) enum Step<'s> {
    /// What pointed at this offset of the original code points here. The last one is the code's end.
    Label(Pc),
    /// What was inserted before the instruction at this offset ends; the instruction, or what replaces it,
    /// begins, with the code for leaving that may belong to it.
    Behind(Pc),
    /// An instruction of the original code.
    Original(&'s Placed),
    /// An instruction that was not there.
    New(&'s Instruction, Run),
    /// The original instruction at this place is gone: it would have been this one.
    Replaced(&'s Placed),
    /// A border of what the wrapping handler covers.
    Border(Border),
}

/// What a new instruction belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Run {
    /// An insertion before the instruction at this offset.
    Before(Pc),
    /// What replaces the instruction at this offset. The flag says whether that is a `new`.
    Instead { pc: Pc, of_new: bool },
    /// An insertion after the instruction at this offset.
    After(Pc),
    /// A part of a wrap.
    Wrap,
}

/// Borders of what a wrapping handler covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Border {
    /// The body begins.
    Body,
    /// Code for leaving begins; it ends with the next [`Border::Covered`].
    Leave,
    /// After a return.
    Covered,
    /// The body ends and the handler begins.
    Handler,
}

/// Visits the steps. Gives the offset of the first insertion that is not at an instruction.
pub(crate) fn for_each_step(code: &Code<'_>, edit: &CodeEdit, mut visit: impl FnMut(Step<'_>)) -> Option<Pc> {
    let wrap = edit.wrap.as_ref();
    if let Some(wrap) = wrap {
        wrap.enter.iter().for_each(|instruction| visit(Step::New(instruction, Run::Wrap)));
    }
    visit(Step::Border(Border::Body));
    let mut insertions = edit.insertions.iter().peekable();
    for placed in code.instructions() {
        let pc = placed.pc;
        visit(Step::Label(pc));
        let mut replaced = false;
        let mut original_done = false;
        let mut before = false;
        while let Some(&&insertion) = insertions.peek().filter(|insertion| insertion.pc == pc) {
            insertions.next();
            let run = match insertion.place {
                Place::Before => Run::Before(pc),
                Place::Instead => Run::Instead { pc, of_new: matches!(placed.instruction, Instruction::New(_)) },
                Place::After => Run::After(pc),
            };
            if insertion.place != Place::Before && std::mem::take(&mut before) {
                visit(Step::Behind(pc));
            }
            before |= insertion.place == Place::Before;
            if insertion.place == Place::After && !original_done {
                end_of_original(&placed, replaced, wrap, &mut visit);
                original_done = true;
            }
            replaced |= insertion.place == Place::Instead;
            for instruction in edit.run(insertion) {
                around_return(instruction, wrap, &mut visit, |visit| visit(Step::New(instruction, run)));
            }
        }
        if before {
            visit(Step::Behind(pc));
        }
        if !original_done {
            end_of_original(&placed, replaced, wrap, &mut visit);
        }
    }
    visit(Step::Label(code.bytes().len() as Pc));
    visit(Step::Border(Border::Handler));
    if let Some(wrap) = wrap {
        wrap.catch.iter().for_each(|instruction| visit(Step::New(instruction, Run::Wrap)));
        if wrap.catch.last().is_none_or(Instruction::falls_through) {
            visit(Step::New(&Instruction::Throw, Run::Wrap));
        }
    }
    // Insertions are sorted, so one that no instruction took is still first in line.
    insertions.peek().map(|insertion| insertion.pc)
}

fn end_of_original(placed: &Placed, replaced: bool, wrap: Option<&Wrap>, visit: &mut impl FnMut(Step<'_>)) {
    if replaced {
        visit(Step::Replaced(placed));
    } else {
        around_return(&placed.instruction, wrap, visit, |visit| visit(Step::Original(placed)));
    }
}

/// Puts the code for leaving before a return.
fn around_return<V: FnMut(Step<'_>)>(
    instruction: &Instruction,
    wrap: Option<&Wrap>,
    visit: &mut V,
    step: impl FnOnce(&mut V),
) {
    match (instruction, wrap) {
        (Instruction::Return(_), Some(wrap)) => {
            visit(Step::Border(Border::Leave));
            wrap.leave.iter().for_each(|instruction| visit(Step::New(instruction, Run::Wrap)));
            step(visit);
            visit(Step::Border(Border::Covered));
        }
        _ => step(visit),
    }
}
