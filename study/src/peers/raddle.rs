//! `raddle explore` on a test.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, bail};
use serde_json::Value;

use super::PeersArgs;
use super::cases::Case;
use super::outcome::{Fail, Outcome, Pass, Rate};
use super::process::{self, Cost};
use super::project::Project;

/// Builds `raddle` as this was built, and says where it is.
pub fn binary() -> anyhow::Result<PathBuf> {
    let here = std::env::current_exe()?;
    let folder = here.parent().context("internal bug: a program without a folder")?;
    if cfg!(debug_assertions) {
        bail!("this would measure a debug build: run it with --release");
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
    let mut build = Command::new(cargo);
    build.args(["build", "--release", "--locked", "-p", "raddle", "--manifest-path"]).arg(manifest);
    if !build.status().context("cannot start cargo")?.success() {
        bail!("raddle cannot be built");
    }
    Ok(folder.join("raddle"))
}

/// The test until its first failure, its twin until nothing is left, and its twin in random walks for the rate.
pub fn measure(raddle: &Path, project: &Project, case: &Case, args: &PeersArgs) -> anyhow::Result<Outcome> {
    let budget = format!("{}s", args.budget);
    let (fail, cost) = explore(raddle, project, &case.fail, &["--first", "--budget", &budget], args)?;
    let finding = &fail["findings"][0];
    let fail = Fail {
        found: finding.is_object(),
        executions: finding["executions_to_find"].as_f64(),
        cost,
        said: format!("{}: {}", text(&finding["kind"]), text(&finding["what"])),
    };
    let (pass, cost) = explore(raddle, project, &case.pass, &["--budget", &budget], args)?;
    let pass = Pass {
        exhausted: pass["certificate"].is_object(),
        false_alarm: pass["findings"].as_array().is_some_and(|found| !found.is_empty()),
        executions: pass["executions"].as_u64(),
        cost,
        said: match pass["certificate"].as_object() {
            Some(certificate) => format!("certified: {} traces", certificate["traces"]),
            None => text(&pass["incomplete"]),
        },
    };
    let seconds = format!("{}s", args.rate);
    let (walks, cost) = explore(raddle, project, &case.pass, &["--explorer", "random", "--budget", &seconds], args)?;
    let rate = walks["executions"].as_u64();
    let rate = rate.map(|executions| Rate { executions, processor_seconds: cost.processor_seconds });
    Ok(Outcome { fail, pass, rate })
}

fn explore(
    raddle: &Path,
    project: &Project,
    body: &str,
    options: &[&str],
    args: &PeersArgs,
) -> anyhow::Result<(Value, Cost)> {
    let out = tempfile::tempdir()?;
    let json = out.path().join("explored.json");
    let mut command = Command::new(raddle);
    command.args(["explore", &format!("peers.bodies.{body}"), "--classpath"]).arg(project.classes());
    command.arg("--java-home").arg(project.java_home()).arg("--out").arg(out.path()).arg("--json").arg(&json);
    let ended = process::run(command.args(options), Duration::from_secs(args.budget + args.rate + 60))?;
    let Ok(document) = std::fs::read_to_string(&json) else {
        bail!("raddle explored {body} and left no result: {}", ended.stderr);
    };
    Ok((serde_json::from_str(&document)?, ended.cost))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
