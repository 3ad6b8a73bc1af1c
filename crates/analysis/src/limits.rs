//! How far the analysis goes.

/// How much is looked at before the rest is opaque. Limits bound time, and unlike time they are the same on every
/// machine.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The longest chain of calls that is followed at once. What is called beyond waits for its turn.
    pub depth: usize,
    /// The work that is done for a class to settle its flow, in instructions walked and stores of callees taken over;
    /// and as much to take over the effects of callees, each one unit.
    pub work: u64,
    /// The work that is done besides for each of its public methods.
    pub work_a_method: u64,
    /// The work that is done for a class at most.
    pub most_work: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { depth: 40, work: 300_000, work_a_method: 2_500, most_work: 850_000 }
    }
}
