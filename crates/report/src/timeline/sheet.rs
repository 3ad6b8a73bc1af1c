//! How wide everything is: one column a thread where there is room for that, else one column with a label a row.

use super::rows::{Row, RowKind};
use crate::finding::Finding;
use crate::plain::{clean, width};

/// A column with less is not worth reading.
const NARROWEST: usize = 20;
/// Longer endings take more lines where there is a column for each thread: sources need room, too.
const WIDEST_ENDING: usize = 32;
/// Longer places are cut before threads are.
const WIDEST_PLACE: usize = 24;
/// Between threads.
pub(crate) const BAR: &str = " │ ";
/// Before places.
pub(crate) const GAP: &str = "  ";
/// Before all, for the mark of the cause.
pub(crate) const GUTTER: usize = 2;

/// The widths of the parts of a line.
#[derive(Debug)]
pub(crate) struct Sheet {
    /// The threads that there are.
    pub threads: Vec<u16>,
    /// Their headings or labels.
    pub names: Vec<String>,
    /// Of the labels, if threads share a column.
    pub label: Option<usize>,
    /// Of the columns; one if threads share it.
    pub columns: Vec<usize>,
    /// Of places and sources; 0 if there is no room for them.
    pub beside: usize,
}

impl Sheet {
    /// The best for these rows in so many columns of a terminal.
    pub fn of(finding: &Finding, threads: Vec<u16>, shown: &[&Row<'_>], room: usize) -> Sheet {
        let place = shown.iter().map(|row| width(&row.place())).max().unwrap_or(0).min(WIDEST_PLACE);
        let place = if place > 0 { place + width(GAP) } else { 0 };
        let room = room.saturating_sub(GUTTER);
        column_each(finding, &threads, shown, room, place)
            .unwrap_or_else(|| one_column(finding, threads, shown, room, place))
    }

    /// From the edge to where places begin.
    pub fn width(&self) -> usize {
        let label = self.label.map_or(0, |label| label + width(BAR));
        GUTTER + label + width(BAR) * (self.columns.len() - 1) + self.columns.iter().sum::<usize>()
    }
}

/// A column for each thread, if there is room. `place` is what places take, the gap before them included.
fn column_each(finding: &Finding, threads: &[u16], shown: &[&Row<'_>], room: usize, place: usize) -> Option<Sheet> {
    let name = |&thread: &u16| match clean(finding.thread_name(thread)) {
        name if name.is_empty() => format!("thread {thread}"),
        name => format!("thread {thread}: {name}"),
    };
    let names: Vec<String> = threads.iter().map(name).collect();
    let wanted =
        |(thread, name): (&u16, &String)| widest(shown, WIDEST_ENDING, |row| row.thread == *thread).max(width(name));
    let wanted: Vec<usize> = threads.iter().zip(&names).map(wanted).collect();
    let left = room.checked_sub(width(BAR) * threads.len().checked_sub(1)? + place)?;
    let at_most = |cap: usize| wanted.iter().map(move |&wide| wide.min(cap));
    let cap = (NARROWEST..=room).rev().find(|&cap| at_most(cap).sum::<usize>() <= left)?;
    let columns: Vec<usize> = at_most(cap).collect();
    let beside = if place > 0 { left - columns.iter().sum::<usize>() + place - width(GAP) } else { 0 };
    Some(Sheet { threads: threads.to_vec(), names, label: None, columns, beside })
}

/// One column, with the thread before each row. Places give way to what happens.
fn one_column(finding: &Finding, threads: Vec<u16>, shown: &[&Row<'_>], room: usize, place: usize) -> Sheet {
    let name = |&thread: &u16| match clean(finding.thread_name(thread)) {
        name if name.is_empty() => format!("thread {thread}"),
        name => format!("{thread} {name}"),
    };
    let names: Vec<String> = threads.iter().map(name).collect();
    let label = names.iter().map(|name| width(name)).max().unwrap_or(0).min((room / 5).clamp(3, 16));
    let left = room.saturating_sub(label + width(BAR));
    let has_room = place > 0 && left >= place + NARROWEST;
    let wide = if has_room { widest(shown, usize::MAX, |_| true).min(left - place) } else { left };
    let beside = if has_room { left - wide - width(GAP) } else { 0 };
    Sheet { threads, names, label: Some(label), columns: vec![wide], beside }
}

/// What the widest of these rows takes, endings no more than so much.
fn widest(shown: &[&Row<'_>], ending: usize, of: impl Fn(&Row<'_>) -> bool) -> usize {
    let own = shown.iter().filter(|row| of(row) && !row.is_rule());
    let wanted = |row: &Row<'_>| match row.kind {
        RowKind::Ending => width(&row.shown()).min(ending),
        _ => row.depth * 2 + width(&row.shown()),
    };
    own.map(|row| wanted(row)).max().unwrap_or(0).max(NARROWEST)
}
