//! The resource manager beside the service: what it says is kept in the book, and what is booked is made
//! there.
//!
//! One replica does all of it, by a lease; the others only read. A turn is taken at every poll, and when
//! something was chosen, cancelled or given other nodes: what the resource manager has is read (`poll`), its
//! nodes are remembered (`inventory`), nodes that it withholds are put into the book (`withhold`), jobs are
//! linked to reservations, and those outside of them noted (`jobs`), reservations are made, changed and removed
//! there (`push`), nodes are woken (`wake`), and what jobs consumed is asked for (`jobs::accounting`). Each
//! step compares what is with what ought to be and does the difference: killed at any instant, the next turn
//! goes on. The rules are pure, in `planner::resource_manager`; `port` says what a resource manager must be
//! able to do.

pub mod fit;
mod inventory;
mod jobs;
mod jobs_outside;
pub(in crate::service) mod known_powers;
mod labels;
mod open;
mod outcome;
mod poll;
pub(in crate::service) mod port;
mod powers;
mod push;
#[cfg(feature = "slurm")]
mod slurm;
mod status;
mod turn;
mod wake;
pub(in crate::service) mod withhold;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use planner::resource_manager::ManagerError;
use storage::StorageError;
use tokio_util::sync::CancellationToken;

use super::cluster::{ClusterError, ClusterService};
use super::shared::{Fault, Shared};
use crate::config::slurm::{ManagerSettings, SlurmConnection};
use poll::{LastPoll, Poller};
use port::{PowerDriver, ResourceManager};
use turn::Memo;

pub use status::{BookedDifference, ManagerStatus, ManagerSummary, ReservationCounts};

/// The lease of the resource manager.
pub const LEASE: &str = "slurm";

/// It lasts at the most so long: nodes that fail should not wait for what a killed process had. Whatever
/// is done may be begun again at any time.
pub const LEASE_LASTS: Duration = Duration::from_secs(3);

/// After a bell it is waited so long for others, so that what comes together is read once.
const GATHER: Duration = Duration::from_millis(100);

/// After a turn that failed nothing is tried for so long.
const PAUSE: Duration = Duration::from_secs(1);

/// Where there is no resource manager it is looked so often whether one was there before.
pub const LOOK_WITHOUT: Duration = Duration::from_mins(1);

/// Keeps the book and the resource manager equal.
pub struct ResourceManagerService {
    shared: Arc<Shared>,
    cluster: Arc<ClusterService>,
    ports: Option<Ports>,
    /// Asks it, one question after the other.
    poller: tokio::sync::Mutex<Poller>,
    /// How the last poll went, for those who do not wait for the next.
    last_poll: Mutex<LastPoll>,
    memo: Mutex<Memo>,
}

/// A resource manager as the service sees it.
struct Ports {
    manager: Arc<dyn ResourceManager>,
    power: Arc<dyn PowerDriver>,
}

/// What keeps a turn from being taken to its end.
#[derive(Debug, thiserror::Error)]
enum TurnError {
    /// The resource manager did not do what it was asked for.
    #[error(transparent)]
    Manager(#[from] ManagerError),
    /// The nodes cannot get other labels.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// What any service may meet.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl From<StorageError> for TurnError {
    fn from(error: StorageError) -> Self {
        Self::Fault(error.into())
    }
}

impl ResourceManagerService {
    /// On the resource manager of the settings, if there is one.
    pub fn new(shared: Arc<Shared>, cluster: Arc<ClusterService>) -> Self {
        let ports = shared.settings.manager.as_ref().map(|it| ports(&it.connection));
        let (last_poll, memo) = (Mutex::default(), Mutex::default());
        Self { shared, cluster, ports, poller: Poller::default().into(), last_poll, memo }
    }

    /// The resource manager and the site's rules for it; `None` where there is none.
    fn connected(&self) -> Option<(&ManagerSettings, &Ports)> {
        Some((self.shared.settings.manager.as_ref()?, self.ports.as_ref()?))
    }

    fn memo(&self) -> MutexGuard<'_, Memo> {
        self.memo.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn last_poll(&self) -> MutexGuard<'_, LastPoll> {
        self.last_poll.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps both sides equal until told to stop.
    pub async fn keep_equal(self: Arc<Self>, stop: CancellationToken) {
        loop {
            if !self.shared.leases.holds(LEASE) {
                *self.memo() = Memo::default();
                self.shared.held_readings.forget(LEASE);
                tokio::select! {
                    () = stop.cancelled() => return,
                    () = self.shared.leases.wait_for(LEASE) => {}
                }
            }
            let taken = tokio::select! {
                () = stop.cancelled() => return,
                taken = self.shared.leases.while_held(LEASE, self.take_turn()) => taken,
            };
            let least = if matches!(taken, Some(Ok(()))) { Duration::ZERO } else { PAUSE };
            self.note_trouble(taken.and_then(Result::err));
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.next_turn(least) => {}
            }
        }
    }

    /// Notes what a turn could not do, and tells it where it could do that before, or failed otherwise.
    fn note_trouble(&self, error: Option<TurnError>) {
        let trouble = error.map(|error| format!("{:#}", anyhow::Error::from(error)));
        let mut last = self.last_poll();
        // That it does not answer was told by the poll.
        let trouble = trouble.filter(|_| last.failure.is_none());
        if let Some(error) = trouble.as_ref().filter(|it| last.trouble.as_ref() != Some(*it)) {
            tracing::warn!(error, "could not keep the resource manager and the book equal");
        }
        last.trouble = trouble;
    }

    /// Waits until a turn is due: the next poll, or before that a bell. While the resource manager does
    /// not answer no bell makes it be asked more often. After a turn that failed it takes `least` anyway.
    async fn next_turn(&self, least: Duration) {
        let (pause, failed) = match self.connected() {
            Some((settings, _)) => self.last_poll().pause(settings.poll),
            None => (LOOK_WITHOUT, false),
        };
        let rung = async {
            if failed {
                std::future::pending::<()>().await;
            }
            self.shared.manager_bell.notified().await;
            tokio::time::sleep(GATHER.max(least)).await;
        };
        tokio::select! {
            () = tokio::time::sleep(pause.max(least)) => {}
            () = rung => {}
        }
    }
}

/// A resource manager for who switches nodes: what it says, and its orders.
pub(in crate::service) fn power_ports(
    connection: &SlurmConnection,
) -> (Arc<dyn ResourceManager>, Arc<dyn PowerDriver>) {
    let Ports { manager, power } = ports(connection);
    (manager, power)
}

#[cfg(feature = "slurm")]
fn ports(connection: &SlurmConnection) -> Ports {
    let (manager, power) = (Arc::clone(connection), Arc::clone(connection));
    Ports { manager, power }
}

#[cfg(not(feature = "slurm"))]
fn ports(connection: &SlurmConnection) -> Ports {
    match *connection {}
}
