//! Octopus Agile and its relatives: retail prices of Great Britain in half-hours.
//!
//! No key. Tomorrow appears at about 16:00 in London and runs to 23:00 there, so that the last hour
//! comes a day later. Products are retired from time to time: those of a family, such as `AGILE`, follow each
//! other.

pub mod catalogue;
mod client;
pub mod map;
pub mod wire;

pub use client::{Client, Settings, TradeDirection};
