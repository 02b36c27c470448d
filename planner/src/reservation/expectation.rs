//! What is expected now of offers that were made under earlier agendas.

use crate::identity::OfferId;
use crate::quantity::{CarbonMass, Money};
use crate::time::Timestamp;

/// What is expected now of the offers of a reservation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// When it was judged.
    pub evaluated: Timestamp,
    /// The offers that still counted then; none where all was as offered.
    pub offers: Vec<OfferExpectation>,
}

/// What is expected now of an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OfferExpectation {
    /// The id of the offer.
    pub offer: OfferId,
    /// All that it will cost; `None` where the price agenda has a gap now.
    pub cost: Option<Money>,
    /// What it will emit; `None` where the CO2 agenda has a gap now.
    pub co2: Option<CarbonMass>,
    /// Whether the cap is kept throughout; `None` where no cap is known for a part.
    pub cap_kept: Option<bool>,
}

impl Expectation {
    /// Whether the cap is kept with every offer; `None` where that is not known of each.
    pub fn cap_kept(&self) -> Option<bool> {
        let kept: Option<Vec<bool>> = self.offers.iter().map(|offer| offer.cap_kept).collect();
        kept.map(|kept| kept.iter().all(|kept| *kept))
    }

    /// What is expected of one offer alone: others may have been judged before it was chosen. `None`
    /// where it is as offered.
    pub fn of(&self, offer: OfferId) -> Option<&OfferExpectation> {
        self.offers.iter().find(|it| it.offer == offer)
    }
}
