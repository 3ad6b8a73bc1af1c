//! The Java native interface, as much of it as is needed, behind a small type.

use jni_sys::{
    JNI_ABORT, JNI_OK, JNIEnv, JNINativeMethod, JavaVM, jclass, jfieldID, jint, jmethodID, jobject, jthrowable, jvalue,
};
use std::ffi::{CStr, CString, c_void};
use std::ptr::null_mut;

/// The interface of one attached thread. References that its calls give are local: they live until the
/// native method returns or [`Env::frame`] ends.
#[derive(Clone, Copy)]
pub struct Env(*mut JNIEnv);

/// Calls a function of the table.
macro_rules! jni {
    ($env:expr, $function:ident $(, $argument:expr)*) => {{
        let env = $env.0;
        // SAFETY: the table is valid while the thread is attached, which `Env::new` demands; arguments are
        // references, names and identifiers that the same interface gave, and members of a union that a
        // descriptor says were written.
        unsafe { ((**env).v1_6.$function)(env $(, $argument)*) }
    }};
}

impl Env {
    /// # Safety
    /// The pointer must be the interface of the current thread, and must not be used after the thread is
    /// detached.
    pub unsafe fn new(env: *mut JNIEnv) -> Self {
        Env(env)
    }

    /// The raw pointer, for functions outside the table.
    pub fn raw(self) -> *mut JNIEnv {
        self.0
    }

    /// Looks a class up, as the application's class loader sees it. None, with an exception pending, if
    /// there is none.
    pub fn find_class(self, name: &str) -> Option<jclass> {
        let name = c_string(name);
        non_null(jni!(self, FindClass, name.as_ptr()))
    }

    /// Defines a class in a loader, null for the JDK's own. None, with an exception pending, if it is refused.
    pub fn define_class(self, name: &str, loader: jobject, bytes: &[u8]) -> Option<jclass> {
        let name = c_string(name);
        non_null(jni!(self, DefineClass, name.as_ptr(), loader, bytes.as_ptr().cast(), bytes.len() as jint))
    }

    /// An instance method or constructor as an object of the reflection classes.
    pub fn reflected_method(self, class: jclass, method: jmethodID) -> Option<jobject> {
        non_null(jni!(self, ToReflectedMethod, class, method, false))
    }

    /// A method of a class, with an exception pending if there is none. This initialises the class.
    pub fn method(self, class: jclass, name: &str, descriptor: &str) -> Option<jmethodID> {
        let (name, descriptor) = (c_string(name), c_string(descriptor));
        non_null(jni!(self, GetMethodID, class, name.as_ptr(), descriptor.as_ptr()))
    }

    /// A static method of a class, likewise.
    pub fn static_method(self, class: jclass, name: &str, descriptor: &str) -> Option<jmethodID> {
        let (name, descriptor) = (c_string(name), c_string(descriptor));
        non_null(jni!(self, GetStaticMethodID, class, name.as_ptr(), descriptor.as_ptr()))
    }

    /// A static field of a class, likewise.
    pub fn static_field(self, class: jclass, name: &str, descriptor: &str) -> Option<jfieldID> {
        let (name, descriptor) = (c_string(name), c_string(descriptor));
        non_null(jni!(self, GetStaticFieldID, class, name.as_ptr(), descriptor.as_ptr()))
    }

    /// A field of a class, likewise.
    pub fn field(self, class: jclass, name: &str, descriptor: &str) -> Option<jfieldID> {
        let (name, descriptor) = (c_string(name), c_string(descriptor));
        non_null(jni!(self, GetFieldID, class, name.as_ptr(), descriptor.as_ptr()))
    }

    /// Sets a static boolean.
    pub fn set_static_boolean(self, class: jclass, field: jfieldID, value: bool) {
        jni!(self, SetStaticBooleanField, class, field, value);
    }

    /// Binds native methods.
    pub fn register_natives(self, class: jclass, natives: &[(&CStr, &CStr, *mut c_void)]) -> bool {
        let natives: Vec<_> = natives
            .iter()
            .map(|&(name, signature, function)| JNINativeMethod {
                name: name.as_ptr().cast_mut(),
                signature: signature.as_ptr().cast_mut(),
                fnPtr: function,
            })
            .collect();
        jni!(self, RegisterNatives, class, natives.as_ptr(), natives.len() as jint) == JNI_OK
    }

    /// An object of the class that no constructor has run on.
    pub fn allocate(self, class: jclass) -> Option<jobject> {
        non_null(jni!(self, AllocObject, class))
    }

