//! Where everything goes: new code from old code and an edit.

use crate::bytes::Put;
use crate::code::Code;
use crate::constant_pool::ConstantPool;
use crate::edit::{CodeEdit, EditError};
use crate::effect::effect;
use crate::encode::{Form, encode};
use crate::error::Overflow;
use crate::instruction::{Condition, Instruction, Pc};
use crate::stream::{Border, Run, Step, for_each_step};

/// The new code, and where the old went.
pub(crate) struct Layout {
    pub(crate) bytes: Vec<u8>,
    /// For each byte of the old code, and for its end: where jumps to it go now.
    labels: Vec<Pc>,
    /// Where an instruction itself stands now, if not at its label.
    moved: Vec<(Pc, Pc)>,
    /// Instructions that made an object and are gone.
    lost: Vec<Pc>,
    /// Where what was inserted before an instruction ends.
    behind: Vec<(Pc, Pc)>,
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
    at: Pc,
    kind: JumpKind,
    target: Pc,
    /// Whether it goes to the instruction itself, behind what was inserted before it.
    skips: bool,
    wide: bool,
    /// The instruction after it.
    pub(crate) next: Pc,
    /// Whether it is a conditional that was widened: it jumps over a `goto_w` to `next`.
    pub(crate) splits: bool,
}

#[derive(Clone, Copy)]
enum JumpKind {
    If(Condition),
    Goto,
    Jsr,
}

/// Lays the edited code out. Jumps are taken to be short until one turns out not to be; then all is laid
/// out again with that one widened, which can only make others longer.
pub(crate) fn lay_out(code: &Code<'_>, edit: &CodeEdit, constants: &ConstantPool<'_>) -> Result<Layout, EditError> {
    let mut wide = Vec::new();
    loop {
        let mut writing = Writing::new(code, edit, &wide);
        writing.write(edit, constants)?;
        if writing.layout.bytes.len() > u16::MAX as usize {
            return Err(EditError::TooLong(writing.layout.bytes.len()));
        }
        match writing.layout.too_long() {
            None => {
                writing.aim(constants);
                return Ok(writing.layout);
            }
            Some(now_wide) => wide = now_wide,
        }
    }
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

    /// Whether the instruction there made an object and is gone.
    pub(crate) fn is_lost(&self, pc: Pc) -> bool {
        self.lost.binary_search(&pc).is_ok()
    }

    /// Where the wrapping handler begins.
    pub(crate) fn handler(&self) -> Pc {
        let handler = self.borders.iter().find(|(border, _)| *border == Border::Handler);
        handler.expect("internal bug: every stream has a handler border").1
    }

    /// Which jumps must be wide, if some are too long for what they are.
    fn too_long(&self) -> Option<Vec<bool>> {
        if self.bytes.len() <= i16::MAX as usize {
            return None;
        }
        let too_long = |jump: &Jump| !jump.wide && i16::try_from(self.distance(jump)).is_err();
        self.jumps.iter().any(too_long).then(|| self.jumps.iter().map(|jump| jump.wide || too_long(jump)).collect())
    }

    fn distance(&self, jump: &Jump) -> i32 {
        let target = if jump.skips { self.behind(jump.target) } else { self.label(jump.target) };
        target as i32 - jump.at as i32
    }

    /// Where an instruction or its replacement begins, behind what was inserted before it.
    pub(crate) fn behind(&self, pc: Pc) -> Pc {
        match self.behind.binary_search_by_key(&pc, |&(pc, _)| pc) {
            Ok(found) => self.behind[found].1,
            Err(_) => self.label(pc),
        }
    }
}

/// New code that is being written. Jumps and switches leave room, and are aimed once all is placed.
///
/// Code of over 64 KB wraps around in the tables, which nobody reads then.
struct Writing<'d> {
    code: &'d Code<'d>,
    /// Which jumps are wide, as far as it is known.
    wide: &'d [bool],
    layout: Layout,
    switches: Vec<(Pc, Instruction)>,
    /// Old code that is to be copied in one go, from and to.
    copying: (usize, usize),
    /// Where the last label is.
    place: Pc,
}

