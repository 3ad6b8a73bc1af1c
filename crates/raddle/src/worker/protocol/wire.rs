//! Messages on a pipe: a length, and so many postcard bytes.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Reply, Word};

/// Messages are never longer: what runs in a worker may write to its pipe, and must not fill the supervisor's memory.
const MAX_MESSAGE: u32 = 256 << 20;
/// So many bytes in front of a message say how long it is.
const LENGTH: usize = 4;

/// What a worker writes to standard error once a job is done, so that what it printed can be told from what the next
/// job prints.
pub fn end_of_output(job: u64) -> Vec<u8> {
    format!("\0raddle: end of job {job}\0").into_bytes()
}

/// Writes a message. At once: whoever listens is woken by every part of it.
pub fn send(to: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    to.write_all(&bytes(message)?)?;
    to.flush()
}

/// A message as it is written.
pub fn bytes(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = postcard::to_extend(message, vec![0; LENGTH]).map_err(io::Error::other)?;
    let length = (bytes.len() - LENGTH) as u32;
    bytes[..LENGTH].copy_from_slice(&length.to_le_bytes());
    Ok(bytes)
}

/// Reads on to the reply, for whoever does not care for news; None at the end of the stream.
pub fn receive_reply(from: &mut impl Read) -> io::Result<Option<Reply>> {
    loop {
        match receive::<Word>(from)? {
            Some(Word::News(_)) => {}
            Some(Word::Reply(reply)) => return Ok(Some(reply)),
            None => return Ok(None),
        }
    }
}

/// Reads a message; None at the end of the stream.
pub fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0; LENGTH];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let mut bytes = vec![0; checked(length)?];
    from.read_exact(&mut bytes)?;
    postcard::from_bytes(&bytes).map(Some).map_err(io::Error::other)
}

/// Takes a message out of what was read so far; None if it is not whole yet.
pub fn take<T: DeserializeOwned>(bytes: &mut Vec<u8>) -> io::Result<Option<T>> {
    let Some((length, rest)) = bytes.split_first_chunk() else { return Ok(None) };
    let length = checked(*length)?;
    let Some(message) = rest.get(..length) else { return Ok(None) };
    let message = postcard::from_bytes(message).map_err(io::Error::other)?;
    bytes.drain(..LENGTH + length);
    Ok(Some(message))
}

/// How long a message is, if it may be so long.
fn checked(length: [u8; LENGTH]) -> io::Result<usize> {
    match u32::from_le_bytes(length) {
        length if length > MAX_MESSAGE => Err(io::Error::other(format!("a message of {length} bytes"))),
        length => Ok(length as usize),
    }
}
