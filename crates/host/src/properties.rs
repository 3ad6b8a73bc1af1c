//! The system properties, put back before executions if one has touched them.

use crate::jni::Env;
use crate::natives;
use crate::objects::Objects;
use crate::tables::{self, PropertyTable};
use jni_sys::{jclass, jfieldID, jlong, jmethodID, jobject, jvalue};

/// The properties as they were when the virtual machine was up.
pub struct SystemProperties {
    /// The static field that holds the properties, in its class.
    system: jclass,
    held: jfieldID,
    properties: jobject,
    /// The field that holds the map of the properties.
    map: jfieldID,
    map_class: jclass,
    copy: jmethodID,
    /// Never given to anyone.
    original: jobject,
    /// The map that is there, its identity hash, and how many entries it had.
    there: jobject,
    hash: i32,
    count: jlong,
    counted: jfieldID,
}

impl SystemProperties {
    /// None if this version keeps them in another way.
    pub fn remember(env: Env) -> Option<SystemProperties> {
        let found = env.frame(|| {
            let system = env.find_class("java/lang/System")?;
            let held = env.static_field(system, "props", "Ljava/util/Properties;")?;
            // SAFETY: the field is a reference.
            let properties = unsafe { env.get_static(system, held, b'L').l };
            let class = env.find_class("java/util/Properties")?;
            let map = env.field(class, "map", "Ljava/util/concurrent/ConcurrentHashMap;")?;
            let map_class = env.find_class("java/util/concurrent/ConcurrentHashMap")?;
            let copy = env.method(map_class, "<init>", "(Ljava/util/Map;)V")?;
            // SAFETY: the field is a reference.
            let there = unsafe { env.get_field(properties, map, b'L').l };
            let original = env.construct(map_class, copy, &[jvalue { l: there }]);
            let counted = env.field(map_class, "baseCount", "J")?;
            Some(SystemProperties {
                system: env.global(system),
                held,
                properties: env.global(properties),
                map,
                map_class: env.global(map_class),
                copy,
                original: env.global(original),
                there: env.global(there),
                hash: natives::identity_hash(env.raw(), there),
                // SAFETY: the field is a long.
                count: unsafe { env.get_field(there, counted, b'J').j },
                counted,
            })
        });
        env.take_exception();
        found
    }

    /// Where they are.
    pub fn table(&self) -> PropertyTable {
        let SystemProperties { system, held, map, counted, map_class, copy, count, .. } = *self;
        PropertyTable { system, held, map, counted, map_class, copy, count }
    }

    /// How many properties there are.
    fn count(&self, env: Env) -> jlong {
        // SAFETY: the field is a long.
        unsafe { env.get_field(self.there, self.counted, b'J').j }
    }

    /// Puts them back if they are among the objects that the last execution has touched, or if there are more or fewer.
    pub fn restore(&mut self, env: Env, touched: &Objects) {
        // What an initialiser has set it may not set again.
        if tables::properties_by_initialiser() {
            return;
        }
        if let Some(with_those) = tables::take_properties() {
            env.delete_global(std::mem::replace(&mut self.original, with_those));
        }
        // SAFETY: the field is a reference.
        let is_same =
            env.frame(|| env.same(unsafe { env.get_static(self.system, self.held, b'L').l }, self.properties));
        if !is_same {
            env.put_static(self.system, self.held, b'L', jvalue { l: self.properties });
        }
        if touched.find(self.hash).is_none() && self.count(env) == self.count {
            return;
        }
        env.frame(|| {
            let map = env.construct(self.map_class, self.copy, &[jvalue { l: self.original }]);
            env.put_field(self.properties, self.map, b'L', jvalue { l: map });
            env.delete_global(self.there);
            self.there = env.global(map);
            self.hash = natives::identity_hash(env.raw(), map);
            // SAFETY: the field is a long.
            self.count = unsafe { env.get_field(map, self.counted, b'J').j };
        });
    }
}
