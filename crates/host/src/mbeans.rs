//! The platform's MBean server, which holds what earlier executions have registered.
//!
//! Pools, caches and loggers register themselves when they are made, and few are ever closed. The server is the JDK's and
//! not put back with the static state of applications, so it would grow with every execution: a pool tries one name after
//! the other until one is free. Before an execution all beans are taken away that are not the platform's own.

use crate::jni::Env;
use jni_sys::{jclass, jfieldID, jmethodID, jobject, jvalue};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};

/// The class that keeps the server.
pub const KEEPER: &str = "java/lang/management/ManagementFactory";

/// Whether [`KEEPER`] was loaded. It must not be loaded only to ask it.
pub static IS_LOADED: AtomicBool = AtomicBool::new(false);

/// Domains whose beans are the platform's own.
const OWN: [&str; 6] =
    ["JMImplementation", "com.sun.management", "java.lang", "java.nio", "java.util.logging", "jdk.management.jfr"];

/// How to ask the server. Nothing of it is known before it is there.
#[derive(Default)]
pub struct MBeans {
    known: Option<Known>,
    /// How many beans there were after it was put back last.
    count: i32,
}

struct Known {
    keeper: jclass,
    server: jfieldID,
    count: jmethodID,
    number: jmethodID,
    names: jmethodID,
    array: jmethodID,
    domain: jmethodID,
    unregister: jmethodID,
}

impl MBeans {
    /// Takes away what is not the platform's own.
    pub fn restore(&mut self, env: Env) {
        if !IS_LOADED.load(Ordering::Relaxed) {
            return;
        }
        env.frame(|| {
            if self.known.is_none() {
                self.known = Known::find(env);
                env.take_exception();
            }
            let Some(known) = &self.known else { return };
            // SAFETY: the field is a reference.
            let server = unsafe { env.get_static(known.keeper, known.server, b'L').l };
            if !server.is_null() && known.count(env, server) != Some(self.count) {
                known.clear(env, server);
                self.count = known.count(env, server).unwrap_or_default();
            }
            env.take_exception();
        });
    }
}

impl Known {
    fn find(env: Env) -> Option<Known> {
        let keeper = env.find_class(KEEPER)?;
        let server = env.find_class("javax/management/MBeanServer")?;
        let name = env.find_class("javax/management/ObjectName")?;
        let (set, integer) = (env.find_class("java/util/Set")?, env.find_class("java/lang/Integer")?);
        let names = "(Ljavax/management/ObjectName;Ljavax/management/QueryExp;)Ljava/util/Set;";
        Some(Known {
            keeper: env.global(keeper),
            server: env.static_field(keeper, "platformMBeanServer", "Ljavax/management/MBeanServer;")?,
            count: env.method(server, "getMBeanCount", "()Ljava/lang/Integer;")?,
            number: env.method(integer, "intValue", "()I")?,
            names: env.method(server, "queryNames", names)?,
            array: env.method(set, "toArray", "()[Ljava/lang/Object;")?,
            domain: env.method(name, "getDomain", "()Ljava/lang/String;")?,
            unregister: env.method(server, "unregisterMBean", "(Ljavax/management/ObjectName;)V")?,
        })
    }

    fn count(&self, env: Env, server: jobject) -> Option<i32> {
        // SAFETY: the methods return a reference and an int.
        unsafe {
            let count = env.call(server, self.count, b'L', &[]).l;
            (!count.is_null()).then(|| env.call(count, self.number, b'I', &[]).i)
        }
    }

    fn clear(&self, env: Env, server: jobject) {
        let any = jvalue { l: null_mut() };
        // SAFETY: the methods return references.
        let names = unsafe {
            let names = env.call(server, self.names, b'L', &[any, any]).l;
            if names.is_null() { null_mut() } else { env.call(names, self.array, b'L', &[]).l }
        };
        if names.is_null() {
            return;
        }
        for index in 0..env.array_length(names) {
            let name = env.element(names, index);
            // SAFETY: the method returns a reference.
            let domain = unsafe { env.call(name, self.domain, b'L', &[]).l };
            if !domain.is_null() && !OWN.contains(&&*env.text(domain)) {
                env.call(server, self.unregister, b'V', &[jvalue { l: name }]);
                // A bean may refuse, or be gone with another.
                env.take_exception();
            }
            env.delete_local(domain);
            env.delete_local(name);
        }
    }
}