    /// A new object.
    pub fn construct(self, class: jclass, constructor: jmethodID, arguments: &[jvalue]) -> jobject {
        jni!(self, NewObjectA, class, constructor, arguments.as_ptr())
    }

    /// Calls a method; `returns` is the first letter of its return descriptor. The receiver's own class
    /// decides which method runs.
    pub fn call(self, receiver: jobject, method: jmethodID, returns: u8, arguments: &[jvalue]) -> jvalue {
        let a = arguments.as_ptr();
        match returns {
            b'V' => {
                jni!(self, CallVoidMethodA, receiver, method, a);
                jvalue { j: 0 }
            }
            b'Z' => jvalue { z: jni!(self, CallBooleanMethodA, receiver, method, a) },
            b'B' => jvalue { b: jni!(self, CallByteMethodA, receiver, method, a) },
            b'C' => jvalue { c: jni!(self, CallCharMethodA, receiver, method, a) },
            b'S' => jvalue { s: jni!(self, CallShortMethodA, receiver, method, a) },
            b'I' => jvalue { i: jni!(self, CallIntMethodA, receiver, method, a) },
            b'J' => jvalue { j: jni!(self, CallLongMethodA, receiver, method, a) },
            b'F' => jvalue { f: jni!(self, CallFloatMethodA, receiver, method, a) },
            b'D' => jvalue { d: jni!(self, CallDoubleMethodA, receiver, method, a) },
            _ => jvalue { l: jni!(self, CallObjectMethodA, receiver, method, a) },
        }
    }

    /// Calls a static method, likewise.
    pub fn call_static(self, class: jclass, method: jmethodID, returns: u8, arguments: &[jvalue]) -> jvalue {
        let a = arguments.as_ptr();
        match returns {
            b'V' => {
                jni!(self, CallStaticVoidMethodA, class, method, a);
                jvalue { j: 0 }
            }
            b'Z' => jvalue { z: jni!(self, CallStaticBooleanMethodA, class, method, a) },
            b'B' => jvalue { b: jni!(self, CallStaticByteMethodA, class, method, a) },
            b'C' => jvalue { c: jni!(self, CallStaticCharMethodA, class, method, a) },
            b'S' => jvalue { s: jni!(self, CallStaticShortMethodA, class, method, a) },
            b'I' => jvalue { i: jni!(self, CallStaticIntMethodA, class, method, a) },
            b'J' => jvalue { j: jni!(self, CallStaticLongMethodA, class, method, a) },
            b'F' => jvalue { f: jni!(self, CallStaticFloatMethodA, class, method, a) },
            b'D' => jvalue { d: jni!(self, CallStaticDoubleMethodA, class, method, a) },
            _ => jvalue { l: jni!(self, CallStaticObjectMethodA, class, method, a) },
        }
    }

    /// Reads a field of an object; `letter` is the first of its descriptor.
    pub fn get_field(self, object: jobject, field: jfieldID, letter: u8) -> jvalue {
        match letter {
            b'Z' => jvalue { z: jni!(self, GetBooleanField, object, field) },
            b'B' => jvalue { b: jni!(self, GetByteField, object, field) },
            b'C' => jvalue { c: jni!(self, GetCharField, object, field) },
            b'S' => jvalue { s: jni!(self, GetShortField, object, field) },
            b'I' => jvalue { i: jni!(self, GetIntField, object, field) },
            b'J' => jvalue { j: jni!(self, GetLongField, object, field) },
            b'F' => jvalue { f: jni!(self, GetFloatField, object, field) },
            b'D' => jvalue { d: jni!(self, GetDoubleField, object, field) },
            _ => jvalue { l: jni!(self, GetObjectField, object, field) },
        }
    }

    /// Reads a static field, likewise.
    pub fn get_static(self, class: jclass, field: jfieldID, letter: u8) -> jvalue {
        match letter {
            b'Z' => jvalue { z: jni!(self, GetStaticBooleanField, class, field) },
            b'B' => jvalue { b: jni!(self, GetStaticByteField, class, field) },
            b'C' => jvalue { c: jni!(self, GetStaticCharField, class, field) },
            b'S' => jvalue { s: jni!(self, GetStaticShortField, class, field) },
            b'I' => jvalue { i: jni!(self, GetStaticIntField, class, field) },
            b'J' => jvalue { j: jni!(self, GetStaticLongField, class, field) },
            b'F' => jvalue { f: jni!(self, GetStaticFloatField, class, field) },
            b'D' => jvalue { d: jni!(self, GetStaticDoubleField, class, field) },
            _ => jvalue { l: jni!(self, GetStaticObjectField, class, field) },
        }
    }

