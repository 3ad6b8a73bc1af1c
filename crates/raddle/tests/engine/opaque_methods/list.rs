//! The reviewed list: what public methods reach that is no plain access, and why that is right.
//!
//! A line is `CATEGORY  CAUSE  METHODS  REASON`, each two spaces apart. A release in brackets before the reason says
//! that only that one has it. Cause and methods may end in `*`, which stands for anything. The first line that fits
//! is the one that counts.

use std::collections::{BTreeMap, BTreeSet};

use super::reach::Category;

/// Something that a public method reaches.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reached {
    pub category: Category,
    pub cause: String,
    /// Class and name.
    pub method: String,
}

pub struct List {
    lines: Vec<Line>,
}

struct Line {
    number: usize,
    category: &'static str,
    cause: String,
    methods: String,
    /// The only release that has it.
    release: Option<u32>,
}

impl Line {
    fn fits(&self, reached: &Reached, release: u32) -> bool {
        let is_like = |pattern: &str, text: &str| match pattern.strip_suffix('*') {
            Some(start) => text.starts_with(start),
            None => text == pattern,
        };
        self.category == reached.category.name()
            && self.release.is_none_or(|own| own == release)
            && is_like(&self.cause, &reached.cause)
            && is_like(&self.methods, &reached.method)
    }
}

impl List {
    /// Reads the list. An error tells the line and what is wrong with it.
    pub fn parse(text: &str) -> Result<List, String> {
        let mut lines = vec![];
        for (index, text) in text.lines().enumerate().filter(|(_, text)| !text.is_empty() && !text.starts_with('#')) {
            let number = index + 1;
            let wrong = |what: &str| format!("line {number}: {what}");
            let mut parts = text.splitn(4, "  ").map(str::trim);
            let mut part = || parts.next().filter(|part| !part.is_empty()).ok_or_else(|| wrong("ends too early"));
            let (category, cause, methods, reason) = (part()?, part()?, part()?, part()?);
            let category = Category::ALL.into_iter().map(Category::name).find(|name| *name == category);
            let category = category.ok_or_else(|| wrong("no such category"))?;
            let release = reason.strip_prefix('[').and_then(|rest| rest.split_once(']'));
            let (release, reason) = match release {
                Some((release, rest)) => {
                    (Some(release.parse().map_err(|_| wrong("no release in brackets"))?), rest.trim())
                }
                None => (None, reason),
            };
            if reason.is_empty() || reason == "?" {
                return Err(wrong("nobody has written why"));
            }
            lines.push(Line { number, category, cause: cause.into(), methods: methods.into(), release });
        }
        Ok(List { lines })
    }

    /// What is on no line, and lines that do not fit what was found. `reviewed` are the releases that lines are about.
    pub fn problems(&self, found: &BTreeMap<u32, BTreeSet<Reached>>, reviewed: &[u32]) -> Vec<String> {
        let mut problems = vec![];
        let mut used: BTreeSet<(usize, u32)> = BTreeSet::new();
        for (&release, found) in found {
            for reached in found {
                match self.lines.iter().find(|line| line.fits(reached, release)) {
                    Some(line) => {
                        used.insert((line.number, release));
                    }
                    None => problems.push(format!(
                        "JDK {release}: {} {} {} is on no line",
                        reached.category.name(),
                        reached.cause,
                        reached.method
                    )),
                }
            }
        }
        let here = |release: &&u32| found.contains_key(release);
        for line in &self.lines {
            for release in
                reviewed.iter().filter(here).filter(|release| line.release.is_none_or(|own| own == **release))
            {
                if !used.contains(&(line.number, *release)) {
                    problems.push(format!(
                        "line {}: {} {} fits nothing on JDK {release}",
                        line.number, line.cause, line.methods
                    ));
                }
            }
        }
        problems
    }

    /// Lines for what is missing, one for each cause and package.
    pub fn missing(&self, found: &BTreeMap<u32, BTreeSet<Reached>>) -> String {
        let mut lines: BTreeMap<(Category, &str, &str), BTreeSet<u32>> = BTreeMap::new();
        for (&release, found) in found {
            for reached in found.iter().filter(|reached| !self.lines.iter().any(|line| line.fits(reached, release))) {
                let package = reached.method.rsplit_once('/').map_or("", |(package, _)| package);
                lines.entry((reached.category, &reached.cause, package)).or_default().insert(release);
            }
        }
        let mut text = String::new();
        for ((category, cause, package), releases) in lines {
            let release =
                if releases.len() < found.len() { format!("[{}] ", releases.first().unwrap()) } else { String::new() };
            text += &format!("{}  {cause}  {package}/*  {release}?\n", category.name());
        }
        text
    }
}
