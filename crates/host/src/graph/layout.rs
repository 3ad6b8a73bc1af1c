//! What there is to read in the objects of a class, found out once for each class.

use super::shape::{self, Shape};
use crate::control;
use crate::jni::Env;
use crate::natives;
use crate::raw;
use crate::scope::{OPAQUE, REWRITTEN_ALL_THE_SAME};
use classfile::Flags;
use jni_sys::{jclass, jfieldID, jmethodID, jobject};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// What is known of classes, by the identity hashes of their class objects.
pub struct Layouts {
    known: Mutex<HashMap<i32, Arc<Layout>>>,
    get_name: jmethodID,
}

// SAFETY: identifiers are valid in every thread.
unsafe impl Send for Layouts {}
// SAFETY: as above.
unsafe impl Sync for Layouts {}

/// The objects of one class.
pub struct Layout {
    /// The name of the class, without what changes from process to process.
    pub name: Arc<str>,
    pub kind: Kind,
    /// The class and those above it, as class files have their names.
    pub classes: Vec<String>,
    /// All instance fields, those of superclasses first.
    pub fields: Vec<FieldLayout>,
}

/// How objects of a class are read.
pub enum Kind {
    String,
    Class,
    /// A constant of an enum, with the enum's own name.
    Constant(Arc<str>),
    /// A box around a field `value`.
    Boxed,
    /// An array; the first letter of its elements' descriptor.
    Array(u8),
    /// By identity only.
    Opaque,
    /// By its fields and, if it is a collection, by what it holds.
    Object(Option<&'static Shape>),
}

/// An instance field.
pub struct FieldLayout {
    pub name: Arc<str>,
    /// The class that declares it, as class files have its name.
    pub class: Arc<str>,
    pub is_final: bool,
    pub id: jfieldID,
    /// The first of its descriptor.
    pub letter: u8,
    /// Whether it is shown as a field of the object.
    pub shown: bool,
}

// SAFETY: field identifiers are valid in every thread.
unsafe impl Send for Layout {}
// SAFETY: as above.
unsafe impl Sync for Layout {}

impl Layout {
    /// The field with that name.
    pub fn field(&self, name: &str) -> Option<&FieldLayout> {
        self.fields.iter().find(|field| &*field.name == name)
    }
}

impl Layouts {
    /// Nothing is known yet.
    pub fn new(get_name: jmethodID) -> Self {
        Layouts { known: Mutex::default(), get_name }
    }

    /// The layout of an object.
    pub fn of(&self, env: Env, object: jobject) -> Arc<Layout> {
        let class = env.class_of(object);
        let hash = natives::identity_hash(env.raw(), class);
        let mut known = self.known.lock().unwrap_or_else(|e| e.into_inner());
        known
            .entry(hash)
            .or_insert_with(|| Arc::new(control::uncontrolled(|| env.frame(|| self.find_out(env, class)))))
            .clone()
    }

    /// The name of a class: `java.lang.String`.
    pub fn class_name(&self, env: Env, class: jclass) -> String {
        // SAFETY: the method returns a reference.
        env.text(unsafe { env.call(class, self.get_name, b'L', &[]).l })
    }

    fn find_out(&self, env: Env, class: jclass) -> Layout {
        let next = |class: &jclass| Some(env.super_class(*class)).filter(|above| !above.is_null());
        let classes: Vec<(jclass, String)> = std::iter::successors(Some(class), next)
            .map(|class| (class, self.class_name(env, class).replace('.', "/")))
            .collect();
        let own = &*classes[0].1;
        let names = classes.iter().map(|(_, name)| name.clone()).collect();
        let mut layout =
            Layout { name: stable_name(own).into(), kind: Kind::Opaque, classes: names, fields: Vec::new() };
        if let Some(element) = own.strip_prefix('[') {
            layout.kind = Kind::Array(element.as_bytes()[0]);
            return layout;
        }
        let shaped = classes.iter().enumerate().find_map(|(at, (_, name))| Some((at, shape::of(name)?)));
        for (at, (class, name)) in classes.iter().enumerate().rev() {
            let declaring: Arc<str> = name.as_str().into();
            let is_in_shape = shaped.is_some_and(|(shaped_at, _)| at >= shaped_at);
            raw::for_each_field(env, *class, |field, descriptor, modifiers| {
                if modifiers & Flags::STATIC.0 as i32 == 0
                    && let Some(id) = env.field(*class, &field, &descriptor)
                {
                    let shown = !is_in_shape && !is_opaque(name) && !shape::is_bookkeeping(name, &field);
                    layout.fields.push(FieldLayout {
                        name: field.into(),
                        class: declaring.clone(),
                        is_final: modifiers & Flags::FINAL.0 as i32 != 0,
                        id,
                        letter: descriptor.as_bytes()[0],
                        shown,
                    });
                }
                // A field that cannot be looked up is not read.
                env.drop_exception();
            });
        }
        let shape = shaped.map(|(_, shape)| shape).filter(|shape| shape.fits(&layout));
        if shaped.is_some() && shape.is_none() {
            // Another version of the JDK than we know: all its fields, then.
            layout.fields.iter_mut().for_each(|field| field.shown = true);
        }
        layout.kind = match own {
            "java/lang/String" => Kind::String,
            "java/lang/Class" => Kind::Class,
            "java/lang/Boolean" | "java/lang/Byte" | "java/lang/Character" | "java/lang/Short" => Kind::Boxed,
            "java/lang/Integer" | "java/lang/Long" | "java/lang/Float" | "java/lang/Double" => Kind::Boxed,
            _ if classes.len() > 2 && classes[classes.len() - 2].1 == "java/lang/Enum" => {
                Kind::Constant(classes[classes.len() - 3].1.replace('/', ".").into())
            }
            _ if is_opaque(own) && own != "java/lang/Object" && shape.is_none() => Kind::Opaque,
            _ => Kind::Object(shape),
        };
        layout
    }
}

/// Classes that the virtual machine stands on, and those whose objects hold addresses of the machine.
pub fn is_opaque(class: &str) -> bool {
    let holds_addresses = ["java/nio/", "java/util/zip/", "java/io/FileDescriptor"];
    OPAQUE.iter().chain(&holds_addresses).any(|package| class.starts_with(package))
        && !REWRITTEN_ALL_THE_SAME.contains(&class)
}

/// The name as Java has it, without the number and address of a hidden class: those follow from the order of linking.
pub fn stable_name(class: &str) -> String {
    let class = class.replace('/', ".");
    match class.find("$$Lambda") {
        Some(at) => class[..at + "$$Lambda".len()].to_owned(),
        None => match class.find(".0x") {
            Some(at) => class[..at].to_owned(),
            None => class,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_hidden_classes_hold_no_numbers() {
        assert_eq!(stable_name("com/acme/Task$$Lambda$14/0x0000000800c03000"), "com.acme.Task$$Lambda");
        assert_eq!(stable_name("com/acme/Task$$Lambda/0x00007f0001003200"), "com.acme.Task$$Lambda");
        assert_eq!(stable_name("com/acme/Hidden/0x0000000800c03000"), "com.acme.Hidden");
        assert_eq!(stable_name("java/util/Map$Entry"), "java.util.Map$Entry");
    }
}
