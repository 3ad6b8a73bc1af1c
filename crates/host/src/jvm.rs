//! Starts HotSpot in this process.

use crate::hook_class;
use crate::jni::{Env, Vm};
use jni_sys::{JNI_OK, JavaVMInitArgs, JavaVMOption, jint};
use std::ffi::{CString, c_void};
use std::path::{Path, PathBuf};
use std::ptr::null_mut;

/// What a virtual machine is started with.
#[derive(Debug, Clone)]
pub struct JvmSettings {
    /// The JDK.
    pub java_home: PathBuf,
    /// The class path of the classes under test.
    pub class_path: String,
    /// A folder of our own; the hook classes are written below it.
    pub folder: PathBuf,
    /// Further options, such as `-Xint`.
    pub options: Vec<String>,
    /// Hooks that do nothing. For tests that show that each is needed.
    pub left_out: Vec<String>,
}

/// Why there is no virtual machine.
#[derive(Debug, thiserror::Error)]
pub enum JvmError {
    /// The library is not there or cannot be loaded.
    #[error("cannot load the JVM of {home}: {reason}")]
    Library {
        /// The JDK.
        home: PathBuf,
        /// What the loader says.
        reason: String,
    },
    /// The hook classes could not be written.
    #[error("cannot write the hook classes below {folder}: {reason}")]
    Hooks {
        /// Where to.
        folder: PathBuf,
        /// Why not.
        reason: String,
    },
    /// HotSpot has refused.
    #[error("the JVM did not start (code {0})")]
    Refused(i32),
    /// A part of the JDK is not as expected.
    #[error("the JVM has no {0}")]
    Missing(&'static str),
}

/// A virtual machine that runs in this process.
pub struct Jvm {
    /// To attach threads.
    pub vm: Vm,
    /// The interface of the thread that started it.
    pub env: Env,
    library: libloading::os::unix::Library,
}

type CreateJavaVm = unsafe extern "system" fn(*mut *mut jni_sys::JavaVM, *mut *mut c_void, *mut c_void) -> jint;

impl Jvm {
    /// Starts the virtual machine. A process can have one, and it never ends.
    pub fn start(settings: &JvmSettings) -> Result<Jvm, JvmError> {
        let patch = write_hooks(&settings.folder, &settings.left_out)?;
        let library = load(&settings.java_home)?;
        let options: Vec<CString> = options(settings, &patch)
            .into_iter()
            .map(|option| CString::new(option).map_err(|_| JvmError::Missing("options without zero bytes")))
            .collect::<Result<_, _>>()?;
        let mut options: Vec<_> = options
            .iter()
            .map(|option| JavaVMOption { optionString: option.as_ptr().cast_mut(), extraInfo: null_mut() })
            .collect();
        let mut arguments = JavaVMInitArgs {
            version: jni_sys::JNI_VERSION_1_8,
            nOptions: options.len() as jint,
            options: options.as_mut_ptr(),
            ignoreUnrecognized: false,
        };
        let (mut vm, mut env) = (null_mut(), null_mut());
        // SAFETY: this is the signature of that function; all pointers are good for the call.
        let result = unsafe {
            let create: libloading::os::unix::Symbol<CreateJavaVm> =
                library.get("JNI_CreateJavaVM").map_err(|_| JvmError::Missing("JNI_CreateJavaVM"))?;
            create(&mut vm, &mut env, (&raw mut arguments).cast())
        };
        if result != JNI_OK {
            return Err(JvmError::Refused(result));
        }
        // SAFETY: the machine was just created, is never destroyed, and this thread is attached to it.
        Ok(unsafe { Jvm { vm: Vm::new(vm), env: Env::new(env.cast()), library } })
    }

