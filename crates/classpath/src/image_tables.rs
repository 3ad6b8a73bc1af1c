//! The tables of a module image (`lib/modules`), read without trust in any number in them.
//!
//! A header, a hash table (redirect and offset tables, each of `length` numbers), the locations' attributes
//! and the strings come before the data, as `jdk.internal.jimage` writes them. A name such as
//! `/java.base/java/util/Vector.class` hashes to a slot; the slot's redirect gives the location, itself or
//! as the seed of a second hash; the location's strings must spell the name.
//!
//! `jimage-rs` reads the same tables, but indexes with what it finds there and would panic on a damaged
//! image.

const MAGIC: u32 = 0xCAFE_DADA;
const HEADER: usize = 28;
const COMPRESSED_MAGIC: u32 = 0xCAFE_FAFA;
const COMPRESSED_HEADER: usize = 29;
const HASH_MULTIPLIER: u32 = 0x0100_0193;

/// What is wrong with an image.
pub(crate) type Damage = &'static str;

/// Whether a file that starts with these bytes is an image.
pub(crate) fn has_magic(head: &[u8]) -> bool {
    head.starts_with(&MAGIC.to_le_bytes()) || head.starts_with(&MAGIC.to_be_bytes())
}

/// Whether bytes of an image are compressed.
pub(crate) fn is_compressed(bytes: &[u8]) -> bool {
    bytes.starts_with(&COMPRESSED_MAGIC.to_le_bytes()) || bytes.starts_with(&COMPRESSED_MAGIC.to_be_bytes())
}

/// The tables within the bytes of an image.
#[derive(Clone, Copy)]
pub(crate) struct Tables<'a> {
    little_endian: bool,
    redirects: &'a [u8],
    offsets: &'a [u8],
    attributes: &'a [u8],
    strings: &'a [u8],
    data: &'a [u8],
}

/// One resource of the image. Its name is `/module/parent/base.extension`, without the parts that are empty.
#[derive(Debug)]
pub(crate) struct Location<'a> {
    pub module: &'a str,
    pub parent: &'a str,
    pub base: &'a str,
    pub extension: &'a str,
    offset: u64,
    compressed: u64,
    uncompressed: u64,
}

/// What lies in the image at a location.
pub(crate) enum Content<'a> {
    Plain(&'a [u8]),
    /// Sound as far as the header of the compressed bytes goes.
    Compressed {
        inflated_size: u64,
    },
}

impl<'a> Tables<'a> {
    pub fn of(image: &'a [u8]) -> Result<Tables<'a>, Damage> {
        if !has_magic(image) {
            return Err("it is no module image");
        }
        let little_endian = image.starts_with(&MAGIC.to_le_bytes());
        let field = |at| number(image, at, little_endian).map(|n| n as usize);
        let (length, attributes, strings) = (field(16)?, field(20)?, field(24)?);

        let mut rest = image.get(HEADER..).ok_or(CUT_OFF)?;
        let mut take = |size: usize| {
            let (taken, left) = rest.split_at_checked(size).ok_or(CUT_OFF)?;
            rest = left;
            Ok(taken)
        };
        let slots = length.checked_mul(4).ok_or(CUT_OFF)?;
        Ok(Tables {
            little_endian,
            redirects: take(slots)?,
            offsets: take(slots)?,
            attributes: take(attributes)?,
            strings: take(strings)?,
            data: rest,
        })
    }

    pub fn find(&self, name: &str) -> Result<Option<Location<'a>>, Damage> {
        let slots = self.length();
        if slots == 0 {
            return Ok(None);
        }
        let redirect = self.number(self.redirects, hash(name, HASH_MULTIPLIER) % slots)? as i32;
        let slot = match redirect {
            0 => return Ok(None),
            // A direct slot is kept as its complement, so that slot 0 has a sign too.
            ..0 => !redirect as u32,
            1.. => hash(name, redirect as u32) % slots,
        };
        let location = self.location(slot)?;
        Ok(location.is_named(name).then_some(location))
    }

