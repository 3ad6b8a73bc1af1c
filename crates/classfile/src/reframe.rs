//! Frames for edited code.
//!
//! Mostly the old frames still hold, and only their distances change. Where an edit adds a local, a
//! handler, a jump to a place that had no frame, or splits a conditional jump that has become too long,
//! the types are followed through the edited code, and all frames are told anew.

use crate::attribute::{Attribute, AttributeValue};
use crate::code::Code;
use crate::constant::{Index, kind};
use crate::constant_pool::ConstantPool;
use crate::draft::Drafts;
use crate::edit::{CodeEdit, EditError};
use crate::instruction::{Instruction, Pc};
use crate::layout::Layout;
use crate::stack_map::{Frame, FrameKind, VerificationType};
use crate::stream::{Border, Run, Step, for_each_step};
use crate::type_state::{Made, MethodShape, NotTypable, SlotType, TypeState};

/// Java 6. Before it, the verifier infers types and class files hold no frames.
const FIRST_VERSION_WITH_FRAMES: u16 = 50;

/// The new frames.
pub(crate) struct Reframed {
    frames: Frames,
    /// Stretches of a constructor in which `this` is not initialized: no handler may cover them.
    pub(crate) not_covered: Vec<(Pc, Pc)>,
}

enum Frames {
    /// The old ones hold, at new distances.
    Shifted,
    /// All are told anew.
    Told { name: Index<kind::Utf8>, frames: Vec<Frame> },
}

pub(crate) fn reframe(
    code: &Code<'_>,
    edit: &CodeEdit,
    layout: &Layout,
    is_constructor: bool,
    shape: impl FnOnce(&ConstantPool<'_>) -> MethodShape,
    constants: &mut ConstantPool<'_>,
    major_version: u16,
) -> Result<Reframed, EditError> {
    let has_frames = major_version >= FIRST_VERSION_WITH_FRAMES;
    let afresh = has_frames
        && (layout.jumps.iter().any(|jump| jump.splits)
            || !edit.targets.is_empty()
            || !edit.locals.is_empty()
            || edit.wrap.is_some()
            || edit.ends_flow());
    let holes = edit.wrap.is_some() && is_constructor;
    let names_lost = |t: &VerificationType| matches!(t, VerificationType::Uninitialized(pc) if layout.is_lost(*pc));
    if code.frames().iter().any(|frame| frame.types().any(names_lost)) {
        return Err(EditError::NotTypable);
    }
    if !afresh && !holes {
        return Ok(Reframed { frames: Frames::Shifted, not_covered: Vec::new() });
    }
    let shape = &shape(constants);
    let Follower { frames, uninitialized, .. } = follow(code, edit, layout, shape, constants)?;
    let not_covered = if holes { uninitialized } else { Vec::new() };
    if !afresh {
        return Ok(Reframed { frames: Frames::Shifted, not_covered });
    }
    let name = constants.add_utf8("StackMapTable")?;
    let frames = frames.tell(constants, &|pc| layout.exact(pc))?;
    Ok(Reframed { frames: Frames::Told { name, frames }, not_covered })
}

impl Reframed {
    /// Puts the new frames where the old were.
    pub(crate) fn replace(self, attributes: &mut Vec<Attribute<'_>>, layout: &Layout) {
        let old = attributes.iter_mut().find_map(|attribute| match &mut attribute.value {
            AttributeValue::StackMapTable(frames) => Some(frames),
            _ => None,
        });
        match (self.frames, old) {
            (Frames::Shifted, Some(old)) => shift(old, layout),
            (Frames::Told { frames, .. }, Some(old)) => *old = frames,
            (Frames::Told { name, frames }, None) => {
                attributes.push(Attribute { name, value: AttributeValue::StackMapTable(frames) });
            }
            (Frames::Shifted, None) => {}
        }
    }
}

/// Puts the old frames at their new distances.
fn shift(frames: &mut [Frame], layout: &Layout) {
    let (mut old_next, mut new_next) = (0, 0);
    for frame in frames {
        let old = old_next + frame.offset_delta;
        let new = layout.label(old);
        frame.offset_delta = new - new_next;
        (old_next, new_next) = (old + 1, new + 1);
        for named in frame.types_mut() {
            if let VerificationType::Uninitialized(pc) = named {
                *pc = layout.exact(*pc);
            }
        }
    }
}

/// Follows the types through the edited code.
struct Follower<'f> {
    code: &'f Code<'f>,
    edit: &'f CodeEdit,
    layout: &'f Layout,
    shape: &'f MethodShape,
    constants: &'f ConstantPool<'f>,
    declared: Declared<'f>,
    /// How many jumps have been passed.
    jumps: usize,
    /// The types here; None where control does not come, as far as the code has told.
    state: Option<TypeState>,
    /// The types at the last label, where an edit may need them.
    at_label: Option<TypeState>,
    /// How many objects new instructions have made.
    made: u32,
    /// Whether something inserted here jumps over the rest of itself.
    skips: bool,
    /// What the code behind a replaced instruction relies on, if the replacement never goes on.
    unreached: Option<TypeState>,
    /// Types at places of the new code that need a frame.
    frames: Drafts,
    uninitialized: Vec<(Pc, Pc)>,
}

