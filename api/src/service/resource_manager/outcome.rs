//! How a managed reservation stands after a step was taken, and when it is tried again.

use planner::resource_manager::{ManagedState, WantedReservation};
use planner::time::{Seconds, Timestamp};
use storage::{ManagedReservationEvent, StoredManagedReservation};

/// The first pause between attempts that are refused, and the longest.
const FIRST_PAUSE: Seconds = Seconds::new(5);
const LONGEST_PAUSE: Seconds = Seconds::new(300);

/// What became of a step.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Both sides are equal.
    InForce,
    /// It is neither wanted nor there.
    Removed,
    /// Something was done; what else there is to do, the next turn finds out.
    Underway,
    /// It has to be waited for something.
    Waits(String),
    /// It was refused.
    Refused(String),
    /// The resource manager has another one than it ought to, and keeps it.
    Another(String),
    /// It is gone, and stays so.
    Lost,
}

/// The row of a managed reservation after a step, as it was wanted at a row version of its reservation.
pub(super) fn after(
    before: &StoredManagedReservation,
    wanted: Option<(WantedReservation, i64)>,
    outcome: Outcome,
    now: Timestamp,
) -> StoredManagedReservation {
    let quiet = StoredManagedReservation { attempts: 0, next_attempt: None, ..before.clone() };
    let (state, because) = match outcome {
        Outcome::InForce => (ManagedState::InForce, None),
        Outcome::Removed => (ManagedState::Removed, None),
        Outcome::Underway => (waiting(before.state), before.because.clone()),
        Outcome::Waits(because) => (waiting(before.state), Some(because)),
        Outcome::Another(because) => (ManagedState::Failed, Some(because)),
        Outcome::Lost => {
            let because = "somebody removed it in the resource manager".to_owned();
            (ManagedState::Lost, Some(because))
        }
        Outcome::Refused(because) => return refused(before, because, now),
    };
    let pushed = match (state, wanted) {
        (ManagedState::InForce, Some(wanted)) => Some(wanted),
        _ => before.pushed.clone(),
    };
    // What was pushed at another version of the reservation is the same where it is equal.
    let same = pushed.as_ref().map(|(it, _)| it) == before.pushed.as_ref().map(|(it, _)| it);
    let pushed = if same { before.pushed.clone() } else { pushed };
    let changed = if state == before.state { before.changed } else { now };
    StoredManagedReservation { state, because, pushed, changed, ..quiet }
}

/// The state of one that has to wait: what is in force stays so while it is changed or removed.
const fn waiting(before: ManagedState) -> ManagedState {
    match before {
        ManagedState::InForce => ManagedState::InForce,
        _ => ManagedState::Waiting,
    }
}

/// The row of a managed reservation that was refused: it is tried again, twice as late each time, and has
/// failed from the second time on, since what is in its way may just be going away. Where it was not tried
/// now, nothing changes.
fn refused(
    before: &StoredManagedReservation,
    because: String,
    now: Timestamp,
) -> StoredManagedReservation {
    if before.next_attempt.is_some_and(|next| now < next)
        && before.because.as_ref() == Some(&because)
    {
        return before.clone();
    }
    let attempts = before.attempts.saturating_add(1);
    let doubled = FIRST_PAUSE.get() << before.attempts.min(10);
    let pause = Seconds::new(doubled).min(LONGEST_PAUSE);
    let state = if attempts > 1 { ManagedState::Failed } else { waiting(before.state) };
    let changed = if before.state == state { before.changed } else { now };
    StoredManagedReservation {
        state,
        because: Some(because),
        changed,
        attempts,
        next_attempt: Some(now + pause),
        ..before.clone()
    }
}

/// Whether a drift was not told before: to undo it was not tried yet.
pub(super) const fn is_news(before: &StoredManagedReservation) -> bool {
    before.attempts == 0
}