    /// Writes a field of an object, likewise. Gives nothing.
    pub fn put_field(self, object: jobject, field: jfieldID, letter: u8, value: jvalue) -> jvalue {
        match letter {
            b'Z' => jni!(self, SetBooleanField, object, field, value.z),
            b'B' => jni!(self, SetByteField, object, field, value.b),
            b'C' => jni!(self, SetCharField, object, field, value.c),
            b'S' => jni!(self, SetShortField, object, field, value.s),
            b'I' => jni!(self, SetIntField, object, field, value.i),
            b'J' => jni!(self, SetLongField, object, field, value.j),
            b'F' => jni!(self, SetFloatField, object, field, value.f),
            b'D' => jni!(self, SetDoubleField, object, field, value.d),
            _ => jni!(self, SetObjectField, object, field, value.l),
        }
        jvalue { j: 0 }
    }

    /// Sees to it that a field of an object has a value. Where it mostly has, that is quicker than to write it: the virtual machine
    /// lets primitive fields be read at once, while whoever writes has to ask to be let in.
    pub fn restore_field(self, object: jobject, field: jfieldID, letter: u8, value: jvalue) {
        // SAFETY: the letter says what both are.
        let is_there = unsafe {
            match letter {
                b'Z' => self.get_field(object, field, letter).z == value.z,
                b'I' => self.get_field(object, field, letter).i == value.i,
                b'J' => self.get_field(object, field, letter).j == value.j,
                _ => false,
            }
        };
        if !is_there {
            self.put_field(object, field, letter, value);
        }
    }

    /// Writes a static field, likewise.
    pub fn put_static(self, class: jclass, field: jfieldID, letter: u8, value: jvalue) -> jvalue {
        match letter {
            b'Z' => jni!(self, SetStaticBooleanField, class, field, value.z),
            b'B' => jni!(self, SetStaticByteField, class, field, value.b),
            b'C' => jni!(self, SetStaticCharField, class, field, value.c),
            b'S' => jni!(self, SetStaticShortField, class, field, value.s),
            b'I' => jni!(self, SetStaticIntField, class, field, value.i),
            b'J' => jni!(self, SetStaticLongField, class, field, value.j),
            b'F' => jni!(self, SetStaticFloatField, class, field, value.f),
            b'D' => jni!(self, SetStaticDoubleField, class, field, value.d),
            _ => jni!(self, SetStaticObjectField, class, field, value.l),
        }
        jvalue { j: 0 }
    }

    /// The class of an object.
    pub fn class_of(self, object: jobject) -> jclass {
        jni!(self, GetObjectClass, object)
    }

    /// The superclass; null for `Object` and interfaces.
    pub fn super_class(self, class: jclass) -> jclass {
        jni!(self, GetSuperclass, class)
    }

    /// Whether objects of one class are objects of another.
    pub fn is_subclass(self, class: jclass, above: jclass) -> bool {
        jni!(self, IsAssignableFrom, class, above)
    }

    /// Whether an object is of a class or one below it.
    pub fn is_instance(self, object: jobject, class: jclass) -> bool {
        jni!(self, IsInstanceOf, object, class)
    }

    /// Whether an exception is pending.
    pub fn has_exception(self) -> bool {
        jni!(self, ExceptionCheck)
    }

    /// Takes the pending exception, if there is one.
    pub fn take_exception(self) -> Option<jthrowable> {
        let exception = non_null(jni!(self, ExceptionOccurred))?;
        jni!(self, ExceptionClear);
        Some(exception)
    }

    /// Drops the exception that is pending after a question of our own, and says whether there was one. If it is for want of memory or
    /// stack, what we have not learnt is not what is not there.
    pub fn drop_exception(self) -> bool {
        let Some(exception) = self.take_exception() else { return false };
        let error = self.find_class("java/lang/VirtualMachineError");
        self.take_exception();
        if error.is_none_or(|error| self.is_instance(exception, error)) {
            crate::exhausted::spoil();
        }
        true
    }

    /// Makes an exception pending.
    pub fn throw(self, exception: jthrowable) {
        jni!(self, Throw, exception);
    }

    /// Makes a new exception of that class pending.
    pub fn throw_new(self, class: &str, message: &str) {
        if let Some(class) = self.find_class(class) {
            let message = c_string(message);
            jni!(self, ThrowNew, class, message.as_ptr());
        }
    }

    /// A reference that lives until it is deleted, and that other threads may use.
    pub fn global(self, object: jobject) -> jobject {
        jni!(self, NewGlobalRef, object)
    }

    /// Ends a global reference.
    pub fn delete_global(self, object: jobject) {
        jni!(self, DeleteGlobalRef, object);
    }

