//! The supplier's and the meters' side: agendas, nodes and power samples in, as tables or JSON.
//!
//! [`provider`] asks suppliers for agendas, [`plausibility`] judges what they say, [`compose`] makes
//! one agenda of several sources, [`agreement`] says where these disagree and who was right, and
//! [`forecast`] continues it. [`carbon_ahead`] estimates CO2 from forecasts of generation. All but the
//! providers' clients is pure: texts in, values or errors with their places out; time and chance are arguments.

pub mod agreement;
mod archive;
mod beside;
pub mod carbon_ahead;
pub mod compose;
pub mod demonstration;
pub mod feed;
pub mod forecast;
pub mod http;
pub mod input;
mod local_time;
mod measurement;
pub mod plausibility;
mod power_sample;
pub mod provider;
pub mod reach;
mod redirects;
pub mod schedule;
pub mod table;
pub mod webhook;

pub use measurement::{SentSample, measurements_json};
pub use power_sample::power_samples_json;
