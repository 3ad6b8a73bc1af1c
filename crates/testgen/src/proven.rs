//! Texts and numbers that calls have accepted, by parameter.
//!
//! A class may accept few of the texts that it mentions: a path that exists, the name of a format. An amount must be
//! positive, an index small. What is learnt of choices only decides among the literals that were drawn, and the right one
//! is seldom among three. So each parameter remembers some literals with which its call returned, and one of them is
//! offered beside those that are drawn.

use crate::learnt::{ByName, Choice, Name};
use crate::rng::Rng;
use testcase::Argument;

/// Literals that calls have accepted.
#[derive(Debug, Default)]
pub struct Proven {
    /// All that were drawn, by what they are called where choices are learnt.
    seen: ByName<Argument>,
    /// Those that were accepted, by parameter.
    accepted: ByName<Vec<Argument>>,
}

/// Number of literals that a parameter remembers.
const MAX_LITERALS: usize = 8;

impl Proven {
    /// Notes a literal that was drawn, with the name of its choice.
    pub fn saw(&mut self, what: Name, literal: &Argument) {
        self.seen.entry(what).or_insert_with(|| literal.clone());
    }

    /// Notes that a call returned for which this choice was made.
    pub fn accept(&mut self, choice: Choice) {
        let Some(literal) = self.seen.get(&choice.what) else { return };
        let accepted = self.accepted.entry(choice.place).or_default();
        if accepted.len() < MAX_LITERALS && !accepted.contains(literal) {
            accepted.push(literal.clone());
        }
    }

    /// A literal that the call with this parameter has accepted.
    pub fn at(&self, place: Name, rng: &mut Rng) -> Option<&Argument> {
        rng.pick(self.accepted.get(&place)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_is_offered_what_its_call_accepted() {
        let (path, name) = (Name::of("read 0"), Name::of("rename 0"));
        let mut proven = Proven::default();
        let text = |text: &str| Argument::String(text.into());
        for name in ["/", "a"] {
            proven.saw(Name::of(name), &text(name));
        }
        proven.accept(Choice { place: path, what: Name::of("/") });
        proven.accept(Choice { place: path, what: Name::of("no text") });
        let mut rng = Rng::new(1);
        assert_eq!(proven.at(path, &mut rng), Some(&text("/")));
        assert_eq!(proven.at(name, &mut rng), None);
    }
}
