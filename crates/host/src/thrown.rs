//! Reads exceptions: class, message, stack trace, causes and what they suppressed.
//!
//! Methods of the JDK are called, those of the code under test are not: a message that such a class makes up itself is the
//! one that its constructor was given.

use crate::control;
use crate::graph::Layouts;
use crate::jni::Env;
use crate::jvm::JvmError;
use crate::outcome::Thrown;
use crate::scope::is_of_jdk;
use jni_sys::{jclass, jmethodID, jobject};

/// Methods that reading exceptions needs.
pub struct ReadingThrown {
    throwable: jclass,
    new: jmethodID,
    get_stack_trace: jmethodID,
    to_string: jmethodID,
}

// SAFETY: method identifiers are valid in every thread, and these classes are never unloaded.
unsafe impl Send for ReadingThrown {}
// SAFETY: as above.
unsafe impl Sync for ReadingThrown {}

/// Deeper stacks are cut: what matters is at their top.
const MAX_FRAMES: usize = 64;
/// So many exceptions are read, those that are causes or were suppressed included.
const MAX_EXCEPTIONS: usize = 16;

impl ReadingThrown {
    /// Looks the methods up.
    pub fn new(env: Env) -> Result<Self, JvmError> {
        let method = |class: &str, name: &str, descriptor: &str| {
            let found = env.find_class(class).and_then(|class| env.method(class, name, descriptor));
            env.take_exception();
            found.ok_or(JvmError::Missing("methods of java.lang"))
        };
        // Not the public method, which the code under test may override.
        let own = method("java/lang/Throwable", "getOurStackTrace", "()[Ljava/lang/StackTraceElement;");
        let throwable = env.find_class("java/lang/Throwable").ok_or(JvmError::Missing("class Throwable"))?;
        Ok(ReadingThrown {
            throwable: env.global(throwable),
            new: method("java/lang/Throwable", "<init>", "()V")?,
            get_stack_trace: own
                .or_else(|_| method("java/lang/Throwable", "getStackTrace", "()[Ljava/lang/StackTraceElement;"))?,
            to_string: method("java/lang/StackTraceElement", "toString", "()Ljava/lang/String;")?,
        })
    }

    /// Reads an exception.
    pub fn read(&self, env: Env, layouts: &Layouts, exception: jobject) -> Thrown {
        control::uncontrolled(|| env.frame(|| self.read_with(env, layouts, exception, &mut Vec::new())))
    }

    /// The calls that the current thread is in, as an exception would have them. Without control.
    pub fn stack(&self, env: Env) -> Vec<String> {
        let made = env.construct(self.throwable, self.new, &[]);
        if env.take_exception().is_some() || made.is_null() { Vec::new() } else { self.frames(env, made) }
    }

    fn read_with(&self, env: Env, layouts: &Layouts, exception: jobject, seen: &mut Vec<jobject>) -> Thrown {
        seen.push(exception);
        let class = env.class_of(exception);
        let mut thrown = Thrown { class: layouts.of(env, exception).name.to_string(), ..Thrown::default() };
        let field = |name: &str| object_in(env, layouts, exception, name);
        let message = match of_jdk(env, layouts, class, "getMessage", "()Ljava/lang/String;") {
            Some(method) => ask(env, exception, method),
            None => field("detailMessage"),
        };
        thrown.message = message.map(|message| env.text(message));
        thrown.frames = self.frames(env, exception);
        let cause = match of_jdk(env, layouts, class, "getCause", "()Ljava/lang/Throwable;") {
            Some(method) => ask(env, exception, method),
            None => field("cause"),
        };
        let is_new = |seen: &Vec<jobject>, other: jobject| {
            seen.len() < MAX_EXCEPTIONS && !seen.iter().any(|&known| env.same(known, other))
        };
        if let Some(cause) = cause
            && is_new(seen, cause)
        {
            thrown.cause = Some(Box::new(self.read_with(env, layouts, cause, seen)));
        }
        if let Some(list) = field("suppressedExceptions") {
            for suppressed in list_elements(env, layouts, list) {
                if is_new(seen, suppressed) {
                    thrown.suppressed.push(self.read_with(env, layouts, suppressed, seen));
                }
            }
        }
        thrown
    }

    fn frames(&self, env: Env, exception: jobject) -> Vec<String> {
        let Some(trace) = ask(env, exception, self.get_stack_trace) else { return Vec::new() };
        let (length, mut frames) = (env.array_length(trace), Vec::new());
        for index in 0..length {
            if frames.len() == MAX_FRAMES {
                frames.push(format!("... {} more", length - index));
                break;
            }
            let frame = env.frame(|| ask(env, env.element(trace, index), self.to_string).map(|frame| env.text(frame)));
            frames.extend(frame.and_then(|frame| as_written(&frame)));
        }
        frames
    }
}

