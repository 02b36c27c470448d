//! Nord Pool's data portal: day-ahead prices of one delivery area.
//!
//! No key. One day of Central European Time for each request; 204 until it is published.

mod client;
pub mod map;
pub mod wire;

pub use client::{Client, Settings};
