//! What was learnt from sequences that ran: which choices of arguments let a call succeed.

use std::collections::HashMap;

/// A choice that was made for a parameter.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Choice {
    /// What the value was for: a method with its class and descriptor, and the parameter's number.
    pub place: String,
    /// What was chosen: a literal, a way to make an object.
    pub what: String,
}

/// How often choices went well.
#[derive(Clone, Debug, Default)]
pub struct Learnt {
    counts: HashMap<Choice, (u32, u32)>,
}

impl Learnt {
    /// How likely a choice is to be made again, beside those that were never made: more than one if it went well, less if it did
    /// not. Nothing is ever ruled out, for a call may fail in one state of the subject and not in another.
    pub fn weight(&self, choice: &Choice) -> f64 {
        let (good, bad) = self.counts.get(choice).copied().unwrap_or_default();
        let share = f64::from(good + 1) / f64::from(good + bad + 2);
        (2.0 * share).max(0.05)
    }

    /// The call for which it was made returned, or not.
    pub fn note(&mut self, choice: &Choice, went_well: bool) {
        let (good, bad) = self.counts.entry(choice.clone()).or_default();
        *if went_well { good } else { bad } += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_went_wrong_becomes_rare_and_can_recover() {
        let choice = Choice { place: "Vector.get 0".into(), what: "-1".into() };
        let mut learnt = Learnt::default();
        assert_eq!(learnt.weight(&choice), 1.0);
        (0..30).for_each(|_| learnt.note(&choice, false));
        assert!(learnt.weight(&choice) < 0.1 && learnt.weight(&choice) > 0.0);
        (0..300).for_each(|_| learnt.note(&choice, true));
        assert!(learnt.weight(&choice) > 1.5);
    }
}
