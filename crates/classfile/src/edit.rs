//! Changes to the code of a method.
//!
//! A [`CodeEdit`] collects changes against the offsets of the code as it is; nothing moves while it is
//! filled. [`ClassFile::edit_method`] lays the code out once and carries along all that points into it:
//! jumps and switches with their padding, the exception table, frames, line numbers, local variables and
//! type annotations. A jump that becomes longer than 32 KB is widened.
//!
//! What is inserted is a run of instructions. It may jump to any instruction of the original code; what is
//! inserted before an instruction and jumps to that one jumps over the rest of itself. It must leave the
//! stack as the code after it expects it, and where it jumps to must not rely on locals that it does not
//! have. It is not verified: the virtual machine does that.
//!
//! Attributes of the code that the specification does not know are kept, though they may hold offsets.

use crate::class::{ClassFile, Method};
use crate::code::{Code, Handler};
use crate::constant::{Index, kind};
use crate::constant_pool::ConstantPool;
use crate::error::Overflow;
use crate::flags::Flags;
use crate::instruction::{Instruction, Pc};
use crate::layout::{Layout, lay_out};
use crate::reframe::reframe;
use crate::relocate::{relocate_handler, relocate_tables};
use crate::stack_map::VerificationType;
use crate::stream::Border;
use crate::type_state::MethodShape;
use std::borrow::Cow;

/// Changes to one method's code, not yet made.
#[derive(Clone, Debug)]
pub struct CodeEdit {
    pub(crate) insertions: Vec<Insertion>,
    /// The instructions of all insertions, one run after the other.
    pub(crate) instructions: Vec<Instruction>,
    pub(crate) locals: Vec<(u16, VerificationType)>,
    pub(crate) max_locals: u16,
    pub(crate) wrap: Option<Wrap>,
    /// Where the new instructions jump to, once they are all there; in order.
    pub(crate) targets: Vec<Pc>,
}

/// A run of instructions and where it goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Insertion {
    pub(crate) pc: Pc,
    pub(crate) place: Place,
    pub(crate) from: u32,
    pub(crate) to: u32,
}

/// Where an insertion goes, in the order in which they run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Place {
    Before,
    Instead,
    After,
}

/// Code around a whole body, like `try` and `finally`.
#[derive(Clone, Debug, Default)]
pub struct Wrap {
    /// Runs once, when the method is entered; not covered by the handler.
    pub enter: Vec<Instruction>,
    /// Runs before each return, with the value to return on the stack; not covered by the handler.
    pub leave: Vec<Instruction>,
    /// Runs when an exception would leave the body, with the exception on the stack. If it leaves it there
    /// and goes on, it is thrown on; it may also return. Of the locals it sees only those added by
    /// [`CodeEdit::add_local`].
    pub catch: Vec<Instruction>,
    /// What is caught; everything if it is None.
    pub catches: Option<Index<kind::Class>>,
}

