//! How much of a class was tested, and so which word its verdict is.

use std::collections::HashSet;

use testgen::Generator;

/// What was tested of the pairs of methods that may hurt each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Pairs, each in every way in which its calls can meet: on one subject, on two, by an argument.
    pub all: usize,
    /// Those of which a test has run.
    pub tested: usize,
    /// Those of which a test was certified, with nothing left that was never reached.
    pub certified: usize,
    /// Places for which pairs are suspected and that no test has reached.
    pub unreached: Vec<String>,
    /// Further pairs with objects that subjects give out or take: too many to try each.
    pub left: usize,
    /// Pairs among all with a method that no test can call.
    pub out_of_reach: usize,
    /// What no test can show, in words.
    pub untested: Vec<String>,
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
        Coverage {
            all: targets.len() + out_of_reach,
            tested: targets.iter().filter(|target| target.ran > 0).count(),
            certified: targets.iter().filter(|target| target.certified > 0 && target.is_done()).count(),
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
    fn one_pair_of_thousands_is_barely_anything() {
        assert_eq!(coverage(5_460, 1, 1).depth(true), Depth::Barely);
        assert_eq!(coverage(10, 4, 4).depth(true), Depth::Barely);
        assert_eq!(coverage(10, 5, 0).depth(true), Depth::Most);
        assert_eq!(coverage(5_460, 1, 1).percent(1), "0%");
    }
}
