//! One module for each supplier: `wire` (payload types), `map` (pure: payload to agenda) and
//! `client` (settings, what is declared of it, URL, authentication, paging, when to retry).
//!
//! A provider is its folder, and below its module and its line in the list.

pub mod aemo;
mod american;
pub mod awattar;
pub mod caiso;
pub mod contract;
mod declaration;
pub mod eia;
pub mod electricity_maps;
pub mod elexon;
pub mod energinet;
pub mod energy_charts;
pub mod entsoe;
pub mod ercot;
pub mod file_drop;
mod generation;
pub mod iso_ne;
pub mod japan_area;
mod japanese;
pub mod jepx;
pub mod miso;
pub mod nord_pool;
pub mod nyiso;
pub mod octopus;
pub mod odre;
pub mod openelectricity;
pub mod pjm;
mod plain_client;
mod register;
pub mod rte_eco2mix;
pub mod rte_tempo;
pub mod smard;
pub mod spp;
pub mod terna;
#[cfg(test)]
mod tests;
mod token;
pub mod uk_carbon_intensity;
pub mod watttime;

use planner::time::Seconds;
use serde::de::DeserializeOwned;

pub use declaration::Declaration;
pub use plain_client::PlainClient;

use crate::feed::{FeedError, Quantity, Role};
use crate::http::Http;
use crate::schedule::Rhythm;

register::register! {
    /// AEMO: expected prices.
    aemo as Aemo,
    /// aWATTar: prices.
    awattar as Awattar,
    /// California ISO: prices.
    caiso as Caiso,
    /// A contract: prices.
    contract as Contract,
    /// EIA: CO2.
    eia as Eia,
    /// Electricity Maps: CO2.
    electricity_maps as ElectricityMaps,
    /// Elexon: prices, CO2.
    elexon as Elexon,
    /// Energinet: prices, CO2.
    energinet as Energinet,
    /// Energy-Charts: prices, CO2.
    energy_charts as EnergyCharts,
    /// ENTSO-E: prices, CO2.
    entsoe as Entsoe,
    /// ERCOT: prices.
    ercot as Ercot,
    /// Files: prices, CO2, power caps.
    file_drop as FileDrop,
    /// ISO New England: prices.
    iso_ne as IsoNe,
    /// Grid companies of Japan: CO2.
    japan_area as JapanArea,
    /// JEPX: prices.
    jepx as Jepx,
    /// MISO: prices.
    miso as Miso,
    /// Nord Pool: prices.
    nord_pool as NordPool,
    /// NYISO: prices.
    nyiso as Nyiso,
    /// Octopus: prices.
    octopus as Octopus,
    /// ODRE eco2mix: CO2.
    odre as Odre,
    /// Open Electricity: prices, CO2.
    openelectricity as Openelectricity,
    /// PJM: prices.
    pjm as Pjm,
    /// Southwest Power Pool: prices.
    spp as Spp,
    /// RTE eco2mix: CO2.
    rte_eco2mix as RteEco2mix,
    /// SMARD: prices, CO2.
    smard as Smard,
    /// Terna: CO2.
    terna as Terna,
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
pub(crate) fn json<T: DeserializeOwned>(text: &str) -> Result<T, FeedError> {
    if text.trim().is_empty() {
        return Err(FeedError::transient("an empty answer"));
    }
    serde_json::from_str(text).map_err(FeedError::json)
}
