//! Runs test cases, one execution after the other.

use crate::agent::LOADED;
use crate::awaited;
use crate::calls::{Given, Results, Values, add_results, run_calls};
use crate::common_pool::CommonPool;
use crate::control::{self, Tables};
use crate::definitions;
use crate::depth;
use crate::fresh_thread::FreshThread;
use crate::graph::{Bounds, Numbering};
use crate::handed_over::HandedOver;
use crate::jdk_state::JdkState;
use crate::jni::Vm;
use crate::jvm::{Jvm, JvmError, JvmSettings};
use crate::machine::{Limits, Stop, plain};
use crate::made;
use crate::mbeans::MBeans;
use crate::named::Named;
use crate::natives;
use crate::one_core::Core;
use crate::outcome::Execution;
use crate::properties::SystemProperties;
use crate::read::Reading;
use crate::resolve::{Letters, Ready, ResolveError, load, resolve};
use crate::scope;
use crate::shutdown::Shutdown;
use crate::signals;
use crate::sites::FieldRef;
use crate::statics;
use crate::tables;
use crate::there_before;
use crate::threads;
use crate::unseen;
use rustix::thread::{Pid, gettid};
use schedule::{EventKind, Scheduler, SiteId, ThreadId};
use std::sync::{Arc, Mutex, mpsc};
use testcase::{NoSuchValue, TestCase};

/// A virtual machine in this process, with threads of ours that run suffixes.
pub struct Host {
    jvm: Jvm,
    reading: Arc<Reading>,
    tables: Tables,
    jdk_state: JdkState,
    first_thread: Option<FreshThread>,
    common_pool: Option<CommonPool>,
    properties: Option<SystemProperties>,
    shutdown: Option<Shutdown>,
    mbeans: MBeans,
    /// Whether the last execution has started threads.
    has_started: bool,
    /// How many threads for suffixes there are.
    threads: usize,
    core: Core,
}

/// A test case that can be run.
pub struct Prepared {
    pub(crate) prefix: Vec<Ready>,
    pub(crate) suffixes: Arc<Vec<Vec<Ready>>>,
    pub(crate) probes: Vec<Ready>,
}

/// How executions are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunSettings {
    /// What the executions may do.
    pub limits: Limits,
    /// What is read of the values that calls give.
    pub values: Values,
    /// Whether every step is told in full.
    pub tell: bool,
    /// What the virtual machine shows besides: another time, other identity hashes and random numbers for each number. What
    /// then differs between two executions of one schedule is no one's doing.
    pub variation: u32,
    /// Whether the test is a whole program, which runs its shutdown hooks in the end.
    pub is_program: bool,
    /// Whether it is one of many tests of a check: what a thread does alone then stays in Java.
    pub is_check: bool,
    /// Whether a suffix goes on with its next call when one throws.
    pub goes_on: bool,
    /// Whether accesses are events only if their keys were raised ([`Host::raise`]).
    pub silent: bool,
    /// Whether the only suffix may be alone as the prefix is, with accesses that stay in Java: nobody asks for them.
    pub alone: bool,
}

impl Default for RunSettings {
    fn default() -> Self {
        RunSettings {
            limits: Limits::default(),
            values: Values::Graphs(Bounds::default()),
            tell: false,
            variation: 0,
            is_program: false,
            is_check: false,
            goes_on: false,
            silent: false,
            alone: false,
        }
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
    handed: Arc<HandedOver>,
    results: Vec<Mutex<Results>>,
    settings: RunSettings,
}

/// As much stack as threads have that `java` starts.
const STACK: usize = 1 << 20;

impl Host {
    /// Starts the virtual machine. A process can have one.
    pub fn start(settings: &JvmSettings) -> Result<Host, JvmError> {
        signals::make_room();
        let jvm = Jvm::start(settings)?;
        let reading = Arc::new(Reading::new(jvm.env)?);
        natives::bind(&jvm, reading.clone())?;
        definitions::bind(&jvm, &settings.java_home)?;
        threads::know_current(jvm.env, ThreadId(0));
        there_before::remember(jvm.env);
        let jdk_state = JdkState::remember(jvm.env);
        let common_pool = CommonPool::find(jvm.env);
        let properties = SystemProperties::remember(jvm.env);
        let shutdown = Shutdown::find(jvm.env);
        tables::find(properties.as_ref().map(SystemProperties::table), shutdown.as_ref().map(Shutdown::counted));
        let first_thread = FreshThread::remember(jvm.env, ThreadId(0));
        let (has_started, threads, core) = (false, 0, Core::new());
        Ok(Host {
            jvm,
            reading,
            tables: Tables::default(),
            jdk_state,
            first_thread,
            common_pool,
            properties,
            shutdown,
            mbeans: MBeans::default(),
            has_started,
            threads,
            core,
        })
    }

