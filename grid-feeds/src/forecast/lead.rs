//! One day ahead, or three: what is learnt of forecasts for one distance.
//!
//! Rules: the mean of yesterday and last week, and a first guess corrected by regressions: for each hour of the day, for each
//! hour with calm days counting as much as wild ones, and for all hours together.
//! A [`Mixture`] weighs them; [`Bands`] say how far to trust them.

use std::collections::VecDeque;

use super::band::Bands;
use super::days::{ClockDay, ClockDays, HOURS};
use super::inputs::{DayAhead, Resolution};
use super::mixture::Mixture;
use super::regression::{Regression, Weights};
use crate::feed::Kind;

/// After so many days what was learnt counts half.
const HALF_LIFE_DAYS: f64 = 180.0;

/// Regressions take part after so many days.
const FIRST_DAYS: usize = 14;

/// An error of more than so many times the scale teaches as much as one of so many.
const MOST_SCALES: f64 = 4.0;

/// How much regressions are drawn to the first guess: by hour, for each day ahead.
const BY_HOUR: f64 = 0.25;

/// By hour, relative to the scale of the day.
const RELATIVE: f64 = 1.0;

/// With as many days learnt, regressions are drawn twice as much.
const SCARCE_DAYS: f64 = 60.0;

/// For all hours together.
const TOGETHER: f64 = 0.05;

/// Before there is any error, a band reaches as many scales to each side.
const UNKNOWN_SCALES: f64 = 2.0;

/// What is learnt of forecasts so many days ahead.
pub(super) struct LeadDay {
    lead: usize,
    by_hour: Vec<Regression>,
    relative: Vec<Regression>,
    coefficients: Option<Coefficients>,
    learnt_days: usize,
    mixture: Mixture,
    bands: Bands,
    pending: VecDeque<Pending>,
}

/// What corrects first guesses, by hour.
struct Coefficients {
    rules: Vec<[Weights; 3]>,
}

/// A forecast of a day, in units of the kind.
#[derive(Clone, Debug)]
pub(super) struct DayForecast {
    /// By slot.
    pub values: Vec<f64>,
    /// The tenth percentile, by slot.
    pub low: Vec<f64>,
    /// The ninetieth.
    pub high: Vec<f64>,
}

impl DayForecast {
    /// What is expected in a slot, and the ends of its band, between which it lies. Emissions and caps are not negative.
    pub fn at(&self, kind: Kind, slot: usize) -> [f64; 3] {
        let value = self.values[slot];
        let least = if kind.is_signed() { f64::NEG_INFINITY } else { 0.0 };
        [value, self.low[slot].min(value), self.high[slot].max(value)].map(|it| it.max(least))
    }
}

/// What waits for what comes.
struct Pending {
    target: usize,
    scale: f64,
    hours: DayAhead,
    /// What each rule said by slot, and what was made of it.
    said: Option<(Vec<Vec<f64>>, DayForecast)>,
}

impl LeadDay {
    /// Nothing learnt yet of forecasts `lead` days ahead, 1 for the day that begins now.
    pub fn new(lead: usize) -> Self {
        Self {
            lead,
            by_hour: vec![Regression::default(); HOURS],
            relative: vec![Regression::default(); HOURS],
            coefficients: None,
            learnt_days: 0,
            mixture: Mixture::default(),
            bands: Bands::default(),
            pending: VecDeque::new(),
        }
    }

    /// Forecasts as at the beginning of day `origin`, of which nothing is known, and remembers it until that day is learnt.
    /// `scale` is by how much values changed from day to day lately. Coefficients are those of all that is learnt where they
    /// are to be solved `anew`.
    pub fn forecast(
        &mut self,
        days: &ClockDays,
        origin: usize,
        scale: f64,
        anew: bool,
    ) -> Option<DayForecast> {
        if self.learnt_days >= FIRST_DAYS && (anew || self.coefficients.is_none()) {
            self.coefficients = self.solve();
        }
        let hours = DayAhead::new(days, origin, self.lead, Resolution::Hours)?;
        let rules = if days.per_hour == 1 {
            self.rules(&hours)
        } else {
            self.rules(&DayAhead::new(days, origin, self.lead, Resolution::Slots)?)
        };
        let forecast = self.mixed(&rules, scale);
        self.remember(origin, scale, hours, Some((rules, forecast.clone())));
        Some(forecast)
    }

    /// Only remembers what a forecast would have rested on.
    pub fn observe(&mut self, days: &ClockDays, origin: usize, scale: f64) -> Option<()> {
        let hours = DayAhead::new(days, origin, self.lead, Resolution::Hours)?;
        self.remember(origin, scale, hours, None);
        Some(())
    }

