//! Test cases held against their linearizations, on real JVMs.

mod afterwards;
mod jdk_classes;
mod judged;
mod manners;
mod recursion;
mod rejected;
mod silent;
mod support;
#[path = "../engine/worker.rs"]
mod worker;
