//! What a user asks for.

use std::iter;

use crate::criterion::Criterion;
use crate::decimal::Fraction;
use crate::filter::NodeFilter;
use crate::slower_states::Speed;
use crate::time::{Seconds, Span, Timestamp};
use crate::tolerance::Tolerance;

/// The longest duration a request may have: 1e8 s, some three years.
pub const MAX_DURATION: Seconds = Seconds::new(100_000_000);

/// The most alternatives a request may list.
pub const MAX_ALTERNATIVES: usize = 8;

/// So many nodes for so long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// How many nodes, at least one.
    pub nodes: u32,
    /// How long, at least a second.
    pub duration: Seconds,
}

/// `nodes` nodes for `duration`, or one of the alternatives, starting between two instants, both
/// included.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// How many nodes, at least one.
    pub nodes: u32,
    /// How long, at least a second.
    pub duration: Seconds,
    /// Other shapes that would do as well, at most [`MAX_ALTERNATIVES`].
    pub alternatives: Vec<Shape>,
    /// The first instant it may start.
    pub earliest_start: Timestamp,
    /// The last instant it may start.
    pub latest_start: Timestamp,
    /// The first instant at which it must be over.
    pub latest_end: Option<Timestamp>,
    /// How hard the application drives a node between idle (0) and maximum (1), for nodes
    /// without an `alpha` of their own.
    pub utilisation: Option<Fraction>,
    /// How much more than the least of a criterion is as good as the least.
    pub tolerances: Tolerances,
    /// The nodes that it may take.
    pub filter: NodeFilter,
    /// The slowest that its nodes may compute; full speed by default. At a slower speed each shape takes
    /// longer ([`Speed::stretched`]).
    pub slowest_speed: Speed,
}

/// A tolerance for each criterion, none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tolerances {
    /// The tolerance of energy.
    pub energy: Tolerance,
    /// The tolerance of cost.
    pub cost: Tolerance,
    /// The tolerance of CO2.
    pub co2: Tolerance,
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
    /// Too many shapes.
    #[error("alternatives must be at most {MAX_ALTERNATIVES}")]
    Alternatives,
    /// The window is reversed.
    #[error("latest_start must not be before earliest_start")]
    Reversed,
    /// The last start ends beyond what can be written.
    #[error("latest_start plus the duration must lie before the year 10000")]
    BeyondCalendar,
    /// The window is over.
    #[error("latest_start is in the past")]
    Past,
    /// The deadline cannot be met.
    #[error("latest_end must be at least the duration after earliest_start")]
    NoRoom,
    /// The deadline can no longer be met.
    #[error("latest_end is less than the duration away")]
    TooLate,
}

impl Request {
    /// A request of one shape without further conditions.
    pub fn new(shape: Shape, earliest_start: Timestamp, latest_start: Timestamp) -> Self {
        Self {
            nodes: shape.nodes,
            duration: shape.duration,
            alternatives: Vec::new(),
            earliest_start,
            latest_start,
            latest_end: None,
            utilisation: None,
            tolerances: Tolerances::default(),
            filter: NodeFilter::default(),
            slowest_speed: Speed::FULL,
        }
    }

    /// All shapes that would do, the request's own first.
    pub fn shapes(&self) -> impl Iterator<Item = Shape> + '_ {
        let own = Shape { nodes: self.nodes, duration: self.duration };
        iter::once(own).chain(self.alternatives.iter().copied())
    }

    /// The last instant at which a reservation of that length may start.
    pub fn latest_start_for(&self, duration: Seconds) -> Timestamp {
        self.latest_end.map_or(self.latest_start, |end| self.latest_start.min(end - duration))
    }

    /// What is wrong with the request at `now`, all of it.
    pub fn errors(&self, now: Timestamp) -> Vec<RequestError> {
        let any = |wrong: &dyn Fn(Shape) -> bool| self.shapes().any(wrong);
        let shortest = self.shapes().map(|shape| shape.duration).min().unwrap_or(self.duration);
        let room = self.latest_end.map_or(Timestamp::MAX, |end| end - shortest);
        let rules = [
            (any(&|shape| shape.nodes == 0), RequestError::NoNodes),
            (any(&|shape| !is_duration(shape.duration)), RequestError::Duration),
            (self.alternatives.len() > MAX_ALTERNATIVES, RequestError::Alternatives),
            (self.latest_start < self.earliest_start, RequestError::Reversed),
            (
                any(&|shape| self.latest_start + shape.duration > Timestamp::MAX),
                RequestError::BeyondCalendar,
            ),
            (self.latest_start < now, RequestError::Past),
            (room < self.earliest_start, RequestError::NoRoom),
            (room < now, RequestError::TooLate),
        ];
        rules.into_iter().filter(|(broken, _)| *broken).map(|(_, error)| error).collect()
    }

    /// The first instant it may start at `now`: a start may not be in the past.
    pub fn earliest_start_at(&self, now: Timestamp) -> Timestamp {
        self.earliest_start.max(now)
    }

    /// Everything a reservation for this request could touch.
    pub fn reach(&self) -> Option<Span> {
        let slowest = |shape: Shape| self.slowest_speed.stretched(shape.duration).min(MAX_DURATION);
        let longest = |shape: Shape| shape.duration.max(slowest(shape));
        let last =
            self.shapes().map(|shape| self.latest_start_for(shape.duration) + longest(shape));
        Span::new(self.earliest_start, last.max()?)
    }

    /// The utilisation that decides draws: full where none is given.
    pub fn utilisation_or_full(&self) -> Fraction {
        self.utilisation.unwrap_or(Fraction::ONE)
    }
}

/// Whether a reservation may be so long.
pub const fn is_duration(duration: Seconds) -> bool {
    duration.get() >= 1 && duration.get() <= MAX_DURATION.get()
}

impl Tolerances {
    /// That of one criterion.
    pub const fn of(&self, criterion: Criterion) -> Tolerance {
        match criterion {
            Criterion::Energy => self.energy,
            Criterion::Cost => self.cost,
            Criterion::Co2 => self.co2,
        }
    }

    /// These, and those of `others` for criteria for which these have none.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        let first = |one: Tolerance, other| if one == Tolerance::default() { other } else { one };
        Self {
            energy: first(self.energy, others.energy),
            cost: first(self.cost, others.cost),
            co2: first(self.co2, others.co2),
        }
    }

    /// Whether there are none.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}
