//! What a worker died of.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use crate::worker::reason::Reason;

/// Signals by which a process ends itself, or the kernel ends it for what it did.
const CRASHES: [i32; 9] = [
    libc::SIGSEGV,
    libc::SIGABRT,
    libc::SIGBUS,
    libc::SIGILL,
    libc::SIGFPE,
    libc::SIGTRAP,
    libc::SIGSYS,
    libc::SIGXFSZ,
    libc::SIGXCPU,
];

/// Whether somebody else ended the process.
pub fn is_kill(status: ExitStatus) -> bool {
    status.signal().is_some_and(|signal| !CRASHES.contains(&signal))
}

/// Why a worker is gone that nobody has killed. A virtual machine that crashes writes a report and then just exits.
pub fn reason(status: ExitStatus, crash_report: Option<&str>) -> Reason {
    match (crash_report, status.signal()) {
        (Some(report), _) if report.contains("insufficient memory") => Reason::OutOfMemory,
        (Some(report), _) => Reason::Crashed { detail: summary(report) },
        (None, Some(signal)) => Reason::Crashed { detail: format!("signal {signal}, and no report") },
        (None, None) => Reason::Ended { status: status.code().unwrap_or(-1) },
    }
}

/// The signal and the function of a crash report, without what is another in every run.
fn summary(report: &str) -> String {
    let lines: Vec<_> = report.lines().map(|line| line.trim_start_matches(['#', ' '])).take(40).collect();
    let signal = lines.iter().find(|line| line.starts_with("SIG")).and_then(|line| line.split(' ').next());
    let frame = lines.iter().skip_while(|line| !line.starts_with("Problematic frame")).nth(1);
    // Such as `V  [libjvm.so+0xe9c2f2]  Unsafe_PutInt+0x82`.
    let frame = frame.map(|frame| frame.split_whitespace().map(without_offset).collect::<Vec<_>>().join(" "));
    match (signal, frame) {
        (Some(signal), Some(frame)) => format!("{signal} in {frame}"),
        (Some(signal), None) => signal.to_owned(),
        _ => "its report names no signal".to_owned(),
    }
}

fn without_offset(word: &str) -> String {
    match word.find("+0x") {
        Some(at) if word.starts_with('[') => format!("{}]", &word[..at]),
        Some(at) => word[..at].to_owned(),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "#\n# A fatal error has been detected by the Java Runtime Environment:\n#\n\
        #  SIGSEGV (0xb) at pc=0x00007f8a1c69c2f2, pid=4711, tid=4712\n#\n# JRE version: OpenJDK\n\
        # Problematic frame:\n# V  [libjvm.so+0xe9c2f2]  Unsafe_PutInt+0x82\n#\n";

    #[test]
    fn a_crash_is_told_by_what_is_the_same_in_every_run() {
        let expected = Reason::Crashed { detail: "SIGSEGV in V [libjvm.so] Unsafe_PutInt".into() };
        assert_eq!(reason(ExitStatus::from_raw(1 << 8), Some(REPORT)), expected);
        let report = "# There is insufficient memory for the Java Runtime Environment to continue.";
        assert_eq!(reason(ExitStatus::from_raw(6), Some(report)), Reason::OutOfMemory);
        assert_eq!(reason(ExitStatus::from_raw(3 << 8), None), Reason::Ended { status: 3 });
    }

    #[test]
    fn kills_and_crashes_are_told_apart() {
        assert!(is_kill(ExitStatus::from_raw(libc::SIGKILL)) && is_kill(ExitStatus::from_raw(libc::SIGTERM)));
        assert!(!is_kill(ExitStatus::from_raw(libc::SIGSEGV)) && !is_kill(ExitStatus::from_raw(1 << 8)));
    }
}
