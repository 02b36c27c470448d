//! One run's month: the nodes, agendas and requests that every policy is played with.

use std::sync::Arc;

use planner::agenda::Agendas;
use planner::node::Nodes;
use planner::quantity::Currency;
use planner::request::Request;
use planner::time::Span;

use super::inputs::{Inputs, Source};
use super::power_cap::Distributed;
use super::streams::{Draw, stream};
use super::{Parameters, SesamesError, co2, platform, power_cap, price, requests};

/// What one run is played with.
#[derive(Clone, Debug)]
pub struct Month {
    /// The cluster, each node with its `alpha`.
    pub nodes: Arc<Nodes>,
    /// Of every price.
    pub currency: Currency,
    /// The grid, from the month's start until the last instant a drawn request can touch.
    pub agendas: Agendas,
    /// In the order in which they are placed.
    pub requests: Vec<Request>,
}

impl Month {
    /// The month of run number `run`, from 0: what is given, and the rest drawn.
    ///
    /// # Errors
    /// Given nodes that are no cluster. Parameters and inputs are valid: see [`super::validate`].
    pub fn draw(parameters: &Parameters, inputs: &Inputs, run: u32) -> Result<Self, SesamesError> {
        let rng = |draw| stream(parameters.seed, run, draw);
        let requests = match &inputs.requests {
            Source::Drawn => requests::draw(parameters, &mut rng(Draw::Requests)),
            Source::Given(requests) => requests.clone(),
        };
        let nodes = match &inputs.nodes {
            Source::Drawn => {
                platform::with_alphas(&platform::nodes(parameters.nodes)?, &mut rng(Draw::Alpha))?
            }
            Source::Given(nodes) => platform::with_alphas(nodes, &mut rng(Draw::Alpha))?,
        };
        let horizon = horizon(parameters, &requests);
        let price = match &inputs.tariff {
            Source::Drawn => price::draw(horizon, &mut rng(Draw::Price))?,
            Source::Given(tariff) => tariff.price.clone(),
        };
        let co2 = match &inputs.co2 {
            Source::Drawn => co2::draw(horizon, &mut rng(Draw::Co2))?,
            Source::Given(co2) => co2.clone(),
        };
        let power_cap = match &inputs.power_cap {
            Source::Drawn => {
                let cap = Distributed {
                    peak: nodes.max_power(),
                    mean_percent: parameters.cap_mean_percent,
                    standard_deviation_percent: parameters.cap_standard_deviation_percent,
                };
                let mut rng = rng(Draw::PowerCap);
                Some(power_cap::draw(cap, horizon, parameters.slot(), &mut rng)?)
            }
            Source::Given(power_cap) => power_cap.clone(),
        };
        let (currency, agendas) = (inputs.currency(), Agendas { price, co2, power_cap });
        Ok(Self { nodes, currency, agendas, requests })
    }
}

/// What agendas are drawn for: all that drawn requests could touch, and all that these can.
fn horizon(parameters: &Parameters, requests: &[Request]) -> Span {
    let horizon = parameters.horizon();
    let ends = requests.iter().map(|request| request.latest_start + request.duration);
    let end = ends.fold(horizon.end(), std::cmp::Ord::max);
    Span::new(horizon.start(), end).unwrap_or(horizon)
}
