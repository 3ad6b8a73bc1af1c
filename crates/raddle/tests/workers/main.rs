//! Workers under supervision: they may die, they are fenced, and nothing that was done is lost.

mod chaos;
mod fence;
mod hostile;
mod interrupted;
mod news;
mod support;
