//! Access flags of classes, fields and methods.

/// The access flags of a class or member. Some bits mean different things in different places; the
/// constants are named as in the specification, and [`Flags::names`] knows the place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Flags(pub u16);

/// What flags belong to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum FlagsOf {
    Class,
    Field,
    Method,
}

#[allow(missing_docs)] // Named as in the specification.
impl Flags {
    pub const PUBLIC: Flags = Flags(0x0001);
    pub const PRIVATE: Flags = Flags(0x0002);
    pub const PROTECTED: Flags = Flags(0x0004);
    pub const STATIC: Flags = Flags(0x0008);
    pub const FINAL: Flags = Flags(0x0010);
    pub const SUPER: Flags = Flags(0x0020);
    pub const SYNCHRONIZED: Flags = Flags(0x0020);
    pub const VOLATILE: Flags = Flags(0x0040);
    pub const BRIDGE: Flags = Flags(0x0040);
    pub const TRANSIENT: Flags = Flags(0x0080);
    pub const VARARGS: Flags = Flags(0x0080);
    pub const NATIVE: Flags = Flags(0x0100);
    pub const INTERFACE: Flags = Flags(0x0200);
    pub const ABSTRACT: Flags = Flags(0x0400);
    pub const STRICT: Flags = Flags(0x0800);
    pub const SYNTHETIC: Flags = Flags(0x1000);
    pub const ANNOTATION: Flags = Flags(0x2000);
    pub const ENUM: Flags = Flags(0x4000);
    pub const MODULE: Flags = Flags(0x8000);
}

impl Flags {
    /// Whether all of `other` are set.
    pub const fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// These flags and `other`.
    #[must_use]
    pub const fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    /// These flags without `other`.
    #[must_use]
    pub const fn without(self, other: Flags) -> Flags {
        Flags(self.0 & !other.0)
    }

    /// The names of the flags that are set, in the order in which Java source writes modifiers.
    pub fn names(self, of: FlagsOf) -> impl Iterator<Item = &'static str> {
        const MEMBER: [(u16, &str); 6] = [
            (0x0001, "public"),
            (0x0004, "protected"),
            (0x0002, "private"),
            (0x0400, "abstract"),
            (0x0008, "static"),
            (0x0010, "final"),
        ];
        let own: &[(u16, &str)] = match of {
            FlagsOf::Class => &[
                (0x0200, "interface"),
                (0x2000, "annotation"),
                (0x4000, "enum"),
                (0x8000, "module"),
                (0x1000, "synthetic"),
            ],
            FlagsOf::Field => &[(0x0080, "transient"), (0x0040, "volatile"), (0x4000, "enum"), (0x1000, "synthetic")],
            FlagsOf::Method => &[
                (0x0020, "synchronized"),
                (0x0100, "native"),
                (0x0800, "strictfp"),
                (0x0080, "varargs"),
                (0x0040, "bridge"),
                (0x1000, "synthetic"),
            ],
        };
        let set = move |&(bit, name): &(u16, &'static str)| (self.0 & bit != 0).then_some(name);
        MEMBER.iter().filter_map(set).chain(own.iter().filter_map(set))
    }
}

impl std::fmt::Debug for Flags {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Flags({:#06x})", self.0)
    }
}
