//! Whether the agendas that are given cover what requests could use.
//!
//! A request is covered where each given agenda has a value from its first possible start to its end
//! after the last one. Elsewhere it may be refused, or placed later than it would have been, for want of
//! a value: what it would have cost is not known.

use std::fmt;

use planner::agenda::Agenda;
use planner::request::Request;
use planner::time::{Span, Timestamp};

use super::inputs::{Inputs, Source};
use super::outcome::PlayedRun;
use super::streams::{Draw, stream};
use super::{Parameters, requests};

/// An agenda that may be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// Prices.
    Price,
    /// CO2 intensities.
    Co2,
    /// Power caps.
    PowerCap,
}

/// A given agenda that does not cover all requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uncovered {
    /// The agenda.
    pub agenda: Given,
    /// From its first value to its last; absent where it has none.
    pub covers: Option<Span>,
    /// From the first possible start of any request to the last possible end.
    pub needed: Span,
    /// Requests that it does not cover, in all runs.
    pub uncovered: u64,
    /// Requests in all runs.
    pub requests: u64,
}

impl Given {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Price, Self::Co2, Self::PowerCap];

    /// What it gives.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Price => "price",
            Self::Co2 => "CO2 intensity",
            Self::PowerCap => "power cap",
        }
    }
}

impl fmt::Display for Uncovered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { agenda, covers, needed, uncovered, requests } = self;
        match covers {
            Some(covers) => write!(f, "covers {} to {}", covers.start(), covers.end())?,
            None => f.write_str("covers nothing")?,
        }
        write!(
            f,
            ", and the requests need {} to {}: {uncovered} of {requests} could be placed where there is \
             no {}",
            needed.start(),
            needed.end(),
            agenda.word()
        )
    }
}

/// From a request's first possible start to the last end of any of its shapes.
fn span_of(parameters: &Parameters, request: &Request) -> Option<Span> {
    let first = request.earliest_start.max(parameters.start).ceil_to(parameters.slot());
    let end =
        |duration| first.max(slot_until(parameters, request.latest_start_for(duration))) + duration;
    let ends = request.shapes().map(|shape| end(shape.duration));
    Span::new(first, ends.max()?)
}

/// The start of the slot at an instant.
fn slot_until(parameters: &Parameters, instant: Timestamp) -> Timestamp {
    let second = instant.as_unix_seconds();
    Timestamp::from_unix_seconds(second - second.rem_euclid(parameters.slot().get()))
}

/// Whether an agenda is given, and covers a span.
fn covers(inputs: &Inputs, agenda: Given, span: Span) -> Option<bool> {
    match agenda {
        Given::Price => of(&inputs.tariff, |tariff| Some(tariff.price.agenda()), span),
        Given::Co2 => of(&inputs.co2, |co2| Some(co2.agenda()), span),
        Given::PowerCap => of(&inputs.power_cap, Option::as_ref, span),
    }
}

fn of<T, V: Copy>(
    source: &Source<T>,
    agenda: impl Fn(&T) -> Option<&Agenda<V>>,
    span: Span,
) -> Option<bool> {
    match source {
        Source::Drawn => None,
        Source::Given(given) => Some(agenda(given)?.covers(span)),
    }
}

fn bounds<V: Copy>(agenda: &Agenda<V>) -> Option<Span> {
    let (first, last) = (agenda.pieces().first()?, agenda.pieces().last()?);
    Span::new(first.span.start(), last.span.end())
}

/// What a given agenda covers.
fn bounds_of(inputs: &Inputs, agenda: Given) -> Option<Span> {
    match (agenda, &inputs.tariff, &inputs.co2, &inputs.power_cap) {
        (Given::Price, Source::Given(tariff), _, _) => bounds(tariff.price.agenda()),
        (Given::Co2, _, Source::Given(co2), _) => bounds(co2.agenda()),
        (Given::PowerCap, _, _, Source::Given(Some(cap))) => bounds(cap),
        _ => None,
    }
}

/// The agendas that do not cover all requests of all runs.
pub(super) fn uncovered(parameters: &Parameters, inputs: &Inputs) -> Vec<Uncovered> {
    if !any_is_given(inputs) {
        return Vec::new();
    }
    let mut tally = Tally::default();
    match &inputs.requests {
        Source::Given(requests) => tally.add(parameters, inputs, requests),
        // One run after the other, so that one is in memory at a time.
        Source::Drawn => (0..parameters.runs).for_each(|run| {
            let mut rng = stream(parameters.seed, run, Draw::Requests);
            tally.add(parameters, inputs, &requests::draw(parameters, &mut rng));
        }),
    }
    let Some(needed) = tally.needed else { return Vec::new() };
    let judged = |(agenda, uncovered): (Given, u64)| {
        let (covers, requests) = (bounds_of(inputs, agenda), tally.requests);
        (uncovered > 0).then_some(Uncovered { agenda, covers, needed, uncovered, requests })
    };
    Given::ALL.into_iter().zip(tally.uncovered).filter_map(judged).collect()
}

/// Requests counted by the agendas that do not cover them.
#[derive(Default)]
struct Tally {
    requests: u64,
    /// For each agenda, in the order of [`Given::ALL`].
    uncovered: [u64; 3],
    needed: Option<Span>,
}

impl Tally {
    fn add(&mut self, parameters: &Parameters, inputs: &Inputs, requests: &[Request]) {
        for span in requests.iter().filter_map(|request| span_of(parameters, request)) {
            self.requests += 1;
            for (agenda, uncovered) in Given::ALL.into_iter().zip(&mut self.uncovered) {
                *uncovered += u64::from(covers(inputs, agenda, span) == Some(false));
            }
            self.needed = match self.needed {
                Some(needed) => {
                    Span::new(needed.start().min(span.start()), needed.end().max(span.end()))
                }
                None => Some(span),
            };
        }
    }
}

const fn any_is_given(inputs: &Inputs) -> bool {
    matches!(inputs.tariff, Source::Given(_))
        || matches!(inputs.co2, Source::Given(_))
        || matches!(inputs.power_cap, Source::Given(Some(_)))
}

/// Of the requests of all runs, the part that every given agenda covers; absent where none is given.
pub(super) fn covered_share(
    parameters: &Parameters,
    inputs: &Inputs,
    runs: &[PlayedRun],
) -> Option<f64> {
    if !any_is_given(inputs) {
        return None;
    }
    let is_covered = |request: &Request| {
        let all = |span| Given::ALL.into_iter().all(|it| covers(inputs, it, span) != Some(false));
        span_of(parameters, request).is_some_and(all)
    };
    let part = |covered: usize, count: usize| (count > 0).then(|| covered as f64 / count as f64);
    match &inputs.requests {
        // They are the same in every run.
        Source::Given(requests) => {
            let covered = requests.iter().filter(|request| is_covered(request));
            part(covered.count(), requests.len())
        }
        Source::Drawn => {
            let asked = || runs.iter().flat_map(|run| &run.requests);
            part(asked().filter(|asked| is_covered(&asked.request())).count(), asked().count())
        }
    }
}