    fn remember(
        &mut self,
        origin: usize,
        scale: f64,
        hours: DayAhead,
        said: Option<(Vec<Vec<f64>>, DayForecast)>,
    ) {
        let target = origin + self.lead - 1;
        self.pending.push_back(Pending { target, scale, hours, said });
    }

    /// What each rule says, by slot.
    fn rules(&self, ahead: &DayAhead) -> Vec<Vec<f64>> {
        let both = ahead.yesterday.iter().zip(&ahead.last_week);
        let mut rules = vec![both.map(|(day, week)| f64::midpoint(*day, *week)).collect()];
        let Some(coefficients) = &self.coefficients else { return rules };
        let per_hour = ahead.guess.len() / HOURS;
        for rule in 0..3 {
            let slots = ahead.guess.iter().zip(&ahead.inputs).enumerate();
            let corrected = slots.map(|(slot, (guess, inputs))| {
                let weights = &coefficients.rules[slot / per_hour][rule];
                guess
                    + inputs.iter().zip(weights.iter()).map(|(it, weight)| it * weight).sum::<f64>()
            });
            rules.push(corrected.collect());
        }
        rules
    }

    fn mixed(&self, rules: &[Vec<f64>], scale: f64) -> DayForecast {
        let weights = self.mixture.weights(rules.len());
        let count = rules.first().map_or(0, Vec::len);
        let per_hour = count / HOURS;
        let values: Vec<f64> = (0..count)
            .map(|slot| rules.iter().zip(&weights).map(|(rule, weight)| rule[slot] * weight).sum())
            .collect();
        let end = |slot: usize| {
            self.bands.ends(slot / per_hour).unwrap_or((-UNKNOWN_SCALES, UNKNOWN_SCALES))
        };
        let values_by_slot = || values.iter().enumerate();
        let low = values_by_slot().map(|(slot, value)| value + scale * end(slot).0).collect();
        let high = values_by_slot().map(|(slot, value)| value + scale * end(slot).1).collect();
        DayForecast { values, low, high }
    }

    /// Learns what came on day `day`, for which it forecast `lead` days ago.
    pub fn learn(&mut self, days: &ClockDays, day: usize) {
        while self.pending.front().is_some_and(|it| it.target < day) {
            self.pending.pop_front();
        }
        let Some(pending) = self.pending.pop_front_if(|it| it.target == day) else { return };
        let Some(came) = days.days.get(day) else { return };
        let slots = came.values.iter().zip(&came.known);
        let slots: Vec<Option<f64>> = slots.map(|(value, known)| known.then_some(*value)).collect();
        if slots.iter().all(Option::is_none) {
            return;
        }
        if let Some((rules, forecast)) = &pending.said {
            let of_rule = |rule: &Vec<f64>| {
                let errors =
                    slots.iter().zip(rule).filter_map(|(came, said)| Some((*came)? - said));
                errors.map(f64::abs).sum::<f64>()
            };
            self.mixture.learn(&rules.iter().map(of_rule).collect::<Vec<_>>());
            let errors = slots.iter().zip(&forecast.values);
            let errors = errors.map(|(came, said)| Some(((*came)? - said) / pending.scale));
            self.bands.learn(&errors.collect::<Vec<_>>());
        }
        self.learn_hours(&pending, came, day);
        self.learnt_days += 1;
    }

    fn learn_hours(&mut self, pending: &Pending, came: &ClockDay, day: usize) {
        let weight = 2.0_f64.powf(day as f64 / HALF_LIFE_DAYS);
        let most = MOST_SCALES * pending.scale;
        for hour in (0..HOURS).filter(|&hour| came.known_hours[hour]) {
            let inputs = &pending.hours.inputs[hour];
            let missed = (came.hours[hour] - pending.hours.guess[hour]).clamp(-most, most);
            self.by_hour[hour].learn(inputs, missed, weight);
            self.relative[hour].learn(inputs, missed, weight / pending.scale.powi(2));
        }
    }

    fn solve(&self) -> Option<Coefficients> {
        let mut all = Regression::default();
        for hour in &self.by_hour {
            all.add(hour);
        }
        let few = 1.0 + SCARCE_DAYS / self.learnt_days.max(1) as f64;
        let together = all.coefficients(TOGETHER * few)?;
        let rules = self.by_hour.iter().zip(&self.relative).map(|(plain, relative)| {
            // An hour that was never known has what all have.
            [
                plain.coefficients(BY_HOUR * self.lead as f64 * few).unwrap_or(together),
                relative.coefficients(RELATIVE * few).unwrap_or(together),
                together,
            ]
        });
        Some(Coefficients { rules: rules.collect() })
    }
}
