//! A test as a program of its own: the test itself, and the harness that repeats it.

use crate::class_names::{ClassNames, source_name};
use crate::hierarchy::Hierarchy;
use crate::statements::{Around, Parts};
use crate::types::Types;
use crate::writer::{Place, Writer};
use crate::{Unsayable, literal, place};
use testcase::{Argument, Operation, TestCase};

mod header;
mod stress;

pub use stress::{Stress, stress};

/// What a program is to show, and what it says of itself.
#[derive(Clone, PartialEq, Debug)]
pub struct Request<'r> {
    /// The class under test, as class files name it.
    pub class: &'r str,
    /// What is looked for.
    pub shows: Shows,
    /// What is wrong, in a line or more, for the comment at the top.
    pub what: &'r str,
    /// What it needs to be compiled and run.
    pub class_path: &'r [String],
    /// Of the delays by chance.
    pub seed: u64,
    /// The command that runs the failing execution again, if there is one.
    pub replay: Option<&'r str>,
    /// It gives up after so many rounds, unless it is told otherwise.
    pub rounds: u64,
    /// And after so many seconds.
    pub seconds: u64,
}

/// What makes a program end with status 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shows {
    /// Threads that wait and never go on. Looked for in all programs.
    Deadlock,
    /// That, or a thread that is still running after seconds.
    Hang,
    /// An exception of this class, `java.lang.NullPointerException`, in a suffix, in the probes, or in a thread that the code under
    /// test has started. The program runs all serial
    /// orders of the calls first, and gives up if one of them ends with it too.
    Exception {
        /// As `Class.getName` gives it.
        class: String,
    },
    /// Results that no serial order of the calls gives. The program runs all orders first to know what they give, so the
    /// suffixes must not have more than some thousands of merges.
    ///
    /// The results of all calls and probes are compared together: null, numbers, texts and exceptions by what they are,
    /// arrays, collections of `java.util` and objects of classes that are not of the JDK by what is in them four levels down once all
    /// threads have ended, all other objects and those that the prefix made by the class alone. Where the same order gives another result when it is run
    /// again, that result is not compared.
    Linearizability,
}

/// A source file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The simple name of the class; the file is called `NAME.java`.
    pub name: String,
    /// With dots; empty for the unnamed one.
    pub package: String,
    /// The content of the file: ASCII.
    pub text: String,
}

