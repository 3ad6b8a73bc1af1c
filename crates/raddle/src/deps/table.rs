//! The summaries and the matrix as a person reads them in a terminal.

use analysis::{ClassFacts, Kind, MethodFacts, Owner};
use anstyle::{Ansi256Color, AnsiColor, Style};

use super::matrix::{Cell, Matrix};
use super::{Counts, lock_name};
use crate::output::paint;

/// How wide a terminal is taken to be when there is none.
const USUAL_WIDTH: usize = 100;
/// Names of methods are cut here.
const MAX_NAME: usize = 44;
/// How many pairs are listed when there is no room for the matrix.
const LISTED: usize = 20;

/// The width of the terminal.
pub fn width() -> usize {
    let size = rustix::termios::tcgetwinsize(rustix::stdio::stdout());
    size.map_or(USUAL_WIDTH, |size| usize::from(size.ws_col).max(40))
}

/// Everything about a class.
pub fn render(facts: &ClassFacts, width: usize) -> String {
    let pairs = facts.pairs();
    let counts = Counts::of(&pairs);
    let bold = Style::new().bold();
    let mut text = format!("{}\n", paint(&facts.class, bold));
    for note in &facts.notes {
        text.push_str(&format!("note: {note}\n"));
    }
    let constructors = facts.methods.iter().filter(|method| method.is_constructor()).count();
    let and_constructors = match constructors {
        0 => String::new(),
        count => format!(" and {} of what others have", report::count(count, "constructor")),
    };
    text.push_str(&format!(
        "{} public methods{and_constructors}, {} pairs: {} conflict in parallel (M_pc), {} lock in opposite order (M_d)\n",
        facts.methods.len() - constructors,
        counts.all,
        counts.pc,
        counts.double_lock
    ));
    if counts.second_share > 0 {
        text.push_str(&format!(
            "{} conflict if besides or instead of the subject something else is shared: an argument, a field\n",
            counts.second_share
        ));
    }
    text.push('\n');
    summaries(facts, &mut text);
    text.push('\n');
    let matrix = Matrix::of(facts, &pairs);
    // Two columns a method, the number and the name.
    let name_width = widest_name(facts);
    if matrix.size * 2 + name_width + 6 <= width {
        heat_map(facts, &matrix, name_width, &mut text);
    } else {
        text.push_str(&format!(
            "The matrix needs {} columns: --svg FILE draws it.\n\n",
            matrix.size * 2 + name_width + 6
        ));
        list(facts, &pairs, &mut text);
    }
    text
}

fn widest_name(facts: &ClassFacts) -> usize {
    facts.methods.iter().map(|method| name(method).chars().count()).max().unwrap_or(0)
}

fn name(method: &MethodFacts) -> String {
    let signature = method.signature();
    if signature.chars().count() <= MAX_NAME {
        return signature;
    }
    let cut: String = signature.chars().take(MAX_NAME - 1).collect();
    format!("{cut}…")
}

fn summaries(facts: &ClassFacts, text: &mut String) {
    let width = widest_name(facts).max("method".len());
    text.push_str(&format!("  #  {:width$}  reads writes  protected by / nested locks / opaque calls\n", "method"));
    for (number, method) in facts.methods.iter().enumerate() {
        let count = |wanted: &dyn Fn(Kind) -> bool| {
            let mut touched: Vec<usize> = method
                .accesses
                .iter()
                .filter(|access| matches!(facts.locations[access.location].owner, Owner::Subject | Owner::Static))
                .filter(|access| wanted(access.kind))
                .map(|access| access.location)
                .collect();
            touched.sort_unstable();
            touched.dedup();
            touched.len()
        };
        let (reads, writes) = (count(&Kind::reads), count(&Kind::writes));
        text.push_str(&format!(
            "{number:3}  {:width$}  {reads:5} {writes:6}  {}\n",
            name(method),
            remarks(facts, method)
        ));
    }
}

fn remarks(facts: &ClassFacts, method: &MethodFacts) -> String {
    let mut remarks = Vec::new();
    let locks: Vec<String> = method.lock_summary.iter().map(|&lock| lock_name(facts, lock)).collect();
    if !locks.is_empty() {
        remarks.push(locks.join(", "));
    }
    if let Some(first) = method.double_locks.first() {
        let more = match method.double_locks.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        remarks.push(format!("<{}, {}>{more}", lock_name(facts, first.outer), lock_name(facts, first.inner)));
    }
    if !method.opaque.is_empty() {
        remarks.push(format!("{} opaque", method.opaque.len()));
    }
    remarks.join("; ")
}

fn heat_map(facts: &ClassFacts, matrix: &Matrix, name_width: usize, text: &mut String) {
    let indent = name_width + 6;
    for place in [100, 10, 1] {
        if matrix.size <= place && place > 1 {
            continue;
        }
        text.push_str(&" ".repeat(indent));
        for column in 0..matrix.size {
            let digit =
                if column >= place || place == 1 { char::from(b'0' + (column / place % 10) as u8) } else { ' ' };
            text.push(digit);
            text.push(' ');
        }
        text.truncate(text.trim_end_matches(' ').len());
        text.push('\n');
    }
    for (row, method) in facts.methods.iter().enumerate() {
        text.push_str(&format!("{row:3}  {:name_width$} ", name(method)));
        for column in 0..matrix.size {
            let (cell, heat) = matrix.at(row, column);
            text.push_str(&paint(letter(cell), style(cell, heat)));
            text.push(' ');
        }
        text.pop();
        text.push('\n');
    }
    text.push_str("\n. no conflict   g conflict, guarded by one lock   P in M_pc   D in M_d   B in both\n");
}

fn letter(cell: Cell) -> &'static str {
    match cell {
        Cell::Nothing => ".",
        Cell::Guarded => "g",
        Cell::Racy => "P",
        Cell::Deadlock => "D",
        Cell::Both => "B",
    }
}

/// The hotter, the redder.
fn style(cell: Cell, heat: f32) -> Style {
    const HEAT: [u8; 5] = [228, 221, 215, 209, 196];
    match cell {
        Cell::Nothing => Style::new().dimmed(),
        Cell::Guarded => AnsiColor::Green.on_default(),
        Cell::Deadlock => AnsiColor::Magenta.on_default().bold(),
        Cell::Racy | Cell::Both => {
            let step = (heat * (HEAT.len() - 1) as f32).round() as usize;
            Style::new().fg_color(Some(Ansi256Color(HEAT[step.min(HEAT.len() - 1)]).into())).bold()
        }
    }
}

/// The pairs with the highest scores.
fn list(facts: &ClassFacts, pairs: &[analysis::Pair], text: &mut String) {
    let mut worst: Vec<&analysis::Pair> = pairs.iter().filter(|pair| pair.score > 0).collect();
    worst.sort_by_key(|pair| (std::cmp::Reverse(pair.score), pair.methods));
    text.push_str("score  pair\n");
    for pair in worst.iter().take(LISTED) {
        let (a, b) = (&facts.methods[pair.methods.0], &facts.methods[pair.methods.1]);
        let sets = match (pair.is_pc(), pair.double_lock) {
            (true, true) => "M_pc, M_d",
            (true, false) => "M_pc",
            _ => "M_d",
        };
        text.push_str(&format!("{:5}  {} and {} ({sets})\n", pair.score, name(a), name(b)));
    }
    if worst.len() > LISTED {
        text.push_str(&format!("       and {} more\n", worst.len() - LISTED));
    }
}
