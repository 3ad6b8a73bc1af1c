//! Big-endian reading with offsets for errors, and big-endian writing.

use crate::error::{Overflow, ParseError, ParseErrorKind};

/// A cursor over a part of a class file. Offsets in errors count from the start of the whole file.
#[derive(Clone)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    /// Where `rest` ends in the file: offsets are found by counting back from it.
    end: usize,
    /// How many bytes of `rest` the entries still to come of the tables being read take at least.
    promised: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Reader { rest: bytes, end: bytes.len(), promised: 0 }
    }

    pub(crate) fn offset(&self) -> usize {
        self.end - self.rest.len()
    }

    pub(crate) fn left(&self) -> usize {
        self.rest.len()
    }

    pub(crate) fn error(&self, kind: ParseErrorKind) -> ParseError {
        ParseError { offset: self.offset(), kind }
    }

    #[inline]
    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'a [u8], ParseError> {
        match self.rest.split_at_checked(count) {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(taken)
            }
            None => Err(self.error(ParseErrorKind::Truncated { wanted: count, left: self.rest.len() })),
        }
    }

    #[inline]
    fn array<const N: usize>(&mut self) -> Result<[u8; N], ParseError> {
        match self.rest.split_first_chunk::<N>() {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(*taken)
            }
            None => Err(self.error(ParseErrorKind::Truncated { wanted: N, left: self.rest.len() })),
        }
    }

    #[inline]
    pub(crate) fn u1(&mut self) -> Result<u8, ParseError> {
        Ok(u8::from_be_bytes(self.array()?))
    }

    #[inline]
    pub(crate) fn u2(&mut self) -> Result<u16, ParseError> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    #[inline]
    pub(crate) fn u4(&mut self) -> Result<u32, ParseError> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    /// The next `count` bytes as a reader of their own.
    pub(crate) fn part(&mut self, count: usize) -> Result<Reader<'a>, ParseError> {
        self.check_free(count)?;
        let rest = self.bytes(count)?;
        Ok(Reader { rest, end: self.offset(), promised: 0 })
    }

    /// Checks that `count` bytes are left besides those promised to other entries.
    fn check_free(&self, count: usize) -> Result<(), ParseError> {
        let left = self.left().saturating_sub(self.promised);
        if count > left { Err(self.error(ParseErrorKind::Truncated { wanted: count, left })) } else { Ok(()) }
    }

    /// Reads a table: a 16-bit count, then that many entries.
    pub(crate) fn table<T>(
        &mut self,
        smallest: usize,
        entry: impl FnMut(&mut Self) -> Result<T, ParseError>,
    ) -> Result<Vec<T>, ParseError> {
        let count = self.u2()? as usize;
        self.entries(count, smallest, entry)
    }

    /// Reads `count` entries of at least `smallest` bytes each, tables within an entry not counted.
    ///
    /// Memory is reserved only for entries that the file can hold beside those of all enclosing tables,
    /// so that lying counts, however they are nested, reserve no more than one honest table could.
    pub(crate) fn entries<T>(
        &mut self,
        count: usize,
        smallest: usize,
        mut entry: impl FnMut(&mut Self) -> Result<T, ParseError>,
    ) -> Result<Vec<T>, ParseError> {
        self.check_free(count * smallest)?;
        self.promised += count * smallest;
        let mut entries = Vec::with_capacity(count);
        for _ in 0..count {
            self.promised -= smallest;
            entries.push(entry(self)?);
        }
        Ok(entries)
    }

    /// Reads a table as [`Reader::table`] does, of entries that are `N` bytes long and always right.
    pub(crate) fn rows<const N: usize, T>(&mut self, row: impl Fn(&[u8; N]) -> T) -> Result<Vec<T>, ParseError> {
        let count = self.u2()? as usize;
        Ok(self.bytes(count * N)?.as_chunks().0.iter().map(row).collect())
    }

    /// Ends reading: nothing may be left.
    pub(crate) fn finish(self) -> Result<(), ParseError> {
        match self.left() {
            0 => Ok(()),
            left => Err(self.error(ParseErrorKind::LeftOver(left))),
        }
    }
}

/// Big-endian writing onto a byte vector.
pub(crate) trait Put {
    fn u1(&mut self, value: u8);
    fn u2(&mut self, value: u16);
    fn u4(&mut self, value: u32);
    /// Writes a 16-bit count of `what`.
    fn count(&mut self, what: &'static str, count: usize) -> Result<(), Overflow>;
    /// Writes a table as [`Reader::table`] reads it.
    fn table<T>(&mut self, what: &'static str, entries: &[T], entry: impl FnMut(&mut Self, &T))
    -> Result<(), Overflow>;
}

impl Put for Vec<u8> {
    fn u1(&mut self, value: u8) {
        self.push(value);
    }

    fn u2(&mut self, value: u16) {
        self.extend_from_slice(&value.to_be_bytes());
    }

    fn u4(&mut self, value: u32) {
        self.extend_from_slice(&value.to_be_bytes());
    }

    fn count(&mut self, what: &'static str, count: usize) -> Result<(), Overflow> {
        self.u2(u16::try_from(count).map_err(|_| Overflow(what))?);
        Ok(())
    }

    fn table<T>(
        &mut self,
        what: &'static str,
        entries: &[T],
        mut entry: impl FnMut(&mut Self, &T),
    ) -> Result<(), Overflow> {
        self.count(what, entries.len())?;
        for e in entries {
            entry(self, e);
        }
        Ok(())
    }
}
