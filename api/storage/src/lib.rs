//! Repositories over SQLite (embedded) and PostgreSQL, behind one handle: [`Database`].
//!
//! Each noun has a folder: its values, its rows, its SQL and its repository methods. There is one
//! implementation: the SQL is written once, with `$n` parameters that both engines accept (all of it
//! is listed in [`sql`]); the methods are written once, in the noun's `repository!`, which compiles
//! them for each engine (see `database.rs`); what differs has a name in `engine/dialect.rs`. Adding a column means: two migrations with one number, and in the
//! noun's folder the statement, the row and the method; a contract test on both engines.
//!
//! Invariants:
//! - A column's name carries its unit: instants are Unix seconds (`_s`), powers microwatts (`_uw`),
//!   rates millionths of their unit (`_millionths`), energies microjoules (`_uj`), money and CO2 the
//!   planner's exact units (`_exact`); what needs more than 64 bits is decimal text. No statement asks the engine for the time.
//! - The engine itself refuses a double booking; see the allocations' migration.
//! - The book's version grows with everything that can make a plan made earlier wrong: a proposal,
//!   an agenda, new nodes, an outage, a quota adjustment, a reservation that is extended or modified. Choosing, cancelling,
//!   releasing and expiring only free nodes and leave it. Its count of changes grows with every transaction that writes; see [`Marks`].
//! - What people and programs may want to know of is an event, recorded in the transaction that did
//!   it; ids of events are committed in their order. See [`NewEvent`].
//! - Callers may go away at any await: see `engine/transaction.rs`.
//! - Every write is one transaction, and writers go one after another: one connection on SQLite,
//!   the book's row, which each changes first, on PostgreSQL. What workers write of simulations is
//!   no part of the book: it does not count, and on PostgreSQL waits for nobody.

mod access;
mod agendas;
mod amounts;
mod audit;
mod book;
mod calendar_feeds;
mod calls;
mod changed_hours;
mod clock;
mod connect;
mod consumption;
mod copies;
mod database;
mod disagreements;
mod engine;
mod epochs;
mod erasure;
mod error;
mod events;
mod feeds;
mod former_documents;
mod grants;
mod held_spans;
mod idempotency;
mod identity;
mod leases;
mod ledger;
#[cfg(test)]
#[path = "../../tests/service/left_out.rs"]
mod left_out;
mod mails;
mod managed_jobs;
mod managed_nodes;
mod managed_reservations;
mod measurements;
mod negotiations;
mod nodes;
mod notifications;
mod outages;
mod own_webhooks;
mod people;
mod polled_meters;
mod power_actions;
mod power_excesses;
mod power_holds;
mod power_log;
mod power_states;
mod projects;
mod promises;
mod quota_adjustments;
mod recalibration;
mod reevaluations;
mod refusal;
mod reservations;
mod retention;
mod row;
mod series;
mod silent_sites;
mod simulations;
mod site_reservations;
mod soundness;
pub mod sql;
mod state;
mod statements;
mod transport;
mod webhooks;
mod words;
mod write_trials;

pub use access::{ApiToken, RenewalOutcome, TokenLimit};
pub use agendas::{
    AgendaMeta, AgendaRevision, ComposedAgenda, ProvenPiece, ProvenRevision, Quantity,
};
pub use audit::{
    AuditEnd, AuditEntry, AuditFilter, AuditIntent, AuditRecord, BrokenLink, ChainCheck, ChainEnds,
    FIRST_PREVIOUS, microseconds,
};
pub use book::{Marks, PlanBasis};
pub use calendar_feeds::CalendarFeed;
pub use calls::TRACES;
pub use consumption::Consumed;
pub use copies::{CopyError, back_up, damages, restore};
pub use database::Database;
pub use disagreements::SourceDisagreement;
pub use erasure::{Erased, PSEUDONYM, PersonSum};
pub use error::StorageError;
pub use events::{ActedFor, EVENT_KINDS, Event, EventsKept, NewEvent, OwnedKind};
pub use feeds::{
    FeedFailure, FeedNews, FeedRevision, FeedRevisionMeta, FeedState, FeedValue, NewFeedRevision,
};
pub use held_spans::{HeldSpan, StatedHour, StatedOnce};
pub use idempotency::IdempotencyRecord;
pub use identity::{
    EpochId, EventId, FeedRevisionId, MessageId, PersonId, PowerActionId, RevisionId, SeriesId,
    SimulationId, SiteReservationId, TokenId, WorkerId,
};
pub use leases::{Lease, Seen, WantedLease};
pub use ledger::{
    BillGroup, BillSum, DayUsage, HeldNodes, LedgerFilter, LedgerGroup, LedgerRecord,
    LedgerSources, NewStatement, ReportGroup, ReportKey, ReportPart, ReportSum, WholeEnergy,
};
pub use mails::{MailOutcome, MailPosition, NewMail, WaitingMail};
pub use managed_nodes::ManagedNodeEvent;
pub use managed_reservations::{ManagedReservationEvent, StoredManagedReservation};
pub use measurements::{MeasuredQuarters, NewSamples, NewestSample, SampleFates};
pub use negotiations::{
    Attempt, Delivery, Direction, Message, Negotiation, NegotiationFilter, NegotiationKind,
    NegotiationOutcome, NewMessage,
};
pub use nodes::{Calibration, CalibrationSource, StoredNodes};
pub use notifications::{NotificationKind, NotificationSettings, PendingAddress};
pub use outages::{
    ChangeOutageError, FieldChange, Outage, OutageChange, OutageKind, Withheld, WithheldCounts,
};
pub use own_webhooks::OwnWebhook;
pub use people::{Person, SeenToken};
pub use polled_meters::PolledMeter;
pub use power_actions::{NewPowerAction, PowerAction, PowerActionChange, PowerActionFilter};
pub use power_excesses::PowerExcess;
pub use power_holds::PowerHold;
pub use power_log::{LogWhat, PowerLogEntry, PowerLogFilter};
pub use power_states::NodePowerState;
pub use projects::{EditProjectsError, EditedProjects};
pub use promises::OfferPromise;
pub use quota_adjustments::{QuotaAdjustmentFilter, StoredQuotaAdjustment};
pub use recalibration::{
    JudgedCounts, JudgedNode, JudgedStanding, MeasuredRun, NewJudgement, OccupiedQuarter,
    RecalibrationState, ReservationSum,
};
pub use reevaluations::Unjudged;
pub use reservations::allocations::Allocation;
pub use reservations::error::{ChangeError, ChooseError, EndError, OfferError, ProposeError};
pub use reservations::reservation::{
    Advanced, AfterModification, Filter, Modification, NewChoice, NewEnd, NewNodes, NewOffer,
    NewOwner, NewReservation, NewWords, SeenBy, Unchanged,
};
pub use reservations::sharing::SharingChange;
pub use retention::{PrunedKind, SpaceBack, give_space_back};
pub use series::error::CreateSeriesError;
pub use series::{
    Occurrence, OccurrenceState, OccurrencesDue, RecurringSeries, SeriesChange, SeriesFilter,
    SeriesStanding, SeriesState,
};
pub use simulations::error::EnqueueError;
pub use simulations::{
    ClaimedSimulation, JournalledRun, NewSimulation, Simulation, SimulationFilter, SimulationLease,
    SimulationQueue, SimulationState,
};
pub use site_reservations::{SiteReservation, SiteReservationReason, SiteReservationState};
pub use soundness::{BookCheck, BookError};
pub use state::{AgendaPieces, BookChanges, Changes, Holder, Holding, KnownCallers};
pub use transport::may_be_overheard;
pub use webhooks::WebhookState;
