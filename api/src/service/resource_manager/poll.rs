//! What the resource manager has, read anew where it changed. What was read is kept while it does not
//! answer, and after failures it is asked less often.

use std::sync::Arc;
use std::time::Duration;

use planner::resource_manager::{
    ManagedJob, ManagedNode, ManagedReservation, ManagerError, ManagerView, NodePower,
};
use planner::time::Timestamp;
use tokio::time::Instant;

use super::fit::{told_of_clock, told_of_cluster};
use super::port::{ManagerAbout, ManagerList, ResourceManager};
use super::{LEASE, Ports, ResourceManagerService};
use crate::config::slurm::ManagerSettings;
use crate::service::shared::{HeldReading, Shared};

/// What it is is found out anew so often: somebody may install another release, or set a clock.
const ABOUT_EVERY: Duration = Duration::from_mins(5);

/// The longest pause after failures that pass by themselves, and after those that do not.
const LONGEST_PASSING: Duration = Duration::from_secs(30);
const LONGEST: Duration = Duration::from_mins(5);

/// What the resource manager has, as it was read last.
#[derive(Clone)]
pub(in crate::service) struct Seen {
    /// Its nodes.
    pub nodes: Arc<ManagerList<ManagedNode>>,
    /// Its reservations.
    pub reservations: Arc<ManagerList<ManagedReservation>>,
    /// Its jobs.
    pub jobs: Arc<ManagerList<ManagedJob>>,
}

impl Seen {
    /// What is seen, for the rules.
    pub(in crate::service) fn view(&self) -> ManagerView<'_> {
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
    /// What the last turn could not do, though it answered; `None` where all was done.
    pub trouble: Option<String>,
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
        told_of_clock(self.clock_difference?)
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
        let poller = self.poller.lock().await;
        self.ask(poller, settings, ports).await
    }

    /// Reads what the resource manager has where that is due, once for all who ask at the same time. How it
    /// went is in [`LastPoll`].
    pub(super) async fn poll_where_due(&self, settings: &ManagerSettings, ports: &Ports) {
        if !self.last_poll().pause(settings.poll).0.is_zero() {
            return;
        }
        let poller = self.poller.lock().await;
        // Who waited for its turn finds what was read meanwhile.
        if self.last_poll().pause(settings.poll).0.is_zero() {
            let _ = self.ask(poller, settings, ports).await;
        }
    }

    /// What the resource manager has, asked no more often than it is polled; `None` where there is none.
    pub(in crate::service) async fn seen_now(&self) -> Option<Result<Seen, ManagerError>> {
        let (settings, ports) = self.connected()?;
        if !self.shared.leases.holds(LEASE) || self.last_poll().seen.is_none() {
            self.poll_where_due(settings, ports).await;
            // What was asked by others just before is awaited.
            drop(self.poller.lock().await);
        }
        let last = self.last_poll();
        match (&last.failure, &last.seen) {
            (None, Some(seen)) => Some(Ok(seen.clone())),
            (Some(error), _) => Some(Err(error.clone())),
            (None, None) => Some(Err(ManagerError::Unreachable("it was not asked yet".to_owned()))),
        }
    }

    async fn ask(
        &self,
        mut poller: tokio::sync::MutexGuard<'_, Poller>,
        settings: &ManagerSettings,
        ports: &Ports,
    ) -> Result<Seen, ManagerError> {
        self.last_poll().asked = Some(Instant::now());
        let read = poller.read(settings, &*ports.manager, &self.shared).await;
        if read.is_err() {
            poller.about = None;
        }
        let (outcome, now) = (read.as_ref().map_or_else(word_of, |_| "ok"), self.shared.now());
        metrics::counter!("wattbook_slurm_polls_total", "outcome" => outcome).increment(1);
        let mut last = self.last_poll();
        let before = last.failure.as_ref().map_or("ok", word_of);
        last.about = poller.about.as_ref().map(|(about, _)| about.clone()).or(last.about.take());
        if let Ok(Read { seen, clock_difference }) = &read {
            last.seen = Some(seen.clone());
            last.last = Some(now);
            if let Some(difference) = clock_difference {
                last.clock_difference = Some(*difference);
                let readings = &self.shared.held_readings;
                readings.note(LEASE, HeldReading::ManagerClock, *difference as f64);
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
    /// How far its clock is ahead of ours, seconds, where it was asked what it is.
    clock_difference: Option<i64>,
}

impl Poller {
    async fn read(
        &mut self,
        settings: &ManagerSettings,
        manager: &dyn ResourceManager,
        shared: &Shared,
    ) -> Result<Read, ManagerError> {
        let mut clock_difference = None;
        let asks = self.about.as_ref().is_none_or(|(_, since)| since.elapsed() > ABOUT_EVERY);
        if asks {
            let about = manager.about(settings.drives()).await?;
            clock_difference = about.clock.map(|clock| (clock - shared.now()).get());
            is_of(settings, &about)?;
            self.about = Some((about, Instant::now()));
        }
        // What changed since is told by its clock: where that was set back, or another controller took over,
        // nothing would have changed until it is as late again. So all is read whole now and then.
        let known = self.seen.as_ref().filter(|_| !asks);
        // Slurm 22.05 does not say that a node changed when it is off at last: while one is on its way all are read.
        let settled = known.filter(|it| !it.nodes.items.iter().any(is_on_its_way));
        let (nodes, reservations, jobs) = tokio::try_join!(
            manager.nodes(settled.map(|it| it.nodes.at)),
            manager.reservations(known.map(|it| it.reservations.at)),
            manager.jobs(known.map(|it| it.jobs.at)),
        )?;
        let seen = Seen {
            nodes: newest(nodes, known.map(|it| &it.nodes))?,
            reservations: newest(reservations, known.map(|it| &it.reservations))?,
            jobs: newest(jobs, known.map(|it| &it.jobs))?,
        };
        self.seen = Some(seen.clone());
        Ok(Read { seen, clock_difference })
    }
}

/// Whether a node is being switched on or off.
fn is_on_its_way(node: &ManagedNode) -> bool {
    matches!(node.power, NodePower::PoweringUp | NodePower::PoweringDown)
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
    told_of_cluster(settings.cluster.as_deref(), about.cluster.as_deref())
        .map_or(Ok(()), |why| Err(ManagerError::Unsupported(why)))
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
}
