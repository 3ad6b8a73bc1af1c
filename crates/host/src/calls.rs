//! Makes the calls of a test case, and reads what they give.

use crate::control;
use crate::graph::{Bounds, Numbering, Seen};
use crate::jni::Env;
use crate::made;
use crate::natives;
use crate::outcome::CallResult;
use crate::read::Reading;
use crate::resolve::{Access, Action, Operand, Ready};
use crate::value::Value;
use jni_sys::{jobject, jvalue};
use schedule::{Event, ObjectId};

/// What is read of the values that calls give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// Nothing: all are void.
    Unread,
    /// Objects are told apart, and not looked into.
    Identities,
    /// The values that suffixes and probes give are read whole, as far as the bounds go; those that the prefix gives, which
    /// are the same in every execution, as identities.
    Graphs(Bounds),
}

/// How calls ended, one after the other.
#[derive(Default)]
pub struct Results {
    pub calls: Vec<CallResult>,
    /// What was seen of objects that calls gave, by the numbers of the calls. Their own numbers are given at the end.
    objects: Vec<(usize, Seen)>,
    /// How many events there were when each call ended.
    pub ends: Vec<usize>,
}

/// How much of the values of calls is read.
#[derive(Clone, Copy)]
pub enum Depth<'k> {
    Nothing,
    Identities,
    /// All but what is in objects with these identity hashes.
    Graphs(Bounds, &'k [i32]),
}

/// A value of an execution, with the first letter of its descriptor.
#[derive(Clone, Copy)]
pub struct Given {
    pub value: jvalue,
    pub letter: u8,
}

// SAFETY: values that cross threads are primitives and global references.
unsafe impl Send for Given {}
// SAFETY: as above.
unsafe impl Sync for Given {}

impl Values {
    /// For the calls of a prefix.
    pub fn of_prefix(&self) -> Depth<'static> {
        if *self == Values::Unread { Depth::Nothing } else { Depth::Identities }
    }

    /// For all other calls, which do not look into the objects with these identity hashes.
    pub fn of_others<'k>(&self, known: &'k [i32]) -> Depth<'k> {
        match *self {
            Values::Unread => Depth::Nothing,
            Values::Identities => Depth::Identities,
            Values::Graphs(bounds) => Depth::Graphs(bounds, known),
        }
    }
}

impl Given {
    /// The same for all threads: a global reference if it is an object, which somebody has to [forget](Given::forget).
    pub fn shared(&self, env: Env) -> Given {
        match self.letter {
            // SAFETY: the letter says that it is a reference.
            b'L' | b'[' => Given { value: jvalue { l: env.global(unsafe { self.value.l }) }, ..*self },
            _ => *self,
        }
    }

    /// Gives up the reference of a value that is shared.
    pub fn forget(&self, env: Env) {
        if matches!(self.letter, b'L' | b'[') {
            // SAFETY: the letter says that it is a reference, and whoever calls this has made it global.
            env.delete_global(unsafe { self.value.l });
        }
    }

    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        // SAFETY: the letter says that it is a reference.
        matches!(self.letter, b'L' | b'[') && unsafe { self.value.l }.is_null()
    }

    /// Its identity hash, if it is an object.
    pub fn hash(&self, env: Env) -> Option<i32> {
        if !matches!(self.letter, b'L' | b'[') {
            return None;
        }
        // SAFETY: the letter says that it is a reference.
        let object = unsafe { self.value.l };
        (!object.is_null()).then(|| natives::identity_hash(env.raw(), object))
    }
}

impl Results {
    /// None yet, and they need not grow.
    pub fn with_room_for(calls: &[Ready]) -> Results {
        let (results, ends) = (Vec::with_capacity(calls.len()), Vec::with_capacity(calls.len()));
        Results { calls: results, objects: Vec::new(), ends }
    }

    /// Whether all of these calls were made and have returned.
    pub fn all_returned(&self, calls: &[Ready]) -> bool {
        self.calls.len() == calls.len() && self.calls.iter().all(|result| matches!(result, CallResult::Returned(_)))
    }

    /// Gives the objects in the results their numbers.
    pub fn number(self, numbering: &mut Numbering, values: Values) -> Vec<CallResult> {
        let bounds = if let Values::Graphs(bounds) = values { bounds } else { Bounds::default() };
        let Results { mut calls, objects, .. } = self;
        for (call, seen) in objects {
            calls[call] = CallResult::Returned(match seen {
                Seen::Plain(value) => value,
                Seen::Identity(hash, class) => numbering.identify(hash, &class),
                Seen::Graph(snapshot) => numbering.number(&snapshot, bounds),
            });
        }
        calls
    }
}

/// Makes calls one after the other, until one throws. Values are read at once, before anything else can run.
pub fn run_calls(env: Env, reading: &Reading, calls: &[Ready], values: &mut Vec<Given>, depth: Depth<'_>) -> Results {
    let mut results = Results::with_room_for(calls);
    add_results(&mut results, env, reading, calls, values, depth, false);
    results
}

