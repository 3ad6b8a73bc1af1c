//! What to do about a class of which nothing can be said, or less than could be.

use super::counts::Counts;

/// Faults of the class path and the JDK, by what the virtual machine calls them.
const KNOWN: [(&str, &str); 5] = [
    ("is newer than this tool knows", "compile it for Java 25 or earlier"),
    ("java.lang.UnsupportedClassVersionError", "name a newer JDK with --java-home"),
    ("java.lang.NoClassDefFoundError", "name the jar or folder of what is missing with --classpath"),
    ("java.lang.ClassNotFoundException", "name the jar or folder of what is missing with --classpath"),
    ("a static initialiser failed", "correct what it needs, or name another class"),
];

/// The reason, and what to do about it where that is known.
pub fn with_advice(reason: &str) -> String {
    match KNOWN.iter().find(|(sign, _)| reason.contains(sign)) {
        Some((_, advice)) => format!("{reason}: {advice}"),
        None => reason.to_owned(),
    }
}

/// What to do where all that was found may be by what was refused.
pub fn of_refusals(counts: &Counts) -> String {
    let tests = report::count(counts.excused as usize, "test");
    let refused = counts.refused.first().map_or("something", |first| first);
    format!(
        "exceptions in {tests} may be by what the fence refused there ({refused}): give it with --allow-read, or take the fence away with --no-fence"
    )
}

/// What to do about classes that methods want and that are not on the class path.
pub fn of_missing(classes: &[String]) -> Option<String> {
    /// So many are named.
    const NAMED: usize = 3;
    let more = match classes.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let named = classes[..classes.len().min(NAMED)].join(", ");
    (!classes.is_empty()).then(|| {
        format!(
            "not on the class path: {named}{more}; methods that want one were given null: name its jar or folder with --classpath"
        )
    })
}
