//! What was learnt from sequences that ran: which choices of arguments let a call succeed.

use std::collections::HashMap;
use std::hash::Hash;

use crate::mix::{self, ByMix};

/// A choice that was made for a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// What the value was for: a method with its class and descriptor, and the parameter's number.
    pub place: Name,
    /// What was chosen: a literal, a way to make an object.
    pub what: Name,
}

/// What places and choices are called. Many are named for each test and nobody reads them, so a name is no text but a hash of all that it
/// is made of. Of two that have the same one would be taken for the other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Name(u64);

/// How often choices went well.
#[derive(Clone, Debug, Default)]
pub struct Learnt {
    places: ByName<Counts>,
}

/// How often what was chosen went well, and how often it did not.
type Counts = ByName<(u32, u32)>;

/// By names.
pub type ByName<T> = HashMap<Name, T, ByMix>;

/// What was learnt about one place. Dozens of choices are weighed there for each that is made.
#[derive(Clone, Copy)]
pub struct Here<'l>(Option<&'l Counts>);

impl Name {
    /// Of all this together.
    pub fn of(parts: impl Hash) -> Name {
        Name(mix::hash(&parts))
    }
}

impl Learnt {
    /// What was learnt about a place.
    pub fn at(&self, place: Name) -> Here<'_> {
        Here(self.places.get(&place))
    }

    /// How likely a choice is to be made again.
    pub fn weight(&self, choice: Choice) -> f64 {
        self.at(choice.place).weight(choice.what)
    }

    /// The call for which it was made returned, or not.
    pub fn note(&mut self, choice: Choice, went_well: bool) {
        let place = self.places.entry(choice.place).or_default();
        let (good, bad) = place.entry(choice.what).or_default();
        *if went_well { good } else { bad } += 1;
    }
}

impl Here<'_> {
    /// How likely a choice is to be made again, beside those that were never made: more than one if it went well, less if it did
    /// not. Nothing is ever ruled out, for a call may fail in one state of the subject and not in another.
    pub fn weight(&self, what: Name) -> f64 {
        let (good, bad) = self.0.and_then(|counts| counts.get(&what)).copied().unwrap_or_default();
        let share = f64::from(good + 1) / f64::from(good + bad + 2);
        (2.0 * share).max(0.05)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_went_wrong_becomes_rare_and_can_recover() {
        let choice = Choice { place: Name::of("Vector.get 0"), what: Name::of("-1") };
        let mut learnt = Learnt::default();
        assert_eq!(learnt.weight(choice), 1.0);
        (0..30).for_each(|_| learnt.note(choice, false));
        assert!(learnt.weight(choice) < 0.1 && learnt.weight(choice) > 0.0);
        (0..300).for_each(|_| learnt.note(choice, true));
        assert!(learnt.weight(choice) > 1.5);
    }
}
