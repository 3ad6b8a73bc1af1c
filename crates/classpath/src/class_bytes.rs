//! What a look-up gives: bytes, and where they came from.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use crate::ClassName;

/// The largest class that is read, in bytes. The constant pool and the code limits of the class-file
/// format keep real classes far below; an archive that declares more is damaged or hostile.
pub const MAX_CLASS_SIZE: u64 = 64 << 20;

/// A class as it lies on the class path, not parsed and not checked.
#[derive(Clone, Debug)]
pub struct ClassBytes<'a> {
    /// The name under which it was found, which is not the name that was asked for when that was
    /// `java.util.Map.Entry`.
    pub name: ClassName,
    /// The class file; borrowed from the image when it lies there uncompressed.
    pub bytes: Cow<'a, [u8]>,
    /// Where it was found.
    pub origin: Origin<'a>,
}

/// Where a class was found. It is shown as `lib/modules (java.base)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin<'a> {
    /// The class path entry, as it was given.
    pub entry: &'a Path,
    /// The module, when the entry is a JDK image or a jmod.
    pub module: Option<&'a str>,
}

impl fmt::Display for Origin<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.entry.display())?;
        match self.module {
            Some(module) => write!(f, " ({module})"),
            None => Ok(()),
        }
    }
}
