//! The constant pool: the table of names, types and values that the rest of a class file points into.
//!
//! It grows at its end only. What was read keeps its number and its bytes, so nothing that points into
//! the pool ever has to be renumbered, and writing it is a copy. Constants that are added are shared with
//! each other but not with those that were read: looking for one among those would cost more than the
//! few bytes that it saves.

use crate::bytes::{Put, Reader};
use crate::constant::{Constant, Index, Kind, kind};
use crate::descriptor::{MethodDescriptor, TypeDescriptor};
use crate::error::{Overflow, ParseError, ParseErrorKind};
use crate::java_str::{self, JavaStr};
use std::collections::HashMap;

/// The constants of a class file.
#[derive(Clone, Debug)]
pub struct ConstantPool<'a> {
    /// The entries as they were read.
    read: &'a [u8],
    /// The entries added since.
    added: Vec<u8>,
    /// Where each entry's tag is in `read` followed by `added`; [`NO_ENTRY`] for entry 0 and for the
    /// second half of a long or double.
    places: Vec<u32>,
    /// Each added entry by its bytes.
    known: HashMap<Box<[u8]>, u16>,
}

const NO_ENTRY: u32 = u32::MAX;
/// The tag of a method of an interface.
const INTERFACE_METHOD: u8 = 11;

/// A field or method that an instruction names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MemberRef<'p> {
    /// The class it is looked up in, as a class constant names it: `java/util/Vector`, or an array type.
    pub class: JavaStr<'p>,
    /// Its name.
    pub name: JavaStr<'p>,
    /// Its descriptor.
    pub descriptor: JavaStr<'p>,
    /// Whether `class` is an interface (methods only).
    pub interface: bool,
}

/// Looking up.
impl<'a> ConstantPool<'a> {
    /// How many entries there are, with entry 0, which is never used.
    pub fn len(&self) -> u16 {
        self.places.len() as u16
    }

    /// Whether no constant was ever added.
    pub fn is_empty(&self) -> bool {
        self.places.len() <= 1
    }

    /// The numbers of all entries that hold a constant.
    pub fn numbers(&self) -> impl Iterator<Item = u16> {
        (1..self.len()).filter(|&i| self.places[i as usize] != NO_ENTRY)
    }

