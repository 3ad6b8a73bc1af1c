//! Names of local variables, from their types.

use crate::descriptor;
use std::collections::BTreeSet;

/// Hands out names, each once in its scope.
#[derive(Clone, Debug, Default)]
pub struct LocalNames {
    taken: BTreeSet<String>,
}

impl LocalNames {
    /// No name is taken but these, which mean something else where the names are used.
    pub fn avoiding<'n>(names: impl IntoIterator<Item = &'n str>) -> LocalNames {
        LocalNames { taken: names.into_iter().map(str::to_owned).collect() }
    }

    /// A name for a value of that type, which the member with that name gave: `stringBuffer`, then `stringBuffer2`.
    pub fn take(&mut self, of: &str, member: &str) -> String {
        let base = match descriptor::primitive(of) {
            Some(_) => of_member(member),
            None => of_type(of),
        };
        let base = if is_identifier(&base) { base } else { "value".to_owned() };
        self.number(&base)
    }

    /// This name, with a number if it is taken.
    pub fn number(&mut self, base: &str) -> String {
        let numbered = |number: usize| if number == 1 { base.to_owned() } else { format!("{base}{number}") };
        let free = (1..).map(numbered).find(|name| !self.taken.contains(name) && !is_reserved(name));
        let free = free.expect("internal bug: names are not used up");
        self.taken.insert(free.clone());
        free
    }
}

/// `getCount` gives a `count`.
fn of_member(member: &str) -> String {
    let stripped = member.strip_prefix("get").filter(|rest| rest.starts_with(char::is_uppercase));
    let name = decapitalized(stripped.unwrap_or(member));
    if is_reserved(&name) { format!("{name}Value") } else { name }
}

fn of_type(of: &str) -> String {
    let element = of.trim_start_matches('[');
    let word = match descriptor::primitive(element) {
        Some((_, word, _)) => word,
        None => {
            let class = descriptor::class(element).unwrap_or(element);
            let nested = class.rsplit('/').next().unwrap_or(class);
            nested.rsplit('$').next().unwrap_or(nested).trim_start_matches(|c: char| c.is_ascii_digit())
        }
    };
    let mut name = decapitalized(word);
    if element != of {
        name.push_str(if name.ends_with(['s', 'x']) { "es" } else { "s" });
        return name;
    }
    // A variable with the name of the class would hide the class.
    if name == "class" {
        "type".to_owned()
    } else if is_reserved(&name) || name == word {
        let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        let mut chars = name.chars();
        let first = chars.next().into_iter().flat_map(char::to_uppercase);
        article.chars().chain(first).chain(chars).collect()
    } else {
        name
    }
}

/// `URLConnection` becomes `urlConnection`.
fn decapitalized(word: &str) -> String {
    let chars: Vec<char> = word.chars().collect();
    let upper = chars.iter().take_while(|c| c.is_uppercase()).count();
    let lowered = if upper > 1 && upper < chars.len() && chars[upper].is_lowercase() { upper - 1 } else { upper };
    let head = chars[..lowered].iter().flat_map(|c| c.to_lowercase());
    head.chain(chars[lowered..].iter().copied()).collect()
}

fn is_identifier(name: &str) -> bool {
    let letter = |c: char| c.is_alphabetic() || c == '_' || c == '$';
    name.starts_with(letter) && name.chars().all(|c| letter(c) || c.is_ascii_digit())
}

/// Whether a method or field can have this name in Java source.
pub fn is_of_member(name: &str) -> bool {
    is_identifier(name) && !is_keyword(name)
}

/// Words that name nothing.
fn is_keyword(name: &str) -> bool {
    const WORDS: &str = "abstract assert boolean break byte case catch char class const continue default do double else \
        enum extends final finally float for goto if implements import instanceof int interface long native new package \
        private protected public return short static strictfp super switch synchronized this throw throws transient try \
        void volatile while true false null _";
    WORDS.split_ascii_whitespace().any(|word| word == name)
}

/// Those, words that name no variable, and names that would hide the packages that most names begin with.
fn is_reserved(name: &str) -> bool {
    const WORDS: &str = "var yield record sealed permits java javax jdk sun com org net io";
    is_keyword(name) || WORDS.split_ascii_whitespace().any(|word| word == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_from_types_and_members() {
        let mut names = LocalNames::avoiding(["results"]);
        for (of, member, expected) in [
            ("Ljava/lang/StringBuffer;", "<init>", "stringBuffer"),
            ("Ljava/lang/StringBuffer;", "append", "stringBuffer2"),
            ("Ljava/util/Map$Entry;", "firstEntry", "entry"),
            ("Ljava/net/URLConnection;", "open", "urlConnection"),
            ("Ljava/net/URL;", "<init>", "url"),
            ("Ljava/lang/Class;", "getClass", "type"),
            ("Ljava/lang/Boolean;", "valueOf", "aBoolean"),
            ("Ljava/lang/Enum;", "valueOf", "anEnum"),
            ("Lacme/point;", "<init>", "aPoint"),
            ("Lacme/Results;", "<init>", "results2"),
            ("Lacme/Java;", "<init>", "aJava"),
            ("[I", "toArray", "ints"),
            ("[[Lacme/Box;", "boxes", "boxes"),
            ("I", "size", "size"),
            ("J", "getCount", "count"),
            ("Z", "continue", "continueValue"),
            ("I", "<init>", "value"),
        ] {
            assert_eq!(names.take(of, member), expected, "{of} {member}");
        }
    }
}
