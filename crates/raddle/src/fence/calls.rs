//! A filter of system calls, for what Landlock does not refuse, or not on every kernel.
//!
//! It is a list of what is refused, not of what is allowed: a virtual machine and the code under test may use whatever
//! else a process can do to itself. Refused is what reaches other processes, the network, the attributes of files (which
//! Landlock leaves alone wherever they are), the limits of this process and the administration of the machine.
//!
//! The kernel knows which calls pass whatever their arguments are, so for those that the engine lives on it does not matter
//! how many rules there are; any filter at all costs some nanoseconds a call.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};

use super::FenceError;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

pub fn filter() -> Result<(), FenceError> {
    apply(refused(), SeccompAction::Errno(libc::EACCES as u32))?;
    // The filter cannot look at the arguments of this one. The C library takes the older call when there is no such.
    apply([(libc::SYS_clone3, vec![])].into(), SeccompAction::Errno(libc::ENOSYS as u32))
}

fn apply(rules: Rules, action: SeccompAction) -> Result<(), FenceError> {
    let failed = |error: &dyn std::fmt::Display| FenceError::Calls(error.to_string());
    let architecture = std::env::consts::ARCH.try_into().map_err(|error| failed(&error))?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, action, architecture);
    let program: Result<BpfProgram, _> = filter.and_then(TryInto::try_into);
    seccompiler::apply_filter(&program.map_err(|error| failed(&error))?).map_err(|error| failed(&error))
}

fn refused() -> Rules {
    let mut rules: Rules = ALWAYS.iter().map(|&call| (call, vec![])).collect();
    let own = std::process::id() as u64;
    // A new process, not a new thread.
    rules.insert(libc::SYS_clone, vec![only(0, SeccompCmpOp::MaskedEq(libc::CLONE_THREAD as u64), 0)]);
    // Signals to anybody else; the virtual machine sends some to its own threads.
    for call in [libc::SYS_kill, libc::SYS_tgkill, libc::SYS_rt_sigqueueinfo, libc::SYS_rt_tgsigqueueinfo] {
        rules.insert(call, vec![only(0, SeccompCmpOp::Ne, own)]);
    }
    // To set limits, not to look at them.
    rules.insert(libc::SYS_prlimit64, vec![SeccompRule::new(vec![pointer(2)]).expect(VALID)]);
    // A datagram with an address, or a connection that is opened by sending.
    rules.insert(libc::SYS_sendto, vec![SeccompRule::new(vec![pointer(4)]).expect(VALID)]);
    // Only streams, and only of the families that Java has.
    let kinds = [libc::SOCK_DGRAM, libc::SOCK_RAW, libc::SOCK_RDM, libc::SOCK_SEQPACKET, libc::SOCK_DCCP, SOCK_PACKET];
    let mut socket: Vec<_> =
        kinds.iter().map(|&kind| only(1, SeccompCmpOp::MaskedEq(KIND_OF_SOCKET), kind as u64)).collect();
    socket.push(only(0, SeccompCmpOp::Gt, libc::AF_INET6 as u64));
    let between = [(SeccompCmpOp::Gt, libc::AF_INET), (SeccompCmpOp::Lt, libc::AF_INET6)];
    let between = between.map(|(operator, family)| condition(0, operator, family as u64));
    socket.push(SeccompRule::new(between.into()).expect(VALID));
    rules.insert(libc::SYS_socket, socket);
    rules
}

const SOCK_PACKET: i32 = 10;
/// The bits of a socket's type that are not flags.
const KIND_OF_SOCKET: u64 = 0xf;

const VALID: &str = "internal bug: a condition on an argument that there is";

fn only(argument: u8, operator: SeccompCmpOp, value: u64) -> SeccompRule {
    SeccompRule::new(vec![condition(argument, operator, value)]).expect(VALID)
}

fn condition(argument: u8, operator: SeccompCmpOp, value: u64) -> SeccompCondition {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value).expect(VALID)
}

/// A pointer that is not null.
fn pointer(argument: u8) -> SeccompCondition {
    SeccompCondition::new(argument, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0).expect(VALID)
}

/// Refused whatever the arguments are.
const ALWAYS: &[i64] = &[
    // Other programs and processes.
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_fork,
    libc::SYS_vfork,
    libc::SYS_tkill,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_send_signal,
    libc::SYS_pidfd_getfd,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_setpgid,
    libc::SYS_setsid,
    libc::SYS_setrlimit,
    // The network, and sockets in files, which may be anybody's.
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_sendmsg,
    libc::SYS_sendmmsg,
    libc::SYS_io_uring_setup,
    // The attributes of files.
    libc::SYS_chmod,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_chown,
    libc::SYS_fchown,
    libc::SYS_lchown,
    libc::SYS_fchownat,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    // The machine.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_mount_setattr,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_quotactl,
    libc::SYS_syslog,
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_open_by_handle_at,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_msgget,
    libc::SYS_msgctl,
    libc::SYS_semget,
    libc::SYS_semctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];
