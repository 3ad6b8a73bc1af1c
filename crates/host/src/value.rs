//! Values that calls gave, as graphs that can be compared and printed.
//!
//! Two values are equal if code could not tell them apart by content and identity, as far as they were read: objects
//! that are the same have the same number in all results of an execution. Numbers go by first sight in the results, in the
//! order prefix, suffixes, probes, and so are the same for the same results whatever the schedule was.

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// A value that a call returned. Boxed values are shown as what is in the box.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Value {
    Void,
    Null,
    Boolean(bool),
    Byte(i8),
    Char(u16),
    Short(i16),
    Int(i32),
    Long(i64),
    Float(Single),
    Double(Double),
    String(String),
    /// The class itself, by its name.
    Class(String),
    /// A constant of an enum.
    Constant {
        class: String,
        name: String,
    },
    Object(Box<Object>),
    /// An object that was shown before in the same result.
    Again(u32),
    /// There is more here than was read.
    More,
}

/// An object or array.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Object {
    /// Its class: `java.util.ArrayList`, `[I`.
    pub class: String,
    /// Tells it from others: the same number is the same object.
    pub number: u32,
    /// What is in it.
    pub content: Content,
}

/// What is in an object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Content {
    /// Not looked into: the prefix gave it, so that others may be changing it right now; or it is of a class that the
    /// virtual machine stands on, such as `Thread`.
    Unread,
    /// Not looked into, because enough was read.
    More,
    /// What was read.
    Read {
        /// Its fields, those of superclasses first.
        fields: Vec<(String, Value)>,
        /// What it holds besides, if it is an array or a collection of the JDK.
        items: Items,
    },
}

/// What an array or a collection of the JDK holds. Where the collection has no order of its own, it is sorted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Items {
    /// It is none.
    None,
    /// The elements.
    Elements(Vec<Value>),
    /// Keys with their values.
    Entries(Vec<(Value, Value)>),
    /// The text of a string buffer.
    Text(String),
}

/// A `float`: equal as `Float.equals` has it, so that NaN is itself.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Single(pub f32);

/// A `double`, likewise.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Double(pub f64);

macro_rules! compare_as_java_does {
    ($name:ident, $of:ident) => {
        impl Ord for $name {
            fn cmp(&self, other: &Self) -> Ordering {
                let one_nan = |value: $of| if value.is_nan() { $of::NAN.abs() } else { value };
                one_nan(self.0).total_cmp(&one_nan(other.0))
            }
        }

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.cmp(other) == Ordering::Equal
            }
        }

        impl Eq for $name {}
    };
}

compare_as_java_does!(Single, f32);
compare_as_java_does!(Double, f64);

impl Value {
    /// Whether all of it was read. Two values that are not whole may be equal here and differ where nobody looked.
    pub fn is_whole(&self) -> bool {
        match self {
            Value::More => false,
            Value::Object(object) => match &object.content {
                Content::Unread => true,
                Content::More => false,
                Content::Read { fields, items } => {
                    fields.iter().all(|(_, value)| value.is_whole())
                        && match items {
                            Items::None | Items::Text(_) => true,
                            Items::Elements(values) => values.iter().all(Value::is_whole),
                            Items::Entries(entries) => entries.iter().all(|(k, v)| k.is_whole() && v.is_whole()),
                        }
                }
            },
            _ => true,
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Void => f.write_str("void"),
            Value::Null => f.write_str("null"),
            Value::Boolean(z) => write!(f, "{z}"),
            Value::Byte(b) => write!(f, "{b}"),
            Value::Char(c) => write!(f, "{:?}", char::from_u32(*c as u32).unwrap_or(char::REPLACEMENT_CHARACTER)),
            Value::Short(s) => write!(f, "{s}"),
            Value::Int(i) => write!(f, "{i}"),
            Value::Long(j) => write!(f, "{j}"),
            Value::Float(value) => write!(f, "{:?}", value.0),
            Value::Double(value) => write!(f, "{:?}", value.0),
            Value::String(text) => write!(f, "{text:?}"),
            Value::Class(name) => write!(f, "{name}.class"),
            Value::Constant { class, name } => write!(f, "{class}.{name}"),
            Value::Object(object) => object.fmt(f),
            Value::Again(number) => write!(f, "#{number}"),
            Value::More => f.write_str("..."),
        }
    }
}

impl std::fmt::Display for Object {
    /// Class and number, fields in braces, elements in brackets: `Stack#0{limit=3}["a", #0]`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}#{}", self.class, self.number)?;
        let (fields, items) = match &self.content {
            Content::Unread => return Ok(()),
            Content::More => return f.write_str("{...}"),
            Content::Read { fields, items } => (fields, items),
        };
        let separate = |f: &mut std::fmt::Formatter<'_>, i: usize| f.write_str(if i == 0 { "" } else { ", " });
        if !fields.is_empty() || *items == Items::None {
            f.write_str("{")?;
            for (i, (name, value)) in fields.iter().enumerate() {
                separate(f, i)?;
                write!(f, "{name}={value}")?;
            }
            f.write_str("}")?;
        }
        match items {
            Items::None => Ok(()),
            Items::Text(text) => write!(f, "{text:?}"),
            Items::Elements(values) => {
                f.write_str("[")?;
                for (i, value) in values.iter().enumerate() {
                    separate(f, i)?;
                    value.fmt(f)?;
                }
                f.write_str("]")
            }
            Items::Entries(entries) => {
                f.write_str("[")?;
                for (i, (key, value)) in entries.iter().enumerate() {
                    separate(f, i)?;
                    write!(f, "{key}: {value}")?;
                }
                f.write_str("]")
            }
        }
    }
}
