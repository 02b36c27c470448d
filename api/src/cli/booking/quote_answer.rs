//! What the service answers to quotes.

use serde::Deserialize;

use super::answers::{LearntAnswer, Offer, ReasonAnswer, StandingAnswer};
use super::co2_words::Co2Words;

/// The answer to a quote, as far as it is shown.
#[derive(Deserialize)]
pub struct QuoteAnswer {
    pub offers: Vec<Offer>,
    pub compromise: Option<Offer>,
    #[serde(flatten)]
    pub co2: Co2Words,
    pub reasons: Vec<ReasonAnswer>,
    pub learnt_utilisation: Option<LearntAnswer>,
    pub standing: Option<StandingAnswer>,
}

impl QuoteAnswer {
    /// With the compromise among the offers, in time order, as reservations hold it where that is asked for.
    pub fn with_compromise(mut self) -> Self {
        let Some(mut compromise) = self.compromise.take() else { return self };
        compromise.compromise = true;
        let is_it = |it: &&mut Offer| {
            it.start == compromise.start && it.node_count == compromise.node_count
        };
        if let Some(offer) = self.offers.iter_mut().find(is_it) {
            offer.compromise = true;
            return self;
        }
        let place = self.offers.partition_point(|it| it.start <= compromise.start);
        self.offers.insert(place, compromise);
        self
    }
}
