//! Test cases held against their linearizations, on real JVMs.

mod jdk_classes;
mod judged;
mod manners;
mod rejected;
mod support;
#[path = "../engine/worker.rs"]
mod worker;
