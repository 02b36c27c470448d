//! What a reservation is: its states and what may follow them, its offers with exact amounts, what its
//! owner is told, and who may do what with it.
//!
//! Everything here is a value; storing it and writing it as JSON are others' tasks.

mod choice;
mod expectation;
mod notice;
mod offer;
mod role;
mod sharing;
mod state;

use crate::fair_share::ShareFactor;
use crate::identity::{OfferId, ReservationId};
use crate::time::{Span, Timestamp};

pub use choice::{Choice, ChoiceRefused, EndRefused, OfferSelector};
pub use expectation::{Expectation, OfferExpectation};
pub use notice::{
    Degradation, LostNodes, Notice, NoticeKind, Rejection, ReplacedNodes, ToldOutage, Withdrawal,
};
pub use offer::{AddedAmounts, HeldOffer, MAX_NAMES, NamedNodes, OfferTerms};
pub use role::Role;
pub use sharing::{Receiver, SharedRight, SharedWith};
pub use state::{Ending, ReservationState};

/// A reservation as it was last written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// Sorts by creation.
    pub id: ReservationId,
    /// The name of the user whose it is.
    pub owner: String,
    /// The project that it is for; empty where it is for none.
    pub project: String,
    /// The state that was written; see [`Self::state_at`].
    pub state: ReservationState,
    /// Whether what was promised no longer holds.
    pub degraded: bool,
    /// The request as it was understood, as JSON.
    pub request: String,
    /// When it was asked for.
    pub created: Timestamp,
    /// Until when its offers are held, or until when it waits for the supplier.
    pub expires: Timestamp,
    /// The chosen offer and its span.
    pub chosen: Option<(OfferId, Span)>,
    /// What is shown beside the offers, as JSON; nothing is decided by it.
    pub summary: String,
    /// Grows with every change of the reservation.
    pub row_version: i64,
    /// When an offer was chosen.
    pub confirmed: Option<Timestamp>,
    /// The lowest gives way first where the site says so.
    pub priority: i64,
    /// How the account that it is for stood when it was asked for; `None` where shares decided nothing.
    pub share_factor: Option<ShareFactor>,
    /// The reservation that ends when an offer of this one is chosen.
    pub replaces: Option<ReservationId>,
    /// Whether its owner wants the nodes given back some time after its last job has ended.
    pub gives_back: bool,
    /// What its owner is to know.
    pub notice: Option<Notice>,
    /// With whom it is shared: users by name, then projects.
    pub shared_with: Vec<SharedWith>,
    /// The offers in the order in which they are shown.
    pub offers: Vec<HeldOffer>,
}

impl Reservation {
    /// The state at `now`, whether or not it was written yet.
    pub fn state_at(&self, now: Timestamp) -> ReservationState {
        self.state.moved_on(now, self.expires, self.chosen.map(|(_, span)| span))
    }

    /// The offer that was chosen; `None` before that.
    pub fn chosen_offer(&self) -> Option<&HeldOffer> {
        let (chosen, _) = self.chosen?;
        self.offers.iter().find(|offer| offer.id == chosen)
    }

    /// The offers that still count: the chosen one, or all that are held.
    pub fn counting_offers(&self) -> impl Iterator<Item = &HeldOffer> {
        let chosen = self.chosen.map(|(id, _)| id);
        self.offers.iter().filter(move |offer| chosen.is_none_or(|chosen| offer.id == chosen))
    }

    /// Whether it is degraded for want of power, as its owner was told.
    pub fn lacks_power(&self) -> bool {
        self.degraded && self.notice.as_ref().is_some_and(Notice::tells_of_lost_power)
    }
}
