//! Finds a JDK, and the bytes of a class by its name.
//!
//! Three nouns:
//!
//! - a [`Jdk`] is an installed Java, found by [`Jdk::find`];
//! - a [`ClassPath`] is an ordered list of entries (folders, jars, jmods, a JDK's `lib/modules`), the
//!   first of which to hold a class wins;
//! - [`ClassBytes`] are what a look-up by [`ClassName`] gives: the bytes, the name under which they were
//!   found, and their [`Origin`].
//!
//! ```
//! use classpath::{ClassName, ClassPath, Jdk};
//!
//! let jdk = Jdk::find(None)?;
//! let class_path = ClassPath::of_jdk(&jdk)?;
//! let entry = class_path.find(&ClassName::parse("java.util.Map.Entry")?)?.expect("in every JDK");
//!
//! assert_eq!(entry.name.to_string(), "java.util.Map$Entry");
//! assert_eq!(entry.origin.module, Some("java.base"));
//! assert_eq!(entry.bytes[..4], [0xCA, 0xFE, 0xBA, 0xBE]);
//! # Ok::<(), classpath::Error>(())
//! ```
//!
//! # How it reads
//!
//! Opening a class path reads the directory of each archive and nothing else; the index by package is
//! built when something is first listed. A [`ClassPath`] can be shared between threads, and no look-up
//! waits for another.
//!
//! The JDK's image is mapped into memory, and its classes are lent from there without a copy. Jars are
//! read instead: a build that overwrites a mapped jar in place would end this process with SIGBUS. A jar
//! that changes while it is in use is an [`Error`].
//!
//! # What is trusted
//!
//! The content of archives and images is not: numbers in them are checked before they are used, names
//! that could leave a folder are no class names, and a class larger than [`MAX_CLASS_SIZE`] is refused.
//! What is trusted is that nobody cuts the JDK's `lib/modules` short while it is mapped.
//!
//! # Limits
//!
//! - Class files are not parsed: a class is known by where its file lies, so a folder on the class path
//!   that is not the root of its packages gives names that are wrong.
//! - `module-info` and `package-info` are never listed: there is nothing in them to run. A folder, jar or
//!   jmod gives them when they are asked for by name.
//! - Listings leave out what lies in a package that Java source cannot name, such as `META-INF` or
//!   `BOOT-INF`. [`ClassPath::find`] does not.
//! - Jars within jars are not followed.

mod archive;
mod archive_file;
mod class_bytes;
mod class_name;
mod class_path;
mod entry;
mod error;
mod folder;
mod image;
mod image_tables;
mod index;
mod jdk;
mod manifest;
mod surroundings;
mod versions;

pub use class_bytes::{ClassBytes, MAX_CLASS_SIZE, Origin};
pub use class_name::ClassName;
pub use class_path::ClassPath;
pub use error::Error;
pub use jdk::Jdk;
