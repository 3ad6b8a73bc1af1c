//! Lists of jobs: a JSON object in each line.

use std::collections::HashSet;
use std::path::Path;

use anyhow::Context;

use crate::supervisor::Task;

/// Reads a list. Each key is there once, for it is what the journal knows a job by.
pub fn read(path: &Path) -> anyhow::Result<Vec<Task>> {
    let name = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    let mut keys = HashSet::new();
    let mut tasks = Vec::new();
    for (line, number) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
        let task: Task = serde_json::from_str(line).with_context(|| format!("{name}, line {number}, is no job"))?;
        anyhow::ensure!(keys.insert(task.key.clone()), "{name}, line {number}: there are two jobs {:?}", task.key);
        tasks.push(task);
    }
    anyhow::ensure!(!tasks.is_empty(), "there are no jobs in {name}");
    Ok(tasks)
}
