//! The negotiation with the supplier over OpenADR 3.1: this side is the VEN (virtual end node), the
//! supplier's the VTN (virtual top node).
//!
//! [`Ven`] asks and tells; `wire` takes apart what it is told, [`map`] reads events and [`report`] writes reports, both purely; `push`
//! listens to notifications, and `feed` makes agendas of events feeds like any other. See
//! `docs/FEEDS.md`.

mod client;
mod error;
mod feed;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
pub mod map;
mod pages;
mod push;
pub mod report;
mod settings;
mod ven;
mod wire;

pub use error::VenError;
pub use feed::FeedSettings;
pub use map::{Alert, Available, Fee, Grant, Heard, SupplierWord, Unread};
pub use push::Changes;
pub use report::{PlannedInterval, PowerRequest, QuietSpan, Used};
pub use settings::Settings;
pub use ven::Ven;
