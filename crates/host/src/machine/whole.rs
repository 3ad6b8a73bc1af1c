//! What is done to a whole object at once, while its parts are events.

use super::Machine;
use schedule::{EventKind, ObjectId, Step, ThreadId};

impl Machine {
    /// A thread has made events of all parts of an object since then, and reads or writes them at once after the last.
    /// Where another thread has come between, executions show something else than their events say.
    pub fn note_whole(&mut self, thread: ThreadId, kind: EventKind, object: ObjectId, since: usize) {
        let comes_between = |step: &Step| {
            let is_other = step.thread != thread && step.event.object == object;
            is_other && step.event.kind.is_access() && (kind.is_write() || step.event.kind.is_write())
        };
        if self.trace.steps[since..].iter().any(comes_between) {
            self.doubt_for("an object was copied whole, or an array filled, while another thread accessed its parts");
        }
    }
}
