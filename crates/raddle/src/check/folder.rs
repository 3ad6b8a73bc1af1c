//! What is written down of a finding: the document, the Java test, the timeline.

use std::path::{Path, PathBuf};

use anyhow::Context;
use emit::{Shows, Statements, statements};
use oracle::Oracle;
use report::{Finding, JavaTest, View};

use super::found::{Found, exception};
use super::methods;
use crate::explore::{Origin, Place, document, write_document};
use crate::java_types::JavaTypes;
use crate::worker::protocol::FailureKind;

/// A file has no edge.
const WIDE: usize = 240;

/// Writes findings of one class.
pub struct Writer<'w> {
    pub class: &'w str,
    pub place: &'w Place,
    pub types: &'w JavaTypes<'w>,
    pub out: &'w Path,
    pub seed: u64,
    pub oracle: Oracle,
    /// The line of the source that a frame is at.
    pub source: &'w dyn Fn(&report::Frame) -> Option<String>,
}

/// What was written of a finding, and where.
#[derive(Clone, Debug)]
pub struct Written {
    pub id: String,
    pub finding: Finding,
    /// The document.
    pub document: PathBuf,
    /// The source of the test, or why there is none.
    pub test: Result<PathBuf, String>,
    pub statements: Statements,
}

impl Writer<'_> {
    /// Writes everything anew, under a name that is not taken.
    pub fn write(&self, found: &Found, is_taken: &dyn Fn(&str) -> bool) -> anyhow::Result<Written> {
        let origin =
            Origin { target: self.class, place: self.place, job: &found.job, must_end: false, seed: self.seed };
        let mut finding = document(&origin, &found.finding)?;
        finding.executions_to_find = found.executions_to_find;
        finding.oracle = Some(self.oracle.name().to_owned());
        let statements = statements(&found.job.test, self.types);
        finding.java_test = Some(JavaTest {
            prefix: statements.prefix.clone(),
            threads: statements.threads.clone(),
            after: statements.probes.clone(),
            objects: found.finding.shown.given.iter().copied().collect(),
        });
        let name = id(&finding, found);
        // Two may look the same from outside.
        let more = (2..).map(|number| format!("{name}-{number}"));
        let id = std::iter::once(name.clone()).chain(more).find(|id| !is_taken(id)).unwrap_or(name);
        finding.name = Some(id.clone());
        let told = || format!("{}: {}", self.class, finding.what);
        let document = write_document(self.out, &id, &finding).with_context(told)?;
        let test = self.write_test(found, &finding, &id, &document)?;
        let view = View {
            height: None,
            fold: false,
            document: &document.to_string_lossy(),
            width: WIDE,
            source: self.source,
            ..View::default()
        };
        put(&self.out.join(&id).join("timeline.txt"), &finding.text(&view))?;
        Ok(Written { id, finding, document, test, statements })
    }

    fn write_test(
        &self,
        found: &Found,
        finding: &Finding,
        id: &str,
        document: &Path,
    ) -> anyhow::Result<Result<PathBuf, String>> {
        let shows = match found.finding.failure.kind {
            FailureKind::Exception => Shows::Exception { class: exception(&found.finding).unwrap_or_default() },
            FailureKind::Deadlock => Shows::Deadlock,
            FailureKind::Hang => Shows::Hang,
            FailureKind::Linearizability => Shows::Linearizability,
        };
        let replay = format!("raddle replay {}", document.display());
        let what = format!("{}: {}", self.class, finding.what);
        let class = self.class.replace('.', "/");
        let request = emit::Request {
            what: &what,
            class_path: &self.place.entries,
            seed: self.seed,
            replay: Some(&replay),
            ..emit::Request::new(&class, shows)
        };
        match emit::program(&found.job.test, &request, self.types) {
            Ok(program) => {
                let path = self.out.join(id).join(format!("{}.java", program.name));
                put(&path, &program.text)?;
                Ok(Ok(path))
            }
            Err(unsayable) => Ok(Err(unsayable.to_string())),
        }
    }
}

/// The name of a finding: with the methods that run together, for two pairs of methods are two findings.
fn id(finding: &Finding, found: &Found) -> String {
    let failure = &found.finding.failure;
    let mut pair = format!("{} {} {}", finding.target, finding.kind.name(), failure.place);
    for (one, other) in methods::pairs(&found.job.test) {
        pair += &format!(" {one} {other}");
    }
    // FNV-1a, which is the same for all time.
    let hash = pair
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    let place = u64::from_str_radix(&finding.id(), 16).unwrap_or_default();
    format!("{:016x}", hash ^ place.rotate_left(1))
}

pub fn put(path: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
