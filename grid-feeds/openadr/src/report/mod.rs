//! What this site says to the supplier, as reports: pure.
//!
//! A report answers an event, which some servers do not delete as long as it has reports. So it
//! answers the newest open one that asks for it by a report descriptor, else the newest open one
//! that neither limits nor grants power nor warns; else none. One whose event is over, or that is
//! over itself, is taken away.

mod content;
#[cfg(test)]
mod tests;

use openleadr_wire::report::ReportType;
use planner::quantity::{Energy, Power};
use planner::time::{Span, Timestamp};

pub use content::Contents;

use crate::map::{Fee, commands, ends_after};
use crate::wire::{Event, SentReport};

/// What is planned for a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedInterval {
    /// The interval.
    pub span: Span,
    /// The most that may be drawn.
    pub reserved_max: Power,
    /// What is expected to be drawn on average, idle nodes included.
    pub expected: Power,
}

/// A span in which little will be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuietSpan {
    /// The span in which little is drawn.
    pub span: Span,
    /// What is expected to be drawn.
    pub power: Power,
    /// How much less than usual that is.
    pub less: Power,
}

/// Power that is asked for beyond what we may draw; each is a request of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PowerRequest {
    /// The time for which it is asked for.
    pub span: Span,
    /// The power beyond what we may draw.
    pub power: Power,
    /// The most that it may cost for each kW; nothing unless given.
    pub fee_limit: Option<Fee>,
}

/// What was drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Used {
    /// The time in which it was drawn.
    pub span: Span,
    /// The energy that was drawn.
    pub energy: Energy,
    /// Whether it is an estimate rather than a measurement.
    pub estimated: bool,
}

/// The kinds of reports, each of which has one name for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReportKind {
    /// What is planned.
    Plan,
    /// Spans in which little will be drawn.
    Quiet,
    /// Requests for more power.
    Request,
    /// What was drawn.
    Usage,
}

impl ReportKind {
    /// The report's name: an earlier one of this name is replaced.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plan => "wattbook-plan",
            Self::Quiet => "wattbook-quiet",
            Self::Request => "wattbook-request",
            Self::Usage => "wattbook-usage",
        }
    }

    /// The kind of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let all = [Self::Plan, Self::Quiet, Self::Request, Self::Usage];
        all.into_iter().find(|kind| kind.name() == name)
    }

    /// The payload type that it is known by.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Plan => "USAGE_FORECAST",
            Self::Quiet => "LOAD_SHED_DELTA_AVAILABLE",
            Self::Request => "IMPORT_RESERVATION_CAPACITY",
            Self::Usage => "USAGE",
        }
    }

    /// Whether a request for reports of this type is a request for this one. The user guide asks
    /// for reservations by other words than the table of definitions has.
    fn answers(self, asked: &ReportType) -> bool {
        match self {
            Self::Plan => matches!(asked, ReportType::UsageForecast | ReportType::Demand),
            Self::Quiet => matches!(
                asked,
                ReportType::LoadShedDeltaAvailable | ReportType::DownRegulationAvailable
            ),
            Self::Request => match asked {
                ReportType::ImportReservationCapacity => true,
                ReportType::Private(word) => {
                    word == "IMPORT_CAPACITY_RESERVATION" || word == "CAPACITY_RESERVATION"
                }
                _ => false,
            },
            Self::Usage => matches!(asked, ReportType::Usage),
        }
    }

    /// The event that a report of this kind answers.
    pub(crate) fn event<'e>(self, ranked: &[&'e Event], now: Timestamp) -> Option<&'e Event> {
        let fit = ranked.iter().filter(|event| self.may_answer(event, now));
        let best = |event: &&&Event| {
            (self.is_asked_by(event), !commands(event), event.order(), event.id.clone())
        };
        fit.max_by_key(best).copied()
    }

    /// Whether a report of this kind may be left with an event.
    pub(crate) fn may_answer(self, event: &Event, now: Timestamp) -> bool {
        is_open(event, now) && (self.is_asked_by(event) || !commands(event))
    }

    fn is_asked_by(self, event: &Event) -> bool {
        event.asks_for.iter().any(|asked| self.answers(asked))
    }

    /// Whether a report of this kind says nothing of the time from now on, and should.
    pub(crate) fn is_over(self, report: &SentReport, now: Timestamp) -> bool {
        self != Self::Usage && report.spans.iter().all(|span| span.end() <= now)
    }
}

/// Whether an event is not over: it has an interval that has not ended, or none at all.
fn is_open(event: &Event, now: Timestamp) -> bool {
    event.intervals.as_ref().is_ok_and(Vec::is_empty) || ends_after(event, now)
}
