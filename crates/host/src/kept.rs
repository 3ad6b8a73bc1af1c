//! A copy of static state and of all that it leads to, to be put back without running initialisers again.
//!
//! Initialisers may take long: they read tables, or make what a library has of everything. What they have made is there, so it
//! is enough to write back what an execution has changed in it. Every object that static fields lead to is listed once, with
//! what its fields or elements were; putting back goes through the list. Nothing has to be known of who wrote what.
//!
//! Where an object's state cannot be written ([`keepable`](crate::keepable)), or where there is too much of it, no copy is made.

use crate::control;
use crate::graph::{Kind, Layout, Layouts};
use crate::jni::Env;
use crate::keepable::{Standing, is_kept, standing};
use crate::natives;
use crate::scope::is_of_jdk;
use crate::there_before;
use jni_sys::{jclass, jfieldID, jobject, jvalue};
use std::collections::{HashMap, VecDeque};
use std::ptr::null_mut;
use std::sync::Arc;

/// At most so many objects are listed.
const MOST_OBJECTS: usize = 100_000;

/// Static state as it was.
#[derive(Default)]
pub struct Kept {
    statics: Vec<(jclass, jfieldID, u8, jvalue)>,
    objects: Vec<KeptObject>,
    /// Global references to all objects that were met, by their real identity hashes.
    by_hash: HashMap<i32, jobject>,
    /// Threads that were never started.
    unstarted: Vec<jobject>,
    /// Those that nothing outside the copy may have put into a table by the hash that they showed.
    asked_anew: HashMap<i32, jobject>,
}

// SAFETY: the references are global, and identifiers are valid in every thread.
unsafe impl Send for Kept {}

struct KeptObject {
    object: jobject,
    content: Content,
}

enum Content {
    /// The values of the fields that can change.
    Fields(Vec<(jfieldID, u8, jvalue)>),
    /// The elements of an array of primitive values.
    Bytes(Vec<u8>),
    /// The elements of an array of objects.
    Elements(Vec<jobject>),
}

/// There is something of which no copy can be kept.
pub struct NotKeepable;

impl Kept {
    /// A copy of what is there now: these static fields, given as class, field and first letter of the descriptor, and all that
    /// they lead to.
    pub fn of(
        env: Env,
        layouts: &Layouts,
        fields: impl Iterator<Item = (jclass, jfieldID, u8)>,
    ) -> Result<Kept, NotKeepable> {
        let kept = Kept::default();
        let mut copying = Copying { env, layouts, kept, waiting: VecDeque::new() };
        natives::first_shown();
        match control::uncontrolled(|| copying.copy(fields)) {
            Ok(()) => Ok(copying.kept),
            Err(refused) => {
                copying.kept.discard(env);
                Err(refused)
            }
        }
    }

    /// Whether it can be put back: a thread that has been started cannot be started again.
    pub fn is_of_use(&self) -> bool {
        self.unstarted.iter().all(|&thread| natives::is_unstarted(thread))
    }

    /// Writes back whatever is not as it was.
    ///
    /// References are written whether they have changed or not. To look first takes three calls of the virtual machine (get a
    /// reference, compare it, give it up), each as dear as the one that writes, and there are thousands in the tables of a
    /// library.
    pub fn put_back(&self, env: Env) {
        for &(class, field, letter, value) in &self.statics {
            if is_reference(letter) || !is_same(letter, env.get_static(class, field, letter), value) {
                env.put_static(class, field, letter, value);
            }
        }
        for kept in &self.objects {
            match &kept.content {
                Content::Fields(fields) => {
                    for &(field, letter, value) in fields {
                        if is_reference(letter) || !is_same(letter, env.get_field(kept.object, field, letter), value) {
                            env.put_field(kept.object, field, letter, value);
                        }
                    }
                }
                Content::Bytes(bytes) => env.put_contents(kept.object, bytes),
                Content::Elements(elements) => {
                    for (index, &value) in elements.iter().enumerate() {
                        env.set_element(kept.object, index, value);
                    }
                }
            }
        }
        // Who asks first for an identity hash can be seen, so nobody has asked yet.
        for hash in natives::first_shown() {
            self.asked_anew.get(&hash).inspect(|&&object| natives::forget_shown(object));
        }
    }

