//! One module for each supplier: `wire` (payload types), `map` (pure: payload to agenda) and
//! `client` (settings, what is declared of it, URL, authentication, paging, when to retry).
//!
//! A provider is its folder, and below its module and its line in the list.

pub mod awattar;
pub mod contract;
mod declaration;
pub mod electricity_maps;
pub mod energy_charts;
pub mod entsoe;
pub mod file_drop;
pub mod nord_pool;
pub mod octopus;
pub mod odre;
mod register;
pub mod rte_tempo;
#[cfg(test)]
mod tests;
mod token;
pub mod uk_carbon_intensity;
pub mod watttime;

use planner::time::Seconds;
use serde::de::DeserializeOwned;

pub use declaration::Declaration;

use crate::feed::{FeedError, Quantity, Role};
use crate::http::Http;
use crate::schedule::Rhythm;

register::register! {
    /// aWATTar: prices.
    awattar as Awattar,
    /// A contract: prices.
    contract as Contract,
    /// Electricity Maps: CO2.
    electricity_maps as ElectricityMaps,
    /// Energy-Charts: prices, CO2.
    energy_charts as EnergyCharts,
    /// ENTSO-E: prices, CO2.
    entsoe as Entsoe,
    /// Files: prices, CO2, power caps.
    file_drop as FileDrop,
    /// Nord Pool: prices.
    nord_pool as NordPool,
    /// Octopus: prices.
    octopus as Octopus,
    /// ODRE eco2mix: CO2.
    odre as Odre,
    /// UK Carbon Intensity: CO2.
    uk_carbon_intensity as UkCarbonIntensity,
    /// `WattTime`: CO2, marginal.
    watttime as Watttime,
}

impl Provider {
    /// The contract, whose prices can be reckoned without asking anybody; `None` for suppliers.
    ///
    /// # Errors
    /// Where the contract is not whole.
    pub fn tariff(&self) -> Result<Option<contract::Tariff>, FeedError> {
        match self {
            Self::Contract(settings) => contract::Tariff::new(settings).map(Some),
            _ => Ok(None),
        }
    }
}

/// Reads a JSON payload; an empty text is a failure that passes.
fn json<T: DeserializeOwned>(text: &str) -> Result<T, FeedError> {
    if text.trim().is_empty() {
        return Err(FeedError::transient("an empty answer"));
    }
    serde_json::from_str(text).map_err(FeedError::json)
}