fn follow<'f>(
    code: &'f Code<'f>,
    edit: &'f CodeEdit,
    layout: &'f Layout,
    shape: &'f MethodShape,
    constants: &'f ConstantPool<'f>,
) -> Result<Follower<'f>, NotTypable> {
    let entry = TypeState::at_entry(shape);
    let mut follower = Follower {
        code,
        edit,
        layout,
        shape,
        constants,
        declared: Declared { frames: code.frames(), next: 0, types: entry.clone() },
        jumps: 0,
        frames: Drafts::from_entry(&entry),
        state: Some(entry),
        at_label: None,
        made: 0,
        skips: false,
        unreached: None,
        uninitialized: Vec::new(),
    };
    let mut result = Ok(());
    for_each_step(code, edit, |step| {
        if result.is_ok() {
            result = follower.step(step);
        }
    });
    result.map(|()| follower)
}

impl Follower<'_> {
    fn step(&mut self, step: Step<'_>) -> Result<(), NotTypable> {
        match step {
            Step::Label(pc) => self.label(pc)?,
            Step::Behind(pc) => self.behind_insertions(pc)?,
            Step::Original(placed) => self.instruction(&placed.instruction, Made::At(placed.pc))?,
            Step::New(instruction, run) => {
                self.made += 1;
                let made = match run {
                    Run::Instead { pc, of_new: true } => Made::At(pc),
                    _ => Made::New(self.made),
                };
                if let (Run::Before(pc), Instruction::If(_, target) | Instruction::Goto(target)) = (run, instruction) {
                    self.skips |= *target == pc;
                }
                self.instruction(instruction, made)?;
            }
            Step::Replaced(placed) if self.state.is_none() && placed.instruction.falls_through() => {
                let (class, constants, made) = (&self.shape.class, self.constants, Made::At(placed.pc));
                run(&mut self.at_label, &placed.instruction, made, class, constants)?;
                self.unreached = self.at_label.take();
            }
            Step::Border(Border::Handler) if self.edit.wrap.is_some() => {
                let mut types = TypeState::default();
                self.promise_locals(&mut types);
                let catches = self.edit.wrap.as_ref().and_then(|wrap| wrap.catches);
                let caught = catches.map(|class| self.constants.class_name(class).as_bytes().into());
                types.stack.push(caught.map_or_else(|| SlotType::object("java/lang/Throwable"), SlotType::Object));
                self.state = Some(types);
                self.frame(self.layout.handler())?;
            }
            Step::Replaced(_) | Step::Border(_) => {}
        }
        Ok(())
    }

    fn label(&mut self, pc: Pc) -> Result<(), NotTypable> {
        let at = self.layout.label(pc);
        if let Some((_, end)) = self.uninitialized.last_mut()
            && *end == OPEN
        {
            *end = at;
        }
        if pc as usize == self.code.bytes().len() {
            return Ok(());
        }
        let unreached = self.unreached.take();
        if let Some(declared) = self.declared.at(pc, self.constants) {
            let mut types = declared.clone();
            self.promise_locals(&mut types);
            self.state = Some(types);
            self.frame(at)?;
        } else if self.state.is_none() && unreached.is_some() {
            self.state = unreached;
            self.frame(at)?;
        } else if self.edit.targets.binary_search(&pc).is_ok() {
            self.frame(at)?;
        }
        let constructs = self.shape.is_constructor;
        if constructs && self.state.as_ref().is_some_and(TypeState::this_is_uninitialized) {
            self.uninitialized.push((at, OPEN));
        }
        self.skips = false;
        self.at_label = if self.edit.is_at(pc) { self.state.clone() } else { None };
        Ok(())
    }

    /// Comes to an instruction or its replacement, behind what was inserted before it. A frame is needed
    /// there if the insertion jumps there, or if it never goes on.
    fn behind_insertions(&mut self, pc: Pc) -> Result<(), NotTypable> {
        let cut_off = self.state.is_none() && self.at_label.is_some();
        if cut_off {
            self.state.clone_from(&self.at_label);
        }
        if cut_off || std::mem::take(&mut self.skips) {
            self.frame(self.layout.behind(pc))?;
        }
        Ok(())
    }

    fn instruction(&mut self, instruction: &Instruction, made: Made) -> Result<(), NotTypable> {
        run(&mut self.state, instruction, made, &self.shape.class, self.constants)?;
        if matches!(instruction, Instruction::If(..) | Instruction::Goto(_) | Instruction::Jsr(_)) {
            let jump = &self.layout.jumps[self.jumps];
            self.jumps += 1;
            // A conditional that was split jumps to what stands behind it.
            if jump.splits {
                self.frame(jump.next)?;
            }
        }
        Ok(())
    }

    /// Notes that a frame is needed here. There must be code to come.
    fn frame(&mut self, at: Pc) -> Result<(), NotTypable> {
        match &self.state {
            Some(types) if (at as usize) < self.layout.bytes.len() => {
                self.frames.push(at, types);
                Ok(())
            }
            _ => Err(NotTypable),
        }
    }

    /// The locals that the edit adds are set from the start.
    fn promise_locals(&self, types: &mut TypeState) {
        for &(slot, local) in &self.edit.locals {
            types.set_local(slot, SlotType::from_verification(local, self.constants));
        }
    }
}

