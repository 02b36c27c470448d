//! One module for each supplier: `wire` (payload types), `map` (pure: payload to agenda) and
//! `client` (URL, authentication, paging, when to retry).

pub mod awattar;
pub mod contract;
pub mod electricity_maps;
pub mod energy_charts;
pub mod entsoe;
pub mod file_drop;
pub mod nord_pool;
pub mod octopus;
pub mod odre;
pub mod rte_tempo;
mod settings;
pub mod uk_carbon_intensity;
pub mod watttime;

use serde::de::DeserializeOwned;

pub use settings::Provider;

use crate::feed::FeedError;

/// Reads a JSON payload; an empty text is a failure that passes.
fn json<T: DeserializeOwned>(text: &str) -> Result<T, FeedError> {
    if text.trim().is_empty() {
        return Err(FeedError::transient("an empty answer"));
    }
    serde_json::from_str(text).map_err(FeedError::json)
}
