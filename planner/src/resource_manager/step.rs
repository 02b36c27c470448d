//! What is to be done next for one managed reservation, from what is wanted and what is seen. Nothing
//! is remembered but what was put last, so that the rule goes on wherever it was interrupted.

use std::collections::BTreeSet;

use super::reservation::{Difference, ManagedReservation, WantedReservation, differences};
use super::{JobPhase, ManagedJob};
use crate::time::{Seconds, Span, Timestamp};

/// So long before its end a reservation that is gone is not made again: the resource manager's clock may
/// be ahead, and it removes reservations itself at their end.
const ENDING: Seconds = Seconds::new(30);

/// What happens where somebody changed or removed a reservation of ours in the resource manager.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnDrift {
    /// It is made as it ought to be.
    #[default]
    Restore,
    /// It stays as it is now, and is told to be failed or lost.
    Accept,
}

/// What happens to jobs in a reservation that is cancelled, shortened or moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WithJobs {
    /// Those that run end first; those that wait are cancelled.
    #[default]
    Wait,
    /// A reservation with jobs is not cancelled at all. Where nodes failed, jobs end first.
    Refuse,
    /// They are cancelled.
    Cancel,
}

/// The site's rules for managed reservations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepRules {
    /// What happens where somebody else changed one.
    pub on_drift: OnDrift,
    /// What happens to jobs in one that is changed or removed.
    pub with_jobs: WithJobs,
}

/// How a managed reservation stands on both sides.
#[derive(Clone, Copy, Debug)]
pub struct BothSides<'a> {
    /// As it ought to be from now on; `None` where it ought not to be: it was cancelled or has ended.
    pub wanted: Option<&'a WantedReservation>,
    /// As it was wanted when it was put last; `None` where it never was, as far as is known.
    pub pushed: Option<&'a WantedReservation>,
    /// As the resource manager has it.
    pub seen: Option<&'a ManagedReservation>,
    /// The jobs in it, those that have ended too.
    pub jobs: &'a [&'a ManagedJob],
}

/// What is to be done next for a managed reservation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing: it is as it ought to be.
    InForce,
    /// Nothing: it ought not to be, and is not.
    Removed,
    /// It is to be made, or changed where it is seen, into this.
    Put {
        /// What the resource manager is to have from now on.
        put: WantedReservation,
        /// What somebody else did to it, in words; `None` where nobody did.
        drift: Option<String>,
    },
    /// It is to be removed.
    Remove,
    /// These jobs are to be cancelled first.
    CancelJobs(Vec<String>),
    /// It has to be waited for something, in words.
    Wait(String),
    /// Somebody changed it, in words, and it stays so.
    Accept(String),
    /// Somebody removed it, and it is not made again.
    Lost,
}

impl Step {
    /// Whether the resource manager is asked for the same as by another step. A start that has passed at
    /// `now` becomes that of the attempt, and is no other one.
    pub fn asks_the_same(&self, other: &Self, now: Timestamp) -> bool {
        let asked = |put: &WantedReservation| {
            let span = Span::new(put.span.start().max(now), put.span.end()).unwrap_or(put.span);
            WantedReservation { span, ..put.clone() }
        };
        match (self, other) {
            (Self::Put { put, .. }, Self::Put { put: other, .. }) => asked(put) == asked(other),
            (Self::CancelJobs(ids), Self::CancelJobs(others)) => ids == others,
            (Self::Remove, Self::Remove) => true,
            _ => false,
        }
    }
}

/// What is to be done next for a managed reservation at `now`, by the clock of both sides that is ahead:
/// what the resource manager removed at its end is not made again.
pub fn next_step(sides: &BothSides<'_>, rules: StepRules, now: Timestamp) -> Step {
    match (sides.wanted, sides.seen) {
        (None, None) => Step::Removed,
        (None, Some(seen)) => removal(seen, sides.jobs, rules.with_jobs, now),
        (Some(wanted), None) if sides.pushed.is_none() => {
            Step::Put { put: startable(wanted, None, now), drift: None }
        }
        (Some(wanted), None) if wanted.span.end() <= now + ENDING => {
            Step::Wait("it is about to end".to_owned())
        }
        (Some(wanted), None) => match rules.on_drift {
            OnDrift::Restore => Step::Put {
                put: startable(wanted, None, now),
                drift: Some("somebody removed it in the resource manager".to_owned()),
            },
            OnDrift::Accept => Step::Lost,
        },
        (Some(wanted), Some(seen)) => correction(wanted, seen, sides, rules, now),
    }
}

/// The way to a reservation that is not there. As long as jobs run in it that may end first, it keeps
/// their nodes alone, so that the others are free.
fn removal(
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

/// The way from what is seen to what is wanted.
fn correction(
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
fn startable(
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

/// When a running job ends at the latest.
fn ends(job: &ManagedJob, seen: &ManagedReservation) -> Timestamp {
    let limit = || Some(job.start? + job.limit?);
    job.end.or_else(limit).unwrap_or(seen.span.end())
}

fn as_seen(seen: &ManagedReservation) -> WantedReservation {
    let ManagedReservation { name, nodes, span, users, accounts, .. } = seen.clone();
    WantedReservation { name, nodes, span, users, accounts }
}

fn of_phase<'a>(jobs: &[&'a ManagedJob], phase: JobPhase) -> Vec<&'a ManagedJob> {
    jobs.iter().copied().filter(|job| job.phase == phase).collect()
}

