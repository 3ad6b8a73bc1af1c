//! Hooks for monitors that opaque code takes: events where they were opened, and otherwise noted.

use super::{identity_hash, interface, monitor, named_site, watch};
use crate::control;
use crate::unseen;
use jni_sys::{JNIEnv, jclass, jint, jobject};

pub(super) extern "system" fn enter(env: *mut JNIEnv, hooks: jclass, object: jobject, site: jint) {
    if control::current().is_none() || object.is_null() {
        return;
    }
    let Some(place) = watch::place(named_site(site)) else { return };
    let hash = identity_hash(env, object);
    let is_open = unseen::is_open(place);
    if is_open {
        monitor::enter(env, hooks, object, site);
        if interface(env).has_exception() {
            return;
        }
    } else {
        control::enter_unseen(hash, place);
    }
    unseen::held::take(hash, is_open);
}

pub(super) extern "system" fn exit(env: *mut JNIEnv, hooks: jclass, object: jobject, site: jint) {
    // What is taken while the thread is quiet is given up so, too.
    if control::current().is_none() || object.is_null() {
        return;
    }
    let hash = identity_hash(env, object);
    match unseen::held::give_up(hash) {
        Some(true) => monitor::exit(env, hooks, object, site),
        Some(false) => control::leave_unseen(hash),
        None => {}
    }
}
