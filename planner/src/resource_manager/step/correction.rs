//! The way from what the resource manager has to what is wanted.

use super::jobs_inside::{ends, ids, of_phase, until_end};
use super::{BothSides, OnDrift, Step, StepRules, WithJobs, told};
use crate::resource_manager::{
    JobPhase, ManagedJob, ManagedReservation, WantedReservation, differences,
};
use crate::time::{Span, Timestamp};

/// The way from what is seen to what is wanted.
pub(super) fn correction(
    wanted: &WantedReservation,
    seen: &ManagedReservation,
    sides: &BothSides<'_>,
    rules: StepRules,
    now: Timestamp,
) -> Step {
    let found = differences(wanted, seen, now);
    if found.is_empty() {
        return Step::InForce;
    }
    // What was put is as it is wanted: somebody else changed it since.
    let drifted = sides.pushed == Some(wanted);
    if drifted && rules.on_drift == OnDrift::Accept {
        return Step::Accept(told(&found));
    }
    let put = startable(wanted, Some(seen), now);
    let disturbed = disturbed(&put, seen, sides.jobs);
    let drift = drifted.then(|| told(&found));
    if disturbed.is_empty() {
        return Step::Put { put, drift };
    }
    if rules.with_jobs == WithJobs::Cancel {
        return Step::CancelJobs(ids(&disturbed));
    }
    let put = leaving(put, seen, &disturbed);
    if differences(&put, seen, now).is_empty() {
        return Step::Wait(until_end(&disturbed));
    }
    Step::Put { put, drift }
}

/// What is wanted, with a start that can still be had: a reservation that has begun keeps its start, and
/// one that ought to have begun begins now.
pub(super) fn startable(
    wanted: &WantedReservation,
    seen: Option<&ManagedReservation>,
    now: Timestamp,
) -> WantedReservation {
    let begun = seen.map(|seen| seen.span.start()).filter(|start| *start <= now);
    let start = match wanted.span.start() {
        ahead if ahead > now => ahead,
        _ => begun.unwrap_or(now),
    };
    let span = Span::new(start, wanted.span.end()).unwrap_or(wanted.span);
    WantedReservation { span, ..wanted.clone() }
}

/// The running jobs that would lose nodes or time by a change.
fn disturbed<'a>(
    put: &WantedReservation,
    seen: &ManagedReservation,
    jobs: &[&'a ManagedJob],
) -> Vec<&'a ManagedJob> {
    let loses = |job: &&ManagedJob| {
        let gone = |node: &String| seen.nodes.contains(node) && !put.nodes.contains(node);
        let shortened = put.span.end() < seen.span.end();
        job.nodes.iter().any(gone) || (shortened && ends(job, seen) > put.span.end())
    };
    of_phase(jobs, JobPhase::Running).into_iter().filter(loses).collect()
}

