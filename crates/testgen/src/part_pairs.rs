//! Pairs of calls with parts of a subject: a part beside the subject, or beside a second part, which the same method
//! gives out or another.

use std::collections::HashMap;

use crate::parts::{Beside, Bounded, MOST, Part, PartCall, Source};
use crate::relations::Relations;
use crate::subject::SubjectClass;

/// Pairs with further methods of a part come last.
const MOST_METHODS: usize = 12;
/// Two parts that different methods give out come after so many methods of one.
const LATER: usize = 2;

/// Which calls of parts are tried beside which, with the methods of the subject: what gives the part, and what is
/// called.
///
/// A class may have hundreds of parts with hundreds of methods each. So only the pairs that may come first are made,
/// and the others are counted.
pub fn pairs(parts: &[Part], class: &SubjectClass, relations: &Relations) -> Bounded<((usize, usize), Beside)> {
    let mut first = First::default();
    each_pair(parts, class, relations, MOST_METHODS, |rank, pair| first.note(rank, pair));
    let number = number_of_pairs(parts, class, relations);
    if first.noted < MOST {
        first = First::default();
        each_pair(parts, class, relations, usize::MAX, |rank, pair| first.note(rank, pair));
        debug_assert_eq!(first.noted, number, "pairs are counted as they are made");
    }
    let tried = first.finish();
    Bounded { left: number - tried.len(), tried }
}

/// A pair with parts: the methods of the subject, and the calls.
type PartPair = ((usize, usize), Beside);
/// What comes first: pairs without further methods, then those that change something, then those of early methods.
type Rank = (bool, bool, bool, usize);

/// The first pairs of many.
#[derive(Default)]
struct First {
    found: Vec<(Rank, PartPair)>,
    /// How many there were.
    noted: usize,
}

impl First {
    fn note(&mut self, rank: Rank, pair: PartPair) {
        self.noted += 1;
        self.found.push((rank, pair));
        if self.found.len() >= 64 * MOST {
            self.cut();
        }
    }

    fn cut(&mut self) {
        self.found.sort_by_key(|(rank, _)| *rank);
        self.found.truncate(MOST);
    }

    fn finish(mut self) -> Vec<PartPair> {
        self.cut();
        self.found.into_iter().map(|(_, pair)| pair).collect()
    }
}

/// Goes through the pairs with the first methods of each part.
fn each_pair(
    parts: &[Part],
    class: &SubjectClass,
    relations: &Relations,
    most_methods: usize,
    mut each: impl FnMut(Rank, PartPair),
) {
    for (part, of) in parts.iter().enumerate() {
        let number = of.methods.len().min(most_methods);
        if is_offspring(of, class) {
            for (method, own) in own_pairs(of, class, relations).filter(|(method, _)| *method < number) {
                let asks = of.methods[method].1.asks();
                let rank = (method >= MOST_METHODS, asks, relations.only_looks(own), LATER + method);
                let methods = (of.source.method().unwrap_or(own), own);
                each(rank, (methods, Beside { part, method, other: None, is_same: false }));
            }
            continue;
        }
        for method in 0..number {
            let asks = of.methods[method].1.asks();
            let changing = class.callable().map(|(own, _)| own).filter(|own| !asks || !relations.only_looks(*own));
            for own in changing {
                let rank = (method >= MOST_METHODS, asks, relations.only_looks(own), method);
                let methods = (of.source.method().unwrap_or(own), own);
                each(rank, (methods, Beside { part, method, other: None, is_same: false }));
            }
            // What the subject was given is a matter of the subject only where that is called, too.
            let Source::Given(giver) = of.source else { continue };
            for other in (method..number).filter(|other| !asks || !of.methods[*other].1.asks()) {
                let rank = (other >= MOST_METHODS, asks, of.methods[other].1.asks(), method + other);
                for is_same in [false, true].into_iter().filter(|is_same| !is_same || of.is_shareable) {
                    let beside = Beside { part, method, other: Some(PartCall { part, method: other }), is_same };
                    each(rank, ((giver, giver), beside));
                }
            }
            // A source beside a sink, or a left side beside a right one.
            for (second, of_second) in parts.iter().enumerate().skip(part + 1) {
                let Source::Given(other_giver) = of_second.source else { continue };
                if is_offspring(of_second, class) {
                    continue;
                }
                for (other, (_, called)) in of_second.methods.iter().enumerate().take(most_methods) {
                    if asks && called.asks() {
                        continue;
                    }
                    let rank = (method.max(other) >= MOST_METHODS, asks, called.asks(), LATER + method + other);
                    let other = Some(PartCall { part: second, method: other });
                    each(rank, ((giver, other_giver), Beside { part, method, other, is_same: false }));
                }
            }
        }
    }
}

/// Whether a part is of the class under test.
fn is_offspring(part: &Part, class: &SubjectClass) -> bool {
    matches!(part.source, Source::Given(_)) && part.info.name == class.info.name
}

/// The methods of such a part, by their numbers there, and of the subject of which one may change what the other touches.
fn own_pairs<'f>(
    part: &'f Part,
    class: &'f SubjectClass,
    relations: &'f Relations,
) -> impl Iterator<Item = (usize, usize)> + 'f {
    let numbers: HashMap<(&str, &str), usize> = class
        .callable()
        .filter(|(_, it)| it.has_receiver())
        .map(|(number, it)| ((&*it.method.name, &*it.method.descriptor), number))
        .collect();
    let known = part.methods.iter().enumerate();
    let known = known.filter_map(move |(method, (_, it))| Some((method, *numbers.get(&(&*it.name, &*it.descriptor))?)));
    known.flat_map(move |(method, of_part)| {
        let changes = move |own: &usize| relations.changes(of_part, *own) || relations.changes(*own, of_part);
        let own = class.callable().filter(|(_, it)| it.has_receiver()).map(|(own, _)| own);
        own.filter(changes).map(move |own| (method, own))
    })
}

/// How many pairs there are with all methods. Two calls that only ask something are none.
fn number_of_pairs(parts: &[Part], class: &SubjectClass, relations: &Relations) -> usize {
    let own = class.callable().count();
    let own_changing = class.callable().filter(|(own, _)| !relations.only_looks(*own)).count();
    let in_any_order = |number: usize| number * (number + 1) / 2;
    let mut pairs = 0;
    // The methods of all given parts before this one, and of those the ones that ask.
    let (mut before, mut asking_before) = (0, 0);
    for part in parts {
        if is_offspring(part, class) {
            pairs += own_pairs(part, class, relations).count();
            continue;
        }
        let methods = part.methods.len();
        let asking = part.methods.iter().filter(|(_, method)| method.asks()).count();
        pairs += (methods - asking) * own + asking * own_changing;
        if let Source::Given(_) = part.source {
            let shapes = if part.is_shareable { 2 } else { 1 };
            pairs += shapes * (in_any_order(methods) - in_any_order(asking));
            pairs += before * methods - asking_before * asking;
            before += methods;
            asking_before += asking;
        }
    }
    pairs
}
