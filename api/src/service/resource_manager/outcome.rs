//! How a managed reservation stands after a step was taken, and when it is tried again.

use planner::resource_manager::{ManagedState, ManagerError, WantedReservation};
use planner::time::{Seconds, Timestamp};
use storage::{ManagedReservationEvent, StoredManagedReservation};

/// The first pause between attempts that fail, and the longest ones: after those that get no answer, which
/// pass by themselves, and after others.
const FIRST_PAUSE: Seconds = Seconds::new(5);
const LONGEST_PASSING: Seconds = Seconds::new(30);
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
    /// It got no answer: it may have been done or not.
    Unanswered(ManagerError),
    /// The resource manager has another one than it ought to, and keeps it.
    Another(String),
    /// It is gone, and stays so.
    Lost,
}

/// The row of a managed reservation after a step, as it was wanted at a row version of its reservation.
/// `drift` is what somebody else did to it that the step was to undo.
pub(super) fn after(
    before: &StoredManagedReservation,
    wanted: Option<(WantedReservation, i64)>,
    drift: Option<String>,
    outcome: Outcome,
    now: Timestamp,
) -> StoredManagedReservation {
    let is_settled = matches!(
        outcome,
        Outcome::InForce | Outcome::Removed | Outcome::Another(_) | Outcome::Lost
    );
    let drift = drift.or_else(|| before.drift.clone()).filter(|_| !is_settled);
    let before = &StoredManagedReservation { drift, ..before.clone() };
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
        Outcome::Refused(because) => {
            // What is in its way the first time may just be going away.
            let state =
                if before.attempts > 0 { ManagedState::Failed } else { waiting(before.state) };
            return failed(before, state, because, LONGEST_PAUSE, now);
        }
        Outcome::Unanswered(error) => {
            let longest = if error.may_pass() { LONGEST_PASSING } else { LONGEST_PAUSE };
            return failed(before, waiting(before.state), error.to_string(), longest, now);
        }
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

/// The row of a managed reservation after an attempt that failed: it is tried again, twice as late each
/// time.
fn failed(
    before: &StoredManagedReservation,
    state: ManagedState,
    because: String,
    longest: Seconds,
    now: Timestamp,
) -> StoredManagedReservation {
    let doubled = FIRST_PAUSE.get() << before.attempts.min(10);
    StoredManagedReservation {
        state,
        because: Some(because),
        changed: if before.state == state { before.changed } else { now },
        attempts: before.attempts.saturating_add(1),
        next_attempt: Some(now + Seconds::new(doubled).min(longest)),
        ..before.clone()
    }
}

/// When a reservation has its turn among the others: what is to go frees nodes for others, then by start.
/// Those that failed last come after all others, so that they keep none from its turn.
pub(super) fn turn_of(
    row: &StoredManagedReservation,
    wanted: Option<&WantedReservation>,
) -> (bool, Option<Timestamp>) {
    (row.attempts > 0, wanted.map(|wanted| wanted.span.start()))
}

/// Whether a drift was not told before.
pub(super) fn is_news(before: &StoredManagedReservation, drift: &str) -> bool {
    before.drift.as_deref() != Some(drift)
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
        after(before, None, None, Outcome::Refused("Requested nodes are busy".to_owned()), at(now))
    }

    /// Tried again after 5, 10 and 20 s, and in the end every 300 s.
    #[test]
    fn a_refusal_is_tried_again_ever_later_and_has_failed_the_second_time() {
        let once = refused_at(&row(), 0);
        assert_eq!((once.state, once.next_attempt), (ManagedState::Waiting, Some(at(5))));
        assert_eq!(once.because.as_deref(), Some("Requested nodes are busy"));
        let twice = refused_at(&once, 5);
        assert_eq!((twice.state, twice.next_attempt), (ManagedState::Failed, Some(at(15))));
        let thrice = refused_at(&twice, 15);
        assert_eq!((thrice.next_attempt, thrice.changed), (Some(at(35)), at(5)));
        let often = StoredManagedReservation { attempts: 40, ..thrice };
        assert_eq!(refused_at(&often, 1000).next_attempt, Some(at(1300)));
    }

    /// Every 30 s in the end where it may pass by itself, and it has not failed.
    #[test]
    fn what_got_no_answer_waits_and_is_tried_again_ever_later() {
        let gone = || ManagerError::Unreachable("no answer within 10s".to_owned());
        let unanswered = |before: &StoredManagedReservation, error, now| {
            after(before, None, None, Outcome::Unanswered(error), now)
        };
        let once = unanswered(&row(), gone(), at(0));
        assert_eq!((once.state, once.next_attempt), (ManagedState::Waiting, Some(at(5))));
        let twice = unanswered(&once, gone(), at(5));
        assert_eq!((twice.state, twice.next_attempt), (ManagedState::Waiting, Some(at(15))));
        let often = StoredManagedReservation { attempts: 40, ..twice };
        assert_eq!(unanswered(&often, gone(), at(1000)).next_attempt, Some(at(1030)));
        let denied = ManagerError::Denied("Invalid user id".to_owned());
        assert_eq!(unanswered(&often, denied, at(1000)).next_attempt, Some(at(1300)));
    }

    #[test]
    fn what_failed_last_has_its_turn_after_all_others() {
        let failed = StoredManagedReservation { attempts: 1, ..row() };
        let (soon, later) = (wanted(&["n1"]), {
            let span = Span::new(at(300), at(400)).unwrap();
            WantedReservation { span, ..wanted(&["n1"]) }
        });
        let mut turns = [
            (turn_of(&failed, None), 3),
            (turn_of(&failed, Some(&soon)), 4),
            (turn_of(&row(), Some(&later)), 2),
            (turn_of(&row(), None), 0),
            (turn_of(&row(), Some(&soon)), 1),
        ];
        turns.sort_unstable();
        assert_eq!(turns.map(|(_, place)| place), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn what_is_in_force_says_what_was_put() {
        let refused = refused_at(&refused_at(&row(), 0), 5);
        let ours = (wanted(&["n1", "n2"]), 3);
        let in_force = after(&refused, Some(ours.clone()), None, Outcome::InForce, at(15));
        let expected = StoredManagedReservation {
            state: ManagedState::InForce,
            pushed: Some(ours.clone()),
            changed: at(15),
            ..row()
        };
        assert_eq!(in_force, expected);
        let later = after(&in_force, Some((ours.0, 4)), None, Outcome::InForce, at(25));
        assert_eq!(later, in_force, "another row version of the same is no news");
        let others = (wanted(&["n1", "n3"]), 5);
        let moved = after(&in_force, Some(others.clone()), None, Outcome::InForce, at(35));
        assert_eq!((moved.pushed, moved.changed), (Some(others), at(15)));
    }

    #[test]
    fn what_is_in_force_stays_so_while_it_waits() {
        let waits = || Outcome::Waits("job 1 still runs in it".to_owned());
        let in_force = StoredManagedReservation { state: ManagedState::InForce, ..row() };
        assert_eq!(after(&in_force, None, None, waits(), at(9)).state, ManagedState::InForce);
        assert_eq!(after(&row(), None, None, waits(), at(9)).state, ManagedState::Waiting);
        let failed = StoredManagedReservation { state: ManagedState::Failed, ..row() };
        assert_eq!(after(&failed, None, None, waits(), at(9)).state, ManagedState::Waiting);
    }

    /// Somebody removed it, and others run on its nodes: it is told once however long it takes to make it
    /// again, and anew only where something else was done, or the same once more.
    #[test]
    fn a_drift_is_told_once() {
        let in_force = StoredManagedReservation { state: ManagedState::InForce, ..row() };
        let removed = "somebody removed it in the resource manager";
        assert!(is_news(&in_force, removed));
        let step = |before: &StoredManagedReservation, drift: Option<&str>, outcome| {
            after(before, None, drift.map(str::to_owned), outcome, at(9))
        };
        let waits = || Outcome::Waits("job 1 of bob runs there".to_owned());
        let waiting = step(&in_force, Some(removed), waits());
        assert!(!is_news(&waiting, removed));
        let refused = step(&waiting, Some(removed), Outcome::Refused("busy".to_owned()));
        assert!(!is_news(&refused, removed));
        assert!(is_news(&refused, "it lacks n3"));
        let other_nodes = step(&refused, None, Outcome::Underway);
        assert!(!is_news(&other_nodes, removed));
        let restored = step(&other_nodes, Some(removed), Outcome::InForce);
        assert!(is_news(&restored, removed));
    }
}
