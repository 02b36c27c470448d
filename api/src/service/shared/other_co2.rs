//! CO2 as the site does not plan by it: marginal where it plans by average intensities, and average where by marginal ones.
//!
//! It is for comparison alone. Each process keeps it in memory, composed of what the sources said that the settings name
//! for it (`[agendas.co2] other`).

use std::sync::{Arc, PoisonError, RwLock};

use planner::agenda::RateAgenda;
use planner::decision::{Decision, Offer};
use planner::json::decision::DecisionDocument;
use planner::quantity::{CarbonIntensity, CarbonMass};

use super::provenance::{Co2Accounting, KnownPiece, power_of_offer};
use super::rates::{RatesError, rates};

/// The intensities of the other accounting from now on.
#[derive(Debug)]
pub struct OtherCo2 {
    /// How they are counted.
    pub accounting: Co2Accounting,
    rates: RateAgenda<CarbonIntensity>,
}

/// What is known of it; nothing where the settings name no sources.
#[derive(Debug, Default)]
pub struct KeptOtherCo2(RwLock<Option<Arc<OtherCo2>>>);

impl OtherCo2 {
    /// Of pieces in order.
    ///
    /// # Errors
    /// A value that is no intensity; pieces that overlap.
    pub fn new(accounting: Co2Accounting, known: &[KnownPiece]) -> Result<Self, RatesError> {
        let pieces = known.iter().map(|it| it.piece);
        Ok(Self { accounting, rates: rates(pieces, CarbonIntensity::from_millionths_g_per_kwh)? })
    }

    /// What an offer emits by it; `None` where an intensity is not known throughout.
    pub fn of(&self, offer: &Offer) -> Option<CarbonMass> {
        let intensity = self.rates.integral(offer.span)?;
        Some(power_of_offer(offer).times_intensity(intensity))
    }

    /// Tells of a decision what its offers emit by it.
    pub fn tell(&self, decision: &Decision, document: &mut DecisionDocument) {
        document.other_co2_accounting = Some(self.accounting.document());
        let all = decision.offers().iter().zip(&mut document.offers);
        let all = all.chain(decision.pareto.iter().zip(&mut document.pareto));
        let all =
            all.chain(decision.as_soon_as_possible.iter().zip(&mut document.as_soon_as_possible));
        let all = all.chain(decision.compromise().into_iter().zip(&mut document.compromise));
        for (offer, told) in all {
            told.other_co2_g = self.of(offer).map(CarbonMass::as_grams);
        }
    }
}

impl KeptOtherCo2 {
    /// What is known of it now.
    pub fn known(&self) -> Option<Arc<OtherCo2>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Keeps what became known.
    pub fn keep(&self, known: OtherCo2) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(known));
    }
}