/// Why code was left as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// The method would be longer than the 65,535 bytes that a class file can hold.
    #[error("the method would be {0} bytes long, more than a class file can hold")]
    TooLong(usize),
    /// A table or the constant pool would be too large.
    #[error(transparent)]
    Overflow(#[from] Overflow),
    /// The method has no code.
    #[error("the method has no code")]
    NoCode,
    /// A change names an offset at which no instruction starts.
    #[error("no instruction starts at offset {0}")]
    NoInstruction(Pc),
    /// New instructions stand where control never comes: behind one that never goes on.
    #[error("what is inserted at offset {0} can never run")]
    Unreachable(Pc),
    /// Code was built in a way that it cannot be.
    #[error("{0}")]
    Misuse(&'static str),
    /// A frame is needed where the types of locals and stack cannot be told: the code has no frames
    /// though its class is of a version that needs them, uses `jsr`, or does not verify.
    #[error("the types at an instruction cannot be told")]
    NotTypable,
}

impl CodeEdit {
    /// No changes to `code` yet.
    pub fn new(code: &Code<'_>) -> Self {
        CodeEdit {
            insertions: Vec::new(),
            instructions: Vec::new(),
            locals: Vec::new(),
            max_locals: code.max_locals,
            wrap: None,
            targets: Vec::new(),
        }
    }

    /// Whether there is nothing to change.
    pub fn is_empty(&self) -> bool {
        self.insertions.is_empty() && self.locals.is_empty() && self.wrap.is_none()
    }

    /// Runs `instructions` before the one at `pc`, also when it is jumped to.
    pub fn insert_before(&mut self, pc: Pc, instructions: &[Instruction]) {
        self.insert(pc, Place::Before, instructions);
    }

    /// Runs `instructions` after the one at `pc` when control goes on from it, not when the one behind is
    /// jumped to. After an instruction that never goes on, such as a return, that is an error.
    pub fn insert_after(&mut self, pc: Pc, instructions: &[Instruction]) {
        self.insert(pc, Place::After, instructions);
    }

    /// Runs `instructions` instead of the one at `pc`. With none, nothing runs there. A second replacement of
    /// the same one runs after the first.
    pub fn replace(&mut self, pc: Pc, instructions: &[Instruction]) {
        // Something must stay, or two frames could fall on the same offset and a handler cover nothing.
        let instructions = if instructions.is_empty() { &[Instruction::Nop] } else { instructions };
        self.insert(pc, Place::Instead, instructions);
    }

    /// Adds a local variable and gives its slot. It must be set when the method is entered, by
    /// [`Wrap::enter`]: from there on every frame promises it. One of type `Top` is promised by none, and so
    /// serves for values that are stored and loaded within one insertion; ask for two if they are wide.
    pub fn add_local(&mut self, local_type: VerificationType) -> Result<u16, Overflow> {
        let slot = self.max_locals;
        self.max_locals = slot.checked_add(local_type.slots()).ok_or(Overflow("local variables"))?;
        self.locals.push((slot, local_type));
        Ok(slot)
    }

    /// Puts code around the whole body. In a constructor the handler covers what runs after the call of
    /// another constructor, for the virtual machine allows no more. A second wrap replaces the first.
    pub fn wrap(&mut self, wrap: Wrap) {
        self.wrap = Some(wrap);
    }

    fn insert(&mut self, pc: Pc, place: Place, instructions: &[Instruction]) {
        if self.insertions.is_empty() {
            // Most edits that insert at all insert often.
            self.insertions.reserve(16);
            self.instructions.reserve(16);
        }
        let from = self.instructions.len() as u32;
        self.instructions.extend_from_slice(instructions);
        self.insertions.push(Insertion { pc, place, from, to: self.instructions.len() as u32 });
    }

    pub(crate) fn run(&self, insertion: Insertion) -> &[Instruction] {
        &self.instructions[insertion.from as usize..insertion.to as usize]
    }

    /// Whether a run may never go on to what stands behind it.
    pub(crate) fn ends_flow(&self) -> bool {
        self.instructions.iter().any(|instruction| !instruction.falls_through())
    }

    /// Whether something is inserted at this offset, or replaced.
    pub(crate) fn is_at(&self, pc: Pc) -> bool {
        self.insertions.binary_search_by_key(&pc, |insertion| insertion.pc).is_ok()
    }

    /// Puts insertions in the order in which they stand in the code, and checks where new jumps go.
    fn prepare(&mut self, code: &Code<'_>) -> Result<(), EditError> {
        let key = |insertion: &Insertion| (insertion.pc, insertion.place);
        if !self.insertions.is_sorted_by_key(key) {
            self.insertions.sort_by_key(key);
        }
        let wrap = self.wrap.iter().flat_map(|wrap| wrap.enter.iter().chain(&wrap.leave).chain(&wrap.catch));
        for instruction in self.instructions.iter().chain(wrap) {
            instruction.for_each_target(|target| self.targets.push(target));
        }
        if self.targets.is_empty() {
            return Ok(());
        }
        self.targets.sort_unstable();
        self.targets.dedup();
        let starts: Vec<_> = code.instructions().map(|placed| placed.pc).collect();
        match self.targets.iter().find(|target| starts.binary_search(target).is_err()) {
            Some(&target) => Err(EditError::NoInstruction(target)),
            None => Ok(()),
        }
    }
}

impl ClassFile<'_> {
    /// Makes the changes to a method, given by its number in `methods`. After an error the method is as
    /// it was; constants may have been added.
    pub fn edit_method(&mut self, method: usize, mut edit: CodeEdit) -> Result<(), EditError> {
        if edit.is_empty() {
            return Ok(());
        }
        let Self { constants, methods, this_class, major_version, .. } = self;
        let Some(owner) = methods.get_mut(method) else { return Err(EditError::Misuse("there is no such method")) };
        let Method { flags, name, descriptor, .. } = *owner;
        let code = owner.code_mut().ok_or(EditError::NoCode)?;
        edit.prepare(code)?;
        let layout = lay_out(code, &edit, constants)?;
        let is_constructor = constants.utf8(name) == "<init>";
        let shape = |constants: &ConstantPool<'_>| MethodShape {
            class: constants.class_name(*this_class).as_bytes().into(),
            is_static: flags.has(Flags::STATIC),
            is_constructor,
            descriptor: constants.utf8(descriptor).as_bytes().into(),
        };
        let reframed = reframe(code, &edit, &layout, is_constructor, shape, constants, *major_version)?;

        let mut handlers: Vec<Handler> = code.handlers.iter().map(|h| relocate_handler(h, &layout)).collect();
        if let Some(wrap) = &edit.wrap {
            let cover = |(start, end)| Handler { start, end, handler: layout.handler(), catch: wrap.catches };
            handlers.extend(covered(&layout, &reframed.not_covered).into_iter().map(cover));
        }
        if handlers.len() > u16::MAX as usize {
            return Err(Overflow("exception handlers").into());
        }
        let max_stack = code.max_stack.checked_add(layout.stack_rise).ok_or(Overflow("stack slots"))?;
        code.max_stack = max_stack.max(layout.handler_stack);
        code.max_locals = edit.max_locals;
        code.handlers = handlers;
        relocate_tables(&mut code.attributes, &layout);
        reframed.replace(&mut code.attributes, &layout);
        code.bytes = Cow::Owned(layout.bytes);
        Ok(())
    }
}

/// What the wrapping handler covers: the body, without the code for leaving and without `holes`, which
/// are in order.
fn covered(layout: &Layout, holes: &[(Pc, Pc)]) -> Vec<(Pc, Pc)> {
    let mut leaves = Vec::new();
    let (mut body, mut leave) = (0, 0);
    for &(border, at) in &layout.borders {
        match border {
            Border::Body => body = at,
            Border::Leave => leave = at,
            Border::Covered => leaves.push((leave, at)),
            Border::Handler => {}
        }
    }
    let mut holes: Vec<_> = leaves.into_iter().chain(holes.iter().copied()).collect();
    holes.sort_unstable();
    let mut ranges = Vec::new();
    for (start, end) in holes {
        if body < start {
            ranges.push((body, start));
        }
        body = body.max(end);
    }
    if body < layout.handler() {
        ranges.push((body, layout.handler()));
    }
    ranges
}
