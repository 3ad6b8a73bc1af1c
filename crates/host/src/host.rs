//! Runs test cases, one execution after the other.

use crate::agent::LOADED;
use crate::awaited;
use crate::control;
use crate::graph::{Bounds, Numbering, Seen, Snapshot};
use crate::jdk_state::JdkState;
use crate::jni::{Env, Vm};
use crate::jvm::{Jvm, JvmError, JvmSettings};
use crate::machine::plain;
use crate::natives;
use crate::objects::Objects;
use crate::outcome::{CallResult, Execution};
use crate::read::Reading;
use crate::resolve::{Access, Action, Operand, Ready, ResolveError, load, resolve};
use crate::scope;
use crate::statics;
use crate::threads;
use crate::value::Value;
use jni_sys::{jobject, jvalue};
use schedule::{Event, EventKind, ObjectId, Scheduler, SiteId, ThreadId};
use std::sync::{Arc, Mutex};
use testcase::{NoSuchValue, TestCase};

/// A virtual machine in this process, with threads of ours that run suffixes.
pub struct Host {
    jvm: Jvm,
    reading: Arc<Reading>,
    objects: Objects,
    jdk_state: JdkState,
    /// How many threads for suffixes there are.
    threads: usize,
}

/// A test case that can be run.
pub struct Prepared {
    prefix: Vec<Ready>,
    suffixes: Arc<Vec<Vec<Ready>>>,
    probes: Vec<Ready>,
}

/// How executions are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunSettings {
    /// An execution with more events than this is ended.
    pub max_events: usize,
    /// What is read of the values that calls give.
    pub values: Values,
}

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

impl Default for RunSettings {
    fn default() -> Self {
        RunSettings { max_events: 100_000, values: Values::Graphs(Bounds::default()) }
    }
}

/// Why a test case cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// It uses a value that is not there.
    #[error(transparent)]
    Value(#[from] NoSuchValue),
    /// It names what is not there.
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    /// A class under test tells of no events, so nothing could be found in it.
    #[error("class {class} was not rewritten: {reason}")]
    NotRewritten {
        /// The class.
        class: String,
        /// Why.
        reason: String,
    },
    /// There are more suffixes than threads can be controlled.
    #[error("{0} threads are more than can be controlled")]
    TooManyThreads(usize),
}

/// What the threads for suffixes are to do. Set before they get their first turn.
static JOB: Mutex<Option<Arc<Job>>> = Mutex::new(None);

struct Job {
    suffixes: Arc<Vec<Vec<Ready>>>,
    /// What the prefix gave, as global references where they are objects.
    values: Vec<Given>,
    /// The identity hashes of those objects, if values are read whole.
    known: Vec<i32>,
    results: Vec<Mutex<Results>>,
    settings: RunSettings,
}

/// How calls ended, one after the other.
#[derive(Default)]
struct Results {
    calls: Vec<CallResult>,
    /// What was read of objects that calls gave, by the numbers of the calls. Their numbers are given at the end.
    graphs: Vec<(usize, Snapshot)>,
}

/// How much of the values of calls is read.
#[derive(Clone, Copy)]
enum Depth<'k> {
    Nothing,
    Identities,
    /// All but what is in objects with these identity hashes.
    Graphs(Bounds, &'k [i32]),
}

/// A value of an execution, with the first letter of its descriptor.
#[derive(Clone, Copy)]
struct Given {
    value: jvalue,
    letter: u8,
}

// SAFETY: values that cross threads are primitives and global references.
unsafe impl Send for Given {}
// SAFETY: as above.
unsafe impl Sync for Given {}

impl Host {
    /// Starts the virtual machine. A process can have one.
    pub fn start(settings: &JvmSettings) -> Result<Host, JvmError> {
        let jvm = Jvm::start(settings)?;
        let reading = Arc::new(Reading::new(jvm.env)?);
        natives::bind(&jvm, reading.clone())?;
        threads::know_current(jvm.env, ThreadId(0));
        let jdk_state = JdkState::remember(jvm.env);
        Ok(Host { jvm, reading, objects: Objects::default(), jdk_state, threads: 0 })
    }

    /// Looks up what a test case names, and checks that the classes under test tell of their events.
    pub fn prepare(&mut self, test: &TestCase, under_test: &[String]) -> Result<Prepared, PrepareError> {
        test.check()?;
        if test.suffixes.len() >= control::MAX_THREADS {
            return Err(PrepareError::TooManyThreads(test.suffixes.len()));
        }
        let env = self.jvm.env;
        let prefix = resolve(env, &self.reading, &test.prefix, &[])?;
        let given: Vec<u8> = prefix.iter().map(|call| call.gives).collect();
        let probes = resolve(env, &self.reading, &test.probes, &given)?;
        let suffixes = test.suffixes.iter().map(|calls| resolve(env, &self.reading, calls, &given));
        let suffixes = Arc::new(suffixes.collect::<Result<Vec<_>, _>>()?);
        for class in under_test {
            load(env, &self.reading, class)?;
            check_rewritten(class)?;
        }
        while self.threads < test.suffixes.len() {
            self.threads += 1;
            let (vm, reading, thread) = (self.jvm.vm, self.reading.clone(), ThreadId(self.threads as u16));
            let started = std::thread::Builder::new().name(format!("raddle-{}", thread.0)).spawn(move || {
                run_suffixes(vm, &reading, thread);
            });
            started.map_err(|_| PrepareError::TooManyThreads(test.suffixes.len()))?;
        }
        Ok(Prepared { prefix, suffixes, probes })
    }

