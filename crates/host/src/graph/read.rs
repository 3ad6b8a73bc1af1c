//! Reads an object and what it leads to into a snapshot, nearest first.

use super::layout::{FieldLayout, Kind, Layout, Layouts};
use super::shape::Shape;
use super::{Bounds, RawContent, RawItems, RawObject, RawValue};
use crate::control;
use crate::jni::Env;
use crate::natives;
use crate::value::{Double, Single, Value};
use jni_sys::{jobject, jvalue};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// What was read, with identity hashes for names.
#[derive(Debug)]
pub struct Snapshot {
    pub(super) root: RawValue,
    pub(super) objects: HashMap<i32, RawObject>,
}

/// What was seen of a value.
pub enum Seen {
    /// All of it: it is no object with an identity.
    Plain(Value),
    /// An object that was not looked into: its identity hash and its class.
    Identity(i32, Arc<str>),
    /// An object that was read.
    Graph(Snapshot),
}

/// Reads one value.
pub struct Reader<'r> {
    pub(super) env: Env,
    pub(super) layouts: &'r Layouts,
    pub(super) bounds: Bounds,
    /// Objects that are not looked into, by their identity hashes.
    known: &'r [i32],
    objects: HashMap<i32, RawObject>,
    /// Objects that were met and not read yet.
    waiting: VecDeque<(i32, jobject, Arc<Layout>)>,
    /// How many more values may be read.
    left: usize,
}

impl<'r> Reader<'r> {
    /// A reader of one value.
    pub fn new(env: Env, layouts: &'r Layouts, bounds: Bounds, known: &'r [i32]) -> Self {
        Reader { env, layouts, bounds, known, objects: HashMap::new(), waiting: VecDeque::new(), left: bounds.values }
    }

    /// Reads what a call gave; `letter` is the first of its descriptor.
    pub fn read(mut self, value: jvalue, letter: u8) -> Seen {
        if !matches!(letter, b'L' | b'[') {
            return Seen::Plain(primitive(value, letter));
        }
        let env = self.env;
        control::uncontrolled(|| {
            env.frame(|| {
                // SAFETY: the letter says that it is a reference.
                let root = match self.reference(unsafe { value.l }) {
                    RawValue::Plain(value) => return Seen::Plain(value),
                    root => root,
                };
                while let Some((hash, object, layout)) = self.waiting.pop_front() {
                    let content = self.content(object, &layout);
                    self.objects.get_mut(&hash).expect("internal bug: met before").content = content;
                }
                Seen::Graph(Snapshot { root, objects: self.objects })
            })
        })
    }

    /// The same, without looking into an object.
    pub fn identify(self, value: jvalue, letter: u8) -> Seen {
        if !matches!(letter, b'L' | b'[') {
            return Seen::Plain(primitive(value, letter));
        }
        control::uncontrolled(|| {
            self.env.frame(|| {
                // SAFETY: the letter says that it is a reference.
                let object = unsafe { value.l };
                match self.plain(object) {
                    Ok(value) => Seen::Plain(value),
                    Err(layout) => Seen::Identity(natives::identity_hash(self.env.raw(), object), layout.name.clone()),
                }
            })
        })
    }

    /// A reference as a value. An object is noted, to be read later.
    pub(super) fn reference(&mut self, object: jobject) -> RawValue {
        match self.plain(object) {
            Ok(value) => RawValue::Plain(value),
            Err(layout) => {
                let hash = natives::identity_hash(self.env.raw(), object);
                self.meet(hash, object, layout);
                RawValue::Object(hash)
            }
        }
    }

    /// A reference to what has no identity of its own, as a value; else the layout of the object.
    fn plain(&self, object: jobject) -> Result<Value, Arc<Layout>> {
        if object.is_null() {
            return Ok(Value::Null);
        }
        let layout = self.layouts.of(self.env, object);
        Ok(match &layout.kind {
            Kind::String => Value::String(self.env.text(object)),
            Kind::Class => Value::Class(super::layout::stable_name(&self.layouts.class_name(self.env, object))),
            Kind::Constant(class) => {
                let name = self.get_object(object, "name").map_or(String::new(), |name| self.env.text(name));
                Value::Constant { class: class.to_string(), name }
            }
            Kind::Boxed => match self.get(object, "value") {
                Some((value, letter)) => primitive(value, letter),
                None => Value::More,
            },
            Kind::Array(_) | Kind::Opaque | Kind::Object(_) => return Err(layout),
        })
    }

