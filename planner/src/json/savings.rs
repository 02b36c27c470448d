//! Savings as documents.

use serde::Serialize;

use crate::decision::Savings;

/// What one start saves against another; negative where it consumes more.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SavingsDocument {
    /// Joules.
    pub energy_j: f64,
    /// In units of the offer's currency.
    pub cost: f64,
    /// Grams of CO2.
    pub co2_g: f64,
}

impl SavingsDocument {
    pub(super) fn new(saves: Savings) -> Self {
        Self {
            energy_j: saves.energy.as_joules(),
            cost: saves.cost.as_units(),
            co2_g: saves.co2.as_grams(),
        }
    }
}
