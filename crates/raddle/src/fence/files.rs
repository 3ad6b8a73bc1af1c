//! Landlock: which files a worker can reach, and whom it can talk to.
//!
//! Whatever is not named here cannot be opened, made, renamed or deleted. The rules of the newest kernels (ports,
//! signals, abstract sockets) are asked for where there are any; `calls` refuses the same on older ones.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, RestrictionStatus,
    Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus, Scope,
};

use super::{Fence, FenceError};

/// Why workers cannot be fenced on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// The kernel was built without it, it was switched off, or a sandbox around us hides it.
    #[error("this kernel has no Landlock, so tests cannot be fenced off: they could do whatever you can")]
    Landlock,
    /// It cannot refuse that files are cut short.
    #[error("the Landlock of this kernel is too old (Linux 6.2 is needed), so tests cannot be fenced off")]
    TooOld,
}

/// The oldest version that keeps all writes out.
const NEEDED: ABI = ABI::V3;
/// The newest version whose rules are known here.
const KNOWN: ABI = ABI::V6;

/// Says whether workers can be fenced on this machine. Nothing is restricted by it.
pub fn check() -> Result<(), Missing> {
    let can = |version| {
        let strict = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        strict.handle_access(AccessFs::from_all(version)).and_then(Ruleset::create).is_ok()
    };
    if can(NEEDED) {
        Ok(())
    } else if can(ABI::V1) {
        Err(Missing::TooOld)
    } else {
        Err(Missing::Landlock)
    }
}

/// What every virtual machine reads, where it is there: libraries, the machine, the time zone, names of users and hosts.
/// Nothing here is anybody's secret.
const SYSTEM: [&str; 32] = [
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/share/zoneinfo",
    "/usr/share/locale",
    "/etc/ld.so.cache",
    "/etc/ld.so.preload",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/etc/group",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/gai.conf",
    "/etc/resolv.conf",
    "/etc/os-release",
    "/proc/self",
    "/proc/cgroups",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/sys/kernel/cap_last_cap",
    "/proc/sys/kernel/pid_max",
    "/proc/sys/kernel/threads-max",
    "/proc/sys/vm/max_map_count",
    "/proc/sys/vm/swappiness",
    "/proc/version",
    "/sys/fs/cgroup",
    "/sys/devices/system",
    "/sys/kernel/mm",
];

/// Devices that may be read and written.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

pub fn restrict(fence: &Fence) -> Result<(), FenceError> {
    let rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(NEEDED))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(KNOWN))?
        .handle_access(AccessNet::from_all(KNOWN))?
        .scope(Scope::from_all(KNOWN))?;
    let mut rules = rules.create()?;
    // Executing is reading for a library, and never allowed.
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let private = AccessFs::from_all(KNOWN) & !BitFlags::from(AccessFs::Execute) & !special_files();
    rules = rules.add_rule(PathBeneath::new(open(&fence.private)?, private))?;
    for path in SYSTEM.iter().map(PathBuf::from).chain(fence.readable.iter().cloned()).filter(|path| path.exists()) {
        let access = if path.is_dir() { read } else { AccessFs::ReadFile.into() };
        rules = rules.add_rule(PathBeneath::new(open(&path)?, access))?;
    }
    for path in DEVICES.iter().map(Path::new).filter(|path| path.exists()) {
        rules = rules.add_rule(PathBeneath::new(open(path)?, AccessFs::ReadFile | AccessFs::WriteFile))?;
    }
    let RestrictionStatus { ruleset, no_new_privs, .. } = rules.restrict_self()?;
    let enforced = ruleset != RulesetStatus::NotEnforced && no_new_privs;
    if enforced { Ok(()) } else { Err(Missing::Landlock.into()) }
}

/// Devices, sockets and pipes with names have no place in a private folder.
fn special_files() -> BitFlags<AccessFs> {
    AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::MakeSock | AccessFs::MakeFifo | AccessFs::IoctlDev
}

fn open(path: &Path) -> Result<PathFd, FenceError> {
    PathFd::new(path).map_err(|error| FenceError::Path { path: path.to_owned(), reason: error.to_string() })
}
