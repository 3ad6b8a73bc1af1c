//! The matrix as a picture.

use analysis::ClassFacts;

use super::matrix::{Cell, Matrix};

/// The side of a cell, and room for a letter of a name, in pixels.
const SIDE: usize = 14;
const LETTER: usize = 7;

/// The matrix of a class.
pub fn draw(facts: &ClassFacts) -> String {
    let matrix = Matrix::of(facts, &facts.pairs());
    let names: Vec<String> = facts.methods.iter().map(|method| method.signature()).collect();
    let margin = names.iter().map(|name| name.chars().count()).max().unwrap_or(0) * LETTER + 12;
    let extent = margin + matrix.size * SIDE + 12;
    let height = extent + LEGEND.len() * (SIDE + 4) + 24;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{extent}\" height=\"{height}\" \
         font-family=\"monospace\" font-size=\"11\">\n<title>{}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        escape(&facts.class)
    );
    for (number, name) in names.iter().enumerate() {
        let (at, end) = (margin + number * SIDE + SIDE - 3, margin - 6);
        let name = escape(name);
        svg.push_str(&format!("<text x=\"{end}\" y=\"{at}\" text-anchor=\"end\">{name}</text>\n"));
        svg.push_str(&format!("<text transform=\"translate({at},{end}) rotate(-90)\">{name}</text>\n"));
    }
    for row in 0..matrix.size {
        for column in 0..matrix.size {
            let (cell, heat) = matrix.at(row, column);
            let (x, y) = (margin + column * SIDE, margin + row * SIDE);
            let tip = escape(&format!("{} and {}", names[row], names[column]));
            svg.push_str(&format!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{0}\" height=\"{0}\" fill=\"{1}\"><title>{tip}</title></rect>\n",
                SIDE - 1,
                color(cell, heat)
            ));
        }
    }
    for (line, (cell, meaning)) in LEGEND.iter().enumerate() {
        let y = extent + 12 + line * (SIDE + 4);
        let fill = color(*cell, 1.0);
        svg.push_str(&format!(
            "<rect x=\"12\" y=\"{y}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"{fill}\"/>\
             <text x=\"32\" y=\"{}\">{meaning}</text>\n",
            y + SIDE - 3
        ));
    }
    svg.push_str("</svg>\n");
    svg
}

const LEGEND: [(Cell, &str); 4] = [
    (Cell::Guarded, "conflict, guarded by one lock"),
    (Cell::Racy, "in M_pc; the redder, the more is shared unprotected"),
    (Cell::Deadlock, "in M_d"),
    (Cell::Both, "in both"),
];

fn color(cell: Cell, heat: f32) -> String {
    // From a pale tone to a full one.
    let fade = |full: [f32; 3], heat: f32| {
        let [r, g, b] = full.map(|part| (255.0 - (255.0 - part) * (0.35 + 0.65 * heat)) as u8);
        format!("#{r:02x}{g:02x}{b:02x}")
    };
    match cell {
        Cell::Nothing => "#eeeeee".to_owned(),
        Cell::Guarded => "#b7dfb0".to_owned(),
        Cell::Racy => fade([215.0, 38.0, 30.0], heat),
        Cell::Deadlock => fade([112.0, 48.0, 160.0], 1.0),
        Cell::Both => fade([130.0, 0.0, 60.0], 1.0),
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
