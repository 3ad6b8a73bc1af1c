//! Frames as they are told: each by its difference from the one before.
//!
//! A difference is found at once and kept instead of the types, so that a method with many frames of many
//! locals takes no more memory than its class file does.

use crate::constant_pool::ConstantPool;
use crate::edit::EditError;
use crate::instruction::Pc;
use crate::java_str::JavaStr;
use crate::stack_map::{Frame, FrameKind, FullFrame, VerificationType};
use crate::type_state::{Made, NotTypable, SlotType, TypeState};

/// Frames in the order of their places.
#[derive(Debug, Default)]
pub(crate) struct Drafts {
    drafts: Vec<Draft>,
    /// The locals at the last place, and at the one before it.
    last: Vec<SlotType>,
    before: Vec<SlotType>,
}

#[derive(Debug)]
struct Draft {
    at: Pc,
    change: Change,
}

/// As [`FrameKind`], with types by name.
#[derive(Debug)]
enum Change {
    Same,
    SameWithStack(SlotType),
    Chop(u8),
    Append(Vec<SlotType>),
    Full(TypeState),
}

impl Drafts {
    /// No frames yet in a method that is entered with these types.
    pub(crate) fn from_entry(types: &TypeState) -> Self {
        Drafts { last: used(&types.locals).to_vec(), ..Drafts::default() }
    }

    /// Adds a frame. Places come in order; one that comes again replaces what was told of it, because a
    /// later telling knows of more ways there.
    pub(crate) fn push(&mut self, at: Pc, types: &TypeState) {
        if self.drafts.last().is_some_and(|draft| draft.at == at) {
            self.drafts.pop();
            self.last.clone_from(&self.before);
        }
        let locals = used(&types.locals);
        let change = difference(&self.last, locals, types);
        self.before = std::mem::replace(&mut self.last, locals.to_vec());
        self.drafts.push(Draft { at, change });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.drafts.is_empty()
    }

    /// The frames; `place` finds where the `new` of an uninitialized object went.
    pub(crate) fn tell(
        self,
        constants: &mut ConstantPool<'_>,
        place: &impl Fn(Pc) -> Pc,
    ) -> Result<Vec<Frame>, EditError> {
        let mut next = 0u32;
        let mut frames = Vec::with_capacity(self.drafts.len());
        for Draft { at, change } in self.drafts {
            let mut entries = |slots: &[SlotType]| entries(slots, constants, place);
            let kind = match change {
                Change::Same => FrameKind::Same { long: false },
                Change::SameWithStack(top) => FrameKind::SameWithStack { long: false, stack: entries(&[top])?[0] },
                Change::Chop(count) => FrameKind::Chop(count),
                Change::Append(slots) => FrameKind::Append(entries(&slots)?.into()),
                Change::Full(types) => FrameKind::Full(Box::new(FullFrame {
                    locals: entries(&types.locals)?,
                    stack: entries(&types.stack)?,
                })),
            };
            frames.push(Frame { offset_delta: (at as u32 - next) as u16, kind });
            next = at as u32 + 1;
        }
        Ok(frames)
    }
}

/// The locals up to the last that can be used.
fn used(locals: &[SlotType]) -> &[SlotType] {
    let end = locals.iter().rposition(|local| *local != SlotType::Top).map_or(0, |last| last + 1);
    &locals[..end]
}

fn difference(before: &[SlotType], locals: &[SlotType], types: &TypeState) -> Change {
    let count = |slots: &[SlotType]| slots.iter().filter(|slot| **slot != SlotType::Half).count();
    match &types.stack[..] {
        [] if locals == before => Change::Same,
        [] => match (before.strip_prefix(locals), locals.strip_prefix(before)) {
            (Some(gone), _) if count(gone) <= 3 => Change::Chop(count(gone) as u8),
            (_, Some(more)) if count(more) <= 3 => Change::Append(more.to_vec()),
            _ => full(locals, types),
        },
        [top] | [top, SlotType::Half] if locals == before => Change::SameWithStack(top.clone()),
        _ => full(locals, types),
    }
}

fn full(locals: &[SlotType], types: &TypeState) -> Change {
    Change::Full(TypeState { locals: locals.to_vec(), stack: types.stack.clone() })
}

/// Slots as entries of a frame.
fn entries(
    slots: &[SlotType],
    constants: &mut ConstantPool<'_>,
    place: &impl Fn(Pc) -> Pc,
) -> Result<Vec<VerificationType>, EditError> {
    let mut entries = Vec::new();
    for slot in slots {
        entries.push(match slot {
            SlotType::Half => continue,
            SlotType::Top => VerificationType::Top,
            SlotType::Int => VerificationType::Int,
            SlotType::Float => VerificationType::Float,
            SlotType::Long => VerificationType::Long,
            SlotType::Double => VerificationType::Double,
            SlotType::Null => VerificationType::Null,
            SlotType::UninitializedThis => VerificationType::UninitializedThis,
            SlotType::Uninitialized(Made::At(pc)) => VerificationType::Uninitialized(place(*pc)),
            SlotType::Uninitialized(Made::New(_)) => return Err(NotTypable.into()),
            SlotType::Object(name) => VerificationType::Object(constants.add_class_name(JavaStr::checked(name))?),
        });
    }
    Ok(entries)
}
