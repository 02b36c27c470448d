//! Use cases: read what is needed, call one pure planner function with plain values, write.
//!
//! Plans rest on the book in memory (`state`, `memory`). Those that book are made one at a time in
//! this process (`booking`): each is written only if the book's version is still the one it was made
//! from, so that other processes on the same database are safe too, and one made while another is
//! written would always have to be made again. Quotes and choices take no part in that queue.

mod agendas;
mod calibrate;
mod cluster;
mod memory;
mod outages;
mod planning;
mod power_profile;
mod propose;
mod quote;
mod reservations;
mod state;

use std::sync::Arc;

use planner::json::decision::DecisionDocument;
use planner::time::{Seconds, Timestamp};
use storage::{Database, OutageId, ReservationId, StorageError};
use tokio::sync::Mutex;

use crate::clock::Clock;
use crate::config::Settings;
use memory::Memory;
use planning::PlanningPool;

pub use agendas::{AgendaUpdate, PutAgenda};
pub use cluster::{Cluster, blocking};
pub use outages::{NewOutage, Outages};
pub use planner::reserved_power::ProfileStep;
pub use power_profile::PowerProfile;
pub use propose::{IdempotencyKey, Proposed};
pub use quote::Wish;
pub use reservations::{Access, Page, ShownNodes};
pub use state::State;

/// How long an idempotency key is remembered: a day.
const KEPT_KEYS: Seconds = Seconds::new(86_400);

/// Everything the use cases share.
pub struct Service {
    settings: Settings,
    database: Database,
    clock: Clock,
    pool: PlanningPool,
    booking: Mutex<()>,
    memory: Memory,
}

/// Why a use case did not end well.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The input contradicts what is stored.
    #[error("the input is not valid: {}", .0.join("; "))]
    Invalid(Vec<String>),
    /// No such outage.
    #[error("there is no outage {0}")]
    NoOutage(OutageId),
    /// No such reservation, or not the caller's.
    #[error("there is no reservation {0}")]
    NoReservation(ReservationId),
    /// The planner found no start.
    #[error("no start in the window has enough nodes and power; see the reasons")]
    Impossible(Box<DecisionDocument>),
    /// Chosen after the hold ended; what is possible now comes with it.
    #[error(
        "the offers were held until their expires_at, which has passed; what is possible now \
         stands here, and a new reservation holds it"
    )]
    OffersExpired(Box<DecisionDocument>),
    /// The reservation's state does not allow it.
    #[error("the reservation is {state}; {way_out}")]
    WrongState {
        /// The state it is in.
        state: String,
        /// What can be done.
        way_out: &'static str,
    },
    /// The offer or ranking is not among the reservation's.
    #[error("the reservation has no such offer; GET it to see its offers")]
    UnknownOffer,
    /// `If-Match` does not match.
    #[error("the reservation was changed since it was read; GET it again")]
    VersionMismatch,
    /// Nodes to be removed have reservations to come.
    #[error(
        "nodes {} are booked by reservations to come ({}); cancel these first, or keep the nodes",
        names.join(", "),
        reservations.join(", ")
    )]
    NodesInUse {
        /// The nodes.
        names: Vec<String>,
        /// The reservations.
        reservations: Vec<String>,
    },
    /// One key, two requests.
    #[error("the Idempotency-Key was used for another request; take a new key")]
    IdempotencyKeyReused,
    /// Others changed the book at each try.
    #[error("others changed the book while this was planned; try again")]
    Busy,
    /// The queue is full.
    #[error("too many plans are waiting; try again in a second")]
    Overloaded,
    /// The plan was abandoned.
    #[error("planning took longer than the site allows; narrow the window")]
    TimeLimit,
    /// The database does not answer, or is busy with another process.
    #[error("the database is busy or out of reach; try again in a moment")]
    Unavailable(#[source] Arc<StorageError>),
    /// Anything else.
    #[error(transparent)]
    Internal(anyhow::Error),
}

impl From<StorageError> for ServiceError {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::Busy(_) | StorageError::Unavailable(_) => {
                Self::Unavailable(Arc::new(error))
            }
            StorageError::EpochChanged => Self::Busy,
            StorageError::NodesInUse { names, reservations } => Self::NodesInUse {
                names,
                reservations: reservations.iter().map(ToString::to_string).collect(),
            },
            error => Self::Internal(error.into()),
        }
    }
}

impl Service {
    /// A service on an open database.
    pub fn new(settings: Settings, database: Database) -> Self {
        Self {
            pool: PlanningPool::new(&settings),
            settings,
            database,
            clock: Clock,
            booking: Mutex::new(()),
            memory: Memory::default(),
        }
    }

    /// The instant now.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The site's settings.
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Whether the database answers.
    ///
    /// # Errors
    /// What the database said.
    pub async fn ready(&self) -> Result<(), ServiceError> {
        Ok(self.database.ping().await?)
    }

    /// Whether the service has users at all.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn has_tokens(&self) -> Result<bool, ServiceError> {
        Ok(self.database.has_tokens().await?)
    }

    /// Closes the database once nothing is in progress.
    pub async fn close(&self) {
        self.database.close().await;
    }

    /// Moves reservations on whose time has come: offers expire, reservations begin and end.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn advance(&self) -> Result<(), ServiceError> {
        self.database.advance(self.now()).await?;
        Ok(())
    }

    /// Forgets idempotency keys that no client will send again.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn forget_old_keys(&self) -> Result<(), ServiceError> {
        self.database.forget_idempotency_before(self.now() - KEPT_KEYS).await?;
        Ok(())
    }
}
