//! What is wrong with an execution that no linearization explains.

use serde::{Deserialize, Serialize};

use crate::observation::Place;

/// What executions are held against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Oracle {
    /// How they end: an exception, a deadlock or an execution without an end that no linearization has.
    #[default]
    Safety,
    /// That, and what their calls return.
    Linearizability,
}

impl Oracle {
    /// Its name on the command line and in documents.
    pub fn name(self) -> &'static str {
        match self {
            Oracle::Safety => "safety",
            Oracle::Linearizability => "linearizability",
        }
    }

    /// The oracle of that name.
    pub fn named(name: &str) -> Option<Oracle> {
        [Oracle::Safety, Oracle::Linearizability].into_iter().find(|oracle| oracle.name() == name)
    }
}

/// What is wrong with an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Violation {
    /// A call or a thread ended with an exception of a class that no linearization ends with.
    Exception {
        /// Where.
        at: Place,
        /// The class of the exception.
        class: String,
    },
    /// No thread could go on, and no linearization comes to that.
    Stuck,
    /// It has no end, and every linearization has one.
    Endless,
    /// The calls together returned what they do in no linearization.
    Values {
        /// How much that says.
        rank: Rank,
        /// Where it differs from the linearization that is most like it.
        differs: Vec<Place>,
    },
}

/// How much a difference of values says. The first are to be told first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rank {
    /// A number, a text, a truth value, null or an exception is one that no linearization has.
    Scalar,
    /// Only what collections, arrays, objects and texts of them hold is.
    Aggregate,
}
