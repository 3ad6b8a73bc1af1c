//! What a worker says, as whoever waits for it hears it: without a thread in between, which would have to be woken for every message.

use std::io::{self, Read};
use std::process::ChildStdout;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use serde::de::DeserializeOwned;

use crate::worker::protocol;

/// The messages of a worker. What nobody waits for stays in the pipe, and when that is full the worker has to wait.
#[derive(Debug)]
pub struct Mail {
    from: ChildStdout,
    /// What was read and is not a whole message yet.
    begun: Vec<u8>,
}

/// What came of waiting for a message.
#[derive(Debug)]
pub enum Heard<T> {
    Message(T),
    /// What cannot be read.
    Garbled(io::Error),
    /// It says nothing more.
    Closed,
    /// Nothing in time.
    Nothing,
}

/// So much is read at a time.
const PIECE: usize = 8 * 1024;

impl Mail {
    pub fn new(from: ChildStdout) -> Mail {
        Mail { from, begun: Vec::new() }
    }

    /// Waits for a message until then.
    pub fn hear<T: DeserializeOwned>(&mut self, until: Instant) -> Heard<T> {
        let mut is_over = false;
        loop {
            match protocol::take(&mut self.begun) {
                Ok(Some(message)) => {
                    // A long one is no reason to keep as much for the next.
                    self.begun.shrink_to(PIECE);
                    return Heard::Message(message);
                }
                // A worker that never ends a message must not be heard for ever.
                Ok(None) if is_over => return Heard::Nothing,
                Ok(None) => {}
                Err(error) => return Heard::Garbled(error),
            }
            match self.is_readable(until) {
                Ok(true) => {}
                Ok(false) => return Heard::Nothing,
                Err(error) => return Heard::Garbled(error),
            }
            let mut piece = [0; PIECE];
            match self.from.read(&mut piece) {
                // A worker that dies in the middle of a message has just died.
                Ok(0) => return Heard::Closed,
                Ok(length) => self.begun.extend_from_slice(&piece[..length]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Heard::Garbled(error),
            }
            is_over = Instant::now() >= until;
        }
    }

    /// Whether it has said nothing that was not heard, and can still say something.
    pub fn is_silent(&self) -> bool {
        self.begun.is_empty() && matches!(self.is_readable(Instant::now()), Ok(false))
    }

    /// Waits until then for something to read, or for the end of it.
    fn is_readable(&self, until: Instant) -> io::Result<bool> {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let left = Timespec::try_from(left).map_err(io::Error::other)?;
            match poll(&mut [PollFd::new(&self.from, PollFlags::IN)], Some(&left)) {
                // A signal, for which another thread waits.
                Err(Errno::INTR) => {}
                ready => return Ok(ready? > 0),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::process::{Child, Command, Stdio};
    use std::time::Duration;

    use super::*;

    fn of(script: &str) -> (Child, Mail) {
        let mut child = Command::new("sh").args(["-c", script]).stdout(Stdio::piped()).spawn().unwrap();
        let mail = Mail::new(child.stdout.take().unwrap());
        (child, mail)
    }

    #[test]
    fn messages_are_heard_one_by_one_and_then_the_end() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut mail = Mail::new(child.stdout.take().unwrap());
        let mut input = child.stdin.take().unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        // Two texts, the second in two parts, and the beginning of another.
        input.write_all(b"\x03\0\0\0\x02ab\x02\0\0").unwrap();
        assert!(matches!(mail.hear::<String>(until), Heard::Message(text) if text == "ab"));
        assert!(matches!(mail.hear::<String>(Instant::now()), Heard::Nothing));
        input.write_all(b"\0\x01c\x07").unwrap();
        drop(input);
        assert!(matches!(mail.hear::<String>(until), Heard::Message(text) if text == "c"));
        assert!(matches!(mail.hear::<String>(until), Heard::Closed));
        assert!(!mail.is_silent());
        child.wait().unwrap();
    }

    #[test]
    fn whoever_never_ends_a_message_is_not_heard_for_ever() {
        let (mut child, mut mail) = of(r"printf '\000\000\000\001'; while :; do printf x; done");
        assert!(matches!(mail.hear::<String>(Instant::now() + Duration::from_millis(50)), Heard::Nothing));
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn what_is_too_long_is_not_waited_for() {
        let (mut child, mut mail) = of(r"printf '\377\377\377\377'; exec sleep 60");
        let until = Instant::now() + Duration::from_secs(60);
        assert!(matches!(mail.hear::<String>(until), Heard::Garbled(_)));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
