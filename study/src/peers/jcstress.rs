//! JCStress on all tests at once: the real machine, no scheduler. It says how often each result was seen, and no more.

use std::collections::BTreeMap;
use std::time::Duration;

use super::cases::Case;
use super::outcome::{Fail, Outcome, Pass, Rate};
use super::process::{self, Cost, Ended};
use super::project::Project;

/// In each way in which it compiles the actors.
const MILLISECONDS: u64 = 1000;
/// Until it gives up on actors that wait for good takes it most of a minute, and longer where others want the machine.
const GIVING_UP: Duration = Duration::from_secs(180);

/// What the tables of all configurations of a test come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Samples {
    good: u64,
    bad: u64,
}

impl Samples {
    fn all(self) -> u64 {
        self.good + self.bad
    }
}

/// All tests and twins of the cases, in their order. Tests whose threads wait for good are run one by one, since they end nothing.
pub fn measure(project: &Project, cases: &[&Case]) -> anyhow::Result<Vec<Outcome>> {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let mut together: Vec<&str> = Vec::new();
    for case in cases.iter().filter(|case| case.threads <= cores) {
        together.push(&case.pass);
        together.extend((!case.hangs).then_some(&*case.fail));
    }
    let ended = run(project, &together, Duration::from_secs(60 + 60 * together.len() as u64))?;
    let seen = parse(&ended.stdout);
    let share = |cost: f64| cost / together.len().max(1) as f64;
    let cost = Cost { seconds: share(ended.cost.seconds), processor_seconds: share(ended.cost.processor_seconds) };
    cases.iter().map(|case| outcome(project, case, &seen, cost, cores)).collect()
}

fn outcome(
    project: &Project,
    case: &Case,
    seen: &BTreeMap<String, Samples>,
    cost: Cost,
    cores: usize,
) -> anyhow::Result<Outcome> {
    if case.threads > cores {
        let said = format!("{} actors do not fit {cores} cores", case.threads);
        return Ok(Outcome {
            fail: Fail { said: said.clone(), ..Fail::default() },
            pass: Pass { said, ..Pass::default() },
            rate: None,
        });
    }
    let of = |body: &str| seen.get(body).copied().unwrap_or_default();
    let fail = if case.hangs {
        hang(project, case)?
    } else {
        let samples = of(&case.fail);
        Fail {
            found: samples.bad > 0,
            executions: (samples.bad > 0).then(|| samples.all() as f64 / samples.bad as f64),
            cost,
            said: format!("{} of {} samples", samples.bad, samples.all()),
        }
    };
    let samples = of(&case.pass);
    let pass = Pass {
        exhausted: false,
        false_alarm: samples.bad > 0,
        executions: Some(samples.all()),
        cost,
        said: format!("{} of {} samples", samples.bad, samples.all()),
    };
    let rate = Rate { executions: samples.all(), processor_seconds: cost.processor_seconds };
    Ok(Outcome { fail, pass, rate: (samples.all() > 0).then_some(rate) })
}

/// A test whose threads wait for good: found if it ends by itself and says that something is wrong.
fn hang(project: &Project, case: &Case) -> anyhow::Result<Fail> {
    let ended = run(project, &[&case.fail], GIVING_UP)?;
    let failed = ended.status.is_some_and(|status| status != 0);
    let said = match ended.status {
        None => format!("its actors wait for good; stopped after {:.0} s without a verdict", ended.cost.seconds),
        Some(_) => {
            ended.stdout.lines().rev().find(|line| line.contains("hard errs")).unwrap_or("ended").trim().to_owned()
        }
    };
    Ok(Fail { found: failed, executions: None, cost: ended.cost, said })
}

fn run(project: &Project, bodies: &[&str], limit: Duration) -> anyhow::Result<Ended> {
    let out = tempfile::tempdir()?;
    let mut java = project.java_with_peers();
    java.current_dir(out.path()).args(["org.openjdk.jcstress.Main", "-v", "-f", "1", "-iters", "1", "-af", "NONE"]);
    java.args(["-sc", "false", "-jvmArgs", "-Xmx256m", "-time", &MILLISECONDS.to_string()]);
    java.args(["-t", &format!(r"peers\.Stress\.({})Stress$", bodies.join("|")), "-r"]).arg(out.path().join("report"));
    process::run(&mut java, limit)
}

/// Reads the table of each configuration. The last ones, over all of them, would count twice.
fn parse(output: &str) -> BTreeMap<String, Samples> {
    let mut seen: BTreeMap<String, Samples> = BTreeMap::new();
    let mut body = None;
    for line in output.lines().take_while(|line| !line.starts_with("RUN RESULTS")) {
        if let Some((_, name)) = line.split_once("] peers.Stress.") {
            body = name.split_whitespace().next().and_then(|name| name.strip_suffix("Stress"));
        }
        let mut words = line.split_whitespace();
        let (result, count) = (words.next(), words.next().map(|word| word.replace(',', "")));
        let count = count.and_then(|word| word.parse::<u64>().ok());
        match (body, result, count) {
            (Some(body), Some("0"), Some(count)) => seen.entry(body.to_owned()).or_default().good += count,
            (Some(body), Some("1"), Some(count)) => seen.entry(body.to_owned()).or_default().bad += count,
            _ => {}
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_configurations_are_added_and_the_last_one_is_not() {
        let output = "..... [OK] peers.Stress.CounterStress\n  RESULT  SAMPLES\n   0  387,091  100.00%  Acceptable  good\n   1  0  0.00%\n\
            .... [FAILED] peers.Stress.CounterStress\n  RESULT  SAMPLES\n   0  10  31%\n   1  22  69%\n\
            .... [OK] peers.Stress.PairStress\n   0  5  100%\nRUN RESULTS:\n.. [FAILED] peers.Stress.CounterStress\n   0  387,101\n";
        let seen = parse(output);
        assert_eq!(seen["Counter"], Samples { good: 387_101, bad: 22 });
        assert_eq!(seen["Pair"], Samples { good: 5, bad: 0 });
    }
}
