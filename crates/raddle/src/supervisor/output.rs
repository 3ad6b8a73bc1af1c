//! What the code under test prints: read as fast as it comes, counted, and the end of it kept.
//!
//! A worker writes a mark after each job, so that the output of one job is not taken for that of the next. Code under test
//! that writes such a mark itself mixes up its own output and nothing else.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::worker::protocol;

/// What was printed during a job, to standard output and standard error.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Printed {
    /// How many bytes.
    pub bytes: u64,
    /// The last of them.
    pub tail: String,
}

/// So many bytes are kept.
const KEPT: usize = 8 * 1024;
/// For so long the last of the output is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// The output of a worker.
#[derive(Debug)]
pub struct Output(Arc<(Mutex<State>, Condvar)>);

#[derive(Debug, Default)]
struct State {
    /// All that came since the end of the last job, but no more than the last bytes of it.
    tail: VecDeque<u8>,
    /// How many bytes came since then.
    bytes: u64,
    /// The jobs that ended, in their order.
    ended: VecDeque<Printed>,
    job: u64,
    closed: bool,
}

impl Output {
    /// Reads a stream to its end.
    pub fn read(mut from: impl Read + Send + 'static) -> std::io::Result<Output> {
        let shared = Arc::new((Mutex::new(State { job: 1, ..State::default() }), Condvar::new()));
        let output = Output(shared.clone());
        std::thread::Builder::new().name("raddle-output".into()).spawn(move || {
            let mut buffer = [0; 64 * 1024];
            loop {
                let length = from.read(&mut buffer).unwrap_or(0);
                let mut state = shared.0.lock().unwrap_or_else(|e| e.into_inner());
                state.take(&buffer[..length]);
                state.closed = length == 0;
                shared.1.notify_all();
                if length == 0 {
                    return;
                }
            }
        })?;
        Ok(output)
    }

    /// What the job printed that has just been answered; or, once the worker is gone, what it printed since the last. None
    /// if the mark does not come though the worker goes on.
    pub fn of_job(&self) -> Option<Printed> {
        let (_, changed) = &*self.0;
        let until = Instant::now() + PATIENCE;
        let mut state = self.lock();
        loop {
            if let Some(printed) = state.ended.pop_front() {
                return Some(printed);
            }
            let left = until.saturating_duration_since(Instant::now());
            if state.closed {
                return Some(state.end());
            }
            if left.is_zero() {
                return None;
            }
            state = changed.wait_timeout(state, left).unwrap_or_else(|e| e.into_inner()).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.0.lock().unwrap_or_else(|e| e.into_inner())
    }
}

impl State {
    fn take(&mut self, bytes: &[u8]) {
        let mut seen = self.tail.len();
        self.tail.extend(bytes);
        self.bytes += bytes.len() as u64;
        loop {
            let mark = protocol::end_of_output(self.job);
            // A mark can come in two parts.
            let from = seen.saturating_sub(mark.len());
            let Some(at) = find(&self.tail.make_contiguous()[from..], &mark) else { break };
            let rest = self.tail.split_off(from + at + mark.len());
            self.tail.truncate(from + at);
            self.bytes -= (mark.len() + rest.len()) as u64;
            let printed = self.end();
            self.ended.push_back(printed);
            self.job += 1;
            (self.bytes, self.tail, seen) = (rest.len() as u64, rest, 0);
        }
        // The beginning of a mark does not count as output yet.
        let surplus = self.tail.len().saturating_sub(KEPT + protocol::end_of_output(self.job).len());
        self.tail.drain(..surplus);
    }

    fn end(&mut self) -> Printed {
        let surplus = self.tail.len().saturating_sub(KEPT);
        self.tail.drain(..surplus);
        let tail = std::mem::take(&mut self.tail);
        let tail = String::from_utf8_lossy(&Vec::from(tail)).into_owned();
        Printed { bytes: std::mem::take(&mut self.bytes), tail }
    }
}

fn find(bytes: &[u8], mark: &[u8]) -> Option<usize> {
    bytes.windows(mark.len()).position(|window| window == mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives its bytes in pieces of a length that cuts every mark somewhere.
    struct Pieces(Vec<u8>, usize);

    impl Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let length = self.1.min(self.0.len());
            buffer[..length].copy_from_slice(&self.0[..length]);
            self.0.drain(..length);
            Ok(length)
        }
    }

    #[test]
    fn jobs_are_told_apart_and_only_the_end_is_kept() {
        for piece in [1, 7, 64 * 1024] {
            let mut bytes = b"first".to_vec();
            bytes.extend(protocol::end_of_output(1));
            bytes.extend(protocol::end_of_output(2));
            bytes.extend(vec![b'x'; 3 * KEPT]);
            bytes.extend(b"third");
            bytes.extend(protocol::end_of_output(3));
            bytes.extend(b"cut off");
            let output = Output::read(Pieces(bytes, piece)).unwrap();
            assert_eq!(output.of_job(), Some(Printed { bytes: 5, tail: "first".into() }));
            assert_eq!(output.of_job(), Some(Printed::default()));
            let third = output.of_job().unwrap();
            assert_eq!((third.bytes, third.tail.len()), (3 * KEPT as u64 + 5, KEPT));
            assert!(third.tail.ends_with("xthird"));
            assert_eq!(output.of_job(), Some(Printed { bytes: 7, tail: "cut off".into() }));
        }
    }
}