    /// Ends a local reference, or null, before its frame does.
    pub fn delete_local(self, object: jobject) {
        jni!(self, DeleteLocalRef, object);
    }

    /// Whether two references are to the same object.
    pub fn same(self, a: jobject, b: jobject) -> bool {
        jni!(self, IsSameObject, a, b)
    }

    /// A Java string.
    pub fn string(self, text: &str) -> Option<jobject> {
        let units: Vec<u16> = text.encode_utf16().collect();
        non_null(jni!(self, NewString, units.as_ptr(), units.len() as jint))
    }

    /// The text of a Java string; what is not Unicode becomes U+FFFD.
    pub fn text(self, string: jobject) -> String {
        let length = jni!(self, GetStringLength, string) as usize;
        let mut units = vec![0u16; length];
        jni!(self, GetStringRegion, string, 0, length as jint, units.as_mut_ptr());
        String::from_utf16_lossy(&units)
    }

    /// Takes the real monitor of an object.
    pub fn monitor_enter(self, object: jobject) {
        jni!(self, MonitorEnter, object);
    }

    /// Gives up the real monitor of an object. False, with an exception pending, if it was not held.
    pub fn monitor_exit(self, object: jobject) -> bool {
        jni!(self, MonitorExit, object) == JNI_OK
    }

    /// Runs `body` in a frame of its own: the local references that it makes end with it.
    pub fn frame<T>(self, body: impl FnOnce() -> T) -> T {
        assert_eq!(jni!(self, PushLocalFrame, 16), JNI_OK, "internal bug: no room for local references");
        let value = body();
        jni!(self, PopLocalFrame, null_mut());
        value
    }

    /// An array of objects, all null.
    pub fn object_array(self, class: jclass, length: usize) -> Option<jobject> {
        non_null(jni!(self, NewObjectArray, length as jint, class, null_mut()))
    }

    /// Sets an element of an array of objects.
    pub fn set_element(self, array: jobject, index: usize, value: jobject) {
        jni!(self, SetObjectArrayElement, array, index as jint, value);
    }

    /// An array of primitive values, all zero; `letter` is the descriptor of the elements.
    pub fn primitive_array(self, letter: u8, length: usize) -> Option<jobject> {
        let length = length as jint;
        non_null(match letter {
            b'Z' => jni!(self, NewBooleanArray, length),
            b'B' => jni!(self, NewByteArray, length),
            b'C' => jni!(self, NewCharArray, length),
            b'S' => jni!(self, NewShortArray, length),
            b'I' => jni!(self, NewIntArray, length),
            b'J' => jni!(self, NewLongArray, length),
            b'F' => jni!(self, NewFloatArray, length),
            _ => jni!(self, NewDoubleArray, length),
        })
    }

    /// Sets an element of an array of primitive values.
    pub fn set_primitive_element(self, array: jobject, index: usize, letter: u8, value: jvalue) {
        let index = index as jint;
        match letter {
            b'Z' => jni!(self, SetBooleanArrayRegion, array, index, 1, &value.z),
            b'B' => jni!(self, SetByteArrayRegion, array, index, 1, &value.b),
            b'C' => jni!(self, SetCharArrayRegion, array, index, 1, &value.c),
            b'S' => jni!(self, SetShortArrayRegion, array, index, 1, &value.s),
            b'I' => jni!(self, SetIntArrayRegion, array, index, 1, &value.i),
            b'J' => jni!(self, SetLongArrayRegion, array, index, 1, &value.j),
            b'F' => jni!(self, SetFloatArrayRegion, array, index, 1, &value.f),
            _ => jni!(self, SetDoubleArrayRegion, array, index, 1, &value.d),
        }
    }

    /// An element of an array of primitive values.
    pub fn primitive_element(self, array: jobject, index: usize, letter: u8) -> jvalue {
        let (index, mut value) = (index as jint, jvalue { j: 0 });
        match letter {
            b'Z' => jni!(self, GetBooleanArrayRegion, array, index, 1, &mut value.z),
            b'B' => jni!(self, GetByteArrayRegion, array, index, 1, &mut value.b),
            b'C' => jni!(self, GetCharArrayRegion, array, index, 1, &mut value.c),
            b'S' => jni!(self, GetShortArrayRegion, array, index, 1, &mut value.s),
            b'I' => jni!(self, GetIntArrayRegion, array, index, 1, &mut value.i),
            b'J' => jni!(self, GetLongArrayRegion, array, index, 1, &mut value.j),
            b'F' => jni!(self, GetFloatArrayRegion, array, index, 1, &mut value.f),
            _ => jni!(self, GetDoubleArrayRegion, array, index, 1, &mut value.d),
        }
        value
    }

