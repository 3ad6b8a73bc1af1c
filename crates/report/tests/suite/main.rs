//! The crate from outside: findings of small programs, and of no program at all.

mod causes;
mod documents;
mod findings;
mod golden;
mod odd;
mod screen;
