//! An outline as text.
//!
//! Figures stand in columns on the left, so that declarations may be as long as they are. A star marks
//! what matters to threads; colours only repeat what words say.

use anstyle::{AnsiColor, Style};

use super::fill::Filled;
use super::head::Fact;
use super::listing::{Listing, Row};
use super::outline::{Body, CodeFacts, Declaration, Field, Figures, Method, Outline};
use crate::output::paint;

/// Names of what is declared.
const NAME: Style = Style::new().bold();
/// What matters to threads.
const MARK: Style = AnsiColor::Yellow.on_default().bold();
/// Headings and labels.
const LABEL: Style = AnsiColor::Cyan.on_default();
/// Source lines in listings.
const LINE: Style = AnsiColor::Green.on_default();

/// The whole text.
pub fn render(outline: &Outline) -> String {
    let mut out = String::new();
    let mut head = Filled::new(String::new(), 4);
    put_declaration(&mut head, &outline.declaration);
    out.push_str(&head.finish());
    outline.clauses.iter().for_each(|clause| put_clause(&mut out, clause));
    out.push('\n');
    let width = outline.facts.iter().map(|fact| fact.label.len()).max().unwrap_or(0);
    outline.facts.iter().for_each(|fact| put_fact(&mut out, fact, width));
    put_fields(&mut out, &outline.fields);
    put_methods(&mut out, &outline.methods);
    out.push('\n');
    out.push_str(&figures(&outline.figures));
    out
}

fn put_clause(out: &mut String, clause: &Fact) {
    let start = format!("    {} ", clause.label);
    out.push_str(&Filled::new(start, 8).put(&clause.items.join(", ")).finish());
}

fn put_fact(out: &mut String, fact: &Fact, width: usize) {
    // The label is painted afterwards, for its colour takes no room.
    let start = format!("  {:width$}  ", fact.label);
    let text = Filled::new(start, width + 4).put(&fact.items.join(", ")).finish();
    out.push_str(&text.replacen(fact.label, &paint(fact.label, LABEL), 1));
}

fn put_fields(out: &mut String, fields: &[Field]) {
    if fields.is_empty() {
        return;
    }
    out.push_str(&format!("\n{} (* volatile)\n", paint("fields", LABEL)));
    for field in fields {
        let mut line = Filled::new(mark(field.volatile), 8);
        put_declaration(&mut line, &field.declaration);
        if let Some(value) = &field.value {
            line.put(" = ").put_whole(value, Style::new());
        }
        out.push_str(&line.finish());
    }
}

fn put_methods(out: &mut String, methods: &[Method]) {
    if methods.is_empty() {
        return;
    }
    let listed = methods.iter().any(|method| matches!(&method.body, Body::Code(code) if code.listing.is_some()));
    let lines = methods.iter().map(|method| lines(&method.body).len()).max().unwrap_or(0).max("lines".len());
    out.push_str(&format!("\n{} (* synchronized or with monitorenter)\n", paint("methods", LABEL)));
    out.push_str(&format!("    {:>lines$}  bytes  instr.\n", "lines"));
    for method in methods {
        put_method(out, method, lines);
        if let Body::Code(CodeFacts { listing: Some(listing), .. }) = &method.body {
            put_listing(out, listing);
        }
        // Listings need room between them.
        if listed {
            out.push('\n');
        }
    }
    if listed {
        out.pop();
    }
}

fn put_method(out: &mut String, method: &Method, width: usize) {
    let (bytes, instructions, monitor_enters) = match &method.body {
        Body::Code(code) => (code.bytes.to_string(), code.instructions.to_string(), code.monitor_enters),
        _ => ("-".to_owned(), "-".to_owned(), 0),
    };
    let mark = mark(method.synchronized || monitor_enters > 0);
    let start = format!("{mark}{:>width$}  {bytes:>5}  {instructions:>6}  ", lines(&method.body));
    let indent = start.len() + 4;
    let mut line = Filled::new(start, indent);
    put_declaration(&mut line, &method.declaration);
    if monitor_enters > 0 {
        line.put("  ").put_whole(&format!("({monitor_enters} monitorenter)"), MARK);
    }
    out.push_str(&line.finish());
}

/// The first and the last line, or why there is none.
fn lines(body: &Body) -> String {
    match body {
        Body::Code(CodeFacts { lines, .. }) => match (lines.first(), lines.last()) {
            (Some(first), Some(last)) if first < last => format!("{first}-{last}"),
            (Some(only), _) => only.to_string(),
            _ => "-".to_owned(),
        },
        Body::Native => "native".to_owned(),
        Body::Abstract => "abstract".to_owned(),
        Body::Missing => "no code".to_owned(),
    }
}

fn mark(marked: bool) -> String {
    if marked { "  * " } else { "    " }.to_owned()
}

fn put_declaration(line: &mut Filled, declaration: &Declaration) {
    for modifier in &declaration.modifiers {
        let style = if matches!(*modifier, "volatile" | "synchronized") { MARK } else { Style::new() };
        line.put_whole(modifier, style).put(" ");
    }
    line.put(&declaration.before).put_whole(&declaration.name, NAME).put(&declaration.after);
    if !declaration.throws.is_empty() {
        line.put(" ").put(&format!("throws {}", declaration.throws.join(", ")));
    }
}

fn put_listing(out: &mut String, listing: &Listing) {
    for Row { line, pc, mnemonic, operand, more } in &listing.rows {
        let line = line.map(|line| line.to_string()).unwrap_or_default();
        let place = format!("{}  {pc:>5}", paint(&format!("{line:>11}"), LINE));
        let style = if mnemonic.starts_with("monitor") { MARK } else { Style::new() };
        match operand.is_empty() {
            true => out.push_str(&format!("{place}  {style}{mnemonic}{style:#}\n")),
            false => out.push_str(&format!("{place}  {mnemonic:<15} {operand}\n")),
        }
        more.iter().for_each(|text| out.push_str(&format!("{:38}{text}\n", "")));
    }
    for handler in &listing.handlers {
        out.push_str(&format!(
            "{:13}{:>5}  handles {} from {} to before {}\n",
            "", handler.handler, handler.catches, handler.start, handler.end
        ));
    }
}

fn figures(figures: &Figures) -> String {
    let fields = match figures.fields {
        Some((fields, volatile)) => format!("{} ({volatile} volatile), ", count(fields, "field")),
        None => String::new(),
    };
    let methods = match figures.of_methods {
        Some(all) => format!("{} of {}", figures.methods, count(all, "method")),
        None => count(figures.methods, "method"),
    };
    format!(
        "{fields}{methods} ({} synchronized, {} native, {} abstract), {} of code, {} of code\n",
        figures.synchronized,
        figures.native,
        figures.abstract_,
        count(figures.code_bytes, "byte"),
        count(figures.lines, "line"),
    )
}

fn count(number: usize, of: &str) -> String {
    format!("{number} {of}{}", if number == 1 { "" } else { "s" })
}
