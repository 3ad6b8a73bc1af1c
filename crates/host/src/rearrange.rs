//! The same calls in other threads. What was looked up for a test case serves for these as well, so they cost nothing.

use crate::host::Prepared;
use crate::resolve::{Operand, Ready};
use std::sync::Arc;

impl Prepared {
    /// The prefix and one suffix, if one is named, without the probes.
    pub fn alone(&self, suffix: Option<usize>) -> Prepared {
        let suffixes = suffix.map(|number| self.suffixes[number].clone()).into_iter().collect();
        Prepared { prefix: self.prefix.clone(), suffixes: Arc::new(suffixes), probes: Vec::new() }
    }

    /// All calls of the suffixes in one thread, where `order` says of which suffix each is. Values that they gave have the
    /// numbers that they have there.
    ///
    /// # Panics
    /// If the order has more calls of a suffix than that has.
    pub fn merged(&self, order: &[usize]) -> Prepared {
        let first = self.prefix.len();
        let mut numbers: Vec<Vec<usize>> = vec![Vec::new(); self.suffixes.len()];
        let merged = order.iter().enumerate().map(|(place, &suffix)| {
            let own = &mut numbers[suffix];
            own.push(first + place);
            let renumber = |operand: &Operand| match *operand {
                Operand::Value(number) if number >= first => Operand::Value(own[number - first]),
                other => other,
            };
            let call = &self.suffixes[suffix][own.len() - 1];
            Ready {
                receiver: call.receiver.as_ref().map(renumber),
                arguments: call.arguments.iter().map(renumber).collect(),
                ..call.clone()
            }
        });
        let suffixes = Arc::new(vec![merged.collect()]);
        Prepared { prefix: self.prefix.clone(), suffixes, probes: self.probes.clone() }
    }

    /// Without these calls of suffixes, each named by its suffix and its number there. None if a call that is left
    /// needs what one of them gave.
    pub fn without(&self, calls: &[(usize, usize)]) -> Option<Prepared> {
        let first = self.prefix.len();
        let suffixes = self.suffixes.iter().enumerate().map(|(suffix, all)| {
            let is_left = |call: usize| !calls.contains(&(suffix, call));
            let renumber = |operand: &Operand| match *operand {
                Operand::Value(number) if number >= first => {
                    let call = number - first;
                    let before = (0..call).filter(|&earlier| is_left(earlier)).count();
                    is_left(call).then_some(Operand::Value(first + before))
                }
                other => Some(other),
            };
            let left = all.iter().enumerate().filter(|(call, _)| is_left(*call)).map(|(_, call)| {
                let receiver = match &call.receiver {
                    Some(receiver) => Some(renumber(receiver)?),
                    None => None,
                };
                let arguments = call.arguments.iter().map(renumber).collect::<Option<_>>()?;
                Some(Ready { receiver, arguments, ..call.clone() })
            });
            left.collect::<Option<Vec<Ready>>>()
        });
        let suffixes = Arc::new(suffixes.collect::<Option<_>>()?);
        Some(Prepared { prefix: self.prefix.clone(), suffixes, probes: self.probes.clone() })
    }
}
