//! The results as a page of Markdown.

use std::fmt::Write;

use super::outcome::{Document, Fail, Outcome, Pass, Rate, Row};

/// What the figures of the kept run say, written by hand. Its first line names the run by the hash of its file.
const READING: &str = include_str!("../../peers/reading.md");

type Tool = (&'static str, fn(&Row) -> &Outcome);
const TOOLS: &[Tool] =
    &[("Raddle", |row| &row.raddle), ("Lincheck", |row| &row.lincheck), ("JCStress", |row| &row.jcstress)];

/// The whole page, of a run whose file has this hash.
pub fn page(document: &Document, run: &str) -> String {
    let mut page = "# Peers on the same work\n\n    cargo run --release -p study -- peers\n\n".to_owned();
    let versions: Vec<String> = document.versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
    let others = document.others.map_or("an unknown share".into(), |share| format!("{:.1} %", share * 100.0));
    page += &format!(
        "One run. {}; {}; {} (Raddle's program: {}). Others than the tools had {others} of the processors. A tool had {} s for a test and for its \
         twin, and {} s for the rate.\n\n",
        document.machine.text(),
        document.java,
        versions.join(", "),
        document.program,
        document.budget,
        document.rate,
    );
    page += "## To the first failure\n\nExecutions up to the first that fails; seconds of the whole command, with the start of the JVM and \
             the report; seconds of processor time. JCStress does not say when a failure came first: its number is samples divided by \
             failures, and its time the share of a test in one command for all.\n\n";
    table(&mut page, document, "executions, s, processor s", |row, tool| fail(&tool(row).fail));
    page += &ratios(document);
    page += "\n## The twin without a fault\n\nWhether the tool says that nothing is left to run; executions; seconds; seconds of processor \
             time.\n\n";
    table(&mut page, document, "end, executions, s, processor s", |row, tool| pass(&tool(row).pass));
    page += "\n## Executions a second of processor time\n\nOf the twin. Raddle in random walks, with the start of its JVM; Lincheck in a JVM \
             that is warm, from the beginning again when nothing is left; JCStress with threads that run freely, with its share of the whole \
             command. In brackets the ratio to Raddle.\n\n";
    table(&mut page, document, "a second", |row, tool| rate(tool(row).rate.as_ref(), row.raddle.rate.as_ref()));
    page += "\n## What could not be had\n\n";
    if document.missing.is_empty() {
        page += "Maven finds what was asked for.\n";
    }
    for missing in &document.missing {
        // Writing to a text cannot fail.
        let _ = writeln!(page, "- {}: {}", missing.peer, missing.said);
    }
    page + "\n" + &reading(READING, run)
}

/// What is written of a run; of another one it would be wrong.
fn reading(written: &str, run: &str) -> String {
    match written.split_once('\n') {
        Some((mark, text)) if mark == format!("<!-- of run {run} -->") => text.to_owned(),
        _ => format!("Nobody has written yet what the figures of this run ({run}) say.\n"),
    }
}

fn table(page: &mut String, document: &Document, unit: &str, cell: impl Fn(&Row, fn(&Row) -> &Outcome) -> String) {
    *page += "| test |";
    for (name, _) in TOOLS {
        *page += &format!(" {name}: {unit} |");
    }
    *page += &format!("\n|---|{}\n", "---|".repeat(TOOLS.len()));
    for row in &document.rows {
        *page += &format!("| {} |", row.case.name);
        for (_, tool) in TOOLS {
            *page += &format!(" {} |", cell(row, *tool));
        }
        *page += "\n";
    }
}

fn fail(fail: &Fail) -> String {
    match (fail.found, fail.executions) {
        (true, Some(executions)) => {
            format!("{}, {:.1}, {:.1}", number(executions), fail.cost.seconds, fail.cost.processor_seconds)
        }
        (true, None) => format!("found, {:.1}, {:.1}", fail.cost.seconds, fail.cost.processor_seconds),
        (false, _) if fail.cost.seconds == 0.0 => format!("not run: {}", fail.said),
        (false, _) => format!("not found: {}", fail.said),
    }
}

fn pass(pass: &Pass) -> String {
    let Some(executions) = pass.executions else { return pass.said.clone() };
    let end = match (pass.false_alarm, pass.exhausted) {
        (true, _) => "false alarm",
        (false, true) => "exhausted",
        (false, false) => "not exhausted",
    };
    format!("{end}, {}, {:.1}, {:.1}", number(executions as f64), pass.cost.seconds, pass.cost.processor_seconds)
}

fn rate(rate: Option<&Rate>, raddle: Option<&Rate>) -> String {
    match (rate, raddle) {
        (Some(rate), Some(raddle)) => {
            format!("{} ({:.2})", number(rate.a_second()), rate.a_second() / raddle.a_second())
        }
        (Some(rate), None) => number(rate.a_second()),
        (None, _) => "none".to_owned(),
    }
}

/// Lincheck's figures as multiples of Raddle's, over the tests where both have one.
fn ratios(document: &Document) -> String {
    let mean = |what: fn(&Row, &Outcome) -> Option<f64>| {
        let pairs = document.rows.iter().filter_map(|row| Some((what(row, &row.lincheck)?, what(row, &row.raddle)?)));
        geometric_mean(pairs.map(|(lincheck, raddle)| lincheck / raddle))
    };
    let lines = [
        ("executions to the first failure", mean(|_, tool| tool.fail.executions)),
        ("seconds to the first failure", mean(|_, tool| tool.fail.found.then_some(tool.fail.cost.seconds))),
        (
            "processor seconds to the first failure",
            mean(|_, tool| tool.fail.found.then_some(tool.fail.cost.processor_seconds)),
        ),
        (
            "executions until nothing is left",
            mean(|_, tool| tool.pass.executions.filter(|_| tool.pass.exhausted).map(|n| n as f64)),
        ),
        (
            "executions a second of processor time, where Lincheck does not begin again",
            mean(|row, tool| tool.rate.filter(|_| !row.lincheck.pass.exhausted).map(|rate| rate.a_second())),
        ),
    ];
    let mut text = "\nLincheck to Raddle, geometric means over the tests where both have a figure:\n\n".to_owned();
    for (what, mean) in lines {
        if let Some((ratio, tests)) = mean {
            text += &format!("- {what}: {ratio:.2} ({tests} tests)\n");
        }
    }
    text
}

/// None of nothing. With how many there were.
fn geometric_mean(values: impl Iterator<Item = f64>) -> Option<(f64, usize)> {
    let logarithms: Vec<f64> = values.map(f64::ln).collect();
    let count = logarithms.len();
    (count > 0).then(|| ((logarithms.iter().sum::<f64>() / count as f64).exp(), count))
}

/// With commas between thousands, and without what does not matter.
fn number(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_commas_between_thousands() {
        assert_eq!(
            ["7", "999", "1,000", "1,234,568"],
            [7.0, 999.4, 1000.0, 1_234_567.8].map(number).each_ref().map(String::as_str)
        );
    }

    #[test]
    fn what_is_written_of_one_run_is_not_said_of_another() {
        let written = "<!-- of run 12 -->\n## What the figures say\n";
        assert_eq!(reading(written, "12"), "## What the figures say\n");
        assert!(!reading(written, "13").contains("What the figures"));
    }

    #[test]
    fn a_mean_of_ratios_is_geometric() {
        let (mean, count) = geometric_mean([4.0, 0.25, 8.0].into_iter()).expect("three values");
        assert!((mean - 2.0).abs() < 1e-9);
        assert_eq!(count, 3);
        assert_eq!(geometric_mean(std::iter::empty()), None);
    }
}
