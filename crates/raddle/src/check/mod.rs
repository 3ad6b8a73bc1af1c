//! `raddle check`: from a bare class to a violation that can be replayed.
//!
//! [`targets`] says which classes are meant. For each, the analysis gives the pairs of methods, [`campaign`] searches, and [`findings`]
//! says when something is sure: then it is written down by [`folder`]. [`verdict`] tells of it in the end.

mod advice;
mod campaign;
mod clock;
mod counts;
mod coverage;
mod document;
mod findings;
mod folder;
mod foreign;
mod found;
mod kept;
mod methods;
mod progress;
mod refusals;
mod shrinking;
mod targets;
mod unsure;
mod verdict;
mod why;

use std::time::Instant;

use analysis::{Analyzer, ByteStore, ClassFacts};
use anyhow::{Context, bail};
use oracle::Oracle;
use testgen::Generator;

use crate::args::{CheckArgs, Color, OracleName, StrategyName};
use crate::explore::{self, Fallback, Place, given};
use crate::java_types::JavaTypes;
use crate::output;
use crate::sources::Sources;
use crate::supervisor::{Ran, Session};
use crate::unconfirmed;
use crate::worker::reason::Reason;
use campaign::{Campaign, Settings};
use counts::Counts;
use coverage::{Coverage, Depth};
use folder::{Writer, Written};
use foreign::OwnCode;
use found::Found;
use progress::Progress;
use targets::Target;
use verdict::{ClassReport, Verdict};

/// Options of the virtual machines of a check.
///
/// Little of the time of a check is spent in compiled code, so what the best compiler makes is not worth its time, which is taken
/// from a worker where there are as many as cores. There is as much room for code as with both compilers.
pub const ONE_COMPILER: [&str; 2] = ["-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m"];

/// Checks, and says whether something was found.
pub fn run(args: &CheckArgs, color: Color) -> anyhow::Result<bool> {
    let budget = explore::time(&args.budget).context("--budget")?;
    given::jobs(args.jobs)?;
    given::out(&args.out)?;
    given::source_path(args.view.source_path.as_deref())?;
    let mut place = explore::place(&args.run, Fallback::Nothing)?;
    let targets = targets::resolve(&args.targets, &place)?;
    let jobs = args.jobs.unwrap_or(place.pool.most_workers());
    place.pool.workers = jobs;
    place.pool.spare = true;
    // Options that are given come later: `-XX:TieredStopAtLevel=4` brings the other compiler back.
    place.pool.options.splice(0..0, ONE_COMPILER.map(str::to_owned));
    let settings = Settings {
        explorer: explore::explorer(args.explorer),
        oracle: oracle(args.oracle),
        seed: args.seed,
        budget,
        effort: args.effort,
        first: args.first,
        jobs,
        keep: args.keep_tests,
    };
    // Workers start while the first class is read.
    let mut session = Session::open(place.pool.clone(), explore::folders)?;
    let mut progress = Progress::new(args.view.quiet);
    let mut reports = Vec::new();
    let mut left = targets.len();
    let mut check_all = || -> anyhow::Result<()> {
        for (number, target) in targets.iter().enumerate() {
            progress.begin(&target.name.to_string(), number, targets.len());
            let report = check(args, &place, target, settings, &mut session, &mut progress)?;
            left -= 1;
            let Some(report) = report else { continue };
            session.has_results();
            let over = report.stopped || args.first && report.verdict == Verdict::Violation;
            reports.push(report);
            if over {
                break;
            }
        }
        Ok(())
    };
    let checked = check_all();
    progress.end();
    let ran = session.close();
    let left: Vec<String> = targets[targets.len() - left..].iter().map(|target| target.name.to_string()).collect();
    // What is known of classes is told, whatever became of the last.
    let told = match checked.is_ok() || !reports.is_empty() {
        true => tell(args, color, &place, &reports, &left, ran),
        false => Ok(false),
    };
    checked.and(told)
}

