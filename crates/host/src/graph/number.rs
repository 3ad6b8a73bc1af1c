//! Numbers for the objects of an execution's results, by first sight.

use super::{Bounds, Order, RawContent, RawItems, RawValue, Snapshot};
use crate::value::{Content, Items, Object, Value};
use std::collections::{HashMap, HashSet};

/// The numbers that were given so far. One value serves the results of one execution, in their fixed order.
#[derive(Debug, Default)]
pub struct Numbering {
    numbers: HashMap<i32, u32>,
}

impl Numbering {
    /// The value that was read, its objects with numbers.
    pub fn number(&mut self, snapshot: &Snapshot, bounds: Bounds) -> Value {
        Telling { snapshot, numbering: self, told: HashSet::new(), bounds }.value(&snapshot.root, 0)
    }

    /// An object that was not looked into, with its number.
    pub fn identify(&mut self, hash: i32, class: &str) -> Value {
        let number = self.number_of(hash);
        Value::Object(Box::new(Object { class: class.to_owned(), number, content: Content::Unread }))
    }

    fn number_of(&mut self, hash: i32) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry(hash).or_insert(next)
    }
}

/// One result that is being told.
struct Telling<'t> {
    snapshot: &'t Snapshot,
    numbering: &'t mut Numbering,
    told: HashSet<i32>,
    bounds: Bounds,
}

impl Telling<'_> {
    fn value(&mut self, value: &RawValue, depth: usize) -> Value {
        let hash = match value {
            RawValue::Plain(value) => return value.clone(),
            RawValue::More => return Value::More,
            RawValue::Object(hash) => *hash,
        };
        let number = self.numbering.number_of(hash);
        if !self.told.insert(hash) {
            return Value::Again(number);
        }
        let object = &self.snapshot.objects[&hash];
        let content = match &object.content {
            RawContent::Unread => Content::Unread,
            RawContent::Read { .. } if depth >= self.bounds.depth => Content::More,
            RawContent::More => Content::More,
            RawContent::Read { fields, items } => {
                let fields = fields.iter().map(|(name, value)| (name.to_string(), self.value(value, depth + 1)));
                Content::Read { fields: fields.collect(), items: self.items(items, depth + 1) }
            }
        };
        Value::Object(Box::new(Object { class: object.class.to_string(), number, content }))
    }

    fn items(&mut self, items: &RawItems, depth: usize) -> Items {
        match items {
            RawItems::None => Items::None,
            RawItems::Text(text) => Items::Text(text.clone()),
            RawItems::Elements { values, order: Order::Own } => {
                Items::Elements(values.iter().map(|value| self.value(value, depth)).collect())
            }
            RawItems::Elements { values, order: Order::None } => {
                let mut values: Vec<_> = values.iter().collect();
                values.sort_by_cached_key(|value| self.rank(value));
                Items::Elements(values.into_iter().map(|value| self.value(value, depth)).collect())
            }
            RawItems::Entries { entries, order } => {
                let mut entries: Vec<_> = entries.iter().collect();
                if *order == Order::None {
                    entries.sort_by_cached_key(|(key, value)| (self.rank(key), self.rank(value)));
                }
                let told = entries.into_iter().map(|(key, of)| (self.value(key, depth), self.value(of, depth)));
                Items::Entries(told.collect())
            }
        }
    }

    /// What sorts values that have no order of their own: their content, then the numbers that they have already.
    fn rank(&self, value: &RawValue) -> (Value, u32) {
        let number = match value {
            RawValue::Object(hash) => self.numbering.numbers.get(hash).copied(),
            _ => None,
        };
        (self.likeness(value, RANK_DEPTH), number.unwrap_or(u32::MAX))
    }

    /// A value without the identity of its objects.
    fn likeness(&self, value: &RawValue, depth: usize) -> Value {
        let object = match value {
            RawValue::Plain(value) => return value.clone(),
            RawValue::More => return Value::More,
            RawValue::Object(hash) => &self.snapshot.objects[hash],
        };
        let content = match &object.content {
            RawContent::Read { fields, items } if depth > 0 => {
                let like = |value: &RawValue| self.likeness(value, depth - 1);
                let fields = fields.iter().map(|(name, value)| (name.to_string(), like(value))).collect();
                let items = match items {
                    RawItems::Text(text) => Items::Text(text.clone()),
                    RawItems::Elements { values, order: Order::Own } => {
                        Items::Elements(values.iter().take(RANK_ELEMENTS).map(like).collect())
                    }
                    _ => Items::None,
                };
                Content::Read { fields, items }
            }
            _ => Content::Unread,
        };
        Value::Object(Box::new(Object { class: object.class.to_string(), number: 0, content }))
    }
}

/// How deep, and how many elements, are looked at to sort.
const RANK_DEPTH: usize = 3;
const RANK_ELEMENTS: usize = 10;

#[cfg(test)]
mod tests {
    use super::super::RawObject;
    use super::*;

    fn snapshot(root: i32, objects: Vec<(i32, RawItems)>) -> Snapshot {
        let object = |(hash, items)| {
            let content = RawContent::Read { fields: vec![], items };
            (hash, RawObject { class: "C".into(), content })
        };
        Snapshot { root: RawValue::Object(root), objects: objects.into_iter().map(object).collect() }
    }

    fn bag(hashes: &[i32]) -> RawItems {
        RawItems::Elements { values: hashes.iter().map(|&hash| RawValue::Object(hash)).collect(), order: Order::None }
    }

    fn text(text: &str) -> RawItems {
        RawItems::Text(text.into())
    }

    #[test]
    fn numbers_follow_the_order_of_results_and_not_the_hashes() {
        let told = |a: i32, b: i32| {
            let mut numbering = Numbering::default();
            let first = numbering.number(&snapshot(a, vec![(a, text("a"))]), Bounds::default());
            let second = numbering.number(&snapshot(b, vec![(b, bag(&[a, b])), (a, text("a"))]), Bounds::default());
            (first.to_string(), second.to_string())
        };
        assert_eq!(told(7, 3), ("C#0\"a\"".into(), "C#1[#1, C#0\"a\"]".into()));
        assert_eq!(told(3, 7), told(7, 3));
    }

    #[test]
    fn what_has_no_order_is_sorted_by_content_and_then_by_earlier_numbers() {
        let told = |order: [i32; 3]| {
            let mut numbering = Numbering::default();
            numbering.number(&snapshot(2, vec![(2, text("x"))]), Bounds::default());
            let objects = vec![(9, bag(&order)), (1, text("x")), (2, text("x")), (3, text("a"))];
            numbering.number(&snapshot(9, objects), Bounds::default()).to_string()
        };
        assert_eq!(told([1, 2, 3]), "C#1[C#2\"a\", C#0\"x\", C#3\"x\"]");
        assert_eq!(told([2, 3, 1]), told([1, 2, 3]));
    }

    #[test]
    fn what_is_too_deep_is_more() {
        let next = |hash: i32| RawItems::Elements { values: vec![RawValue::Object(hash)], order: Order::Own };
        let chain = snapshot(0, vec![(0, next(1)), (1, next(2)), (2, next(0))]);
        let bounds = Bounds { depth: 2, ..Bounds::default() };
        let value = Numbering::default().number(&chain, bounds);
        assert_eq!((value.to_string().as_str(), value.is_whole()), ("C#0[C#1[C#2{...}]]", false));
        let value = Numbering::default().number(&chain, Bounds::default());
        assert_eq!((value.to_string().as_str(), value.is_whole()), ("C#0[C#1[C#2[#0]]]", true));
    }
}
