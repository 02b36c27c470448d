//! What is to be done next for one managed reservation, from what is wanted and what is seen. Nothing
//! is remembered but what was put last, so that the rule goes on wherever it was interrupted.

mod correction;
mod jobs_inside;
mod removal;
#[cfg(test)]
mod worked_example;

use super::ManagedJob;
use super::reservation::{Difference, ManagedReservation, WantedReservation};
use crate::time::{Seconds, Span, Timestamp};
use correction::{correction, startable};
use removal::removal;

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

/// Differences in one sentence.
pub fn told(found: &[Difference]) -> String {
    found.iter().map(Difference::to_string).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::worked_example::{ACCEPT, NAME, cancelled, ours, step, with_rules};
    use super::*;
    use crate::resource_manager::worked_example::{at, reservation, wanted};

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

    #[test]
    fn what_somebody_else_removed_is_made_again_or_lost() {
        let drift = Some("somebody removed it in the resource manager".to_owned());
        let again = Step::Put { put: ours(), drift };
        assert_eq!(step(Some(&ours()), Some(&ours()), None, 50), again);
        assert_eq!(with_rules(Some(&ours()), Some(&ours()), None, &[], ACCEPT, 50), Step::Lost);
        let about_to_end = Step::Wait("it is about to end".to_owned());
        assert_eq!(step(Some(&ours()), Some(&ours()), None, 175), about_to_end);
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
}
