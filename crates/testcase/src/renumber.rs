//! Calls whose arguments are changed, wherever they stand.

use crate::{Argument, Behaviour, Call, Operation};

impl Call {
    /// Changes the numbers of all values that it uses.
    pub fn renumber(&mut self, number: &dyn Fn(usize) -> usize) {
        self.change_arguments(&mut |argument| {
            if let Argument::Value(value) = argument {
                *value = number(*value);
            }
        });
    }

    /// Changes which calls of suffixes are meant where it uses what they have returned. Says whether there is such a call
    /// for each of them.
    #[must_use]
    pub fn change_returned(&mut self, change: &dyn Fn(usize, usize) -> Option<Argument>) -> bool {
        let mut is_there = true;
        self.change_arguments(&mut |argument| {
            if let Argument::Returned { suffix, call } = *argument {
                match change(suffix, call) {
                    Some(other) => *argument = other,
                    None => is_there = false,
                }
            }
        });
        is_there
    }

    /// Shows all arguments, to be changed: the receiver and those of behaviours, too.
    pub fn change_arguments(&mut self, change: &mut dyn FnMut(&mut Argument)) {
        self.arguments.iter_mut().for_each(&mut *change);
        match &mut self.operation {
            Operation::Virtual { receiver, .. }
            | Operation::GetField { receiver, .. }
            | Operation::PutField { receiver, .. } => change(receiver),
            Operation::Implement { methods, .. } => {
                methods.iter_mut().for_each(|method| in_behaviour(&mut method.does, change));
            }
            Operation::Construct { .. }
            | Operation::Static { .. }
            | Operation::GetStatic { .. }
            | Operation::PutStatic { .. }
            | Operation::Array { .. } => {}
        }
    }
}

fn in_behaviour(behaviour: &mut Behaviour, change: &mut dyn FnMut(&mut Argument)) {
    match behaviour {
        Behaviour::Nothing | Behaviour::Throw { .. } => {}
        Behaviour::Return(argument) => change(argument),
        Behaviour::Call(call) => call.change_arguments(change),
        Behaviour::InTurn(turns) => turns.iter_mut().for_each(|turn| in_behaviour(turn, change)),
    }
}
