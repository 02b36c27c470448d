//! The rules of choosing an offer and of ending a reservation.

use super::{HeldOffer, Reservation, ReservationState};
use crate::identity::OfferId;
use crate::preference::Preference;
use crate::time::{Span, Timestamp};

/// Names one of a reservation's offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfferSelector {
    /// By id.
    Offer(OfferId),
    /// The first of those that are chosen by this.
    Preferred(Preference),
}

/// What a choice does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Takes the offer.
    Take(OfferId, Span),
    /// Nothing: it was chosen before.
    TakenBefore,
}

/// Why an offer cannot be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChoiceRefused {
    /// The hold, or the offer's span, is over.
    #[error("the offers were held until {expired}")]
    Expired {
        /// Since when.
        expired: Timestamp,
    },
    /// The reservation's state admits no choice.
    #[error("the reservation is {}, not proposed", state.word())]
    NotProposed {
        /// Its state.
        state: ReservationState,
    },
    /// The reservation has no such offer.
    #[error("the reservation has no such offer")]
    UnknownOffer,
    /// The reservation changed since it was read.
    #[error("the reservation changed since it was read (row version now {found})")]
    VersionMismatch {
        /// The version it has.
        found: i64,
    },
}

/// Why a reservation cannot be ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndRefused {
    /// It has ended already.
    #[error("the reservation has ended: it is {}", state.word())]
    AlreadyEnded {
        /// The state in which it ended.
        state: ReservationState,
    },
    /// The reservation changed since it was read.
    #[error("the reservation changed since it was read (row version now {found})")]
    VersionMismatch {
        /// The version it has.
        found: i64,
    },
}

impl Reservation {
    /// The offer a selector names.
    pub fn offer(&self, selector: OfferSelector) -> Option<&HeldOffer> {
        self.offers.iter().find(|offer| match selector {
            OfferSelector::Offer(id) => offer.id == id,
            OfferSelector::Preferred(preference) => offer.terms.is_preferred_by(preference),
        })
    }

    /// What choosing an offer does at `now`.
    ///
    /// What was chosen before is a success whatever row version the caller expects: who sends a
    /// choice again because the answer was lost cannot know the version the first one made.
    ///
    /// # Errors
    /// `Expired`, `NotProposed`, `UnknownOffer`, or `VersionMismatch` where another row version is
    /// expected.
    pub fn choice(
        &self,
        selector: OfferSelector,
        now: Timestamp,
        expected_row_version: Option<i64>,
    ) -> Result<Choice, ChoiceRefused> {
        let state = self.state_at(now);
        let offer = self.offer(selector);
        let chosen_before = self.chosen.map(|(id, _)| id);
        match state {
            ReservationState::Confirmed | ReservationState::Active
                if offer.is_some() && offer.map(|offer| offer.id) == chosen_before =>
            {
                return Ok(Choice::TakenBefore);
            }
            ReservationState::Expired => {
                return Err(ChoiceRefused::Expired { expired: self.expires });
            }
            state if state.may_become(ReservationState::Confirmed) => {}
            state => return Err(ChoiceRefused::NotProposed { state }),
        }
        if expected_row_version.is_some_and(|expected| expected != self.row_version) {
            return Err(ChoiceRefused::VersionMismatch { found: self.row_version });
        }
        let HeldOffer { id, terms } = offer.ok_or(ChoiceRefused::UnknownOffer)?;
        // A start may have passed while the offer was held; once the end has, nothing is left.
        if terms.span.end() <= now {
            return Err(ChoiceRefused::Expired { expired: terms.span.end() });
        }
        Ok(Choice::Take(*id, terms.span))
    }

    /// Whether the reservation may be ended at `now`.
    ///
    /// # Errors
    /// `AlreadyEnded`, or `VersionMismatch` where another row version is expected.
    pub fn may_end(
        &self,
        now: Timestamp,
        expected_row_version: Option<i64>,
    ) -> Result<(), EndRefused> {
        let state = self.state_at(now);
        if state.is_final() {
            return Err(EndRefused::AlreadyEnded { state });
        }
        match expected_row_version {
            Some(expected) if expected != self.row_version => {
                Err(EndRefused::VersionMismatch { found: self.row_version })
            }
            _ => Ok(()),
        }
    }
}
