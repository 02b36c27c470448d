//! Use cases: read what is needed, call one pure planner function with plain values, write.
//!
//! One service for each noun, each with an error of its own that says only what it can meet. What
//! they share is in [`shared`], which knows none of them; services know each other one way only.
//!
//! Plans rest on the site in memory (`shared`). Those that book are made one at a time in this
//! process: each is written only if the book's version is still the one it was made from, so that
//! other processes on the same database are safe too, and one made while another is written would
//! always have to be made again. Quotes and choices take no part in that queue.

pub mod agendas;
pub mod book_views;
pub mod cluster;
pub mod events;
mod expected;
pub mod feeds;
mod holds;
pub mod negotiation;
pub mod outlook;
mod propose;
mod quote;
pub mod readiness;
mod reservations;
pub mod shared;
pub mod simulations;
pub mod upkeep;
pub mod webhooks;
mod wish;

use std::ops::Deref;
use std::sync::Arc;

use planner::json::decision::DecisionDocument;
use storage::{Database, GrantId, NegotiationId, ReservationId, StorageError};

use crate::config::Settings;
use crate::leases::Leases;
use agendas::AgendaService;
use book_views::BookViewService;
use cluster::ClusterService;
use events::EventService;
use feeds::FeedService;
use negotiation::Negotiations;
use readiness::ReadinessService;
use shared::{Fault, KeyError, PlanningError, Shared, Turn};
use simulations::SimulationService;
use upkeep::UpkeepService;
use webhooks::WebhookService;

pub use expected::Expected;
pub use outlook::NowExpected;
pub use propose::Proposed;
pub use reservations::{Choice, Page};
pub use shared::{Access, CallerKind, IdempotencyKey, SiteState as State, cut_page};
pub use wish::{OnCap, Purpose, Wish, read_wish, stored_wish, wish_as_made};

/// All services of a process.
#[derive(Clone)]
pub struct Services {
    /// What they share.
    pub shared: Arc<Shared>,
    /// Agendas as they were put and as they are in force.
    pub agendas: Arc<AgendaService>,
    /// The book as people see it.
    pub book_views: Arc<BookViewService>,
    /// Nodes, their calibration, and outages.
    pub cluster: Arc<ClusterService>,
    /// Events as they are committed.
    pub events: Arc<EventService>,
    /// Where agendas come from beside the API.
    pub feeds: Arc<FeedService>,
    /// Whether bookings can be written.
    pub readiness: Arc<ReadinessService>,
    /// Bookings and the dialogue with the supplier.
    pub service: Arc<Service>,
    /// Experiments in the background.
    pub simulations: Arc<SimulationService>,
    /// What time alone changes.
    pub upkeep: Arc<UpkeepService>,
    /// Events sent to webhooks.
    pub webhooks: Arc<WebhookService>,
}

impl Services {
    /// Services on an open database.
    pub fn new(settings: Settings, database: Database) -> Self {
        let leases = Leases::new(database.clone(), settings.feeds.lease)
            .with_shorter(negotiation::LEASE, negotiation::LEASE_LASTS);
        let shared = Arc::new(Shared::new(settings, database, leases));
        let agendas = Arc::new(AgendaService::new(Arc::clone(&shared)));
        let events = Arc::new(EventService::new(Arc::clone(&shared)));
        Self {
            book_views: Arc::new(BookViewService::new(Arc::clone(&shared))),
            cluster: Arc::new(ClusterService::new(Arc::clone(&shared))),
            feeds: Arc::new(FeedService::new(Arc::clone(&shared), Arc::clone(&agendas))),
            readiness: Arc::new(ReadinessService::new(Arc::clone(&shared))),
            service: Arc::new(Service::new(Arc::clone(&shared))),
            simulations: Arc::new(SimulationService::new(
                Arc::clone(&shared),
                Arc::clone(&agendas),
            )),
            upkeep: Arc::new(UpkeepService::new(Arc::clone(&shared), Arc::clone(&events))),
            webhooks: Arc::new(WebhookService::new(Arc::clone(&shared), Arc::clone(&events))),
            agendas,
            events,
            shared,
        }
    }

    /// Closes the database once nothing is in progress.
    pub async fn close(&self) {
        self.shared.database.close().await;
    }
}

/// Bookings and the dialogue with the supplier.
pub struct Service {
    shared: Arc<Shared>,
    negotiations: Negotiations,
}

impl Deref for Service {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.shared
    }
}

impl Service {
    /// On what all services share.
    pub fn new(shared: Arc<Shared>) -> Self {
        Self { shared, negotiations: Negotiations::default() }
    }

    /// The site's settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Waits until nobody else books: the site is about to.
    pub(crate) async fn site_books(&self) -> Result<Turn, Fault> {
        Ok(self.pool.site_turn().await)
    }

    /// Moves reservations on whose time has come: offers expire, reservations begin and end.
    pub(crate) async fn advance(&self) -> Result<(), ServiceError> {
        self.database.advance(self.now()).await?;
        Ok(())
    }
}

/// Why a use case did not end well.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The input contradicts what is stored.
    #[error("the input is not valid: {}", .0.join("; "))]
    Invalid(Vec<String>),
    /// No such reservation, or not the caller's.
    #[error("there is no reservation {0}")]
    NoReservation(ReservationId),
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
    /// One key, two requests.
    #[error("the Idempotency-Key was used for another request; take a new key")]
    IdempotencyKeyReused,
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

impl From<StorageError> for ServiceError {
    fn from(error: StorageError) -> Self {
        Fault::from(error).into()
    }
}

impl From<Fault> for ServiceError {
    fn from(error: Fault) -> Self {
        match error {
            Fault::Unavailable(error) => Self::Unavailable(error),
            Fault::Internal(error) => Self::Internal(error),
        }
    }
}

impl From<KeyError> for ServiceError {
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::Reused => Self::IdempotencyKeyReused,
            KeyError::Fault(error) => error.into(),
        }
    }
}

impl From<PlanningError> for ServiceError {
    fn from(error: PlanningError) -> Self {
        match error {
            PlanningError::Overloaded => Self::Overloaded,
            PlanningError::TooManyPlans => Self::TooManyPlans,
            PlanningError::TimeLimit => Self::TimeLimit,
            PlanningError::Fault(error) => error.into(),
        }
    }
}