    /// Runs a test case once.
    pub fn run(&mut self, test: &Prepared, scheduler: Box<dyn Scheduler + Send>, settings: RunSettings) -> Execution {
        let env = self.jvm.env;
        statics::reset(env);
        self.jdk_state.restore(env);
        let mut objects = std::mem::take(&mut self.objects);
        objects.clear();
        control::begin(scheduler, settings.max_events, objects, test.suffixes.len());
        env.frame(|| {
            let mut values = Vec::with_capacity(test.prefix.len() + test.probes.len());
            let prefix = run_calls(env, &self.reading, &test.prefix, &mut values, settings.values.of_prefix());
            let (mut suffixes, mut probes) = (Vec::new(), Results::default());
            if all_returned(&prefix.calls, &test.prefix) {
                suffixes = self.run_suffixes(test, &values, settings);
                let depth = settings.values.of_others(&[]);
                probes = run_calls(env, &self.reading, &test.probes, &mut values, depth);
            }
            let (ended, objects) = control::end();
            let awaited = awaited::take(ended.stop.as_ref());
            threads::forget_started();
            self.objects = objects;
            let mut numbering = Numbering::default();
            let mut number = |results| number_objects(results, &mut numbering, settings.values);
            Execution {
                trace: ended.trace,
                prefix: number(prefix),
                suffixes: suffixes.into_iter().map(&mut number).collect(),
                probes: number(probes),
                uncaught: ended.uncaught,
                stop: ended.stop,
                awaited,
            }
        })
    }

    fn run_suffixes(&self, test: &Prepared, values: &[Given], settings: RunSettings) -> Vec<Results> {
        let env = self.jvm.env;
        let known = match settings.values {
            Values::Graphs(_) => values.iter().filter_map(|given| given.hash(env)).collect(),
            _ => Vec::new(),
        };
        let share = |given: &Given| match given.letter {
            // SAFETY: the letter says that it is a reference.
            b'L' | b'[' => Given { value: jvalue { l: env.global(unsafe { given.value.l }) }, ..*given },
            _ => *given,
        };
        let job = Arc::new(Job {
            suffixes: test.suffixes.clone(),
            values: values.iter().map(share).collect(),
            known,
            results: test.suffixes.iter().map(|_| Mutex::default()).collect(),
            settings,
        });
        *JOB.lock().unwrap_or_else(|e| e.into_inner()) = Some(job.clone());
        let threads = 1..=test.suffixes.len() as u16;
        threads.clone().for_each(|thread| control::start_thread(ThreadId(thread)));
        for thread in threads {
            if control::event(plain(EventKind::Join, thread as u32)).is_err() {
                // Threads that have to leave still use the job; they are gone once this returns.
                control::dismiss_others();
                break;
            }
        }
        *JOB.lock().unwrap_or_else(|e| e.into_inner()) = None;
        for given in &job.values {
            if matches!(given.letter, b'L' | b'[') {
                // SAFETY: the letter says that it is a reference, and it was made global above.
                env.delete_global(unsafe { given.value.l });
            }
        }
        let take = |results: &Mutex<_>| std::mem::take(&mut *results.lock().unwrap_or_else(|e| e.into_inner()));
        job.results.iter().map(take).collect()
    }

    /// The site of an event.
    pub fn site(&self, site: SiteId) -> Option<crate::sites::Site> {
        let loaded = LOADED.lock().unwrap_or_else(|e| e.into_inner());
        loaded.as_ref()?.sites.get(site).cloned()
    }

    /// The field with that number, as the class that declares it and its name.
    pub fn field(&self, number: u32) -> Option<(String, String)> {
        let loaded = LOADED.lock().unwrap_or_else(|e| e.into_inner());
        loaded.as_ref()?.sites.field(number).map(|field| (field.class.clone(), field.name.clone()))
    }
}