    /// The constant with that number. None where there is none.
    pub fn get(&self, number: u16) -> Option<Constant<'_>> {
        let tag = self.tag(number)?;
        Some(self.decode(tag, self.content(number)))
    }

    /// The number as a typed index, if such a constant is there.
    #[inline]
    pub fn index<K: Kind>(&self, number: u16) -> Option<Index<K>> {
        if K::accepts(self.tag(number)?) { Index::unchecked(number) } else { None }
    }

    /// The text.
    pub fn utf8(&self, index: Index<kind::Utf8>) -> JavaStr<'_> {
        JavaStr::checked(&self.content(index.raw())[2..][..self.half(index.raw(), 0) as usize])
    }

    /// The name of a class as the pool holds it: `java/lang/String`, `[I`.
    pub fn class_name(&self, index: Index<kind::Class>) -> JavaStr<'_> {
        self.text_at(index.raw(), 0)
    }

    /// A field with its class, name and descriptor.
    pub fn field(&self, index: Index<kind::FieldRef>) -> MemberRef<'_> {
        self.member_at(index.raw())
    }

    /// A method with its class, name and descriptor.
    pub fn method(&self, index: Index<kind::MethodRef>) -> MemberRef<'_> {
        self.member_at(index.raw())
    }

    /// Whether the method is one of an interface.
    pub(crate) fn is_interface_method(&self, index: Index<kind::MethodRef>) -> bool {
        self.tag(index.raw()) == Some(INTERFACE_METHOD)
    }

    /// What a method handle names.
    pub fn member(&self, index: Index<kind::Member>) -> MemberRef<'_> {
        self.member_at(index.raw())
    }

    /// Name and descriptor.
    pub fn name_and_type(&self, index: Index<kind::NameAndType>) -> (JavaStr<'_>, JavaStr<'_>) {
        (self.text_at(index.raw(), 0), self.text_at(index.raw(), 1))
    }

    /// The number of the bootstrap method, the name and the descriptor of a dynamic call site.
    pub fn call_site(&self, index: Index<kind::InvokeDynamic>) -> (u16, JavaStr<'_>, JavaStr<'_>) {
        let (name, descriptor) = self.name_and_type(self.trusted(self.half(index.raw(), 1)));
        (self.half(index.raw(), 0), name, descriptor)
    }

    fn member_at(&self, number: u16) -> MemberRef<'_> {
        let class = self.class_name(self.trusted(self.half(number, 0)));
        let (name, descriptor) = self.name_and_type(self.trusted(self.half(number, 1)));
        MemberRef { class, name, descriptor, interface: self.tag(number) == Some(INTERFACE_METHOD) }
    }

    /// The text that half `half` of an entry points to.
    fn text_at(&self, number: u16, half: usize) -> JavaStr<'_> {
        self.utf8(self.trusted(self.half(number, half)))
    }

    fn trusted<K: Kind>(&self, number: u16) -> Index<K> {
        Index::unchecked(number).expect("internal bug: entries point at entries")
    }

    #[inline]
    fn tag(&self, number: u16) -> Option<u8> {
        match *self.places.get(number as usize)? {
            NO_ENTRY => None,
            place => Some(self.from(place)[0]),
        }
    }

    /// The bytes after the tag.
    fn content(&self, number: u16) -> &[u8] {
        &self.from(self.places[number as usize])[1..]
    }

    /// The 16-bit number in half `half` of the content.
    fn half(&self, number: u16, half: usize) -> u16 {
        let content = self.content(number);
        u16::from_be_bytes([content[2 * half], content[2 * half + 1]])
    }

    #[inline]
    fn from(&self, place: u32) -> &[u8] {
        let place = place as usize;
        if place < self.read.len() { &self.read[place..] } else { &self.added[place - self.read.len()..] }
    }

    fn decode<'p>(&self, tag: u8, content: &'p [u8]) -> Constant<'p> {
        let u2 = |at: usize| u16::from_be_bytes([content[at], content[at + 1]]);
        let u4 = || u32::from_be_bytes(content[..4].try_into().expect("internal bug: four bytes"));
        let u8 = || u64::from_be_bytes(content[..8].try_into().expect("internal bug: eight bytes"));
        match tag {
            1 => Constant::Utf8(JavaStr::checked(&content[2..][..u2(0) as usize])),
            3 => Constant::Integer(u4() as i32),
            4 => Constant::Float(f32::from_bits(u4())),
            5 => Constant::Long(u8() as i64),
            6 => Constant::Double(f64::from_bits(u8())),
            7 => Constant::Class(self.trusted(u2(0))),
            8 => Constant::String(self.trusted(u2(0))),
            9 => Constant::FieldRef { class: self.trusted(u2(0)), name_and_type: self.trusted(u2(2)) },
            10 => Constant::MethodRef { class: self.trusted(u2(0)), name_and_type: self.trusted(u2(2)) },
            11 => Constant::InterfaceMethodRef { class: self.trusted(u2(0)), name_and_type: self.trusted(u2(2)) },
            12 => Constant::NameAndType { name: self.trusted(u2(0)), descriptor: self.trusted(u2(2)) },
            15 => Constant::MethodHandle { reference_kind: content[0], member: self.trusted(u2(1)) },
            16 => Constant::MethodType(self.trusted(u2(0))),
            17 => Constant::Dynamic { bootstrap: u2(0), name_and_type: self.trusted(u2(2)) },
            18 => Constant::InvokeDynamic { bootstrap: u2(0), name_and_type: self.trusted(u2(2)) },
            19 => Constant::Module(self.trusted(u2(0))),
            20 => Constant::Package(self.trusted(u2(0))),
            _ => unreachable!("internal bug: tags are checked when they are read"),
        }
    }
}

