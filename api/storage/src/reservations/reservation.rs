//! Reservations, their offers and how they change; the rules are pure.
//!
//! ```text
//! awaiting_supplier -> proposed -> confirmed -> active -> completed
//!        |                |           |           |
//!        +----------------+-----------+-----------+--> cancelled, rejected, failed
//!                         +--> expired
//! ```
//!
//! The clock moves a reservation on by itself, so what its row says may be out of date:
//! [`StoredReservation::state_at`] is what holds.

use planner::node_set::NodeSet;
use planner::ranking::Ranking;
use planner::time::{Span, Timestamp};

use crate::book::PlanBasis;
use crate::identity::{OfferId, ReservationId};
use crate::reservations::error::{ChooseError, EndError};

/// How far a reservation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReservationState {
    /// Its offers are held until they expire.
    Proposed,
    /// An offer was chosen and has yet to start.
    Confirmed,
    /// It runs.
    Active,
    /// It ran to its end.
    Completed,
    /// The owner ended it.
    Cancelled,
    /// Nothing was chosen in time.
    Expired,
    /// The supplier refused the power.
    Rejected,
    /// The cluster could not keep it.
    Failed,
    /// Extra power is asked for; there are no offers yet.
    AwaitingSupplier,
}

/// How a reservation is ended before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// By its owner.
    Cancelled,
    /// By the supplier.
    Rejected,
    /// By the cluster.
    Failed,
}

/// A reservation to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewReservation {
    /// Its id.
    pub id: ReservationId,
    /// The user who books.
    pub owner: String,
    /// What was asked for, as JSON.
    pub request: String,
    /// Anything else, as JSON.
    pub document: String,
    /// When it was asked for.
    pub created: Timestamp,
    /// When the hold of its offers ends.
    pub expires: Timestamp,
    /// The lowest gives way first where the site says so.
    pub priority: i64,
    /// What ends when an offer of this one is chosen.
    pub replaces: Option<ReservationId>,
    /// What is offered, in the order shown; with none it awaits the supplier.
    pub offers: Vec<NewOffer>,
}

impl NewReservation {
    /// The state it begins in.
    pub(crate) const fn first_state(&self) -> ReservationState {
        match self.offers.as_slice() {
            [] => ReservationState::AwaitingSupplier,
            _ => ReservationState::Proposed,
        }
    }
}

/// An offer to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewOffer {
    /// Its id.
    pub id: OfferId,
    /// From the start to the end.
    pub span: Span,
    /// The rankings it wins.
    pub rankings: Vec<Ranking>,
    /// The nodes, as ranks in the newest epoch's draw order.
    pub ranks: NodeSet,
    /// Anything else, as JSON.
    pub document: String,
}

/// What a change of a reservation rests on: the reservation as it was read, and the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unchanged {
    /// The reservation's id.
    pub id: ReservationId,
    /// See [`StoredReservation::row_version`].
    pub row_version: i64,
    /// The book that was planned with.
    pub basis: PlanBasis,
}

/// Other nodes for an offer that holds some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewNodes {
    /// The offer's id.
    pub offer: OfferId,
    /// From when on; what it holds before stays.
    pub from: Timestamp,
    /// What it holds from then on: spans that follow one another, and nodes as ranks in the newest
    /// epoch's draw order.
    pub holdings: Vec<(Span, NodeSet)>,
    /// What is told of it now, as JSON.
    pub document: String,
}

/// An offer as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredOffer {
    /// The offer's id.
    pub id: OfferId,
    /// From the start to the end.
    pub span: Span,
    /// The rankings it wins.
    pub rankings: Vec<Ranking>,
    /// Anything else, as JSON.
    pub document: String,
}

/// A reservation as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredReservation {
    /// The reservation's id.
    pub id: ReservationId,
    /// The user who booked.
    pub owner: String,
    /// What the row says; see [`Self::state_at`].
    pub state: ReservationState,
    /// Whether what was promised no longer holds.
    pub degraded: bool,
    /// What was asked for, as JSON.
    pub request: String,
    /// When it was asked for.
    pub created: Timestamp,
    /// When the hold of its offers ends.
    pub expires: Timestamp,
    /// The chosen offer and its span.
    pub chosen: Option<(OfferId, Span)>,
    /// Anything else, as JSON.
    pub document: String,
    /// Grows with every change of the reservation.
    pub row_version: i64,
    /// When an offer was chosen.
    pub confirmed: Option<Timestamp>,
    /// The lowest gives way first where the site says so.
    pub priority: i64,
    /// What ends when an offer of this one is chosen.
    pub replaces: Option<ReservationId>,
    /// What its owner is to know, as JSON.
    pub notice: Option<String>,
    /// What was offered, in the order shown.
    pub offers: Vec<StoredOffer>,
}

