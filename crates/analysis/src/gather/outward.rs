//! What a method lets out of the subject, and calls that leave what is seen.

use std::rc::Rc;

use super::Gatherer;
use super::names::Parameters;
use crate::facts::{OpaqueFact, Owner};
use crate::path::{PathId, Root};
use crate::summary::{OpaqueReason, Summary};

impl Gatherer<'_, '_, '_> {
    /// What a method lets out: parts of the subject, what static fields of programs hold, and new objects that hold on to
    /// either.
    pub(super) fn publishes(&mut self, summary: &Summary, parameters: &Parameters) -> Vec<String> {
        let returns: Rc<[PathId]> = self.solver.sets.get(summary.flow.returns);
        let mut found = Vec::new();
        for &path in returns.iter() {
            if self.is_part(path, parameters) {
                let class = self.type_of(path, parameters);
                let class = self.solver.program.names.text(class).clone();
                if !crate::scope::is_immutable(&class) {
                    found.push(self.path_text(path, parameters));
                }
            } else if let Some(allocation) = self.solver.paths.fresh(path) {
                let mut is_held =
                    |value| self.owner(value, parameters) == Owner::Subject || self.is_part(value, parameters);
                let mut contents = summary.flow.contents.iter();
                let holds = contents.find(|(base, _, value)| *base == Some(path) && is_held(*value));
                if let Some(&(_, _, held)) = holds {
                    let class = self.solver.program.dotted(self.solver.paths.allocation(allocation).class);
                    found.push(format!("new {class} over {}", self.path_text(held, parameters)));
                }
            }
        }
        found.sort();
        found.dedup();
        found
    }

    /// Whether all that a method returns is the subject itself, so that calls can be written in a row.
    pub(super) fn gives_itself(&mut self, summary: &Summary, parameters: &Parameters) -> bool {
        let returns: Rc<[PathId]> = self.solver.sets.get(summary.flow.returns);
        let mut is_itself = |path: &PathId| {
            self.solver.paths.get(*path).fields.is_empty() && self.owner(*path, parameters) == Owner::Subject
        };
        !returns.is_empty() && returns.iter().all(&mut is_itself)
    }

    /// Whether a path leads to what the subject is made of, or to what a static field holds. Those of the JDK hold
    /// constants and registers of its own.
    fn is_part(&mut self, path: PathId, parameters: &Parameters) -> bool {
        match self.solver.paths.get(path).root {
            Root::Static(field) => {
                let owner = self.solver.program.field(field).owner;
                owner == self.solver.under_test || self.solver.program.class(owner).is_ok_and(|class| !class.of_jdk)
            }
            _ => {
                let fields = self.solver.paths.get(path).fields.len();
                self.owner(path, parameters) == Owner::Subject && fields > 0
            }
        }
    }

    pub(super) fn opaque(&self, summary: &Summary) -> Vec<OpaqueFact> {
        let program = &*self.solver.program;
        let fact = |opaque: &crate::summary::Opaque| OpaqueFact {
            call: format!("{}.{}", program.dotted(opaque.class), program.names.text(opaque.name)),
            reason: match opaque.reason {
                OpaqueReason::Native => "native",
                OpaqueReason::Scope => "the virtual machine stands on it",
                OpaqueReason::Open => "other classes may come",
                OpaqueReason::Missing => "not on the class path, or damaged",
                OpaqueReason::Limit => "beyond the limits of the analysis",
                OpaqueReason::Dynamic => "named only at run time",
            },
        };
        let mut opaque: Vec<OpaqueFact> = summary.opaque.iter().map(fact).collect();
        opaque.sort();
        opaque
    }
}
