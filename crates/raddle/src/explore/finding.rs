//! Findings of workers as documents and pages.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;
use report::{Ending, Fact, Finding, FindingKind, Frame, Object, Proof, Step, StepKind};

use super::settings::Place;
use crate::worker::protocol::{self, FailureKind, Job, Shown, ShownStep};
use crate::worker::told::UNKNOWN_FILE;

/// What a finding is of.
pub struct Origin<'o> {
    /// As the user named it.
    pub target: &'o str,
    pub place: &'o Place,
    pub job: &'o Job,
    /// Whether threads that are left waiting at the end are a failure.
    pub must_end: bool,
    pub seed: u64,
}

/// What is kept of a finding so that it can be run again.
pub fn document(origin: &Origin<'_>, found: &protocol::Finding) -> anyhow::Result<Finding> {
    let kind = match found.failure.kind {
        FailureKind::Exception => FindingKind::Exception,
        FailureKind::Deadlock => FindingKind::Deadlock,
        FailureKind::Hang => FindingKind::Hang,
        FailureKind::Linearizability => FindingKind::Linearizability,
    };
    let shown = &found.shown;
    let mut finding = Finding::new(kind, origin.target, found.failure.what.trim_start_matches("deadlock: "));
    finding.java = origin.place.jdk.version.clone();
    finding.raddle = env!("CARGO_PKG_VERSION").into();
    finding.class_path = origin.place.entries.clone();
    finding.java_options = origin.place.java_options.clone();
    finding.java_home = origin.place.jdk.home.to_string_lossy().into_owned();
    finding.seed = origin.seed;
    finding.executions_to_find = found.executions_to_find;
    finding.preemptions = found.preemptions as u64;
    finding.proof = match found.proof {
        protocol::Proof::Smallest => Proof::Smallest,
        protocol::Proof::FewestPreemptions => Proof::FewestPreemptions,
        protocol::Proof::None => Proof::None,
    };
    finding.cause = found.cause.iter().map(|fact| Fact { first: fact.first, second: fact.second }).collect();
    finding.as_found = found.as_found;
    finding.threads = threads(shown);
    finding.steps = shown.steps.iter().filter_map(step).collect();
    finding.pending = shown.pending.iter().filter_map(step).collect();
    name_files(&mut finding);
    finding.endings = endings(shown);
    (finding.schedule, finding.timeouts) = (shown.turns.clone(), shown.timeouts.clone());
    finding.hash = format!("{:016x}", shown.hash);
    finding.test = serde_json::to_value((&origin.job.test, &origin.job.under_test, origin.must_end))
        .context("cannot write the test")?;
    finding.opened = found.opened.clone();
    finding.limits = serde_json::to_value(found.limits(origin.job.limits)).context("cannot write the limits")?;
    Ok(finding)
}

/// Writes a finding down under a name, and says where.
pub fn write(out: &Path, id: &str, finding: &Finding) -> anyhow::Result<PathBuf> {
    let folder = out.join(id);
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let path = folder.join("finding.json");
    // Whoever reads it meanwhile gets the old one or the new one, whole.
    let new = folder.join("finding.json.new");
    std::fs::write(&new, finding.document())
        .and_then(|()| std::fs::rename(&new, &path))
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}

fn threads(shown: &Shown) -> Vec<String> {
    let names: BTreeMap<u16, &str> = shown.names.iter().map(|(thread, name)| (*thread, &**name)).collect();
    let count = shown.steps.iter().map(|step| step.thread + 1).max().unwrap_or(1);
    let name = |thread| match (thread, names.get(&thread)) {
        (_, Some(name)) => name.to_string(),
        (0, None) => "main".into(),
        _ => String::new(),
    };
    (0..count).map(name).collect()
}

fn endings(shown: &Shown) -> BTreeMap<u16, Ending> {
    let ending = |(thread, text): &(u16, String)| {
        let ending = match text.strip_prefix("throws ") {
            Some(thrown) => Ending::Threw(thrown.into()),
            None => Ending::Waits(text.clone()),
        };
        (*thread, ending)
    };
    shown.endings.iter().map(ending).collect()
}

fn step(shown: &ShownStep) -> Option<Step> {
    let mut step = Step::new(shown.thread, StepKind::named(&shown.kind)?);
    step.object = shown.object.as_ref().map(|(number, class)| Object { number: *number, class: class.clone() });
    step.what = shown.what.clone();
    step.value = shown.value.clone();
    step.frames = shown.frames.iter().filter_map(|frame| parse_frame(frame)).collect();
    (step.time_passed, step.preempts) = (shown.time_passed, shown.preempts);
    Some(step)
}

/// What never happened has no stack trace, but the file of its class is known from what did.
fn name_files(finding: &mut Finding) {
    let frames = finding.steps.iter().flat_map(|step| &step.frames);
    let files: BTreeMap<String, Option<String>> = frames.map(|it| (it.class.clone(), it.file.clone())).collect();
    for frame in finding.pending.iter_mut().flat_map(|step| &mut step.frames) {
        if frame.file.is_none() {
            frame.file = files.get(&frame.class).cloned().flatten();
        }
    }
}

/// A frame as `StackTraceElement` writes it: `module/com.acme.Account.pay(Account.java:12)`, maybe with a loader in front.
fn parse_frame(text: &str) -> Option<Frame> {
    let (place, rest) = text.split_once('(')?;
    let place = place.rsplit('/').next().unwrap_or(place);
    let (class, method) = place.rsplit_once('.')?;
    let rest = rest.trim_end_matches(')');
    let (file, line) = match rest.split_once(':') {
        Some((file, line)) => (Some(file), line.parse().ok()),
        None => (Some(rest), None),
    };
    let file = file.filter(|file| ![UNKNOWN_FILE, "Unknown Source", "Native Method"].contains(file));
    Some(Frame { class: class.into(), method: method.into(), file: file.map(str::to_owned), line })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_as_they_are_written() {
        let frame = |text| parse_frame(text).map(|f| (f.class, f.method, f.file, f.line));
        let known = |class: &str, method: &str, file: Option<&str>, line| {
            Some((class.to_owned(), method.to_owned(), file.map(str::to_owned), line))
        };
        assert_eq!(
            frame("java.base/java.util.ArrayList.add(ArrayList.java:455)"),
            known("java.util.ArrayList", "add", Some("ArrayList.java"), Some(455))
        );
        assert_eq!(frame("app//Foo$$Lambda.run(Unknown Source)"), known("Foo$$Lambda", "run", None, None));
        assert_eq!(frame("Foo.<init>(Unknown:3)"), known("Foo", "<init>", None, Some(3)));
        assert_eq!(frame("java.base@17/java.lang.Thread.sleep(Native Method)").unwrap().0, "java.lang.Thread");
        assert_eq!(frame("nonsense"), None);
    }
}
