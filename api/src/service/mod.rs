//! Use cases: read what is needed, call one pure planner function with plain values, write.
//!
//! Plans rest on the book in memory (`state`, `memory`). Those that book are made one at a time in
//! this process: each is written only if the book's version is still the one it was made
//! from, so that other processes on the same database are safe too, and one made while another is
//! written would always have to be made again. Quotes and choices take no part in that queue.

mod agendas;
mod calibrate;
mod cluster;
mod events;
mod expected;
pub mod feeds;
mod holds;
mod memory;
pub mod negotiation;
mod node_powers;
mod occupancy;
mod outages;
mod outlook;
mod planning;
mod power_profile;
mod propose;
pub mod provenance;
mod quote;
mod readiness;
mod reservations;
mod shares;
mod simulations;
mod state;
mod turns;
mod webhooks;
mod wish;

use std::sync::Arc;

use planner::json::JsonError;
use planner::json::decision::DecisionDocument;
use planner::time::{Seconds, Timestamp};
use storage::{
    Database, GrantId, NegotiationId, OutageId, ReservationId, SimulationId, StorageError,
};
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::config::Settings;
use events::Events;
use feeds::Feeds;
use memory::Memory;
use negotiation::Negotiations;
use planning::PlanningPool;
use readiness::Readiness;
use shares::Shares;
use simulations::Simulations;
use turns::NoTurn;

pub use agendas::{AgendaUpdate, PutAgenda};
pub use cluster::{Cluster, blocking};
pub use events::{Beginning, Watch};
pub use expected::Expected;
pub use node_powers::NodePowers;
pub use occupancy::{Frame, Occupancy};
pub use outages::{NewOutage, Outages};
pub use outlook::NowExpected;
pub use planner::reserved_power::ProfileStep;
pub use power_profile::PowerProfile;
pub use propose::{IdempotencyKey, Proposed};
pub use reservations::{Access, Choice, Page, ShownNodes, Standing};
pub use shares::{Exceeded, Share};
pub use simulations::{Removed, SimulationsPage, Started};
pub use state::State;
pub use webhooks::WebhookStatus;
pub use wish::{OnCap, Purpose, Wish, read_wish, stored_wish, wish_as_made};

/// How long an idempotency key is remembered: a day.
const KEPT_KEYS: Seconds = Seconds::new(86_400);

/// Everything the use cases share.
pub struct Service {
    settings: Settings,
    database: Database,
    clock: Clock,
    pool: PlanningPool,
    streams: Arc<Shares>,
    bodies: Arc<Shares>,
    memory: Memory,
    simulations: Simulations,
    stop: CancellationToken,
    feeds: Feeds,
    negotiations: Negotiations,
    events: Events,
    readiness: Readiness,
}

