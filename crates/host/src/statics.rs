//! Static state of application classes, put back before every execution.
//!
//! Rewriting gives each application class that has static state a copy of its static initialiser under
//! another name, and makes its static fields assignable. Before an execution the fields of each class that
//! was initialised are cleared, and the copies run, in the order in which the classes were first
//! initialised.
//!
//! An enum gets new constants with that, and the lists of them that its class keeps are dropped.
//!
//! Where that takes long, a copy of what the initialisers have made is kept and put back instead ([`kept`](crate::kept)), until
//! another class is initialised. What else they do, such as setting a default of the JDK, is not done again then.
//!
//! An initialiser that throws when it runs again has nothing to put back: what it refuses to do twice is done. Then no initialiser
//! runs again, because classes may hold what others have made. Static state is as the first execution has left it, by a copy if there
//! can be one, and [`unrestored`] says so.
//!
//! Not put back: interfaces, whose fields must be final, and the classes of the JDK.

use crate::control;
use crate::definitions;
use crate::hook_class::{HOOKS, INITIALIZED};
use crate::jni::Env;
use crate::kept::Kept;
use crate::natives;
use crate::tables;
use classfile::{AttributeValue, ClassFile, CodeBuilder, CodeEdit, EditError, Flags, Instruction, InvokeOp};
use jni_sys::{jclass, jfieldID, jmethodID, jobject, jvalue};
use rustix::time::{ClockId, clock_gettime};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A copy is kept where initialisers take longer than this.
const LONG: Duration = Duration::from_micros(200);

/// The name of the copy of a static initialiser.
const AGAIN: &str = "raddle$again";

/// Gives a class what is needed to put its static state back. For classes of applications only.
pub fn make_resettable(class: &mut ClassFile<'_>) -> Result<(), EditError> {
    let skipped = Flags::INTERFACE.0 | Flags::MODULE.0;
    let has_state = class.fields.iter().any(is_state);
    if class.flags.0 & skipped != 0 || !has_state {
        return Ok(());
    }
    let again = Flags::STATIC.with(Flags::SYNTHETIC);
    match class.find_method("<clinit>", "()V") {
        Some(initialiser) => drop(class.copy_method(initialiser, AGAIN, again)?),
        None => {
            let name = class.name().to_string();
            let mut code = CodeBuilder::new(&name, "<clinit>", "()V", Flags::STATIC);
            code.push(Instruction::Return(None), &class.constants)?;
            let code = code.finish(&mut class.constants)?;
            class.add_method(Flags::STATIC, "<clinit>", "()V", Some(code))?;
        }
    }
    for field in class.fields.iter_mut().filter(|field| is_state(field)) {
        // Only the static initialiser itself may assign a final field.
        field.flags = field.flags.without(Flags::FINAL);
    }
    tell_when_initialized(class)
}

/// Whether a field is static state: constants are not.
fn is_state(field: &classfile::Field<'_>) -> bool {
    let constant = field.attributes.iter().any(|a| matches!(a.value, AttributeValue::ConstantValue(_)));
    field.flags.has(Flags::STATIC) && !constant
}

fn tell_when_initialized(class: &mut ClassFile<'_>) -> Result<(), EditError> {
    let initialiser = class.find_method("<clinit>", "()V").expect("internal bug: it was just made sure of");
    let hook = class.constants.add_method(HOOKS, INITIALIZED.name, INITIALIZED.descriptor)?;
    let told = [class.load_this_class()?, vec![Instruction::Invoke(InvokeOp::Static, hook)]].concat();
    let code = class.methods[initialiser].code().ok_or(EditError::NoCode)?;
    let mut edit = CodeEdit::new(code);
    for placed in code.instructions() {
        if matches!(placed.instruction, Instruction::Return(_)) {
            edit.insert_before(placed.pc, &told);
        }
    }
    class.edit_method(initialiser, edit)
}

/// A class that was initialised and can be put back.
struct Resettable {
    class: jclass,
    fields: Vec<(jfieldID, u8)>,
    again: Option<jmethodID>,
    /// The fields of the class object that list an enum's constants.
    lists: Vec<jfieldID>,
}

// SAFETY: the class is a global reference, and identifiers are valid in every thread.
unsafe impl Send for Resettable {}

