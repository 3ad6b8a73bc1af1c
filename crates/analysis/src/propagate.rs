//! The effects of all methods that are reached: the second half of the fixpoint.
//!
//! How control and objects flow through a method does not depend on what its callees access or lock, only on what
//! they return, store and keep locked. So that is settled first (see `solver`). Then each method is walked once:
//! what it does itself is noted, and each call as an edge of the call graph, with all that it takes to see the
//! callee's effects as the caller sees them. Effects go up along the edges, callees first, each once, until nobody
//! has news: what calls in circles costs no more than what does not.

use std::collections::BTreeSet;

use crate::effects::Effects;
use crate::frame::Frame;
use crate::interpret::Interpreter;
use crate::solver::{InstanceId, Solver};
use crate::state::State;
use crate::summary::Summary;
use crate::value::SetId;

/// A call of one method by another.
#[derive(Debug)]
pub struct Edge {
    pub callee: InstanceId,
    pub arguments: Box<[SetId]>,
    /// How things are with locks and new objects when the callee runs. Neither locals nor stack.
    pub state: State,
    /// How much of the callee's log was taken over.
    taken_over: usize,
}

/// The calls that a method makes, each once.
#[derive(Debug, Default)]
pub struct Edges(Vec<Edge>);

impl Edges {
    pub fn add(&mut self, callee: InstanceId, arguments: &[SetId], state: &State) {
        let same = |edge: &Edge| {
            edge.callee == callee && *edge.arguments == *arguments && edge.state.is_alike_in_effects(state)
        };
        if !self.0.iter().any(same) {
            let arguments = arguments.into();
            self.0.push(Edge { callee, arguments, state: state.without_values(), taken_over: 0 });
        }
    }
}

/// What was recorded of a method.
#[derive(Debug, Default)]
pub struct Record {
    frame: Frame,
    effects: Effects,
    edges: Edges,
    /// Who calls it.
    callers: BTreeSet<InstanceId>,
}

impl Solver<'_, '_> {
    /// Finds out all that these methods do. What is called must be settled.
    pub fn record(&mut self, methods: &[InstanceId]) {
        let mut reached = BTreeSet::new();
        let mut open: Vec<InstanceId> = methods.to_vec();
        while let Some(id) = open.pop() {
            if self.records.contains_key(&id) {
                continue;
            }
            let record = self.walk_once(id);
            open.extend(record.edges.0.iter().map(|edge| edge.callee));
            self.records.insert(id, record);
            reached.insert(id);
        }
        for &caller in &reached {
            let callees: Vec<InstanceId> = self.records[&caller].edges.0.iter().map(|edge| edge.callee).collect();
            for callee in callees {
                self.record_mut(callee).callers.insert(caller);
            }
        }
        let mut news: BTreeSet<(u32, InstanceId)> = reached.iter().map(|&id| (self.order(id), id)).collect();
        while let Some((_, id)) = news.pop_first() {
            if self.taken_over > self.allowed {
                self.cut_off = true;
                return self.take_over_nearest(methods);
            }
            if self.take_over(id) {
                let callers = &self.records[&id].callers;
                news.extend(callers.iter().filter(|&&caller| caller != id).map(|&caller| (self.order(caller), caller)));
            }
        }
    }

    /// What a method does, as far as it was recorded.
    pub fn summary(&self, id: InstanceId) -> Summary {
        let mut summary = Summary { flow: self.flow(id).as_ref().clone(), ..Summary::default() };
        if let Some(record) = self.records.get(&id) {
            record.effects.write_to(&mut summary);
        }
        summary
    }

    /// What is left when the limit is reached: at least these methods learn what their callees know by now, and theirs.
    fn take_over_nearest(&mut self, methods: &[InstanceId]) {
        let edges = methods.iter().flat_map(|method| &self.records[method].edges.0);
        let callees: BTreeSet<(u32, InstanceId)> = edges.map(|edge| (self.order(edge.callee), edge.callee)).collect();
        for id in callees.into_iter().map(|(_, callee)| callee).chain(methods.iter().copied()) {
            self.take_over(id);
        }
    }

    fn walk_once(&mut self, id: InstanceId) -> Record {
        let key = self.key(id);
        let opaque = match (self.take_frame(id), self.body(key.method)) {
            (Some(frame), Some(body)) => match Interpreter::new(self, id, key, body, frame).record() {
                Ok((frame, effects, edges)) => return Record { frame, effects, edges, callers: BTreeSet::new() },
                Err(fault) => {
                    self.faults.insert(key.method, fault);
                    self.unknown(key.method)
                }
            },
            _ => self.unknown(key.method),
        };
        let mut record = Record::default();
        record.effects.opaque(opaque);
        record
    }

    /// Takes over what is new in the callees of a method. Says whether that is news for its own callers.
    fn take_over(&mut self, id: InstanceId) -> bool {
        let key = self.key(id);
        let Some(body) = self.body(key.method) else { return false };
        let Record { frame, effects, mut edges, callers } = std::mem::take(self.record_mut(id));
        let before = effects.log.len();
        let mut interpreter = Interpreter::new(self, id, key, body, frame);
        interpreter.recording = true;
        interpreter.effects = effects;
        for edge in edges.0.iter_mut().filter(|edge| edge.callee != id) {
            let log = std::mem::take(&mut interpreter.solver.record_mut(edge.callee).effects.log);
            interpreter.take_over(&log[edge.taken_over..], &edge.arguments, &edge.state);
            edge.taken_over = log.len();
            interpreter.solver.record_mut(edge.callee).effects.log = log;
        }
        // A method that calls itself takes over from itself until there is no more.
        while let Some(edge) =
            edges.0.iter_mut().find(|edge| edge.callee == id && edge.taken_over < interpreter.effects.log.len())
        {
            let news = interpreter.effects.log[edge.taken_over..].to_vec();
            edge.taken_over += news.len();
            interpreter.take_over(&news, &edge.arguments, &edge.state);
        }
        let (frame, effects) = (interpreter.frame, interpreter.effects);
        let has_news = effects.log.len() > before;
        *self.record_mut(id) = Record { frame, effects, edges, callers };
        has_news
    }

    fn record_mut(&mut self, id: InstanceId) -> &mut Record {
        self.records.get_mut(&id).expect("internal bug: what is called is recorded")
    }
}
