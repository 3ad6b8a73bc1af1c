//! The tables, for readers.

use std::collections::BTreeSet;

use crate::subjects::{Expected, KnownBy, Published};
use crate::summary::{Mean, Row, Summary};

/// The page with all tables.
pub fn page(summary: &Summary) -> String {
    let mut text = String::from(
        "# The study\n\nWritten by `cargo run --release -p study -- run`. What the columns mean is below the tables.\n\n",
    );
    text += &(in_short(summary) + "\n");
    let is_safe = |row: &&Row| row.subject.expected == Expected::None && row.subject.papers[0].id.is_empty();
    let in_group = |paper: &str| -> Vec<&Row> {
        summary.rows.iter().filter(|row| row.subject.papers[0].paper == paper && !is_safe(row)).collect()
    };
    let (deadlocks, exceptions): (Vec<&Row>, Vec<&Row>) =
        in_group("DepCon+").into_iter().partition(|row| row.subject.expected == Expected::Deadlock);
    let groups = [
        ("DepCon+, exceptions (C1 to C15)", exceptions, DEPCON),
        ("DepCon+, deadlocks (C16 to C19)", deadlocks, DEPCON),
        ("ConTeGe", in_group("ConTeGe"), CONTEGE),
        ("AutoConTest", in_group("AutoConTest"), AUTOCONTEST),
        ("Intruder", in_group("Intruder"), INTRUDER),
    ];
    for (title, rows, columns) in groups {
        text += &group(title, &rows, columns);
    }
    text += &means(&summary.means);
    text += &sizes(&summary.rows);
    text += &safe(&summary.rows.iter().filter(is_safe).collect::<Vec<_>>());
    text += &unfound(&summary.rows);
    text += &notes(summary);
    text
}

/// What the README says of it, word by word, in one line.
fn in_short(summary: &Summary) -> String {
    let known: Vec<&Row> = summary.rows.iter().filter(|row| row.runs > 0 && row.subject.known_by().is_some()).collect();
    let by = |how: KnownBy| known.iter().filter(|row| row.subject.known_by() == Some(how)).count();
    let classes: BTreeSet<&str> = known.iter().map(|row| &*row.subject.class).collect();
    let always = known.iter().filter(|row| row.found == row.runs).count();
    let never = known.iter().filter(|row| row.found == 0).count();
    let (found, runs) =
        (known.iter().map(|row| row.found).sum::<usize>(), known.iter().map(|row| row.runs).sum::<usize>());
    let seeds = known.iter().map(|row| row.runs).min().unwrap_or_default();
    let mut text = format!(
        "{IN_SHORT} Of {} faults that other papers' tools found in {} classes, Raddle finds {always} with each of {seeds} seeds, given {} \
         and {}, and {never} with none ({found} of {runs} runs). A fault is known by its methods or message in {} of them, by its exception \
         or kind in {}; in {} any finding counts.",
        known.len(),
        classes.len(),
        seconds(&known),
        workers(summary),
        by(KnownBy::Methods),
        by(KnownBy::Failure),
        by(KnownBy::Anything),
    );
    for mean in &summary.means {
        // The paper has no mean of some of them; then it is that of its figures for the same.
        let published = mean.published.unwrap_or(mean.published_same);
        let missed = match mean.runs - mean.found {
            0 => String::new(),
            _ => format!(" ({:.1} s if a miss had cost an hour, as it does in the paper)", mean.seconds_of_an_hour),
        };
        text += &format!(
            " DepCon+'s {} take {:.1} s on average{missed}, {:.3} of the {published:.0} s that the paper gives for its machine.",
            mean.what,
            mean.seconds,
            mean.seconds_of_an_hour / published,
        );
    }
    let safe: Vec<&Row> = summary.rows.iter().filter(|row| row.subject.expected == Expected::None).collect();
    let tested: Vec<&Row> = safe.iter().copied().filter(|row| row.runs > 0 && row.tests > 0.0).collect();
    let alarms = tested.iter().filter(|row| row.found_other > 0).count();
    let alarms = if alarms == 0 { "none".to_owned() } else { alarms.to_string() };
    text + &format!(
        " In {alarms} of {} classes of Joda-Time that are documented to be thread-safe an exception, deadlock or hang is found within {} with \
         one seed; {} more could not be tested.",
        tested.len(),
        seconds(&tested),
        safe.len() - tested.len()
    )
}

