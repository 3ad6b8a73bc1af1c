//! What a check says to programs.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use serde_json::{Value, json};

use super::folder::Written;
use super::found::Found;
use super::methods;
use super::refusals::Refusal;
use super::unsure::Unsure;
use super::verdict::{ClassReport, Verdict};
use crate::args::CheckArgs;

/// All classes.
pub fn document(reports: &[ClassReport], left: &[String], args: &CheckArgs, java: &str) -> Value {
    let classes: Vec<Value> = reports.iter().map(class_document).collect();
    let raddle = env!("CARGO_PKG_VERSION");
    let name = |value: Option<PossibleValue>| value.map(|it| it.get_name().to_owned());
    json!({
        "raddle": raddle,
        "seed": args.seed,
        "java": java,
        "strategy": name(args.strategy.to_possible_value()),
        "oracle": name(args.oracle.to_possible_value()),
        "budget": args.budget,
        "skipped": args.skip,
        "classes": classes,
        "not_checked": left,
    })
}

fn class_document(report: &ClassReport) -> Value {
    let ClassReport { class, verdict, counts, pairs, coverage, findings, kept, notes, stopped } = report;
    let mut document = json!({
        "class": class,
        "verdict": verdict.word(),
        "pairs": {
            "total": pairs.0, "relevant": pairs.1, "tested": counts.tested.len(), "certified": counts.certain.len(),
        },
        // A pair counts once for each way in which its calls can meet.
        "targets": {
            "total": coverage.all, "tested": coverage.tested, "certified": coverage.certified, "not_tried": coverage.left,
        },
        "unreached": coverage.unreached,
        "not_tested": coverage.untested,
        "tests": counts.tests,
        "certified": counts.certified,
        "rejected": counts.rejected,
        "rejections": counts.rejections,
        "variants": counts.variants,
        "withdrawn": counts.withdrawn,
        "unconfirmed": counts.unsure.iter().map(Unsure::document).collect::<Vec<_>>(),
        "refusals": counts.refusals.iter().map(Refusal::document).collect::<Vec<_>>(),
        "executions": counts.executions,
        "effort": counts.effort,
        "seconds": counts.seconds,
        "spent": {
            "generating": counts.spent.generating,
            "serial": counts.spent.serial,
            "exploring": counts.spent.exploring,
            "shrinking": counts.spent.shrinking,
        },
        "nondeterministic": counts.unsteady(),
        "unknown": counts.unknown,
        "unseen": counts.unseen,
        "refused": counts.refused,
        "excused": counts.excused,
        "notes": notes,
        "stopped": stopped,
        "kept": kept,
        "findings": findings.iter().map(|(found, written)| finding_document(found, written)).collect::<Vec<_>>(),
    });
    if let Verdict::Unknown(reason) = verdict {
        document["reason"] = json!(reason);
    }
    document
}

fn finding_document(found: &Found, written: &Written) -> Value {
    let called = found.job.test.suffixes.iter().flatten().filter_map(methods::with_descriptor);
    json!({
        "id": written.id,
        "kind": written.finding.kind.name(),
        "what": written.finding.what,
        "exception": found.exception(),
        "methods": called.collect::<Vec<_>>(),
        "prefix": written.statements.prefix,
        "threads": written.statements.threads,
        "confirmed": found.confirmed.is_some(),
        "preemptions": written.finding.preemptions,
        "executions_to_find": found.executions_to_find,
        "seconds_to_find": found.seconds_to_find,
        "replay": written.document.to_string_lossy(),
        "test": written.test.as_ref().ok().map(|path| path.to_string_lossy().into_owned()),
    })
}
