//! Terna: what Italy generated, by kind, from which CO2 follows.
//!
//! An account. Days and times are those of Italy's clock, with the offset beside each time. Values come days late and may be
//! revised. All heat is one kind; what producers consume themselves is another, which does not count.

mod client;
pub mod map;
#[cfg(test)]
mod tests;
pub mod wire;

pub use client::{Client, Settings};
