//! Code from nothing.
//!
//! A [`CodeBuilder`] takes instructions one after the other and finds the rest: stack depth, offsets of
//! labels, and frames. A label's frame is what is known when it is bound: the types at the first jump to
//! it or, if control also falls into it, what both agree on. So a local that is set only after a loop's
//! label was bound is not known inside the loop; set it before.

use crate::attribute::{Attribute, AttributeValue};
use crate::code::{Code, Handler};
use crate::constant::{Index, kind};
use crate::constant_pool::ConstantPool;
use crate::draft::Drafts;
use crate::edit::EditError;
use crate::effect::effect;
use crate::encode::{Form, encode};
use crate::flags::Flags;
use crate::instruction::{Condition, Instruction, Pc};
use crate::type_state::{Made, MethodShape, NotTypable, SlotType, TypeState};
use std::borrow::Cow;

/// A place in code that is being built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label(usize);

/// Builds the code of one method.
#[derive(Debug)]
pub struct CodeBuilder {
    shape: MethodShape,
    bytes: Vec<u8>,
    /// None after an instruction that never goes on.
    state: Option<TypeState>,
    depth: u16,
    max_stack: u16,
    max_locals: u16,
    labels: Vec<LabelState>,
    /// Where a 16-bit jump offset is to be filled in: the jump, and its label.
    jumps: Vec<(usize, Label)>,
    handlers: Vec<(Label, Label, Label, Option<Index<kind::Class>>)>,
    frames: Drafts,
}

#[derive(Debug, Default)]
struct LabelState {
    place: Option<Pc>,
    /// The types at a jump to it that was seen before it was bound.
    expected: Option<TypeState>,
    /// The locals that were known when it was bound.
    locals: Vec<SlotType>,
}

impl CodeBuilder {
    /// Code for a method of `class` with that name, descriptor and flags.
    pub fn new(class: &str, name: &str, descriptor: &str, flags: Flags) -> Self {
        let shape = MethodShape {
            class: encode_text(class),
            is_static: flags.has(Flags::STATIC),
            is_constructor: name == "<init>",
            descriptor: encode_text(descriptor),
        };
        let state = TypeState::at_entry(&shape);
        CodeBuilder {
            max_locals: state.locals.len() as u16,
            frames: Drafts::from_entry(&state),
            state: Some(state),
            shape,
            bytes: Vec::new(),
            depth: 0,
            max_stack: 0,
            labels: Vec::new(),
            jumps: Vec::new(),
            handlers: Vec::new(),
        }
    }

    /// Appends an instruction that does not jump; jumps take labels, and have calls of their own.
    pub fn push(&mut self, instruction: Instruction, constants: &ConstantPool<'_>) -> Result<(), EditError> {
        let pc = self.here()?;
        let mut jumps = false;
        instruction.for_each_target(|_| jumps = true);
        if jumps {
            return Err(EditError::Misuse("jumps of built code go to labels"));
        }
        let Some(state) = &mut self.state else {
            return Err(EditError::Misuse("an instruction stands where control never comes"));
        };
        state.step(&instruction, Made::At(pc), &self.shape.class, constants)?;
        self.max_locals = self.max_locals.max(state.locals.len() as u16);
        let effect = effect(&instruction, constants);
        self.depth = self.depth.saturating_sub(effect.pops) + effect.pushes;
        self.max_stack = self.max_stack.max(self.depth);
        encode(&instruction, pc, Form::Shortest, constants, &mut self.bytes);
        if !instruction.falls_through() {
            self.state = None;
        }
        Ok(())
    }

    /// A label to be bound later.
    pub fn label(&mut self) -> Label {
        self.labels.push(LabelState::default());
        Label(self.labels.len() - 1)
    }

    /// Jumps to `label` if `condition` holds.
    pub fn jump_if(&mut self, condition: Condition, label: Label) -> Result<(), EditError> {
        self.jump(Instruction::If(condition, 0), label)
    }

    /// Jumps to `label`.
    pub fn goto(&mut self, label: Label) -> Result<(), EditError> {
        self.jump(Instruction::Goto(0), label)
    }

    /// Puts `label` here. Bind each label once.
    pub fn bind(&mut self, label: Label) -> Result<(), EditError> {
        let pc = self.here()?;
        let state = &mut self.labels[label.0];
        if state.place.is_some() {
            return Err(EditError::Misuse("a label is bound twice"));
        }
        state.place = Some(pc);
        let types = match (state.expected.take(), self.state.take()) {
            (Some(jumped), Some(fallen)) => agreed(jumped, fallen)?,
            (jumped, fallen) => jumped.or(fallen).ok_or(EditError::NotTypable)?,
        };
        self.depth = types.stack.len() as u16;
        self.labels[label.0].locals.clone_from(&types.locals);
        self.frames.push(pc, &types);
        self.state = Some(types);
        Ok(())
    }

    /// Puts `label` here as the end of what a handler covers; nothing jumps to it.
    pub fn bind_end(&mut self, label: Label) -> Result<(), EditError> {
        self.labels[label.0].place = Some(self.here()?);
        Ok(())
    }

