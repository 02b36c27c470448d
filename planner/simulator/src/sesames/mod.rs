//! The month of section VI of the SESAMES paper: requests played against agendas under policies.
//!
//! 1. [`Setting::new`]: parameters ([`Parameters`]), what is given ([`Inputs`]) and policies, checked;
//!    [`Cell::of`]: the nodes laid out ([`Platform`]).
//! 2. [`Cell::play`]: one run. A [`Month`] is drawn, each input from a stream of its own
//!    (`streams`) or given; the requests are placed under each policy, in a book of that policy's
//!    own. Runs do not depend on each other: any thread may play any.
//! 3. [`Summary::of`]: the month in total, savings against `asap_first`, means, intervals.
//!
//! # The order of arrival
//!
//! The paper draws a flow of requests, maintains its three agendas "after each reservation
//! request", and does not say when a request arrives. Here requests are placed in the order of
//! their number, one after another, before the month begins: `now` is the month's start for all of
//! them. So none is refused for its start having passed, and a request may be placed before one
//! whose reservation is earlier. All policies see the same requests in the same order. The
//! parameter `arrival` tells them apart from requests that come when they could first start.
//!
//! # Randomness
//!
//! Everything derives from [`Parameters::seed`], the number of the run and the kind of draw.
//! Adding a policy or a run, or changing one parameter, shifts no other draw.

mod cluster;
mod co2;
mod compare;
pub(crate) mod confidence;
mod coverage;
mod curves;
mod forecasts;
mod groups;
mod idle_energy;
mod inputs;
mod instant;
mod managed;
mod manager;
mod measures;
mod mix;
mod month;
mod outcome;
mod parameters;
pub mod platform;
mod play;
mod power_cap;
mod power_use;
pub(crate) mod price;
mod requests;
pub(crate) mod streams;
mod summary;

use std::sync::Arc;

use planner::agenda::AgendaError;
use planner::node::{NodeError, Nodes, NodesError};
use planner::search::Cancelled;
use planner::time::Span;

pub use cluster::Platform;
pub use compare::{Intervals, MonthTotals, SameRequests, Saved, SavedIntervals};
pub use coverage::{Given, Uncovered};
pub use curves::{CURVE_MEASURES, CurvePoint, curve};
pub use groups::{GroupRight, GroupRights, NodeGroup, WarmGroup, WarmGroups};
pub use inputs::{Forecast, InputError, Inputs, PriceSeries, Source, Sources};
pub use managed::{MANAGER_FIGURES, ManagedPower, ManagerFigure, ManagerSummary, MonthAmounts};
pub use manager::{CountIdleEnergy, Manager, ManagerError, ManagerParameters, SleepRanking};
pub use measures::{Measure, Measures};
pub use mix::Mix;
pub use month::Month;
pub use outcome::{
    Amounts, Cause, PlayedPolicy, PlayedRun, PowerUse, RequestOutcome, RequestRecord,
    ReservedShape, Scheduled,
};
pub use parameters::{AlphaPer, Arrival, Flow, ParameterError, Parameters, StartsUntil};
pub use play::Plan;
pub use requests::request;
pub use summary::{HalfWidths, PolicySummary, RecordedParameters, Savings, Summary};

use crate::policy::Policy;
use play::Stage;

