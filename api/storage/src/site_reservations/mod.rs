//! Reservations at other sites, as they were asked for here.
//!
//! A row is written before the other site is asked, with the key under which it books once: whoever goes on after a crash or a lost answer asks
//! under the same key. Whoever changes one says which version of it they read: of two at once the second has to look again.

mod repository;
mod row;
pub mod sql;

use planner::identity::{OfferId, ReservationId};
use planner::time::Timestamp;

use crate::identity::SiteReservationId;
use crate::words::worded;

worded! {
    /// Where a reservation at another site stands, as far as this site knows.
    SiteReservationState {
        /// The other site was asked or is about to be: what it did is not known.
        Asked = "asked",
        /// It holds the offer, which has yet to be confirmed.
        Held = "held",
        /// It is booked there.
        Confirmed = "confirmed",
        /// It is not booked there: `because` says why.
        Refused = "refused",
        /// It is to be cancelled there.
        Cancelling = "cancelling",
        /// It is cancelled there.
        Cancelled = "cancelled",
    }
}

worded! {
    /// Why nothing is booked at another site, or no more.
    SiteReservationReason {
        /// The site offered something else when it was asked to book.
        OfferChanged = "offer_changed",
        /// The site does not do it.
        Refused = "refused",
        /// The site could not be asked.
        NotAsked = "not_asked",
        /// The site did not answer for too long.
        GivenUp = "given_up",
        /// Somebody cancelled it from here.
        CancelledHere = "cancelled_here",
    }
}

/// A reservation at another site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteReservation {
    /// Its id, of version 7, and the key under which the other site makes it once.
    pub id: SiteReservationId,
    /// The user who asked for it.
    pub owner: String,
    /// The other site, by its name in the settings.
    pub site: String,
    /// Where it stands.
    pub state: SiteReservationState,
    /// The key under which it was asked for here; none where there was none.
    pub asked_key: Option<String>,
    /// Digest of what it was asked for with.
    pub asked_digest: String,
    /// What was asked for and offered, as JSON.
    pub asked: String,
    /// What is sent to the other site, as JSON.
    pub sent: String,
    /// What the other site said that it comes to, as JSON.
    pub told: Option<String>,
    /// The reservation there.
    pub reservation: Option<ReservationId>,
    /// The offer of it.
    pub offer: Option<OfferId>,
    /// The state of the reservation there when it was last told.
    pub state_there: Option<String>,
    /// Why nothing is booked, or no more; `None` while nothing went wrong.
    pub reason: Option<SiteReservationReason>,
    /// Why it stands as it does, in words.
    pub because: Option<String>,
    /// When it was asked for.
    pub created: Timestamp,
    /// When something was last heard of it.
    pub changed: Timestamp,
    /// Grows with each change.
    pub row_version: i64,
}
