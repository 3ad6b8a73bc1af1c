//! What a method lets out of the subject, and calls that leave what is seen.

use std::rc::Rc;

use super::Gatherer;
use super::names::Parameters;
use crate::facts::{OpaqueFact, Owner};
use crate::path::PathId;
use crate::summary::{OpaqueReason, Summary};

impl Gatherer<'_, '_, '_> {
    /// What a method lets out: parts of the subject, and new objects that hold on to it.
    pub(super) fn publishes(&mut self, summary: &Summary, parameters: &Parameters) -> Vec<String> {
        let returns: Rc<[PathId]> = self.solver.sets.get(summary.flow.returns);
        let mut found = Vec::new();
        for &path in returns.iter() {
            let owner = self.owner(path, parameters);
            let fields = self.solver.paths.get(path).fields.len();
            if owner == Owner::Subject && fields > 0 {
                let class = self.type_of(path, parameters);
                let class = self.solver.program.names.text(class).clone();
                if !crate::scope::is_immutable(&class) {
                    found.push(self.path_text(path, parameters));
                }
            } else if let Some(allocation) = self.solver.paths.fresh(path) {
                let holds =
                    summary.flow.contents.iter().find(|(base, _, value)| {
                        *base == Some(path) && self.owner(*value, parameters) == Owner::Subject
                    });
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
