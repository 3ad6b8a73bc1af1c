//! What a certificate does not cover, as far as executions came upon it: how waits may end, and accesses that are weaker than events tell.

use host::{Execution, Host, Limits, Named};
use schedule::{EventKind, FastMap, SiteId};

use crate::worker::protocol::Certificate;

const JUC: &str = "java/util/concurrent/";

/// What executions came upon.
#[derive(Debug, Default)]
pub struct Bounds {
    /// Waits that can be over by time.
    timed: bool,
    /// Waits that can end without cause.
    wakes: bool,
    /// Interrupts and notifications, of which a thread that waits may get both.
    interrupts: bool,
    /// A class that uses accesses which Java orders less than volatile ones.
    weak: Option<String>,
    /// Something was looked at that is not the same in every virtual machine.
    chance: bool,
    /// An object was asked for its identity hash.
    hashed: bool,
    /// A class names references that the garbage collector clears.
    references: bool,
    /// Sites that were looked at, and as what kind of wait. One that is not known has waits of all kinds.
    known: FastMap<(SiteId, Option<EventKind>), ()>,
}

impl Bounds {
    /// Takes in an execution.
    pub fn see(&mut self, host: &Host, execution: &Execution) {
        self.timed |= execution.timed;
        self.chance |= execution.chance || host.names(Named::Numbers);
        self.hashed |= execution.hashed;
        self.references |= host.names(Named::References);
        if self.weak.is_none() {
            self.weak = host.weak_class();
        }
        let (mut notifies, mut interrupts) = (false, false);
        for step in &execution.trace.steps {
            self.chance |= step.event.is_of_machine();
            let waits = matches!(step.event.kind, EventKind::Wait | EventKind::Park);
            notifies |= step.event.kind == EventKind::Notify && step.event.condition() == 0;
            interrupts |= step.event.kind == EventKind::Interrupt;
            if self.known.insert((step.event.site, waits.then_some(step.event.kind)), ()).is_some() {
                continue;
            }
            let class = host.site(step.event.site).map(|site| site.class);
            // What the JDK's synchronizers wait for they look at again, and nearly all that park are theirs.
            let is_theirs = class.as_ref().map_or(step.event.kind == EventKind::Park, |class| class.starts_with(JUC));
            self.wakes |= waits && !is_theirs;
            if self.weak.is_none() {
                self.weak = class.filter(|class| host.uses_weak_accesses(class));
            }
        }
        self.interrupts |= notifies && interrupts;
    }

    /// A class that uses accesses which Java orders less than volatile ones.
    pub fn weak(&self) -> Option<&str> {
        self.weak.as_deref()
    }

    /// Whether an object was asked for its identity hash.
    pub fn hashed(&self) -> bool {
        self.hashed
    }

    /// The certificate with these bounds.
    pub fn put_to(&self, certificate: Certificate, limits: &Limits) -> Certificate {
        Certificate {
            timeouts: certificate.timeouts || self.timed && !limits.early_timeouts,
            no_wakeups: self.wakes && limits.spurious_wakeups == 0,
            interrupts: self.interrupts,
            chance: self.chance,
            references: self.references,
            ..certificate
        }
    }
}
