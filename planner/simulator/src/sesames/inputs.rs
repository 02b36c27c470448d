//! The inputs of the experiment: each drawn as in section VI-A of the paper, or given.

use std::sync::Arc;

use planner::agenda::{Agenda, RateAgenda};
use planner::filter::{FilterError, NodeFilter};
use planner::node::Nodes;
use planner::quantity::{CarbonIntensity, Currency, EnergyPrice, Power};
use planner::request::{Request, RequestError};
use planner::search::too_many_candidates;
use planner::time::{Seconds, Timestamp};

use super::Parameters;

/// How long after the month's start a given request may end: ten years. What is drawn for it
/// grows with this.
const FARTHEST: Seconds = Seconds::new(3660 * 86_400);

/// Where an input comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source<T> {
    /// Drawn anew in each run.
    #[default]
    Drawn,
    /// The caller's own, the same in each run.
    Given(T),
}

/// Prices with their currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriceSeries {
    /// Of every price. Drawn prices are in euros.
    pub currency: Currency,
    /// Price of energy.
    pub price: RateAgenda<EnergyPrice>,
}

/// What was announced at an instant of what would come: a forecast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forecast<R> {
    /// From when on it is known.
    pub issued_at: Timestamp,
    /// What it says.
    pub agenda: Agenda<R>,
}

/// What the experiment is played with; drawn unless given.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// The nodes, by index, with their names and labels. Those without an `alpha` draw one in each
    /// run.
    pub nodes: Source<Arc<Nodes>>,
    /// Prices.
    pub tariff: Source<PriceSeries>,
    /// CO2 intensity.
    pub co2: Source<RateAgenda<CarbonIntensity>>,
    /// Power cap; given as `None`, there is no cap.
    pub power_cap: Source<Option<Agenda<Power>>>,
    /// Requests, in the order in which they are placed.
    pub requests: Source<Vec<Request>>,
    /// Price forecasts that plans are made with instead of what comes true, in any order. Until the
    /// first is issued nothing is known.
    pub price_forecasts: Vec<Forecast<EnergyPrice>>,
    /// CO2 forecasts, likewise.
    pub co2_forecasts: Vec<Forecast<CarbonIntensity>>,
}

/// Which inputs were drawn and which given, for the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Sources {
    /// `drawn` or `given`, as for the others.
    pub nodes_from: &'static str,
    /// Prices.
    pub tariff_from: &'static str,
    /// CO2 intensity.
    pub co2_from: &'static str,
    /// Power cap.
    pub power_cap_from: &'static str,
    /// Requests.
    pub requests_from: &'static str,
    /// `given`, or `drawn` with the parameter `forecast_error_percent`.
    pub price_forecast_from: &'static str,
    /// `given`, or `drawn` with the parameter `forecast_error_percent`.
    pub co2_forecast_from: &'static str,
}

/// What is wrong with a given input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// Parameters and nodes disagree.
    #[error("{given} nodes are given, but the parameter nodes is {expected}")]
    NodeCount {
        /// How many there are.
        given: usize,
        /// What the parameter says.
        expected: u32,
    },
    /// Parameters and requests disagree.
    #[error("{given} requests are given, but the parameter requests is {expected}")]
    RequestCount {
        /// How many there are.
        given: usize,
        /// What the parameter says.
        expected: u32,
    },
    /// A request that cannot be planned.
    #[error("request {number}: {error}")]
    Request {
        /// Its number, from 1.
        number: usize,
        /// Why it cannot be planned.
        error: RequestError,
    },
    /// A request whose window has no slot's start in it.
    #[error("request {number}: no slot starts between earliest_start and latest_start")]
    NoStart {
        /// Its number, from 1.
        number: usize,
    },
    /// A request whose window has too many slots.
    #[error("request {number}: 100,000 slots or more start in its window")]
    TooManyStarts {
        /// Its number, from 1.
        number: usize,
    },
    /// A request that names a partition, a feature or a node that the given nodes do not have.
    #[error("request {number}: {error}")]
    Filter {
        /// Its number, from 1.
        number: usize,
        /// What it names.
        error: FilterError,
    },
    /// A request that names partitions, features or nodes where nodes are drawn.
    #[error(
        "request {number}: partition, features, exclude and only choose among nodes that are given; drawn \
         nodes have neither labels nor names"
    )]
    FilterOfDrawn {
        /// Its number, from 1.
        number: usize,
    },
    /// A partition or a feature of the manager's rules that the given nodes do not have.
    #[error("{parameter}/{index}/{kind}: {error}")]
    Group {
        /// The parameter that names it.
        parameter: &'static str,
        /// Its position in the parameter's list.
        index: usize,
        /// `partition` or `feature`.
        kind: &'static str,
        /// What it names.
        error: FilterError,
    },
    /// A partition or a feature of the manager's rules where nodes are drawn.
    #[error(
        "{parameter}/{index}/{kind}: only chooses among nodes that are given; drawn nodes have no labels"
    )]
    GroupOfDrawn {
        /// The parameter that names it.
        parameter: &'static str,
        /// Its position in the parameter's list.
        index: usize,
        /// `partition` or `feature`.
        kind: &'static str,
    },
    /// A request that ends too late.
    #[error("request {number}: could end more than ten years after the month's start")]
    TooFar {
        /// Its number, from 1.
        number: usize,
    },
}