/// A frame as it would be without us, and without what changes from run to run. None for one that would not be there.
fn as_written(frame: &str) -> Option<String> {
    let name_end = frame.find('(').unwrap_or(frame.len());
    let (place, rest) = frame.split_at(name_end);
    let place = place.strip_prefix("java.base/").unwrap_or(place);
    let machinery =
        ["java.lang.RaddleHooks.", "jdk.internal.reflect.", "java.lang.reflect.Method.", "java.lang.invoke."];
    if machinery.iter().any(|class| place.starts_with(class)) {
        return None;
    }
    let (class, method) = place.rsplit_once('.')?;
    let method = match method.strip_prefix("raddle$") {
        // The copy of a static initialiser.
        Some("again") => "<clinit>",
        // The native method behind one of ours.
        Some(_) => return None,
        None => method,
    };
    let module = if frame.starts_with("java.base/") { "java.base/" } else { "" };
    let class = class.find("$$Lambda").map_or(class, |at| &class[..at + "$$Lambda".len()]);
    Some(format!("{module}{class}.{method}{rest}"))
}

/// A method of a class, if the JDK declares it.
fn of_jdk(env: Env, layouts: &Layouts, class: jclass, name: &str, descriptor: &str) -> Option<jmethodID> {
    let method = env.method(class, name, descriptor)?;
    let next = |class: &jclass| Some(env.super_class(*class)).filter(|above| !above.is_null());
    let of_jdk = std::iter::successors(Some(class), next)
        .find(|&class| is_of_jdk(&layouts.class_name(env, class).replace('.', "/")))?;
    // A method that is inherited has the identifier of the one that declares it.
    (env.method(of_jdk, name, descriptor) == Some(method)).then_some(method)
}

/// Calls a method without parameters that returns a reference; None for null or an exception.
fn ask(env: Env, object: jobject, method: jmethodID) -> Option<jobject> {
    // SAFETY: the method returns a reference.
    let answer = unsafe { env.call(object, method, b'L', &[]).l };
    if env.take_exception().is_some() || answer.is_null() { None } else { Some(answer) }
}

fn object_in(env: Env, layouts: &Layouts, object: jobject, name: &str) -> Option<jobject> {
    let layout = layouts.of(env, object);
    let field = layout.field(name).filter(|field| matches!(field.letter, b'L' | b'['))?;
    // SAFETY: the letter says that it is a reference.
    Some(unsafe { env.get_field(object, field.id, field.letter).l }).filter(|object| !object.is_null())
}

/// The elements of an `ArrayList`; none for other lists, such as the one that stands for none.
fn list_elements(env: Env, layouts: &Layouts, list: jobject) -> Vec<jobject> {
    let layout = layouts.of(env, list);
    let size = layout.field("size").filter(|field| field.letter == b'I');
    let (Some(size), Some(array)) = (size, object_in(env, layouts, list, "elementData")) else { return Vec::new() };
    // SAFETY: the letter says that it is an int.
    let size = unsafe { env.get_field(list, size.id, b'I').i }.max(0) as usize;
    let elements = (0..size.min(env.array_length(array)).min(MAX_EXCEPTIONS)).map(|index| env.element(array, index));
    elements.filter(|element| !element.is_null()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_shown_as_they_would_be_without_us() {
        let shown = |frame: &str| as_written(frame);
        let kept = "java.base/java.util.Vector.get(Vector.java:751)";
        assert_eq!(shown(kept).as_deref(), Some(kept));
        assert_eq!(shown("app//Foo.raddle$again(Foo.java:3)").as_deref(), Some("app//Foo.<clinit>(Foo.java:3)"));
        assert_eq!(shown("java.base/java.lang.RaddleHooks.waits0(Native Method)"), None);
        assert_eq!(shown("java.base/java.lang.Object.raddle$wait0(Native Method)"), None);
        assert_eq!(shown("java.base/jdk.internal.reflect.GeneratedMethodAccessor7.invoke(Unknown Source)"), None);
        assert_eq!(
            shown("app//Foo$$Lambda$14/0x0000000800c03000.run(Unknown Source)").as_deref(),
            Some("app//Foo$$Lambda.run(Unknown Source)")
        );
        let implemented = "app//raddle.Comparator$raddle$0123456789abcdef.compare(Unknown Source)";
        assert_eq!(shown(implemented).as_deref(), Some(implemented));
    }
}
