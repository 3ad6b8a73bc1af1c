//! The tool interface, as much of it as is needed: functions by their number in the specification.

use jni_sys::{JNIEnv, JavaVM, jboolean, jclass, jint, jobject};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{null, null_mut};

/// The tool interface's environment. One value serves all threads.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Jvmti(*mut *const *const c_void);

// SAFETY: the environment may be used by all threads.
unsafe impl Send for Jvmti {}
// SAFETY: as above.
unsafe impl Sync for Jvmti {}

/// Numbers of functions.
mod function {
    pub const SET_EVENT_NOTIFICATION_MODE: usize = 2;
    pub const GET_FRAME_COUNT: usize = 16;
    pub const GET_THREAD_STATE: usize = 17;
    pub const GET_OBJECT_MONITOR_USAGE: usize = 59;
    pub const ALLOCATE: usize = 46;
    pub const DEALLOCATE: usize = 47;
    pub const GET_CLASS_SIGNATURE: usize = 48;
    pub const IS_ARRAY_CLASS: usize = 56;
    pub const SET_NATIVE_METHOD_PREFIX: usize = 73;
    pub const GET_TAG: usize = 106;
    pub const SET_TAG: usize = 107;
    pub const SET_EVENT_CALLBACKS: usize = 122;
    pub const ADD_CAPABILITIES: usize = 142;
}

/// Numbers of events; the table of callbacks starts at 50.
mod event {
    pub const FIRST: usize = 50;
    pub const THREAD_START: usize = 52;
    pub const THREAD_END: usize = 53;
    pub const CLASS_FILE_LOAD_HOOK: usize = 54;
    pub const MONITOR_CONTENDED_ENTER: usize = 75;
    pub const RESOURCE_EXHAUSTED: usize = 80;
    pub const VIRTUAL_THREAD_START: usize = 87;
    pub const VIRTUAL_THREAD_END: usize = 88;
    pub const COUNT: usize = 40;
}

/// Bits of the capabilities: tags of objects; looks at monitors and news of them; hooks for all classes, from the first
/// one on; a prefix for native methods; news of memory and threads that ran out.
const CAPABILITIES: [usize; 9] = [0, 7, 26, 28, 36, 39, 40, 41, 42];

/// The same for virtual threads, which Java 21 and later have.
const VIRTUAL_THREADS: usize = 44;

const VERSION: jint = 0x3001_0200;

/// Called for each class that is loaded.
pub type ClassFileLoadHook = unsafe extern "system" fn(
    Jvmti,
    *mut JNIEnv,
    jclass,
    jobject,
    *const c_char,
    jobject,
    jint,
    *const u8,
    *mut jint,
    *mut *mut u8,
);

/// Called in a thread when it starts, and when it ends.
pub type ThreadHook = unsafe extern "system" fn(Jvmti, *mut JNIEnv, jobject);

/// Called in a thread that is about to block on a monitor.
pub type MonitorHook = unsafe extern "system" fn(Jvmti, *mut JNIEnv, jobject, jobject);

/// Called in a thread that asked for what there is no more of: memory or threads.
pub type ExhaustedHook = unsafe extern "system" fn(Jvmti, *mut JNIEnv, jint, *const c_void, *const c_char);

/// What is called when.
pub struct Callbacks {
    /// For each class that is loaded.
    pub class_file_load: ClassFileLoadHook,
    /// In a new thread, before its `run`.
    pub thread_start: ThreadHook,
    /// In a thread, after its `run`.
    pub thread_end: ThreadHook,
    /// In a thread that is about to block on a monitor.
    pub contended_enter: MonitorHook,
    /// In a thread that asked for what there is no more of.
    pub exhausted: ExhaustedHook,
}

/// What the machine knows of a monitor.
#[repr(C)]
struct MonitorUsage {
    owner: jobject,
    entries: jint,
    waiters: jint,
    waiting: *mut jobject,
    notify_waiters: jint,
    notify_waiting: *mut jobject,
}

