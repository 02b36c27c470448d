//! The SESAMES experiment (paper, section VI): a month of requests under each policy.
//!
//! 1. [`Month::draw`]: the cluster ([`platform`]), the agendas (`price`, `co2`, `power_cap`) and
//!    the requests of one run, each drawn from a stream of its own (`streams`) or given
//!    ([`Inputs`]).
//! 2. [`play_run`]: the requests are placed under each policy, in a book of that policy's own.
//! 3. [`Summary::of`]: means over the runs, savings against `asap_first`, confidence intervals.
//!
//! # The order of arrival
//!
//! The paper draws a flow of requests, maintains its three agendas "after each reservation
//! request", and does not say when a request arrives. Here requests are placed in the order of
//! their number, one after another, before the month begins: `now` is the month's start for all of
//! them. So none is refused for its start having passed, and a request may be placed before one
//! whose reservation is earlier. All policies see the same requests in the same order.
//!
//! # Randomness
//!
//! Everything derives from [`Parameters::seed`], the number of the run and the kind of draw.
//! Adding a policy or a run, or changing one parameter, shifts no other draw.

mod co2;
mod confidence;
mod inputs;
mod measures;
mod month;
mod outcome;
mod parameters;
pub mod platform;
mod play;
mod power_cap;
mod price;
mod requests;
mod streams;
mod summary;

use std::sync::Arc;

use planner::agenda::AgendaError;
use planner::decimal::Fraction;
use planner::node::{NodeError, NodesError};
use planner::order::{NodeOrder, Preference};
use planner::request::Request;
use planner::search::Cancelled;
use planner::selection::Selection;

pub use inputs::{InputError, Inputs, Source, Sources, Tariff};
pub use measures::Measures;
pub use month::Month;
pub use outcome::{RequestOutcome, Scheduled};
pub use parameters::{ParameterError, Parameters};
pub use play::Plan;
pub use summary::{HalfWidths, PolicySummary, RecordedParameters, Savings, Summary};

use crate::policy::Policy;
use play::Play;

/// Why an experiment has no results.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SesamesError {
    /// Parameters out of range, all of them.
    #[error("{}", listed(.0))]
    Parameters(Vec<ParameterError>),
    /// Inputs that cannot be played, all of them.
    #[error("{}", listed(.0))]
    Inputs(Vec<InputError>),
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
    /// The caller asked for it.
    #[error("the simulation was cancelled")]
    Cancelled,
}

/// How far an experiment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The run being played, from 0.
    pub run: u32,
    /// The policy being played.
    pub policy: Policy,
    /// Requests placed so far, over all policies and runs.
    pub placed: u64,
    /// All that there are to place.
    pub to_place: u64,
}

/// One run: its requests, and what became of them under each policy.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedRun {
    /// Its number, from 0.
    pub run: u32,
    /// In the order in which they were placed.
    pub requests: Vec<Request>,
    /// In the order in which policies were asked for.
    pub policies: Vec<PlayedPolicy>,
}

/// One policy's part of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedPolicy {
    /// Which.
    pub policy: Policy,
    /// What became of each request, in the order of [`PlayedRun::requests`].
    pub outcomes: Vec<RequestOutcome>,
    /// What is measured of it.
    pub measures: Measures,
}

/// All runs and their summary.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// The comparison.
    pub summary: Summary,
    /// By number.
    pub runs: Vec<PlayedRun>,
}

/// Plays the experiment: all runs, one after another. `on_progress` is told of each request placed.
///
/// # Errors
/// Invalid parameters, inputs and policies, and cancellation.
pub fn run(
    parameters: &Parameters,
    inputs: &Inputs,
    policies: &[Policy],
    on_progress: &mut dyn FnMut(Progress),
    cancelled: &dyn Fn() -> bool,
) -> Result<Results, SesamesError> {
    validate(parameters, inputs, policies)?;
    let of_run = policies.len() as u64 * u64::from(parameters.requests);
    let mut placed = 0;
    let mut on_plan = |plan: &Plan<'_>| {
        placed += 1;
        let to_place = of_run * u64::from(parameters.runs);
        on_progress(Progress { run: plan.run, policy: plan.policy, placed, to_place });
    };
    let runs = (0..parameters.runs)
        .map(|run| play_run(parameters, inputs, policies, run, &mut on_plan, cancelled))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Results { summary: Summary::of(parameters, inputs, &runs), runs })
}

/// Plays run number `run`, from 0. Runs do not depend on each other and may be played in any order.
/// `on_plan` sees every plan as it is made.
///
/// # Errors
/// Given nodes that are no cluster, and cancellation. The rest is for [`validate`] to refuse.
pub fn play_run(
    parameters: &Parameters,
    inputs: &Inputs,
    policies: &[Policy],
    run: u32,
    on_plan: &mut dyn FnMut(&Plan<'_>),
    cancelled: &dyn Fn() -> bool,
) -> Result<PlayedRun, SesamesError> {
    let month = Month::draw(parameters, inputs, run)?;
    let selections = selections(&month, policies);
    let mut played = Vec::with_capacity(policies.len());
    for &policy in policies {
        let (_, selection) = selections
            .iter()
            .find(|(preference, _)| *preference == policy.preference())
            .ok_or(SesamesError::Policies)?;
        let play = Play { parameters, month: &month, run, policy, selection };
        let outcomes = play.outcomes(on_plan, cancelled)?;
        let measures = measures::measure(&outcomes, month.nodes.count(), parameters.month());
        played.push(PlayedPolicy { policy, outcomes, measures });
    }
    Ok(PlayedRun { run, requests: month.requests, policies: played })
}

/// Refuses what cannot be played, with all errors of the first kind that has any.
///
/// # Errors
/// Invalid parameters, inputs and policies.
pub fn validate(
    parameters: &Parameters,
    inputs: &Inputs,
    policies: &[Policy],
) -> Result<(), SesamesError> {
    let errors = parameters.errors();
    if !errors.is_empty() {
        return Err(SesamesError::Parameters(errors));
    }
    let errors = inputs.errors(parameters);
    if !errors.is_empty() {
        return Err(SesamesError::Inputs(errors));
    }
    let twice = (1..policies.len()).any(|index| policies[..index].contains(&policies[index]));
    if policies.is_empty() || twice {
        return Err(SesamesError::Policies);
    }
    Ok(())
}

/// The orders that the policies need, each once. Nodes of a month have their own `alpha`, so that
/// no request's utilisation changes an order.
fn selections(month: &Month, policies: &[Policy]) -> Vec<(Preference, Selection)> {
    let all = |preference| {
        let order = NodeOrder::new(&month.nodes, preference, Fraction::ONE);
        (preference, Selection::all(Arc::new(order)))
    };
    [Preference::FirstListed, Preference::LeastDraw]
        .into_iter()
        .filter(|preference| policies.iter().any(|policy| policy.preference() == *preference))
        .map(all)
        .collect()
}

impl From<Cancelled> for SesamesError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

fn listed<E: std::fmt::Display>(errors: &[E]) -> String {
    errors.iter().map(E::to_string).collect::<Vec<_>>().join("; ")
}
