//! Where everything goes: new code from old code and an edit.

use crate::bytes::Put;
use crate::code::Code;
use crate::constant_pool::ConstantPool;
use crate::decode::switch_padding;
use crate::edit::{CodeEdit, EditError};
use crate::effect::effect;
use crate::encode::{Form, encode};
use crate::instruction::{Condition, Instruction, Pc};
use crate::stream::{Border, Step, for_each_step};

/// The new code, and where the old went.
pub(crate) struct Layout {
    pub(crate) bytes: Vec<u8>,
    /// For each byte of the old code, and for its end: where jumps to it go now.
    labels: Vec<Pc>,
    /// Where an instruction itself stands now, if not at its label.
    moved: Vec<(Pc, Pc)>,
    /// All jumps in the order of the stream.
    pub(crate) jumps: Vec<Jump>,
    /// Where the wrapping handler's cover begins and ends, in turn.
    pub(crate) borders: Vec<(Border, Pc)>,
    /// How far the new instructions raise the stack above the old code's bound.
    pub(crate) stack_rise: u16,
    /// The stack that the wrapping handler needs.
    pub(crate) handler_stack: u16,
}

/// A jump that was laid out.
pub(crate) struct Jump {
    /// The instruction after it.
    pub(crate) next: Pc,
    /// Whether it is a conditional that was widened: it jumps over a `goto_w` to `next`.
    pub(crate) splits: bool,
}

impl Layout {
    /// Where jumps to this old offset go now.
    pub(crate) fn label(&self, pc: Pc) -> Pc {
        self.labels[pc as usize]
    }

    /// Where the old instruction itself stands now.
    pub(crate) fn exact(&self, pc: Pc) -> Pc {
        match self.moved.binary_search_by_key(&pc, |&(pc, _)| pc) {
            Ok(found) => self.moved[found].1,
            Err(_) => self.label(pc),
        }
    }

    /// Where the wrapping handler begins.
    pub(crate) fn handler(&self) -> Pc {
        let handler = self.borders.iter().find(|(border, _)| *border == Border::Handler);
        handler.expect("internal bug: every stream has a handler border").1
    }
}

/// A stretch of new code.
enum Item {
    /// Bytes of the old code.
    Old {
        from: u32,
        to: u32,
    },
    /// Bytes encoded anew.
    New {
        from: u32,
        to: u32,
    },
    Jump {
        kind: JumpKind,
        target: Pc,
        wide: bool,
    },
    Switch(Instruction),
}

#[derive(Clone, Copy)]
enum JumpKind {
    If(Condition),
    Goto,
    Jsr,
}

impl Item {
    fn length(&self, at: u32) -> u32 {
        match self {
            Item::Old { from, to } | Item::New { from, to } => to - from,
            Item::Jump { wide: false, .. } => 3,
            Item::Jump { kind: JumpKind::If(_), .. } => 8,
            Item::Jump { .. } => 5,
            Item::Switch(Instruction::TableSwitch(switch)) => {
                1 + switch_padding(at) as u32 + 12 + 4 * switch.targets.len() as u32
            }
            Item::Switch(Instruction::LookupSwitch(switch)) => {
                1 + switch_padding(at) as u32 + 8 + 8 * switch.targets.len() as u32
            }
            Item::Switch(_) => unreachable!("internal bug: not a switch"),
        }
    }
}

/// A point of the new code: so many bytes into an item.
#[derive(Clone, Copy)]
struct Point {
    item: u32,
    offset: u32,
}

/// The new code in pieces, not placed yet.
#[derive(Default)]
struct Pieces {
    items: Vec<Item>,
    /// Bytes of the items that are encoded anew.
    new_bytes: Vec<u8>,
    labels: Vec<(Pc, Point)>,
    moved: Vec<(Pc, Point)>,
    borders: Vec<(Border, Point)>,
    stack_rise: i32,
    handler_stack: i32,
}

pub(crate) fn lay_out(code: &Code<'_>, edit: &CodeEdit, constants: &ConstantPool<'_>) -> Result<Layout, EditError> {
    let mut pieces = cut(code, edit, constants)?;
    loop {
        let starts = pieces.starts();
        let length = *starts.last().expect("internal bug: starts has one more than items");
        if length > u16::MAX as u32 {
            return Err(EditError::TooLong(length as usize));
        }
        let labels = pieces.place_labels(&starts, code.bytes().len());
        if length <= i16::MAX as u32 || !pieces.widen(&starts, &labels) {
            return Ok(pieces.emit(code, constants, &starts, labels));
        }
    }
}

