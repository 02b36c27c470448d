//! What the resource manager has, read anew where it changed. What was read is kept while it does not
//! answer, and after failures it is asked less often.

use std::sync::Arc;
use std::time::Duration;

use planner::resource_manager::{
    ManagedJob, ManagedNode, ManagedReservation, ManagerError, ManagerView,
};
use planner::time::{Seconds, Timestamp};
use tokio::time::Instant;

use super::port::{ManagerAbout, ManagerList, ResourceManager};
use super::{Ports, ResourceManagerService};
use crate::config::slurm::ManagerSettings;

/// What it is is found out anew so often: somebody may install another release, or set a clock.
const ABOUT_EVERY: Duration = Duration::from_mins(5);

/// The longest pause after failures that pass by themselves, and after those that do not.
const LONGEST_PASSING: Duration = Duration::from_secs(30);
const LONGEST: Duration = Duration::from_mins(5);

/// Clocks that differ by more than this are told.
const CLOCKS_AGREE: Seconds = Seconds::new(5);

/// What the resource manager has, as it was read last.
#[derive(Clone)]
pub(super) struct Seen {
    /// Its nodes.
    pub nodes: Arc<ManagerList<ManagedNode>>,
    /// Its reservations.
    pub reservations: Arc<ManagerList<ManagedReservation>>,
    /// Its jobs.
    pub jobs: Arc<ManagerList<ManagedJob>>,
}

impl Seen {
    /// What is seen, for the rules.
    pub(super) fn view(&self) -> ManagerView<'_> {
        ManagerView {
            nodes: &self.nodes.items,
            reservations: &self.reservations.items,
            jobs: &self.jobs.items,
        }
    }
}

/// Asks the resource manager.
#[derive(Default)]
pub(super) struct Poller {
    /// What it is, and since when that is known.
    about: Option<(ManagerAbout, Instant)>,
    seen: Option<Seen>,
}

/// How polls went.
#[derive(Clone, Default)]
pub(super) struct LastPoll {
    /// What it is, as it was found out last.
    pub about: Option<ManagerAbout>,
    /// What was seen last, however long ago.
    pub seen: Option<Seen>,
    /// When it answered last.
    pub last: Option<Timestamp>,
    /// How far its clock is ahead of ours, seconds.
    pub clock_difference: Option<i64>,
    /// Why it did not answer the last time; `None` where it did, and before it was asked.
    pub failure: Option<ManagerError>,
    /// How often it did not answer since it did.
    failures: u32,
    /// When it was asked last.
    asked: Option<Instant>,
}

impl LastPoll {
    /// How long until it is to be asked again, and whether that is after a failure.
    pub(super) fn pause(&self, poll: Duration) -> (Duration, bool) {
        let whole = match &self.failure {
            None => poll,
            Some(error) => pause_after(self.failures, error, poll, jitter()),
        };
        let left = self.asked.map(|asked| whole.saturating_sub(asked.elapsed()));
        (left.unwrap_or_default(), self.failure.is_some())
    }

    /// What is to be told of its clock; `None` where it agrees with ours.
    pub(super) fn told_of_clock(&self) -> Option<String> {
        let seconds = self.clock_difference?;
        (seconds.abs() > CLOCKS_AGREE.get()).then(|| {
            let direction = if seconds > 0 { "ahead of" } else { "behind" };
            format!(
                "its clock is {} s {direction} this machine's: its reservations begin and end by its own; \
                 keep both by NTP",
                seconds.abs()
            )
        })
    }
}

/// How long to wait after so many failures in turn: twice as long each time, up to half a minute where
/// it may pass by itself, up to five minutes where somebody has to do something. `jitter`, from 0 to 1,
/// spreads it by a quarter.
fn pause_after(failures: u32, error: &ManagerError, poll: Duration, jitter: f64) -> Duration {
    let longest = if error.may_pass() { LONGEST_PASSING } else { LONGEST };
    let doubled =
        poll.saturating_mul(1_u32.checked_shl(failures.saturating_sub(1)).unwrap_or(u32::MAX));
    doubled.min(longest.max(poll)).mul_f64(1.0 + jitter / 4.0)
}

/// A number from 0 to 1; where the operating system has no randomness it is the middle.
fn jitter() -> f64 {
    let mut byte = [0; 1];
    getrandom::fill(&mut byte).map_or(0.5, |()| f64::from(byte[0]) / 255.0)
}

impl ResourceManagerService {
    /// Reads what the resource manager has. It is asked once, whatever comes of it.
    pub(super) async fn poll(
        &self,
        settings: &ManagerSettings,
        ports: &Ports,
    ) -> Result<Seen, ManagerError> {
        let mut poller = self.poller.lock().await;
        self.last_poll().asked = Some(Instant::now());
        let read = poller.read(settings, &*ports.manager).await;
        if read.is_err() {
            poller.about = None;
        }
        let (outcome, now) = (read.as_ref().map_or_else(word_of, |_| "ok"), self.shared.now());
        metrics::counter!("wattbook_slurm_polls_total", "outcome" => outcome).increment(1);
        let mut last = self.last_poll();
        let before = last.failure.as_ref().map_or("ok", word_of);
        last.about = poller.about.as_ref().map(|(about, _)| about.clone()).or(last.about.take());
        if let Ok(Read { seen, clock }) = &read {
            last.seen = Some(seen.clone());
            last.last = Some(now);
            if let Some(clock) = clock {
                let difference = (*clock - now).get();
                last.clock_difference = Some(difference);
                metrics::gauge!("wattbook_slurm_clock_difference_seconds").set(difference as f64);
            }
        }
        last.failures = if read.is_ok() { 0 } else { last.failures.saturating_add(1) };
        last.failure = read.as_ref().err().cloned();
        match &read {
            Ok(_) if before != outcome => tracing::info!("the resource manager answers again"),
            Err(error) if before != outcome => {
                tracing::warn!(error = error.to_string(), "the resource manager does not answer");
            }
            _ => {}
        }
        read.map(|read| read.seen)
    }
}

