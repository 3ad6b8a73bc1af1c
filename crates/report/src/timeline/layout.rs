//! Rows as lines: one column a thread where there is room for that, else one column with a label a row.

use super::elide::Kept;
use super::rows::{Row, RowKind};
use crate::finding::Finding;
use crate::page::View;
use crate::plain::{clean, count, cut, fit, width};
use std::collections::BTreeSet;

/// A column with less is not worth reading.
const NARROWEST: usize = 20;
/// Places are cut to this before threads are.
const WIDEST_PLACE: usize = 24;
/// Between columns.
const BAR: &str = " │ ";
/// Before all of them, for the mark of the cause.
const GUTTER: usize = 2;

/// The lines of the rows that are kept, below a heading.
pub(crate) fn lay_out(finding: &Finding, rows: &[Row], kept: &[Kept], view: &View<'_>) -> Vec<String> {
    if rows.is_empty() {
        return Vec::new();
    }
    let shown: Vec<&Row> =
        kept.iter().filter_map(|kept| if let Kept::Row(row) = kept { Some(&rows[*row]) } else { None }).collect();
    let threads: BTreeSet<u16> = rows.iter().map(|row| row.thread).collect();
    let threads: Vec<u16> = threads.into_iter().collect();
    let room = view.columns() - GUTTER;
    let sheet = columns(finding, &threads, &shown, room).unwrap_or_else(|| list(finding, &threads, &shown, room));
    let mut lines = sheet.heading(view);
    let mut above: Option<&Row> = None;
    for kept in kept {
        let line = match *kept {
            Kept::Row(row) => sheet.row(&rows[row], above.replace(&rows[row]), view),
            Kept::Gap(from, to) => {
                above = None;
                view.faint(&cut(&format!("  … {} left out", left_out(&rows[from..to])), view.columns()))
            }
        };
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// How wide everything is.
struct Sheet {
    /// For each column, its heading and width. One for all threads if they are labelled.
    columns: Vec<(String, usize)>,
    /// The threads of the columns.
    threads: Vec<u16>,
    /// The labels of the threads, if they share a column, and how wide they are.
    labels: Option<(Vec<String>, usize)>,
    /// For places and sources; 0 if there is no room for them.
    beside: usize,
}

/// A column for each thread, if there is room.
fn columns(finding: &Finding, threads: &[u16], shown: &[&Row], room: usize) -> Option<Sheet> {
    let headings: Vec<String> = threads.iter().map(|&thread| heading(finding, thread)).collect();
    let wanted = |place: usize| {
        let own = shown.iter().filter(|row| row.thread == threads[place] && !row.is_rule()).map(|row| needs(row));
        own.max().unwrap_or(0).max(width(&headings[place])).max(NARROWEST)
    };
    let wanted: Vec<usize> = (0..threads.len()).map(wanted).collect();
    let place = widest_place(shown);
    let bars = width(BAR) * (threads.len() - 1 + usize::from(place > 0));
    let left = room.checked_sub(bars + place)?;
    let cap = (NARROWEST..=room).rev().find(|&cap| wanted.iter().map(|&wide| wide.min(cap)).sum::<usize>() <= left)?;
    let widths: Vec<usize> = wanted.iter().map(|&wide| wide.min(cap)).collect();
    let beside = if place > 0 { room - bars - widths.iter().sum::<usize>() } else { 0 };
    Some(Sheet { columns: headings.into_iter().zip(widths).collect(), threads: threads.to_vec(), labels: None, beside })
}

/// One column, with the thread before each row.
fn list(finding: &Finding, threads: &[u16], shown: &[&Row], room: usize) -> Sheet {
    let label = |&thread: &u16| {
        let name = clean(finding.thread_name(thread));
        if name.is_empty() { format!("thread {thread}") } else { format!("{thread} {name}") }
    };
    let labels: Vec<String> = threads.iter().map(label).collect();
    let most = if room < 60 { 8 } else { 16 };
    let label = labels.iter().map(|label| width(label)).max().unwrap_or(0).min(most);
    let left = room.saturating_sub(label + width(BAR));
    let (place, bar) = (widest_place(shown), width(BAR));
    // Places give way to what happens.
    let has_room = place > 0 && left >= place + bar + NARROWEST;
    let wanted = shown.iter().filter(|row| !row.is_rule()).map(|row| needs(row)).max().unwrap_or(0).max(NARROWEST);
    let wide = if has_room { wanted.min(left - place - bar) } else { left };
    let beside = if has_room { left - bar - wide } else { 0 };
    let columns = vec![(String::new(), wide)];
    Sheet { columns, threads: threads.to_vec(), labels: Some((labels, label)), beside }
}

impl Sheet {
    fn heading(&self, view: &View<'_>) -> Vec<String> {
        if self.labels.is_some() {
            return Vec::new();
        }
        let titles: Vec<String> = self.columns.iter().map(|(title, wide)| fit(title, *wide)).collect();
        let rules: Vec<String> = self.columns.iter().map(|&(_, wide)| "─".repeat(wide)).collect();
        let line = format!("  {}", titles.join(BAR));
        vec![view.strong(line.trim_end()), view.faint(&format!("──{}", rules.join("─┼─")))]
    }

    fn row(&self, row: &Row, above: Option<&Row>, view: &View<'_>) -> String {
        if row.is_rule() {
            return self.rule(row, view);
        }
        let place = self.threads.iter().position(|&thread| thread == row.thread).unwrap_or(0);
        let own = if self.labels.is_some() { 0 } else { place };
        let text = |wide: usize| {
            // Deep calls must leave room for what they do.
            let indent = (row.depth * 2).min(wide / 3);
            fit(&format!("{}{}", " ".repeat(indent), row.shown()), wide)
        };
        let paint = |text: String| match row.kind {
            _ if row.in_cause => view.cause(&text),
            RowKind::Ending => view.bad(&text),
            RowKind::Folded => view.faint(&text),
            _ => text,
        };
        let mut line = if row.in_cause { view.cause("> ") } else { "  ".into() };
        if let Some((labels, wide)) = &self.labels {
            line += &view.faint(&format!("{}{BAR}", fit(&labels[place], *wide)));
        }
        for (number, &(_, wide)) in self.columns.iter().enumerate() {
            if number > 0 {
                line += &view.faint(BAR);
            }
            line += &if number == own { paint(text(wide)) } else { " ".repeat(wide) };
        }
        let beside = beside(row, above);
        if self.beside > 0 && !beside.is_empty() {
            line += &view.faint(&format!("{BAR}{}", cut(&beside, self.beside)));
        } else if self.beside > 0 {
            line += &view.faint(BAR);
        }
        line
    }

    fn rule(&self, row: &Row, view: &View<'_>) -> String {
        let dash = match row.kind {
            RowKind::Preemption => "━",
            RowKind::Time => "┄",
            _ => "─",
        };
        let bars = width(BAR) * (self.columns.len() - 1);
        let label = self.labels.as_ref().map_or(0, |&(_, wide)| wide + width(BAR));
        let wide = GUTTER + label + bars + self.columns.iter().map(|&(_, wide)| wide).sum::<usize>();
        let mut line = cut(&format!("{} {} ", dash.repeat(GUTTER), row.shown()), wide);
        line += &dash.repeat(wide - width(&line));
        if row.kind == RowKind::Preemption { view.preemption(&line) } else { view.faint(&line) }
    }
}

/// `thread 1: deposit`.
fn heading(finding: &Finding, thread: u16) -> String {
    let name = clean(finding.thread_name(thread));
    if name.is_empty() { format!("thread {thread}") } else { format!("thread {thread}: {name}") }
}

fn needs(row: &Row) -> usize {
    row.depth * 2 + width(&row.shown())
}

fn widest_place(shown: &[&Row]) -> usize {
    shown.iter().map(|row| width(&row.place)).max().unwrap_or(0).min(WIDEST_PLACE)
}

/// The place of a row and the source there, which is told once for neighbours.
fn beside(row: &Row, above: Option<&Row>) -> String {
    let again = above.is_some_and(|above| above.thread == row.thread && above.place == row.place && !above.is_rule());
    if again || row.source.is_empty() { row.place.clone() } else { format!("{}  {}", row.place, row.source) }
}

/// What is in rows that are left out.
fn left_out(rows: &[Row]) -> String {
    let steps: usize = rows.iter().map(|row| row.steps).sum();
    let of = |kinds: &[RowKind]| rows.iter().filter(|row| kinds.contains(&row.kind)).count();
    let ends = rows.iter().filter(|row| row.kind == RowKind::Ending && row.steps == 0).count();
    let all = [
        (steps, "step"),
        (of(&[RowKind::Switch, RowKind::Preemption]), "switch"),
        (if steps == 0 { of(&[RowKind::Call]) } else { 0 }, "call"),
        (ends, "thread that did not end"),
        (if steps == 0 { of(&[RowKind::Time]) } else { 0 }, "passing of time"),
    ];
    let told: Vec<String> = all.iter().filter(|(many, _)| *many > 0).map(|&(many, noun)| count(many, noun)).collect();
    told.join(", ")
}
