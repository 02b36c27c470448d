//! One run's month: the nodes, agendas and requests that every policy is played with.

use std::sync::Arc;

use planner::agenda::{Agendas, RateAgenda};
use planner::decimal::Fraction;
use planner::node::Nodes;
use planner::order::{NodeOrder, Preference};
use planner::quantity::{CarbonIntensity, Currency, EnergyPrice, Power};
use planner::request::Request;
use planner::time::{Span, Timestamp};

use super::cluster::{Estimate, Platform, STEPS};
use super::co2::Following;
use super::forecasts::{Known, erring};
use super::inputs::{Inputs, Source, last_end};
use super::parameters::AlphaPer;
use super::power_cap::Distributed;
use super::streams::{Draw, stream, uniform};
use super::{Parameters, SesamesError, co2, power_cap, price, requests};
use crate::policy::Policy;

/// What one run is played with.
#[derive(Clone, Debug)]
pub struct Month {
    /// The nodes without what is drawn for them.
    pub platform: Arc<Platform>,
    /// Of every price.
    pub currency: Currency,
    /// What comes true, from the month's start until the last instant a drawn request can touch.
    pub agendas: Agendas,
    /// By number. Where an application decides what nodes draw, its utilisation is in them.
    pub requests: Vec<Request>,
    /// Which policy each request's user follows, where policies are mixed.
    pub users: Vec<Policy>,
    /// `alpha` of each node, in steps; empty where applications decide.
    alphas: Vec<u32>,
    /// Whether plans are made with what is drawn.
    alpha_known: bool,
    /// Whether what nodes draw is another from request to request.
    per_request: bool,
    beliefs: Option<Beliefs>,
}

/// What plans are made with, where that is not what comes true.
#[derive(Clone, Debug)]
struct Beliefs {
    price: Belief<EnergyPrice>,
    co2: Belief<CarbonIntensity>,
}

#[derive(Clone, Debug)]
enum Belief<R> {
    Truth,
    Forecast(RateAgenda<R>),
    Forecasts(Known<R>),
}

impl Month {
    /// The month of run number `run`, from 0: what is given, and the rest drawn.
    ///
    /// # Errors
    /// Given agendas that are none. Parameters and inputs are valid: see [`super::Cell`].
    pub(super) fn draw(
        parameters: &Parameters,
        inputs: &Inputs,
        platform: &Arc<Platform>,
        run: u32,
    ) -> Result<Self, SesamesError> {
        let rng = |draw| stream(parameters.seed, run, draw);
        let mut requests = match &inputs.requests {
            Source::Drawn => requests::draw(parameters, &mut rng(Draw::Requests)),
            Source::Given(requests) => requests.clone(),
        };
        let alphas = match parameters.alpha_per {
            AlphaPer::Node => platform.draw_alphas(&mut rng(Draw::Alpha)),
            AlphaPer::Run | AlphaPer::Request => {
                draw_utilisations(parameters, &mut requests, run);
                Vec::new()
            }
        };
        let per_request = match parameters.alpha_per {
            AlphaPer::Request => true,
            AlphaPer::Run => {
                requests.windows(2).any(|two| two[0].utilisation != two[1].utilisation)
            }
            AlphaPer::Node => requests.iter().any(|request| request.utilisation.is_some()),
        };
        let agendas = draw_agendas(parameters, inputs, platform.peak(), &requests, run)?;
        let beliefs = beliefs(parameters, inputs, &agendas, run)?;
        Ok(Self {
            platform: Arc::clone(platform),
            currency: inputs.currency(),
            users: parameters.mix.draw(requests.len(), &mut rng(Draw::Users)),
            agendas,
            requests,
            alphas,
            alpha_known: parameters.alpha_known,
            per_request,
            beliefs,
        })
    }

