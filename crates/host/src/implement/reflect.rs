//! What the virtual machine knows of a type that is to be implemented, asked by reflection.
//!
//! A question that fails leaves its exception pending, for whoever asks to tell of it.

use super::NotImplementable;
use super::hierarchy::{Declared, Hierarchy, Inherited};
use crate::jni::Env;
use classfile::Flags;
use jni_sys::{jclass, jobject, jvalue};

/// What decides whether and where a type can be implemented.
pub struct TypeFacts {
    pub flags: Flags,
    pub is_interface: bool,
    pub is_sealed: bool,
    /// An array, an enum or a record.
    pub is_closed: bool,
    /// Whether other modules see its package.
    pub is_exported: bool,
}

/// Asks about a class.
pub fn facts(env: Env, class: jclass) -> TypeFacts {
    let yes = |name: &str| is(env, class, name);
    let package = ask_object(env, class, "java/lang/Class", "getPackageName", "()Ljava/lang/String;");
    let module = ask_object(env, class, "java/lang/Class", "getModule", "()Ljava/lang/Module;");
    let exported = method(env, "java/lang/Module", "isExported", "(Ljava/lang/String;)Z");
    // SAFETY: the method takes a string and returns a boolean.
    let is_exported = unsafe { env.call(module, exported, b'Z', &[jvalue { l: package }]).z };
    let name = class_name(env, class);
    TypeFacts {
        flags: class_flags(env, class),
        is_interface: yes("isInterface"),
        is_sealed: yes("isSealed"),
        is_closed: yes("isArray")
            || yes("isEnum")
            || yes("isRecord")
            || matches!(&*name, "java/lang/Enum" | "java/lang/Record"),
        is_exported,
    }
}

/// Whether a class is an interface.
pub fn is_interface(env: Env, name: &str) -> Result<bool, NotImplementable> {
    env.frame(|| match env.find_class(name) {
        Some(class) => Ok(is(env, class, "isInterface")),
        None => {
            env.take_exception();
            Err(NotImplementable::NoSuchClass(name.to_owned()))
        }
    })
}

/// Whether objects of a class need one of the class around it. Where that is not there to be asked, it is not needed either.
pub fn is_inner(env: Env, class: jclass) -> bool {
    let is_member = is(env, class, "isMemberClass");
    !env.drop_exception() && is_member && !class_flags(env, class).has(Flags::STATIC)
}

/// The flags of a constructor; None if there is none.
pub fn constructor_flags(env: Env, class: jclass, descriptor: &str) -> Option<Flags> {
    env.frame(|| {
        let Some(constructor) = env.method(class, "<init>", descriptor) else {
            env.take_exception();
            return None;
        };
        let reflected = env.reflected_method(class, constructor)?;
        let modifiers = method(env, "java/lang/reflect/Constructor", "getModifiers", "()I");
        // SAFETY: the method returns an int.
        Some(Flags(unsafe { env.call(reflected, modifiers, b'I', &[]).i } as u16))
    })
}

/// The class loader of a class; null for the one that the JDK itself has.
pub fn loader(env: Env, class: jclass) -> jobject {
    // Not the public method, which asks who is calling.
    ask_object(env, class, "java/lang/Class", "getClassLoader0", "()Ljava/lang/ClassLoader;")
}

/// The class loader of the class path.
pub fn application_loader(env: Env) -> jobject {
    let class = env.find_class("java/lang/ClassLoader").expect("internal bug: there are class loaders");
    let get = env.static_method(class, "getSystemClassLoader", "()Ljava/lang/ClassLoader;");
    let get = get.expect("internal bug: there is a system class loader");
    // SAFETY: the method returns a reference.
    unsafe { env.call_static(class, get, b'L', &[]).l }
}

