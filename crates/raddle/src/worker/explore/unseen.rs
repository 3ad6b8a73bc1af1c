//! What threads do in opaque code: places that are opened for it, and doubts where that is not possible.

use std::collections::BTreeSet;

use explore::unordered;
use host::{Execution, Host, Unseen};
use schedule::{EventKind, SiteId};

use crate::worker::ending::{End, tell};

/// Upper bound on the places that one exploration opens. Past it the program is taken for one that cannot be seen.
const MAX_OPENED: usize = 64;

/// What is known of accesses that are no events.
#[derive(Debug, Default)]
pub struct Blind {
    /// In words: what was not seen.
    doubts: BTreeSet<String>,
    /// Whether a static initialiser shares something with other threads.
    initialisers: bool,
}

impl Blind {
    /// Takes in an execution, and says which places must be opened. What cannot be is a doubt.
    pub fn see(&mut self, host: &Host, execution: &Execution, end: End, opened: &[String]) -> Vec<String> {
        let taints = execution.taints.iter().filter(|site| !is_initialiser_lock(host, **site));
        self.doubts.extend(taints.map(|site| words(host, *site, None)));
        self.doubts.extend(execution.doubts.iter().cloned());
        let mut places = BTreeSet::new();
        for place in execution.held.iter().filter_map(|place| host.place(*place)) {
            if !opened.contains(&place) {
                if opened.len() + places.len() < MAX_OPENED {
                    places.insert(place);
                } else {
                    self.doubts.insert(place.replace('/', "."));
                }
            }
        }
        if execution.unseen.is_empty() {
            return places.into_iter().collect();
        }
        self.see_initialisers(host, execution);
        let accesses = execution.unseen.iter().map(|access| explore::Unseen {
            thread: access.thread,
            at: access.at,
            place: access.place,
            writes: access.kind.is_write(),
            event: access.event,
        });
        let accesses: Vec<_> = accesses.collect();
        let blind = unordered(&tell(execution, end), &accesses);
        let cut = (0..accesses.len()).filter(|&access| execution.unseen[access].is_cut);
        for access in blind.into_iter().chain(cut) {
            let Unseen { site, opens, can_open, .. } = execution.unseen[access];
            match host.place(opens).filter(|_| can_open) {
                Some(place) if !opened.contains(&place) && opened.len() + places.len() < MAX_OPENED => {
                    places.insert(place);
                }
                _ => drop(self.doubts.insert(words(host, site, Some(opens)))),
            }
        }
        places.into_iter().collect()
    }

    /// Takes in what static initialisers have shared with other threads in an execution. Here events may have
    /// ordered that; in another execution they run elsewhere.
    pub fn see_initialisers(&mut self, host: &Host, execution: &Execution) {
        for access in execution.unseen.iter().filter(|access| access.by_initialiser) {
            self.initialisers = true;
            self.doubts.insert(format!("order of initialisation: {}", words(host, access.site, None)));
        }
        let locks = execution.taints.iter().filter(|site| is_initialiser_lock(host, **site));
        for site in locks {
            self.doubts.insert(format!("order of initialisation: a lock in {}", words(host, *site, None)));
        }
    }

    /// Takes in which static initialisers need each other.
    pub fn see_circles(&mut self, host: &Host) {
        for circle in host.initialiser_circles() {
            let classes: Vec<_> = circle.iter().map(|class| class.replace('/', ".")).collect();
            self.doubts.insert(format!("order of initialisation: {} need each other", classes.join(" and ")));
        }
    }

    /// Whether a static initialiser shares something with other threads: then it may not have run when it should have.
    pub fn doubts_initialisers(&self) -> bool {
        self.initialisers
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.doubts.is_empty()
    }

    /// What was not seen, in words.
    pub fn told(&self) -> Vec<String> {
        self.doubts.iter().cloned().collect()
    }
}

/// Whether a site takes a monitor: only those of static initialisers are told as taints.
fn is_initialiser_lock(host: &Host, site: SiteId) -> bool {
    host.site(site).is_some_and(|site| site.kind == EventKind::Lock)
}

/// What is done at a site of opaque code, and to which place.
fn words(host: &Host, site: SiteId, place: Option<u32>) -> String {
    let place = place.and_then(|place| host.place(place)).map(|place| match place.strip_prefix('.') {
        // A piece of the world outside of objects has no class.
        Some("monitor") => "a monitor that is taken".to_owned(),
        Some(world) => world.to_owned(),
        None => place.replace('/', "."),
    });
    let site = host.site(site).map(|site| {
        let method = site.method.split('(').next().unwrap_or_default();
        format!("{}.{method}", site.class.replace('/', "."))
    });
    match (place, site) {
        (Some(place), Some(site)) => format!("{place} in {site}"),
        (Some(only), None) | (None, Some(only)) => only,
        (None, None) => "opaque code".into(),
    }
}