impl Jvmti {
    /// Asks for the interface and for all classes as they are loaded. For use while the machine starts.
    ///
    /// # Safety
    /// `vm` must be the virtual machine that is loading this agent.
    pub unsafe fn start(vm: *mut JavaVM, called: Callbacks, prefix: &CStr) -> Option<Jvmti> {
        let mut env = null_mut();
        // SAFETY: the caller gives a virtual machine; the pointer is good for the call.
        if unsafe { ((**vm).v1_2.GetEnv)(vm, &mut env, VERSION) } != 0 {
            return None;
        }
        let jvmti = Jvmti(env.cast());

        let capabilities = |bits: &[usize]| {
            let mut capabilities = [0u8; 16];
            bits.iter().for_each(|bit| capabilities[bit / 8] |= 1 << (bit % 8));
            capabilities
        };
        let mut callbacks = [null::<c_void>(); event::COUNT];
        callbacks[event::CLASS_FILE_LOAD_HOOK - event::FIRST] = called.class_file_load as *const c_void;
        callbacks[event::THREAD_START - event::FIRST] = called.thread_start as *const c_void;
        callbacks[event::THREAD_END - event::FIRST] = called.thread_end as *const c_void;
        callbacks[event::MONITOR_CONTENDED_ENTER - event::FIRST] = called.contended_enter as *const c_void;
        callbacks[event::RESOURCE_EXHAUSTED - event::FIRST] = called.exhausted as *const c_void;
        callbacks[event::VIRTUAL_THREAD_START - event::FIRST] = called.thread_start as *const c_void;
        callbacks[event::VIRTUAL_THREAD_END - event::FIRST] = called.thread_end as *const c_void;
        // SAFETY: these are the signatures of these functions; all pointers are good for the calls, and
        // the machine copies what they point to.
        let results = unsafe {
            let add: unsafe extern "system" fn(Jvmti, *const [u8; 16]) -> c_int =
                jvmti.function(function::ADD_CAPABILITIES);
            let set: unsafe extern "system" fn(Jvmti, *const c_void, jint) -> c_int =
                jvmti.function(function::SET_EVENT_CALLBACKS);
            let enable: unsafe extern "C" fn(Jvmti, c_int, c_int, jobject, ...) -> c_int =
                jvmti.function(function::SET_EVENT_NOTIFICATION_MODE);
            let set_prefix: unsafe extern "system" fn(Jvmti, *const c_char) -> c_int =
                jvmti.function(function::SET_NATIVE_METHOD_PREFIX);
            let has_virtual = add(jvmti, &capabilities(&[VIRTUAL_THREADS])) == 0;
            let results = [
                add(jvmti, &capabilities(&CAPABILITIES)),
                set(jvmti, callbacks.as_ptr().cast(), size_of_val(&callbacks) as jint),
                set_prefix(jvmti, prefix.as_ptr()),
                enable(jvmti, 1, event::CLASS_FILE_LOAD_HOOK as c_int, null_mut()),
                enable(jvmti, 1, event::THREAD_START as c_int, null_mut()),
                enable(jvmti, 1, event::THREAD_END as c_int, null_mut()),
                enable(jvmti, 1, event::MONITOR_CONTENDED_ENTER as c_int, null_mut()),
                enable(jvmti, 1, event::RESOURCE_EXHAUSTED as c_int, null_mut()),
            ];
            if has_virtual {
                // Without them, virtual threads would not be under control; nothing else depends on them.
                enable(jvmti, 1, event::VIRTUAL_THREAD_START as c_int, null_mut());
                enable(jvmti, 1, event::VIRTUAL_THREAD_END as c_int, null_mut());
            }
            results
        };
        results.iter().all(|&result| result == 0).then_some(jvmti)
    }

    /// Memory that the machine will free, with these bytes in it.
    pub fn copy(self, bytes: &[u8]) -> Option<*mut u8> {
        let mut memory = null_mut();
        // SAFETY: this is the signature of this function, and the pointer is good for the call.
        let result = unsafe {
            let allocate: unsafe extern "system" fn(Jvmti, i64, *mut *mut u8) -> c_int =
                self.function(function::ALLOCATE);
            allocate(self, bytes.len() as i64, &mut memory)
        };
        if result != 0 {
            return None;
        }
        // SAFETY: the machine has just given that many bytes, which nobody else knows of.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), memory, bytes.len()) };
        Some(memory)
    }

    /// The number that was attached to an object; 0 if none was.
    pub fn tag(self, object: jobject) -> i64 {
        let mut tag = 0;
        // SAFETY: this is the signature of this function, and the pointer is good for the call.
        unsafe {
            let get: unsafe extern "system" fn(Jvmti, jobject, *mut i64) -> c_int = self.function(function::GET_TAG);
            get(self, object, &mut tag);
        }
        tag
    }

