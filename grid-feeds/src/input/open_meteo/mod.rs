//! Open-Meteo: the weather at a place, as it was forecast one day before, two days before, and so on to seven.
//!
//! Its interface of previous runs tells both what is to come, by the newest forecast, and what was forecast of the past, since January
//! 2024. No key for uses that are not commercial, up to 10,000 requests a day; others need one. Data under CC BY 4.0.

mod client;
pub mod map;
#[cfg(test)]
mod tests;
pub mod wire;

pub use client::{Settings, fetch};
