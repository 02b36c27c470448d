//! What becomes of the occurrences of a series that is changed or ended. Pure.

use std::collections::{BTreeMap, BTreeSet};

use planner::time::{Seconds, Timestamp};
use storage::{Occurrence, OccurrenceState, SeriesChange, SeriesId};

use super::request::OccurrenceWindow;

/// Nobody else works on an occurrence that was claimed for so long; who changes its series does in the last [`HEAD_START`].
pub(super) const CLAIMED: Seconds = Seconds::new(60);

/// Others leave what a series is to do for so long to who makes or changes it, whose answer then tells what became of it.
pub(super) const HEAD_START: Seconds = Seconds::new(30);

/// What is to be written of the occurrences of a series that has other windows from now on. What is over, exceptions and
/// what is on its way out stay. Where as many nominal starts go as come, each new one takes the place of an old one, which
/// keeps its reservation until it has another.
pub(super) fn reconciled(
    series: SeriesId,
    stored: &[Occurrence],
    windows: &[OccurrenceWindow],
    now: Timestamp,
) -> SeriesChange {
    let later: Vec<&Occurrence> = stored.iter().filter(|it| it.known_by > now).collect();
    let known: BTreeSet<&str> = stored.iter().map(|it| it.occurrence.as_str()).collect();
    let wanted: BTreeMap<&str, &OccurrenceWindow> =
        windows.iter().map(|it| (it.name.as_str(), it)).collect();
    let mut change = SeriesChange::default();
    let mut going = Vec::new();
    for it in later.into_iter().filter(|it| !it.is_exception) {
        match wanted.get(it.occurrence.as_str()) {
            Some(window) => change.changed.extend(replanned(it, window, now)),
            None if is_open(it) => going.push(it),
            None => {}
        }
    }
    let is_to_come =
        |it: &&OccurrenceWindow| !known.contains(it.name.as_str()) && it.latest_start >= now;
    let coming: Vec<&OccurrenceWindow> = windows.iter().filter(is_to_come).collect();
    if going.len() == coming.len() {
        for (it, window) in going.into_iter().zip(coming) {
            let moved = Occurrence { occurrence: window.name.clone(), ..it.clone() };
            let moved = replanned(&moved, window, now);
            change.renamed.extend(moved.map(|moved| (it.occurrence.clone(), moved)));
        }
        return change;
    }
    change.changed.extend(going.into_iter().map(|it| left(it, OccurrenceState::LeftOut, now)));
    let others_from = now + HEAD_START;
    change.added = coming.into_iter().map(|it| planned(series, it, others_from)).collect();
    change
}

/// A new occurrence, about which something may be done from an instant on.
pub(super) fn planned(series: SeriesId, window: &OccurrenceWindow, from: Timestamp) -> Occurrence {
    Occurrence {
        series,
        occurrence: window.name.clone(),
        earliest_start: window.earliest_start,
        latest_start: window.latest_start,
        known_by: window.over_by,
        state: OccurrenceState::Waiting,
        is_exception: false,
        reservation: None,
        revision: 0,
        next_try: Some(from),
        reason: None,
        version: 1,
    }
}

/// An occurrence that is to be planned by other words; `None` where it is on its way out.
fn replanned(it: &Occurrence, window: &OccurrenceWindow, now: Timestamp) -> Option<Occurrence> {
    use OccurrenceState::{Booked, Ended, Ending, Impossible, Leaving, LeftOut, Waiting};
    let fresh = planned(it.series, window, now);
    let (state, reservation) = match it.state {
        Booked => (Booked, it.reservation),
        Waiting | Impossible => (Waiting, it.reservation),
        LeftOut if window.latest_start >= now => (Waiting, None),
        LeftOut | Leaving | Ending | Ended => return None,
    };
    Some(Occurrence {
        state,
        reservation,
        revision: it.revision,
        next_try: Some(soonest(it, now)),
        version: it.version,
        ..fresh
    })
}

/// Whether an occurrence has, or may get, a reservation.
fn is_open(it: &Occurrence) -> bool {
    use OccurrenceState::{Booked, Impossible, Waiting};
    matches!(it.state, Booked | Waiting | Impossible)
}

/// An occurrence that is left out, or ends with its series: once its reservation, if it may have one, is cancelled.
pub(super) fn left(it: &Occurrence, state: OccurrenceState, now: Timestamp) -> Occurrence {
    let (until_then, next_try) = match (it.reservation, state) {
        (None, state) => (state, None),
        (Some(_), OccurrenceState::Ended) => (OccurrenceState::Ending, Some(soonest(it, now))),
        (Some(_), _) => (OccurrenceState::Leaving, Some(soonest(it, now))),
    };
    Occurrence { state: until_then, next_try, ..it.clone() }
}

