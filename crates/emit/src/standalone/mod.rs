//! A test as a program of its own: the test itself, and the harness that repeats it.

use crate::class_names::{ClassNames, source_name};
use crate::hierarchy::Hierarchy;
use crate::statements::Parts;
use crate::types::Types;
use crate::writer::{Place, Writer};
use crate::{Unsayable, literal, place};
use testcase::TestCase;

mod header;

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
    /// An exception of this class, `java.lang.NullPointerException`, in a suffix or in the probes.
    Exception {
        /// As `Class.getName` gives it.
        class: String,
    },
    /// Results that are none of these.
    ///
    /// Each is a line: what the calls of each suffix gave, and what the probes gave if they give anything, with ` | ` in
    /// between. The results in one of these stand with `, ` in between; a call that gives nothing and an implemented type
    /// are left out, and where a call throws, `threw java.lang.Exception` is the last. Values are written so: `null`, `true`,
    /// numbers as Java prints them, boxed ones as what is in the box, `'c'`, `"text"` (with a backslash before backslashes
    /// and quotes, and four digits for all that is not printable ASCII), `java.lang.String.class`,
    /// `java.lang.Thread$State.NEW`, and all other objects by the name of the class, followed by what is in it for those that
    /// the prefix did not make: the text of a string buffer, `[I[1, 2]` for arrays and collections of `java.util`,
    /// `java.util.HashMap[1=2]` for maps. What has no order is sorted as text, and there are four levels.
    Linearizability {
        /// One for each order of the calls.
        serial: Vec<String>,
    },
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
    let hierarchy = Hierarchy::new(types);
    let package = place::choose(&hierarchy, test)?;
    let name = free_name(&hierarchy, &package, request.class);
    let tell = matches!(request.shows, Shows::Linearizability { .. });
    let place = Place { package: package.clone(), class: name.clone() };
    let classes = reserved(&package, &name, tell);
    let mut writer = Writer { hierarchy, classes, place: Some(place), problem: None };
    let parts = writer.parts(test, &AVOIDED, tell);
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
    let dotted = package.replace('/', ".");
    let mut text = header::header(request, &name, &dotted);
    if !dotted.is_empty() {
        text += &format!("package {dotted};\n\n");
    }
    for import in writer.classes.imports() {
        text += &format!("import {import};\n");
    }
    text += &format!(
        "\n@SuppressWarnings({{\"unchecked\", \"rawtypes\", \"deprecation\", \"removal\"}})\npublic class {name} {{\n"
    );
    text += &prepare(&parts, tell);
    text += &harness(request, test, tell);
    Ok(Program { name, package: dotted, text: ascii(&text) })
}

/// Names of variables that mean something in a program.
const AVOIDED: [&str; 1] = ["results"];

