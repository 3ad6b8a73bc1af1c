//! Arrays without elements, kept in static final fields: nothing can be read or written in them.
//!
//! `ArrayList` has one for all lists that are empty. The analysis follows it to where elements are written, for it does
//! not know that the list makes another array first; all lists would share what nobody can touch.

use classfile::{FieldOp, Flags, Instruction};

use super::Gatherer;
use crate::path::{PathId, Root};
use crate::program::{ELEMENTS, FieldId, code_of};
use crate::summary::Touch;

impl Gatherer<'_, '_, '_> {
    /// Whether an access is one of an element that cannot be there.
    pub(super) fn is_of_empty_array(&mut self, touch: &Touch) -> bool {
        let (Some(base), true) = (touch.base, touch.field == ELEMENTS) else { return false };
        match self.static_field(base) {
            Some(field) => match self.empty_arrays.get(&field) {
                Some(&known) => known,
                None => {
                    let is_empty = self.find_empty_array(field).unwrap_or(false);
                    self.empty_arrays.insert(field, is_empty);
                    is_empty
                }
            },
            None => false,
        }
    }

    /// The static field whose value a path is.
    fn static_field(&self, path: PathId) -> Option<FieldId> {
        let path = self.solver.paths.get(path);
        match path.root {
            Root::Static(field) if path.fields.is_empty() && !path.tail => Some(field),
            _ => None,
        }
    }

    /// Whether the static initialiser puts a new array of length 0 into a final field.
    fn find_empty_array(&mut self, field: FieldId) -> Option<bool> {
        let program = &mut *self.solver.program;
        let info = program.field(field).clone();
        let class = program.class(info.owner).ok()?;
        let name = program.names.text(info.name).clone();
        let initialiser = class
            .in_order
            .iter()
            .map(|&method| program.method(method))
            .find(|method| method.name == program.known.clinit)?;
        let constants = &class.file.constants;
        let instructions: Vec<Instruction> =
            code_of(&class, initialiser)?.instructions().map(|placed| placed.instruction).collect();
        let puts = |instruction: &Instruction| match instruction {
            Instruction::Field(FieldOp::PutStatic, target) => {
                let target = constants.field(*target);
                target.class == class.file.name() && target.name == *name
            }
            _ => false,
        };
        let mut stores = (0..instructions.len()).filter(|&at| puts(&instructions[at]));
        let is_new_empty = |at: usize| {
            let before = at.checked_sub(2).map(|first| &instructions[first..at]);
            matches!(before, Some([Instruction::Int(0), Instruction::NewReferenceArray(_) | Instruction::NewArray(_)]))
        };
        Some(info.flags.has(Flags::STATIC.with(Flags::FINAL)) && stores.all(is_new_empty))
    }
}
