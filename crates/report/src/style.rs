//! Colours, and lines that are painted with them.

use anstyle::{AnsiColor, Effects, Style};

pub(crate) const PLAIN: Style = Style::new();
pub(crate) const STRONG: Style = Style::new().bold();
pub(crate) const FAINT: Style = Style::new().effects(Effects::DIMMED);
pub(crate) const CAUSE: Style = AnsiColor::Yellow.on_default().effects(Effects::BOLD);
pub(crate) const BAD: Style = AnsiColor::Red.on_default().effects(Effects::BOLD);
pub(crate) const PREEMPTION: Style = AnsiColor::Cyan.on_default().effects(Effects::BOLD);

/// A line in the making: texts with their styles.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line(Vec<(String, Style)>);

impl Line {
    pub fn of(text: impl Into<String>, style: Style) -> Line {
        Line(vec![(text.into(), style)])
    }

    pub fn add(&mut self, text: impl Into<String>, style: Style) {
        self.0.push((text.into(), style));
    }

    /// The line without spaces at its end, painted if colours are wanted.
    pub fn paint(mut self, colors: bool) -> String {
        while let Some((text, _)) = self.0.last_mut() {
            text.truncate(text.trim_end().len());
            if !text.is_empty() {
                break;
            }
            self.0.pop();
        }
        let paint = |(text, style): &(String, Style)| {
            if colors && *style != PLAIN { format!("{style}{text}{style:#}") } else { text.clone() }
        };
        self.0.iter().map(paint).collect()
    }
}
