//! Reads a line of the table of native methods.

use super::natives::{Effect, Line, Place, WORLD};

/// Reads a line. An error tells what is wrong with it.
pub(super) fn parse_line(number: usize, text: &'static str) -> Result<Line, String> {
    let mut rest = text;
    let mut word = || -> Result<&'static str, String> {
        let (word, tail) = rest.split_once(' ').unwrap_or((rest, ""));
        rest = tail.trim_start();
        if word.is_empty() { Err("ends too early".into()) } else { Ok(word) }
    };
    let mut effects = vec![];
    let name = loop {
        effects.push(parse_effect(&mut word)?);
        match word()? {
            "+" => {}
            name => break name,
        }
    };
    if effects.len() > 1 && effects.iter().any(|effect| matches!(effect, Effect::Pure | Effect::Taints)) {
        return Err("pure and taints stand alone".into());
    }
    if rest.is_empty() {
        return Err("has no reason".into());
    }
    let (owner, method, descriptor) = parse_name(name)?;
    Ok(Line { number, effects, reason: rest, owner, method, descriptor })
}

fn parse_effect(word: &mut impl FnMut() -> Result<&'static str, String>) -> Result<Effect, String> {
    match word()? {
        "pure" => Ok(Effect::Pure),
        "modelled" => Ok(Effect::Modelled),
        "taints" => Ok(Effect::Taints),
        verb @ ("reads" | "writes") => Ok(Effect::Access { writes: verb == "writes", place: parse_place(word()?)? }),
        "elements" => {
            let mut argument = || word().and_then(parse_number);
            let (array, index) = (argument()?, argument()?);
            match word()? {
                "read" => Ok(Effect::Element { array, index, writes: false }),
                "write" => Ok(Effect::Element { array, index, writes: true }),
                other => Err(format!("read or write, not {other}")),
            }
        }
        other => Err(format!("no effect: {other}")),
    }
}

fn parse_place(text: &'static str) -> Result<Place, String> {
    if text == "this" {
        return Ok(Place::Receiver);
    }
    if let Some(name) = text.strip_prefix("this.") {
        return Ok(Place::FieldOf { argument: None, name });
    }
    if let Some((number, name)) = text.strip_prefix("arg").and_then(|text| text.split_once('.')) {
        return parse_number(number).map(|argument| Place::FieldOf { argument: Some(argument), name });
    }
    if let Some(number) = text.strip_prefix("arg") {
        return parse_number(number).map(Place::Argument);
    }
    if let Some((class, name)) = text.split_once('.') {
        return Ok(Place::Field { class, name });
    }
    let known = WORLD.into_iter().find(|piece| *piece == text);
    known.map(Place::World).ok_or_else(|| format!("no place: {text}"))
}

fn parse_number(text: &str) -> Result<u8, String> {
    text.parse().map_err(|_| format!("no number of an argument: {text}"))
}

/// A class or package, a method, and a descriptor.
type Name = (&'static str, Option<&'static str>, Option<&'static str>);

fn parse_name(text: &'static str) -> Result<Name, String> {
    let (name, descriptor) = match text.find('(') {
        Some(open) => (&text[..open], Some(&text[open..])),
        None => (text, None),
    };
    let (owner, method) = name.rsplit_once('.').ok_or_else(|| format!("no method: {text}"))?;
    let owner = match owner.strip_suffix('*') {
        Some(package) if package.ends_with('/') => package,
        Some(_) => return Err(format!("part of a name: {owner}")),
        None => owner,
    };
    match method {
        "" => Err(format!("no method: {text}")),
        "*" if descriptor.is_some() => Err(format!("a descriptor of all methods: {text}")),
        "*" => Ok((owner, None, None)),
        _ => Ok((owner, Some(method), descriptor)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_effects_a_name_and_a_reason() {
        let text = "writes NETWORK + writes this + elements 2 1 write  a/B.c(I)V  because of  that";
        let line = parse_line(7, text).unwrap();
        assert_eq!((line.number, line.reason), (7, "because of  that"));
        assert_eq!((line.owner, line.method, line.descriptor), ("a/B", Some("c"), Some("(I)V")));
        let expected = [
            Effect::Access { writes: true, place: Place::World("NETWORK") },
            Effect::Access { writes: true, place: Place::Receiver },
            Effect::Element { array: 2, index: 1, writes: true },
        ];
        assert_eq!(line.effects, expected);
    }

    #[test]
    fn names_of_fields_and_packages() {
        let line = parse_line(1, "reads this.c + writes arg1.d  a/B.e  why").unwrap();
        let [own, others] = [(None, "c"), (Some(1), "d")].map(|(argument, name)| Place::FieldOf { argument, name });
        let [own, others] = [(false, own), (true, others)].map(|(writes, place)| Effect::Access { writes, place });
        assert_eq!(line.effects, [own, others]);
        let line = parse_line(1, "reads a/B.c  a/b/*.*  why").unwrap();
        assert_eq!((line.owner, line.method), ("a/b/", None));
        let field = Place::Field { class: "a/B", name: "c" };
        assert_eq!(line.effects, [Effect::Access { writes: false, place: field }]);
    }

    #[test]
    fn bad_lines_are_refused() {
        for (text, wrong) in [
            ("pure", "ends too early"),
            ("pure  a/B.c", "has no reason"),
            ("pure +", "ends too early"),
            ("pure + reads this  a/B.c  why", "pure and taints stand alone"),
            ("reads this + taints  a/B.c  why", "pure and taints stand alone"),
            ("writes  STDOUT  a/B.c  why", "no place: STDOUT"),
            ("reads argument  a/B.c  why", "no number of an argument: ument"),
            ("reads arg256  a/B.c  why", "no number of an argument: 256"),
            ("harmless  a/B.c  why", "no effect: harmless"),
            ("elements 0 1 move  a/B.c  why", "read or write, not move"),
            ("elements 0  a/B.c  why", "no number of an argument: a/B.c"),
            ("pure  a/B  why", "no method: a/B"),
            ("pure  a/B.  why", "no method: a/B."),
            ("pure  a/B*.c  why", "part of a name: a/B*"),
            ("pure  a/B.*()V  why", "a descriptor of all methods: a/B.*()V"),
        ] {
            assert_eq!(parse_line(1, text).unwrap_err(), wrong, "{text}");
        }
    }
}
