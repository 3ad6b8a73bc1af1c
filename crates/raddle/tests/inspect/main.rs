//! `raddle inspect`, run as a user runs it: on classes that javac makes, on real JDKs, on bad input.

mod bad_input;
mod fixtures;
mod real_classes;
mod support;
