//! Rows as lines.

use super::elide::Kept;
use super::rows::{Row, RowKind};
use super::sheet::{BAR, GAP, GUTTER, Sheet};
use crate::finding::Finding;
use crate::page::View;
use crate::plain::{clean, count, cut, cut_start, fit, width, wrap};
use crate::style::{BAD, CAUSE, FAINT, Line, PLAIN, PREEMPTION, STRONG};
use std::collections::BTreeSet;

/// How many lines an ending may take: it says who waits for whom.
const LINES_OF_ENDING: usize = 4;

/// The lines of the rows that are kept, below a heading; at most `most`, endings permitting.
pub(crate) fn lay_out(finding: &Finding, rows: &[Row<'_>], kept: &[Kept], view: &View<'_>, most: usize) -> Vec<Line> {
    if rows.is_empty() {
        return Vec::new();
    }
    let shown = kept.iter().filter_map(|kept| if let Kept::Row(row) = kept { Some(&rows[*row]) } else { None });
    let shown: Vec<&Row<'_>> = shown.collect();
    let threads: BTreeSet<u16> = rows.iter().map(|row| row.thread).collect();
    let sheet = Sheet::of(finding, threads.into_iter().collect(), &shown, view.columns());
    let draw = |ending: usize| {
        let mut lines = sheet.heading();
        let mut above: Option<&Row<'_>> = None;
        for kept in kept {
            match *kept {
                Kept::Row(row) => lines.extend(sheet.row(&rows[row], above.replace(&rows[row]), ending, view)),
                Kept::Gap(from, to) => {
                    above = None;
                    let text = format!("{}… {} left out", " ".repeat(GUTTER), left_out(&rows[from..to]));
                    lines.push(Line::of(cut(&text, view.columns()), FAINT));
                }
            }
        }
        lines
    };
    let lines = draw(LINES_OF_ENDING);
    if lines.len() <= most { lines } else { draw(1) }
}

impl Sheet {
    fn heading(&self) -> Vec<Line> {
        if self.label.is_some() {
            return Vec::new();
        }
        let titles: Vec<String> = self.names.iter().zip(&self.columns).map(|(name, wide)| fit(name, *wide)).collect();
        let rules: Vec<String> = self.columns.iter().map(|&wide| "─".repeat(wide)).collect();
        let (title, rule) = (titles.join(BAR), rules.join("─┼─"));
        vec![Line::of(" ".repeat(GUTTER) + &title, STRONG), Line::of("─".repeat(GUTTER) + &rule, FAINT)]
    }

    /// The lines of a row, one but for endings, which may have more.
    fn row(&self, row: &Row<'_>, above: Option<&Row<'_>>, ending: usize, view: &View<'_>) -> Vec<Line> {
        if row.is_rule() {
            return vec![self.rule(row)];
        }
        let place = self.threads.iter().position(|&thread| thread == row.thread).unwrap_or(0);
        let own = if self.label.is_some() { 0 } else { place };
        let wide = self.columns[own];
        // Deep calls must leave room for what they do.
        let indent = (row.depth * 2).min(wide / 3);
        let texts = match row.kind {
            RowKind::Ending => wrap(&row.shown(), wide - indent, ending),
            RowKind::Call | RowKind::Folded => vec![cut_start(&row.shown(), wide - indent)],
            _ => vec![cut(&row.shown(), wide - indent)],
        };
        let style = match row.kind {
            _ if row.in_cause => CAUSE,
            RowKind::Ending => BAD,
            RowKind::Folded => FAINT,
            _ => PLAIN,
        };
        let mut lines = Vec::new();
        for (number, text) in texts.iter().enumerate() {
            let mut line = Line::of(if row.in_cause && number == 0 { "> " } else { "  " }, CAUSE);
            if let Some(label) = self.label {
                line.add(fit(&self.names[place], label) + BAR, FAINT);
            }
            for (column, &wide) in self.columns.iter().enumerate() {
                if column > 0 {
                    line.add(BAR, FAINT);
                }
                let text = if column == own { " ".repeat(indent) + text } else { String::new() };
                line.add(fit(&text, wide), style);
            }
            if self.beside > 0 && number == 0 {
                line.add(GAP, PLAIN);
                line.add(beside(row, above, view, self.beside), FAINT);
            }
            lines.push(line);
        }
        lines
    }

    fn rule(&self, row: &Row<'_>) -> Line {
        let (dash, style) = match row.kind {
            RowKind::Preemption => ("━", PREEMPTION),
            RowKind::Time => ("┄", FAINT),
            _ => ("─", FAINT),
        };
        let text = cut(&format!("{} {} ", dash.repeat(GUTTER), row.shown()), self.width());
        let rest = dash.repeat(self.width() - width(&text));
        Line::of(text + &rest, style)
    }
}

/// Less of a source says nothing.
const SHORTEST: usize = 10;

/// The place of a row and the source there, which is told once for neighbours.
fn beside(row: &Row<'_>, above: Option<&Row<'_>>, view: &View<'_>, most: usize) -> String {
    let place = row.place();
    let again = above.is_some_and(|above| above.thread == row.thread && above.place() == place);
    let shown = cut_start(&place, most);
    let room = most.saturating_sub(width(&place) + width(GAP));
    let source = row.at.filter(|_| !again && shown == place).and_then(view.source).map(|source| clean(source.trim()));
    match source.filter(|source| width(source) <= room || room >= SHORTEST) {
        Some(source) => cut(&format!("{place}{GAP}{source}"), most),
        None => shown,
    }
}

/// What is in rows that are left out.
fn left_out(rows: &[Row<'_>]) -> String {
    let steps: usize = rows.iter().map(|row| row.steps).sum();
    let of = |kinds: &[RowKind]| rows.iter().filter(|row| kinds.contains(&row.kind) && row.steps == 0).count();
    let switches = of(&[RowKind::Switch, RowKind::Preemption]);
    let mut all = vec![(steps, "step"), (switches, "switch"), (of(&[RowKind::Ending]), "ending")];
    if steps + switches == 0 {
        all.extend([(of(&[RowKind::Call]), "call"), (of(&[RowKind::Time]), "pause")]);
    }
    let told: Vec<String> = all.iter().filter(|(many, _)| *many > 0).map(|&(many, noun)| count(many, noun)).collect();
    told.join(", ")
}