impl<'d> Writing<'d> {
    fn new(code: &'d Code<'d>, edit: &CodeEdit, wide: &'d [bool]) -> Self {
        let length = code.bytes().len();
        let layout = Layout {
            bytes: Vec::with_capacity(length + 4 * edit.instructions.len() + 16),
            labels: Vec::with_capacity(length + 1),
            moved: Vec::with_capacity(edit.insertions.len()),
            lost: Vec::new(),
            behind: Vec::with_capacity(edit.insertions.len()),
            jumps: Vec::new(),
            borders: Vec::new(),
            stack_rise: 0,
            handler_stack: 0,
        };
        Writing { code, wide, layout, switches: Vec::new(), copying: (0, 0), place: 0 }
    }

    fn write(&mut self, edit: &CodeEdit, constants: &ConstantPool<'_>) -> Result<(), EditError> {
        let mut stack = StackUse::default();
        // Where control can come, as far as the edit itself decides.
        let (mut reached, mut at) = (true, 0);
        let mut dead = None;
        let stray = for_each_step(self.code, edit, |step| match step {
            Step::Label(pc) => {
                (reached, at) = (true, pc);
                stack.depth = 0;
                self.label(pc);
            }
            Step::Behind(pc) => {
                // An insertion that never goes on leaves what stands behind it as it was.
                reached = true;
                self.layout.behind.push((pc, self.end()));
            }
            Step::Original(placed) => {
                reached = placed.instruction.falls_through();
                stack.depth = 0;
                if self.place != self.end() {
                    self.layout.moved.push((placed.pc, self.end()));
                }
                if !self.put_jump(&placed.instruction, placed.length == 5, false) {
                    self.copy(placed.pc as usize, placed.length as usize);
                }
            }
            Step::New(instruction, run) => {
                if !reached && dead.is_none() {
                    dead = Some(at);
                }
                reached = instruction.falls_through();
                stack.add(instruction, constants);
                if let (Run::Instead { pc, of_new: true }, Instruction::New(_)) = (run, instruction)
                    && self.layout.moved.last().is_none_or(|&(last, _)| last != pc)
                {
                    self.layout.moved.push((pc, self.end()));
                }
                let skips = |target| run == Run::Before(target);
                let skips = matches!(*instruction, Instruction::If(_, t) | Instruction::Goto(t) if skips(t));
                if !self.put_jump(instruction, false, skips) {
                    self.flush();
                    encode(instruction, 0, Form::Shortest, constants, &mut self.layout.bytes);
                }
            }
            Step::Replaced(placed) => {
                stack.depth = 0;
                let made = matches!(placed.instruction, Instruction::New(_));
                if made && self.layout.moved.last().is_none_or(|&(pc, _)| pc != placed.pc) {
                    self.layout.lost.push(placed.pc);
                }
            }
            Step::Border(border) => {
                self.layout.borders.push((border, self.end()));
                if border == Border::Handler {
                    (reached, at) = (true, self.code.bytes().len() as Pc);
                    stack.enter_handler(edit.wrap.is_some());
                }
            }
        });
        self.flush();
        self.layout.labels.push(self.place);
        (self.layout.stack_rise, self.layout.handler_stack) = stack.needed()?;
        match (stray, dead) {
            (Some(pc), _) => Err(EditError::NoInstruction(pc)),
            (None, Some(pc)) => Err(EditError::Unreachable(pc)),
            (None, None) => Ok(()),
        }
    }

    /// Where the next instruction will stand.
    fn end(&self) -> Pc {
        (self.layout.bytes.len() + self.copying.1 - self.copying.0) as Pc
    }

    fn label(&mut self, pc: Pc) {
        // Offsets inside an instruction, which only tables for debuggers can name, go with it.
        self.layout.labels.resize(pc as usize, self.place);
        self.place = self.end();
    }

