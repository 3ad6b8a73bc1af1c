//! Methods that put an argument into a field of the subject, as they are: the writable methods of Intruder. By such a
//! method two subjects can be made to share what they hold.

use crate::analyzer::Entry;
use crate::facts::{Setter, Setters, signature};
use crate::path::{Path, Root};
use crate::program::FieldId;
use crate::solver::Solver;

/// The fields of the subject that can be set from outside, each with all that sets it, in order of their names.
pub fn find(solver: &Solver<'_, '_>, constructors: &[Entry], methods: &[Entry]) -> Vec<(FieldId, Setters)> {
    let mut found: Vec<(FieldId, Setters)> = Vec::new();
    for entry in constructors.iter().chain(methods) {
        let info = solver.program.method(entry.method);
        if info.flags.has(classfile::Flags::STATIC) {
            continue;
        }
        let name = match info.name == solver.program.known.init {
            true => format!("new {}", solver.program.dotted(info.owner)),
            false => solver.program.names.text(info.name).to_string(),
        };
        for &(base, field, value) in &solver.flow(entry.instance).stores {
            let whole = |path: &Path| path.fields.is_empty() && !path.tail;
            let Some(base) = base.map(|base| solver.paths.get(base)) else { continue };
            let value = solver.paths.get(value);
            let (Root::Parameter(0), Root::Parameter(argument @ 1..)) = (base.root, value.root) else { continue };
            if !whole(base) || !whole(value) {
                continue;
            }
            let by = Setter {
                method: signature(&name, solver.program.names.text(info.descriptor)),
                argument: usize::from(argument) - 1,
            };
            match found.iter_mut().find(|(known, _)| *known == field) {
                Some((_, setters)) => setters.by.push(by),
                None => {
                    let name = solver.program.names.text(solver.program.field(field).name);
                    found.push((field, Setters { path: format!("this.{name}"), by: vec![by] }));
                }
            }
        }
    }
    found.sort_by(|a, b| a.1.path.cmp(&b.1.path));
    found
}