    /// Starts a handler here for what lies between two bound labels. It finds the exception on the stack,
    /// and of the locals those that are known at `start`: do not change their types in between.
    pub fn catch(
        &mut self,
        start: Label,
        end: Label,
        catch: Option<Index<kind::Class>>,
        constants: &ConstantPool<'_>,
    ) -> Result<(), EditError> {
        let class = match catch {
            Some(class) => SlotType::Object(constants.class_name(class).as_bytes().into()),
            None => SlotType::object("java/lang/Throwable"),
        };
        let handler = self.label();
        let covered = &self.labels[start.0];
        covered.place.ok_or(EditError::NotTypable)?;
        let types = TypeState { locals: covered.locals.clone(), stack: vec![class] };
        if self.state.is_some() {
            return Err(EditError::Misuse("control falls into a handler"));
        }
        self.labels[handler.0].expected = Some(types);
        self.bind(handler)?;
        self.max_stack = self.max_stack.max(self.depth);
        self.handlers.push((start, end, handler, catch));
        Ok(())
    }

    /// The finished code.
    pub fn finish(mut self, constants: &mut ConstantPool<'_>) -> Result<Code<'static>, EditError> {
        let length = self.bytes.len();
        if length > u16::MAX as usize || self.state.is_some() {
            return Err(if length > u16::MAX as usize { EditError::TooLong(length) } else { EditError::NotTypable });
        }
        for (at, label) in std::mem::take(&mut self.jumps) {
            let offset = self.place(label)? as i32 - at as i32;
            let offset =
                i16::try_from(offset).map_err(|_| EditError::Misuse("a jump of built code is longer than 32 KB"))?;
            self.bytes[at + 1..at + 3].copy_from_slice(&offset.to_be_bytes());
        }
        let mut handlers = Vec::new();
        for &(start, end, handler, catch) in &self.handlers {
            let (start, end, handler) = (self.place(start)?, self.place(end)?, self.place(handler)?);
            handlers.push(Handler { start, end, handler, catch });
        }
        let mut attributes = Vec::new();
        if !self.frames.is_empty() {
            let frames = self.frames.tell(constants, &|pc| pc)?;
            let name = constants.add_utf8("StackMapTable")?;
            attributes.push(Attribute { name, value: AttributeValue::StackMapTable(frames) });
        }
        let (max_stack, max_locals) = (self.max_stack, self.max_locals);
        Ok(Code { max_stack, max_locals, bytes: Cow::Owned(self.bytes), handlers, attributes })
    }

    fn jump(&mut self, instruction: Instruction, label: Label) -> Result<(), EditError> {
        // The constants of a jump are none, so any pool will do.
        let none = ConstantPool::new();
        let at = self.bytes.len();
        let falls = instruction.falls_through();
        if let (Some(types), Instruction::If(condition, _)) = (&mut self.state, &instruction) {
            let left = types.stack.len().checked_sub(condition.operands() as usize).ok_or(NotTypable)?;
            types.stack.truncate(left);
            self.depth = left as u16;
        }
        encode(&instruction, 0, Form::Shortest, &none, &mut self.bytes);
        self.jumps.push((at, label));
        let target = &mut self.labels[label.0];
        if target.place.is_none()
            && let Some(types) = self.state.clone()
        {
            target.expected = Some(match target.expected.take() {
                Some(before) => agreed(before, types)?,
                None => types,
            });
        }
        if !falls {
            self.state = None;
        }
        Ok(())
    }

    fn place(&self, label: Label) -> Result<Pc, EditError> {
        self.labels[label.0].place.ok_or(EditError::NotTypable)
    }

    fn here(&self) -> Result<Pc, EditError> {
        Pc::try_from(self.bytes.len()).map_err(|_| EditError::TooLong(self.bytes.len()))
    }
}

fn encode_text(text: &str) -> Box<[u8]> {
    crate::java_str::encode(text).into()
}

/// What two ways to the same place agree on: locals of different types are unusable there, but two
/// objects are at least objects. Stacks must be alike but for that.
fn agreed(a: TypeState, b: TypeState) -> Result<TypeState, EditError> {
    if a.stack.len() != b.stack.len() {
        return Err(EditError::Misuse("two ways to a label leave stacks of different heights"));
    }
    let merge = |a: Vec<SlotType>, b: Vec<SlotType>| a.into_iter().zip(b).map(|(a, b)| a.agreed(b)).collect();
    Ok(TypeState { locals: merge(a.locals, b.locals), stack: merge(a.stack, b.stack) })
}

impl SlotType {
    fn agreed(self, other: SlotType) -> SlotType {
        match (self, other) {
            (a, b) if a == b => a,
            (SlotType::Null, object @ SlotType::Object(_)) | (object @ SlotType::Object(_), SlotType::Null) => object,
            (SlotType::Object(_), SlotType::Object(_)) => SlotType::object("java/lang/Object"),
            _ => SlotType::Top,
        }
    }
}