fn tell(
    args: &CheckArgs,
    color: Color,
    place: &Place,
    reports: &[ClassReport],
    left: &[String],
    ran: Ran,
) -> anyhow::Result<bool> {
    let sources = sources(args, place);
    if let Some(file) = &args.json {
        output::write_json(file, &document::document(reports, left, args, &place.jdk.version), color)?;
    }
    if args.json.as_deref().is_none_or(|file| file.as_os_str() != "-") {
        let mut text = String::new();
        if reports.len() > 1 {
            text += &verdict::table(reports);
        }
        for report in reports {
            // What can be said of a package is in its table; a class of which nothing can be said is in an error line.
            // What failed and was not reproduced is worth a page all the same.
            let is_told = !matches!(report.verdict, Verdict::Unknown(_)) || !report.counts.unsure.is_empty();
            if reports.len() == 1 && is_told || report.verdict == Verdict::Violation {
                text += &verdict::page(report, args, &sources, color);
            }
        }
        if !left.is_empty() {
            text += &format!("not checked: {}\n", left.join(", "));
        }
        output::print(&text, color)?;
    }
    let found = reports.iter().any(|report| report.verdict == Verdict::Violation);
    let unknown = reports.iter().find_map(|report| match &report.verdict {
        Verdict::Unknown(why) => Some(verdict::unknown(&report.class, why)),
        _ => None,
    });
    match unknown {
        Some(why) if reports.iter().all(|report| matches!(report.verdict, Verdict::Unknown(_))) => bail!("{why}"),
        None if reports.is_empty() => bail!("there is no class to check in {}: name one", args.targets.join(", ")),
        _ if ran == Ran::Stopped && !found => bail!("stopped by a signal; nothing was found until then"),
        _ => Ok(found),
    }
}

/// Where sources are looked for.
fn sources(args: &CheckArgs, place: &Place) -> Sources {
    Sources::new(args.view.source_path.as_deref(), place.all_entries(), Some(&place.jdk.home))
}

