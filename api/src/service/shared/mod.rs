//! What all services share: the newest state of the site, the database, clock and settings, leases,
//! the planning pool, shares of what there is only so much of, and the word to stop.
//!
//! It knows no service: services know it.

mod access;
mod blocking;
mod callers;
mod claims;
mod cluster;
mod epoch_nodes;
mod fault;
mod forbidden;
mod held_readings;
mod holders;
mod idempotency;
mod other_co2;
mod pages;
mod planning_pool;
pub mod provenance;
mod quantity;
mod rates;
pub mod reservation_text;
mod secrets;
mod share_factors;
mod shares;
mod site_state;
mod speed_powers;
mod state_cache;
mod stored_words;
mod together;
mod told_standing;
mod turns;

use std::sync::Arc;
use std::time::Duration;

use planner::quota::QuotaAdjustment;
use planner::time::Timestamp;
use storage::{Database, StorageError, StoredQuotaAdjustment};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::config::Settings;
use crate::config::quotas::SiteQuotas;
use crate::leases::Leases;
use epoch_nodes::LastEpoch;

pub use access::{Access, CallerKind, CallerProjects};
pub use blocking::blocking;
pub use callers::Callers;
pub use claims::largest;
pub use cluster::{Cluster, ShownNodes};
pub use epoch_nodes::EpochNodes;
pub use fault::Fault;
pub use forbidden::Forbidden;
pub use held_readings::{HeldReading, HeldReadings};
pub use holders::{Holders, quota_subject};
pub use idempotency::{IdempotencyKey, KeyError};
pub use other_co2::{KeptOtherCo2, OtherCo2};
pub use pages::cut_page;
pub use planning_pool::{PlanningError, PlanningPool};
pub use quantity::stored_quantity;
pub use rates::{RatesError, rates};
pub use secrets::{digest, new_secret};
pub use share_factors::{AccountKey, DAY, KeptStandings, ShareFactors};
pub use shares::{Exceeded, Share, Shares};
pub use site_state::{SiteState, power_of};
pub use speed_powers::SpeedPowers;
pub use state_cache::{KeptState, StateCache};
pub use stored_words::StoredWords;
pub use together::Together;
pub use told_standing::ToldStanding;
pub use turns::{Most, Party, Turn, TurnCounts, Turns};

/// Longest sleep at once: the machine's clock may be set meanwhile.
const LONGEST_SLEEP: Duration = Duration::from_secs(30);

/// What is on its way when the service is told to stop may take so long to arrive and to be noted.
const ON_ITS_WAY: Duration = Duration::from_secs(5);

/// What all services share.
pub struct Shared {
    /// The site's settings.
    pub settings: Arc<Settings>,
    /// Where everything is kept.
    pub database: Database,
    /// The one clock.
    pub clock: Clock,
    /// The newest state of the site.
    pub states: Arc<StateCache>,
    /// Where plans run, and who books.
    pub pool: PlanningPool,
    /// What this process does alone.
    pub leases: Leases,
    /// Cancelled when the service is told to stop: what lasts ends then.
    pub stop: CancellationToken,
    /// Wakes the dialogue with the supplier before its time: somebody waits for it, or nodes fail.
    pub dialogue_bell: Notify,
    /// Wakes the resource manager's task before its time: a reservation was chosen, ended, or got other nodes.
    pub manager_bell: Notify,
    /// Wakes the task that switches nodes before its time: somebody decided.
    pub power_bell: Notify,
    /// What this process reads where it holds a lease, for the metrics.
    pub held_readings: HeldReadings,
    /// CO2 by the accounting that nothing is planned by.
    pub other_co2: KeptOtherCo2,
    /// How accounts stand.
    pub share_factors: ShareFactors,
    last_epoch: LastEpoch,
    /// Bytes of bodies.
    bodies: Arc<Shares>,
}

impl Shared {
    /// What services on an open database share.
    pub fn new(settings: Settings, database: Database, leases: Leases) -> Self {
        let (limits, clock) = (&settings.limits, settings.clock.guarded());
        let (scope, has_quotas) = (settings.cap_scope, settings.quotas.quotas.is_some());
        Self {
            pool: PlanningPool::new(&settings),
            bodies: Shares::new(limits.body_bytes, limits.body_bytes_per_user),
            states: Arc::new(StateCache::new(database.clone(), clock, scope, has_quotas)),
            stop: CancellationToken::new(),
            dialogue_bell: Notify::new(),
            manager_bell: Notify::new(),
            power_bell: Notify::new(),
            held_readings: HeldReadings::default(),
            other_co2: KeptOtherCo2::default(),
            share_factors: ShareFactors::default(),
            last_epoch: LastEpoch::default(),
            settings: Arc::new(settings),
            database,
            clock,
            leases,
        }
    }

    /// The instant now.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Moves reservations on as their time comes by an instant that was read before: offers expire, reservations begin and
    /// end. Not while a jump of the clock is doubted.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn advance(&self, now: Timestamp) -> Result<(), StorageError> {
        if self.clock.jump().is_none() {
            self.database.advance(now).await?;
        }
        Ok(())
    }

    /// The site as it is now: everything committed before this was called is in it.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn state(&self) -> Result<Arc<SiteState>, Fault> {
        self.states.newest().await
    }

    /// The site's quotas with the adjustments of a state that are in force from an instant on; `None` where there are no
    /// quotas.
    pub fn quotas(&self, state: &SiteState, from: Timestamp) -> Option<Arc<SiteQuotas>> {
        let quotas = self.settings.quotas.quotas.as_ref()?;
        let all = state.quota_adjustments.iter().filter(|it| it.to.is_none_or(|to| to > from));
        let adjustments: Vec<QuotaAdjustment> =
            all.map(StoredQuotaAdjustment::adjustment).collect();
        if adjustments.is_empty() {
            return Some(Arc::clone(quotas));
        }
        Some(Arc::new(quotas.adjusted(adjustments)))
    }

    /// Room for a body of a caller, none yet. Operators put tables that are larger than what users
    /// may send.
    pub fn body_room(&self, access: Access<'_>) -> Share {
        self.bodies.share(access, !access.is_operator())
    }

    /// Does what ends by itself once the service is told to stop, such as sending a message and noting
    /// it; `None` where it takes too long to end then, and is cut off.
    pub async fn unless_cut_off<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let cut_off = async {
            self.stop.cancelled().await;
            tokio::time::sleep(ON_ITS_WAY).await;
        };
        tokio::select! {
            done = work => Some(done),
            () = cut_off => None,
        }
    }

    /// Sleeps until an instant of the service's clock, perhaps not all the time.
    pub async fn sleep_until(&self, instant: Timestamp) {
        tokio::time::sleep(self.clock.until(instant).min(LONGEST_SLEEP)).await;
    }
}
