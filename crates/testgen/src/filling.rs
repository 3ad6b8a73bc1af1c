//! What collections and maps hold that were just made: an empty one shows little.

use classfile::TypeSignature;
use testcase::{Argument, Operation};

use crate::draft::Draft;
use crate::keys::Key;
use crate::learnt::{Choice, Name};
use crate::maker::{Arguments, DEEPEST, Maker, Wish};
use crate::types::{self, Bindings};

/// So many keys that code asks for are in a map, at the most.
const MOST_KEYS: usize = 8;
/// A test with a longer prefix gets no more of them.
const LONGEST: usize = 40;

impl Maker<'_> {
    /// Puts something into a collection, sometimes, which was made at that depth.
    pub fn fill(&mut self, draft: &mut Draft, number: usize, class: &str, wanted: &TypeSignature, depth: usize) {
        let TypeSignature::Class(of) = wanted else { return };
        let of_map = self.library.is_subtype(class, "java/util/Map");
        if !of_map && !self.library.is_subtype(class, "java/util/Collection") {
            return;
        }
        let mut elements: Vec<TypeSignature> =
            types::arguments(of).iter().map(|argument| types::standing(argument, &Bindings::new())).collect();
        elements.resize(if of_map { 2 } else { 1 }, types::class("java/lang/Object"));
        let filled = Choice { place: Name::of(("fill", class)), what: Name::of("filled") };
        if self.learnt.weight(filled) < 0.5 {
            return;
        }
        if of_map && self.fill_keys(draft, number, class, &elements, depth, filled) || self.rng.one_in(3) {
            return;
        }
        for _ in 0..1 + self.rng.below(2) {
            let mut arguments = Arguments::default();
            for (parameter, element) in elements.iter().enumerate() {
                let place = Name::of(("fill", class, parameter));
                let (value, choice) = self.value(
                    draft,
                    Wish {
                        wanted: element,
                        place,
                        depth: DEEPEST,
                        rather: None,
                        of: None,
                        is_receiver: false,
                        asked: None,
                    },
                );
                arguments.values.push(value);
                arguments.choices.push(choice);
            }
            arguments.choices.push(filled);
            self.push(draft, putting(of_map, number), arguments, None);
        }
    }

    /// Puts into a map what is asked for under the keys that the class under test knows, or the map's own; says whether it did. Whoever
    /// asks for one key mostly needs others, too, so most of the time it has all.
    fn fill_keys(
        &mut self,
        draft: &mut Draft,
        number: usize,
        class: &str,
        elements: &[TypeSignature],
        depth: usize,
        filled: Choice,
    ) -> bool {
        let takes_text = self.library.fits(&types::class("java/lang/String"), &elements[0]);
        if !takes_text || depth >= DEEPEST || self.rng.one_in(4) {
            return false;
        }
        let own = self.library.keys(class);
        let mut keys: Vec<Key> = own.iter().chain(&self.keys).cloned().collect();
        while keys.len() > MOST_KEYS {
            keys.swap_remove(self.rng.below(keys.len()));
        }
        let has_all = !self.rng.one_in(3);
        keys.retain(|_| has_all || self.rng.one_in(2));
        let mut is_filled = false;
        for key in &keys {
            if draft.prefix.len() > LONGEST {
                break;
            }
            let of = key.of.as_ref().filter(|of| self.library.fits(of, &elements[1]));
            let place = Name::of(("fill", class, "under", &key.text));
            let wish = Wish {
                wanted: of.unwrap_or(&elements[1]),
                place,
                depth: depth + 1,
                rather: None,
                of: None,
                is_receiver: false,
                asked: None,
            };
            let (value, choice) = self.value(draft, wish);
            // That is what a map without the key says, too.
            if value == Argument::Null {
                continue;
            }
            let arguments =
                Arguments { values: vec![Argument::String(key.text.clone()), value], choices: vec![choice, filled] };
            self.push(draft, putting(true, number), arguments, None);
            is_filled = true;
        }
        is_filled
    }
}

/// Adds to a collection, or puts into a map.
fn putting(of_map: bool, number: usize) -> Operation {
    let (class, name, descriptor) = match of_map {
        true => ("java/util/Map", "put", "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;"),
        false => ("java/util/Collection", "add", "(Ljava/lang/Object;)Z"),
    };
    let receiver = Argument::Value(number);
    Operation::Virtual { class: class.into(), name: name.into(), descriptor: descriptor.into(), receiver }
}
