//! Which rows are shown where there is not room for all.
//!
//! Rows of the cause come first, with the calls that they are in, then how threads ended, then what is near to these
//! and to switches, preemptions before others. For each stretch that is left out one line says how much it was.

use super::rows::{Row, RowKind};

/// A line of the timeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kept {
    /// The row with that number.
    Row(usize),
    /// Rows that are left out: from this to before that.
    Gap(usize, usize),
}

/// At most so many lines of these rows; at least one if there are rows.
pub(crate) fn elide(rows: &[Row<'_>], most: usize) -> Vec<Kept> {
    if rows.len() <= most {
        return (0..rows.len()).map(Kept::Row).collect();
    }
    let mut keep = vec![false; rows.len()];
    // One line says that everything is left out.
    let mut lines = 1;
    for row in by_importance(rows) {
        // With its neighbours kept it takes the line of the gap that it was; with neither it makes a second gap.
        let kept = |place: Option<usize>| place.is_none_or(|place| keep.get(place).is_none_or(|&keep| keep));
        let more = 2 - usize::from(kept(row.checked_sub(1))) - usize::from(kept(Some(row + 1)));
        if lines + more <= most {
            lines += more;
            keep[row] = true;
        }
    }
    let mut shown = Vec::new();
    let mut row = 0;
    while row < rows.len() {
        let end = (row..rows.len()).find(|&end| keep[end]).unwrap_or(rows.len());
        if end > row {
            shown.push(Kept::Gap(row, end));
        }
        shown.extend((end < rows.len()).then_some(Kept::Row(end)));
        row = end + 1;
    }
    shown
}

/// The rows, those that matter most first.
fn by_importance(rows: &[Row<'_>]) -> Vec<usize> {
    const FAR: usize = usize::MAX / 2;
    let mut weights: Vec<usize> = rows
        .iter()
        .map(|row| match row.kind {
            _ if row.in_cause => 0,
            RowKind::Ending => 2,
            RowKind::Preemption => 4,
            RowKind::Switch | RowKind::Time => 6,
            _ => FAR,
        })
        .collect();
    let to_cause = spread(rows.iter().map(|row| if row.in_cause { 0 } else { FAR }).collect());
    let mut weigh_calls = |from: usize| {
        let (mut call, mut weight) = (rows[from].call, 1);
        while let Some(row) = call.filter(|&row| weights[row] > weight) {
            weights[row] = weight;
            (call, weight) = (rows[row].call, weight + 1);
        }
    };
    (0..rows.len()).filter(|&row| rows[row].in_cause).for_each(&mut weigh_calls);
    let weights = spread(weights);
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|&row| (weights[row], to_cause[row], row));
    order
}

/// A row matters less the farther it is from one that matters, by one a row.
fn spread(mut weights: Vec<usize>) -> Vec<usize> {
    for place in 1..weights.len() {
        weights[place] = weights[place].min(weights[place - 1] + 1);
    }
    for place in (1..weights.len()).rev() {
        weights[place - 1] = weights[place - 1].min(weights[place] + 1);
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(causes: &[usize], many: usize) -> Vec<Row<'static>> {
        let row = |number| Row {
            thread: 1,
            kind: RowKind::Event,
            depth: 0,
            text: String::new(),
            at: None,
            steps: 1,
            in_cause: causes.contains(&number),
            call: None,
        };
        (0..many).map(row).collect()
    }

    #[test]
    fn what_is_near_the_cause_is_kept() {
        use Kept::{Gap, Row};
        assert_eq!(elide(&rows(&[5], 10), 5), [Gap(0, 4), Row(4), Row(5), Row(6), Gap(7, 10)]);
        assert_eq!(elide(&rows(&[0, 9], 10), 5), [Row(0), Row(1), Gap(2, 8), Row(8), Row(9)]);
        assert_eq!(elide(&rows(&[], 10), 1), [Gap(0, 10)]);
        assert_eq!(elide(&rows(&[3], 4), 4).len(), 4);
    }

    #[test]
    fn there_are_never_more_lines_than_allowed_and_no_gap_of_nothing() {
        for many in 0..30 {
            for most in 1..30 {
                let kept = elide(&rows(&[3, 17], many), most);
                assert!(kept.len() <= most);
                assert!(kept.iter().all(|kept| !matches!(kept, Kept::Gap(from, to) if from >= to)));
            }
        }
    }
}
