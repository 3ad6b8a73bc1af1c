//! Calls whose values get other numbers.

use testcase::{Argument, Behaviour, Call, Operation};

/// Changes the numbers of all values that calls use.
pub fn renumber(calls: &mut [Call], number: &dyn Fn(usize) -> usize) {
    for call in calls {
        for_each_argument(call, &mut |argument| {
            if let Argument::Value(value) = argument {
                *value = number(*value);
            }
        });
    }
}

/// Shows all arguments of a call, to be changed: the receiver and those of behaviours, too.
pub fn for_each_argument(call: &mut Call, change: &mut dyn FnMut(&mut Argument)) {
    call.arguments.iter_mut().for_each(&mut *change);
    match &mut call.operation {
        Operation::Virtual { receiver, .. }
        | Operation::GetField { receiver, .. }
        | Operation::PutField { receiver, .. } => change(receiver),
        Operation::Implement { methods, .. } => {
            methods.iter_mut().for_each(|method| in_behaviour(&mut method.does, change));
        }
        _ => {}
    }
}

fn in_behaviour(behaviour: &mut Behaviour, change: &mut dyn FnMut(&mut Argument)) {
    match behaviour {
        Behaviour::Nothing | Behaviour::Throw { .. } => {}
        Behaviour::Return(argument) => change(argument),
        Behaviour::Call(call) => for_each_argument(call, change),
        Behaviour::InTurn(turns) => turns.iter_mut().for_each(|turn| in_behaviour(turn, change)),
    }
}