/// A class with all that it inherits from, and `Object`.
pub fn hierarchy(env: Env, class: jclass) -> Hierarchy {
    let mut hierarchy = Hierarchy::default();
    let object = env.find_class("java/lang/Object").expect("internal bug: there is a class Object");
    let mut left = vec![class, object];
    while let Some(class) = left.pop() {
        let name = class_name(env, class);
        if env.has_exception() || hierarchy.types.contains_key(&name) {
            continue;
        }
        let above = env.super_class(class);
        let interfaces = ask_object(env, class, "java/lang/Class", "getInterfaces", "()[Ljava/lang/Class;");
        let interfaces: Vec<_> = elements(env, interfaces).collect();
        let inherited = Inherited {
            super_class: (!above.is_null()).then(|| class_name(env, above)),
            interfaces: interfaces.iter().map(|&interface| class_name(env, interface)).collect(),
            methods: declared_methods(env, class),
        };
        hierarchy.types.insert(name, inherited);
        left.extend(interfaces);
        left.extend((!above.is_null()).then_some(above));
    }
    hierarchy
}

fn declared_methods(env: Env, class: jclass) -> Vec<Declared> {
    let declared = method(env, "java/lang/Class", "getDeclaredMethods0", "(Z)[Ljava/lang/reflect/Method;");
    // SAFETY: the method takes a boolean and returns a reference.
    let array = unsafe { env.call(class, declared, b'L', &[jvalue { z: false }]).l };
    if env.has_exception() {
        return Vec::new();
    }
    const METHOD: &str = "java/lang/reflect/Method";
    let modifiers = method(env, METHOD, "getModifiers", "()I");
    let describe = |object: jobject| {
        let name = ask_object(env, object, METHOD, "getName", "()Ljava/lang/String;");
        let parameters = ask_object(env, object, METHOD, "getParameterTypes", "()[Ljava/lang/Class;");
        let returns = ask_object(env, object, METHOD, "getReturnType", "()Ljava/lang/Class;");
        let parameters: String = elements(env, parameters).map(|of| descriptor(env, of)).collect();
        // SAFETY: the method returns an int.
        let flags = Flags(unsafe { env.call(object, modifiers, b'I', &[]).i } as u16);
        Declared { name: env.text(name), descriptor: format!("({parameters}){}", descriptor(env, returns)), flags }
    };
    (0..env.array_length(array)).map(|index| env.frame(|| describe(env.element(array, index)))).collect()
}

/// As class files name it.
fn class_name(env: Env, class: jclass) -> String {
    env.text(ask_object(env, class, "java/lang/Class", "getName", "()Ljava/lang/String;")).replace('.', "/")
}

fn descriptor(env: Env, class: jclass) -> String {
    env.text(ask_object(env, class, "java/lang/Class", "descriptorString", "()Ljava/lang/String;"))
}

fn class_flags(env: Env, class: jclass) -> Flags {
    let modifiers = method(env, "java/lang/Class", "getModifiers", "()I");
    // SAFETY: the method returns an int.
    Flags(unsafe { env.call(class, modifiers, b'I', &[]).i } as u16)
}

fn is(env: Env, class: jclass, question: &str) -> bool {
    let question = method(env, "java/lang/Class", question, "()Z");
    // SAFETY: the method returns a boolean.
    unsafe { env.call(class, question, b'Z', &[]).z }
}

fn elements(env: Env, array: jobject) -> impl Iterator<Item = jobject> {
    let length = if array.is_null() { 0 } else { env.array_length(array) };
    (0..length).map(move |index| env.element(array, index))
}

/// Calls a method without parameters that returns a reference.
fn ask_object(env: Env, object: jobject, class: &str, name: &str, descriptor: &str) -> jobject {
    // SAFETY: the method returns a reference.
    unsafe { env.call(object, method(env, class, name, descriptor), b'L', &[]).l }
}

fn method(env: Env, class: &str, name: &str, descriptor: &str) -> jni_sys::jmethodID {
    let class = env.find_class(class).expect("internal bug: a class that all JDKs have");
    env.method(class, name, descriptor).expect("internal bug: a method that all JDKs have")
}
