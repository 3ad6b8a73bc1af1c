//! What to do about a class of which nothing can be said.

use crate::worker::protocol::Rejected;

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

/// Why a test is of no use.
pub fn words(rejected: &Rejected) -> String {
    match rejected {
        Rejected::Prefix { thrown, .. } | Rejected::Suffix { thrown, .. } => format!("a call throws {thrown}"),
        Rejected::Stuck { .. } => "a call does not end, or has too many events".into(),
        Rejected::Exits => "a call ends the virtual machine".into(),
        Rejected::TooMany { .. } => "there are too many orders of the calls".into(),
    }
}