    pub fn locations(self) -> impl Iterator<Item = Result<Location<'a>, Damage>> {
        (0..self.length()).map(move |slot| self.location(slot))
    }

    pub fn content(&self, location: &Location) -> Result<Content<'a>, Damage> {
        let cut = |size: u64| {
            let from = usize::try_from(location.offset).ok()?;
            let size = usize::try_from(size).ok()?;
            self.data.get(from..)?.get(..size)
        };
        match location.compressed {
            0 => Ok(Content::Plain(cut(location.uncompressed).ok_or(CUT_OFF)?)),
            size => self.compressed(cut(size).ok_or(CUT_OFF)?),
        }
    }

    pub fn string(&self, offset: u64) -> Result<&'a str, Damage> {
        usize::try_from(offset)
            .ok()
            .and_then(|from| self.strings.get(from..))
            .and_then(|from| from.split(|&byte| byte == 0).next())
            .and_then(|text| str::from_utf8(text).ok())
            .ok_or("a name in it is damaged")
    }

    /// The number at `index` in a table of 32-bit numbers.
    pub fn number(&self, table: &[u8], index: u32) -> Result<u32, Damage> {
        number(table, index as usize * 4, self.little_endian)
    }

    /// Checks the header of compressed bytes: magic number, size, size when inflated, name of the method.
    fn compressed(&self, bytes: &[u8]) -> Result<Content<'a>, Damage> {
        let (header, body) = bytes
            .split_first_chunk::<COMPRESSED_HEADER>()
            .filter(|(header, _)| is_compressed(*header))
            .ok_or(BAD_COMPRESSION)?;
        let low_first = header.starts_with(&COMPRESSED_MAGIC.to_le_bytes());
        let wide = |at| {
            let (first, second) = (number(header, at, low_first)?, number(header, at + 4, low_first)?);
            let (low, high) = if low_first { (first, second) } else { (second, first) };
            Ok(u64::from(high) << 32 | u64::from(low))
        };
        if wide(4)? > body.len() as u64 {
            return Err(BAD_COMPRESSION);
        }
        self.string(number(header, 20, low_first)?.into())?;
        Ok(Content::Compressed { inflated_size: wide(12)? })
    }

    /// The number of slots, which fitted into 32 bits in the header.
    fn length(&self) -> u32 {
        (self.offsets.len() / 4) as u32
    }

    fn location(&self, slot: u32) -> Result<Location<'a>, Damage> {
        let start = self.number(self.offsets, slot)? as usize;
        let mut rest = self.attributes.get(start..).ok_or(BAD_LOCATION)?;
        // By kind: end, module, parent, base, extension, offset, compressed, uncompressed.
        let mut values = [0u64; 8];
        loop {
            let (&head, after) = rest.split_first().ok_or(BAD_LOCATION)?;
            let kind = usize::from(head >> 3);
            if kind == 0 {
                break;
            }
            let size = usize::from(head & 7) + 1;
            let (value, after) = after.split_at_checked(size).ok_or(BAD_LOCATION)?;
            // Later formats may add kinds; what they say is not needed here.
            if let Some(known) = values.get_mut(kind) {
                *known = value.iter().fold(0, |n, &byte| n << 8 | u64::from(byte));
            }
            rest = after;
        }
        let [_, module, parent, base, extension, offset, compressed, uncompressed] = values;
        Ok(Location {
            module: self.string(module)?,
            parent: self.string(parent)?,
            base: self.string(base)?,
            extension: self.string(extension)?,
            offset,
            compressed,
            uncompressed,
        })
    }
}

impl Location<'_> {
    fn is_named(&self, name: &str) -> bool {
        let parts = [("/", self.module), ("/", self.parent), ("/", self.base), (".", self.extension)];
        let left = parts
            .iter()
            .filter(|(_, part)| !part.is_empty())
            .try_fold(name, |name, (mark, part)| name.strip_prefix(mark)?.strip_prefix(part));
        left == Some("")
    }
}

const CUT_OFF: Damage = "it is cut off";
const BAD_COMPRESSION: Damage = "a compressed class in it is damaged";
const BAD_LOCATION: Damage = "its table of locations is damaged";

fn number(bytes: &[u8], at: usize, little_endian: bool) -> Result<u32, Damage> {
    let four = bytes.get(at..).and_then(|from| from.first_chunk());
    let four = *four.ok_or(CUT_OFF)?;
    Ok(match little_endian {
        true => u32::from_le_bytes(four),
        false => u32::from_be_bytes(four),
    })
}

fn hash(name: &str, seed: u32) -> u32 {
    let mix = |hash: u32, byte| hash.wrapping_mul(HASH_MULTIPLIER) ^ u32::from(byte);
    name.bytes().fold(seed, mix) & 0x7FFF_FFFF
}
