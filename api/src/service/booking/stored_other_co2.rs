//! What offers emit by the accounting that is not planned by, as it is stored beside them.

use planner::decision::Offer;
use planner::identity::OfferId;
use planner::json::co2_accounting::Co2AccountingDocument;
use planner::quantity::{CarbonMass, Energy};
use planner::reservation::HeldOffer;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::service::shared::OtherCo2;

/// CO2 of offers by the other accounting, as it was known when they were made.
#[derive(Debug, Serialize, Deserialize)]
pub struct StoredOtherCo2 {
    /// How it is counted.
    pub co2_accounting: Co2AccountingDocument,
    offers: Vec<OtherCo2OfOffer>,
}

/// What one offer emits. It counts as long as the offer takes as much energy as then: not once it was extended, or got other
/// nodes.
#[derive(Debug, Serialize, Deserialize)]
struct OtherCo2OfOffer {
    offer_id: Uuid,
    energy_j: f64,
    co2_g: f64,
}

impl StoredOtherCo2 {
    /// Of the offers of a decision; those for which it is not known throughout are left out.
    pub(super) fn new<'a>(
        other: &OtherCo2,
        offers: impl Iterator<Item = (OfferId, &'a Offer)>,
    ) -> Self {
        let of_offer = |(id, offer): (OfferId, &Offer)| {
            let co2_g = other.of(offer).map(CarbonMass::as_grams)?;
            let energy_j = offer.values.energy.as_joules();
            Some(OtherCo2OfOffer { offer_id: id.as_uuid(), energy_j, co2_g })
        };
        let offers = offers.filter_map(of_offer).collect();
        Self { co2_accounting: other.accounting.document(), offers }
    }

    /// What an offer emits by it, grams; `None` where that was not known, or the offer is another one since.
    pub fn of(&self, offer: &HeldOffer) -> Option<f64> {
        let stored = self.offers.iter().find(|it| it.offer_id == offer.id.as_uuid())?;
        is_same(stored.energy_j, offer.terms.values.energy).then_some(stored.co2_g)
    }
}

/// Whether an energy is what was written of it: documents keep 15 digits at least.
fn is_same(written_j: f64, energy: Energy) -> bool {
    let now_j = energy.as_joules();
    (now_j - written_j).abs() <= 1e-12 * written_j.abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kilowatt-hour is 3.6 MJ. An extension by a second at 1 kW adds 1,000 J.
    #[test]
    fn an_offer_is_another_one_once_its_energy_differs() {
        let energy = |joules| Energy::from_joules(joules).unwrap();
        assert!(is_same(3.6e6, energy(3.6e6)));
        assert!(!is_same(3.6e6, energy(3.601e6)));
    }
}
