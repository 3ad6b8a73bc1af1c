//! The happens-before order of an execution, as vector clocks.
//!
//! An event happens before another if it comes earlier and they are of one thread or dependent, or by a chain of
//! such pairs. Executions with the same events and the same order are equivalent: one Mazurkiewicz trace. The
//! order is built event by event, and cut back to a length, so an explorer keeps what two executions share.

use crate::dependency::{Access, Footprint, Mode, Resource};
use schedule::FastMap;

/// Events and which happen before which.
#[derive(Clone, Debug, Default)]
pub struct Order {
    steps: Vec<Ordered>,
    /// The clock of each step, `stride` numbers each: how many events of each thread happen before it or are it.
    clocks: Vec<u32>,
    stride: usize,
    /// The steps that touch a resource, in order.
    touched: FastMap<Resource, Vec<(u32, Mode)>>,
    /// Of these, the steps that do not only read.
    changed: FastMap<Resource, Vec<(u32, Mode)>>,
    /// For each thread: its last step.
    last: Vec<Option<u32>>,
    /// The steps before which nothing could go on, with the number of steps of each thread before that.
    barriers: Vec<(usize, Vec<u32>)>,
    scratch: Vec<u32>,
}

/// What is known of a step.
#[derive(Clone, Copy, Debug)]
struct Ordered {
    thread: u16,
    /// The step is the so manyth of its thread, from 1.
    number: u32,
    footprint: Footprint,
    /// The step before it in its thread.
    previous: Option<u32>,
}

/// What a step comes after, beside the steps that it depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct After {
    /// For the first step of a thread: the step that has started it.
    pub start: Option<usize>,
    /// The step that changed what the thread was spinning on.
    pub change: Option<usize>,
    /// Nothing could go on before this step, so whatever came before happens before whatever comes now.
    pub barrier: bool,
}

impl Order {
    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Bytes that it takes, but for what is kept by resource.
    pub fn bytes(&self) -> usize {
        self.steps.capacity() * size_of::<Ordered>() + self.clocks.capacity() * size_of::<u32>()
    }

    /// The thread of a step.
    pub fn thread(&self, step: usize) -> usize {
        self.steps[step].thread as usize
    }

    /// The step is the so manyth of its thread, from 1.
    pub fn number(&self, step: usize) -> u32 {
        self.steps[step].number
    }

    /// What the step touches.
    pub fn footprint(&self, step: usize) -> &Footprint {
        &self.steps[step].footprint
    }

    /// The last step of a thread so far.
    pub fn last_of(&self, thread: usize) -> Option<usize> {
        self.last.get(thread).copied().flatten().map(|step| step as usize)
    }

    /// The step before this one in its thread.
    pub fn previous(&self, step: usize) -> Option<usize> {
        self.steps[step].previous.map(|previous| previous as usize)
    }

    /// For each thread, how many of its events happen before the step or are it.
    pub fn clock(&self, step: usize) -> &[u32] {
        &self.clocks[step * self.stride..(step + 1) * self.stride]
    }

    /// Whether the earlier step happens before the later one.
    #[inline]
    pub fn happens_before(&self, earlier: usize, later: usize) -> bool {
        let step = &self.steps[earlier];
        self.clocks[later * self.stride + step.thread as usize] >= step.number
    }

    /// The steps that touch the resource, in order, with how they do.
    pub fn touching(&self, resource: Resource) -> &[(u32, Mode)] {
        self.touched.get(&resource).map_or(&[], |steps| steps)
    }

    /// The steps that may conflict with an access, in order, with how they touch its resource.
    pub fn conflicting(&self, access: Access) -> &[(u32, Mode)] {
        let all = if access.mode == Mode::Read { &self.changed } else { &self.touched };
        all.get(&access.resource).map_or(&[], |steps| steps)
    }

    /// Forgets all steps from this one on.
    pub fn truncate(&mut self, len: usize) {
        while self.steps.len() > len {
            let step = self.steps.pop().expect("internal bug: there is a step to forget");
            self.last[step.thread as usize] = step.previous;
            for access in step.footprint.accesses() {
                self.touched.get_mut(&access.resource).and_then(Vec::pop);
                if access.mode != Mode::Read {
                    self.changed.get_mut(&access.resource).and_then(Vec::pop);
                }
            }
        }
        self.clocks.truncate(len * self.stride);
        while self.barriers.last().is_some_and(|&(step, _)| step >= len) {
            self.barriers.pop();
        }
    }

    /// Adds a step.
    pub fn push(&mut self, thread: usize, footprint: Footprint, after: After) {
        if thread >= self.stride {
            self.widen((thread + 1).next_power_of_two().max(4));
        }
        let (step, previous) = (self.steps.len(), self.last[thread]);
        let number = previous.map_or(0, |previous| self.steps[previous as usize].number) + 1;
        let mut clock = std::mem::take(&mut self.scratch);
        clock.clear();
        match previous.map(|previous| previous as usize).or(after.start) {
            Some(before) => clock.extend_from_slice(self.clock(before)),
            None => clock.resize(self.stride, 0),
        }
        if let Some(change) = after.change {
            join(&mut clock, self.clock(change));
        }
        if after.barrier {
            self.barriers.push((step, self.counts()));
        }
        if let Some((_, before)) = self.barriers.last() {
            join(&mut clock, before);
        }
        for access in footprint.accesses() {
            // A read depends on no other, and there may be very many.
            for &(touching, mode) in self.conflicting(access).iter().rev() {
                let other = &self.steps[touching as usize];
                if access.mode.conflicts(mode) && clock[other.thread as usize] < other.number {
                    join(&mut clock, self.clock(touching as usize));
                }
                // Whatever touched it before a write happens before the write.
                if mode == Mode::Write && access.mode.conflicts(mode) {
                    break;
                }
            }
        }
        clock[thread] = number;
        self.clocks.extend_from_slice(&clock);
        self.scratch = clock;
        for access in footprint.accesses() {
            self.touched.entry(access.resource).or_default().push((step as u32, access.mode));
            if access.mode != Mode::Read {
                self.changed.entry(access.resource).or_default().push((step as u32, access.mode));
            }
        }
        self.last[thread] = Some(step as u32);
        self.steps.push(Ordered { thread: thread as u16, number, footprint, previous });
    }

    /// How many steps each thread has done.
    fn counts(&self) -> Vec<u32> {
        self.last.iter().map(|last| last.map_or(0, |step| self.steps[step as usize].number)).collect()
    }

    /// Makes room for more threads.
    fn widen(&mut self, stride: usize) {
        let mut clocks = vec![0; self.steps.len() * stride];
        for (step, clock) in clocks.chunks_exact_mut(stride).enumerate() {
            clock[..self.stride].copy_from_slice(self.clock(step));
        }
        (self.clocks, self.stride) = (clocks, stride);
        self.last.resize(stride, None);
        self.barriers.iter_mut().for_each(|(_, before)| before.resize(stride, 0));
    }
}

fn join(clock: &mut [u32], other: &[u32]) {
    for (mine, theirs) in clock.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}
