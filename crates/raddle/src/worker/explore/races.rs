//! Data races of the executions that an exploration runs, each pair of places once.
//!
//! Races of what the JDK's synchronizers are made of are not told: they are known to live with them.

use std::collections::HashSet;

use explore::RaceDetector;
use host::{Execution, Host};
use schedule::Event;

use crate::worker::ending::{End, tell};
use crate::worker::show;

/// So many races are told.
const MOST: usize = 16;

/// The races that are known.
#[derive(Debug, Default)]
pub struct Races {
    /// By their sites.
    known: HashSet<(u32, u32)>,
    /// In words.
    told: Vec<(String, String)>,
    detector: RaceDetector,
}

impl Races {
    /// Takes in the races of an execution.
    pub fn note(&mut self, host: &Host, execution: &Execution, end: End) {
        if self.told.len() >= MOST {
            return;
        }
        for race in self.detector.races(&tell(execution, end)) {
            let event = |step: usize| &execution.trace.steps[step].event;
            let [first, second] = [race.first, race.second].map(|step| is_of_synchronizer(host, event(step)));
            // A raw access of an element has no site. Arrays of synchronizers are nobody else's.
            let [sited, other] = [race.first, race.second].map(|step| host.site(event(step).site).is_some());
            if (first || !sited) && (second || !other) && (first || second) {
                continue;
            }
            let sites = (race.first_site.0, race.second_site.0);
            let new = self.known.insert((sites.0.min(sites.1), sites.0.max(sites.1)));
            if new && self.told.len() < MOST {
                let step = |step: usize| show::describe(host, &execution.trace.steps[step]);
                self.told.push((step(race.first), step(race.second)));
            }
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.told.is_empty()
    }

    /// All of them, in words.
    pub fn told(self) -> Vec<(String, String)> {
        self.told
    }
}

/// Whether an access is of what the JDK's synchronizers are made of.
fn is_of_synchronizer(host: &Host, event: &Event) -> bool {
    let field = host.field(event.slot);
    let site = host.site(event.site).map(|site| site.class);
    field.is_some_and(|(class, _)| class.starts_with("java/util/concurrent/"))
        || site.is_some_and(|class| class.starts_with("java/util/concurrent/"))
}
