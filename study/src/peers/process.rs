//! Runs a command within a time, and says what it cost.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::Context;
use nix::sys::resource::{UsageWho, getrusage};
use rustix::process::{Pid, Signal, kill_process_group};
use serde::{Deserialize, Serialize};

/// Time that a command took, with all processes that it waited for.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Cost {
    pub seconds: f64,
    pub processor_seconds: f64,
}

/// What came of a command.
#[derive(Debug)]
pub struct Ended {
    pub stdout: String,
    pub stderr: String,
    /// None if it was stopped.
    pub status: Option<i32>,
    pub cost: Cost,
}

/// Runs a command in a process group of its own, which is killed when the limit is over.
pub fn run(command: &mut Command, limit: Duration) -> anyhow::Result<Ended> {
    let before = processor_seconds()?;
    let begun = Instant::now();
    let mut child = command
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", command.get_program().to_string_lossy()))?;
    let group = Pid::from_child(&child);
    let mut out = child.stdout.take().context("internal bug: no pipe")?;
    let mut err = child.stderr.take().context("internal bug: no pipe")?;
    // A pipe that nobody reads would fill up and stop the command.
    let errors = std::thread::spawn(move || read(&mut err));
    let output = std::thread::spawn(move || read(&mut out));
    let (over, wait) = mpsc::channel::<()>();
    let guard = std::thread::spawn(move || {
        let late = wait.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout);
        if late {
            // It may have ended by itself in between; then there is nobody to kill.
            let _ = kill_process_group(group, Signal::KILL);
        }
        late
    });
    let status = child.wait()?;
    drop(over);
    let late = guard.join().unwrap_or(false);
    let seconds = begun.elapsed().as_secs_f64();
    Ok(Ended {
        stdout: output.join().unwrap_or_default(),
        stderr: errors.join().unwrap_or_default(),
        status: status.code().filter(|_| !late),
        cost: Cost { seconds, processor_seconds: processor_seconds()? - before },
    })
}

fn read(from: &mut impl Read) -> String {
    let mut bytes = Vec::new();
    // What came before an error is still worth having.
    let _ = from.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Of all processes that were started here and have ended.
fn processor_seconds() -> anyhow::Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}