/// Why a month has no results.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SesamesError {
    /// Parameters out of range, all of them.
    #[error("{}", listed(.0))]
    Parameters(Vec<ParameterError>),
    /// Inputs that cannot be played, all of them.
    #[error("{}", listed(.0))]
    Inputs(Vec<InputError>),
    /// Given agendas that do not cover all requests, where that is not allowed.
    #[error("{}", listed(.0))]
    Uncovered(Vec<Uncovered>),
    /// No policy, or one twice.
    #[error("policies must be at least one, each once")]
    Policies,
    /// Nodes that are no cluster.
    #[error("nodes: {0}")]
    Nodes(#[from] NodesError),
    /// A node whose powers are none.
    #[error("nodes: {0}")]
    Node(#[from] NodeError),
    /// An agenda whose pieces are not in order.
    #[error("agenda: {0}")]
    Agenda(#[from] AgendaError),
    /// A reservation that was planned by forecasts where nothing came true.
    #[error("a reservation of {0} was planned by forecasts, but price or co2 end before it does")]
    Unbilled(Span),
    /// The caller asked for it.
    #[error("the simulation was cancelled")]
    Cancelled,
}

/// Parameters, what is given and policies that agree with one another. Its size is known, and
/// nothing has been drawn or laid out for it.
#[derive(Clone, Debug)]
pub struct Setting {
    parameters: Parameters,
    inputs: Inputs,
    policies: Vec<Policy>,
}

/// A setting with its nodes laid out, ready to be played.
#[derive(Clone, Debug)]
pub struct Cell {
    setting: Setting,
    platform: Arc<Platform>,
    uncovered: Vec<Uncovered>,
}

impl Setting {
    /// Checks each by itself. `O(requests)` that are given, whatever is to be drawn.
    ///
    /// # Errors
    /// Parameters, inputs or policies that cannot be played, with all errors of the first kind that
    /// has any.
    pub fn new(
        parameters: Parameters,
        inputs: Inputs,
        policies: Vec<Policy>,
    ) -> Result<Self, SesamesError> {
        let errors = parameters.errors();
        if !errors.is_empty() {
            return Err(SesamesError::Parameters(errors));
        }
        let errors = inputs.errors(&parameters);
        if !errors.is_empty() {
            return Err(SesamesError::Inputs(errors));
        }
        let twice = (1..policies.len()).any(|index| policies[..index].contains(&policies[index]));
        if policies.is_empty() || twice {
            return Err(SesamesError::Policies);
        }
        Ok(Self { parameters, inputs, policies })
    }

    /// What is to be played with.
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// What is given.
    pub const fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// How many plans there are to make.
    pub fn plans(&self) -> u64 {
        let runs = u64::from(self.parameters.runs);
        let requests = u64::from(self.parameters.requests);
        (self.policies.len() as u64).saturating_mul(requests).saturating_mul(runs)
    }
}

impl Cell {
    /// Lays out the nodes of a setting that is checked on the way.
    ///
    /// # Errors
    /// As [`Setting::new`] and [`Cell::of`].
    pub fn new(
        parameters: Parameters,
        inputs: Inputs,
        policies: Vec<Policy>,
    ) -> Result<Self, SesamesError> {
        Self::of(Setting::new(parameters, inputs, policies)?)
    }

    /// Lays out the nodes. `O(nodes)`, and where agendas are given and requests drawn, `O(runs *
    /// requests)`: all of them are drawn to see whether the agendas cover them.
    ///
    /// # Errors
    /// Given agendas that do not cover the requests where that is not allowed, and nodes that are no
    /// cluster.
    pub fn of(setting: Setting) -> Result<Self, SesamesError> {
        let uncovered = coverage::uncovered(&setting.parameters, &setting.inputs);
        if !uncovered.is_empty() && !setting.parameters.allow_uncovered {
            return Err(SesamesError::Uncovered(uncovered));
        }
        let pattern = match &setting.inputs.nodes {
            Source::Drawn => Arc::new(Nodes::numbered(platform::nodes()?)?),
            Source::Given(nodes) => Arc::clone(nodes),
        };
        let platform = Arc::new(Platform::new(pattern, setting.parameters.nodes)?);
        Ok(Self { setting, platform, uncovered })
    }

    /// What the cell is played with.
    pub const fn parameters(&self) -> &Parameters {
        &self.setting.parameters
    }

    /// The policies that are compared.
    pub fn policies(&self) -> &[Policy] {
        &self.setting.policies
    }

    /// What is given.
    pub const fn inputs(&self) -> &Inputs {
        &self.setting.inputs
    }

    /// The given agendas that do not cover all requests, where that is allowed.
    pub fn uncovered(&self) -> &[Uncovered] {
        &self.uncovered
    }

    /// How many plans there are to make.
    pub fn plans(&self) -> u64 {
        self.setting.plans()
    }

    /// What run number `run`, from 0, is played with.
    ///
    /// # Errors
    /// Given agendas that are none.
    pub fn month(&self, run: u32) -> Result<Month, SesamesError> {
        Month::draw(self.parameters(), self.inputs(), &self.platform, run)
    }

    /// Plays run number `run`, from 0. `on_plan` sees every plan as it is made; `cancelled` is asked
    /// many times in each.
    ///
    /// # Errors
    /// Cancellation; forecasts that reach beyond what comes true.
    pub fn play(
        &self,
        run: u32,
        on_plan: &mut dyn FnMut(&Plan<'_>),
        cancelled: &dyn Fn() -> bool,
    ) -> Result<PlayedRun, SesamesError> {
        let month = self.month(run)?;
        Stage::new(self, &month, run).play(on_plan, cancelled)
    }
}

impl From<Cancelled> for SesamesError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

fn listed<E: std::fmt::Display>(errors: &[E]) -> String {
    errors.iter().map(E::to_string).collect::<Vec<_>>().join("; ")
}