/// What a poll brought.
struct Read {
    seen: Seen,
    /// Its clock, where it was asked what it is.
    clock: Option<Timestamp>,
}

impl Poller {
    async fn read(
        &mut self,
        settings: &ManagerSettings,
        manager: &dyn ResourceManager,
    ) -> Result<Read, ManagerError> {
        let mut clock = None;
        if self.about.as_ref().is_none_or(|(_, since)| since.elapsed() > ABOUT_EVERY) {
            let about = manager.about().await?;
            clock = about.clock;
            is_of(settings, &about)?;
            self.about = Some((about, Instant::now()));
        }
        let known = self.seen.as_ref();
        let (nodes, reservations, jobs) = tokio::try_join!(
            manager.nodes(known.map(|it| it.nodes.at)),
            manager.reservations(known.map(|it| it.reservations.at)),
            manager.jobs(known.map(|it| it.jobs.at)),
        )?;
        let seen = Seen {
            nodes: newest(nodes, known.map(|it| &it.nodes))?,
            reservations: newest(reservations, known.map(|it| &it.reservations))?,
            jobs: newest(jobs, known.map(|it| &it.jobs))?,
        };
        self.seen = Some(seen.clone());
        Ok(Read { seen, clock })
    }
}

/// The list that was read, or the one that is known where nothing changed.
fn newest<T>(
    read: Option<ManagerList<T>>,
    known: Option<&Arc<ManagerList<T>>>,
) -> Result<Arc<ManagerList<T>>, ManagerError> {
    let unasked =
        || ManagerError::Unreadable("it says that nothing changed since never".to_owned());
    read.map(Arc::new).or_else(|| known.map(Arc::clone)).ok_or_else(unasked)
}

/// Refuses another cluster than that of the settings: nothing of ours is to be made there.
fn is_of(settings: &ManagerSettings, about: &ManagerAbout) -> Result<(), ManagerError> {
    match (&settings.cluster, &about.cluster) {
        (Some(ours), Some(theirs)) if ours != theirs => Err(ManagerError::Unsupported(format!(
            "the controller is of the cluster {theirs:?}, and [slurm] cluster is {ours:?}; correct rest, or \
             cluster"
        ))),
        _ => Ok(()),
    }
}

/// How a poll failed, in a word.
pub(super) const fn word_of(error: &ManagerError) -> &'static str {
    match error {
        ManagerError::Unreachable(_) => "unreachable",
        ManagerError::Denied(_) => "denied",
        ManagerError::Refused { .. } | ManagerError::Unknown(_) => "refused",
        ManagerError::Unsupported(_) => "unsupported",
        ManagerError::Unreadable(_) => "unreadable",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every 10 s; half a minute at the most for what passes, five minutes for what does not. The
    /// jitter makes a quarter more of it.
    #[test]
    fn pauses_double_up_to_a_limit() {
        let poll = Duration::from_secs(10);
        let seconds =
            |failures, error: &ManagerError| pause_after(failures, error, poll, 0.0).as_secs();
        let gone = ManagerError::Unreachable("refused".to_owned());
        let denied = ManagerError::Denied("token".to_owned());
        let pauses = |error| [1, 2, 3, 4, 5, 6, 40].map(|failures| seconds(failures, error));
        assert_eq!(pauses(&gone), [10, 20, 30, 30, 30, 30, 30]);
        assert_eq!(pauses(&denied), [10, 20, 40, 80, 160, 300, 300]);
        assert_eq!(pause_after(2, &gone, poll, 1.0), Duration::from_secs(25));
        let rarely = Duration::from_mins(2);
        assert_eq!(pause_after(3, &gone, rarely, 0.0), rarely, "never more often than without");
    }

    #[test]
    fn who_has_never_asked_asks_at_once() {
        let poll = Duration::from_secs(10);
        assert_eq!(LastPoll::default().pause(poll), (Duration::ZERO, false));
        let asked = LastPoll { asked: Some(Instant::now()), ..LastPoll::default() };
        assert!(asked.pause(poll).0 > Duration::ZERO);
    }

    #[test]
    fn clocks_that_differ_are_told() {
        let of = |clock_difference| LastPoll { clock_difference, ..LastPoll::default() };
        assert_eq!(of(None).told_of_clock(), None);
        assert_eq!(of(Some(-5)).told_of_clock(), None);
        assert!(of(Some(65)).told_of_clock().unwrap().starts_with("its clock is 65 s ahead of"));
        assert!(of(Some(-6)).told_of_clock().unwrap().starts_with("its clock is 6 s behind"));
    }
}