/// Why a use case did not end well.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The input contradicts what is stored.
    #[error("the input is not valid: {}", .0.join("; "))]
    Invalid(Vec<String>),
    /// The input has errors, each with its place.
    #[error("the input is not valid")]
    InvalidAt(Vec<JsonError>),
    /// No such outage.
    #[error("there is no outage {0}")]
    NoOutage(OutageId),
    /// No such reservation, or not the caller's.
    #[error("there is no reservation {0}")]
    NoReservation(ReservationId),
    /// No such simulation, or not the caller's.
    #[error("there is no simulation {0}")]
    NoSimulation(SimulationId),
    /// Too many simulations wait.
    #[error("too many simulations are waiting; try again when one has ended")]
    SimulationQueueFull,
    /// A result that is not there.
    #[error("the simulation is {state}, and this result is not there; GET it to see how far it is")]
    NotFinished {
        /// The state it is in.
        state: &'static str,
    },
    /// A simulation that cannot be cancelled any more.
    #[error("the simulation is {state}, so there is nothing to cancel; DELETE removes it")]
    SimulationEnded {
        /// The state it is in.
        state: &'static str,
    },
    /// No such negotiation.
    #[error("there is no negotiation {0}")]
    NoNegotiation(NegotiationId),
    /// No such grant.
    #[error("there is no grant {0}")]
    NoGrant(GrantId),
    /// A negotiation that waits for no answer.
    #[error(
        "the negotiation is {0}, so it takes no answer; GET /api/v1/negotiations lists those open"
    )]
    NotAsked(&'static str),
    /// A move that is not worth it.
    #[error(
        "no start saves at least {:.0} % of cost or CO2, which this site wants before a reservation \
         that still stands is moved; cancel it and make a new one if it must be moved all the same",
        min_gain * 100.0
    )]
    NoGain {
        /// What the site wants.
        min_gain: f64,
    },
    /// The planner found no start.
    #[error("no start in the window has enough nodes and power; see the reasons")]
    Impossible(Box<DecisionDocument>),
    /// Only the cap is in the way, and the supplier was to be asked, who is not at this site.
    #[error(
        "only the power cap is in the way, and this site does not ask its supplier for extra power \
         (its settings have no [negotiation]), so that \"on_cap\": \"negotiate\" cannot help; ask for \
         fewer nodes or another time, or see the reasons"
    )]
    NotNegotiated(Box<DecisionDocument>),
    /// Chosen after the hold ended; what is possible now comes with it.
    #[error(
        "the offers were held until their expires_at, which has passed; what is possible now \
         stands here, and a new reservation holds it"
    )]
    OffersExpired(Box<DecisionDocument>),
    /// What was expected is not what there is.
    #[error(
        "the offer is not what was expected of it ({differences}), so nothing was booked; look at the \
         offers again"
    )]
    OfferChanged {
        /// In words.
        differences: String,
        /// What is possible now, where a reservation was proposed.
        decision: Option<Box<DecisionDocument>>,
    },
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
    /// Too many watch.
    #[error("too many are watching; ask from time to time instead")]
    TooManyWatchers,
    /// One user has as many streams as one may have.
    #[error(
        "you watch by as many streams as one user may ({0}); end one, or share one among your \
         programs"
    )]
    TooManyStreams(usize),
    /// One user has as many plans running and waiting as one may have.
    #[error("as many of your plans run and wait as one user's may; ask again when one is answered")]
    TooManyPlans,
    /// One user has as many proposals as one may have.
    #[error(
        "{proposals} of your proposals are held, and one user may have {most} at a time; choose or \
         cancel some, or wait until they expire"
    )]
    TooManyHolds {
        /// How many there are.
        proposals: usize,
        /// How many there may be.
        most: usize,
        /// Until the first of them expires.
        retry_after_s: u32,
    },
    /// One user's proposals hold as much as they may.
    #[error(
        "with this proposal yours would hold {held_h:.1} hours of the whole cluster, and one user's \
         may hold {most_h:.1} at a time where there are several; choose or cancel some, or wait until \
         they expire"
    )]
    TooMuchHeld {
        /// What they would hold.
        held_h: f64,
        /// What they may hold.
        most_h: f64,
        /// Until the first of them expires.
        retry_after_s: u32,
    },
    /// One user has as many simulations waiting as one may have.
    #[error(
        "{0} of your simulations wait, which is as many as one user's may; start more when one of \
         them has begun, or cancel one"
    )]
    TooManySimulations(u32),
    /// Others changed the book at each try.
    #[error("others changed the book while this was planned; try again")]
    Busy,
    /// The queue is full.
    #[error("too many plans are waiting; try again in a second")]
    Overloaded,
    /// The plan was abandoned.
    #[error("planning took longer than the site allows; narrow the window")]
    TimeLimit,
    /// The database cannot be used, for a reason that passes or that somebody can mend.
    #[error("{0}; try again in a moment")]
    Unavailable(#[source] Arc<StorageError>),
    /// Anything else.
    #[error(transparent)]
    Internal(anyhow::Error),
}

impl From<NoTurn> for ServiceError {
    fn from(error: NoTurn) -> Self {
        match error {
            NoTurn::Full => Self::Overloaded,
            NoTurn::FullForUser => Self::TooManyPlans,
        }
    }
}

impl From<StorageError> for ServiceError {
    fn from(error: StorageError) -> Self {
        match error {
            error if error.is_passing() => Self::Unavailable(Arc::new(error)),
            StorageError::EpochChanged => Self::Busy,
            StorageError::NodesInUse { names, reservations } => Self::NodesInUse {
                names,
                reservations: reservations.iter().map(ToString::to_string).collect(),
            },
            error => Self::Internal(error.into()),
        }
    }
}

/// Shortens what was found to a page; where the next one starts, if more was found.
pub fn cut_page<T, I>(found: &mut Vec<T>, limit: u16, id: impl Fn(&T) -> I) -> Option<I> {
    let more = found.len() > usize::from(limit);
    found.truncate(limit.into());
    found.last().filter(|_| more).map(id)
}

impl Service {
    /// A service on an open database.
    pub fn new(settings: Settings, database: Database) -> Self {
        let limits = &settings.limits;
        Self {
            pool: PlanningPool::new(&settings),
            streams: Shares::new(limits.streams, limits.streams_per_user),
            bodies: Shares::new(limits.body_bytes, limits.body_bytes_per_user),
            feeds: Feeds::new(&settings.feeds),
            negotiations: Negotiations::default(),
            clock: settings.clock,
            settings,
            database,
            memory: Memory::default(),
            simulations: Simulations::default(),
            stop: CancellationToken::new(),
            events: Events::default(),
            readiness: Readiness::default(),
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

    /// The place of one more who watches by a stream.
    ///
    /// # Errors
    /// `TooManyStreams`, `TooManyWatchers`.
    pub fn stream_place(&self, access: Access<'_>) -> Result<Share, ServiceError> {
        let limited = access.standing != Standing::LocalUser;
        let mut place = self.streams.share(access, limited);
        match place.grow(1) {
            Ok(()) => Ok(place),
            Err(Exceeded::User) => {
                Err(ServiceError::TooManyStreams(self.settings.limits.streams_per_user))
            }
            Err(Exceeded::All) => Err(ServiceError::TooManyWatchers),
        }
    }

    /// Room for a body of a caller, none yet. Operators put tables that are larger than what users
    /// may send.
    pub fn body_room(&self, access: Access<'_>) -> Share {
        self.bodies.share(access, !access.is_operator())
    }

    /// Cancelled when the service is told to stop: what lasts ends then.
    pub const fn stopping(&self) -> &CancellationToken {
        &self.stop
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