    /// A function that the library exports.
    ///
    /// # Safety
    /// `F` must be the type of the function with that name.
    pub unsafe fn function<F: Copy>(&self, name: &'static str) -> Result<F, JvmError> {
        // SAFETY: the caller knows the type; the library is never unloaded.
        unsafe { self.library.get::<F>(name).map(|symbol| *symbol).map_err(|_| JvmError::Missing(name)) }
    }
}

fn load(java_home: &Path) -> Result<libloading::os::unix::Library, JvmError> {
    use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
    let path = java_home.join("lib/server/libjvm.so");
    // SAFETY: loading a JDK's own library runs its initialisers, which is what it is for.
    let library = unsafe { Library::open(Some(&path), RTLD_NOW | RTLD_GLOBAL) };
    library.map_err(|error| JvmError::Library { home: java_home.to_owned(), reason: error.to_string() })
}

/// Writes the hook classes below a folder, where they are not there. A virtual machine does so itself when it is started;
/// this is for processes that give up the right to write before that.
pub fn write_hooks(folder: &Path, left_out: &[String]) -> Result<PathBuf, JvmError> {
    let failed = |reason: String| JvmError::Hooks { folder: folder.to_owned(), reason };
    let patch = folder.join("java.base");
    for (name, bytes) in hook_class::classes(left_out).map_err(|error| failed(error.to_string()))? {
        let file = patch.join(format!("{name}.class"));
        if std::fs::read(&file).is_ok_and(|there| there == bytes) {
            continue;
        }
        std::fs::create_dir_all(file.parent().expect("internal bug: classes are in packages"))
            .and_then(|()| std::fs::write(&file, bytes))
            .map_err(|error| failed(error.to_string()))?;
    }
    Ok(patch)
}

fn options(settings: &JvmSettings, patch: &Path) -> Vec<String> {
    let mut options = vec![
        format!("-Djava.class.path={}", settings.class_path),
        format!("--patch-module=java.base={}", patch.display()),
        "-agentlib:raddle".to_owned(),
        // One collector thread and no barriers to speak of; tests are small.
        "-XX:+UseSerialGC".to_owned(),
        // A young generation that is soon walked through: memory stays as small as the tests are.
        "-Xmn32m".to_owned(),
        "-XX:+UnlockDiagnosticVMOptions".to_owned(),
        "-XX:+UnlockExperimentalVMOptions".to_owned(),
        // Identity hashes in sequence: no two objects share one, so they can tell objects apart.
        "-XX:hashCode=3".to_owned(),
        // Rewritten string buffers must not be jumped over.
        "-XX:-OptimizeStringConcat".to_owned(),
        "-XX:-CheckIntrinsics".to_owned(),
        // Our threads hand over to each other far more often than signals come.
        "-Xrs".to_owned(),
        "-Xshare:off".to_owned(),
        // What the code under test makes of the number of cores is the same on every machine.
        "-XX:ActiveProcessorCount=4".to_owned(),
        // Compilers that are started later would take numbers from the threads of the code under test.
        "-XX:-UseDynamicNumberOfCompilerThreads".to_owned(),
        disabled_intrinsics(feature(&settings.java_home)),
        // A virtual thread becomes a thread of its own. Java 19 and later know the option, and the others
        // have no virtual threads.
        "-XX:+IgnoreUnrecognizedVMOptions".to_owned(),
        "-XX:-VMContinuations".to_owned(),
        // It warns of each native method that we bind.
        "-Xlog:disable".to_owned(),
        "-Xlog:all=error:stderr".to_owned(),
    ];
    options.extend(settings.options.iter().cloned());
    options
}

/// The version of a JDK, by its file `release`.
fn feature(java_home: &Path) -> Option<u32> {
    let release = std::fs::read_to_string(java_home.join("release")).ok()?;
    let version = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION=\""))?;
    version.split(['.', '"', '-', '+']).next()?.parse().ok()
}

/// Methods that the compiler would replace by instructions of its own, past the hooks. HotSpot refuses names that
/// it does not know, so those that not all versions have are named by version.
fn disabled_intrinsics(feature: Option<u32>) -> String {
    const TYPES: [&str; 9] = ["Boolean", "Byte", "Char", "Double", "Float", "Int", "Long", "Reference", "Short"];
    let mut names: Vec<String> = Vec::new();
    for name in TYPES {
        names.extend(["", "Volatile", "Opaque", "Acquire"].map(|mode| format!("_get{name}{mode}")));
        names.extend(["", "Volatile", "Opaque", "Release"].map(|mode| format!("_put{name}{mode}")));
    }
    for name in ["Char", "Int", "Long", "Short"] {
        names.extend(["_get", "_put"].map(|method| format!("{method}{name}Unaligned")));
    }
    for name in ["Byte", "Int", "Long", "Reference", "Short"] {
        names.push(format!("_compareAndSet{name}"));
        names.extend(["", "Acquire", "Release"].map(|mode| format!("_compareAndExchange{name}{mode}")));
        names.extend(["", "Plain", "Acquire", "Release"].map(|mode| format!("_weakCompareAndSet{name}{mode}")));
        names.push(format!("_getAndSet{name}"));
        names.extend((name != "Reference").then(|| format!("_getAndAdd{name}")));
    }
    names.extend(
        ["_park", "_unpark", "_onSpinWait", "_hashCode", "_identityHashCode", "_currentTimeMillis", "_nanoTime"]
            .map(str::to_owned),
    );
    // These touch arrays without an instruction or call that tells of it.
    names.extend(["_copyOf", "_copyOfRange", "_clone", "_arraycopy", "_vectorizedMismatch"].map(str::to_owned));
    names.extend(["_equalsB", "_equalsC"].map(str::to_owned));
    names.extend(["_encodeISOArray", "_encodeByteISOArray", "_toBytesStringU", "_getCharsStringU"].map(str::to_owned));
    names.extend(["_inflateStringB", "_inflateStringC", "_compressStringB", "_compressStringC"].map(str::to_owned));
    for sum in
        ["BytesCRC32", "ByteBufferCRC32", "BytesCRC32C", "DirectByteBufferCRC32C", "BytesAdler32", "ByteBufferAdler32"]
    {
        names.push(format!("_update{sum}"));
    }
    let since = |release| feature.is_some_and(|feature| feature >= release);
    names.push(if since(19) { "_countPositives" } else { "_hasNegatives" }.to_owned());
    names.extend(since(21).then(|| "_vectorizedHashCode".to_owned()));
    names.extend(since(18).then(|| "_encodeAsciiArray".to_owned()));
    names.extend(["_arraySort", "_arrayPartition"].map(str::to_owned).into_iter().filter(|_| since(22)));
    names.extend(["_copyMemory", "_Reference_get", "_Reference_refersTo0"].map(str::to_owned));
    if since(25) {
        names.extend(["_setMemory", "_Reference_clear0"].map(str::to_owned));
    }
    format!("-XX:DisableIntrinsic={}", names.join(","))
}
