//! What a job came to by the supplier's tables.

use planner::quantity::Power;

/// What a job came to. What is not known is none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JobSupply {
    /// What it was taken to draw.
    pub predicted_power: Option<Power>,
    /// What its energy cost, in the currency of the prices.
    pub cost: Option<f64>,
    /// What its energy emitted, g.
    pub co2_g: Option<f64>,
    /// What its window saved, in the currency of the prices, or in g where jobs are shifted by CO2; below nothing where it cost more.
    pub saved: Option<f64>,
    /// What its user is credited of that.
    pub credit: Option<f64>,
}