/// Checks one class; None for an interface that was named with its package only.
fn check(
    args: &CheckArgs,
    place: &Place,
    target: &Target,
    settings: Settings,
    session: &mut Session,
    progress: &mut Progress,
) -> anyhow::Result<Option<ClassReport>> {
    let begun = Instant::now();
    let class = target.name.to_string();
    let nothing = |why: String| ClassReport {
        class: class.clone(),
        verdict: Verdict::Unknown(why),
        counts: Counts::default(),
        pairs: (0, 0),
        coverage: Coverage::default(),
        findings: Vec::new(),
        kept: Vec::new(),
        notes: Vec::new(),
        stopped: false,
    };
    let facts = match session.busy(|| analyze(place, target))? {
        Ok(facts) => facts,
        Err(analysis::Error::Interface(_) | analysis::Error::NoClass(_)) if !target.is_named => return Ok(None),
        Err(error) => return Ok(Some(nothing(advice::with_advice(&error.to_string())))),
    };
    let internal = target.name.internal();
    let generator = testgen::Settings {
        strategy: strategy(args.strategy),
        seed: args.seed,
        observe: settings.oracle == Oracle::Linearizability,
        skip: args.skip.clone(),
    };
    let is_there = |name: &&String| facts.methods.iter().any(|method| method.is_meant_by(name));
    if let Some(name) = args.skip.iter().find(|name| target.is_named && args.targets.len() == 1 && !is_there(name)) {
        return Ok(Some(nothing(format!("it has no public method {name} that could be left out: correct --skip"))));
    }
    let generator = match session.busy(|| Generator::new(&place.class_path, internal, &facts, generator)) {
        Ok(generator) => generator,
        Err(error) => return Ok(Some(nothing(error.to_string()))),
    };
    let missing = generator.missing();
    let types = JavaTypes::new(&place.class_path);
    let sources = sources(args, place);
    let writer = Writer {
        class: &class,
        place,
        types: &types,
        out: &args.out,
        seed: args.seed,
        oracle: settings.oracle,
        source: &|frame| sources.line(&frame.class, frame.file.as_deref(), frame.line?),
    };
    let mut campaign = Campaign::new(internal, generator, settings, begun);
    campaign.findings.own = OwnCode::of(internal, &types);
    let mut written: Vec<(String, Written)> = Vec::new();
    let stopped = campaign.run(session, progress, |found| {
        // What was there before is not thrown away until the better is written.
        let new = writer.write(found, &|_| false)?;
        let line = format!("{class}: {}", verdict::line(&new));
        written.push((new.id.clone(), new));
        Ok(line)
    })?;
    let mut findings = Vec::new();
    // Whoever stops a check is told what it knows, with what is not sure yet.
    let is_kept = |found: &&Found| found.is_told() || campaign.findings.is_cut && found.is_open();
    let mut kept: Vec<&Found> = campaign.findings.all.iter().filter(is_kept).collect();
    // What one call a thread shows is the easiest to understand, and relies on the least.
    kept.sort_by_key(|found| !found.is_plain());
    for found in kept {
        let is_taken = |id: &str| findings.iter().any(|(_, written): &(_, Written)| written.id == id);
        let written = writer.write(found, &is_taken)?;
        findings.push((found.clone(), written));
    }
    // Folders of what has been shrunk to something else.
    for (id, _) in written.iter().filter(|(id, _)| !findings.iter().any(|(_, kept)| kept.id == *id)) {
        // It may have been removed already.
        let _ = std::fs::remove_dir_all(args.out.join(id));
    }
    let kept = if args.keep_tests > 0 { kept::write(campaign.kept.kept(), &writer)? } else { Vec::new() };
    let coverage = campaign.coverage();
    let unsure = findings.first().map(|(_, written)| written.document.display());
    let verdict = match why::unusable(&campaign.counts) {
        _ if findings.iter().any(|(found, _)| found.is_told()) => Verdict::Violation,
        _ if let Some(document) = unsure => Verdict::Unknown(format!(
            "there was no time to make sure of what was found: see it again with raddle replay {document}"
        )),
        _ if let Some(why) = unconfirmed::reason(campaign.counts.unsure.iter().map(|it| &it.unconfirmed)) => {
            Verdict::Unknown(why)
        }
        Some(why) => Verdict::Unknown(advice::with_advice(why)),
        None if stopped => Verdict::Unknown("stopped by a signal".into()),
        None if campaign.counts.excused > 0 => Verdict::Unknown(advice::of_refusals(&campaign.counts)),
        None if let Some(class) = campaign.counts.lacks.first() => {
            Verdict::Unknown(Reason::MissingClass { class: class.clone() }.to_string())
        }
        // What has nothing to do with each other cannot hurt each other.
        None if coverage.all > 0 && campaign.counts.tests == 0 => Verdict::Unknown(why::in_vain(&campaign.counts)),
        None => match coverage.depth(coverage.all == 0 || campaign.counts.saturated || campaign.counts.exhausted) {
            Depth::Whole => Verdict::Clean,
            Depth::Most => Verdict::NothingFound,
            Depth::Barely => Verdict::Unknown(why::barely(&campaign.counts, &coverage)),
        },
    };
    // What is tried for any reason is relevant, and so is what would be if a test could call it.
    let (all, _) = campaign.pairs();
    let pairs = (all.max(coverage.pairs.all), coverage.pairs.all);
    let (counts, mut notes) = (campaign.counts, facts.notes.clone());
    notes.extend(advice::of_missing(&missing));
    notes.extend(counts.unrestored.iter().map(|what| format!("{what}; no test is certified")));
    Ok(Some(ClassReport { class, verdict, counts, pairs, coverage, findings, kept, notes, stopped }))
}

/// The facts of a class, or why there are none. Deep call chains are followed by recursion, which needs a deep stack.
fn analyze(place: &Place, target: &Target) -> anyhow::Result<Result<ClassFacts, analysis::Error>> {
    const STACK: usize = 64 << 20;
    let analyze = || {
        let bytes = ByteStore::new();
        Analyzer::new(&place.class_path, &bytes).analyze(&target.name)
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, analyze);
        let thread = thread.context("cannot start a thread")?;
        Ok(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

fn strategy(name: StrategyName) -> testgen::Strategy {
    match name {
        StrategyName::Auto => testgen::Strategy::Auto,
        StrategyName::Pairs => testgen::Strategy::Pairs,
        StrategyName::Random => testgen::Strategy::Random,
    }
}

fn oracle(name: OracleName) -> Oracle {
    match name {
        OracleName::Safety => Oracle::Safety,
        OracleName::Linearizability => Oracle::Linearizability,
    }
}
