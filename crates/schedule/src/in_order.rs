//! The serial order: each thread as long as it can, the lowest number first.

use crate::scheduler::{Choice, Divergence, Scheduler, Turn};

/// Chooses the first thread that can go on, and lets it run whole.
#[derive(Clone, Copy, Debug)]
pub struct InOrder;

impl Scheduler for InOrder {
    fn choose(&mut self, choice: &Choice<'_>) -> Result<Turn, Divergence> {
        Ok(Turn { thread: choice.runnable[0].0, events: Turn::WHOLE })
    }
}
