//! RTE Tempo: the colour of each day of the French contract of that name.
//!
//! Either with an account (OAuth, client credentials) or from the public page, which says less. The
//! colour of tomorrow is binding from 10:30 in Paris; before, it is a forecast. A day of the tariff
//! lasts from 06:00 to 06:00, whatever the midnights of the payload.
//!
//! Colours become prices by a [contract](super::contract).

mod client;
mod colour;
pub mod map;
pub mod wire;

pub use client::{Access, Client, Settings};
pub use colour::{Announced, Colour, Colours, Share, is_french_holiday, shares};
