//! Names and types as Java source spells them.
//!
//! Nested classes keep the dollar sign of their class files, `java.util.Map$Entry`: it cannot be mistaken,
//! and the name can be given back to the command line. Types of `java.lang` lose their package, as in
//! source. What class files call their members is not trusted: characters that would play tricks with
//! a terminal are escaped.

use std::fmt::Display;

use classfile::{JavaStr, MethodDescriptor, TypeDescriptor};

use super::literal::push_char;

/// A name with its package, `java.util.Map$Entry`.
pub fn qualified(internal: JavaStr<'_>) -> String {
    plain(internal).replace('/', ".")
}

/// The type that a class constant names: `java/lang/String` or `[I`.
pub fn class(name: JavaStr<'_>) -> String {
    match TypeDescriptor::new(name) {
        Some(array) if array.element().is_some() => written(array),
        _ => without_java_lang(&qualified(name)),
    }
}

/// A type that the class-file toolkit writes as source does.
pub fn written(of: impl Display) -> String {
    let text = of.to_string();
    without_java_lang(&clean(&text))
}

/// A field's type, by its descriptor.
pub fn field_type(descriptor: JavaStr<'_>) -> String {
    match TypeDescriptor::new(descriptor) {
        Some(descriptor) => written(descriptor),
        None => plain(descriptor),
    }
}

/// A method's parameters and return type, by its descriptor: `(int, String): void`.
pub fn method_type(descriptor: JavaStr<'_>) -> String {
    match MethodDescriptor::new(descriptor) {
        Some(descriptor) => {
            let returns = descriptor.returns().map_or_else(|| "void".to_owned(), written);
            format!("{}: {returns}", written(descriptor))
        }
        None => plain(descriptor),
    }
}

/// A text of the class file that is safe to print.
pub fn plain(text: JavaStr<'_>) -> String {
    clean(&text.to_str())
}

fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    text.chars().for_each(|c| push_char(&mut cleaned, c));
    cleaned
}

/// Takes `java.lang.` away from each type that stands in that very package.
fn without_java_lang(text: &str) -> String {
    const PACKAGE: &str = "java.lang.";
    let in_name = |c: char| !matches!(c, '.' | '<' | '>' | '[' | ']' | '(' | ')' | ',' | ' ' | '&' | '?');
    let mut short = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(PACKAGE) {
        let (before, found) = rest.split_at(at);
        let (package, after) = found.split_at(PACKAGE.len());
        short.push_str(before);
        let starts_a_name = !short.ends_with(|c| in_name(c) || c == '.');
        let in_sub_package = after.trim_start_matches(in_name).starts_with('.');
        if !starts_a_name || in_sub_package {
            short.push_str(package);
        }
        rest = after;
    }
    short.push_str(rest);
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(without_java_lang(text), expected);
    }

    #[test]
    fn only_java_lang_itself_is_left_out() {
        check("java.lang.String", "String");
        check("java.util.Map<java.lang.String, ? super java.lang.Long[]>", "java.util.Map<String, ? super Long[]>");
        check("(java.lang.Object, java.lang.ref.Cleaner)", "(Object, java.lang.ref.Cleaner)");
        check("java.lang.ThreadLocal<T>.Inner", "ThreadLocal<T>.Inner");
        check("my.java.lang.String", "my.java.lang.String");
        check("java.lang.Thread$State", "Thread$State");
    }

    #[test]
    fn class_constants_may_name_arrays() {
        let spelled = |text: &'static str| class(JavaStr::new(text.as_bytes()).unwrap());
        assert_eq!(spelled("[[I"), "int[][]");
        assert_eq!(spelled("[Ljava/lang/String;"), "String[]");
        assert_eq!(spelled("java/util/Map$Entry"), "java.util.Map$Entry");
        assert_eq!(spelled("I"), "I");
    }

    #[test]
    fn names_cannot_steer_the_terminal() {
        assert_eq!(plain(JavaStr::new(b"a\x1b[31m\n").unwrap()), "a\\u001b[31m\\n");
    }
}