/// Names one of a reservation's offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfferSelector {
    /// By id.
    Offer(OfferId),
    /// The one that wins this ranking.
    Ranking(Ranking),
}

/// Which reservations to list; everything absent lets all pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// The user who booked.
    pub owner: Option<String>,
    /// In one of these states, by the row; empty lets all pass.
    pub states: Vec<ReservationState>,
    /// The chosen span, or before the choice an offer's, ends after this.
    pub from: Option<Timestamp>,
    /// The chosen span, or before the choice an offer's, starts before this.
    pub to: Option<Timestamp>,
    /// The newest first, and a page's end leads to older ones.
    pub newest: bool,
}

/// A reservation that the clock moved on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advanced {
    /// Its id.
    pub id: ReservationId,
    /// To which state.
    pub state: ReservationState,
}

/// What a choice does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// Takes the offer.
    Take(OfferId, Span),
    /// Nothing: it was chosen before.
    TakenBefore,
}

impl ReservationState {
    const ALL: [Self; 9] = [
        Self::Proposed,
        Self::Confirmed,
        Self::Active,
        Self::Completed,
        Self::Cancelled,
        Self::Expired,
        Self::Rejected,
        Self::Failed,
        Self::AwaitingSupplier,
    ];

    /// The word used in documents and tables.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Confirmed => "confirmed",
            Self::Active => "active",
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
            Self::Expired => "expired",
            Self::Rejected => "rejected",
            Self::Failed => "failed",
            Self::AwaitingSupplier => "awaiting_supplier",
        }
    }

    /// The state of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }

    /// Whether nothing can follow.
    pub const fn is_final(self) -> bool {
        !matches!(self, Self::Proposed | Self::Confirmed | Self::Active | Self::AwaitingSupplier)
    }
}

impl From<Ending> for ReservationState {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Cancelled => Self::Cancelled,
            Ending::Rejected => Self::Rejected,
            Ending::Failed => Self::Failed,
        }
    }
}

impl StoredReservation {
    /// The state at `now`, whether or not the row says so yet.
    pub fn state_at(&self, now: Timestamp) -> ReservationState {
        use ReservationState::{Active, Completed, Confirmed, Expired, Proposed};
        match (self.state, self.chosen) {
            (Proposed, _) if self.expires <= now => Expired,
            (Confirmed | Active, Some((_, span))) if span.end() <= now => Completed,
            (Confirmed, Some((_, span))) if span.start() <= now => Active,
            (state, _) => state,
        }
    }

    /// The offer a selector names.
    pub fn offer(&self, selector: OfferSelector) -> Option<&StoredOffer> {
        self.offers.iter().find(|offer| match selector {
            OfferSelector::Offer(id) => offer.id == id,
            OfferSelector::Ranking(ranking) => offer.rankings.contains(&ranking),
        })
    }

    /// What choosing an offer does at `now`.
    ///
    /// What was chosen before is a success whatever row version the caller expects: who sends a
    /// choice again because the answer was lost cannot know the version the first one made.
    pub(crate) fn choice(
        &self,
        selector: OfferSelector,
        now: Timestamp,
        expected_row_version: Option<i64>,
    ) -> Result<Choice, ChooseError> {
        let state = self.state_at(now);
        let offer = self.offer(selector);
        let chosen_before = self.chosen.map(|(id, _)| id);
        match state {
            ReservationState::Confirmed | ReservationState::Active
                if offer.is_some() && offer.map(|offer| offer.id) == chosen_before =>
            {
                return Ok(Choice::TakenBefore);
            }
            ReservationState::Proposed => {}
            ReservationState::Expired => {
                return Err(ChooseError::Expired { expired: self.expires });
            }
            state => return Err(ChooseError::NotProposed { state }),
        }
        if expected_row_version.is_some_and(|expected| expected != self.row_version) {
            return Err(ChooseError::VersionMismatch { found: self.row_version });
        }
        let offer = offer.ok_or(ChooseError::UnknownOffer)?;
        // A start may have passed while the offer was held; once the end has, nothing is left.
        if offer.span.end() <= now {
            return Err(ChooseError::Expired { expired: offer.span.end() });
        }
        Ok(Choice::Take(offer.id, offer.span))
    }

    /// Whether the reservation may be ended at `now`.
    pub(crate) fn may_end(
        &self,
        now: Timestamp,
        expected_row_version: Option<i64>,
    ) -> Result<(), EndError> {
        let state = self.state_at(now);
        if state.is_final() {
            return Err(EndError::AlreadyEnded { state });
        }
        match expected_row_version {
            Some(expected) if expected != self.row_version => {
                Err(EndError::VersionMismatch { found: self.row_version })
            }
            _ => Ok(()),
        }
    }
}
