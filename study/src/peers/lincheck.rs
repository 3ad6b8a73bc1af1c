//! Lincheck's model checking of general concurrent code (`Lincheck.runConcurrentTest`) on a test, by `peers.LincheckRun`.

use std::time::Duration;

use serde_json::Value;

use super::PeersArgs;
use super::cases::Case;
use super::outcome::{Fail, Outcome, Pass, Rate};
use super::process::{self, Cost};
use super::project::Project;

/// Without these, Lincheck asks for them where a test uses `java.util`.
const OPENED: &[&str] =
    &["--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "--add-exports=java.base/jdk.internal.util=ALL-UNNAMED"];

/// The test until its first failure and how many executions that takes, its twin until nothing is left, and again and again for the rate.
pub fn measure(project: &Project, case: &Case, args: &PeersArgs) -> anyhow::Result<Outcome> {
    let answer = run(project, args, &["fail", &case.fail, &args.budget.to_string()])?;
    let fail = Fail {
        found: answer["end"] == "failed",
        executions: answer["least"].as_f64(),
        cost: cost(&answer),
        said: answer["end"].as_str().unwrap_or("no answer").to_owned(),
    };
    let answer = run(project, args, &["pass", &case.pass, &args.budget.to_string(), &args.rate.to_string()])?;
    let pass = Pass {
        exhausted: answer["end"] == "exhausted",
        false_alarm: answer["end"] == "failed",
        executions: answer["executions"].as_u64(),
        cost: cost(&answer),
        said: answer["end"].as_str().unwrap_or("no answer").to_owned(),
    };
    let rate = match (answer["rate_executions"].as_u64(), answer["rate_processor_nanos"].as_f64()) {
        (Some(executions), Some(nanos)) => Some(Rate { executions, processor_seconds: nanos / 1e9 }),
        _ => None,
    };
    Ok(Outcome { fail, pass, rate })
}

/// All lines of the answer in one object.
fn run(project: &Project, args: &PeersArgs, words: &[&str]) -> anyhow::Result<Value> {
    let mut java = project.java_with_peers();
    java.args(["-ea", "-Xmx2g"]).args(OPENED).arg("peers.LincheckRun").args(words);
    // Its own watch counts processor time. On a machine that does other things that may take many times as long.
    let ended = process::run(&mut java, Duration::from_secs(60 + 10 * (args.budget + args.rate)))?;
    let mut answer = serde_json::Map::new();
    for line in ended.stdout.lines().filter(|line| line.starts_with('{')) {
        if let Ok(Value::Object(part)) = serde_json::from_str(line) {
            answer.extend(part);
        }
    }
    Ok(Value::Object(answer))
}

fn cost(answer: &Value) -> Cost {
    let number = |name: &str| answer[name].as_f64().unwrap_or(0.0);
    Cost { seconds: number("seconds"), processor_seconds: number("processor_seconds") }
}
