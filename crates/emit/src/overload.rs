//! Which of several methods of one name the compiler takes, as far as it matters: whether it is the one that is meant.
//!
//! Only the first phase of the compiler is known here, in which nothing is boxed and no array is made of arguments. A
//! call that this phase does not decide for the method that is meant gets casts until it does.

use crate::hierarchy::Hierarchy;

/// Whether a call with arguments of these types is one of the method with those parameters, and no other.
pub fn is_chosen(hierarchy: &Hierarchy<'_>, meant: &[&str], others: &[Vec<&str>], given: &[&str]) -> bool {
    let all_fit = |given: &[&str], wanted: &[&str]| {
        given.len() == wanted.len() && given.iter().zip(wanted).all(|(given, wanted)| hierarchy.fits(given, wanted))
    };
    let rivals = others.iter().filter(|other| other[..] != *meant && all_fit(given, other));
    all_fit(given, meant) && rivals.into_iter().all(|rival| all_fit(meant, rival))
}
