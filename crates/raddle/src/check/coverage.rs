//! How much of a class was tested, and so which word its verdict is.

use std::collections::{BTreeMap, HashSet};

use testgen::{Generator, Target};

/// What was tested of the pairs of methods that may hurt each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Ways in which calls of a pair can meet, of all pairs: on one subject, on two, by an argument.
    pub all: usize,
    /// Those of which a test has run.
    pub tested: usize,
    /// Those of which a test was certified, with nothing left that was never reached.
    pub certified: usize,
    /// The same of pairs of methods.
    pub pairs: Pairs,
    /// Places for which pairs are suspected and that no test has reached.
    pub unreached: Vec<String>,
    /// Further pairs with objects that subjects give out or take: too many to try each.
    pub left: usize,
    /// Pairs among all with a method that no test can call.
    pub out_of_reach: usize,
    /// What no test can show, in words.
    pub untested: Vec<String>,
}

/// Pairs of methods that may hurt each other, in one way or several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    /// Number of pairs.
    pub all: usize,
    /// Those that were tested in each way.
    pub tested: usize,
    /// Those that were certified in each way.
    pub certified: usize,
}

impl Pairs {
    /// Of ways in which calls meet: the two methods, whether that was tested, and whether it was certified.
    fn of(ways: impl Iterator<Item = ((usize, usize), bool, bool)>) -> Pairs {
        let mut pairs: BTreeMap<(usize, usize), (bool, bool)> = BTreeMap::new();
        for ((one, other), is_tested, is_certified) in ways {
            let pair = pairs.entry((one.min(other), one.max(other))).or_insert((true, true));
            *pair = (pair.0 && is_tested, pair.1 && is_certified);
        }
        let (tested, certified) = (pairs.values().filter(|pair| pair.0), pairs.values().filter(|pair| pair.1));
        Pairs { all: pairs.len(), tested: tested.count(), certified: certified.count() }
    }
}

/// How much is known of a class in which nothing was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Every pair that may matter was certified, and the search had nothing new to see.
    Whole,
    /// Most were tested.
    Most,
    /// So few were tested that nothing can be said.
    Barely,
}

/// With fewer hundredths of the pairs tested, nothing is said.
pub const LEAST_PERCENT: usize = 50;

impl Coverage {
    /// Of what tests of a class are for.
    pub fn of(generator: &Generator<'_>) -> Coverage {
        let targets = generator.targets();
        let (methods, out_of_reach) = generator.out_of_reach();
        let texts = targets.iter().flat_map(|target| target.unreached().map(|goal| &*target.goals[goal].text));
        let mut seen = HashSet::new();
        let unreached: Vec<String> = texts.filter(|text| seen.insert(*text)).map(str::to_owned).collect();
        let is_tested = |target: &Target| target.ran > 0;
        let is_certified = |target: &Target| target.certified > 0 && target.is_done();
        let pairs = Pairs::of(targets.iter().map(|it| (it.methods, is_tested(it), is_certified(it))));
        Coverage {
            all: targets.len() + out_of_reach,
            tested: targets.iter().filter(|target| is_tested(target)).count(),
            certified: targets.iter().filter(|target| is_certified(target)).count(),
            pairs: Pairs { all: pairs.all + out_of_reach, ..pairs },
            unreached,
            left: generator.left(),
            out_of_reach,
            untested: untested(&methods, generator.is_state_kept()),
        }
    }

    /// How much that is. A search that was cut short has not seen all that it would.
    pub fn depth(&self, has_ended: bool) -> Depth {
        let is_all_tried = self.left == 0 && self.untested.is_empty();
        match () {
            _ if self.certified == self.all && is_all_tried && has_ended => Depth::Whole,
            _ if 100 * self.tested >= LEAST_PERCENT * self.all => Depth::Most,
            _ => Depth::Barely,
        }
    }

    /// A share in hundredths, as tables have it.
    pub fn percent(&self, of: usize) -> String {
        match self.all {
            0 => "-".into(),
            // Nothing that is left out is rounded away.
            all => format!("{}%", 100 * of / all),
        }
    }
}

/// What no test can show: methods that need an object which nobody can make, and static state of the JDK.
fn untested(out_of_reach: &[String], is_state_kept: bool) -> Vec<String> {
    /// So many methods are named.
    const NAMED: usize = 5;
    let mut untested = Vec::new();
    if !out_of_reach.is_empty() {
        let named = out_of_reach[..out_of_reach.len().min(NAMED)].join(", ");
        let more = match out_of_reach.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        untested.push(format!("{named}{more}, which no test can call"));
    }
    if is_state_kept {
        untested.push("what is in static fields of the JDK, which is not put back between executions".to_owned());
    }
    untested
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coverage(all: usize, tested: usize, certified: usize) -> Coverage {
        Coverage { all, tested, certified, ..Coverage::default() }
    }

    #[test]
    fn only_what_is_certified_throughout_is_whole() {
        assert_eq!(coverage(3, 3, 3).depth(true), Depth::Whole);
        assert_eq!(coverage(3, 3, 3).depth(false), Depth::Most);
        assert_eq!(coverage(3, 3, 2).depth(true), Depth::Most);
        assert_eq!(coverage(0, 0, 0).depth(true), Depth::Whole, "nothing can meet");
        let bounded = Coverage { left: 1, ..coverage(3, 3, 3) };
        assert_eq!(bounded.depth(true), Depth::Most, "a pair is never tried");
        let untested = untested(&["size()".to_owned()], false);
        assert_eq!(untested, ["size(), which no test can call"]);
        assert_eq!(Coverage { untested, ..coverage(3, 3, 3) }.depth(true), Depth::Most, "a method is never called");
    }

    #[test]
    fn a_pair_counts_once_and_in_each_way() {
        let ways = [((1, 2), true, true), ((2, 1), true, false), ((0, 0), false, false), ((3, 3), true, true)];
        assert_eq!(Pairs::of(ways.into_iter()), Pairs { all: 3, tested: 2, certified: 1 });
    }

    #[test]
    fn one_pair_of_thousands_is_barely_anything() {
        assert_eq!(coverage(5_460, 1, 1).depth(true), Depth::Barely);
        assert_eq!(coverage(10, 4, 4).depth(true), Depth::Barely);
        assert_eq!(coverage(10, 5, 0).depth(true), Depth::Most);
        assert_eq!(coverage(5_460, 1, 1).percent(1), "0%");
    }
}
