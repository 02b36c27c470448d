//! The criteria by which starts are compared. One file each.

mod co2;
mod cost;
mod energy;

use crate::quantity::{CarbonMass, Energy, Money};

/// What one start would consume, exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Values {
    /// Energy, `D * sum(alpha_i * Pmax_i)`.
    pub energy: Energy,
    /// Cost, `(E / D) * integral of the price`.
    pub cost: Money,
    /// CO2, `(E / D) * integral of the intensity`.
    pub co2: CarbonMass,
}

/// A quantity to minimise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Criterion {
    /// Energy, in joules.
    Energy,
    /// Cost, in the site's currency.
    Cost,
    /// Mass of CO2, in grams.
    Co2,
}

impl Criterion {
    /// All of them; each stands at its own index.
    pub const ALL: [Self; 3] = [Self::Energy, Self::Cost, Self::Co2];

    /// The word used in rankings.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Energy => energy::WORD,
            Self::Cost => cost::WORD,
            Self::Co2 => co2::WORD,
        }
    }

    /// The exact value to minimise; comparable only with values of the same criterion and plan.
    pub const fn exact(self, values: &Values) -> i128 {
        match self {
            Self::Energy => energy::exact(values),
            Self::Cost => cost::exact(values),
            Self::Co2 => co2::exact(values),
        }
    }
}
