//! What an execution has shown, as the oracle wants it: values without what only tells one execution from another.
//!
//! Objects that the prefix gave are known by their numbers. All others are compared by what they hold and not by which
//! object they are: a view that is made twice because two threads asked for it at once is no violation. Objects of the JDK
//! other than collections and plain values keep books in their fields, so only their class is compared; and nothing is
//! known of an object that more than one call gave, for it may have changed in between.

use std::collections::{HashMap, HashSet};

use explore::End;
use host::{CallResult, Content, Execution, Items, Object, Stop, Value};
use oracle::{Ended, Given, Kind, Observation};

/// A value that a call returned.
#[derive(Clone, PartialEq, Debug)]
pub struct Seen {
    value: Value,
    kind: Kind,
}

impl Given for Seen {
    fn kind(&self) -> Kind {
        self.kind
    }

    fn is_nothing(&self) -> bool {
        matches!(self.value, Value::Null | Value::Boolean(false))
    }
}

/// What an execution that ended so has shown. With `must_end`, threads that are left waiting count as stuck.
pub fn observe(execution: &Execution, end: End, must_end: bool) -> Observation<Seen> {
    let of_prefix = execution.prefix.iter().filter_map(returned).flat_map(numbers).max().map_or(0, |most| most + 1);
    let shared = shared(execution, of_prefix);
    let ended = |result: &CallResult| match result {
        CallResult::Returned(value) => Ended::Returned(see(value, of_prefix, &shared)),
        CallResult::Threw(thrown) => Ended::Threw(thrown.class.clone()),
        CallResult::CutOff => Ended::CutOff,
    };
    let all = |results: &Vec<CallResult>| results.iter().map(ended).collect();
    Observation {
        prefix: all(&execution.prefix),
        suffixes: execution.suffixes.iter().map(all).collect(),
        probes: all(&execution.probes),
        uncaught: execution.uncaught.iter().map(|(_, thrown)| thrown.class.clone()).collect(),
        stuck: matches!(execution.stop, Some(Stop::Deadlock(_)))
            || must_end && execution.left.iter().any(|blocked| !blocked.daemon),
        endless: end == End::Cut && !matches!(execution.stop, Some(Stop::Exit(_))),
    }
}

fn returned(result: &CallResult) -> Option<&Value> {
    match result {
        CallResult::Returned(value) => Some(value),
        _ => None,
    }
}

/// The numbers of objects that more than one call gave, the prefix aside.
fn shared(execution: &Execution, of_prefix: u32) -> HashSet<u32> {
    let (mut first, mut shared) = (HashMap::new(), HashSet::new());
    let results = execution.suffixes.iter().flatten().chain(&execution.probes).filter_map(returned);
    for (result, value) in results.enumerate() {
        for number in numbers(value).into_iter().filter(|&number| number >= of_prefix) {
            if *first.entry(number).or_insert(result) != result {
                shared.insert(number);
            }
        }
    }
    shared
}

/// The numbers of all objects in a value.
fn numbers(value: &Value) -> Vec<u32> {
    let mut numbers = Vec::new();
    walk(value, &mut |object| numbers.push(object.number));
    numbers
}

fn walk(value: &Value, visit: &mut dyn FnMut(&Object)) {
    let Value::Object(object) = value else { return };
    visit(object);
    if let Content::Read { fields, items } = &object.content {
        fields.iter().for_each(|(_, value)| walk(value, visit));
        match items {
            Items::None | Items::Text(_) => {}
            Items::Elements(values) => values.iter().for_each(|value| walk(value, visit)),
            Items::Entries(entries) => entries.iter().for_each(|(key, value)| {
                walk(key, visit);
                walk(value, visit);
            }),
        }
    }
}

fn see(value: &Value, of_prefix: u32, shared: &HashSet<u32>) -> Seen {
    let kind = match value {
        Value::Object(object) => kind_of(value, object, of_prefix, shared),
        Value::More | Value::Again(_) => Kind::Unknown,
        _ => Kind::Scalar,
    };
    Seen { value: Telling { of_prefix, numbers: HashMap::new() }.value(value), kind }
}

fn kind_of(value: &Value, object: &Object, of_prefix: u32, shared: &HashSet<u32>) -> Kind {
    if object.content == Content::Unread {
        return if object.number < of_prefix { Kind::Scalar } else { Kind::Unknown };
    }
    let mut is_lazy = false;
    walk(value, &mut |object| is_lazy |= stands_for_more(&object.class));
    let is_shared = numbers(value).iter().any(|number| shared.contains(number));
    if is_lazy || is_shared || !value.is_whole() { Kind::Unknown } else { Kind::Aggregate }
}

/// Whether objects of a class stand for what they will give.
fn stands_for_more(class: &str) -> bool {
    ["Iterator", "Itr", "Spliterator", "Enumeration", "Enumerator", "Stream", "Pipeline"]
        .iter()
        .any(|lazy| class.rsplit(['.', '$']).next().is_some_and(|name| name.contains(lazy)))
}

/// Whether the fields of a class of the JDK are its value.
fn is_plain(class: &str) -> bool {
    let is_of_jdk = ["java.", "javax.", "jdk.", "sun.", "com.sun."].iter().any(|jdk| class.starts_with(jdk));
    let plain = ["java.math.", "java.time.", "java.util.Optional", "java.util.Date", "java.util.UUID"];
    !is_of_jdk || plain.iter().any(|plain| class.starts_with(plain))
}

/// One value with numbers of its own for objects that the prefix did not give.
struct Telling {
    of_prefix: u32,
    numbers: HashMap<u32, u32>,
}

impl Telling {
    fn number(&mut self, number: u32) -> u32 {
        if number < self.of_prefix {
            return number;
        }
        let next = self.of_prefix + self.numbers.len() as u32;
        *self.numbers.entry(number).or_insert(next)
    }

    fn value(&mut self, value: &Value) -> Value {
        match value {
            Value::Object(object) => {
                let number = self.number(object.number);
                let content = self.content(object);
                Value::Object(Box::new(Object { class: object.class.clone(), number, content }))
            }
            Value::Again(number) => Value::Again(self.number(*number)),
            other => other.clone(),
        }
    }

    fn content(&mut self, object: &Object) -> Content {
        let Content::Read { fields, items } = &object.content else { return object.content.clone() };
        let items = match items {
            Items::None if !is_plain(&object.class) => return Content::Unread,
            Items::None => Items::None,
            Items::Text(text) => Items::Text(text.clone()),
            Items::Elements(values) => Items::Elements(values.iter().map(|value| self.value(value)).collect()),
            Items::Entries(entries) => {
                Items::Entries(entries.iter().map(|(key, value)| (self.value(key), self.value(value))).collect())
            }
        };
        let fields = fields.iter().map(|(name, value)| (name.clone(), self.value(value))).collect();
        Content::Read { fields, items }
    }
}