    /// Looks up what a test case names, and checks that the classes under test tell of their events.
    pub fn prepare(&mut self, test: &TestCase, under_test: &[String]) -> Result<Prepared, PrepareError> {
        test.check()?;
        if test.suffixes.len() >= schedule::MAX_THREADS {
            return Err(PrepareError::TooManyThreads(test.suffixes.len()));
        }
        natives::synchronizer::trust(!under_test.iter().any(|class| class.starts_with("java/util/concurrent/")));
        if let Some(loaded) = LOADED.lock().unwrap_or_else(|e| e.into_inner()).as_mut() {
            loaded.under_test = under_test.to_vec();
            natives::attempts::give_permits(loaded.named.contains(&(under_test.to_vec(), Named::Permits)));
        }
        let env = self.jvm.env;
        let letters = |calls: &Vec<Ready>| calls.iter().map(|call| call.gives).collect::<Vec<u8>>();
        let prefix = resolve(env, &self.reading, &test.prefix, Letters { given: &[], returned: &[] })?;
        let given = letters(&prefix);
        let known = Letters { given: &given, returned: &[] };
        let suffixes = test.suffixes.iter().map(|calls| resolve(env, &self.reading, calls, known));
        let suffixes = Arc::new(suffixes.collect::<Result<Vec<_>, _>>()?);
        let returned: Vec<Vec<u8>> = suffixes.iter().map(letters).collect();
        let probes = resolve(env, &self.reading, &test.probes, Letters { given: &given, returned: &returned })?;
        for class in under_test {
            load(env, &self.reading, class)?;
            check_rewritten(class)?;
        }
        while self.threads < test.suffixes.len() {
            self.threads += 1;
            let (vm, reading, thread) = (self.jvm.vm, self.reading.clone(), ThreadId(self.threads as u16));
            let (here, started) = mpsc::channel();
            let spawned = std::thread::Builder::new()
                .name(format!("raddle-{}", thread.0))
                .stack_size(STACK)
                .spawn(move || run_suffixes(vm, &reading, thread, here));
            let Some(started) = spawned.ok().and_then(|_| started.recv().ok()) else {
                self.threads -= 1;
                return Err(PrepareError::TooManyThreads(test.suffixes.len()));
            };
            self.core.add(started);
        }
        Ok(Prepared { prefix, suffixes, probes })
    }

    /// Whether objects of one class are objects of another, both as class files name them. Not, if one of them is not there.
    pub fn is_subclass(&self, class: &str, above: &str) -> bool {
        let env = self.jvm.env;
        env.frame(|| {
            // Nothing more is looked for while an exception is pending.
            let classes = env.find_class(class).and_then(|class| Some((class, env.find_class(above)?)));
            env.take_exception();
            classes.is_some_and(|(class, above)| env.is_subclass(class, above))
        })
    }

    /// Whether there is a class of this name, which is one of class files, for the code under test.
    pub fn has_class(&self, class: &str) -> bool {
        let env = self.jvm.env;
        env.frame(|| {
            let found = env.find_class(class).is_some();
            env.take_exception();
            found
        })
    }