/// When others may do something about an occurrence: after a head start, or when the claim of who may be at work on it ends.
fn soonest(it: &Occurrence, now: Timestamp) -> Timestamp {
    let is_claimed = |at: &Timestamp| *at > now && *at <= now + CLAIMED;
    it.next_try.filter(is_claimed).unwrap_or(now + HEAD_START)
}

/// The occurrences of a series that ends, as far as something becomes of them.
pub(super) fn ended(stored: &[Occurrence], now: Timestamp) -> Vec<Occurrence> {
    let open = stored.iter().filter(|it| is_open(it));
    let later = open.filter(|it| it.known_by > now || it.next_try.is_some());
    later.map(|it| left(it, OccurrenceState::Ended, now)).collect()
}

#[cfg(test)]
mod tests {
    use planner::identity::ReservationId;
    use uuid::Uuid;

    use super::*;

    const HOUR: Seconds = Seconds::new(3600);

    fn series() -> SeriesId {
        SeriesId::new(Uuid::nil())
    }

    fn at(hours: i64) -> Timestamp {
        Timestamp::from_unix_seconds(hours * 3600)
    }

    fn window(name: &str, hour: i64) -> OccurrenceWindow {
        let (earliest_start, latest_start) = (at(hour), at(hour + 2));
        OccurrenceWindow {
            name: name.to_owned(),
            earliest_start,
            latest_start,
            over_by: latest_start + HOUR,
        }
    }

    fn booked(name: &str, hour: i64) -> Occurrence {
        let reservation =
            Some(ReservationId::new(Uuid::from_u128(u128::from(hour.unsigned_abs()))));
        let (state, next_try) = (OccurrenceState::Booked, None);
        Occurrence { state, next_try, reservation, ..planned(series(), &window(name, hour), at(0)) }
    }

    #[test]
    fn what_stays_is_planned_anew_and_exceptions_are_left_alone() {
        let exception = Occurrence { is_exception: true, ..booked("b", 20) };
        let stored = [booked("past", 1), booked("a", 10), exception, booked("gone", 30)];
        // Two come and one goes, so that none takes another's place.
        let windows = [window("a", 11), window("b", 21), window("c", 31), window("d", 41)];
        let change = reconciled(series(), &stored, &windows, at(5));
        let [a, gone] = change.changed.as_slice() else { panic!("{:?}", change.changed) };
        assert_eq!(
            (a.occurrence.as_str(), a.earliest_start, a.next_try),
            ("a", at(11), Some(at(5) + HEAD_START))
        );
        assert_eq!((a.state, a.reservation), (OccurrenceState::Booked, stored[1].reservation));
        assert_eq!((gone.occurrence.as_str(), gone.state), ("gone", OccurrenceState::Leaving));
        let added: Vec<&str> = change.added.iter().map(|it| it.occurrence.as_str()).collect();
        assert_eq!((added, change.renamed), (vec!["c", "d"], vec![]));
    }

    #[test]
    fn as_many_as_come_take_the_places_of_those_that_go() {
        let stored = [booked("monday", 10), booked("next monday", 30)];
        let windows = [window("tuesday", 20), window("next tuesday", 40)];
        let change = reconciled(series(), &stored, &windows, at(5));
        assert_eq!((change.changed, change.added), (vec![], vec![]));
        let [(from, to), _] = change.renamed.as_slice() else { panic!("{:?}", change.renamed) };
        assert_eq!((from.as_str(), to.occurrence.as_str()), ("monday", "tuesday"));
        assert_eq!((to.reservation, to.earliest_start), (stored[0].reservation, at(20)));
    }

    #[test]
    fn an_end_frees_what_has_not_been_and_waits_for_who_is_at_work() {
        let waiting = planned(series(), &window("c", 30), at(0));
        let at_work = Occurrence {
            next_try: Some(at(5) + Seconds::new(40)),
            state: OccurrenceState::Waiting,
            ..booked("b", 20)
        };
        let ended = ended(&[booked("past", 1), booked("a", 10), at_work, waiting], at(5));
        let states: Vec<_> =
            ended.iter().map(|it| (it.occurrence.as_str(), it.state, it.next_try)).collect();
        assert_eq!(
            states,
            [
                ("a", OccurrenceState::Ending, Some(at(5) + HEAD_START)),
                ("b", OccurrenceState::Ending, Some(at(5) + Seconds::new(40))),
                ("c", OccurrenceState::Ended, None),
            ]
        );
    }
}
