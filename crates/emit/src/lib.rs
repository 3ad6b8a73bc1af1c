//! Writes a test case as Java.
//!
//! Three nouns carry it. [`Statements`] are the test in short, for reports: what is said of it in a line or two. A
//! [`Program`] is a source file with a `main` that anyone can compile and run without Raddle, and that repeats the test
//! until it [shows](Shows) the violation or gives up; one of [`stress`] only counts how often it can. [`Types`] is what the caller knows of classes, for a test case names
//! them as class files do, and that alone does not say how source names and calls things. The crate is pure: it reads no
//! class and runs nothing.
//!
//! ```
//! use emit::{ClassFacts, Types, statements};
//! use std::rc::Rc;
//! use testcase::{Argument, Call, Operation, TestCase};
//!
//! // A caller that knows nothing; see the crate raddle for one that reads class files.
//! struct Nothing;
//! impl Types for Nothing {
//!     fn class(&self, _: &str) -> Option<Rc<ClassFacts>> { None }
//! }
//!
//! let class: String = "java/lang/StringBuffer".into();
//! let new = Operation::Construct { class: class.clone(), descriptor: "()V".into() };
//! let reverse = Operation::Virtual {
//!     class,
//!     name: "reverse".into(),
//!     descriptor: "()Ljava/lang/StringBuffer;".into(),
//!     receiver: Argument::Value(0),
//! };
//! let reverse = Call { operation: reverse, arguments: vec![] };
//! let test = TestCase {
//!     prefix: vec![Call { operation: new, arguments: vec![] }],
//!     suffixes: vec![vec![reverse.clone()], vec![reverse]],
//!     probes: vec![],
//! };
//! let short = statements(&test, &Nothing);
//! assert_eq!(short.prefix, ["StringBuffer stringBuffer = new StringBuffer();"]);
//! assert_eq!(short.threads, [["stringBuffer.reverse()"], ["stringBuffer.reverse()"]]);
//! ```
//!
//! # How it writes
//!
//! Each value that is used is a variable of the type that the call declares to give; all types are raw. A cast stands where
//! a value is not of the type that is wanted, or where the compiler would take another method of that name. A program stands
//! in the unnamed package, or in that of the classes under test if they or their members are not public.
//!
//! # Limits
//!
//! - What Java source cannot say is refused by [`program`], with what it is: private members, members of two packages
//!   that are not public, those of the JDK, classes without a name. [`statements`] writes them as if it could.
//! - Text that is too long for a class file is not split, and a name that is declared in a class which the test extends
//!   may hide a class of the same name.
//! - Programs hold exceptions and results against serial orders in which each call runs in the thread of its suffix. Whatever
//!   such an order shows is no violation, also if it does so because a call waited and another went on meanwhile. Programs
//!   that show deadlocks and hangs run no serial orders.
//! - A race or a violation of atomicity shows in a program only by what comes of it: an exception, or results.

#![forbid(unsafe_code)]

mod calls;
mod class_names;
mod descriptor;
mod generics;
mod hierarchy;
mod implement;
mod literal;
mod local_names;
mod overload;
mod place;
mod standalone;
mod statements;
mod types;
mod writer;

pub use standalone::{Program, Request, Shows, Stress, program, stress};
pub use statements::{Statements, statements};
pub use types::{Access, ClassFacts, MemberFacts, Types};

/// Java source cannot say what a test case does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsayable {
    /// A class or member.
    pub what: String,
    /// What is the matter with it.
    pub why: Why,
}

/// Why something cannot be said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// It is not public, and the test cannot stand where it is seen.
    Hidden,
    /// It is a final field that is to be written.
    Final,
    /// It is a local or anonymous class, or a member with a name that Java does not have.
    Nameless,
    /// Another class has its name, and it has no package.
    NameTaken,
    /// The test case is not sound.
    Malformed,
}

impl std::fmt::Display for Unsayable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let why = match self.why {
            Why::Hidden => "is not seen from where the test would stand",
            Why::Final => "is final",
            Why::Nameless => "has no name in source",
            Why::NameTaken => "has no package, and another class has its name",
            Why::Malformed => "is malformed",
        };
        write!(f, "{} {why}", self.what)
    }
}

impl std::error::Error for Unsayable {}
