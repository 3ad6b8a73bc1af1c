//! Which methods of a Java class can hurt each other, told from its class files alone.
//!
//! Three nouns. An [`Analyzer`] reads classes of a class path as it needs them. [`ClassFacts`] are what it finds
//! out about one class: for each public method the locations that it accesses with the locks held at each, the
//! locks that protect all of them, and locks that it takes inside others. A [`Pair`] says how two methods depend
//! on each other, and [`ClassFacts::conflicts`] and [`ClassFacts::crossings`] why.
//!
//! ```
//! use analysis::{Analyzer, ByteStore};
//! use classpath::{ClassName, ClassPath, Jdk};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let class_path = ClassPath::of_jdk(&Jdk::find(None)?)?;
//! let bytes = ByteStore::new();
//! let facts = Analyzer::new(&class_path, &bytes).analyze(&ClassName::parse("java.util.Hashtable")?)?;
//! let equals = facts.methods.iter().position(|method| method.name == "equals").unwrap();
//! let pair = facts.pairs().into_iter().find(|pair| pair.methods == (equals, equals)).unwrap();
//! // Two threads that compare two tables with each other can wait for each other for good.
//! assert!(pair.double_lock);
//! # Ok(())
//! # }
//! ```
//!
//! **Method.** The definitions are those of DepCon+ (summaries 5, 6 and 9, dependencies 7, 8 and 10). How they
//! are computed is not: each method is interpreted over its control flow with access paths as values, and the
//! effects of callees are taken over in terms of the arguments, to a fixpoint over the call graph.
//!
//! **What it may miss.** Code of the packages that the virtual machine stands on, native code, reflection, and
//! classes other than those assumed behind a general type: calls there are listed as opaque. Objects that are
//! the same without a path that says so: two fields of the subject that hold one object. **What it never says
//! falsely:** that a lock protects all of a method's accesses, as long as no path of the method was opaque and
//! the lock's path leads through fields that only constructors write.

#![forbid(unsafe_code)]

mod analyzer;
mod apply;
mod body;
mod calls;
mod common;
mod crossing;
mod depend;
mod dispatch;
mod effects;
mod error;
mod facts;
mod frame;
mod gather;
mod handles;
mod heap;
mod hierarchy;
mod interpret;
mod known;
mod lambda;
mod limits;
mod lock;
mod locking;
mod names;
mod path;
mod program;
mod propagate;
mod reached;
mod scope;
mod share;
mod solver;
mod state;
mod step;
mod store;
mod summary;
mod value;

pub use analyzer::Analyzer;
pub use common::CommonArgument;
pub use crossing::{Crossed, Crossings};
pub use depend::{Accesses, Conflict, Crossing, Pair};
pub use error::Error;
pub use facts::*;
pub use limits::Limits;
pub use share::{SecondShare, Through};
pub use store::ByteStore;
