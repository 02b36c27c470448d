//! What keeps a site that is slow or gone from delaying anybody: few requests under way, and none for a while once it failed several times in turn.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Semaphore, SemaphorePermit};

use super::silence::Silence;

/// A site is asked so many things at a time, by all callers of this process.
const MOST_UNDER_WAY: usize = 16;

/// A site that failed so often in turn is left alone for a while.
const FAILURES_IN_TURN: u32 = 3;

/// How a site answers, as this process has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiteReach {
    /// Whether it has not failed several times in turn since it answered last.
    pub answers: bool,
    /// How long ago it answered last; `None` where it has not yet.
    pub age: Option<Duration>,
}

/// Whether a site may be asked now.
pub(super) struct Circuit {
    under_way: Semaphore,
    pause: Duration,
    state: Mutex<Failures>,
}

#[derive(Default)]
struct Failures {
    in_turn: u32,
    /// When it was heard last whether the site answers.
    noted: Option<Instant>,
    /// When it answered last.
    answered: Option<Instant>,
    /// Nothing is asked before.
    paused_until: Option<Instant>,
}

impl Circuit {
    pub(super) fn new(pause: Duration) -> Self {
        Self { under_way: Semaphore::new(MOST_UNDER_WAY), pause, state: Mutex::default() }
    }

    /// Room for a request, kept until it is dropped. After a pause one request tries the site, and others are told of the pause until its
    /// answer is there.
    pub(super) fn enter(&self) -> Result<SemaphorePermit<'_>, Silence> {
        let mut failures = self.failures();
        let now = Instant::now();
        if let Some(until) = failures.paused_until {
            if now < until {
                return Err(Silence::Paused { left: until - now });
            }
            failures.paused_until = Some(now + self.pause);
        }
        self.under_way.try_acquire().map_err(|_| Silence::Busy)
    }

    /// Notes whether the site answered.
    pub(super) fn note(&self, answered: bool) {
        let mut failures = self.failures();
        let now = Instant::now();
        failures.noted = Some(now);
        if answered {
            *failures = Failures { noted: Some(now), answered: Some(now), ..Failures::default() };
            return;
        }
        failures.in_turn = failures.in_turn.saturating_add(1);
        if failures.in_turn >= FAILURES_IN_TURN {
            failures.paused_until = Some(now + self.pause);
        }
    }

    /// How the site answers; `None` while nobody knows: it was not asked yet, or failed fewer times than count.
    pub(super) fn reach(&self) -> Option<SiteReach> {
        let failures = self.failures();
        let answers = failures.in_turn < FAILURES_IN_TURN;
        let age = failures.answered.map(|it| it.elapsed());
        (age.is_some() || !answers).then_some(SiteReach { answers, age })
    }

    /// Whether nothing was heard of the site for so long.
    pub(super) fn is_quiet_for(&self, length: Duration) -> bool {
        self.failures().noted.is_none_or(|it| it.elapsed() >= length)
    }

    fn failures(&self) -> MutexGuard<'_, Failures> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_that_fails_in_turn_is_left_alone_and_then_tried_once() {
        let circuit = Circuit::new(Duration::from_millis(50));
        for _ in 0..FAILURES_IN_TURN {
            drop(circuit.enter().unwrap());
            circuit.note(false);
        }
        assert!(matches!(circuit.enter(), Err(Silence::Paused { .. })));
        std::thread::sleep(Duration::from_millis(60));
        drop(circuit.enter().unwrap());
        assert!(matches!(circuit.enter(), Err(Silence::Paused { .. })), "one tries");
        circuit.note(true);
        drop(circuit.enter().unwrap());
    }

    #[test]
    fn a_site_is_silent_from_the_failure_that_has_it_left_alone_until_it_answers() {
        let circuit = Circuit::new(Duration::from_secs(30));
        assert!(circuit.is_quiet_for(Duration::from_mins(1)), "nobody asked yet");
        for failures in 1..=FAILURES_IN_TURN {
            assert_eq!(circuit.reach(), None, "before failure {failures}");
            circuit.note(false);
        }
        assert_eq!(circuit.reach(), Some(SiteReach { answers: false, age: None }));
        circuit.note(true);
        assert!(circuit.reach().is_some_and(|it| it.answers && it.age.is_some()));
        assert!(!circuit.is_quiet_for(Duration::from_mins(1)));
        // One failure does not end that, and the age is that of the last answer.
        circuit.note(false);
        assert!(circuit.reach().is_some_and(|it| it.answers && it.age.is_some()));
        circuit.note(false);
        circuit.note(false);
        assert!(circuit.reach().is_some_and(|it| !it.answers && it.age.is_some()));
    }

    #[test]
    fn few_requests_are_under_way() {
        let circuit = Circuit::new(Duration::from_secs(1));
        let held: Vec<_> = (0..MOST_UNDER_WAY).map(|_| circuit.enter().unwrap()).collect();
        assert!(matches!(circuit.enter(), Err(Silence::Busy)));
        drop(held);
        drop(circuit.enter().unwrap());
    }
}
