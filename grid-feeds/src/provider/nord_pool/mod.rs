//! Nord Pool: day-ahead prices of one delivery area, from the data portal or, with an account, from the data
//! service.
//!
//! One day of Central European Time for each request, also of the auctions of Great Britain; 204 until it is
//! published. The portal needs no key and goes back about two months.

mod client;
pub mod map;
mod market;
#[cfg(test)]
mod tests;
pub mod wire;

pub use client::{Client, DataAccount, Settings};
pub use market::AuctionMarket;
