//! Plays a run with a sample of its plans judged by the planner's independent checker.
//!
//! The checker looks at every node and every booking. On a small cluster one plan in fifty is
//! judged, and every plan in builds for tests; on a large one, one of the first plans in every
//! fiftieth run.

use std::sync::Mutex;
use std::sync::atomic::Ordering;

use planner::check::check_preferring;
use simulator::sesames::{Cell, Plan, PlayedRun};

use super::progress::{PoolError, Progress};

/// Up to so many nodes a cluster is small.
const SMALL: u32 = 10_000;
/// One in so many is judged: plans of a small cluster, runs of a large one.
const ONE_IN: usize = 50;
/// The first so many plans of a run are those of which one is judged on a large cluster.
const FIRST: usize = 4;

/// A cell to play, and what threads share.
pub struct Judge<'a> {
    pub cell: &'a Cell,
    pub progress: &'a Progress,
    /// Held while a plan is judged.
    pub turn: &'a Mutex<()>,
}

impl Judge<'_> {
    /// Plays a run.
    pub fn play(&self, run: u32) -> Result<PlayedRun, PoolError> {
        let mut wrong = None;
        let mut on_plan = |plan: &Plan<'_>| {
            self.progress.plans.fetch_add(1, Ordering::Relaxed);
            if self.is_sampled(plan) && wrong.is_none() {
                wrong = self.verdict(plan).err();
                self.progress.judged.fetch_add(1, Ordering::Relaxed);
            }
        };
        let stopped = || self.progress.stopped.load(Ordering::Relaxed);
        let played = self.cell.play(run, &mut on_plan, &stopped)?;
        wrong.map_or(Ok(played), |wrong| Err(PoolError::Wrong(wrong)))
    }

    fn is_sampled(&self, plan: &Plan<'_>) -> bool {
        let run = plan.run as usize;
        if self.cell.parameters().nodes <= SMALL {
            return cfg!(debug_assertions) || (plan.placed + run).is_multiple_of(ONE_IN);
        }
        let policies = self.cell.policies();
        let policy = policies[(run / ONE_IN) % policies.len()];
        run.is_multiple_of(ONE_IN) && plan.policy == policy && plan.placed == FIRST - 1
    }

    fn verdict(&self, plan: &Plan<'_>) -> Result<(), String> {
        let _turn = self.turn.lock().map_err(|error| error.to_string())?;
        let problem = plan.problem().map_err(|error| error.to_string())?;
        let preference = plan.policy.preference();
        check_preferring(&problem, preference, plan.view.selection.order(), plan.decision).map_err(
            |wrong| {
                let wrong: Vec<String> = wrong.iter().map(ToString::to_string).collect();
                let place = format!("run {}, {}, plan {}", plan.run, plan.policy, plan.placed + 1);
                format!("{place}: {}", wrong.join("; "))
            },
        )
    }
}
