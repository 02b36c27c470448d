//! Repositories over SQLite (embedded) and PostgreSQL, behind one handle: [`Database`].
//!
//! There is one implementation. The SQL is written once in [`sql`], with `$n` parameters that both
//! engines accept; the bodies in `repository/` are instantiated for each engine by a macro; what
//! differs has a name in `dialect.rs`. Adding a column means: two migrations with one number, the
//! statement, the row in `row.rs`, the repository method, a contract test on both engines.
//!
//! Invariants:
//! - A column's name carries its unit: instants are Unix seconds (`_s`), powers microwatts (`_uw`),
//!   rates millionths of their unit (`_millionths`). No statement asks the engine for the time.
//! - The engine itself refuses a double booking; see the allocations' migration.
//! - The book's version grows with everything that can make a plan made earlier wrong: a proposal,
//!   an agenda, new nodes, an outage. Choosing, cancelling and expiring only free nodes and leave
//!   it. Its count of changes grows with every transaction that writes; see [`Marks`].
//! - What people and programs may want to know of is an event, recorded in the transaction that did
//!   it; ids of events are committed in their order. See [`NewEvent`].
//! - Callers may go away at any await: see `transaction.rs`.
//! - Every write is one transaction, and writers go one after another: one connection on SQLite,
//!   the book's row, which each changes first, on PostgreSQL. What workers write of simulations is
//!   no part of the book: it does not count, and on PostgreSQL waits for nobody.

mod access;
mod agenda;
mod allocation;
mod changes;
mod database;
mod dialect;
mod error;
mod event;
mod feed;
mod feed_row;
mod identity;
mod lease;
#[cfg(test)]
#[path = "../../tests/service/left_out.rs"]
mod left_out;
mod negotiation;
mod nodes;
mod opening;
mod outage;
mod packed;
mod remap;
mod repository;
mod reservation;
mod row;
mod simulation;
pub mod sql;
mod transaction;
mod turns;
mod webhook;

pub use access::{ApiToken, IdempotencyRecord, Role};
pub use agenda::{
    AgendaMeta, AgendaRevision, ComposedAgenda, ProvenPiece, ProvenRevision, Quantity,
};
pub use allocation::{Allocation, BookSnapshot};
pub use changes::{AgendaPieces, BookChanges, Changes, Holding, Marks, PlanBasis};
pub use database::Database;
pub use error::{ChooseError, EndError, EnqueueError, OfferError, ProposeError, StorageError};
pub use event::{EVENT_KINDS, Event, EventsKept, NewEvent};
pub use feed::{
    FeedFailure, FeedNews, FeedRevision, FeedRevisionMeta, FeedState, FeedValue, NewFeedRevision,
    Outlook, Unjudged,
};
pub use identity::{
    EpochId, EventId, FeedRevisionId, GrantId, MessageId, NegotiationId, OfferId, OutageId,
    ReservationId, RevisionId, SimulationId, TokenId, WorkerId,
};
pub use lease::{Lease, Seen, WantedLease};
pub use negotiation::{
    Attempt, Consumed, Delivery, Direction, Grant, GrantStanding, Message, Negotiation,
    NegotiationFilter, NegotiationKind, NegotiationOutcome, NewMessage,
};
pub use nodes::{Calibration, StoredNodes};
pub use outage::Outage;
pub use reservation::{
    Advanced, Ending, Filter, NewNodes, NewOffer, NewReservation, OfferSelector, ReservationState,
    StoredOffer, StoredReservation, Unchanged,
};
pub use simulation::{
    ClaimedSimulation, JournalledRun, NewSimulation, Simulation, SimulationFilter, SimulationLease,
    SimulationQueue, SimulationState,
};
pub use webhook::WebhookState;