    /// Whether a class is one of arrays.
    pub fn is_array_class(self, class: jclass) -> bool {
        let mut is_array = false;
        // SAFETY: this is the signature of this function, which writes to what is given.
        unsafe {
            let ask: unsafe extern "system" fn(Jvmti, jclass, *mut jboolean) -> c_int =
                self.function(function::IS_ARRAY_CLASS);
            let error = ask(self, class, &mut is_array);
            debug_assert_eq!(error, 0, "internal bug: a class is a class");
        }
        is_array
    }

    /// The descriptor of the elements of a class of arrays, if they are primitive values.
    pub fn element(self, class: jclass) -> Option<u8> {
        let mut signature: *mut u8 = null_mut();
        // SAFETY: these are the signatures of these functions; the machine gives a text that ends with a zero, which is
        // given back once it was read.
        unsafe {
            let ask: unsafe extern "system" fn(Jvmti, jclass, *mut *mut u8, *mut *mut u8) -> c_int =
                self.function(function::GET_CLASS_SIGNATURE);
            let deallocate: unsafe extern "system" fn(Jvmti, *mut u8) -> c_int = self.function(function::DEALLOCATE);
            let error = ask(self, class, &mut signature, null_mut());
            assert!(error == 0 && !signature.is_null(), "internal bug: a class has no signature");
            let letter = if *signature == b'[' { *signature.add(1) } else { b'L' };
            deallocate(self, signature);
            (!matches!(letter, b'L' | b'[')).then_some(letter)
        }
    }

    /// How many calls the current thread is in.
    pub fn frames(self) -> u32 {
        let mut frames = 0;
        // SAFETY: this is the signature of this function, which writes to what is given; without a thread it is about the current one.
        unsafe {
            let ask: unsafe extern "system" fn(Jvmti, jobject, *mut jint) -> c_int =
                self.function(function::GET_FRAME_COUNT);
            let error = ask(self, null_mut(), &mut frames);
            debug_assert_eq!(error, 0, "internal bug: the current thread has no stack");
        }
        frames.max(0) as u32
    }

    /// Whether a thread was never started.
    pub fn is_unstarted(self, thread: jobject) -> bool {
        let mut state = 0;
        // SAFETY: this is the signature of this function, which writes to what is given.
        let result = unsafe {
            let ask: unsafe extern "system" fn(Jvmti, jobject, *mut jint) -> c_int =
                self.function(function::GET_THREAD_STATE);
            ask(self, thread, &mut state)
        };
        result == 0 && state == 0
    }

    /// Attaches a number to an object. It is forgotten with the object.
    pub fn set_tag(self, object: jobject, tag: i64) {
        // SAFETY: this is the signature of this function.
        unsafe {
            let set: unsafe extern "system" fn(Jvmti, jobject, i64) -> c_int = self.function(function::SET_TAG);
            set(self, object, tag);
        }
    }

    /// The thread that holds the monitor of an object; null if none does.
    pub fn owner(self, object: jobject) -> jobject {
        let mut usage = MonitorUsage {
            owner: null_mut(),
            entries: 0,
            waiters: 0,
            waiting: null_mut(),
            notify_waiters: 0,
            notify_waiting: null_mut(),
        };
        // SAFETY: these are the signatures of these functions; the machine fills the structure in, and takes
        // back the memory that it has given.
        unsafe {
            let look: unsafe extern "system" fn(Jvmti, jobject, *mut MonitorUsage) -> c_int =
                self.function(function::GET_OBJECT_MONITOR_USAGE);
            let deallocate: unsafe extern "system" fn(Jvmti, *mut u8) -> c_int = self.function(function::DEALLOCATE);
            let result = look(self, object, &mut usage);
            deallocate(self, usage.waiting.cast());
            deallocate(self, usage.notify_waiting.cast());
            if result == 0 { usage.owner } else { null_mut() }
        }
    }

    /// # Safety
    /// `F` must be the type of the function with that number.
    unsafe fn function<F: Copy>(self, number: usize) -> F {
        // SAFETY: the table has an entry for each number, and the caller knows its type.
        unsafe { std::mem::transmute_copy(&*(*self.0).add(number - 1)) }
    }
}
