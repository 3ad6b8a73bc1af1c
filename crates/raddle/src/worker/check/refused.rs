//! Calls that were refused because others were at it (`oracle::refused`). A refused call has done nothing. So what
//! the other calls show must be what an order of them shows without it; else more is wrong than a refusal.

use oracle::{Observation, Oracle, Serial, refused};
use testcase::TestCase;

use super::linearize;
use super::observe::Seen;
use crate::worker::protocol::Check;
use crate::worker::reason::Reason;
use crate::worker::runs::Runs;

/// What linearizations show without calls that were refused.
#[derive(Default)]
pub struct Refusals {
    /// By the calls that are left out; None if others need them.
    known: Vec<(Calls, Option<Serial<Seen>>)>,
}

/// Calls of suffixes, each named by its suffix and its number there.
type Calls = Vec<(usize, usize)>;

impl Refusals {
    /// Whether refused calls are all that is wrong with values that an execution has shown.
    pub fn explain(
        &mut self,
        runs: &mut Runs<'_>,
        check: &Check,
        test: &TestCase,
        mut observation: Observation<Seen>,
    ) -> Result<bool, Reason> {
        let calls = refused(test, &observation);
        if calls.is_empty() {
            return Ok(false);
        }
        let known = match self.known.iter().position(|(known, _)| *known == calls) {
            Some(known) => known,
            None => {
                let serial = linearize::without(runs, check, test, &calls)?;
                self.known.push((calls.clone(), serial));
                self.known.len() - 1
            }
        };
        leave_out(&mut observation.suffixes, &calls);
        let Some(serial) = &self.known[known].1 else { return Ok(false) };
        Ok(serial.judge(&observation, Oracle::Linearizability).is_none())
    }
}

/// Leaves calls out, or what became of them.
pub fn leave_out<T>(suffixes: &mut [Vec<T>], calls: &[(usize, usize)]) {
    for (suffix, all) in suffixes.iter_mut().enumerate() {
        let mut number = 0;
        all.retain(|_| {
            number += 1;
            !calls.contains(&(suffix, number - 1))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_left_out_by_their_numbers() {
        let mut suffixes = vec![vec!["a", "b", "c"], vec!["d"]];
        leave_out(&mut suffixes, &[(0, 0), (0, 2), (1, 1)]);
        assert_eq!(suffixes, [vec!["b"], vec!["d"]]);
    }
}
