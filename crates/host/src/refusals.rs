//! What the operating system has refused to the code under test.
//!
//! `File.delete` only says false, and exceptions are caught: nothing in Java tells reliably of a refusal. But the
//! native libraries of the JDK call the C library, and a symbol of the executable comes before one of a library. So
//! the functions below stand in front of those of the C library: each calls the one behind it, and notes if that
//! failed for lack of permission.
//!
//! **What it may miss.** Native code that makes system calls itself. It is refused all the same; this only tells of it.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, OnceLock};

/// Refusals are noted from now on. Each new one is told at once, in the thread that it happens in: the process may not live
/// long enough to be asked.
pub fn note_refusals(tell: fn(&str)) {
    // Whoever was first is told.
    let _ = TELL.set(tell);
}

/// What was refused since this was last asked: each once, and the first only if there are very many.
pub fn take_refusals() -> Vec<String> {
    std::mem::take(&mut *REFUSED.lock().unwrap_or_else(|e| e.into_inner()))
}

static TELL: OnceLock<fn(&str)> = OnceLock::new();
static REFUSED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// How many different refusals are noted.
pub const MOST_REFUSALS: usize = 32;
/// How long what was refused may be written.
const MAX_LENGTH: usize = 200;

const EPERM: c_int = 1;
const EACCES: c_int = 13;

unsafe extern "C" {
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn __errno_location() -> *mut c_int;
}

/// The function behind ours.
fn behind(known: &AtomicPtr<c_void>, name: &CStr) -> *mut c_void {
    const NEXT_LIBRARY: *mut c_void = -1isize as *mut c_void;
    let mut function = known.load(Ordering::Relaxed);
    if function.is_null() {
        // SAFETY: the name ends in zero, and this asks for the definition after ours.
        function = unsafe { dlsym(NEXT_LIBRARY, name.as_ptr()) };
        assert!(!function.is_null(), "internal bug: the C library has no {name:?}");
        known.store(function, Ordering::Relaxed);
    }
    function
}

/// Notes a failure that is a refusal. `errno` stays as it is.
fn note(error: Option<c_int>, describe: impl FnOnce() -> String) {
    let Some(tell) = TELL.get() else { return };
    // SAFETY: this is the place of the current thread's `errno`.
    let place = unsafe { __errno_location() };
    // SAFETY: as above; no other thread uses it.
    let errno = unsafe { *place };
    if matches!(error.unwrap_or(errno), EPERM | EACCES) {
        let text: String = describe().chars().take(MAX_LENGTH).collect();
        let mut refused = REFUSED.lock().unwrap_or_else(|e| e.into_inner());
        let is_new = refused.len() < MOST_REFUSALS && !refused.contains(&text);
        if is_new {
            refused.push(text.clone());
        }
        drop(refused);
        if is_new {
            tell(&text);
        }
    }
    // SAFETY: as above.
    unsafe { *place = errno };
}

/// # Safety
/// The pointer must be null or to a string that ends in zero.
unsafe fn text(path: *const c_char) -> String {
    if path.is_null() {
        return String::new();
    }
    // SAFETY: the caller gives such a string.
    unsafe { CStr::from_ptr(path) }.to_string_lossy().into_owned()
}

/// What opening a file is for.
fn purpose(flags: c_int) -> &'static str {
    const WRITES: c_int = 0o3 | 0o100 | 0o1000;
    if flags & WRITES == 0 { "read" } else { "write" }
}

/// The same for a stream.
///
/// # Safety
/// The pointer must be null or to a string that ends in zero.
unsafe fn purpose_of(mode: *const c_char) -> &'static str {
    // SAFETY: the caller gives such a string.
    let mode = unsafe { text(mode) };
    if mode.contains(['w', 'a', '+']) { "write" } else { "read" }
}

/// What functions of the C library give.
trait Given {
    /// Whether it says that `errno` has the reason.
    fn is_failure(&self) -> bool;
}

impl Given for c_int {
    fn is_failure(&self) -> bool {
        *self < 0
    }
}

impl Given for *mut c_void {
    fn is_failure(&self) -> bool {
        self.is_null()
    }
}

/// A socket address in words.
///
/// # Safety
/// The pointer must be null or to so many bytes.
unsafe fn address(address: *const u8, length: c_uint) -> String {
    if address.is_null() {
        return String::new();
    }
    // SAFETY: the caller gives so many bytes.
    let bytes = unsafe { std::slice::from_raw_parts(address, length as usize) };
    match bytes {
        [2, 0, high, low, a, b, c, d, ..] => {
            format!("{}:{}", Ipv4Addr::new(*a, *b, *c, *d), u16::from_be_bytes([*high, *low]))
        }
        [10, 0, high, low, _, _, _, _, rest @ ..] if rest.len() >= 16 => {
            let bytes: [u8; 16] = rest[..16].try_into().expect("internal bug: sixteen bytes");
            let address = Ipv6Addr::from(bytes).to_canonical();
            format!("{address} port {}", u16::from_be_bytes([*high, *low]))
        }
        [1, 0, path @ ..] => String::from_utf8_lossy(path).trim_end_matches('\0').to_owned(),
        _ => "an address of another family".to_owned(),
    }
}

