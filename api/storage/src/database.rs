//! The handle: the whole surface of the crate, but for access, on one page.

use std::sync::Arc;

use planner::agenda::Piece;
use planner::node::Nodes;
use planner::time::{Span, Timestamp};
use sqlx::{Postgres, Sqlite};

use crate::agendas::{AgendaMeta, AgendaRevision, Quantity};
use crate::book::{Marks, PlanBasis};
use crate::engine::connections::Repository;
use crate::engine::opening::{self, Missing};
use crate::error::StorageError;
use crate::idempotency::IdempotencyRecord;
use crate::identity::{EpochId, OutageId, ReservationId, RevisionId};
use crate::nodes::{Calibration, StoredNodes};
use crate::outages::Outage;
use crate::reservations::allocations::Allocation;
use crate::reservations::error::{ChooseError, EndError, OfferError, ProposeError};
use crate::reservations::reservation::{
    Advanced, Ending, Filter, NewOffer, NewReservation, OfferSelector, StoredReservation,
};
use crate::state::{BookSnapshot, Changes};

/// A database of either engine; cheap to clone, and all clones share its connections.
#[derive(Clone, Debug)]
pub struct Database {
    engine: Engine,
}

#[derive(Clone, Debug)]
enum Engine {
    Sqlite(Arc<Repository<Sqlite>>),
    Postgres(Arc<Repository<Postgres>>),
}

/// Calls the method of the same name on the engine in use.
macro_rules! on_engine {
    ($database:ident.$method:ident($($argument:expr),*)) => {
        match &$database.engine {
            Engine::Sqlite(repository) => repository.$method($($argument),*).await,
            Engine::Postgres(repository) => repository.$method($($argument),*).await,
        }
    };
}

mod access;
mod events;
mod feeds;
mod negotiations;
mod replacements;
mod simulations;
mod webhooks;

impl Database {
    /// Opens the database of a URL, `sqlite://path` or `postgres://...`, and brings its tables up
    /// to date. A SQLite file is created where there is none.
    ///
    /// # Errors
    /// Another scheme, a database that does not open, tables of a newer release.
    pub async fn connect(url: &str) -> Result<Self, StorageError> {
        Self::open(url, Missing::Make).await
    }

    /// The same of a database that must be there, with its tables.
    ///
    /// # Errors
    /// As for [`Self::connect`]; [`StorageError::NoDatabase`].
    pub async fn connect_existing(url: &str) -> Result<Self, StorageError> {
        Self::open(url, Missing::Refuse).await
    }

    async fn open(url: &str, missing: Missing) -> Result<Self, StorageError> {
        let scheme = url.split(':').next().unwrap_or_default();
        let engine = match scheme {
            "sqlite" => Engine::Sqlite(Arc::new(opening::open_sqlite(url, missing).await?)),
            "postgres" | "postgresql" => {
                Engine::Postgres(Arc::new(opening::open_postgres(url, missing).await?))
            }
            _ => return Err(StorageError::UnsupportedScheme { scheme: scheme.to_owned() }),
        };
        let database = Self { engine };
        on_engine!(database.pack_rows())?;
        Ok(database)
    }

    /// Writes as much as a booking does, to where nobody reads: whether the database can be written.
    ///
    /// # Errors
    /// It cannot, and why.
    pub async fn try_write(&self, now: Timestamp) -> Result<(), StorageError> {
        on_engine!(self.try_write(now))
    }

    /// Closes all connections, of all clones.
    pub async fn close(&self) {
        on_engine!(self.close());
    }
}

/// Nodes.
impl Database {
    /// The newest calibration epoch; none before the first nodes.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn current_epoch(&self) -> Result<Option<EpochId>, StorageError> {
        on_engine!(self.current_epoch())
    }

    /// The nodes of the newest epoch and their draw order.
    ///
    /// # Errors
    /// Storage failed, or a stored rank is not the one the planner gives.
    pub async fn load_nodes(&self) -> Result<Option<StoredNodes>, StorageError> {
        on_engine!(self.load_nodes())
    }

    /// Opens a new epoch with these nodes, remembers what led to it, and moves what is booked from
    /// `now` on to the new ranks of the nodes with the same names.
    ///
    /// # Errors
    /// [`StorageError::NodesInUse`] where a booked node would vanish;
    /// [`StorageError::EpochChanged`] where the nodes are based on an epoch that is not the newest.
    pub async fn replace_nodes(
        &self,
        nodes: &Nodes,
        calibrations: &[Calibration],
        based_on: Option<EpochId>,
        now: Timestamp,
    ) -> Result<EpochId, StorageError> {
        on_engine!(self.replace_nodes(nodes, calibrations, based_on, now))
    }

    /// Measurements of one node or of all, newest epoch first.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn calibrations(
        &self,
        node_name: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Calibration>, StorageError> {
        on_engine!(self.calibrations(node_name, limit))
    }
}