    /// What each node draws for a request, as it comes out. A utilisation of its own goes before what
    /// is drawn for nodes.
    fn truth(&self, request: &Request) -> Estimate<'_> {
        if self.alphas.is_empty() || request.utilisation.is_some() {
            Estimate::Utilisation(request.utilisation_or_full())
        } else {
            Estimate::Alphas(&self.alphas)
        }
    }

    /// What the planner takes it for.
    fn belief(&self, request: &Request) -> Estimate<'_> {
        if self.alpha_known { self.truth(request) } else { Estimate::Utilisation(half()) }
    }

    /// The request as the planner is told it.
    pub(super) fn told(&self, request: &Request) -> Request {
        match self.belief(request) {
            Estimate::Alphas(_) => request.clone(),
            Estimate::Utilisation(of) => Request { utilisation: Some(of), ..request.clone() },
        }
    }

    /// The nodes as a checker may judge plans for `request` by. Slow.
    pub(super) fn nodes(&self, request: &Request) -> Result<Arc<Nodes>, SesamesError> {
        self.platform.known(self.belief(request))
    }

    /// What each node draws for `request`, by ordinal, as the planner believes.
    pub fn believed_draws(&self, request: &Request) -> Vec<Power> {
        self.platform.draws(self.belief(request))
    }

    /// What each node draws for `request`, by ordinal, as it comes out.
    pub(super) fn true_draws(&self, request: &Request) -> Vec<Power> {
        self.platform.draws(self.truth(request))
    }

    /// The order `believed` with the draws that come true; `None` where these are the believed ones.
    pub(super) fn true_order(&self, request: &Request, believed: &NodeOrder) -> Option<NodeOrder> {
        (!self.alpha_known).then(|| {
            let draws = self.platform.draws(self.truth(request));
            believed.with_draws(&draws, self.platform.max_powers())
        })
    }

    /// The least-drawing nodes first, by what they really draw.
    pub(super) fn clairvoyant_order(&self, request: &Request) -> NodeOrder {
        let draws = self.platform.draws(self.truth(request));
        NodeOrder::of_powers(&draws, self.platform.max_powers(), Preference::LeastDraw)
    }

    /// Whether the planner's order of nodes is another for each request.
    pub(super) const fn orders_differ(&self) -> bool {
        self.per_request && self.alpha_known
    }

    /// Whether what nodes really draw is another for each request.
    pub(super) const fn truths_differ(&self) -> bool {
        self.per_request
    }

    /// The agendas as known at `now`; `None` where they are what comes true.
    pub(super) fn believed_agendas(&self, now: Timestamp) -> Option<Agendas> {
        let beliefs = self.beliefs.as_ref()?;
        Some(Agendas {
            price: beliefs.price.at(now, &self.agendas.price).clone(),
            co2: beliefs.co2.at(now, &self.agendas.co2).clone(),
            power_cap: self.agendas.power_cap.clone(),
        })
    }
}

impl<R: planner::quantity::Rate + Copy> Belief<R> {
    fn at<'a>(&'a self, now: Timestamp, truth: &'a RateAgenda<R>) -> &'a RateAgenda<R> {
        match self {
            Self::Truth => truth,
            Self::Forecast(forecast) => forecast,
            Self::Forecasts(known) => known.at(now),
        }
    }
}

/// The mean of idle and maximum power.
fn half() -> Fraction {
    Fraction::new(0.5).unwrap_or(Fraction::ONE)
}

/// Gives each request without a utilisation a drawn one: uniform, which makes `alpha` uniform in
/// `[idle / max, 1]`. One word for all, or one for each.
fn draw_utilisations(parameters: &Parameters, requests: &mut [Request], run: u32) {
    let mut rng = stream(parameters.seed, run, Draw::Utilisation);
    let mut drawn = || Fraction::new(f64::from(uniform(&mut rng, 0..=STEPS)) / f64::from(STEPS));
    let of_run = drawn();
    for request in requests {
        let own = if parameters.alpha_per == AlphaPer::Run { of_run } else { drawn() };
        request.utilisation = request.utilisation.or(own);
    }
}