/// Adding. Each call gives the number of an equal constant that was added before, if there is one.
impl ConstantPool<'_> {
    /// A pool without constants.
    pub fn new() -> Self {
        ConstantPool { read: &[], added: Vec::new(), places: vec![NO_ENTRY], known: HashMap::new() }
    }

    /// Adds a text.
    pub fn add_utf8(&mut self, text: &str) -> Result<Index<kind::Utf8>, Overflow> {
        self.add_java_str(JavaStr::checked(&java_str::encode(text)))
    }

    /// Adds a text that is in modified UTF-8 already.
    pub fn add_java_str(&mut self, text: JavaStr<'_>) -> Result<Index<kind::Utf8>, Overflow> {
        if text.as_bytes().len() > u16::MAX as usize {
            return Err(Overflow("bytes in a text"));
        }
        self.add(Constant::Utf8(text))
    }

    /// Adds a class by its name: `java/lang/String`, `[I`.
    pub fn add_class(&mut self, name: &str) -> Result<Index<kind::Class>, Overflow> {
        let name = self.add_utf8(name)?;
        self.add(Constant::Class(name))
    }

    /// Adds a class by a name that is in modified UTF-8 already.
    pub fn add_class_name(&mut self, name: JavaStr<'_>) -> Result<Index<kind::Class>, Overflow> {
        let name = self.add_java_str(name)?;
        self.add(Constant::Class(name))
    }

    /// Adds a string literal.
    pub fn add_string(&mut self, text: &str) -> Result<Index<kind::Loadable>, Overflow> {
        let text = self.add_utf8(text)?;
        self.add(Constant::String(text))
    }

    /// Adds an `int`.
    pub fn add_integer(&mut self, value: i32) -> Result<Index<kind::Loadable>, Overflow> {
        self.add(Constant::Integer(value))
    }

    /// Adds a `long`.
    pub fn add_long(&mut self, value: i64) -> Result<Index<kind::Loadable>, Overflow> {
        self.add(Constant::Long(value))
    }

    /// Adds a field.
    pub fn add_field(&mut self, class: &str, name: &str, descriptor: &str) -> Result<Index<kind::FieldRef>, Overflow> {
        let (class, name_and_type) = self.add_member(class, name, descriptor)?;
        self.add(Constant::FieldRef { class, name_and_type })
    }

    /// Adds a method of a class.
    pub fn add_method(
        &mut self,
        class: &str,
        name: &str,
        descriptor: &str,
    ) -> Result<Index<kind::MethodRef>, Overflow> {
        let (class, name_and_type) = self.add_member(class, name, descriptor)?;
        self.add(Constant::MethodRef { class, name_and_type })
    }

    /// Adds a method of an interface.
    pub fn add_interface_method(
        &mut self,
        class: &str,
        name: &str,
        descriptor: &str,
    ) -> Result<Index<kind::MethodRef>, Overflow> {
        let (class, name_and_type) = self.add_member(class, name, descriptor)?;
        self.add(Constant::InterfaceMethodRef { class, name_and_type })
    }

    fn add_member(
        &mut self,
        class: &str,
        name: &str,
        descriptor: &str,
    ) -> Result<(Index<kind::Class>, Index<kind::NameAndType>), Overflow> {
        let class = self.add_class(class)?;
        let (name, descriptor) = (self.add_utf8(name)?, self.add_utf8(descriptor)?);
        Ok((class, self.add(Constant::NameAndType { name, descriptor })?))
    }

    /// Adds any constant. The kind asked for must be the constant's own.
    pub fn add<K: Kind>(&mut self, constant: Constant<'_>) -> Result<Index<K>, Overflow> {
        let start = self.added.len();
        constant.write(&mut self.added);
        let known = self.known.get(&self.added[start..]).copied();
        self.added.truncate(start);
        match known {
            Some(number) => Ok(self.index(number).expect("internal bug: equal constants are of one kind")),
            None => self.append(constant),
        }
    }

    /// Adds a constant even if an equal one was added before.
    pub fn append<K: Kind>(&mut self, constant: Constant<'_>) -> Result<Index<K>, Overflow> {
        if self.places.len() + 1 + constant.is_wide() as usize > u16::MAX as usize {
            return Err(Overflow("constants"));
        }
        let (start, number) = (self.added.len(), self.places.len() as u16);
        constant.write(&mut self.added);
        self.known.insert(self.added[start..].into(), number);
        self.places.push((self.read.len() + start) as u32);
        self.places.extend(constant.is_wide().then_some(NO_ENTRY));
        Ok(self.index(number).unwrap_or_else(|| panic!("internal bug: {constant:?} is not {}", K::NAME)))
    }
}

impl Default for ConstantPool<'_> {
    fn default() -> Self {
        Self::new()
    }
}

/// Reading and writing.
impl<'a> ConstantPool<'a> {
    /// `lenient` for files so old that texts may be longer than they need be.
    pub(crate) fn parse(r: &mut Reader<'a>, lenient: bool) -> Result<Self, ParseError> {
        let count = r.u2()? as usize;
        if count == 0 {
            return Err(r.error(ParseErrorKind::Truncated { wanted: 1, left: 0 }));
        }
        let (whole, start) = (r.clone(), r.offset());
        let place = |r: &Reader<'_>| (r.offset() - start) as u32;
        // The smallest entry is three bytes; a count that cannot be true reserves nothing.
        let mut places = Vec::with_capacity(count.min(1 + r.left() / 3));
        places.push(NO_ENTRY);
        while places.len() < count {
            places.push(place(r));
            let tag_at = r.clone();
            match r.u1()? {
                1 => {
                    let length = r.u2()? as usize;
                    let text = r.bytes(length)?;
                    let text = if lenient { JavaStr::new_lenient(text) } else { JavaStr::new(text) };
                    text.ok_or_else(|| tag_at.error(ParseErrorKind::Utf8))?;
                }
                3 | 4 | 9..=12 | 17 | 18 => drop(r.bytes(4)?),
                5 | 6 => {
                    r.bytes(8)?;
                    if places.len() == count {
                        return Err(tag_at.error(ParseErrorKind::ConstantTag(5)));
                    }
                    places.push(NO_ENTRY);
                }
                7 | 8 | 16 | 19 | 20 => drop(r.bytes(2)?),
                15 => drop(r.bytes(3)?),
                tag => return Err(tag_at.error(ParseErrorKind::ConstantTag(tag))),
            }
        }
        let read = whole.clone().bytes(place(r) as usize)?;
        let pool = ConstantPool { read, added: Vec::new(), places, known: HashMap::new() };
        pool.check(start)?;
        Ok(pool)
    }

