//! A reservation as the site says that it is, where it was made.

use serde::Deserialize;
use uuid::Uuid;

use super::figures::Figures;

/// A reservation of another site, as far as it counts here.
#[derive(Deserialize)]
pub(super) struct ReservationThere {
    pub(super) id: Uuid,
    pub(super) state: String,
    #[serde(default)]
    offers: Vec<OfferThere>,
    chosen_offer_id: Option<Uuid>,
}

/// One of its offers.
#[derive(Deserialize)]
pub(super) struct OfferThere {
    #[serde(rename = "offer_id")]
    pub(super) id: Uuid,
    #[serde(flatten)]
    pub(super) figures: Figures,
}

impl ReservationThere {
    pub(super) fn read(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| {
            format!("does not answer as a Wattbook of this version does ({error})")
        })
    }

    /// The offer that is as good as what was offered before; else in what that which comes nearest is worse.
    pub(super) fn as_good_as(&self, offered: &Figures) -> Result<&OfferThere, Vec<String>> {
        let judged = self.offers.iter().map(|it| (it, it.figures.worse_than(offered)));
        match judged.min_by_key(|(_, worse)| worse.len()) {
            Some((offer, worse)) if worse.is_empty() => Ok(offer),
            Some((_, worse)) => Err(worse),
            None => Err(vec!["it has no offers any more".to_owned()]),
        }
    }

    /// The offer that is booked.
    pub(super) fn chosen(&self) -> Option<&OfferThere> {
        let id = self.chosen_offer_id?;
        self.offers.iter().find(|offer| offer.id == id)
    }
}