/// The longest budget of some rows.
fn seconds(rows: &[&Row]) -> String {
    let budget = rows.iter().flat_map(|row| row.budgets.iter().copied()).max();
    format!("{} seconds", budget.unwrap_or_default())
}

/// How many workers a check had.
fn workers(summary: &Summary) -> String {
    let counts: Vec<String> = summary.jobs.iter().map(usize::to_string).collect();
    let is_one = counts.len() == 1 && counts[0] == "1";
    if is_one { "one worker".to_owned() } else { format!("{} workers", counts.join(" or ")) }
}

const IN_SHORT: &str = "**In short.**";

/// What a paper gives of its subjects: the heading, and what stands below it.
type Column = (&'static str, fn(&Published) -> Option<String>);

const DEPCON: &[Column] = &[
    ("success", |paper| paper.success.map(|share| format!("{:.0} %", 100.0 * share))),
    ("seconds", |paper| paper.seconds.map(|seconds| number(Some(seconds)))),
    ("tests", |paper| paper.tests.map(|tests| tests.to_string())),
];
const CONTEGE: &[Column] = &[("what it saw", |paper| paper.failed.clone())];
const AUTOCONTEST: &[Column] = &[
    ("seconds", |paper| paper.seconds.map(|seconds| number(Some(seconds)))),
    ("tests in an hour", |paper| paper.tests_in_all.map(|tests| tests.to_string())),
];
const INTRUDER: &[Column] = &[
    ("seconds to write its tests", |paper| paper.writing_seconds.map(|seconds| number(Some(seconds)))),
    ("tests in all", |paper| paper.tests_in_all.map(|tests| tests.to_string())),
    ("harmful violations", |paper| paper.violations.map(|violations| violations.to_string())),
];

fn group(title: &str, rows: &[&Row], columns: &[Column]) -> String {
    let headings: Vec<String> = columns.iter().map(|(heading, _)| format!("paper: {heading}")).collect();
    let mut text = format!(
        "\n## {title}\n\n| subject | class | found | seconds to it | first finding, s | tests | executions | all that was found | {} | other papers |\n\
         |---|---|---|---|---|---|---|---|{}---|\n",
        headings.join(" | "),
        "---|".repeat(columns.len())
    );
    for row in rows {
        let published = columns.iter().map(|(_, of)| of(&row.subject.papers[0]).unwrap_or_else(|| "-".into()));
        let class = row.subject.class.rsplit('.').next().unwrap_or(&row.subject.class);
        let mark = if row.subject.note.is_some() { " *" } else { "" };
        let others: Vec<&str> = row.kinds.iter().map(|kind| &**kind).collect();
        let (found, to_it) = match (&row.failed, row.runs) {
            (Some(_), 0) => ("cannot be run".to_owned(), "-".to_owned()),
            (None, 0) => ("not run".to_owned(), "-".to_owned()),
            _ => (format!("{} of {}", row.found, row.runs), number(row.seconds)),
        };
        text += &format!(
            "| {} | {class}{mark} | {found} | {to_it} | {} | {:.0} | {:.0} | {} | {} | {} |\n",
            row.subject.name,
            number(row.first),
            row.tests,
            row.executions,
            others.join(", "),
            published.collect::<Vec<_>>().join(" | "),
            row.subject.papers[1..].iter().filter_map(said_elsewhere).collect::<Vec<_>>().join("; "),
        );
    }
    let noted: Vec<String> = rows
        .iter()
        .filter_map(|row| Some(format!("- {}: {}.\n", row.subject.name, row.subject.note.as_ref()?)))
        .collect();
    if !noted.is_empty() {
        text += "\n\\* Of these:\n\n";
        text += &noted.concat();
    }
    text
}

/// What a paper says of a subject that is in the table of another.
fn said_elsewhere(paper: &Published) -> Option<String> {
    let said: Vec<String> =
        [paper.seconds.map(|seconds| format!("{seconds:.1} s")), paper.failed.clone()].into_iter().flatten().collect();
    (!said.is_empty()).then(|| format!("{}: {}", paper.paper, said.join(", ")))
}

fn means(means: &[Mean]) -> String {
    let mut text = String::from(
        "\n## Mean time to the known fault, of DepCon+'s subjects\n\n\
         | subjects | run | found | mean seconds | if a miss had cost an hour | paper's mean | ratio | the paper's over the same subjects | ratio |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for mean in means {
        let ratio = |published: f64| format!("{:.3}", mean.seconds_of_an_hour / published);
        text += &format!(
            "| {} | {} of {} | {} of {} runs | {:.1} | {:.1} | {} | {} | {:.0} | {} |\n",
            mean.what,
            mean.subjects,
            mean.of,
            mean.found,
            mean.runs,
            mean.seconds,
            mean.seconds_of_an_hour,
            mean.published.map_or("-".into(), |published| format!("{published:.0}")),
            mean.published.map_or("-".into(), ratio),
            mean.published_same,
            ratio(mean.published_same),
        );
    }
    text + "\nIn the paper a miss counts as its whole budget, an hour. So the ratios are those of the means in which ours does, too. Fixtures \
            are not the classes that they stand for, and have other methods, so there is a mean without them. The machines are not \
            the same, and some versions are not (see the notes).\n"
}

fn sizes(rows: &[Row]) -> String {
    let mut text = String::from(
        "\n## Pairs of methods, beside table IV of DepCon+\n\n\
         | subject | M | M_pc | M_d | second share | analysis, s | paper: M | M_pc | M_d | s |\n|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for row in rows.iter().filter(|row| row.subject.papers[0].paper == "DepCon+") {
        let Some(sizes) = &row.sizes else { continue };
        let paper = &row.subject.papers[0];
        let published = |number: Option<u64>| number.map_or("-".to_owned(), |number| number.to_string());
        text += &format!(
            "| {} | {} | {} | {} | {} | {:.2} | {} | {} | {} | {} |\n",
            row.subject.name,
            sizes.pairs,
            sizes.pc,
            sizes.double_lock,
            sizes.second_share,
            sizes.seconds,
            published(paper.pairs),
            published(paper.pc),
            published(paper.double_lock),
            paper.analysis_ms.map_or("-".into(), |ms| format!("{:.2}", ms as f64 / 1e3)),
        );
    }
    text
}

/// Classes in which nothing should be found.
fn safe(rows: &[&Row]) -> String {
    let ran: Vec<&Row> = rows.iter().copied().filter(|row| row.runs > 0 && row.tests > 0.0).collect();
    let found: Vec<&&Row> = ran.iter().filter(|row| row.found_other > 0).collect();
    let mut text = format!(
        "\n## Classes that are documented to be thread-safe\n\n{} of {} classes of Joda-Time 2.0 were tested, for {} each at the most, with one seed and the usual \
         oracle, which does not look at what calls return; something was found in {}, and {} findings were not confirmed when a check \
         ended.\n\n\
         | class | found | tests | executions |\n|---|---|---|---|\n",
        ran.len(),
        rows.len(),
        seconds(&ran),
        found.len(),
        ran.iter().map(|row| row.unsure).sum::<usize>()
    );
    for row in rows {
        let found = match &row.failed {
            Some(why) => format!("cannot be run: {}", cell(why)),
            None if row.runs == 0 => "not run".to_owned(),
            None => row.kinds.iter().map(|kind| &**kind).collect::<Vec<_>>().join(", "),
        };
        text += &format!("| {} | {found} | {:.0} | {:.0} |\n", row.subject.class, row.tests, row.executions);
    }
    text
}

/// What was not found, and what was in the way.
fn unfound(rows: &[Row]) -> String {
    let is_missed =
        |row: &&Row| row.subject.expected != Expected::None && (row.found < row.runs || row.failed.is_some());
    let missed: Vec<&Row> = rows.iter().filter(is_missed).collect();
    if missed.is_empty() {
        return String::new();
    }
    let mut text =
        String::from("\n## Misses\n\n| subject | missed | tests rejected | what was in the way |\n|---|---|---|---|\n");
    for row in missed {
        let way = match &row.failed {
            Some(why) => cell(why),
            None => row.hindrances.iter().map(|what| cell(what)).collect::<Vec<_>>().join("; "),
        };
        text += &format!(
            "| {} | {} of {} | {:.0} of {:.0} | {way} |\n",
            row.subject.name,
            row.runs - row.found,
            row.runs,
            row.rejected,
            row.rejected + row.tests
        );
    }
    text + "\nDiagnoses are in docs/design/study.md.\n"
}

fn notes(summary: &Summary) -> String {
    let list = |all: Vec<String>| all.join("; ");
    let mut budgets: Vec<u64> = summary.rows.iter().flat_map(|row| row.budgets.iter().copied()).collect();
    budgets.sort_unstable();
    budgets.dedup();
    let budgets = list(budgets.iter().map(|seconds| format!("{seconds} s")).collect());
    let left_out = match summary.left_out {
        0 => String::new(),
        left_out => format!(" {left_out} runs of other builds or definitions are kept, and in no table."),
    };
    let others = summary.others.map_or("an unknown share".into(), |(mean, most)| {
        format!("{:.1} % in the mean, {:.1} % at the most,", mean * 100.0, most * 100.0)
    });
    format!(
        "\n## What the columns mean\n\n\
         `found`: runs in which the known fault was found, by its kind, exception and methods as `study/subjects.toml` has them. `seconds to it`: \
         on average, a miss counting as the whole budget. `first finding`: of any kind, on average of the runs that have one. Times are from \
         the start of the check, with the analysis, to the execution that first failed so; shrinking and confirming it come after that, and what is \
         not confirmed is not found. `tests` and `executions`: until the check was stopped, three seconds after the known \
         fault was shrunk and confirmed. `all that was found`: exceptions and kinds of findings in all runs, the known fault among them. `other papers`: \
         what they give for the same subject, as times to the first fault. `analysis`: the whole command `raddle deps`, while other checks may run.\n\n\
         Machine: {}; others than the study had {others} of its processors while checks ran. Times are of use only where that is little. Java {}. Raddle {}. \
         Workers of a check: {}. Budgets: {budgets}.{left_out}\n",
        list(summary.machines.iter().map(|machine| machine.text()).collect()),
        list(summary.java.iter().cloned().collect()),
        list(summary.raddle.iter().cloned().collect()),
        list(summary.jobs.iter().map(|jobs| if *jobs == 0 { "not kept".into() } else { jobs.to_string() }).collect()),
    )
}

fn number(number: Option<f64>) -> String {
    number.map_or("-".into(), |number| format!("{number:.1}"))
}

/// Text that is safe in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "/").replace('\n', " ").chars().take(160).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{self, Outcome, Ran};
    use crate::summary::tests::{known_after, record, subject};

    #[test]
    fn the_page_has_what_was_found_what_was_missed_and_what_could_not_be_run() {
        let results = tempfile::tempdir().unwrap();
        let rejections = [("a.close throws java.io.IOException".to_owned(), 7)].into();
        let outcomes = [
            ("C5", known_after(2.0)),
            ("C6", Outcome::Ran(Ran { rejections, ..Ran::default() })),
            ("C7", Outcome::Failed("there is no network".into())),
            ("Days", Outcome::Ran(Ran { tests: 9, ..Ran::default() })),
        ];
        let subjects = ["C5", "C6", "C7", "C16", "Days"].map(subject);
        for (name, outcome) in outcomes {
            let subject = subjects.iter().find(|subject| subject.name == name).unwrap();
            record::store(&record::path(results.path(), subject, 1), &record(subject, 1, "a", outcome)).unwrap();
        }
        let page = page(&crate::summary::of(&subjects, results.path(), None).unwrap());
        for line in [
            "| C5 | BufferedInput * | 1 of 1 | 2.0 | 2.0 | 0 | 0 | NullPointerException | 100 % | 7.0 | 18 | ConTeGe: NullPointerException |",
            "| C6 | LaterVector * | 0 of 1 | 10.0 | - | 0 | 0 |  | 20 % | 3071.0 | 1174 | AutoConTest: 29.6 s |",
            "| C7 | Day | cannot be run | - | - | 0 | 0 |  | 100 % | 84.0 | 255 | ConTeGe: NumberFormatException |",
            "| C16 | StringBuffer | not run | - | - | 0 | 0 |  | 100 % | 18.0 | 22 |",
            "| C1 to C15 | 2 of 3 | 1 of 2 runs | 6.0 | 1801.0 | 1368 | 1.317 | 1539 | 1.170 |",
            "| C6 | 1 of 1 | 0 of 0 | 7 x a.close throws java.io.IOException |",
            "| C7 | 0 of 0 | 0 of 0 | there is no network |",
            "1 of 1 classes of Joda-Time 2.0 were tested",
        ] {
            assert!(page.contains(line), "{line} is not in\n{page}");
        }
    }

    #[test]
    fn the_readme_says_what_the_table_says() {
        let read = |path: &str| std::fs::read_to_string(crate::home().join(path)).unwrap();
        let (table, readme) = (read("results/table.md"), read("../README.md"));
        let short = table.lines().find(|line| line.starts_with(IN_SHORT)).expect("the table has a summary");
        assert!(readme.contains(short), "the README's figures are not those of study/results/table.md:\n{short}");
    }
}
