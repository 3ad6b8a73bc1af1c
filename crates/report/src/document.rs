//! The finding's document, which `raddle replay` reads: one JSON object.
//!
//! It has the fields of [`Finding`], under the same names, and two more: `format`, a number that grows when older
//! readers would misread the document, and `id`, which [`Finding::id`] gives. Fields that a reader does not know it
//! passes over, so adding one does not change the format. In a step, what is not known or not so is left out. `kind`s
//! are named as [`FindingKind::name`](crate::FindingKind::name) and [`StepKind::name`](crate::StepKind::name) say;
//! `proof` is `smallest`, `fewest-preemptions` or `none`; an ending is `"ended"`, `"cut-off"`, `{"threw": "..."}` or
//! `{"waits": "..."}`; a turn of `schedule` is `[thread, events]`, and one of `timeouts` is `[steps before, thread]`.
//!
//! What is read was checked: facts name steps that are there. `test` and `limits` are not looked into.

use crate::finding::Finding;
use crate::lines::Lines;
use crate::plain::clean;
use serde::{Deserialize, Serialize};

/// The format that is written, and the newest that is read.
pub const FORMAT: u64 = 1;

/// Why a document cannot be read. Each message is one line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs)] // The messages say it.
pub enum Unreadable {
    #[error("this is no finding of raddle: {0}")]
    Broken(String),
    #[error("the finding has format {format}, and this raddle reads no newer one than {FORMAT}: use raddle {raddle}")]
    Newer { format: u64, raddle: String },
}

impl Finding {
    /// The document, ending in a line break.
    pub fn document(&self) -> String {
        let document = Document { format: FORMAT, id: self.id(), finding: self };
        let mut text = Vec::new();
        let mut serializer = serde_json::Serializer::with_formatter(&mut text, Lines::default());
        document.serialize(&mut serializer).expect("internal bug: a finding has no keys but strings and numbers");
        text.push(b'\n');
        String::from_utf8(text).expect("internal bug: JSON is text")
    }

    /// Reads a document.
    pub fn read(document: &str) -> Result<Finding, Unreadable> {
        let broken = |reason: String| Unreadable::Broken(clean(&reason));
        // A newer document may be different in all but this.
        let head: Head = serde_json::from_str(document).map_err(|error| broken(error.to_string()))?;
        if head.format > FORMAT {
            let raddle = head.raddle.as_ref().and_then(|raddle| raddle.as_str()).unwrap_or("of a newer version");
            return Err(Unreadable::Newer { format: head.format, raddle: clean(raddle) });
        }
        if head.format == 0 {
            return Err(broken("there is no format 0".into()));
        }
        let finding: Finding = serde_json::from_str(document).map_err(|error| broken(error.to_string()))?;
        let (steps, all) = (finding.steps.len(), finding.steps.len() + finding.pending.len());
        match finding.cause.iter().find(|fact| fact.first >= steps || fact.second >= all) {
            Some(fact) => Err(broken(format!(
                "its cause names steps {} and {}, and there are {steps} with {} pending",
                fact.first,
                fact.second,
                all - steps
            ))),
            None => Ok(finding),
        }
    }
}

#[derive(Serialize)]
struct Document<'f> {
    format: u64,
    id: String,
    #[serde(flatten)]
    finding: &'f Finding,
}

#[derive(Deserialize)]
struct Head {
    format: u64,
    raddle: Option<serde_json::Value>,
}