/// Cuts the stream into items: what must be placed apart, and all between as whole stretches.
fn cut(code: &Code<'_>, edit: &CodeEdit, constants: &ConstantPool<'_>) -> Result<Pieces, EditError> {
    let length = code.bytes().len();
    let mut pieces = Pieces {
        items: Vec::with_capacity(2 * edit.insertions.len() + length / 8),
        labels: Vec::with_capacity(length / 2 + 1),
        moved: Vec::with_capacity(edit.insertions.len()),
        ..Pieces::default()
    };
    // Edits insert the same hook again and again.
    let mut last: Option<(Instruction, i32)> = None;
    let mut depth = 0;
    let mut in_handler = false;
    let stray = for_each_step(code, edit, |step| match step {
        Step::Label(pc) => {
            depth = 0;
            let point = pieces.end();
            pieces.labels.push((pc, point));
        }
        Step::Original(placed) => {
            let at_label = pieces.labels.last().map(|(_, point)| (point.item, point.offset));
            let point = pieces.end();
            if at_label != Some((point.item, point.offset)) {
                pieces.moved.push((placed.pc, point));
            }
            match jump(&placed.instruction) {
                Some((kind, target)) => {
                    pieces.items.push(Item::Jump { kind, target, wide: placed.length == 5 });
                }
                None if is_switch(&placed.instruction) => pieces.items.push(Item::Switch(placed.instruction.clone())),
                None => pieces.copy(placed.pc as u32, placed.length as u32),
            }
            depth = 0;
        }
        Step::New(instruction) => {
            let change = match &last {
                Some((known, change)) if known == instruction => *change,
                _ => {
                    let effect = effect(instruction, constants);
                    effect.pushes as i32 - effect.pops as i32
                }
            };
            last = Some((instruction.clone(), change));
            depth += change;
            if in_handler {
                pieces.handler_stack = pieces.handler_stack.max(1 + depth);
            } else {
                pieces.stack_rise = pieces.stack_rise.max(depth);
            }
            match jump(instruction) {
                Some((kind, target)) => pieces.items.push(Item::Jump { kind, target, wide: false }),
                None if is_switch(instruction) => pieces.items.push(Item::Switch(instruction.clone())),
                None => pieces.encode(instruction, constants),
            }
        }
        Step::Replaced(_) => depth = 0,
        Step::Border(border) => {
            let point = pieces.end();
            pieces.borders.push((border, point));
            if border == Border::Handler && edit.wrap.is_some() {
                (in_handler, depth, pieces.handler_stack) = (true, 0, 1);
            }
        }
    });
    match stray {
        Some(pc) => Err(EditError::NoInstruction(pc)),
        None => Ok(pieces),
    }
}

fn jump(instruction: &Instruction) -> Option<(JumpKind, Pc)> {
    match *instruction {
        Instruction::If(condition, target) => Some((JumpKind::If(condition), target)),
        Instruction::Goto(target) => Some((JumpKind::Goto, target)),
        Instruction::Jsr(target) => Some((JumpKind::Jsr, target)),
        _ => None,
    }
}

fn is_switch(instruction: &Instruction) -> bool {
    matches!(instruction, Instruction::TableSwitch(_) | Instruction::LookupSwitch(_))
}

impl Pieces {
    /// The point at which the next bytes will stand.
    fn end(&self) -> Point {
        match self.items.last() {
            // A stretch may still grow, so its end is a point inside it.
            Some(Item::Old { from, to } | Item::New { from, to }) => {
                Point { item: self.items.len() as u32 - 1, offset: to - from }
            }
            _ => Point { item: self.items.len() as u32, offset: 0 },
        }
    }

    fn copy(&mut self, pc: u32, length: u32) {
        match self.items.last_mut() {
            Some(Item::Old { to, .. }) if *to == pc => *to += length,
            _ => self.items.push(Item::Old { from: pc, to: pc + length }),
        }
    }

    fn encode(&mut self, instruction: &Instruction, constants: &ConstantPool<'_>) {
        let start = self.new_bytes.len() as u32;
        encode(instruction, 0, Form::Shortest, constants, &mut self.new_bytes);
        let end = self.new_bytes.len() as u32;
        match self.items.last_mut() {
            Some(Item::New { to, .. }) if *to == start => *to = end,
            _ => self.items.push(Item::New { from: start, to: end }),
        }
    }

