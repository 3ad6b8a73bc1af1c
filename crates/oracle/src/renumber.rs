//! Calls with other numbers for the values that they use.

use testcase::{Argument, Behaviour, Call, Implementation, Operation};

/// The same call, with the numbers of values as `number` has them: of arguments, of the receiver, and of what is used in the
/// methods of a class that the test writes.
pub fn renumber(call: &Call, number: &dyn Fn(usize) -> usize) -> Call {
    let mut operation = call.operation.clone();
    match &mut operation {
        Operation::Virtual { receiver, .. }
        | Operation::GetField { receiver, .. }
        | Operation::PutField { receiver, .. } => *receiver = of_argument(receiver, number),
        Operation::Implement { methods, .. } => *methods = methods.iter().map(|of| of_method(of, number)).collect(),
        Operation::Construct { .. }
        | Operation::Static { .. }
        | Operation::GetStatic { .. }
        | Operation::PutStatic { .. }
        | Operation::Array { .. } => {}
    }
    Call { operation, arguments: call.arguments.iter().map(|argument| of_argument(argument, number)).collect() }
}

fn of_argument(argument: &Argument, number: &dyn Fn(usize) -> usize) -> Argument {
    match argument {
        Argument::Value(value) => Argument::Value(number(*value)),
        other => other.clone(),
    }
}

fn of_method(method: &Implementation, number: &dyn Fn(usize) -> usize) -> Implementation {
    Implementation { does: of_behaviour(&method.does, number), ..method.clone() }
}

fn of_behaviour(behaviour: &Behaviour, number: &dyn Fn(usize) -> usize) -> Behaviour {
    match behaviour {
        Behaviour::Return(argument) => Behaviour::Return(of_argument(argument, number)),
        Behaviour::Call(call) => Behaviour::Call(Box::new(renumber(call, number))),
        Behaviour::InTurn(turns) => Behaviour::InTurn(turns.iter().map(|turn| of_behaviour(turn, number)).collect()),
        Behaviour::Nothing | Behaviour::Throw { .. } => behaviour.clone(),
    }
}
