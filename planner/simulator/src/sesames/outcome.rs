//! What became of a request under a policy.

use planner::criterion::Values;
use planner::decision::{Decision, Offer, ReasonCode};
use planner::quantity::Power;
use planner::time::{Seconds, Span};

/// What became of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestOutcome {
    /// It was reserved.
    Scheduled(Scheduled),
    /// No start was feasible, for this cause.
    Unsuccessful(ReasonCode),
}

/// A reservation that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scheduled {
    /// When.
    pub span: Span,
    /// On how many nodes.
    pub nodes: u32,
    /// Energy, cost and CO2.
    pub values: Values,
    /// The sum of the nodes' maximum power.
    pub peak_power: Power,
    /// From the request's earliest start.
    pub start_lag: Seconds,
}

impl RequestOutcome {
    /// The reservation, where one was made.
    pub const fn scheduled(&self) -> Option<&Scheduled> {
        match self {
            Self::Scheduled(scheduled) => Some(scheduled),
            Self::Unsuccessful(_) => None,
        }
    }

    /// The cause, where none was made.
    pub const fn cause(&self) -> Option<ReasonCode> {
        match self {
            Self::Scheduled(_) => None,
            Self::Unsuccessful(cause) => Some(*cause),
        }
    }
}

impl Scheduled {
    pub(super) fn of(offer: &Offer, start_lag: Seconds) -> Self {
        Self {
            span: offer.span,
            nodes: offer.ranks.count(),
            values: offer.values,
            peak_power: offer.peak_power,
            start_lag,
        }
    }
}

/// Why an impossible request is unsuccessful, as one cause.
///
/// The paper counts requests, the planner excluded starts. The cause is the power cap if any start
/// had enough nodes, which is what a start excluded by the cap tells; else the nodes; and the
/// agendas only where no start got as far as being tested for nodes.
pub(super) fn cause(decision: &Decision) -> ReasonCode {
    let codes = decision.reasons.iter().map(|reason| reason.code);
    codes
        .max_by_key(|code| match code {
            ReasonCode::AgendaGap => 0,
            ReasonCode::Nodes => 1,
            ReasonCode::PowerCap => 2,
        })
        // Every window has a start in it, so that an impossible request has a reason.
        .unwrap_or(ReasonCode::Nodes)
}