/// Functions in front of those of the C library, with what to call what they do.
macro_rules! in_front {
    ($(fn $name:ident($($argument:ident: $kind:ty),*) -> $gives:ty => $describe:expr;)*) => {$(
        /// In front of the function of that name in the C library.
        ///
        /// # Safety
        /// As for that function.
        #[unsafe(no_mangle)]
        // Some descriptions look at memory, and some do not.
        #[allow(unused_unsafe)]
        pub unsafe extern "C" fn $name($($argument: $kind),*) -> $gives {
            static BEHIND: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
            let name = const {
                match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => panic!("a name with zero bytes"),
                }
            };
            // SAFETY: it has the same name and so the same signature, and is called with what the caller gave.
            let result = unsafe {
                let behind: unsafe extern "C" fn($($kind),*) -> $gives =
                    std::mem::transmute(behind(&BEHIND, name));
                behind($($argument),*)
            };
            if result.is_failure() {
                // SAFETY: the caller gave arguments as the function wants them.
                note(None, || unsafe { $describe });
            }
            result
        }
    )*};
}

type Path = *const c_char;

in_front! {
    // The mode is there only if a file may be created, but reading a register that means nothing does no harm.
    fn open(path: Path, flags: c_int, mode: c_uint) -> c_int => format!("{} {}", purpose(flags), text(path));
    fn open64(path: Path, flags: c_int, mode: c_uint) -> c_int => format!("{} {}", purpose(flags), text(path));
    fn openat(folder: c_int, path: Path, flags: c_int, mode: c_uint) -> c_int => format!("{} {}", purpose(flags), text(path));
    fn openat64(folder: c_int, path: Path, flags: c_int, mode: c_uint) -> c_int => format!("{} {}", purpose(flags), text(path));
    fn unlink(path: Path) -> c_int => format!("delete {}", text(path));
    fn unlinkat(folder: c_int, path: Path, flags: c_int) -> c_int => format!("delete {}", text(path));
    fn rmdir(path: Path) -> c_int => format!("delete {}", text(path));
    fn remove(path: Path) -> c_int => format!("delete {}", text(path));
    fn rename(from: Path, to: Path) -> c_int => format!("rename {} to {}", text(from), text(to));
    fn renameat(folder: c_int, from: Path, other: c_int, to: Path) -> c_int => format!("rename {} to {}", text(from), text(to));
    fn link(from: Path, to: Path) -> c_int => format!("link {} to {}", text(to), text(from));
    fn symlink(from: Path, to: Path) -> c_int => format!("link {} to {}", text(to), text(from));
    fn mkdir(path: Path, mode: c_uint) -> c_int => format!("make the folder {}", text(path));
    fn truncate(path: Path, length: i64) -> c_int => format!("write {}", text(path));
    fn truncate64(path: Path, length: i64) -> c_int => format!("write {}", text(path));
    fn chmod(path: Path, mode: c_uint) -> c_int => format!("change the permissions of {}", text(path));
    fn fchmodat(folder: c_int, path: Path, mode: c_uint, flags: c_int) -> c_int => {
        format!("change the permissions of {}", text(path))
    };
    fn chown(path: Path, user: c_uint, group: c_uint) -> c_int => format!("change the owner of {}", text(path));
    fn lchown(path: Path, user: c_uint, group: c_uint) -> c_int => format!("change the owner of {}", text(path));
    fn utimes(path: Path, times: *const c_void) -> c_int => format!("change the times of {}", text(path));
    fn utimensat(folder: c_int, path: Path, times: *const c_void, flags: c_int) -> c_int => {
        format!("change the times of {}", text(path))
    };
    fn socket(family: c_int, kind: c_int, protocol: c_int) -> c_int => format!("open a socket of family {family}");
    fn connect(socket: c_int, to: *const u8, length: c_uint) -> c_int => format!("connect to {}", address(to, length));
    fn bind(socket: c_int, to: *const u8, length: c_uint) -> c_int => format!("bind {}", address(to, length));
    fn listen(socket: c_int, backlog: c_int) -> c_int => "listen on a socket".to_owned();
    fn kill(process: c_int, signal: c_int) -> c_int => format!("send signal {signal} to process {process}");
    fn execve(path: Path, arguments: *const c_void, environment: *const c_void) -> c_int => format!("run {}", text(path));
    fn fork() -> c_int => "start a process".to_owned();
    fn setrlimit(which: c_int, limit: *const c_void) -> c_int => "change a limit".to_owned();
    fn setrlimit64(which: c_int, limit: *const c_void) -> c_int => "change a limit".to_owned();
    fn prlimit(process: c_int, which: c_int, new: *const c_void, old: *mut c_void) -> c_int => "change a limit".to_owned();
    fn prlimit64(process: c_int, which: c_int, new: *const c_void, old: *mut c_void) -> c_int => "change a limit".to_owned();
    fn fopen(path: Path, mode: Path) -> *mut c_void => format!("{} {}", purpose_of(mode), text(path));
    fn fopen64(path: Path, mode: Path) -> *mut c_void => format!("{} {}", purpose_of(mode), text(path));
    fn opendir(path: Path) -> *mut c_void => format!("read {}", text(path));
}

/// In front of the function of that name in the C library, which gives the error as its value.
///
/// # Safety
/// As for that function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posix_spawn(
    process: *mut c_int,
    path: *const c_char,
    actions: *const c_void,
    attributes: *const c_void,
    arguments: *const *mut c_char,
    environment: *const *mut c_char,
) -> c_int {
    type Spawn = unsafe extern "C" fn(
        *mut c_int,
        *const c_char,
        *const c_void,
        *const c_void,
        *const *mut c_char,
        *const *mut c_char,
    ) -> c_int;
    static BEHIND: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
    // SAFETY: it has the same name and so the same signature, and is called with what the caller gave.
    let result = unsafe {
        let behind: Spawn = std::mem::transmute(behind(&BEHIND, c"posix_spawn"));
        behind(process, path, actions, attributes, arguments, environment)
    };
    // SAFETY: the caller gave a path as the function wants it.
    note(Some(result), || format!("start a process: {}", unsafe { text(path) }));
    result
}