/// Agendas. Values are whole millionths of the quantity's unit.
impl Database {
    /// Stores a revision, received at `now`: it replaces everything from its first start to its
    /// last end, and gaps between its pieces become gaps.
    ///
    /// # Errors
    /// No pieces, or pieces that are not in order.
    pub async fn put_agenda(
        &self,
        quantity: Quantity,
        meta: &AgendaMeta,
        pieces: &[Piece<i64>],
        now: Timestamp,
    ) -> Result<RevisionId, StorageError> {
        on_engine!(self.put_agenda(quantity, meta, pieces, now))
    }

    /// The pieces in force that touch `window`, untrimmed, in time order.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn agenda(
        &self,
        quantity: Quantity,
        window: Span,
    ) -> Result<Vec<Piece<i64>>, StorageError> {
        on_engine!(self.agenda(quantity, window))
    }

    /// What was known of `window` at `as_of`, trimmed to the window, in time order.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn agenda_as_of(
        &self,
        quantity: Quantity,
        window: Span,
        as_of: Timestamp,
    ) -> Result<Vec<Piece<i64>>, StorageError> {
        on_engine!(self.agenda_as_of(quantity, window, as_of))
    }

    /// When the newest revision that touches `window` and was received by `as_of` was issued, or
    /// received where its source did not say.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn agenda_announced(
        &self,
        quantity: Quantity,
        window: Span,
        as_of: Timestamp,
    ) -> Result<Option<Timestamp>, StorageError> {
        on_engine!(self.agenda_announced(quantity, window, as_of))
    }

    /// The revisions that touch `window`, newest first, at most `limit`.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn agenda_revisions(
        &self,
        quantity: Quantity,
        window: Span,
        limit: u32,
    ) -> Result<Vec<AgendaRevision>, StorageError> {
        on_engine!(self.agenda_revisions(quantity, window, limit))
    }
}

/// The book.
impl Database {
    /// The version: grows with everything that can make a plan made earlier wrong.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn version(&self) -> Result<i64, StorageError> {
        on_engine!(self.version())
    }

    /// What a plan in `window` rests on, as one consistent state.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn snapshot(
        &self,
        window: Span,
        now: Timestamp,
    ) -> Result<BookSnapshot, StorageError> {
        on_engine!(self.snapshot(window, now))
    }

    /// The live allocations that touch `window`: of reservations that are confirmed, active or
    /// completed, or proposed and still held at `now`. Those of a span before the newest epoch
    /// count in the ranks of theirs.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn allocations(
        &self,
        window: Span,
        now: Timestamp,
        except: Option<ReservationId>,
    ) -> Result<Vec<Allocation>, StorageError> {
        on_engine!(self.allocations(window, now, except))
    }

    /// How far the database is: whether anything changed since.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn marks(&self) -> Result<Marks, StorageError> {
        on_engine!(self.marks())
    }

    /// What is newer than what is known, everything where nothing is, as one consistent state. The
    /// nodes of an epoch that is known or `prepared` are not read.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn changes(
        &self,
        known: Option<Marks>,
        prepared: Option<EpochId>,
        now: Timestamp,
    ) -> Result<Changes, StorageError> {
        on_engine!(self.changes(known, prepared, now))
    }

    /// All allocations of one reservation, whatever its state.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn allocations_of(&self, id: ReservationId) -> Result<Vec<Allocation>, StorageError> {
        on_engine!(self.allocations_of(id))
    }
}

