//! Accesses that are no events: what threads do in opaque code, and what others could see of it.
//!
//! A certificate says that every order of dependent events was run. It holds only if threads influence each other by events
//! alone. So the accesses of opaque code are watched while several threads are under control: two of one place by two
//! threads, one of them a write, that no events order, are a dependency that no explorer knew of. The place is then
//! *opened*: its accesses are events from then on. Where that is not possible, nothing is certified, and the place is named.
//!
//! What is watched: fields of opaque classes that can change, elements that their code reads or writes, and native methods
//! ([`natives`]). Monitors that it takes are opened as well ([`held`]). Not watched: code that is quiet, and fields that show no thread a difference ([`caches`]).

pub mod caches;
pub mod held;
pub mod natives;
mod parse;
mod record;
mod wrap;

pub use record::{Access, Location, Record, Unseen};
pub use wrap::watch_natives;

use crate::native_methods::{self, PREFIX};
use std::sync::RwLock;

/// Whether the accesses of an opaque method are watched. Not those of methods whose effect is an event anyway.
pub fn is_watched(class: &str, method: &str, descriptor: &str) -> bool {
    let prefix = PREFIX.to_str().expect("internal bug: the prefix is text");
    !method.starts_with(prefix) && !native_methods::is_changed(class, method, descriptor)
}

/// Whether the monitors that an opaque class takes are noted. What `Thread` does is told by events of its own.
pub fn watches_monitors(class: &str) -> bool {
    class != "java/lang/Thread"
}

/// Whether a field of an opaque class can change, so that threads can tell each other something by it.
pub fn can_change(class: &str, field: &str, is_final: bool) -> bool {
    // Native code writes these, though they are final.
    let is_written =
        matches!((class, field), ("java/lang/System", "in" | "out" | "err") | ("java/lang/invoke/CallSite", "target"));
    (!is_final || is_written) && !caches::is_cache(class, field)
}

/// Whether the elements that an opaque method touches can be of arrays that threads share. Those of strings never change; a builder
/// that a string is compared with does.
pub fn watches_elements(class: &str, method: &str) -> bool {
    let is_of_strings = matches!(
        class,
        "java/lang/String"
            | "java/lang/StringLatin1"
            | "java/lang/StringUTF16"
            | "java/lang/StringCoding"
            | "java/lang/StringConcatHelper"
    );
    // Hash codes of arrays are told when they are asked for (`opaque_arrays`).
    let is_hash = class == "jdk/internal/util/ArraysSupport" && method.to_lowercase().contains("hashcode");
    !is_of_strings && !is_hash || matches!(method, "contentEquals" | "nonSyncContentEquals")
}

/// The places that were opened, by the numbers of their fields. Few, if any.
static OPENED: RwLock<Vec<u32>> = RwLock::new(Vec::new());

/// Accesses of these places are events from now on, and of no others.
pub fn open(places: Vec<u32>) {
    *OPENED.write().unwrap_or_else(|e| e.into_inner()) = places;
}

/// Whether accesses of a place are events.
pub fn is_open(place: u32) -> bool {
    OPENED.read().unwrap_or_else(|e| e.into_inner()).contains(&place)
}
