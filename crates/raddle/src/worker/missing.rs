//! Exceptions that are there because a class is not: that is how the code was started, and no fault of it.
//!
//! Whether it is really not there, the virtual machine says: a class loader of the code's own may refuse one that is.

use host::Thrown;

/// The class that is missing, if an exception is there because of that, as Java names it. `has` says whether a class is there, which
/// is named as class files do.
pub fn missing(thrown: &Thrown, has: &dyn Fn(&str) -> bool) -> Option<String> {
    let message = thrown.message.as_deref().unwrap_or_default();
    let own = wanted(&thrown.class, message).filter(|name| !has(name)).map(|name| name.replace('/', "."));
    // Whoever catches such a thing may throw something else for it.
    own.or_else(|| missing(thrown.cause.as_deref()?, has))
}

/// The class that an exception of this class asked for, as class files name it, if it is one of those that do.
fn wanted(class: &str, message: &str) -> Option<String> {
    let name = match class {
        "java.lang.NoClassDefFoundError" | "java.lang.ClassNotFoundException" => message,
        "java.lang.TypeNotPresentException" => message.strip_prefix("Type ")?.strip_suffix(" not present")?,
        // What it was when the class was initialised for the first time is told in the message.
        "java.lang.ExceptionInInitializerError" => {
            let (first, _) = message.strip_prefix("Exception ")?.split_once(" [in thread ")?;
            let (class, message) = first.split_once(": ")?;
            return wanted(class, message);
        }
        _ => return None,
    };
    let name = match name.trim_start_matches('[') {
        element if element.len() < name.len() => element.strip_prefix('L')?.strip_suffix(';')?,
        name => name,
    };
    // Messages may say something else.
    let is_of_name = |letter: char| letter.is_alphanumeric() || !letter.is_ascii() || "_$/.-".contains(letter);
    (!name.is_empty() && name.chars().all(is_of_name)).then(|| name.replace('.', "/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thrown(class: &str, message: &str) -> Thrown {
        Thrown { class: format!("java.lang.{class}"), message: Some(message.into()), ..Thrown::default() }
    }

    fn named(class: &str, message: &str) -> Option<String> {
        missing(&thrown(class, message), &|name| name == "here/It")
    }

    #[test]
    fn the_class_is_named_as_java_does() {
        for (class, message) in [
            ("NoClassDefFoundError", "gone/It$Inner"),
            ("ClassNotFoundException", "gone.It$Inner"),
            ("ClassNotFoundException", "[[Lgone.It$Inner;"),
            ("TypeNotPresentException", "Type gone.It$Inner not present"),
            (
                "ExceptionInInitializerError",
                "Exception java.lang.NoClassDefFoundError: gone/It$Inner [in thread \"main\"]",
            ),
        ] {
            assert_eq!(named(class, message).as_deref(), Some("gone.It$Inner"), "{class} {message}");
        }
    }

    #[test]
    fn other_exceptions_and_classes_that_are_there_do_not_count() {
        for (class, message) in [
            ("NoClassDefFoundError", "here/It"),
            ("ClassNotFoundException", "here.It"),
            ("NoClassDefFoundError", "gone/it (wrong name: gone/It)"),
            ("NoClassDefFoundError", "Could not initialize class gone.It"),
            ("ClassNotFoundException", "no driver of this name"),
            ("ClassNotFoundException", "[I"),
            ("ClassNotFoundException", ""),
            ("IllegalStateException", "gone.It"),
            ("ExceptionInInitializerError", "Exception java.lang.IllegalStateException: gone.It [in thread \"main\"]"),
        ] {
            assert_eq!(named(class, message), None, "{class} {message}");
        }
    }

    #[test]
    fn causes_count() {
        let cause = Some(Box::new(thrown("ClassNotFoundException", "gone.It")));
        let outer = Thrown { cause, ..thrown("NoClassDefFoundError", "Could not initialize class here.It") };
        assert_eq!(missing(&outer, &|_| false).as_deref(), Some("gone.It"));
    }
}