/// The same, with the results written where there is room for them. One that throws need not be the last.
pub fn add_results(
    results: &mut Results,
    env: Env,
    reading: &Reading,
    calls: &[Ready],
    values: &mut Vec<Given>,
    depth: Depth<'_>,
    goes_on: bool,
) {
    for call in calls {
        let value = make(env, call, values);
        if control::end_quiet() {
            natives::synchronizer::forget();
        }
        let exception = env.take_exception();
        let is_cut = control::leaves();
        results.ends.push(made::made_one(exception.is_none() && !is_cut));
        let seen = match exception {
            // Whatever else it returns or throws.
            _ if is_cut => {
                results.calls.push(CallResult::CutOff);
                break;
            }
            Some(exception) => {
                results.calls.push(CallResult::Threw(reading.thrown(env, exception)));
                if !goes_on {
                    break;
                }
                // It has no value: null, or 0.
                values.push(Given { value: jvalue { j: 0 }, letter: call.gives });
                continue;
            }
            None => match depth {
                Depth::Nothing => Seen::Plain(Value::Void),
                Depth::Identities => reading.identity(env, value, call.gives),
                Depth::Graphs(bounds, known) => reading.graph(env, value, call.gives, bounds, known),
            },
        };
        results.calls.push(CallResult::Returned(match seen {
            Seen::Plain(value) => value,
            object => {
                results.objects.push((results.calls.len(), object));
                Value::More
            }
        }));
        values.push(Given { value, letter: call.gives });
    }
}

fn make(env: Env, call: &Ready, values: &[Given]) -> jvalue {
    let operand = |operand: &Operand| match operand {
        Operand::Literal(value) => *value,
        Operand::Value(number) => values[*number].value,
        Operand::Returned(..) => unreachable!("internal bug: a probe is made with what suffixes returned"),
    };
    // SAFETY: a receiver is a reference, by the descriptors that were looked up.
    let receiver = || call.receiver.as_ref().map_or(std::ptr::null_mut(), |r| unsafe { operand(r).l });
    let arguments: Vec<jvalue> = call.arguments.iter().map(operand).collect();
    let needs_receiver = matches!(call.action, Action::Virtual(_) | Action::GetField(_) | Action::PutField(_));
    if needs_receiver && receiver().is_null() {
        env.throw_new("java/lang/NullPointerException", "the receiver of a call of the test is null");
        return jvalue { j: 0 };
    }
    // Java says so where the object is made, and not where a constructor begins.
    // SAFETY: the object around a new one is a reference, by the descriptor that was looked up.
    if matches!(call.action, Action::ConstructInner(..)) && unsafe { arguments[0].l }.is_null() {
        env.throw_new("java/lang/NullPointerException", "the object around a new one of the test is null");
        return jvalue { j: 0 };
    }
    match call.action {
        Action::Construct(class, constructor) | Action::ConstructInner(class, constructor) => {
            jvalue { l: env.construct(class, constructor, &arguments) }
        }
        Action::Static(class, method) => env.call_static(class, method, call.gives, &arguments),
        Action::Virtual(method) => env.call(receiver(), method, call.gives, &arguments),
        Action::Array(class) => match env.object_array(class, arguments.len()) {
            Some(array) => fill(env, call, array, &arguments),
            None => jvalue { j: 0 },
        },
        Action::PrimitiveArray => match env.primitive_array(call.puts, arguments.len()) {
            Some(array) => fill(env, call, array, &arguments),
            None => jvalue { j: 0 },
        },
        _ if !tell(env, call.access, receiver()) => jvalue { j: 0 },
        Action::GetField(field) => env.get_field(receiver(), field, call.gives),
        Action::PutField(field) => env.put_field(receiver(), field, call.puts, arguments[0]),
        Action::GetStatic(class, field) => env.get_static(class, field, call.gives),
        Action::PutStatic(class, field) => env.put_static(class, field, call.puts, arguments[0]),
    }
}

/// Sets the elements of a new array.
fn fill(env: Env, call: &Ready, array: jobject, elements: &[jvalue]) -> jvalue {
    for (index, element) in elements.iter().enumerate() {
        let access = call.access.map(|access| Access { slot: index as u32, ..access });
        if !tell(env, access, array) {
            break;
        }
        match call.puts {
            // SAFETY: elements of an array of references are references.
            b'L' | b'[' => env.set_element(array, index, unsafe { element.l }),
            letter => env.set_primitive_element(array, index, letter, *element),
        }
        if env.has_exception() {
            break;
        }
    }
    jvalue { l: array }
}

/// Tells of an access by the test itself, to a static field if `object` is null. False if the thread has to leave, with
/// the error for it pending.
fn tell(env: Env, access: Option<Access>, object: jobject) -> bool {
    let Some(Access { kind, slot, site }) = access else { return true };
    let object = if object.is_null() { ObjectId::NONE } else { natives::number_of(env, object) };
    natives::happen(env.raw(), Event { kind, object, slot, site }).is_some()
}