pub(super) const fn event_of(state: ManagedState) -> ManagedReservationEvent {
    match state {
        ManagedState::Waiting => ManagedReservationEvent::Waiting,
        ManagedState::InForce => ManagedReservationEvent::InForce,
        ManagedState::Failed => ManagedReservationEvent::Failed,
        ManagedState::Lost => ManagedReservationEvent::Lost,
        ManagedState::Removed => ManagedReservationEvent::Removed,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use planner::identity::ReservationId;
    use planner::time::Span;

    use super::*;

    const fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix_seconds(seconds)
    }

    fn row() -> StoredManagedReservation {
        let id = ReservationId::new(uuid::Uuid::from_u128(7));
        StoredManagedReservation::new(id, at(0))
    }

    fn wanted(nodes: &[&str]) -> WantedReservation {
        WantedReservation {
            name: row().name,
            nodes: nodes.iter().map(|&node| node.to_owned()).collect(),
            span: Span::new(at(100), at(200)).unwrap(),
            users: ["alice".to_owned()].into(),
            accounts: BTreeSet::new(),
        }
    }

    fn refused_at(before: &StoredManagedReservation, now: i64) -> StoredManagedReservation {
        after(before, None, Outcome::Refused("Requested nodes are busy".to_owned()), at(now))
    }

    /// Tried again after 5, 10 and 20 s, and in the end every 300 s.
    #[test]
    fn a_refusal_is_tried_again_ever_later_and_has_failed_the_second_time() {
        let once = refused_at(&row(), 0);
        assert_eq!((once.state, once.next_attempt), (ManagedState::Waiting, Some(at(5))));
        assert_eq!(once.because.as_deref(), Some("Requested nodes are busy"));
        assert_eq!(refused_at(&once, 4), once, "it was not tried");
        let twice = refused_at(&once, 5);
        assert_eq!((twice.state, twice.next_attempt), (ManagedState::Failed, Some(at(15))));
        let thrice = refused_at(&twice, 15);
        assert_eq!((thrice.next_attempt, thrice.changed), (Some(at(35)), at(5)));
        let often = StoredManagedReservation { attempts: 40, ..thrice };
        assert_eq!(refused_at(&often, 1000).next_attempt, Some(at(1300)));
    }

    #[test]
    fn what_is_in_force_says_what_was_put() {
        let refused = refused_at(&refused_at(&row(), 0), 5);
        let ours = (wanted(&["n1", "n2"]), 3);
        let in_force = after(&refused, Some(ours.clone()), Outcome::InForce, at(15));
        let expected = StoredManagedReservation {
            state: ManagedState::InForce,
            pushed: Some(ours.clone()),
            changed: at(15),
            ..row()
        };
        assert_eq!(in_force, expected);
        let later = after(&in_force, Some((ours.0, 4)), Outcome::InForce, at(25));
        assert_eq!(later, in_force, "another row version of the same is no news");
        let others = (wanted(&["n1", "n3"]), 5);
        let moved = after(&in_force, Some(others.clone()), Outcome::InForce, at(35));
        assert_eq!((moved.pushed, moved.changed), (Some(others), at(15)));
    }

    #[test]
    fn what_is_in_force_stays_so_while_it_waits() {
        let waits = || Outcome::Waits("job 1 still runs in it".to_owned());
        let in_force = StoredManagedReservation { state: ManagedState::InForce, ..row() };
        assert_eq!(after(&in_force, None, waits(), at(9)).state, ManagedState::InForce);
        assert_eq!(after(&row(), None, waits(), at(9)).state, ManagedState::Waiting);
        let failed = StoredManagedReservation { state: ManagedState::Failed, ..row() };
        assert_eq!(after(&failed, None, waits(), at(9)).state, ManagedState::Waiting);
    }

    #[test]
    fn a_drift_is_told_once() {
        let in_force = StoredManagedReservation { state: ManagedState::InForce, ..row() };
        assert!(is_news(&in_force), "restored at once");
        assert!(!is_news(&refused_at(&in_force, 0)));
    }
}