    /// The first bytes of an array of bytes.
    pub fn bytes(self, array: jobject, length: usize) -> Vec<u8> {
        self.bytes_from(array, 0, length as jint)
    }

    /// Bytes of an array of bytes: how many, from which on.
    pub fn bytes_from(self, array: jobject, offset: jint, length: jint) -> Vec<u8> {
        let mut bytes = vec![0; length as usize];
        jni!(self, GetByteArrayRegion, array, offset, length, bytes.as_mut_ptr().cast());
        bytes
    }

    /// The bytes of the elements of an array of primitive values, of which `letter` is the descriptor.
    pub fn contents(self, array: jobject, letter: u8) -> Vec<u8> {
        let mut bytes = vec![0; self.array_length(array) * size_of_element(letter)];
        let elements: *mut u8 = jni!(self, GetPrimitiveArrayCritical, array, null_mut()).cast();
        if !elements.is_null() {
            // SAFETY: that many bytes are there, and nobody writes them: this is between executions.
            unsafe { elements.copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len()) };
            jni!(self, ReleasePrimitiveArrayCritical, array, elements.cast(), JNI_ABORT);
        }
        bytes
    }

    /// Writes the elements of an array back that [`Env::contents`] has given, if they are others now.
    pub fn put_contents(self, array: jobject, bytes: &[u8]) {
        let elements: *mut u8 = jni!(self, GetPrimitiveArrayCritical, array, null_mut()).cast();
        if elements.is_null() {
            return;
        }
        // SAFETY: arrays keep their length, so that many bytes are there, and nobody else uses them between executions.
        let there = unsafe { std::slice::from_raw_parts_mut(elements, bytes.len()) };
        let is_changed = there != bytes;
        if is_changed {
            there.copy_from_slice(bytes);
        }
        let mode = if is_changed { 0 } else { JNI_ABORT };
        jni!(self, ReleasePrimitiveArrayCritical, array, elements.cast(), mode);
    }

    /// How long an array is.
    pub fn array_length(self, array: jobject) -> usize {
        jni!(self, GetArrayLength, array) as usize
    }

    /// Fills an array of bytes, which must be as long as what it is filled with.
    pub fn fill_bytes(self, array: jobject, bytes: &[i8]) {
        jni!(self, SetByteArrayRegion, array, 0, bytes.len() as jint, bytes.as_ptr());
    }

    /// An element of an array of objects.
    pub fn element(self, array: jobject, index: usize) -> jobject {
        jni!(self, GetObjectArrayElement, array, index as jint)
    }
}

/// How many bytes an element takes; `letter` is its descriptor.
fn size_of_element(letter: u8) -> usize {
    match letter {
        b'Z' | b'B' => 1,
        b'C' | b'S' => 2,
        b'I' | b'F' => 4,
        _ => 8,
    }
}

/// The virtual machine of this process.
#[derive(Clone, Copy)]
pub struct Vm(*mut JavaVM);

// SAFETY: the invocation interface may be used from any thread.
unsafe impl Send for Vm {}
// SAFETY: as above.
unsafe impl Sync for Vm {}

impl Vm {
    /// # Safety
    /// The pointer must be what `JNI_CreateJavaVM` gave, and the machine must never be destroyed.
    pub unsafe fn new(vm: *mut JavaVM) -> Self {
        Vm(vm)
    }

    /// Attaches the current thread as a daemon under a name, for as long as it lives.
    pub fn attach(self, name: &str) -> Option<Env> {
        let name = c_string(name);
        let mut arguments = jni_sys::JavaVMAttachArgs {
            version: jni_sys::JNI_VERSION_1_6,
            name: name.as_ptr().cast_mut(),
            group: null_mut(),
        };
        let mut env = null_mut();
        // SAFETY: the machine is there, and both pointers are good for the call.
        let result =
            unsafe { ((**self.0).v1_4.AttachCurrentThreadAsDaemon)(self.0, &mut env, (&raw mut arguments).cast()) };
        // SAFETY: the call has just given the interface of this thread.
        (result == JNI_OK).then(|| unsafe { Env::new(env.cast()) })
    }
}

fn c_string(text: &str) -> CString {
    let bytes = classfile::encode_modified_utf8(text);
    CString::new(&*bytes).expect("internal bug: modified UTF-8 has no zero bytes")
}

fn non_null<T>(pointer: *mut T) -> Option<*mut T> {
    (!pointer.is_null()).then_some(pointer)
}
