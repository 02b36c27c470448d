//! What became of a request under a policy.

use planner::criterion::Values;
use planner::decision::{Decision, ReasonCode};
use planner::request::{Request, Shape};
use planner::time::{Seconds, Span, Timestamp};
use serde::{Deserialize, Serialize};

use super::managed::ManagedPower;
use crate::policy::Policy;

/// One run: its requests, and what became of them under each policy. Complete in itself: it can be
/// written down and summed up later.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayedRun {
    /// Its number, from 0.
    pub run: u32,
    /// In the order in which they were placed.
    pub requests: Vec<RequestRecord>,
    /// In the order in which policies were asked for.
    pub policies: Vec<PlayedPolicy>,
}

/// A request, and what it would take alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RequestRecord {
    /// Its number in the run, from 1.
    pub number: u32,
    /// How many nodes.
    pub nodes: u32,
    /// The length in seconds.
    pub duration_s: i64,
    /// The first instant it may start.
    #[serde(deserialize_with = "super::instant::deserialize")]
    pub earliest_start: Timestamp,
    /// The last instant it may start.
    #[serde(deserialize_with = "super::instant::deserialize")]
    pub latest_start: Timestamp,
    /// The least energy, the least cost and the least CO2 that it could take, each by itself, alone
    /// on the cluster and knowing what comes true; absent where it fits nowhere even so.
    pub least: Option<Amounts>,
}

/// One policy's part of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayedPolicy {
    /// The policy.
    pub policy: Policy,
    /// What became of each request, in the order of [`PlayedRun::requests`].
    pub outcomes: Vec<RequestOutcome>,
    /// How the reservations use the power cap.
    pub power: PowerUse,
    /// What became of the nodes' power beside computing; absent where there is no manager.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub managed: Option<ManagedPower>,
}

/// What became of one request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestOutcome {
    /// It was reserved.
    Scheduled(Scheduled),
    /// No start was feasible, for this cause.
    Unsuccessful(Cause),
}

/// A reservation that was made.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scheduled {
    /// When it starts.
    #[serde(deserialize_with = "super::instant::deserialize")]
    pub start: Timestamp,
    /// From the request's earliest start.
    pub start_lag_s: i64,
    /// The policy by which the start was chosen: another than that of the run where it is mixed.
    pub followed: Policy,
    /// The alternative that was taken; absent where it is the shape of the request's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alternative: Option<ReservedShape>,
    /// What it takes, as it comes out.
    pub billed: Amounts,
    /// What the plan said it would take.
    pub planned: Amounts,
    /// The sum of the nodes' maximum power.
    pub peak_power_w: f64,
}

/// So many nodes for so long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReservedShape {
    /// How many nodes.
    pub nodes: u32,
    /// How long.
    pub duration_s: i64,
}

/// Energy, cost and CO2, for reporting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Amounts {
    /// J.
    pub energy_j: f64,
    /// In the tariff's currency.
    pub cost: f64,
    /// g.
    pub co2_g: f64,
}

/// How reservations use the power cap. Their power is the sum of their nodes' maximum power, which
/// is what the cap bounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PowerUse {
    /// The most reserved at an instant, W.
    pub peak_power_w: f64,
    /// Reserved energy at maximum power inside the month, of what the cap allows in it; absent
    /// without a cap throughout the month.
    pub cap_used: Option<f64>,
    /// The greatest part of the cap reserved at an instant.
    pub cap_used_peak: Option<f64>,
}

/// Why a request is unsuccessful, as one cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// No start has enough free nodes.
    Nodes,
    /// Some start has enough nodes, but none has enough power.
    PowerCap,
    /// Every start needs what an agenda does not cover.
    AgendaGap,
}

impl Cause {
    /// The word in documents.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Nodes => ReasonCode::Nodes.word(),
            Self::PowerCap => ReasonCode::PowerCap.word(),
            Self::AgendaGap => ReasonCode::AgendaGap.word(),
        }
    }

    /// The cause of an impossible decision.
    ///
    /// The paper counts requests, the planner excluded starts. The cause is the power cap if any
    /// start had enough nodes, which is what a start excluded by the cap tells; else the nodes; and
    /// the agendas only where no start got as far as being tested for nodes.
    pub(super) fn of(decision: &Decision) -> Self {
        let excluded = |code| decision.reasons.iter().any(|reason| reason.code == code);
        if excluded(ReasonCode::PowerCap) {
            Self::PowerCap
        } else if excluded(ReasonCode::AgendaGap) && !excluded(ReasonCode::Nodes) {
            Self::AgendaGap
        } else {
            Self::Nodes
        }
    }
}

impl RequestRecord {
    pub(super) fn of(number: u32, request: &Request, least: Option<Amounts>) -> Self {
        Self {
            number,
            nodes: request.nodes,
            duration_s: request.duration.get(),
            earliest_start: request.earliest_start,
            latest_start: request.latest_start,
            least,
        }
    }

    /// The request, where it was drawn: those have nothing else.
    pub(super) fn request(&self) -> Request {
        let shape = Shape { nodes: self.nodes, duration: Seconds::new(self.duration_s) };
        Request::new(shape, self.earliest_start, self.latest_start)
    }

    /// The shape of the request's own, and the only one of a request without alternatives.
    pub const fn shape(&self) -> ReservedShape {
        ReservedShape { nodes: self.nodes, duration_s: self.duration_s }
    }
}

impl ReservedShape {
    /// Node-hours reserved.
    pub fn node_hours(self) -> f64 {
        f64::from(self.nodes) * self.duration_s as f64 / 3600.0
    }
}

impl Scheduled {
    /// What is reserved for the request that was `asked`.
    pub fn shape(&self, asked: &RequestRecord) -> ReservedShape {
        self.alternative.unwrap_or_else(|| asked.shape())
    }

    /// When it is reserved.
    pub fn span(&self, asked: &RequestRecord) -> Option<Span> {
        Span::starting(self.start, Seconds::new(self.shape(asked).duration_s))
    }
}

impl PlayedRun {
    /// One policy's part.
    pub fn policy(&self, policy: Policy) -> Option<&PlayedPolicy> {
        self.policies.iter().find(|played| played.policy == policy)
    }
}

impl PlayedPolicy {
    /// The reservations made, each with its request.
    pub fn scheduled<'a>(
        &'a self,
        requests: &'a [RequestRecord],
    ) -> impl Iterator<Item = (&'a RequestRecord, &'a Scheduled)> + Clone {
        let outcomes = requests.iter().zip(&self.outcomes);
        outcomes.filter_map(|(request, outcome)| Some((request, outcome.scheduled()?)))
    }
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
    pub const fn cause(&self) -> Option<Cause> {
        match self {
            Self::Scheduled(_) => None,
            Self::Unsuccessful(cause) => Some(*cause),
        }
    }
}

impl From<&Values> for Amounts {
    fn from(values: &Values) -> Self {
        Self {
            energy_j: values.energy.as_joules(),
            cost: values.cost.as_units(),
            co2_g: values.co2.as_grams(),
        }
    }
}

impl Amounts {
    /// Each of them changed alike.
    #[must_use]
    pub fn map(self, of: impl Fn(f64) -> f64) -> Self {
        let Self { energy_j, cost, co2_g } = self;
        Self { energy_j: of(energy_j), cost: of(cost), co2_g: of(co2_g) }
    }
}

impl std::ops::AddAssign for Amounts {
    fn add_assign(&mut self, other: Self) {
        self.energy_j += other.energy_j;
        self.cost += other.cost;
        self.co2_g += other.co2_g;
    }
}