/// Outages.
impl Database {
    /// Stores an outage, whose nodes plans avoid from now on.
    ///
    /// # Errors
    /// [`StorageError::EpochChanged`] where its ranks are not those of the newest epoch.
    pub async fn create_outage(&self, outage: &Outage) -> Result<(), StorageError> {
        on_engine!(self.create_outage(outage))
    }

    /// Ends an outage at `now`; one that has yet to start is taken back. `None` for an unknown one;
    /// one that has ended stays as it is.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn end_outage(
        &self,
        id: OutageId,
        now: Timestamp,
    ) -> Result<Option<Outage>, StorageError> {
        on_engine!(self.end_outage(id, now))
    }

    /// Outages that have yet to end at `now`, by start.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn outages(&self, now: Timestamp) -> Result<Vec<Outage>, StorageError> {
        on_engine!(self.outages(now))
    }
}

/// Reservations.
impl Database {
    /// Proposes a reservation from a plan: holds the nodes of all its offers until they expire.
    /// Holds that are due at `now` are expired first. The answer to be remembered is stored in the
    /// same transaction.
    ///
    /// # Errors
    /// [`ProposeError::BookChanged`]: plan again.
    pub async fn propose(
        &self,
        basis: PlanBasis,
        reservation: &NewReservation,
        now: Timestamp,
        idempotency: Option<&IdempotencyRecord>,
    ) -> Result<(), ProposeError> {
        on_engine!(self.propose(basis, reservation, now, idempotency))
    }

    /// Makes offers to a reservation that awaits the supplier, which is then proposed.
    ///
    /// # Errors
    /// As for [`Self::propose`]; a reservation that does not wait.
    pub async fn offer(
        &self,
        basis: PlanBasis,
        id: ReservationId,
        document: &str,
        offers: &[NewOffer],
        expires: Timestamp,
        now: Timestamp,
    ) -> Result<(), OfferError> {
        on_engine!(self.offer(basis, id, document, offers, expires, now))
    }

    /// Confirms an offer and frees the nodes of the others. Choosing the chosen offer again
    /// succeeds.
    ///
    /// # Errors
    /// See [`ChooseError`].
    pub async fn choose(
        &self,
        id: ReservationId,
        selector: OfferSelector,
        now: Timestamp,
        expected_row_version: Option<i64>,
    ) -> Result<StoredReservation, ChooseError> {
        on_engine!(self.choose(id, selector, now, expected_row_version))
    }

    /// Cancels a reservation that has not ended and frees its nodes from `now` on.
    ///
    /// # Errors
    /// See [`EndError`].
    pub async fn cancel(
        &self,
        id: ReservationId,
        now: Timestamp,
        expected_row_version: Option<i64>,
    ) -> Result<StoredReservation, EndError> {
        self.end(id, Ending::Cancelled, now, expected_row_version).await
    }

    /// Ends a reservation before its time and frees its nodes from `now` on.
    ///
    /// # Errors
    /// See [`EndError`].
    pub async fn end(
        &self,
        id: ReservationId,
        ending: Ending,
        now: Timestamp,
        expected_row_version: Option<i64>,
    ) -> Result<StoredReservation, EndError> {
        on_engine!(self.end(id, ending, now, expected_row_version))
    }

    /// Lets the clock do its part: expires holds, starts and completes reservations. Takes no
    /// write lock when nothing is due. The reservations in the state they reached.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn advance(&self, now: Timestamp) -> Result<Vec<Advanced>, StorageError> {
        on_engine!(self.advance(now))
    }

    /// One reservation.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn reservation(
        &self,
        id: ReservationId,
    ) -> Result<Option<StoredReservation>, StorageError> {
        on_engine!(self.reservation(id))
    }

    /// The proposals of an owner that are held at an instant, each with the end of its hold; those
    /// that await the supplier too.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn held_by(
        &self,
        owner: &str,
        now: Timestamp,
    ) -> Result<Vec<(ReservationId, Timestamp)>, StorageError> {
        on_engine!(self.held_by(owner, now))
    }

    /// A page of reservations in the order of their ids, after the cursor, at most `limit`.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn reservations(
        &self,
        filter: &Filter,
        after: Option<ReservationId>,
        limit: u16,
    ) -> Result<Vec<StoredReservation>, StorageError> {
        on_engine!(self.reservations(filter, after, limit))
    }
}
