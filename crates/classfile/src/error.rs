//! What can be wrong with a class file, and what can be too large for one.

/// Why bytes are not a class file, and where: `offset` counts from the first byte of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{kind} (at byte {offset})")]
pub struct ParseError {
    /// The byte at which reading failed.
    pub offset: usize,
    /// What was wrong there.
    pub kind: ParseErrorKind,
}

/// What was wrong with the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // The messages say it.
pub enum ParseErrorKind {
    #[error("not a class file: it does not start with CAFEBABE")]
    NoMagic,
    #[error("class file version {0} is newer than this tool knows")]
    Version(u16),
    #[error("the file ends too early: {wanted} bytes wanted, {left} left")]
    Truncated { wanted: usize, left: usize },
    #[error("{0} bytes left over")]
    LeftOver(usize),
    #[error("unknown constant tag {0}")]
    ConstantTag(u8),
    #[error("constant {index} is not {expected}")]
    Constant { index: u16, expected: &'static str },
    #[error("a constant is not modified UTF-8")]
    Utf8,
    #[error("constant {0} is not a well-formed descriptor")]
    Descriptor(u16),
    #[error("bootstrap method {0} does not exist")]
    Bootstrap(u16),
    #[error("unknown instruction {0:#04x}")]
    Opcode(u8),
    #[error("{0}")]
    Code(&'static str),
    #[error("bytecode offset {0} is not the start of an instruction")]
    NoInstruction(u32),
    #[error("malformed {0} attribute")]
    Attribute(&'static str),
    #[error("annotations are nested too deeply")]
    TooDeep,
}

/// A class file cannot hold what was to be written: one of its 16 or 32 bit counts would overflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a class file cannot hold that many {0}")]
pub struct Overflow(pub &'static str);