/// Static state, and what puts it back.
struct Statics {
    /// In the order of initialisation.
    classes: Vec<Noted>,
    copy: Copy,
    /// Why nothing is initialised again, if that is so.
    unrestored: Option<Unrestored>,
}

/// Static state that executions leave behind for others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unrestored {
    /// What it is, and why.
    pub what: String,
    /// Static state is not even as an execution has left it: no later execution says anything.
    pub is_spoiled: bool,
}

/// Whether a copy is kept of what initialisers make.
enum Copy {
    /// Not yet: they did not take long.
    NotYet,
    Kept(Kept),
    /// It is not possible, or takes longer than the initialisers.
    None,
}

static STATICS: Mutex<Statics> = Mutex::new(Statics { classes: Vec::new(), copy: Copy::NotYet, unrestored: None });

/// Why static state is not put back, if it is not.
pub fn unrestored() -> Option<Unrestored> {
    let unrestored = STATICS.lock().unwrap_or_else(|e| e.into_inner()).unrestored.clone();
    let by_definition = || {
        let class = definitions::changed()?;
        Some(format!("class {class} cannot be defined again: the code defines it otherwise in each execution"))
    };
    let by_property = || {
        tables::properties_by_initialiser().then(|| {
            "system properties are not put back: a static initialiser sets one, and may not run again".to_owned()
        })
    };
    unrestored.or_else(|| Some(Unrestored { what: by_definition().or_else(by_property)?, is_spoiled: false }))
}

enum Noted {
    /// Not looked up yet.
    New(SharedClass),
    Ready(Resettable),
}

impl Noted {
    fn ready(&self) -> Option<&Resettable> {
        match self {
            Noted::New(_) => None,
            Noted::Ready(class) => Some(class),
        }
    }
}

struct SharedClass(jobject);

// SAFETY: it is a global reference.
unsafe impl Send for SharedClass {}

/// Notes that a class was initialised.
pub fn note_initialized(env: Env, class: jobject) {
    let class = SharedClass(env.global(class));
    let mut statics = STATICS.lock().unwrap_or_else(|e| e.into_inner());
    statics.classes.push(Noted::New(class));
    if statics.unrestored.is_some() {
        return;
    }
    if let Copy::Kept(kept) = std::mem::replace(&mut statics.copy, Copy::NotYet) {
        kept.discard(env);
    }
}

/// Puts the static state of all noted classes back.
pub fn reset(env: Env) {
    let mut statics = STATICS.lock().unwrap_or_else(|e| e.into_inner());
    match std::mem::replace(&mut statics.copy, Copy::None) {
        Copy::Kept(kept) if kept.is_of_use() => {
            control::uncontrolled(|| kept.put_back(env));
            statics.copy = Copy::Kept(kept);
            return;
        }
        Copy::Kept(kept) => kept.discard(env),
        other => statics.copy = other,
    }
    if statics.unrestored.is_some() {
        return;
    }
    // Initialisers that run again may initialise further classes, so the lock is not held meanwhile.
    let mut classes = std::mem::take(&mut statics.classes);
    let before = std::mem::replace(&mut statics.copy, Copy::None);
    drop(statics);
    // Of objects that are new now.
    natives::first_shown();
    // What runs for the first time takes longer than it will.
    let has_new = classes.iter().any(|noted| matches!(noted, Noted::New(_)));
    control::uncontrolled(|| look_up_new(env, &mut classes));
    let begun = Instant::now();
    let mut unrestored = None;
    // Initialisers of some libraries make hundreds of thousands of accesses, and no execution knows of them.
    let mut again =
        || unrestored = env.frame(|| natives::alone::pass_over(env, || initialize_again(env, &classes, has_new)));
    control::uncontrolled(|| natives::with_hashes_of_statics(&mut again));
    let took = begun.elapsed();
    let now = match before {
        _ if unrestored.is_some() => {
            Kept::of(env, natives::reading().layouts(), fields(&classes)).map_or(Copy::None, Copy::Kept)
        }
        Copy::NotYet if took >= LONG && !has_new => copy(env, &classes, took),
        other => other,
    };
    let mut statics = STATICS.lock().unwrap_or_else(|e| e.into_inner());
    if statics.classes.is_empty() || unrestored.is_some() {
        statics.copy = now;
        statics.unrestored = unrestored;
    } else if let Copy::Kept(kept) = now {
        kept.discard(env);
    }
    classes.append(&mut statics.classes);
    statics.classes = classes;
}

