//! One entry of a constant pool, and typed indices of entries.

use crate::bytes::Put;
use crate::java_str::JavaStr;
use std::marker::PhantomData;
use std::num::NonZeroU16;

/// The index of a constant of a known kind. One that was read from a class file was checked then, so
/// looking it up in the same pool cannot fail.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Index<K> {
    raw: NonZeroU16,
    kind: PhantomData<K>,
}

impl<K> Index<K> {
    /// The index without a look at the pool: the caller has checked it, or will.
    pub(crate) fn unchecked(raw: u16) -> Option<Self> {
        Some(Index { raw: NonZeroU16::new(raw)?, kind: PhantomData })
    }

    /// The number of the entry.
    pub fn raw(self) -> u16 {
        self.raw.get()
    }
}

impl<K> std::fmt::Debug for Index<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{}", self.raw)
    }
}

/// A kind of constant, as the type parameter of [`Index`].
pub trait Kind: Copy {
    /// With its article, for "constant 7 is not …".
    const NAME: &'static str;
    /// Whether a constant with this tag is of the kind.
    fn accepts(tag: u8) -> bool;
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal, $($tag:literal)|+;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $kind {}
        impl Kind for $kind {
            const NAME: &'static str = $name;
            #[inline]
            fn accepts(tag: u8) -> bool {
                $(tag == $tag)||+
            }
        }
    )*};
}

/// Kinds of constants that an [`Index`] can promise.
pub mod kind {
    use super::Kind;
    kinds! {
        /// A text.
        Utf8 = "a text", 1;
        /// A class, interface or array type.
        Class = "a class", 7;
        /// A field of a class.
        FieldRef = "a field", 9;
        /// A method of a class or of an interface.
        MethodRef = "a method", 10 | 11;
        /// A name with a descriptor.
        NameAndType = "a name and type", 12;
        /// What an `ldc` loads into one slot or two.
        Loadable = "loadable", 3 | 4 | 5 | 6 | 7 | 8 | 15 | 16 | 17;
        /// The value of a constant field or of an annotation element.
        Value = "a value", 3 | 4 | 5 | 6 | 8;
        /// A value in an annotation that is not a text.
        Number = "a number", 3 | 4 | 5 | 6;
        /// A method handle.
        MethodHandle = "a method handle", 15;
        /// A field or method that a method handle names.
        Member = "a field or method", 9 | 10 | 11;
        /// A call site of `invokedynamic`.
        InvokeDynamic = "a dynamic call site", 18;
        /// A module.
        Module = "a module", 19;
        /// A package.
        Package = "a package", 20;
    }
}

/// A constant, as a value.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum Constant<'p> {
    Utf8(JavaStr<'p>),
    Integer(i32),
    Float(f32),
    Long(i64),
    Double(f64),
    Class(Index<kind::Utf8>),
    String(Index<kind::Utf8>),
    FieldRef { class: Index<kind::Class>, name_and_type: Index<kind::NameAndType> },
    MethodRef { class: Index<kind::Class>, name_and_type: Index<kind::NameAndType> },
    InterfaceMethodRef { class: Index<kind::Class>, name_and_type: Index<kind::NameAndType> },
    NameAndType { name: Index<kind::Utf8>, descriptor: Index<kind::Utf8> },
    MethodHandle { reference_kind: u8, member: Index<kind::Member> },
    MethodType(Index<kind::Utf8>),
    Dynamic { bootstrap: u16, name_and_type: Index<kind::NameAndType> },
    InvokeDynamic { bootstrap: u16, name_and_type: Index<kind::NameAndType> },
    Module(Index<kind::Utf8>),
    Package(Index<kind::Utf8>),
}

impl Constant<'_> {
    /// Whether it takes two entries of the pool, and two slots of the stack.
    pub fn is_wide(&self) -> bool {
        matches!(self, Constant::Long(_) | Constant::Double(_))
    }

    /// Writes tag and content. The text of a Utf8 must be at most 65,535 bytes long.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let mut pair = |tag, a: u16, b: u16| {
            out.u1(tag);
            out.u2(a);
            out.u2(b);
        };
        match *self {
            Constant::FieldRef { class, name_and_type } => pair(9, class.raw(), name_and_type.raw()),
            Constant::MethodRef { class, name_and_type } => pair(10, class.raw(), name_and_type.raw()),
            Constant::InterfaceMethodRef { class, name_and_type } => pair(11, class.raw(), name_and_type.raw()),
            Constant::NameAndType { name, descriptor } => pair(12, name.raw(), descriptor.raw()),
            Constant::Dynamic { bootstrap, name_and_type } => pair(17, bootstrap, name_and_type.raw()),
            Constant::InvokeDynamic { bootstrap, name_and_type } => pair(18, bootstrap, name_and_type.raw()),
            Constant::Utf8(text) => {
                out.u1(1);
                out.u2(text.as_bytes().len() as u16);
                out.extend_from_slice(text.as_bytes());
            }
            Constant::Integer(value) => number(out, 3, &value.to_be_bytes()),
            Constant::Float(value) => number(out, 4, &value.to_bits().to_be_bytes()),
            Constant::Long(value) => number(out, 5, &value.to_be_bytes()),
            Constant::Double(value) => number(out, 6, &value.to_bits().to_be_bytes()),
            Constant::Class(name) => number(out, 7, &name.raw().to_be_bytes()),
            Constant::String(text) => number(out, 8, &text.raw().to_be_bytes()),
            Constant::MethodHandle { reference_kind, member } => {
                out.u1(15);
                out.u1(reference_kind);
                out.u2(member.raw());
            }
            Constant::MethodType(descriptor) => number(out, 16, &descriptor.raw().to_be_bytes()),
            Constant::Module(name) => number(out, 19, &name.raw().to_be_bytes()),
            Constant::Package(name) => number(out, 20, &name.raw().to_be_bytes()),
        }
    }
}

fn number(out: &mut Vec<u8>, tag: u8, bytes: &[u8]) {
    out.u1(tag);
    out.extend_from_slice(bytes);
}
