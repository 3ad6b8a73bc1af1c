//! The timeline of an execution: rows, of which some are left out, laid out in columns.

mod elide;
mod layout;
mod rows;

use crate::finding::Finding;
use crate::page::View;

/// The lines of the timeline, each at most as wide as the view and not more than `most`, if that is given.
pub(crate) fn lines(finding: &Finding, view: &View<'_>, most: Option<usize>) -> Vec<String> {
    let rows = rows::rows(finding, view);
    let heading = 2;
    let kept = elide::elide(&rows, most.map_or(usize::MAX, |most| most.saturating_sub(heading)));
    layout::lay_out(finding, &rows, &kept, view)
}