    fn meet(&mut self, hash: i32, object: jobject, layout: Arc<Layout>) {
        if self.objects.contains_key(&hash) {
            return;
        }
        let unread = matches!(layout.kind, Kind::Opaque) || self.known.contains(&hash);
        let content = if unread { RawContent::Unread } else { RawContent::More };
        self.objects.insert(hash, RawObject { class: layout.name.clone(), content });
        if !unread {
            self.waiting.push_back((hash, object, layout));
        }
    }

    fn content(&mut self, object: jobject, layout: &Layout) -> RawContent {
        if self.left == 0 {
            return RawContent::More;
        }
        let shape = match &layout.kind {
            Kind::Array(letter) => {
                let length = self.env.array_length(object);
                let items = self.array(object, *letter, 0..length);
                return RawContent::Read { fields: Vec::new(), items };
            }
            Kind::Object(shape) => *shape,
            _ => None,
        };
        let only: &[&str] = if let Some(Shape::Only(names)) = shape { names } else { &[] };
        let mut fields = Vec::new();
        for field in layout.fields.iter().filter(|field| field.shown || only.contains(&&*field.name)) {
            if !self.take() {
                fields.push((Arc::from("..."), RawValue::More));
                break;
            }
            let value = self.field_value(object, field);
            fields.push((field.name.clone(), value));
        }
        let items = shape.map_or(RawItems::None, |shape| self.items(object, shape));
        RawContent::Read { fields, items }
    }

    /// Uses up one of the values that may be read. False if there are none left.
    pub(super) fn take(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }

    fn field_value(&mut self, object: jobject, field: &FieldLayout) -> RawValue {
        let value = self.env.get_field(object, field.id, field.letter);
        self.value(value, field.letter)
    }

    pub(super) fn value(&mut self, value: jvalue, letter: u8) -> RawValue {
        match letter {
            // SAFETY: the letter says that it is a reference.
            b'L' | b'[' => self.reference(unsafe { value.l }),
            _ => RawValue::Plain(primitive(value, letter)),
        }
    }

    /// The field of an object, with the first letter of its descriptor.
    pub(super) fn get(&self, object: jobject, name: &str) -> Option<(jvalue, u8)> {
        let layout = self.layouts.of(self.env, object);
        let field = layout.field(name)?;
        Some((self.env.get_field(object, field.id, field.letter), field.letter))
    }

    /// The object in a field of an object; None for null.
    pub(super) fn get_object(&self, object: jobject, name: &str) -> Option<jobject> {
        match self.get(object, name)? {
            // SAFETY: the letter says that it is a reference.
            (value, b'L' | b'[') => Some(unsafe { value.l }).filter(|object| !object.is_null()),
            _ => None,
        }
    }

    /// The number in a field of an object.
    pub(super) fn get_int(&self, object: jobject, name: &str) -> Option<i32> {
        match self.get(object, name)? {
            // SAFETY: the letter says that it is an int.
            (value, b'I') => Some(unsafe { value.i }),
            _ => None,
        }
    }
}

/// A value that is no reference.
pub fn primitive(value: jvalue, letter: u8) -> Value {
    // SAFETY: the letter tells which member of the union was written.
    unsafe {
        match letter {
            b'Z' => Value::Boolean(value.z),
            b'B' => Value::Byte(value.b),
            b'C' => Value::Char(value.c),
            b'S' => Value::Short(value.s),
            b'I' => Value::Int(value.i),
            b'J' => Value::Long(value.j),
            b'F' => Value::Float(Single(value.f)),
            b'D' => Value::Double(Double(value.d)),
            _ => Value::Void,
        }
    }
}
