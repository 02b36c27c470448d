//! The way to a reservation that is not there.

use std::collections::BTreeSet;

use super::jobs_inside::{ids, of_phase, until_end};
use super::{Step, WithJobs};
use crate::resource_manager::{JobPhase, ManagedJob, ManagedReservation, WantedReservation};
use crate::time::Timestamp;

/// The way to a reservation that is not there. As long as jobs run in it that may end first, it keeps
/// their nodes alone, so that the others are free.
pub(super) fn removal(
    seen: &ManagedReservation,
    jobs: &[&ManagedJob],
    with_jobs: WithJobs,
    now: Timestamp,
) -> Step {
    if seen.span.end() <= now {
        return Step::Wait("the resource manager removes it itself at its end".to_owned());
    }
    let (running, waiting) = (of_phase(jobs, JobPhase::Running), of_phase(jobs, JobPhase::Waiting));
    if !waiting.is_empty() {
        return Step::CancelJobs(ids(&waiting));
    }
    if running.is_empty() {
        return Step::Remove;
    }
    if with_jobs == WithJobs::Cancel {
        return Step::CancelJobs(ids(&running));
    }
    let used: BTreeSet<String> = running.iter().flat_map(|job| job.nodes.clone()).collect();
    let used: BTreeSet<String> = seen.nodes.intersection(&used).cloned().collect();
    if used.is_empty() || used == seen.nodes {
        return Step::Wait(until_end(&running));
    }
    let put = WantedReservation { nodes: used, ..as_seen(seen) };
    Step::Put { put, drift: None }
}

fn as_seen(seen: &ManagedReservation) -> WantedReservation {
    let ManagedReservation { name, nodes, span, users, accounts, .. } = seen.clone();
    WantedReservation { name, nodes, span, users, accounts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource_manager::step::StepRules;
    use crate::resource_manager::step::worked_example::{
        CANCEL, NAME, cancelled, inside, made, ours, step, with_rules,
    };
    use crate::resource_manager::worked_example::{reservation, wanted};

    #[test]
    fn what_is_not_wanted_is_removed_once_or_not_at_all() {
        assert_eq!(step(None, None, None, 50), Step::Removed, "cancelled before it was made");
        assert_eq!(step(None, Some(&ours()), None, 50), Step::Removed);
        assert_eq!(step(None, Some(&ours()), Some(&made()), 50), Step::Remove);
        let ended = step(None, Some(&ours()), Some(&made()), 200);
        assert!(matches!(ended, Step::Wait(_)), "{ended:?}");
    }

    /// Job 1 runs on n1 of three nodes: the others are free at once, and n1 when it has ended.
    #[test]
    fn a_cancelled_reservation_waits_for_the_jobs_that_run_in_it() {
        let wait = StepRules::default();
        let (ours, made) = (ours(), made());
        let jobs = [inside("1", &["n1"], JobPhase::Running), inside("2", &[], JobPhase::Waiting)];
        let next = |seen, jobs, rules| with_rules(None, Some(&ours), Some(seen), jobs, rules, 150);
        assert_eq!(next(&made, &jobs, wait), cancelled(&["2"]));
        let less = wanted(NAME, &["n1"], 100, 200);
        assert_eq!(next(&made, &jobs[..1], wait), Step::Put { put: less, drift: None });
        let only = reservation(NAME, &["n1"], 100, 200);
        let waits = Step::Wait("job 1 still runs in it".to_owned());
        assert_eq!(next(&only, &jobs[..1], wait), waits);
        assert_eq!(next(&only, &jobs[..1], CANCEL), cancelled(&["1"]));
        let ended = [inside("1", &["n1"], JobPhase::Ended)];
        assert_eq!(next(&only, &ended, wait), Step::Remove);
    }
}