    /// Runs a test case once.
    pub fn run(&mut self, test: &Prepared, scheduler: Box<dyn Scheduler + Send>, settings: RunSettings) -> Execution {
        let env = self.jvm.env;
        self.core.look();
        definitions::begin();
        // Before static initialisers run, which may set them.
        if let Some(properties) = &mut self.properties {
            properties.restore(env, &self.tables.objects);
        }
        if let Some(shutdown) = &mut self.shutdown {
            shutdown.restore(env);
        }
        self.mbeans.restore(env);
        statics::reset(env);
        if let Some(pool) = self.common_pool.as_ref().filter(|_| self.has_started) {
            pool.renew(env);
        }
        self.jdk_state.restore(env);
        if let Some(thread) = &self.first_thread {
            thread.freshen(env);
        }
        let mut tables = std::mem::take(&mut self.tables);
        tables.objects.clear();
        tables.silence.begin(settings.silent && !settings.tell);
        if settings.tell {
            natives::tell::begin();
        }
        natives::synchronizer::forget();
        made::forget();
        depth::begin(settings.limits.max_frames);
        natives::attempts::begin(settings.limits.watched);
        control::begin(scheduler, settings.limits, tables, test.suffixes.len());
        control::with_machine(|machine| machine.vary(settings.variation));
        if settings.is_check {
            natives::alone::begin(env);
        }
        env.frame(|| {
            let mut values = Vec::with_capacity(test.prefix.len() + test.probes.len());
            let prefix = run_calls(env, &self.reading, &test.prefix, &mut values, settings.values.of_prefix());
            let (mut suffixes, mut probes) = (Vec::new(), Results::default());
            if prefix.all_returned(&test.prefix) {
                let handed = HandedOver::of(&test.probes, &test.suffixes);
                suffixes = self.run_suffixes(test, &values, settings, &handed);
                let depth = settings.values.of_others(&[]);
                if !control::is_over() {
                    let ready = handed.probes(&test.probes);
                    probes = run_calls(env, &self.reading, &ready, &mut values, depth);
                }
                handed.forget(env);
            }
            if let Some(shutdown) = self.shutdown.as_ref().filter(|_| settings.is_program) {
                shutdown.run(env);
            }
            natives::tell::written(env);
            natives::alone::end(env);
            let (mut ended, tables) = control::end();
            natives::watch::watch(env, false);
            if let Some(shutdown) = self.shutdown.as_ref().filter(|_| settings.is_program) {
                ended.remains.doubts.extend(shutdown.doubts(env));
            }
            if ended.stop.is_some() {
                // They could have gone on, or whatever has stopped them says what they wait for.
                ended.remains.left.clear();
            }
            let telling = if settings.tell { natives::tell::end() } else { Default::default() };
            let blocked = match &mut ended.stop {
                Some(Stop::Deadlock(blocked)) => blocked,
                _ => &mut ended.remains.left,
            };
            let awaited = awaited::take(blocked);
            for (thread, event) in &mut ended.remains.pending {
                if let Some(blocked) = blocked.iter().find(|blocked| blocked.thread == *thread) {
                    event.site = blocked.event.site;
                }
            }
            self.has_started = threads::forget_started();
            let given = values.iter().take(if settings.tell { test.prefix.len() } else { 0 }).enumerate();
            let given =
                given.filter_map(|(call, given)| Some((call, tables.objects.find(given.hash(env)?)?))).collect();
            self.tables = tables;
            let mut numbering = Numbering::default();
            let mut number = |results: Results| results.number(&mut numbering, settings.values);
            Execution {
                trace: ended.remains.trace,
                pending: ended.remains.pending,
                timed_out: ended.remains.timed_out,
                left: ended.remains.left,
                abandoned: ended.remains.abandoned,
                timed: ended.remains.timed,
                watched: settings.limits.watched,
                mirrored: settings.limits.mirrored,
                hashed: ended.remains.hashed,
                asked: ended.remains.asked,
                doubts: ended.remains.doubts,
                told: telling.steps,
                names: telling.names,
                given,
                prefix: number(prefix),
                ends: suffixes.iter().map(|results| results.ends.clone()).collect(),
                suffixes: suffixes.into_iter().map(&mut number).collect(),
                probes: number(probes),
                uncaught: ended.uncaught,
                stop: ended.stop,
                awaited,
                overflow: depth::end(),
                unseen: ended.unseen,
                taints: ended.taints,
                held: ended.held,
                chance: ended.remains.chance,
                silent: ended.silent,
            }
        })
    }

    fn run_suffixes(
        &self,
        test: &Prepared,
        values: &[Given],
        settings: RunSettings,
        handed: &Arc<HandedOver>,
    ) -> Vec<Results> {
        let env = self.jvm.env;
        let known = match settings.values {
            Values::Graphs(_) => values.iter().filter_map(|given| given.hash(env)).collect(),
            _ => Vec::new(),
        };
        let job = Arc::new(Job {
            suffixes: test.suffixes.clone(),
            values: values.iter().map(|given| given.shared(env)).collect(),
            known,
            handed: handed.clone(),
            // Made by the thread that drops them: memory that goes from one thread to another costs more.
            results: test.suffixes.iter().map(|calls| Mutex::new(Results::with_room_for(calls))).collect(),
            settings,
        });
        *JOB.lock().unwrap_or_else(|e| e.into_inner()) = Some(job.clone());
        let is_alone = settings.alone && test.suffixes.len() == 1 && control::is_still_alone();
        if !is_alone {
            natives::alone::end(env);
        }
        natives::watch::watch(env, !test.suffixes.is_empty());
        let threads = 1..=test.suffixes.len() as u16;
        if is_alone {
            control::hand_alone_on();
        }
        threads.clone().for_each(|thread| control::start_thread(ThreadId(thread)));
        for thread in threads {
            if control::event(plain(EventKind::Join, thread as u32)).is_err() {
                // Threads that have to leave still use the job; they are gone once this returns.
                natives::alone::end(env);
                control::dismiss_others();
                break;
            }
        }
        if is_alone {
            control::take_alone_back();
        }
        *JOB.lock().unwrap_or_else(|e| e.into_inner()) = None;
        job.values.iter().for_each(|given| given.forget(env));
        let take = |results: &Mutex<_>| std::mem::take(&mut *results.lock().unwrap_or_else(|e| e.into_inner()));
        job.results.iter().map(take).collect()
    }

