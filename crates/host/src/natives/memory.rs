//! Memory outside the heap, and copies of bytes.
//!
//! Such memory is told in words of eight bytes, by their addresses. So two accesses of different bytes of a word
//! are dependent, which only costs executions; nothing can be said about data races there.

use super::access::{Access, elements, is_silent};
use super::{happen, happen_to, interface, number, on};
use crate::{control, raw};
use jni_sys::{JNIEnv, jclass, jlong, jobject};
use schedule::{Event, EventKind};

const WORD: jlong = 8;

/// Upper bound on the words of one access that are all told. Of a larger one those are that a thread has touched
/// before: mostly it fills memory that nobody else has yet.
const MAX_WORDS: jlong = 64;

/// Accesses bytes outside the heap. Says whether the thread goes on.
pub(super) fn touch(env: *mut JNIEnv, address: jlong, bytes: jlong, kind: EventKind) -> bool {
    let (first, last) = (address.div_euclid(WORD), (address + bytes.max(1) - 1).div_euclid(WORD));
    let words = match last - first < MAX_WORDS {
        true => (first..=last).map(control::memory_word).collect(),
        false => control::known_memory_words(first, last),
    };
    words.into_iter().all(|word| control::is_alone(kind) || happen(env, on(kind, word, Event::MEMORY)).is_some())
}

/// Before bytes are copied: what is read, and what is written. Both are told before anything is done, so the copy
/// is one step.
pub(super) extern "system" fn copy(
    env: *mut JNIEnv,
    _: jclass,
    from: jobject,
    from_offset: jlong,
    to: jobject,
    to_offset: jlong,
    bytes: jlong,
) {
    if control::current().is_none() || bytes <= 0 {
        return;
    }
    if from_offset < 0 || range(env, from, from_offset, bytes, EventKind::Read) {
        range(env, to, to_offset, bytes, EventKind::Write);
    }
}

fn range(env: *mut JNIEnv, base: jobject, offset: jlong, bytes: jlong, kind: EventKind) -> bool {
    if base.is_null() {
        return touch(env, offset, bytes, kind);
    }
    let place = |offset| raw::place(interface(env), base, offset);
    let (Some(first), Some(last)) = (place(offset), place(offset + bytes - 1)) else { return true };
    if !first.is_element || control::is_alone(kind) {
        return true;
    }
    let id = number(env, base);
    is_silent(env, base, Access { events: last.slot - first.slot + 1, ..elements(kind) })
        || (first.slot..=last.slot).all(|slot| happen_to(env, base, on(kind, id, slot)).is_some())
}