/// The end of a stretch that is not known yet.
const OPEN: Pc = Pc::MAX;

fn run(
    state: &mut Option<TypeState>,
    instruction: &Instruction,
    made: Made,
    this_class: &[u8],
    constants: &ConstantPool<'_>,
) -> Result<(), NotTypable> {
    if let Some(types) = state {
        types.step(instruction, made, this_class, constants)?;
        if !instruction.falls_through() {
            *state = None;
        }
    }
    Ok(())
}

/// The old frames, one after the other.
struct Declared<'f> {
    /// Those that are still to come.
    frames: &'f [Frame],
    /// What their first delta counts from.
    next: u32,
    /// The types at the last.
    types: TypeState,
}

impl Declared<'_> {
    /// The types that the next frame tells, if it is at `pc`.
    fn at(&mut self, pc: Pc, constants: &ConstantPool<'_>) -> Option<&TypeState> {
        let (frame, rest) = self.frames.split_first()?;
        if self.next + frame.offset_delta as u32 != pc as u32 {
            return None;
        }
        (self.frames, self.next) = (rest, pc as u32 + 1);
        let types = &mut self.types;
        types.stack.clear();
        match &frame.kind {
            FrameKind::Same { .. } => {}
            FrameKind::SameWithStack { stack, .. } => {
                types.stack = TypeState::from_frame(&[], &[*stack], constants).stack;
            }
            FrameKind::Chop(count) => {
                for _ in 0..*count {
                    if types.locals.pop() == Some(SlotType::Half) {
                        types.locals.pop();
                    }
                }
            }
            FrameKind::Append(added) => types.locals.extend(TypeState::from_frame(added, &[], constants).locals),
            FrameKind::Full(full) => *types = TypeState::from_frame(&full.locals, &full.stack, constants),
        }
        Some(types)
    }
}

impl From<NotTypable> for EditError {
    fn from(_: NotTypable) -> Self {
        EditError::NotTypable
    }
}
