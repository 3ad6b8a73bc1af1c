//! What collections hold, read as their shapes say.
//!
//! Collections that threads have damaged are read too, such as a list that leads back into itself: the bounds end it.

use super::layout::Kind;
use super::read::Reader;
use super::shape::Shape;
use super::{Order, RawItems, RawValue};
use jni_sys::jobject;
use std::ops::Range;

/// More buckets than this are not looked into: nearly all would be empty.
const MAX_BUCKETS: usize = 1 << 16;

impl Reader<'_> {
    /// What a collection of that shape holds.
    pub(super) fn items(&mut self, object: jobject, shape: &Shape) -> RawItems {
        let order = |sorted: bool| if sorted { Order::None } else { Order::Own };
        match *shape {
            Shape::Array { array, count, sorted } => {
                let Some(array) = self.get_object(object, array) else { return elements(vec![], Order::Own) };
                let length = self.env.array_length(array);
                let end = count.and_then(|count| self.get_int(object, count)).map_or(length, |n| n.max(0) as usize);
                match self.array(array, b'L', 0..end.min(length)) {
                    RawItems::Elements { mut values, .. } => {
                        if sorted && count.is_none() {
                            values.retain(|value| !is_null(value));
                        }
                        RawItems::Elements { values, order: order(sorted) }
                    }
                    other => other,
                }
            }
            Shape::Ring { array, first, end, count } => self.ring(object, array, first, end, count),
            Shape::Chain { first, next, item, nulls } => {
                let mut values = Vec::new();
                self.for_each_node(object, first, next, |reader, node| match reader.get_object(node, item) {
                    // A node that was removed from a concurrent queue points to itself.
                    Some(item) if reader.env.same(item, node) => true,
                    Some(item) => reader.add(&mut values, item),
                    None => !nulls || reader.add(&mut values, std::ptr::null_mut()),
                });
                elements(values, Order::Own)
            }
            Shape::Entries { first, next, key, value } => {
                let mut entries = Vec::new();
                self.for_each_node(object, first, next, |reader, node| {
                    reader.add_entry(&mut entries, node, key, value)
                });
                RawItems::Entries { entries, order: Order::Own }
            }
            Shape::Buckets { key, value } => {
                let mut entries = Vec::new();
                let table = self.get_object(object, "table");
                self.buckets(table, &mut entries, key, value, true);
                RawItems::Entries { entries, order: Order::None }
            }
            Shape::Tree => self.tree(object),
            Shape::Pairs { table } => self.pairs(object, table),
            Shape::Few { elements: names, sorted } => {
                let items = names.iter().filter_map(|name| self.get_object(object, name)).collect::<Vec<_>>();
                let empty = self.immutable_empty();
                let items = items.into_iter().filter(|&item| empty.is_none_or(|empty| !self.env.same(item, empty)));
                let items = items.collect::<Vec<_>>();
                elements(items.into_iter().map(|item| self.reference(item)).collect(), order(sorted))
            }
            Shape::OneEntry { key, value } => {
                let mut entries = Vec::new();
                self.add_entry(&mut entries, object, key, value);
                RawItems::Entries { entries, order: Order::Own }
            }
            Shape::Keys { map } => match self.inner(object, map) {
                RawItems::Entries { entries, order } => {
                    elements(entries.into_iter().map(|(key, _)| key).collect(), order)
                }
                other => other,
            },
            Shape::Inner { of } => self.inner(object, of),
            Shape::Text => RawItems::Text(self.text(object).unwrap_or_default()),
            Shape::Only(_) => RawItems::None,
        }
    }

    /// Elements of an array; `letter` is the first of their descriptor.
    pub(super) fn array(&mut self, array: jobject, letter: u8, range: Range<usize>) -> RawItems {
        let mut values = Vec::new();
        for index in range {
            if values.len() == self.bounds.elements || !self.take() {
                values.push(RawValue::More);
                break;
            }
            let value = match letter {
                b'L' | b'[' => {
                    let element = self.env.element(array, index);
                    self.reference(element)
                }
                _ => self.value(self.env.primitive_element(array, index, letter), letter),
            };
            values.push(value);
        }
        elements(values, Order::Own)
    }

    fn ring(&mut self, object: jobject, array: &str, first: &str, end: Option<&str>, count: Option<&str>) -> RawItems {
        let mut values = Vec::new();
        if let (Some(array), Some(first)) = (self.get_object(object, array), self.get_int(object, first)) {
            let (length, first) = (self.env.array_length(array), first.max(0) as usize);
            let int = |name: Option<&str>| name.and_then(|name| self.get_int(object, name)).map(|n| n.max(0) as usize);
            let count = match (int(end), int(count)) {
                (Some(end), _) => (end + length).saturating_sub(first) % length.max(1),
                (None, count) => count.unwrap_or(0),
            };
            for offset in 0..count.min(length) {
                let element = self.env.element(array, (first + offset) % length);
                if !self.add(&mut values, element) {
                    break;
                }
            }
        }
        elements(values, Order::Own)
    }

    /// Adds an element. False once there is no room for more.
    fn add(&mut self, values: &mut Vec<RawValue>, item: jobject) -> bool {
        if values.len() == self.bounds.elements || !self.take() {
            values.push(RawValue::More);
            return false;
        }
        values.push(self.reference(item));
        true
    }

    /// Adds the entry of a node, unless it has none. False once there is no room for more.
    fn add_entry(&mut self, entries: &mut Vec<(RawValue, RawValue)>, node: jobject, key: &str, value: &str) -> bool {
        // Concurrent maps have no null values: such a node was removed, or only marks a place.
        if value == "val" && self.get_object(node, value).is_none() {
            return true;
        }
        let Some(((key, key_letter), (value, value_letter))) = self.get(node, key).zip(self.get(node, value)) else {
            return true;
        };
        if entries.len() == self.bounds.elements || !self.take() {
            entries.push((RawValue::More, RawValue::More));
            return false;
        }
        let entry = (self.value(key, key_letter), self.value(value, value_letter));
        entries.push(entry);
        true
    }

    /// Shows nodes one after the other, as long as `see` goes on.
    fn for_each_node(
        &mut self,
        object: jobject,
        first: &[&str],
        next: &str,
        mut see: impl FnMut(&mut Self, jobject) -> bool,
    ) {
        let mut node = first.iter().try_fold(object, |object, name| self.get_object(object, name));
        // Nodes without an item do not count as elements, so they are counted here.
        let mut left = self.bounds.elements * 2 + 2;
        while let Some(at) = node
            && left > 0
            && see(self, at)
        {
            left -= 1;
            node = self.get_object(at, next);
        }
    }

    fn buckets(
        &mut self,
        table: Option<jobject>,
        entries: &mut Vec<(RawValue, RawValue)>,
        key: &str,
        value: &str,
        may_move: bool,
    ) {
        let Some(table) = table else { return };
        let mut moved_to = None;
        for index in 0..self.env.array_length(table).min(MAX_BUCKETS) {
            let mut node = Some(self.env.element(table, index)).filter(|node| !node.is_null());
            let mut left = self.bounds.elements + 1;
            while let Some(at) = node {
                // The nodes of a concurrent map that hold no entry say where entries are, by other fields.
                if let Some(moved) = self.get_object(at, "nextTable") {
                    moved_to = Some(moved);
                    break;
                }
                if let Some(first) = self.get_object(at, "first") {
                    node = Some(first);
                    continue;
                }
                if left == 0 {
                    entries.push((RawValue::More, RawValue::More));
                    return;
                }
                if !self.add_entry(entries, at, key, value) {
                    return;
                }
                left -= 1;
                node = self.get_object(at, "next");
            }
        }
        if self.env.array_length(table) > MAX_BUCKETS {
            entries.push((RawValue::More, RawValue::More));
        }
        if may_move && moved_to.is_some() {
            self.buckets(moved_to, entries, key, value, false);
        }
    }

    /// The entries of a `TreeMap` in order.
    fn tree(&mut self, object: jobject) -> RawItems {
        let (mut entries, mut above) = (Vec::new(), Vec::new());
        let mut node = self.get_object(object, "root");
        loop {
            while let Some(at) = node {
                // No tree that is in order is so deep.
                if above.len() > self.bounds.elements {
                    entries.push((RawValue::More, RawValue::More));
                    return RawItems::Entries { entries, order: Order::Own };
                }
                above.push(at);
                node = self.get_object(at, "left");
            }
            let Some(at) = above.pop() else { break };
            if !self.add_entry(&mut entries, at, "key", "value") {
                break;
            }
            node = self.get_object(at, "right");
        }
        RawItems::Entries { entries, order: Order::Own }
    }

    fn pairs(&mut self, object: jobject, table: &str) -> RawItems {
        let mut entries = Vec::new();
        if let Some(table) = self.get_object(object, table) {
            for index in (0..self.env.array_length(table).min(MAX_BUCKETS)).step_by(2) {
                let (key, value) = (self.env.element(table, index), self.env.element(table, index + 1));
                if key.is_null() {
                    continue;
                }
                if entries.len() == self.bounds.elements || !self.take() {
                    entries.push((RawValue::More, RawValue::More));
                    break;
                }
                entries.push((self.reference(key), self.reference(value)));
            }
        }
        RawItems::Entries { entries, order: Order::None }
    }

    /// What a collection inside another holds.
    fn inner(&mut self, object: jobject, field: &str) -> RawItems {
        let Some(inner) = self.get_object(object, field) else { return RawItems::None };
        match self.layouts.of(self.env, inner).kind {
            Kind::Object(Some(shape)) => self.items(inner, shape),
            // A view of another collection, say: then it is one element.
            _ => elements(vec![self.reference(inner)], Order::Own),
        }
    }

    /// What stands for no element in a list of one.
    fn immutable_empty(&self) -> Option<jobject> {
        let class = self.env.find_class("java/util/ImmutableCollections");
        let field = class.and_then(|class| self.env.static_field(class, "EMPTY", "Ljava/lang/Object;"));
        self.env.take_exception();
        // SAFETY: the field is a reference.
        Some(unsafe { self.env.get_static(class?, field?, b'L').l }).filter(|empty| !empty.is_null())
    }

    /// The text of a string buffer: Latin-1 or UTF-16 in the machine's byte order, as its coder says.
    fn text(&mut self, object: jobject) -> Option<String> {
        let bytes = self.get_object(object, "value")?;
        let count = self.get_int(object, "count")?.max(0) as usize;
        let (coder, _) = self.get(object, "coder")?;
        // SAFETY: the field is a byte.
        let wide = unsafe { coder.b } != 0;
        let length = (count * (1 + wide as usize)).min(self.env.array_length(bytes));
        let bytes = self.env.bytes(bytes, length);
        let units: Vec<u16> = match wide {
            true => bytes.chunks_exact(2).map(|pair| u16::from_ne_bytes([pair[0], pair[1]])).collect(),
            false => bytes.into_iter().map(u16::from).collect(),
        };
        Some(String::from_utf16_lossy(&units))
    }
}

fn elements(values: Vec<RawValue>, order: Order) -> RawItems {
    RawItems::Elements { values, order }
}

fn is_null(value: &RawValue) -> bool {
    matches!(value, RawValue::Plain(crate::value::Value::Null))
}