    /// Where each item starts, and where the last ends.
    fn starts(&self) -> Vec<u32> {
        let mut starts = Vec::with_capacity(self.items.len() + 1);
        let mut at = 0;
        for item in &self.items {
            starts.push(at);
            at += item.length(at);
        }
        starts.push(at);
        starts
    }

    fn place_labels(&self, starts: &[u32], old_length: usize) -> Vec<Pc> {
        let mut labels = Vec::with_capacity(old_length + 1);
        let mut place = 0;
        for &(pc, point) in &self.labels {
            // Offsets inside an instruction, which only tables for debuggers can name, go with it.
            labels.resize(pc as usize, place);
            place = placed(point, starts);
        }
        labels.push(place);
        labels
    }

    /// Marks the jumps that have become too long; says whether there were any.
    fn widen(&mut self, starts: &[u32], labels: &[Pc]) -> bool {
        let mut widened = false;
        for (item, &at) in self.items.iter_mut().zip(starts) {
            if let Item::Jump { target, wide: wide @ false, .. } = item {
                let offset = labels[*target as usize] as i32 - at as i32;
                *wide = i16::try_from(offset).is_err();
                widened |= *wide;
            }
        }
        widened
    }

    fn emit(self, code: &Code<'_>, constants: &ConstantPool<'_>, starts: &[u32], labels: Vec<Pc>) -> Layout {
        let mut bytes = Vec::with_capacity(starts[self.items.len()] as usize);
        let mut jumps = Vec::new();
        for (item, &at) in self.items.iter().zip(starts) {
            match item {
                Item::Old { from, to } => bytes.extend_from_slice(&code.bytes()[*from as usize..*to as usize]),
                Item::New { from, to } => bytes.extend_from_slice(&self.new_bytes[*from as usize..*to as usize]),
                Item::Jump { kind, target, wide } => {
                    write_jump(&mut bytes, *kind, labels[*target as usize] as i32 - at as i32, *wide);
                    jumps.push(Jump { next: bytes.len() as Pc, splits: *wide && matches!(kind, JumpKind::If(_)) });
                }
                Item::Switch(switch) => {
                    let switch = retarget(switch, &labels);
                    encode(&switch, at as Pc, Form::Shortest, constants, &mut bytes);
                }
            }
        }
        let place =
            |points: Vec<(Pc, Point)>| points.into_iter().map(|(pc, point)| (pc, placed(point, starts))).collect();
        Layout {
            bytes,
            labels,
            moved: place(self.moved),
            jumps,
            borders: self.borders.into_iter().map(|(border, point)| (border, placed(point, starts))).collect(),
            stack_rise: self.stack_rise as u16,
            handler_stack: self.handler_stack as u16,
        }
    }
}

/// The offset of a point once items are placed; all fit in 16 bits by then.
fn placed(point: Point, starts: &[u32]) -> Pc {
    (starts[point.item as usize] + point.offset) as Pc
}

fn write_jump(out: &mut Vec<u8>, kind: JumpKind, offset: i32, wide: bool) {
    let short = match kind {
        JumpKind::If(condition) => condition.code(),
        JumpKind::Goto => GOTO,
        JumpKind::Jsr => JSR,
    };
    match (kind, wide) {
        (_, false) => {
            out.u1(short);
            out.u2(offset as i16 as u16);
        }
        (JumpKind::If(condition), true) => {
            out.u1(condition.inverted().code());
            out.u2(8);
            out.u1(GOTO + TO_WIDE);
            out.u4((offset - 3) as u32);
        }
        (_, true) => {
            out.u1(short + TO_WIDE);
            out.u4(offset as u32);
        }
    }
}

const GOTO: u8 = 167;
const JSR: u8 = 168;
/// From `goto` to `goto_w`, and from `jsr` to `jsr_w`.
const TO_WIDE: u8 = 33;

fn retarget(switch: &Instruction, labels: &[Pc]) -> Instruction {
    let mut switch = switch.clone();
    let to = |target: &mut Pc| *target = labels[*target as usize];
    match &mut switch {
        Instruction::TableSwitch(switch) => {
            to(&mut switch.default);
            switch.targets.iter_mut().for_each(to);
        }
        Instruction::LookupSwitch(switch) => {
            to(&mut switch.default);
            switch.targets.iter_mut().for_each(|(_, target)| to(target));
        }
        _ => unreachable!("internal bug: not a switch"),
    }
    switch
}
