//! Texts that calls have accepted, by parameter.
//!
//! A class may accept few of the texts that it mentions: a path that exists, the name of a format. What is learnt of choices
//! only decides among the texts that were drawn, and one of forty is seldom among three. So each parameter remembers some of
//! the texts with which its call returned, and one of them is offered beside those that are drawn.

use crate::learnt::{ByName, Choice, Name};
use crate::rng::Rng;

/// Texts that calls have accepted.
#[derive(Debug, Default)]
pub struct Proven {
    /// All texts that were drawn, by what they are called where choices are learnt.
    seen: ByName<String>,
    /// Those that were accepted, by parameter.
    accepted: ByName<Vec<String>>,
}

/// Number of texts that a parameter remembers.
const MAX_TEXTS: usize = 8;

impl Proven {
    /// Notes a text that was drawn, with the name of its choice.
    pub fn saw(&mut self, what: Name, text: &str) {
        self.seen.entry(what).or_insert_with(|| text.to_owned());
    }

    /// Notes that a call returned for which this choice was made.
    pub fn accept(&mut self, choice: Choice) {
        let Some(text) = self.seen.get(&choice.what) else { return };
        let accepted = self.accepted.entry(choice.place).or_default();
        if accepted.len() < MAX_TEXTS && !accepted.contains(text) {
            accepted.push(text.clone());
        }
    }

    /// A text that the call with this parameter has accepted.
    pub fn at(&self, place: Name, rng: &mut Rng) -> Option<&str> {
        rng.pick(self.accepted.get(&place)?).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_is_offered_what_its_call_accepted() {
        let (path, name) = (Name::of("read 0"), Name::of("rename 0"));
        let mut proven = Proven::default();
        for text in ["/", "a"] {
            proven.saw(Name::of(text), text);
        }
        proven.accept(Choice { place: path, what: Name::of("/") });
        proven.accept(Choice { place: path, what: Name::of("no text") });
        let mut rng = Rng::new(1);
        assert_eq!(proven.at(path, &mut rng), Some("/"));
        assert_eq!(proven.at(name, &mut rng), None);
    }
}