    /// Ends its references.
    pub fn discard(self, env: Env) {
        self.by_hash.into_values().for_each(|global| env.delete_global(global));
    }
}

fn is_reference(letter: u8) -> bool {
    matches!(letter, b'L' | b'[')
}

/// Whether a primitive value is what was there.
fn is_same(letter: u8, there: jvalue, value: jvalue) -> bool {
    // SAFETY: the letter tells which member of the union was written.
    unsafe {
        match letter {
            b'Z' => there.z == value.z,
            b'B' => there.b == value.b,
            b'C' => there.c == value.c,
            b'S' => there.s == value.s,
            b'I' => there.i == value.i,
            b'J' => there.j == value.j,
            b'F' => there.f.to_bits() == value.f.to_bits(),
            _ => there.d.to_bits() == value.d.to_bits(),
        }
    }
}

/// A copy that is being made.
struct Copying<'l> {
    env: Env,
    layouts: &'l Layouts,
    kept: Kept,
    /// Objects that were met and not copied yet.
    waiting: VecDeque<(jobject, Arc<Layout>)>,
}

impl Copying<'_> {
    fn copy(&mut self, fields: impl Iterator<Item = (jclass, jfieldID, u8)>) -> Result<(), NotKeepable> {
        for (class, field, letter) in fields {
            let value = self.lasting(letter, self.env.get_static(class, field, letter))?;
            self.kept.statics.push((class, field, letter, value));
        }
        while let Some((object, layout)) = self.waiting.pop_front() {
            let content = self.content(object, &layout)?;
            self.kept.objects.push(KeptObject { object, content });
        }
        Ok(())
    }

    fn content(&mut self, object: jobject, layout: &Layout) -> Result<Content, NotKeepable> {
        match layout.kind {
            Kind::Array(b'L' | b'[') => {
                let mut elements = Vec::with_capacity(self.env.array_length(object));
                for index in 0..self.env.array_length(object) {
                    elements.push(self.meet(self.env.element(object, index))?);
                }
                Ok(Content::Elements(elements))
            }
            Kind::Array(letter) => Ok(Content::Bytes(self.env.contents(object, letter))),
            _ => {
                let mut fields = Vec::new();
                for field in layout.fields.iter().filter(|field| is_kept(field)) {
                    let there = self.env.get_field(object, field.id, field.letter);
                    let value = self.lasting(field.letter, there)?;
                    if !field.is_final {
                        fields.push((field.id, field.letter, value));
                    }
                }
                Ok(Content::Fields(fields))
            }
        }
    }

    /// The value, with a global reference in place of a local one.
    fn lasting(&mut self, letter: u8, value: jvalue) -> Result<jvalue, NotKeepable> {
        match letter {
            // SAFETY: the letter says that it is a reference.
            b'L' | b'[' => Ok(jvalue { l: self.meet(unsafe { value.l })? }),
            _ => Ok(value),
        }
    }

    /// The global reference to an object, which is listed if it was not. Ends the local one.
    fn meet(&mut self, object: jobject) -> Result<jobject, NotKeepable> {
        if object.is_null() {
            return Ok(null_mut());
        }
        let hash = natives::identity_hash(self.env.raw(), object);
        if let Some(&known) = self.kept.by_hash.get(&hash) {
            self.env.delete_local(object);
            return Ok(known);
        }
        let global = self.env.global(object);
        self.env.delete_local(object);
        self.kept.by_hash.insert(hash, global);
        if there_before::is_one(self.env, global) {
            return Ok(global);
        }
        let layout = self.env.frame(|| self.layouts.of(self.env, global));
        let is_thread = layout.classes.iter().any(|class| class == "java/lang/Thread");
        match standing(&layout) {
            Standing::Refused => Err(NotKeepable),
            _ if is_thread && !natives::is_unstarted(global) => Err(NotKeepable),
            _ if self.kept.by_hash.len() > MOST_OBJECTS => Err(NotKeepable),
            Standing::LeftAlone => Ok(global),
            Standing::Kept => {
                if is_thread {
                    self.kept.unstarted.push(global);
                }
                let class = layout.classes[0].as_str();
                if class == "java/lang/Object" || !is_of_jdk(class) {
                    self.kept.asked_anew.insert(hash, global);
                }
                self.waiting.push_back((global, layout));
                Ok(global)
            }
        }
    }
}
