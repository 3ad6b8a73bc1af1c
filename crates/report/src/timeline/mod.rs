//! The timeline of an execution: rows, of which some are left out, laid out in columns.

mod elide;
mod layout;
mod rows;
mod sheet;

use crate::finding::Finding;
use crate::page::View;
use crate::style::Line;
use rows::RowKind;

/// The lines of the timeline, each at most as wide as the view and, if that is given, not more than `most`.
pub(crate) fn lines(finding: &Finding, view: &View<'_>, most: Option<usize>) -> Vec<Line> {
    let rows = rows::rows(finding, view);
    let most = most.unwrap_or(usize::MAX);
    // The heading takes two, and some endings take more than one.
    let endings = rows.iter().filter(|row| row.kind == RowKind::Ending).take(3).count();
    let kept = elide::elide(&rows, most.saturating_sub(2 + endings).max(1));
    layout::lay_out(finding, &rows, &kept, view, most)
}