impl<'r> Request<'r> {
    /// A program of which nothing else is known.
    pub fn new(class: &'r str, shows: Shows) -> Request<'r> {
        Request { class, shows, what: "", class_path: &[], seed: 1, replay: None, rounds: 100_000, seconds: 60 }
    }
}

/// Writes a program that repeats a test until it shows what is wrong.
pub fn program(test: &TestCase, request: &Request<'_>, types: &dyn Types) -> Result<Program, Unsayable> {
    let around = Around {
        turns: matches!(request.shows, Shows::Exception { .. } | Shows::Linearizability),
        results: request.shows == Shows::Linearizability,
    };
    let is_fresh = shares_static(test);
    let reserve = |classes: &mut ClassNames| reserve(classes, around);
    let source = source(test, request.class, "Test", around, reserve, types)?;
    let header = header::header(request, is_fresh, &source.name, &source.package);
    let prepare = prepare(&source.parts, around, is_fresh);
    let harness = harness(request, test, around).replace("@PUBLIC@", if is_fresh { "public " } else { "" });
    Ok(source.with(&header, &(prepare + &harness)))
}

/// A file in which only the comment at the top and what is in its class are missing.
struct Source {
    name: String,
    /// With dots.
    package: String,
    imports: Vec<String>,
    /// The test.
    parts: Parts,
}

impl Source {
    fn with(&self, header: &str, body: &str) -> Program {
        let Source { name, package, imports, .. } = self;
        let mut text = header.to_owned();
        if !package.is_empty() {
            text += &format!("package {package};\n\n");
        }
        for import in imports {
            text += &format!("import {import};\n");
        }
        text += &format!(
            "\n@SuppressWarnings({{\"unchecked\", \"rawtypes\", \"deprecation\", \"removal\"}})\npublic class {name} {{\n"
        );
        text += body;
        Program { name: name.clone(), package: package.clone(), text: ascii(&text) }
    }
}

/// Writes a test for a class whose name is that of the class under test with an ending.
fn source(
    test: &TestCase,
    under_test: &str,
    ending: &str,
    around: Around,
    reserve: impl FnOnce(&mut ClassNames),
    types: &dyn Types,
) -> Result<Source, Unsayable> {
    let hierarchy = Hierarchy::new(types);
    let package = place::choose(&hierarchy, test)?;
    let name = free_name(&hierarchy, &package, under_test, ending);
    let place = Place { package: package.clone(), class: name.clone() };
    let mut classes = ClassNames::in_package(&package);
    classes.reserve(&name, "");
    reserve(&mut classes);
    let mut writer = Writer { hierarchy, classes, place: Some(place), problem: None };
    let parts = writer.parts(test, &AVOIDED, around);
    if let Some(problem) = writer.problem {
        return Err(problem);
    }
    // A class of the test's own package would hide one of java.lang.
    for (simple, full) in writer.classes.of_java_lang() {
        let rival = if package.is_empty() { simple.clone() } else { format!("{package}/{simple}") };
        if package != "java/lang" && hierarchy.class(&rival).is_some() {
            writer.classes.import(&full);
        }
    }
    let imports = writer.classes.imports().map(str::to_owned).collect();
    Ok(Source { name, package: package.replace('/', "."), imports, parts })
}

/// Names of variables that mean something in a program.
const AVOIDED: [&str; 2] = ["turn", "results"];

/// What the harness uses of `java.lang`.
const OF_JAVA_LANG: [&str; 24] = [
    "Boolean",
    "Character",
    "Class",
    "ClassLoader",
    "ClassNotFoundException",
    "Enum",
    "IllegalAccessException",
    "Integer",
    "InterruptedException",
    "Long",
    "Math",
    "Number",
    "Object",
    "Override",
    "Runtime",
    "RuntimeException",
    "StackTraceElement",
    "String",
    "StringBuffer",
    "StringBuilder",
    "SuppressWarnings",
    "System",
    "Thread",
    "Throwable",
];

/// Reserves the names that every harness uses.
fn reserve_common(classes: &mut ClassNames) {
    for own in ["TestPart", "TestRound", "TestTurn", "TestResults", "TestSubjects", "TestLoader"] {
        classes.reserve(own, "");
    }
    for simple in OF_JAVA_LANG {
        classes.reserve(simple, &format!("java.lang.{simple}"));
    }
}

/// Reserves the names that the harness of a violation uses.
fn reserve(classes: &mut ClassNames, around: Around) {
    reserve_common(classes);
    let of_all = [
        ("java/lang/management", "ManagementFactory"),
        ("java/lang/management", "MonitorInfo"),
        ("java/lang/management", "ThreadInfo"),
        ("java/lang/management", "ThreadMXBean"),
        ("java/util", "Random"),
        ("java/util/concurrent/atomic", "AtomicInteger"),
    ];
    let of_turns = [
        ("java/util", "ArrayList"),
        ("java/util", "List"),
        ("java/util/concurrent", "Semaphore"),
        ("java/util/concurrent", "TimeUnit"),
    ];
    let of_results = [
        ("java/lang/reflect", "Array"),
        ("java/lang/reflect", "Field"),
        ("java/lang/reflect", "Modifier"),
        ("java/util", "Arrays"),
        ("java/util", "Collection"),
        ("java/util", "Collections"),
        ("java/util", "HashSet"),
        ("java/util", "Iterator"),
        ("java/util", "LinkedHashMap"),
        ("java/util", "LinkedHashSet"),
        ("java/util", "Map"),
        ("java/util", "Objects"),
        ("java/util", "Set"),
    ];
    let of_turns = of_turns.iter().filter(|_| around.turns);
    let of_results = of_results.iter().filter(|_| around.results);
    for (package, source) in of_all.iter().chain(of_turns).chain(of_results) {
        classes.name(package, source);
    }
}

/// A name for the class that no other class of the package has.
fn free_name(hierarchy: &Hierarchy<'_>, package: &str, under_test: &str, ending: &str) -> String {
    let (_, source) = source_name(under_test, hierarchy.class(under_test).as_deref());
    let simple = source.rsplit('.').next().unwrap_or(&source);
    let sound: String = simple.chars().filter(|c| c.is_alphanumeric() || *c == '_').collect();
    let sound = if sound.starts_with(char::is_alphabetic) { sound } else { format!("Class{sound}") };
    let first = [format!("{sound}{ending}"), format!("{sound}Raddle{ending}")].into_iter();
    let mut names = first.chain((2..).map(|number| format!("{sound}Raddle{ending}{number}")));
    let is_free = |name: &String| {
        let full = if package.is_empty() { name.clone() } else { format!("{package}/{name}") };
        hierarchy.class(&full).is_none()
    };
    names.find(is_free).expect("internal bug: names are not used up")
}

/// Whether threads call methods of an object that may be the same one in each round, or what needs no object and so can
/// share static state only: classes are loaded anew then. What the JDK has is out of reach.
fn shares_static(test: &TestCase) -> bool {
    let is_of_jdk = |class: &str| ["java/", "javax/", "jdk/", "sun/"].iter().any(|start| class.starts_with(start));
    let is_static = |receiver: &Argument| match receiver {
        Argument::Value(number) => test.prefix.get(*number).is_some_and(|call| {
            let operation = &call.operation;
            matches!(operation, Operation::GetStatic { .. } | Operation::Static { .. }) && !is_of_jdk(operation.class())
        }),
        _ => false,
    };
    test.suffixes.iter().flatten().any(|call| match &call.operation {
        Operation::Static { class, .. } | Operation::Construct { class, .. } => !is_of_jdk(class),
        operation => operation.receiver().is_some_and(is_static),
    })
}

/// The method with the test itself; in a class of its own, if that is loaded anew for each round.
fn prepare(parts: &Parts, around: Around, is_fresh: bool) -> String {
    let comment = "/** Builds the subjects in one thread, and says what the other threads then do at the same time. */";
    let body = body(parts, around);
    if !is_fresh {
        return format!("    {comment}\n    static TestRound prepare() throws Throwable {{\n{body}    }}\n");
    }
    let body: String = body.lines().map(|line| format!("    {line}\n")).collect();
    let method = format!("        public static TestRound prepare() throws Throwable {{\n{body}        }}\n");
    format!("    {comment}\n    public static final class TestSubjects {{\n{method}    }}\n")
        + include_str!("fresh.java")
}

fn body(parts: &Parts, around: Around) -> String {
    let mut text = String::new();
    let put = |text: &mut String, indent: usize, statement: &[String]| {
        for (number, line) in statement.iter().enumerate() {
            let end = if number + 1 == statement.len() { ";" } else { "" };
            *text += &format!("{:indent$}{line}{end}\n", "");
        }
    };
    parts.prefix.iter().for_each(|statement| put(&mut text, 8, statement));
    let objects = format!("new Object[] {{{}}}, ", parts.objects.join(", "));
    text += &format!("        return new TestRound({}\n", if around.results { objects.trim_end() } else { "" });
    let named = parts.suffixes.iter().enumerate().map(|(number, part)| (format!("// Thread {}.", number + 1), part));
    let probes = (!parts.probes.is_empty()).then(|| ("// Then, when all have ended.".to_owned(), &parts.probes));
    let all: Vec<_> = named.chain(probes).collect();
    let count = all.len();
    let given = match around {
        Around { results: true, .. } => "(turn, results)",
        Around { turns: true, .. } => "turn",
        _ => "()",
    };
    for (number, (comment, statements)) in all.into_iter().enumerate() {
        text += &format!("            {comment}\n            {given} -> {{\n");
        statements.iter().for_each(|statement| put(&mut text, 16, statement));
        text += if number + 1 < count { "            },\n" } else { "            }\n" };
    }
    text + "        );\n"
}

/// What repeats the test. Its pieces are Java, with names between `@` where they depend on what is looked for.
fn harness(request: &Request<'_>, test: &TestCase, around: Around) -> String {
    let last = match &request.shows {
        Shows::Deadlock | Shows::Hang => include_str!("stuck.java").to_owned(),
        Shows::Exception { class } => include_str!("exception.java").replace("@EXCEPTION@", &literal::string(class)),
        Shows::Linearizability => include_str!("results.java").to_owned(),
    };
    let turns = |text: &'static str| if around.turns { text } else { "" };
    let results = |text: &'static str| if around.results { text } else { "" };
    let waits = matches!(request.shows, Shows::Deadlock | Shows::Hang) && !test.probes.is_empty();
    let text = include_str!("harness.java")
        .replace("@START_LAST@", if waits { START_LAST } else { "" })
        .replace("@RUN_LAST@", if waits { RUN_LAST_APART } else { RUN_LAST })
        .replace("@RUN_PARAMETERS@", &(turns("TestTurn turn").to_owned() + results(", TestResults results")))
        .replace("@RUN_ARGUMENTS@", &(turns("turns[number]").to_owned() + results(", results[number]")))
        .replace("@ROUND_FIELDS@", &(turns(TURNS_FIELD).to_owned() + results(RESULTS_FIELD)))
        .replace("@ROUND_PARAMETERS@", results("Object[] known, "))
        .replace("@ROUND_SET@", &(turns(TURNS_SET).to_owned() + results(RESULTS_SET)))
        .replace("@START_IN_TURNS@", turns(include_str!("start_in_turns.java")))
        .replace("@RUN_SERIALLY@", turns(RUN_SERIALLY))
        .replace("@ROUNDS@", &request.rounds.to_string())
        .replace("@SECONDS@", &request.seconds.to_string())
        .replace("@SEED@", &(request.seed as i64).to_string())
        .replace("@RUNNING_IS_WRONG@", if request.shows == Shows::Hang { "true" } else { "false" });
    // A suffix without calls has a turn all the same, to end.
    let calls: Vec<_> = test.suffixes.iter().map(|suffix| suffix.len().max(1).to_string()).collect();
    let serial = turns(include_str!("serial.java")).replace("@CALLS@", &calls.join(", "));
    (text + &serial + &last).replace("@THREADS@", &test.suffixes.len().to_string())
}

const TURNS_FIELD: &str = "        final TestTurn[] turns;\n";
const RESULTS_FIELD: &str = "        final TestResults[] results;\n";
const TURNS_SET: &str = "            turns = new TestTurn[parts.length];\n            \
                         for (int i = 0; i < parts.length; i++) turns[i] = new TestTurn();\n";
const RESULTS_SET: &str = "            results = new TestResults[parts.length];\n            \
                           for (int i = 0; i < parts.length; i++) results[i] = new TestResults(known);\n";
/// What is called afterwards runs in the main thread, which has built the subjects, unless it may never return.
const RUN_LAST: &str = "            for (int i = @THREADS@; i < round.parts.length; i++) round.run(i);\n";
const RUN_LAST_APART: &str = "            round.startLast();\n            \
                              if (!ended(round.threads, done, end)) continue;\n";
const START_LAST: &str = r#"
        /** Starts a thread for the calls afterwards, which may not return. */
        void startLast() {
            threads[@THREADS@] = new Thread(() -> run(@THREADS@), "afterwards");
            threads[@THREADS@].setDaemon(true);
            threads[@THREADS@].start();
        }
"#;
/// Twice, for what differs then is of the machine and not of the order.
const RUN_SERIALLY: &str = "        if (!runSerially(end) || !runSerially(end)) \
                            exit(0, \"not seen: the serial orders take too long\");\n";

/// Letters beyond ASCII as escapes, which mean the same everywhere: compilers do not agree on the encoding of files.
fn ascii(text: &str) -> String {
    let mut units = [0; 2];
    let escaped = |c: char| -> String {
        match c.is_ascii() {
            true => c.to_string(),
            false => c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
        }
    };
    text.chars().map(escaped).collect()
}