fn check_rewritten(class: &str) -> Result<(), PrepareError> {
    let loaded = LOADED.lock().unwrap_or_else(|e| e.into_inner());
    let loaded = loaded.as_ref().expect("internal bug: no agent");
    let refuse = |reason: String| Err(PrepareError::NotRewritten { class: class.replace('/', "."), reason });
    if !scope::is_rewritten(class) {
        return refuse("its package is one that the virtual machine stands on".into());
    }
    if let Some((method, reason)) = loaded
        .failures
        .iter()
        .find(|(name, _)| name.strip_prefix(class).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
    {
        return refuse(format!("{method}: {reason}"));
    }
    if loaded.sites.has_class(class) { Ok(()) } else { refuse("it was not seen when it was loaded".into()) }
}

/// The life of a thread for suffixes.
fn run_suffixes(vm: Vm, reading: &Reading, thread: ThreadId) {
    let Some(env) = vm.attach(&format!("raddle-{}", thread.0)) else { return };
    threads::know_current(env, thread);
    loop {
        if control::await_start(thread, true).is_ok() {
            let job =
                JOB.lock().unwrap_or_else(|e| e.into_inner()).clone().expect("internal bug: a turn without a job");
            let suffix = thread.0 as usize - 1;
            env.frame(|| {
                let mut values = job.values.clone();
                let depth = job.settings.values.of_others(&job.known);
                let results = run_calls(env, reading, &job.suffixes[suffix], &mut values, depth);
                *job.results[suffix].lock().unwrap_or_else(|e| e.into_inner()) = results;
            });
        }
        control::finish();
    }
}

fn all_returned(results: &[CallResult], calls: &[Ready]) -> bool {
    results.len() == calls.len() && results.iter().all(|result| matches!(result, CallResult::Returned(_)))
}

impl Values {
    fn of_prefix(&self) -> Depth<'static> {
        if *self == Values::Unread { Depth::Nothing } else { Depth::Identities }
    }

    fn of_others<'k>(&self, known: &'k [i32]) -> Depth<'k> {
        match *self {
            Values::Unread => Depth::Nothing,
            Values::Identities => Depth::Identities,
            Values::Graphs(bounds) => Depth::Graphs(bounds, known),
        }
    }
}

impl Given {
    /// Its identity hash, if it is an object.
    fn hash(&self, env: Env) -> Option<i32> {
        if !matches!(self.letter, b'L' | b'[') {
            return None;
        }
        // SAFETY: the letter says that it is a reference.
        let object = unsafe { self.value.l };
        (!object.is_null()).then(|| natives::identity_hash(env.raw(), object))
    }
}

/// Gives the objects in results their numbers.
fn number_objects(results: Results, numbering: &mut Numbering, values: Values) -> Vec<CallResult> {
    let bounds = if let Values::Graphs(bounds) = values { bounds } else { Bounds::default() };
    let Results { mut calls, graphs } = results;
    for (call, snapshot) in graphs {
        calls[call] = CallResult::Returned(numbering.number(&snapshot, bounds));
    }
    calls
}

/// Makes calls one after the other, until one throws. Values are read at once, before anything else can run.
fn run_calls(env: Env, reading: &Reading, calls: &[Ready], values: &mut Vec<Given>, depth: Depth<'_>) -> Results {
    let mut results = Results { calls: Vec::with_capacity(calls.len()), graphs: Vec::new() };
    for call in calls {
        let value = make(env, call, values);
        let seen = match env.take_exception() {
            Some(exception) => {
                results.calls.push(match natives::is_unwind(env, exception) {
                    true => CallResult::CutOff,
                    false => CallResult::Threw(reading.thrown(env, exception)),
                });
                break;
            }
            None => match depth {
                Depth::Nothing => Seen::Plain(Value::Void),
                Depth::Identities => reading.identity(env, value, call.gives),
                Depth::Graphs(bounds, known) => reading.graph(env, value, call.gives, bounds, known),
            },
        };
        results.calls.push(CallResult::Returned(match seen {
            Seen::Plain(value) => value,
            Seen::Graph(snapshot) => {
                results.graphs.push((results.calls.len(), snapshot));
                Value::More
            }
        }));
        values.push(Given { value, letter: call.gives });
    }
    results
}

fn make(env: Env, call: &Ready, values: &[Given]) -> jvalue {
    let operand = |operand: &Operand| match operand {
        Operand::Literal(value) => *value,
        Operand::Value(number) => values[*number].value,
    };
    // SAFETY: a receiver is a reference, by the descriptors that were looked up.
    let receiver = || call.receiver.as_ref().map_or(std::ptr::null_mut(), |r| unsafe { operand(r).l });
    let arguments: Vec<jvalue> = call.arguments.iter().map(operand).collect();
    let needs_receiver = matches!(call.action, Action::Virtual(_) | Action::GetField(_) | Action::PutField(_));
    if needs_receiver && receiver().is_null() {
        env.throw_new("java/lang/NullPointerException", "the receiver of a call of the test is null");
        return jvalue { j: 0 };
    }
    match call.action {
        Action::Construct(class, constructor) => jvalue { l: env.construct(class, constructor, &arguments) },
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