    fn copy(&mut self, pc: usize, length: usize) {
        if self.copying.1 != pc {
            self.flush();
            self.copying = (pc, pc);
        }
        self.copying.1 += length;
    }

    fn flush(&mut self) {
        let (from, to) = self.copying;
        self.layout.bytes.extend_from_slice(&self.code.bytes()[from..to]);
        self.copying = (to, to);
    }

    /// Leaves room for a jump or switch; false for any other instruction.
    fn put_jump(&mut self, instruction: &Instruction, was_wide: bool, skips: bool) -> bool {
        let (kind, target) = match *instruction {
            Instruction::If(condition, target) => (JumpKind::If(condition), target),
            Instruction::Goto(target) => (JumpKind::Goto, target),
            Instruction::Jsr(target) => (JumpKind::Jsr, target),
            Instruction::TableSwitch(_) | Instruction::LookupSwitch(_) => {
                self.flush();
                let at = self.end();
                let none = ConstantPool::new();
                encode(instruction, at, Form::Shortest, &none, &mut self.layout.bytes);
                self.switches.push((at, instruction.clone()));
                return true;
            }
            _ => return false,
        };
        self.flush();
        let (at, jumps) = (self.end(), &mut self.layout.jumps);
        let wide = was_wide || self.wide.get(jumps.len()).is_some_and(|&wide| wide);
        let length = match (kind, wide) {
            (_, false) => 3,
            (JumpKind::If(_), true) => 8,
            (_, true) => 5,
        };
        let splits = wide && matches!(kind, JumpKind::If(_));
        jumps.push(Jump { at, kind, target, skips, wide, next: at.wrapping_add(length), splits });
        self.layout.bytes.resize(self.layout.bytes.len() + length as usize, 0);
        true
    }

    /// Fills in jumps and switches, now that all labels are known.
    fn aim(&mut self, constants: &ConstantPool<'_>) {
        let mut aimed = Vec::new();
        let jumps = std::mem::take(&mut self.layout.jumps);
        for jump in &jumps {
            aimed.clear();
            write_jump(&mut aimed, jump.kind, self.layout.distance(jump), jump.wide);
            self.layout.bytes[jump.at as usize..][..aimed.len()].copy_from_slice(&aimed);
        }
        self.layout.jumps = jumps;
        for (at, switch) in &self.switches {
            aimed.clear();
            encode(&retarget(switch, &self.layout.labels), *at, Form::Shortest, constants, &mut aimed);
            self.layout.bytes[*at as usize..][..aimed.len()].copy_from_slice(&aimed);
        }
    }
}

/// The stack that new instructions need.
#[derive(Default)]
struct StackUse {
    /// Above what the old code has there.
    depth: i32,
    rise: i32,
    /// The most that the handler needs, once it has begun.
    handler: Option<i32>,
    /// Edits insert the same hook again and again.
    last: Option<(Instruction, i32)>,
}

impl StackUse {
    fn add(&mut self, instruction: &Instruction, constants: &ConstantPool<'_>) {
        self.depth += match &self.last {
            Some((known, change)) if known == instruction => *change,
            _ => {
                let effect = effect(instruction, constants);
                let change = effect.pushes as i32 - effect.pops as i32;
                self.last = Some((instruction.clone(), change));
                change
            }
        };
        let most = self.handler.as_mut().unwrap_or(&mut self.rise);
        *most = (*most).max(self.depth);
    }

    /// The handler finds the exception on the stack.
    fn enter_handler(&mut self, is_there: bool) {
        self.depth = is_there as i32;
        self.handler = is_there.then_some(1);
    }

    /// What the old code's bound rises by, and what the handler needs.
    fn needed(&self) -> Result<(u16, u16), Overflow> {
        let slots = |slots: i32| u16::try_from(slots).map_err(|_| Overflow("stack slots"));
        Ok((slots(self.rise)?, slots(self.handler.unwrap_or(0))?))
    }
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
