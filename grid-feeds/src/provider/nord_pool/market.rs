//! Auctions: their names and when they are published.

use crate::schedule::Rhythm;

/// A day-ahead auction, by the name that the supplier has for it. The delivery day of each is one of Central
/// European Time: in London from 23:00 to 23:00.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
pub enum AuctionMarket {
    /// The coupled auction of Europe, in quarter-hours.
    #[default]
    #[serde(rename = "DayAhead")]
    DayAhead,
    /// The hourly auction of Great Britain.
    #[serde(rename = "N2EX_DayAhead")]
    N2ex,
    /// The half-hourly auction of Great Britain, in the afternoon.
    #[serde(rename = "GbHalfHour_DayAhead")]
    GbHalfHour,
}

impl AuctionMarket {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::DayAhead => "DayAhead",
            Self::N2ex => "N2EX_DayAhead",
            Self::GbHalfHour => "GbHalfHour_DayAhead",
        }
    }

    /// When the auction of the next day is published.
    pub(super) fn rhythm(self) -> Rhythm {
        match self {
            Self::DayAhead => Rhythm::daily("Europe/Berlin", &["12:55"]),
            Self::N2ex => Rhythm::daily("Europe/London", &["10:00"]),
            Self::GbHalfHour => Rhythm::daily("Europe/Berlin", &["15:35"]),
        }
    }
}