fn ids(jobs: &[&ManagedJob]) -> Vec<String> {
    jobs.iter().map(|job| job.id.clone()).collect()
}

fn until_end(running: &[&ManagedJob]) -> String {
    match running {
        [job] => format!("job {} still runs in it", job.id),
        jobs => format!("the jobs {} still run in it", ids(jobs).join(", ")),
    }
}

/// Differences in one sentence.
pub fn told(found: &[Difference]) -> String {
    found.iter().map(Difference::to_string).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource_manager::worked_example::{at, job, names, reservation, wanted};

    const NAME: &str = "wattbook-a";

    /// Three nodes from 100 to 200.
    fn ours() -> WantedReservation {
        wanted(NAME, &["n1", "n2", "n3"], 100, 200)
    }

    /// As the resource manager has it.
    fn made() -> ManagedReservation {
        reservation(NAME, &["n1", "n2", "n3"], 100, 200)
    }

    fn step(
        wanted: Option<&WantedReservation>,
        pushed: Option<&WantedReservation>,
        seen: Option<&ManagedReservation>,
        now: i64,
    ) -> Step {
        with_rules(wanted, pushed, seen, &[], StepRules::default(), now)
    }

    fn with_rules(
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

    const ACCEPT: StepRules = StepRules { on_drift: OnDrift::Accept, with_jobs: WithJobs::Wait };
    const CANCEL: StepRules = StepRules { on_drift: OnDrift::Restore, with_jobs: WithJobs::Cancel };

    fn inside(id: &str, nodes: &[&str], phase: JobPhase) -> ManagedJob {
        let (end, reservation) = (Some(at(180)), Some(NAME.to_owned()));
        ManagedJob { phase, end, reservation, ..job(id, nodes) }
    }

    fn cancelled(ids: &[&str]) -> Step {
        Step::CancelJobs(ids.iter().map(|&id| id.to_owned()).collect())
    }

    #[test]
    fn what_was_never_put_is_put_as_it_is_wanted() {
        let put =
            |start| Step::Put { put: wanted(NAME, &["n1", "n2", "n3"], start, 200), drift: None };
        assert_eq!(step(Some(&ours()), None, None, 50), put(100));
        assert_eq!(step(Some(&ours()), None, None, 130), put(130), "its start has passed");
    }

    /// It is made at 130 by our clock and at 132 by the resource manager's.
    #[test]
    fn what_was_made_by_a_clock_that_is_ahead_is_as_it_ought_to_be() {
        let late = reservation(NAME, &["n1", "n2", "n3"], 132, 200);
        assert_eq!(step(Some(&ours()), None, Some(&late), 130), Step::InForce);
        assert_eq!(step(Some(&ours()), Some(&ours()), Some(&late), 131), Step::InForce);
    }

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

    #[test]
    fn what_somebody_else_removed_is_made_again_or_lost() {
        let drift = Some("somebody removed it in the resource manager".to_owned());
        let again = Step::Put { put: ours(), drift };
        assert_eq!(step(Some(&ours()), Some(&ours()), None, 50), again);
        assert_eq!(with_rules(Some(&ours()), Some(&ours()), None, &[], ACCEPT, 50), Step::Lost);
        let about_to_end = Step::Wait("it is about to end".to_owned());
        assert_eq!(step(Some(&ours()), Some(&ours()), None, 175), about_to_end);
    }

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

    /// What ought to have begun at 100 is put from 130 on, and from 140 on the next time.
    #[test]
    fn what_was_refused_is_known_again() {
        let put = |now| step(Some(&ours()), None, None, now);
        assert!(put(130).asks_the_same(&put(140), at(140)));
        assert!(put(50).asks_the_same(&put(60), at(60)));
        let later = Step::Put { put: wanted(NAME, &["n1", "n2", "n3"], 150, 200), drift: None };
        assert!(!put(130).asks_the_same(&later, at(140)));
        let fewer = Step::Put { put: wanted(NAME, &["n1", "n2"], 130, 200), drift: None };
        assert!(!put(130).asks_the_same(&fewer, at(140)));
        assert!(Step::Remove.asks_the_same(&Step::Remove, at(140)));
        assert!(cancelled(&["1"]).asks_the_same(&cancelled(&["1"]), at(140)));
        assert!(!cancelled(&["1"]).asks_the_same(&cancelled(&["1", "2"]), at(140)));
        assert!(!Step::Remove.asks_the_same(&cancelled(&["1"]), at(140)));
        assert!(!Step::InForce.asks_the_same(&Step::InForce, at(140)), "it asks nothing");
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
