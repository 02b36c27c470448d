//! A reservation of three nodes, for the tests of the rule.

use super::*;
use crate::resource_manager::JobPhase;
use crate::resource_manager::worked_example::{at, job, reservation, wanted};

pub const NAME: &str = "wattbook-a";

/// Three nodes from 100 to 200.
pub fn ours() -> WantedReservation {
    wanted(NAME, &["n1", "n2", "n3"], 100, 200)
}

/// As the resource manager has it.
pub fn made() -> ManagedReservation {
    reservation(NAME, &["n1", "n2", "n3"], 100, 200)
}

pub fn step(
    wanted: Option<&WantedReservation>,
    pushed: Option<&WantedReservation>,
    seen: Option<&ManagedReservation>,
    now: i64,
) -> Step {
    with_rules(wanted, pushed, seen, &[], StepRules::default(), now)
}

pub fn with_rules(
    wanted: Option<&WantedReservation>,
    pushed: Option<&WantedReservation>,
    seen: Option<&ManagedReservation>,
    jobs: &[ManagedJob],
    rules: StepRules,
    now: i64,
) -> Step {
    let jobs: Vec<&ManagedJob> = jobs.iter().collect();
    next_step(&BothSides { wanted, pushed, seen, jobs: &jobs }, rules, at(now))
}

pub const ACCEPT: StepRules = StepRules { on_drift: OnDrift::Accept, with_jobs: WithJobs::Wait };
pub const CANCEL: StepRules = StepRules { on_drift: OnDrift::Restore, with_jobs: WithJobs::Cancel };

pub fn inside(id: &str, nodes: &[&str], phase: JobPhase) -> ManagedJob {
    let (end, reservation) = (Some(at(180)), Some(NAME.to_owned()));
    ManagedJob { phase, end, reservation, ..job(id, nodes) }
}

pub fn cancelled(ids: &[&str]) -> Step {
    Step::CancelJobs(ids.iter().map(|&id| id.to_owned()).collect())
}
