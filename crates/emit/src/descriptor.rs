//! Descriptors: the types of class files, as text.

/// The type of `null`, which has no descriptor.
pub const NULL: &str = "null";
/// `java.lang.Object`.
pub const OBJECT: &str = "Ljava/lang/Object;";
/// `java.lang.String`.
pub const STRING: &str = "Ljava/lang/String;";

/// The parameters of a method, and what it returns; None if the descriptor is malformed.
pub fn method(descriptor: &str) -> Option<(Vec<&str>, &str)> {
    let (mut rest, returns) = descriptor.strip_prefix('(')?.split_once(')')?;
    let mut parameters = Vec::new();
    while !rest.is_empty() {
        let (first, after) = rest.split_at(length(rest)?);
        parameters.push(first);
        rest = after;
    }
    (returns == "V" || length(returns) == Some(returns.len())).then_some((parameters, returns))
}

/// How long the first type of a text is.
fn length(text: &str) -> Option<usize> {
    let dimensions = text.bytes().take_while(|&b| b == b'[').count();
    match text.as_bytes().get(dimensions)? {
        b'L' => text.find(';').map(|end| end + 1),
        b'Z' | b'B' | b'C' | b'S' | b'I' | b'J' | b'F' | b'D' => Some(dimensions + 1),
        _ => None,
    }
}

/// The class of a descriptor, if it is one.
pub fn class(descriptor: &str) -> Option<&str> {
    descriptor.strip_prefix('L')?.strip_suffix(';')
}

/// The descriptor of a class that is named as class constants do: `java/lang/String`, `[I`; also of `int`.
pub fn of_class(name: &str) -> String {
    match PRIMITIVES.iter().find(|(_, word, _)| *word == name) {
        Some((letter, ..)) => (*letter).to_owned(),
        None if name.starts_with('[') => name.to_owned(),
        None => format!("L{name};"),
    }
}

/// Whether values of that type are objects or null.
pub fn is_reference(descriptor: &str) -> bool {
    descriptor == NULL || descriptor.starts_with(['L', '['])
}

/// Letter, word and box of each primitive type.
pub const PRIMITIVES: [(&str, &str, &str); 8] = [
    ("Z", "boolean", "java/lang/Boolean"),
    ("B", "byte", "java/lang/Byte"),
    ("C", "char", "java/lang/Character"),
    ("S", "short", "java/lang/Short"),
    ("I", "int", "java/lang/Integer"),
    ("J", "long", "java/lang/Long"),
    ("F", "float", "java/lang/Float"),
    ("D", "double", "java/lang/Double"),
];

/// Letter, word and box of a primitive type; None for others.
pub fn primitive(descriptor: &str) -> Option<(&'static str, &'static str, &'static str)> {
    PRIMITIVES.into_iter().find(|(letter, ..)| *letter == descriptor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_taken_apart() {
        assert_eq!(method("()V"), Some((vec![], "V")));
        assert_eq!(method("(I[[JLa/B;[Lc;)[I"), Some((vec!["I", "[[J", "La/B;", "[Lc;"], "[I")));
        for malformed in ["", "I", "(", "(X)V", "(L)V", "(La)V", "([)V", "()", "()II", "()Vx"] {
            assert_eq!(method(malformed), None, "{malformed}");
        }
    }
}