    /// Checks that entries point at entries of the right kind, and that descriptors are well formed.
    fn check(&self, start: usize) -> Result<(), ParseError> {
        for number in self.numbers() {
            let at = |kind| ParseError { offset: start + self.places[number as usize] as usize, kind };
            let content = self.content(number);
            let u2 = |i: usize| u16::from_be_bytes([content[i], content[i + 1]]);
            macro_rules! expect {
                ($number:expr, $kind:ident) => {{
                    let index: Option<Index<kind::$kind>> = self.index($number);
                    let expected = <kind::$kind as Kind>::NAME;
                    index.ok_or_else(|| at(ParseErrorKind::Constant { index: $number, expected }))?
                }};
            }
            match self.tag(number).expect("internal bug: numbers() gives entries") {
                7 | 8 | 19 | 20 => drop(expect!(u2(0), Utf8)),
                16 => {
                    let text = self.utf8(expect!(u2(0), Utf8));
                    MethodDescriptor::new(text).ok_or_else(|| at(ParseErrorKind::Descriptor(number)))?;
                }
                12 => {
                    expect!(u2(0), Utf8);
                    let text = self.utf8(expect!(u2(2), Utf8));
                    let fine = match text.as_bytes().first() {
                        Some(b'(') => MethodDescriptor::new(text).is_some(),
                        _ => TypeDescriptor::new(text).is_some(),
                    };
                    if !fine {
                        return Err(at(ParseErrorKind::Descriptor(number)));
                    }
                }
                tag @ (9..=11 | 17 | 18) => {
                    if tag < 17 {
                        expect!(u2(0), Class);
                    }
                    let name_and_type = u2(2);
                    expect!(name_and_type, NameAndType);
                    // The descriptor's index is checked in its own turn, which may come later.
                    let descriptor = self.utf8(expect!(self.half(name_and_type, 1), Utf8));
                    let of_method = descriptor.as_bytes().first() == Some(&b'(');
                    if of_method != matches!(tag, 10 | 11 | 18) {
                        return Err(at(ParseErrorKind::Descriptor(name_and_type)));
                    }
                }
                15 => {
                    let member = u2(1);
                    match content[0] {
                        1..=4 => drop(expect!(member, FieldRef)),
                        5..=9 => drop(expect!(member, MethodRef)),
                        _ => return Err(at(ParseErrorKind::Constant { index: number, expected: "a method handle" })),
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.u2(self.places.len() as u16);
        out.extend_from_slice(self.read);
        out.extend_from_slice(&self.added);
    }

    /// The index, or an error at the reader's place.
    #[inline]
    pub(crate) fn expect<K: Kind>(&self, r: &Reader<'_>, number: u16) -> Result<Index<K>, ParseError> {
        self.index(number).ok_or_else(|| {
            let ParseError { offset, .. } = r.error(ParseErrorKind::Utf8);
            let kind = ParseErrorKind::Constant { index: number, expected: K::NAME };
            ParseError { offset: offset.saturating_sub(2), kind }
        })
    }

    /// Reads a 16-bit index of that kind.
    #[inline]
    pub(crate) fn read<K: Kind>(&self, r: &mut Reader<'_>) -> Result<Index<K>, ParseError> {
        let number = r.u2()?;
        self.expect(r, number)
    }

    /// Reads a 16-bit index that may be zero.
    pub(crate) fn read_optional<K: Kind>(&self, r: &mut Reader<'_>) -> Result<Option<Index<K>>, ParseError> {
        match r.u2()? {
            0 => Ok(None),
            number => self.expect(r, number).map(Some),
        }
    }

    /// The highest bootstrap method that a constant names, if any does.
    pub(crate) fn highest_bootstrap(&self) -> Option<u16> {
        let of = |number| match self.tag(number)? {
            17 | 18 => Some(self.half(number, 0)),
            _ => None,
        };
        self.numbers().filter_map(of).max()
    }
}
