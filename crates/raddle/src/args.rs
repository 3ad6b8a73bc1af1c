//! The arguments as they are parsed. What they mean, each command resolves for itself.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

/// Tests Java classes for thread safety on your own JVM.
#[derive(Debug, Parser)]
#[command(name = "raddle", version)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,

    /// When to use colours.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    #[allow(missing_docs)] // Clap takes its help from the arguments.
    Deps(DepsArgs),
    #[allow(missing_docs)] // Clap takes its help from the arguments.
    Inspect(InspectArgs),
    /// Hosts a virtual machine for the supervisor. Not for people.
    #[command(hide = true)]
    Worker,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Shows what a class file holds.
///
/// Volatile fields, synchronized methods and methods that enter a monitor are marked with a star. Types
/// are written as in Java source: those of java.lang without their package.
#[derive(Debug, clap::Args)]
pub struct InspectArgs {
    /// A class, such as java.util.Map.Entry, or the path of a class file.
    ///
    /// If there is a file of this name, the file is shown. A class is looked up on the class path, then
    /// in the JDK.
    #[arg(value_name = "CLASS|FILE")]
    pub target: OsString,

    /// Show the instructions of each method.
    #[arg(long)]
    pub code: bool,

    /// Show only the methods of this name; <init> and <clinit> are names too.
    #[arg(long, value_name = "NAME")]
    pub method: Option<String>,

    /// Where to look for classes: folders and jars, separated as for java.
    #[arg(long, value_name = "CP")]
    pub classpath: Option<String>,

    /// The JDK to use; by default JAVA_HOME, then java on PATH, then the usual places.
    #[arg(long, value_name = "DIR")]
    pub java_home: Option<PathBuf>,
}

/// Shows which methods of a class can hurt each other, without running it.
///
/// For each public method: what it reads and writes of what threads share, the locks that protect all of it,
/// and locks that it takes inside others. For each pair: whether one writes what the other reads (conflict),
/// whether no common lock keeps them apart (parallel), and whether they take locks in opposite order.
#[derive(Debug, clap::Args)]
pub struct DepsArgs {
    /// A class, such as java.util.Vector; a package, such as com.acme.*; or a jar or folder, for all classes in it.
    #[arg(value_name = "CLASS|PACKAGE.*|JAR|FOLDER")]
    pub target: String,

    /// Explain the pair of these two methods: names, or names with parameters such as add(Object).
    #[arg(long, value_name = "M1,M2")]
    pub pair: Option<String>,

    /// Write everything that was found out as JSON; - for standard output.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    /// Draw the matrix of dependencies.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,

    /// Where to look for classes: folders and jars, separated as for java.
    #[arg(long, value_name = "CP")]
    pub classpath: Option<String>,

    /// The JDK to use; by default JAVA_HOME, then java on PATH, then the usual places.
    #[arg(long, value_name = "DIR")]
    pub java_home: Option<PathBuf>,
}