/// A change that leaves these jobs their nodes and time.
fn leaving(
    put: WantedReservation,
    seen: &ManagedReservation,
    jobs: &[&ManagedJob],
) -> WantedReservation {
    let theirs = jobs.iter().flat_map(|job| &job.nodes).filter(|node| seen.nodes.contains(*node));
    let nodes = put.nodes.iter().chain(theirs).cloned().collect();
    let last = jobs.iter().map(|job| ends(job, seen)).max().unwrap_or(put.span.end());
    let end = put.span.end().max(last.min(seen.span.end()));
    let span = Span::new(put.span.start(), end).unwrap_or(put.span);
    WantedReservation { nodes, span, ..put }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource_manager::step::worked_example::{
        ACCEPT, CANCEL, NAME, cancelled, inside, made, ours, step, with_rules,
    };
    use crate::resource_manager::worked_example::{names, reservation, wanted};

    /// A process that died between the write and its note finds its own work, and nothing is made twice.
    #[test]
    fn what_is_there_already_is_taken_as_ours() {
        assert_eq!(step(Some(&ours()), None, Some(&made()), 50), Step::InForce);
        let late = reservation(NAME, &["n1", "n2", "n3"], 130, 200);
        assert_eq!(step(Some(&ours()), None, Some(&late), 140), Step::InForce);
        let fewer = reservation(NAME, &["n1", "n2"], 100, 200);
        let put = Step::Put { put: ours(), drift: None };
        assert_eq!(step(Some(&ours()), None, Some(&fewer), 50), put);
    }

    #[test]
    fn other_nodes_are_put_and_a_start_that_has_passed_stays() {
        let others = wanted(NAME, &["n1", "n2", "n4"], 100, 200);
        let late = reservation(NAME, &["n1", "n2", "n3"], 130, 200);
        let put = wanted(NAME, &["n1", "n2", "n4"], 130, 200);
        let expected = Step::Put { put, drift: None };
        assert_eq!(step(Some(&others), Some(&ours()), Some(&late), 140), expected);
    }

    #[test]
    fn what_somebody_else_changed_is_restored_or_accepted() {
        let changed = reservation(NAME, &["n1", "n2", "n9"], 100, 230);
        let told = "it lacks n3 and has n9 beyond; it ends at 1970-01-01T00:03:50Z instead of \
                    1970-01-01T00:03:20Z";
        let restored = Step::Put { put: ours(), drift: Some(told.to_owned()) };
        assert_eq!(step(Some(&ours()), Some(&ours()), Some(&changed), 50), restored);
        let accepted = with_rules(Some(&ours()), Some(&ours()), Some(&changed), &[], ACCEPT, 50);
        assert_eq!(accepted, Step::Accept(told.to_owned()));
    }

    /// n4 takes the place of n3, on which job 1 still runs; n1 has job 2, which nothing disturbs.
    #[test]
    fn other_nodes_leave_running_jobs_theirs() {
        let (wait, ours, made) = (StepRules::default(), ours(), made());
        let others = wanted(NAME, &["n1", "n2", "n4"], 100, 200);
        let jobs =
            [inside("1", &["n3"], JobPhase::Running), inside("2", &["n1"], JobPhase::Running)];
        let next =
            |seen, rules| with_rules(Some(&others), Some(&ours), Some(seen), &jobs, rules, 150);
        let both = wanted(NAME, &["n1", "n2", "n3", "n4"], 100, 200);
        assert_eq!(next(&made, wait), Step::Put { put: both.clone(), drift: None });
        let seen = ManagedReservation { nodes: both.nodes, ..made.clone() };
        assert_eq!(next(&seen, wait), Step::Wait("job 1 still runs in it".to_owned()));
        assert_eq!(next(&made, CANCEL), cancelled(&["1"]));
    }

    /// It is to end at 160, and its job may run until 180.
    #[test]
    fn a_shorter_reservation_leaves_running_jobs_their_time() {
        let (wait, ours, made) = (StepRules::default(), ours(), made());
        let shorter = wanted(NAME, &["n1", "n2", "n3"], 100, 160);
        let jobs = [inside("1", &["n3"], JobPhase::Running)];
        let next =
            |seen, rules| with_rules(Some(&shorter), Some(&ours), Some(seen), &jobs, rules, 150);
        let until = wanted(NAME, &["n1", "n2", "n3"], 100, 180);
        assert_eq!(next(&made, wait), Step::Put { put: until, drift: None });
        assert_eq!(next(&made, CANCEL), cancelled(&["1"]));
    }

    /// It is extended to 260 while its job runs, and then belongs to Bob.
    #[test]
    fn what_is_extended_or_transferred_is_put_and_no_job_disturbed() {
        let jobs = [inside("1", &["n3"], JobPhase::Running)];
        let next = |wanted: &WantedReservation| {
            let rules = StepRules::default();
            with_rules(Some(wanted), Some(&ours()), Some(&made()), &jobs, rules, 150)
        };
        let longer = wanted(NAME, &["n1", "n2", "n3"], 100, 260);
        assert_eq!(next(&longer), Step::Put { put: longer.clone(), drift: None });
        let another = WantedReservation { users: names(&["bob"]), ..ours() };
        assert_eq!(next(&another), Step::Put { put: another.clone(), drift: None });
    }

    #[test]
    fn users_are_compared_too() {
        let mut changed = made();
        changed.users = names(&["mallory"]);
        let told = "its users are mallory instead of alice";
        let restored = Step::Put { put: ours(), drift: Some(told.to_owned()) };
        assert_eq!(step(Some(&ours()), Some(&ours()), Some(&changed), 50), restored);
    }
}