impl InputError {
    /// The place in a parameter that is wrong, such as `rights/0/partition`, where it is in one.
    pub fn place_in_parameter(&self) -> Option<(&'static str, String)> {
        match *self {
            Self::Group { parameter, index, kind, .. }
            | Self::GroupOfDrawn { parameter, index, kind } => {
                Some((parameter, format!("{parameter}/{index}/{kind}")))
            }
            _ => None,
        }
    }
}

impl<T> Source<T> {
    const fn word(&self) -> &'static str {
        match self {
            Self::Drawn => "drawn",
            Self::Given(_) => "given",
        }
    }
}

impl Inputs {
    /// The currency of every cost.
    pub const fn currency(&self) -> Currency {
        match &self.tariff {
            Source::Drawn => Currency::EUR,
            Source::Given(tariff) => tariff.currency,
        }
    }

    /// Which inputs are drawn and which given.
    pub const fn sources(&self) -> Sources {
        Sources {
            nodes_from: self.nodes.word(),
            tariff_from: self.tariff.word(),
            co2_from: self.co2.word(),
            power_cap_from: self.power_cap.word(),
            requests_from: self.requests.word(),
            price_forecast_from: if self.price_forecasts.is_empty() { "drawn" } else { "given" },
            co2_forecast_from: if self.co2_forecasts.is_empty() { "drawn" } else { "given" },
        }
    }

    /// What is wrong with the inputs given, all of it, under valid parameters.
    pub fn errors(&self, parameters: &Parameters) -> Vec<InputError> {
        let mut errors = Vec::new();
        if let Source::Given(nodes) = &self.nodes
            && nodes.count() != parameters.nodes
        {
            let (given, expected) = (nodes.as_slice().len(), parameters.nodes);
            errors.push(InputError::NodeCount { given, expected });
        }
        if let Source::Given(requests) = &self.requests {
            if requests.len() != parameters.requests as usize {
                let (given, expected) = (requests.len(), parameters.requests);
                errors.push(InputError::RequestCount { given, expected });
            }
            for (number, request) in (1..).zip(requests) {
                errors.extend(request_errors(parameters, number, request));
                errors.extend(self.filter_errors(number, &request.filter));
            }
        }
        errors.extend(self.group_errors(parameters));
        errors
    }

    /// What the manager's rules name that is not there.
    fn group_errors(&self, parameters: &Parameters) -> Vec<InputError> {
        let mut errors = Vec::new();
        for (parameter, index, group) in parameters.manager.groups() {
            let kind = group.kind();
            match &self.nodes {
                Source::Drawn => errors.push(InputError::GroupOfDrawn { parameter, index, kind }),
                Source::Given(nodes) => {
                    let unknown = group.filter().errors(nodes).into_iter();
                    let error = |error| InputError::Group { parameter, index, kind, error };
                    errors.extend(unknown.map(error));
                }
            }
        }
        errors
    }

    fn filter_errors(&self, number: usize, filter: &NodeFilter) -> Vec<InputError> {
        match &self.nodes {
            _ if filter.is_empty() => Vec::new(),
            Source::Drawn => vec![InputError::FilterOfDrawn { number }],
            Source::Given(nodes) => {
                let errors = filter.errors(nodes).into_iter();
                errors.map(|error| InputError::Filter { number, error }).collect()
            }
        }
    }
}

fn request_errors(parameters: &Parameters, number: usize, request: &Request) -> Vec<InputError> {
    let now = parameters.start;
    let of_itself = request.errors(now);
    if !of_itself.is_empty() {
        return of_itself.into_iter().map(|error| InputError::Request { number, error }).collect();
    }
    let first: Timestamp = request.earliest_start_at(now).ceil_to(parameters.slot());
    let has_no_start =
        request.shapes().all(|shape| first > request.latest_start_for(shape.duration));
    let rules = [
        (has_no_start, InputError::NoStart { number }),
        (
            too_many_candidates(parameters.search(), request, now),
            InputError::TooManyStarts { number },
        ),
        (last_end(request) > now + FARTHEST, InputError::TooFar { number }),
    ];
    rules.into_iter().filter(|(broken, _)| *broken).map(|(_, error)| error).collect()
}

/// The last instant that a reservation for a request can touch.
pub(super) fn last_end(request: &Request) -> Timestamp {
    let end = |duration| request.latest_start_for(duration) + duration;
    let ends = request.shapes().map(|shape| end(shape.duration));
    ends.max().unwrap_or(request.latest_start)
}
