//! What a user asks for.

use crate::decimal::Fraction;
use crate::time::{Seconds, Span, Timestamp};

/// The longest duration a request may have: 1e8 s, some three years.
pub const MAX_DURATION: Seconds = Seconds::new(100_000_000);

/// `nodes` nodes for `duration`, starting between two instants, both included.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// How many nodes, at least one.
    pub nodes: u32,
    /// How long, at least a second.
    pub duration: Seconds,
    /// The first instant it may start.
    pub earliest_start: Timestamp,
    /// The last instant it may start.
    pub latest_start: Timestamp,
    /// How hard the application drives a node between idle (0) and maximum (1), for nodes
    /// without an `alpha` of their own.
    pub utilisation: Option<Fraction>,
}

/// Why a request cannot be planned at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// No nodes asked for.
    #[error("nodes must be at least 1")]
    NoNodes,
    /// No or too much time.
    #[error("duration_s must be between 1 and {} seconds", MAX_DURATION.get())]
    Duration,
    /// The window is reversed.
    #[error("latest_start must not be before earliest_start")]
    Reversed,
    /// The last start ends beyond what can be written.
    #[error("latest_start plus the duration must lie before the year 10000")]
    BeyondCalendar,
    /// The window is over.
    #[error("latest_start is in the past")]
    Past,
}

impl Request {
    /// What is wrong with the request at `now`, all of it.
    pub fn errors(&self, now: Timestamp) -> Vec<RequestError> {
        let rules = [
            (self.nodes == 0, RequestError::NoNodes),
            (self.duration < Seconds::ONE || self.duration > MAX_DURATION, RequestError::Duration),
            (self.latest_start < self.earliest_start, RequestError::Reversed),
            (self.latest_start + self.duration > Timestamp::MAX, RequestError::BeyondCalendar),
            (self.latest_start < now, RequestError::Past),
        ];
        rules.into_iter().filter(|(broken, _)| *broken).map(|(_, error)| error).collect()
    }

    /// The first instant it may start at `now`: a start may not be in the past.
    pub fn earliest_start_at(&self, now: Timestamp) -> Timestamp {
        self.earliest_start.max(now)
    }

    /// Everything a reservation for this request could touch.
    pub fn reach(&self) -> Option<Span> {
        Span::new(self.earliest_start, self.latest_start + self.duration)
    }

    /// The utilisation that decides draws: full where none is given.
    pub fn utilisation_or_full(&self) -> Fraction {
        self.utilisation.unwrap_or(Fraction::ONE)
    }
}