fn draw_agendas(
    parameters: &Parameters,
    inputs: &Inputs,
    peak: Power,
    requests: &[Request],
    run: u32,
) -> Result<Agendas, SesamesError> {
    let rng = |draw| stream(parameters.seed, run, draw);
    let horizon = horizon(parameters, requests);
    let days = price::draw_days(horizon, &mut rng(Draw::Price));
    let price = match &inputs.tariff {
        Source::Drawn => price::of_days(horizon, &days)?,
        Source::Given(tariff) => tariff.price.clone(),
    };
    let co2 = match &inputs.co2 {
        Source::Drawn => {
            let following = following(parameters, horizon, &days, run);
            co2::draw(horizon, parameters.co2_hour_percent, &following, &mut rng(Draw::Co2))?
        }
        Source::Given(co2) => co2.clone(),
    };
    let power_cap = match &inputs.power_cap {
        Source::Drawn => {
            let cap = Distributed {
                peak,
                mean_percent: parameters.cap_mean_percent,
                standard_deviation_percent: parameters.cap_standard_deviation_percent,
            };
            Some(power_cap::draw(cap, horizon, parameters.slot(), &mut rng(Draw::PowerCap))?)
        }
        Source::Given(power_cap) => power_cap.clone(),
    };
    Ok(Agendas { price, co2, power_cap })
}

/// On which days CO2 follows the price: one word a day.
fn following(parameters: &Parameters, horizon: Span, days: &[(i64, u32)], run: u32) -> Following {
    let correlation = parameters.agenda_correlation;
    let mut rng = stream(parameters.seed, run, Draw::Correlation);
    let share = (correlation.abs() * f64::from(STEPS)).round_ties_even();
    let mut follows = || f64::from(uniform(&mut rng, 1..=STEPS)) <= share;
    let first = horizon.start().as_unix_seconds().div_euclid(86_400);
    let days = days.iter().filter(|(day, _)| *day >= first);
    let (prices, follows) = days.map(|&(_, draw)| (draw, follows())).unzip();
    Following { prices, follows, positive: correlation >= 0.0 }
}

fn beliefs(
    parameters: &Parameters,
    inputs: &Inputs,
    agendas: &Agendas,
    run: u32,
) -> Result<Option<Beliefs>, SesamesError> {
    let error = parameters.forecast_error_percent;
    let given = !inputs.price_forecasts.is_empty() || !inputs.co2_forecasts.is_empty();
    if error == 0.0 && !given {
        return Ok(None);
    }
    let rng = |draw| stream(parameters.seed, run, draw);
    let price = if !inputs.price_forecasts.is_empty() {
        Belief::Forecasts(Known::of(&inputs.price_forecasts)?)
    } else if error == 0.0 {
        Belief::Truth
    } else {
        let of = EnergyPrice::from_millionths_per_mwh;
        Belief::Forecast(erring(&agendas.price, error, of, &mut rng(Draw::PriceForecast))?)
    };
    let co2 = if !inputs.co2_forecasts.is_empty() {
        Belief::Forecasts(Known::of(&inputs.co2_forecasts)?)
    } else if error == 0.0 {
        Belief::Truth
    } else {
        let of = CarbonIntensity::from_millionths_g_per_kwh;
        Belief::Forecast(erring(&agendas.co2, error, of, &mut rng(Draw::Co2Forecast))?)
    };
    Ok(Some(Beliefs { price, co2 }))
}

/// What agendas are drawn for: all that drawn requests could touch, and all that these can.
fn horizon(parameters: &Parameters, requests: &[Request]) -> Span {
    let horizon = parameters.horizon();
    let ends = requests.iter().map(last_end);
    let end = ends.fold(horizon.end(), std::cmp::Ord::max);
    Span::new(horizon.start(), end).unwrap_or(horizon)
}
