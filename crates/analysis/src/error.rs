//! Why a class could not be analysed.

use classfile::ParseError;

/// Why a class could not be analysed. What goes wrong in classes that it merely calls is no error: those
/// calls are opaque, and its summaries say so.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // The messages say it.
pub enum Error {
    #[error("class {0} is not on the class path")]
    NotFound(String),
    #[error("class {class} cannot be read: {reason}")]
    Unreadable { class: String, reason: String },
    #[error("class {class} is damaged: {error}")]
    Damaged { class: String, error: ParseError },
    #[error("the file of class {asked} holds class {found}")]
    OtherClass { asked: String, found: String },
    #[error("class {class} cannot be analysed: its supertype {missing} is not on the class path")]
    MissingSupertype { class: String, missing: String },
    #[error("class {class} cannot be analysed: its supertype {supertype} is damaged: {reason}")]
    BadSupertype { class: String, supertype: String, reason: String },
    #[error("class {class} cannot be analysed: {supertype} is its own supertype")]
    CyclicHierarchy { class: String, supertype: String },
    #[error("{0} is an interface, which has no state: name a class that implements it")]
    Interface(String),
    #[error("{0} is a module or package declaration, not a class")]
    NoClass(String),
    #[error("class {class} cannot be analysed: the code of {method} is not valid: {reason} (at offset {offset})")]
    BadCode { class: String, method: String, reason: &'static str, offset: u16 },
}
