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
        let returned = |suffix: usize, call: usize| Some((0, numbers[suffix].get(call)? - first));
        let probes = hand_over(&self.probes, &returned).expect("internal bug: an order of other calls");
        Prepared { prefix: self.prefix.clone(), suffixes, probes }
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
            let left = all.iter().enumerate().filter(|(call, _)| is_left(*call));
            let left = left.map(|(_, call)| call.with_operands(&renumber));
            left.collect::<Option<Vec<Ready>>>()
        });
        let suffixes = Arc::new(suffixes.collect::<Option<_>>()?);
        let returned = |suffix: usize, call: usize| {
            let before = (0..call).filter(|&earlier| !calls.contains(&(suffix, earlier))).count();
            (!calls.contains(&(suffix, call))).then_some((suffix, before))
        };
        Some(Prepared { prefix: self.prefix.clone(), suffixes, probes: hand_over(&self.probes, &returned)? })
    }
}

/// Probes that use what calls of suffixes return, where those calls stand elsewhere. None if there is no such call any more.
fn hand_over(probes: &[Ready], returned: &impl Fn(usize, usize) -> Option<(usize, usize)>) -> Option<Vec<Ready>> {
    let moved = |operand: &Operand| match *operand {
        Operand::Returned(suffix, call) => returned(suffix, call).map(|(suffix, call)| Operand::Returned(suffix, call)),
        other => Some(other),
    };
    probes.iter().map(|probe| probe.with_operands(&moved)).collect()
}
