//! Which jobs may run, and behind what fence. Without Landlock nothing runs that was not allowed by name.

use crate::args::JobsArgs;
use crate::fence::{self, Extent, Missing};
use crate::supervisor::Task;

/// What was allowed, on this machine.
pub enum Allowance {
    /// All jobs, behind the whole fence.
    Fenced,
    /// All jobs, without a fence.
    Unfenced,
    /// The jobs of these classes, behind what there is of a fence.
    Classes {
        /// As class files name them.
        allowed: Vec<String>,
        /// Why there is not more.
        missing: Missing,
    },
}

impl Allowance {
    /// What the arguments come to on this machine. It is an error if no job may run.
    pub fn of(args: &JobsArgs, tasks: &[Task]) -> anyhow::Result<Allowance> {
        if args.no_fence {
            return Ok(Allowance::Unfenced);
        }
        let Err(missing) = fence::check() else { return Ok(Allowance::Fenced) };
        let allowed = args.allow_unfenced.iter().map(|class| class.replace('.', "/")).collect();
        let allowance = Allowance::Classes { allowed, missing };
        anyhow::ensure!(tasks.iter().any(|task| allowance.allows(task)), "{}", complaint(missing));
        Ok(allowance)
    }

    /// Whether a job may run.
    pub fn allows(&self, task: &Task) -> bool {
        match self {
            Allowance::Fenced | Allowance::Unfenced => true,
            Allowance::Classes { allowed, .. } => {
                let classes = &task.job.under_test;
                !classes.is_empty() && classes.iter().all(|class| allowed.contains(class))
            }
        }
    }

    /// What workers are put behind.
    pub fn fence(&self) -> Option<Extent> {
        match self {
            Allowance::Fenced => Some(Extent::Whole),
            Allowance::Classes { .. } => Some(Extent::WithoutLandlock),
            Allowance::Unfenced => None,
        }
    }

    /// An error if so many jobs were not allowed to run.
    pub fn complain(&self, left: usize) -> anyhow::Result<()> {
        match self {
            Allowance::Classes { missing, .. } if left > 0 => {
                anyhow::bail!("{left} jobs were not run: {}", complaint(*missing))
            }
            _ => Ok(()),
        }
    }
}

fn complaint(missing: Missing) -> String {
    format!("{missing}; --allow-unfenced CLASS runs the jobs of one class all the same, --no-fence those of all")
}
