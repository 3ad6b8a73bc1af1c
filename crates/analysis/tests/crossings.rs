//! Which nested acquisitions of two methods cross: what is looked up is what a comparison of all with all gives.

mod support;

use analysis::{Accesses, ClassFacts, Crossed, DoubleLock, Owner};
use support::*;

fn compatible(facts: &ClassFacts, a: usize, b: usize) -> bool {
    facts.locks[a].compatible.contains(&b)
}

fn is_within(facts: &ClassFacts, double: &DoubleLock) -> bool {
    [double.outer, double.inner].into_iter().all(|lock| facts.locks[lock].owner != Owner::Parameter)
}

#[test]
fn look_ups_find_what_a_comparison_of_all_finds() {
    let jdk = jdks().remove(0);
    let folder = fixtures(&jdk);
    let class_path = class_path(&jdk, Some(folder.path()));
    let mut crossed = 0;
    for class in ["Locks", "Account", "java.lang.StringBuffer", "java.util.Vector", "java.util.logging.Logger"] {
        let facts = analyze(&class_path, class);
        let accesses = Accesses::of(&facts);
        let crossings = accesses.crossings();
        for a in 0..facts.methods.len() {
            for b in 0..facts.methods.len() {
                let (mut expected, mut kinds) = (Vec::new(), Crossed::default());
                for one in &facts.methods[a].double_locks {
                    for other in &facts.methods[b].double_locks {
                        if compatible(&facts, one.outer, other.inner) && compatible(&facts, one.inner, other.outer) {
                            let is_within = is_within(&facts, one) && is_within(&facts, other);
                            kinds.within |= is_within;
                            kinds.beyond |= !is_within;
                            expected.push((std::ptr::from_ref(one), std::ptr::from_ref(other)));
                        }
                    }
                }
                let found = crossings.between(a, b);
                let found: Vec<_> = found.map(|(a, b)| (std::ptr::from_ref(a), std::ptr::from_ref(b))).collect();
                assert_eq!(found, expected, "{class}: {a} and {b}");
                assert_eq!(crossings.cross(a, b), !expected.is_empty(), "{class}: {a} and {b}");
                assert_eq!(crossings.kinds(a, b), kinds, "{class}: {a} and {b}");
                crossed += expected.len();
            }
        }
    }
    assert!(crossed > 10, "{crossed} crossings");
}