    /// The site of an event.
    pub fn site(&self, site: SiteId) -> Option<crate::sites::Site> {
        let loaded = LOADED.lock().unwrap_or_else(|e| e.into_inner());
        loaded.as_ref()?.sites.get(site).cloned()
    }

    /// Accesses of these places by opaque code are events from now on, and of no others. Places are named as
    /// [`Host::place`] names them.
    pub fn open(&mut self, places: &[String]) {
        let mut loaded = LOADED.lock().unwrap_or_else(|e| e.into_inner());
        let sites = &mut loaded.as_mut().expect("internal bug: no agent").sites;
        let field = |place: &String| place.rsplit_once('.').map(|(class, name)| (class.to_owned(), name.to_owned()));
        let fields = places.iter().filter_map(field);
        let numbers: Vec<u32> = fields.map(|(class, name)| sites.number_of_field(FieldRef { class, name })).collect();
        self.tables.silence.open(numbers.iter().copied());
        unseen::open(numbers.into_iter().collect());
    }

    /// Accesses with these keys are events from now on, also in executions that run silently.
    pub fn raise(&mut self, keys: &[u32]) {
        self.tables.silence.raise(keys);
    }

    /// No key is raised any more.
    pub fn forget_raised(&mut self) {
        self.tables.silence.forget_raised();
    }

    /// Classes whose static initialisers need each other and ran while several threads were under control, in
    /// groups. Of all tests of the classes that are under test now.
    pub fn initialiser_circles(&self) -> Vec<Vec<String>> {
        let loaded = LOADED.lock().unwrap_or_else(|e| e.into_inner());
        loaded.as_ref().map(|loaded| loaded.initialisers.circles(&loaded.under_test)).unwrap_or_default()
    }

    /// The name of a place that can be opened, by its number.
    pub fn place(&self, number: u32) -> Option<String> {
        self.field(number).map(|(class, name)| format!("{class}.{name}"))
    }

    /// Whether a class uses accesses which Java orders less than volatile ones.
    pub fn uses_weak_accesses(&self, class: &str) -> bool {
        let loaded = LOADED.lock().unwrap_or_else(|e| e.into_inner());
        loaded.as_ref().is_some_and(|loaded| loaded.weak.iter().any(|(_, weak)| weak == class))
    }

    /// Whether a class that was loaded for the classes that are under test now names something.
    pub fn names(&self, named: Named) -> bool {
        let loaded = LOADED.lock().unwrap_or_else(|e| e.into_inner());
        loaded.as_ref().is_some_and(|loaded| loaded.named.contains(&(loaded.under_test.clone(), named)))
    }

    /// A class that uses such accesses and was loaded for the classes that are under test now, if there is one.
    pub fn weak_class(&self) -> Option<String> {
        let loaded = LOADED.lock().unwrap_or_else(|e| e.into_inner());
        let loaded = loaded.as_ref()?;
        let weak = loaded.weak.iter().filter(|(under_test, _)| *under_test == loaded.under_test);
        weak.map(|(_, class)| class.clone()).min()
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

/// The life of a thread for suffixes. Says when it is there, for its `Thread` object takes a number, and that must not be in the
/// middle of an execution.
fn run_suffixes(vm: Vm, reading: &Reading, thread: ThreadId, here: mpsc::Sender<Pid>) {
    let Some(env) = vm.attach(&format!("raddle-{}", thread.0)) else { return };
    threads::know_current(env, thread);
    let fresh = FreshThread::remember(env, thread);
    // Whoever has started it waits for this.
    let _ = here.send(gettid());
    loop {
        if control::await_start(thread, true).is_ok() {
            natives::synchronizer::forget();
            if let Some(fresh) = &fresh {
                fresh.freshen(env);
            }
            let job =
                JOB.lock().unwrap_or_else(|e| e.into_inner()).clone().expect("internal bug: a turn without a job");
            let suffix = thread.0 as usize - 1;
            env.frame(|| {
                let mut values = job.values.clone();
                let depth = job.settings.values.of_others(&job.known);
                let mut results = job.results[suffix].lock().unwrap_or_else(|e| e.into_inner());
                let goes_on = job.settings.goes_on;
                add_results(&mut results, env, reading, &job.suffixes[suffix], &mut values, depth, goes_on);
                job.handed.take(env, suffix, &values[job.values.len()..]);
                natives::tell::written(env);
            });
        }
        control::finish();
    }
}
