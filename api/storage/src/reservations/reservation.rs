//! What is written of reservations and asked about them.

use planner::fair_share::ShareFactor;
use planner::identity::{OfferId, ReservationId};
use planner::node_set::NodeSet;
use planner::reservation::{OfferSelector, OfferTerms, ReservationState};
use planner::time::{Span, Timestamp};

use crate::book::PlanBasis;
use crate::identity::SeriesId;

/// A reservation to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewReservation {
    /// Its id.
    pub id: ReservationId,
    /// The name of the user who books.
    pub owner: String,
    /// The project that it is for; empty where it is for none.
    pub project: String,
    /// The request as it was understood, as JSON.
    pub request: String,
    /// What is shown beside the offers, as JSON.
    pub summary: String,
    /// When it was asked for.
    pub created: Timestamp,
    /// Until when its offers are held.
    pub expires: Timestamp,
    /// The lowest gives way first where the site says so.
    pub priority: i64,
    /// How the account that it is for stands; `None` where shares decide nothing.
    pub share_factor: Option<ShareFactor>,
    /// The reservation that ends when an offer of this one is chosen.
    pub replaces: Option<ReservationId>,
    /// Whether its owner wants the nodes given back some time after its last job has ended.
    pub gives_back: bool,
    /// The offers, in the order shown; with none it awaits the supplier.
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
    /// What is offered.
    pub terms: OfferTerms,
    /// The nodes that are held, as ranks in the newest epoch's draw order.
    pub ranks: NodeSet,
}

/// The choice of one of a reservation's offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewChoice {
    /// The reservation.
    pub id: ReservationId,
    /// How the offer is named.
    pub selector: OfferSelector,
    /// The instant that judges whether the offers are held still.
    pub now: Timestamp,
    /// The [`row_version`](planner::reservation::Reservation::row_version) that is expected.
    pub expected_row_version: Option<i64>,
}

/// What a change of a reservation rests on: the reservation as it was read, and the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unchanged {
    /// The reservation.
    pub id: ReservationId,
    /// Its [`row_version`](planner::reservation::Reservation::row_version) as it was read.
    pub row_version: i64,
    /// The book that was planned with.
    pub basis: PlanBasis,
}

/// Other nodes for an offer that holds some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewNodes {
    /// The offer.
    pub offer: OfferId,
    /// From when on; what it holds before stays.
    pub from: Timestamp,
    /// What it holds from then on: spans that follow one another, and nodes as ranks in the newest
    /// epoch's draw order.
    pub holdings: Vec<(Span, NodeSet)>,
    /// The terms of the offer with these nodes.
    pub terms: OfferTerms,
}

/// A later end for a reservation that was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEnd {
    /// The chosen offer.
    pub offer: OfferId,
    /// Until when it held its nodes.
    pub before: Timestamp,
    /// The terms of the offer with its later end.
    pub terms: OfferTerms,
    /// What is stored beside the offers from now on; `None` where that stays.
    pub summary: Option<String>,
}

/// Another owner of a reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewOwner<'a> {
    /// Their name.
    pub owner: &'a str,
    /// How their account stands; `None` where shares decide nothing.
    pub share_factor: Option<ShareFactor>,
}

/// Other words for a reservation, on which no node and no power depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewWords<'a> {
    /// The request as it was understood, as JSON.
    pub request: &'a str,
    /// The project that it is for; empty where it is for none.
    pub project: &'a str,
    /// How the account that it is for stands.
    pub share_factor: Option<ShareFactor>,
    /// What it rests on where quotas count it otherwise than before.
    pub basis: Option<PlanBasis>,
}

/// Another request for a reservation, and what is possible for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Modification {
    /// The request as it was understood, as JSON.
    pub request: String,
    /// The project that it is for; empty where it is for none.
    pub project: String,
    /// How the account that it is for stands; `None` where shares decide nothing.
    pub share_factor: Option<ShareFactor>,
    /// What is shown beside the offers, as JSON.
    pub summary: String,
    /// The lowest gives way first where the site says so.
    pub priority: i64,
    /// Whether its owner wants the nodes given back some time after its last job has ended.
    pub gives_back: bool,
    /// The offers, in the order shown.
    pub offers: Vec<NewOffer>,
    /// What becomes of them.
    pub then: AfterModification,
}

/// What becomes of the new offers of a modified reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterModification {
    /// They are held until an instant; the reservation is proposed before and after.
    HeldUntil(Timestamp),
    /// One of them takes the place of the chosen one; the reservation is confirmed before and after.
    Chosen(OfferId),
}

/// Which reservations to list; everything absent lets all pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// The name of the user whose they are.
    pub owner: Option<String>,
    /// Only those that somebody sees.
    pub seen_by: Option<SeenBy>,
    /// The project that they are for.
    pub project: Option<String>,
    /// Occurrences of this series.
    pub series: Option<SeriesId>,
    /// In one of these states, by the row; empty lets all pass.
    pub states: Vec<ReservationState>,
    /// The chosen span, or before the choice an offer's, ends after this.
    pub from: Option<Timestamp>,
    /// The chosen span, or before the choice an offer's, starts before this.
    pub to: Option<Timestamp>,
    /// The newest first, and a page's end leads to older ones.
    pub newest: bool,
}

/// Somebody who sees what is theirs, what is some projects', and what is shared with them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenBy {
    /// Their name.
    pub owner: String,
    /// The projects.
    pub projects: Vec<String>,
    /// The projects that they are in: what is shared with these is shared with them.
    pub member_of: Vec<String>,
}

/// A reservation that the clock moved on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advanced {
    /// The reservation.
    pub id: ReservationId,
    /// The state that it is in now.
    pub state: ReservationState,
}
