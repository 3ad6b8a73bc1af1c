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
