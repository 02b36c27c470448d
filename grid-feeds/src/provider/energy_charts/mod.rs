//! Energy-Charts (Fraunhofer ISE): day-ahead prices of a bidding zone, CO2 of a country.
//!
//! No key. About two requests a second, else 429. Licences differ by zone: the answer names its
//! own, and some are for private or internal use only.

mod client;
pub mod map;
pub mod wire;

pub use client::{Client, Settings};