/// What the harness uses of `java.lang`.
const OF_JAVA_LANG: [&str; 18] = [
    "Boolean",
    "Character",
    "Class",
    "Enum",
    "InterruptedException",
    "Long",
    "Number",
    "Object",
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

fn reserved(package: &str, name: &str, tell: bool) -> ClassNames {
    let mut classes = ClassNames::in_package(package);
    for own in [name, "TestPart", "TestRound", "TestResults"] {
        classes.reserve(own, "");
    }
    for simple in OF_JAVA_LANG {
        classes.reserve(simple, &format!("java.lang.{simple}"));
    }
    let of_results = [
        ("java/lang/reflect", "Array"),
        ("java/util", "ArrayList"),
        ("java/util", "Arrays"),
        ("java/util", "Collection"),
        ("java/util", "Collections"),
        ("java/util", "List"),
        ("java/util", "Map"),
        ("java/util", "Set"),
    ];
    let of_all = [
        ("java/lang/management", "ManagementFactory"),
        ("java/lang/management", "MonitorInfo"),
        ("java/lang/management", "ThreadInfo"),
        ("java/lang/management", "ThreadMXBean"),
        ("java/util", "Random"),
        ("java/util/concurrent/atomic", "AtomicInteger"),
    ];
    for (package, source) in of_all.iter().chain(of_results.iter().filter(|_| tell)) {
        classes.name(package, source);
    }
    classes
}

/// A name for the class that no other class of the package has.
fn free_name(hierarchy: &Hierarchy<'_>, package: &str, under_test: &str) -> String {
    let (_, source) = source_name(under_test, hierarchy.class(under_test).as_deref());
    let simple = source.rsplit('.').next().unwrap_or(&source);
    let sound: String = simple.chars().filter(|c| c.is_alphanumeric() || *c == '_').collect();
    let sound = if sound.starts_with(char::is_alphabetic) { sound } else { format!("Class{sound}") };
    let first = [format!("{sound}Test"), format!("{sound}RaddleTest")].into_iter();
    let mut names = first.chain((2..).map(|number| format!("{sound}RaddleTest{number}")));
    let is_free = |name: &String| {
        let full = if package.is_empty() { name.clone() } else { format!("{package}/{name}") };
        hierarchy.class(&full).is_none()
    };
    names.find(is_free).expect("internal bug: names are not used up")
}

/// The method with the test itself.
fn prepare(parts: &Parts, tell: bool) -> String {
    let mut text = String::from(
        "    /** Builds the subjects in one thread, and says what the other threads then do at the same time. */\n    \
         static TestRound prepare() throws Throwable {\n",
    );
    let put = |text: &mut String, indent: usize, statement: &[String]| {
        for (number, line) in statement.iter().enumerate() {
            let end = if number + 1 == statement.len() { ";" } else { "" };
            *text += &format!("{:indent$}{line}{end}\n", "");
        }
    };
    parts.prefix.iter().for_each(|statement| put(&mut text, 8, statement));
    let objects = format!("new Object[] {{{}}}, ", parts.objects.join(", "));
    text += &format!("        return new TestRound({}\n", if tell { objects.trim_end() } else { "" });
    let named = parts.suffixes.iter().enumerate().map(|(number, part)| (format!("// Thread {}.", number + 1), part));
    let probes = (!parts.probes.is_empty()).then(|| ("// Then, when all have ended.".to_owned(), &parts.probes));
    let all: Vec<_> = named.chain(probes).collect();
    let count = all.len();
    for (number, (comment, statements)) in all.into_iter().enumerate() {
        text += &format!("            {comment}\n            {} -> {{\n", if tell { "results" } else { "()" });
        statements.iter().for_each(|statement| put(&mut text, 16, statement));
        text += if number + 1 < count { "            },\n" } else { "            }\n" };
    }
    text + "        );\n    }\n"
}

fn harness(request: &Request<'_>, test: &TestCase, tell: bool) -> String {
    let last = match &request.shows {
        Shows::Deadlock | Shows::Hang => include_str!("stuck.java").to_owned(),
        Shows::Exception { class } => include_str!("exception.java").replace("@EXCEPTION@", &literal::string(class)),
        Shows::Linearizability { serial } => {
            let lines: Vec<_> = serial.iter().map(|line| format!("        {}", literal::string(line))).collect();
            include_str!("results.java").replace("@SERIAL@", &lines.join(",\n"))
        }
    };
    let when = |text: &'static str| if tell { text } else { "" };
    let set = "            results = new TestResults[parts.length];\n            \
               for (int i = 0; i < parts.length; i++) results[i] = new TestResults(known);\n";
    let text = include_str!("harness.java")
        .replace("@RUN_PARAMETER@", when("TestResults results"))
        .replace("@RUN_ARGUMENT@", when("results[number]"))
        .replace("@RESULTS_FIELD@", when("        final TestResults[] results;\n"))
        .replace("@ROUND_PARAMETERS@", when("Object[] known, "))
        .replace("@RESULTS_SET@", when(set))
        .replace("@ROUNDS@", &request.rounds.to_string())
        .replace("@SECONDS@", &request.seconds.to_string())
        .replace("@SEED@", &(request.seed as i64).to_string())
        .replace("@RUNNING_IS_WRONG@", if request.shows == Shows::Hang { "true" } else { "false" });
    (text + &last).replace("@THREADS@", &test.suffixes.len().to_string())
}

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
