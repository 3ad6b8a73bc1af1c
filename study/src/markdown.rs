//! The tables, for readers.

use crate::subjects::{Expected, Published};
use crate::summary::{Mean, Row, Summary};

/// The page with all tables.
pub fn page(summary: &Summary) -> String {
    let mut text = String::from(
        "# The study\n\nWritten by `cargo run --release -p study -- run`. What the columns mean is below the tables.\n",
    );
    let is_safe = |row: &&Row| row.subject.expected == Expected::None && row.subject.papers[0].id.is_empty();
    let in_group = |paper: &str| -> Vec<&Row> {
        summary.rows.iter().filter(|row| row.subject.papers[0].paper == paper && !is_safe(row)).collect()
    };
    let (deadlocks, exceptions): (Vec<&Row>, Vec<&Row>) =
        in_group("DepCon+").into_iter().partition(|row| row.subject.expected == Expected::Deadlock);
    let groups = [
        ("DepCon+, exceptions (C1 to C15)", exceptions),
        ("DepCon+, deadlocks (C16 to C19)", deadlocks),
        ("ConTeGe", in_group("ConTeGe")),
        ("AutoConTest", in_group("AutoConTest")),
        ("Intruder", in_group("Intruder")),
    ];
    for (title, rows) in groups {
        text += &group(title, &rows);
    }
    text += &means(&summary.means);
    text += &sizes(&summary.rows);
    text += &safe(&summary.rows.iter().filter(is_safe).collect::<Vec<_>>());
    text += &unfound(&summary.rows);
    text += &notes(summary);
    text
}

fn group(title: &str, rows: &[&Row]) -> String {
    let mut text = format!(
        "\n## {title}\n\n| subject | class | found | seconds to it | first finding, s | tests | executions | also found | paper: success | seconds | tests |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n"
    );
    for row in rows {
        let Published { success, seconds, tests, .. } = &row.subject.papers[0];
        let class = row.subject.class.rsplit('.').next().unwrap_or(&row.subject.class);
        let mark = if row.subject.note.is_some() { " *" } else { "" };
        let others: Vec<&str> = row.kinds.iter().map(|kind| &**kind).collect();
        let (found, to_it) = match (&row.failed, row.runs) {
            (Some(_), _) if row.found == 0 => ("cannot be run".to_owned(), "-".to_owned()),
            (_, 0) => ("not run".to_owned(), "-".to_owned()),
            _ => (format!("{} of {}", row.found, row.runs), number(row.seconds)),
        };
        text += &format!(
            "| {} | {class}{mark} | {found} | {to_it} | {} | {:.0} | {:.0} | {} | {} | {} | {} |\n",
            row.subject.name,
            number(row.first),
            row.tests,
            row.executions,
            if row.found_other > 0 { others.join(", ") } else { String::new() },
            success.map_or("-".into(), |share| format!("{:.0} %", 100.0 * share)),
            number(*seconds),
            tests.map_or("-".into(), |tests| tests.to_string()),
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

fn means(means: &[Mean]) -> String {
    let mut text = String::from(
        "\n## Mean time to the known fault, of DepCon+'s subjects\n\n\
         | subjects | run | found | mean seconds | paper's mean | ratio | the paper's over the same subjects | ratio |\n|---|---|---|---|---|---|---|---|\n",
    );
    for mean in means {
        text += &format!(
            "| {} | {} of {} | {} of {} runs | {:.1} | {:.0} | {:.4} | {:.0} | {:.4} |\n",
            mean.what,
            mean.subjects,
            mean.of,
            mean.found,
            mean.runs,
            mean.seconds,
            mean.published,
            mean.seconds / mean.published,
            mean.published_same,
            mean.seconds / mean.published_same,
        );
    }
    text + "\nA miss counts as the whole budget, as it does in the paper. Its budget was an hour, so a group with misses is not to be \
            compared.\n"
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
    let ran: Vec<&&Row> = rows.iter().filter(|row| row.runs > 0 && row.failed.is_none()).collect();
    let found: Vec<&&&Row> = ran.iter().filter(|row| row.found_other > 0).collect();
    let mut text = format!(
        "\n## Classes that are documented to be thread-safe\n\n{} of {} classes of Joda-Time 2.0 were run, for a minute each; something was found in {}.\n\n\
         | class | found | tests | executions |\n|---|---|---|---|\n",
        ran.len(),
        rows.len(),
        found.len()
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
    let others = summary.others.map_or("an unknown share".into(), |(mean, most)| {
        format!("{:.1} % in the mean, {:.1} % at the most,", mean * 100.0, most * 100.0)
    });
    format!(
        "\n## What the columns mean\n\n\
         `found`: runs in which the known fault was found, by its kind, exception and methods as `study/subjects.toml` has them. `seconds to it`: \
         on average, a miss counting as the whole budget. `first finding`: of any kind, on average of the runs that have one. Times are from \
         the start of the check, with the analysis. `tests` and `executions`: until the check was stopped, three seconds after the known \
         fault was shrunk and confirmed. `also found`: in runs with something else than the known fault, all that was found. `analysis`: the whole command `raddle deps`, while other checks may run.\n\n\
         Machine: {}; others than the study had {others} of its processors while checks ran. Times are of use only where that is little. Java {}. Raddle {}. \
         Workers of a check: {}. Budgets: {budgets}.\n",
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