fn look_up_new(env: Env, classes: &mut [Noted]) {
    for noted in classes {
        if let Noted::New(class) = noted {
            let ready = env.frame(|| look_up(env, class.0));
            *noted = Noted::Ready(ready);
        }
    }
}

/// Initialises classes once more. With `keep`, fields are as they were if one cannot be.
fn initialize_again(env: Env, classes: &[Noted], keep: bool) -> Option<Unrestored> {
    let ready = || classes.iter().filter_map(Noted::ready);
    let mut kept = Vec::new();
    for class in ready() {
        for &(field, letter) in &class.fields {
            if keep {
                kept.push((class.class, field, letter, env.get_static(class.class, field, letter)));
            }
            env.put_static(class.class, field, letter, jvalue { j: 0 });
        }
        for &list in &class.lists {
            env.put_field(class.class, list, b'L', jvalue { j: 0 });
        }
    }
    for class in ready() {
        let Some(again) = class.again else { continue };
        env.call_static(class.class, again, b'V', &[]);
        if let Some(exception) = env.take_exception() {
            let what = refused(env, class.class, exception);
            // If there is no memory or stack, that counts, too.
            env.throw(exception);
            env.drop_exception();
            for &(class, field, letter, value) in &kept {
                env.put_static(class, field, letter, value);
            }
            return Some(Unrestored { what, is_spoiled: !keep });
        }
    }
    None
}

/// Why a class cannot be initialised again.
fn refused(env: Env, class: jclass, exception: jobject) -> String {
    let thrown = natives::reading().thrown(env, exception);
    let message = thrown.message.map_or(String::new(), |message| format!(": {message}"));
    format!(
        "static state of {} cannot be put back: its static initialiser fails when it runs again ({}{message})",
        crate::raw::class_name(env, class),
        thrown.class
    )
}

/// The static fields of classes: class, field and first letter of the descriptor.
fn fields(classes: &[Noted]) -> impl Iterator<Item = (jclass, jfieldID, u8)> {
    let of = |class: &Resettable| class.fields.iter().map(|&(field, letter)| (class.class, field, letter)).collect();
    classes.iter().filter_map(Noted::ready).flat_map(move |class| -> Vec<_> { of(class) })
}

/// A copy of what the initialisers have made, if it is put back faster than that.
fn copy(env: Env, classes: &[Noted], took: Duration) -> Copy {
    let Ok(kept) = Kept::of(env, natives::reading().layouts(), fields(classes)) else { return Copy::None };
    // The time of this thread only: where the machine does much else, a moment in which it does not run decides on
    // nothing.
    let begun = used();
    control::uncontrolled(|| kept.put_back(env));
    if (used() - begun) * 2 > took {
        kept.discard(env);
        return Copy::None;
    }
    Copy::Kept(kept)
}

/// How much time of a processor this thread has had.
fn used() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Finds the static fields of a class, and the copy of its initialiser.
fn look_up(env: Env, class: jclass) -> Resettable {
    let again = env.static_method(class, AGAIN, "()V");
    env.drop_exception();
    let mut fields = Vec::new();
    crate::raw::for_each_field(env, class, |name, descriptor, modifiers| {
        let is_state = modifiers & Flags::STATIC.0 as i32 != 0 && modifiers & Flags::FINAL.0 as i32 == 0;
        if is_state && let Some(id) = env.static_field(class, &name, &descriptor) {
            fields.push((id, descriptor.as_bytes()[0]));
        }
    });
    Resettable { class, fields, again, lists: lists_of_constants(env, class) }
}

/// Where the class object of an enum lists the constants; nothing for other classes.
fn lists_of_constants(env: Env, class: jclass) -> Vec<jfieldID> {
    let is_enum = env.find_class("java/lang/Enum").is_some_and(|of_enums| env.same(env.super_class(class), of_enums));
    let class_class = env.class_of(class);
    let lists = [("enumConstants", "[Ljava/lang/Object;"), ("enumConstantDirectory", "Ljava/util/Map;")];
    let find = |(name, descriptor): (&str, &str)| {
        let field = env.field(class_class, name, descriptor);
        env.take_exception();
        field
    };
    lists.into_iter().filter(|_| is_enum).filter_map(find).collect()
}
