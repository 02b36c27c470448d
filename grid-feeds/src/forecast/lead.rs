//! One day ahead, or three: what is learnt of forecasts for one distance.
//!
//! Rules: yesterday, last week, the mean of both, the mean of two weeks, that at the level of yesterday, a first guess, and this
//! corrected by regressions ([`Corrections`]), without and with what is known ahead of time. A [`Mixture`] weighs them;
//! [`Bands`] say how far to trust them.

use std::collections::VecDeque;

use super::ahead::InputDays;
use super::band::Bands;
use super::corrections::{Corrections, RULES};
use super::days::{ClockDay, ClockDays, HOURS};
use super::inputs::{DayAhead, INPUTS, Resolution};
use super::mixture::Mixture;
use crate::feed::Kind;

/// An error of more than so many times the scale teaches as much as one of so many.
const MOST_SCALES: f64 = 4.0;

/// Before there is any error, a band reaches as many scales to each side.
const UNKNOWN_SCALES: f64 = 2.0;

/// Rules that need nothing that is known ahead of time: the simplest, and the guess corrected.
const PLAIN_RULES: usize = SIMPLE_RULES + RULES;

/// The first rules say that a day is like one day before.
const SINGLE_DAYS: usize = 2;

/// The place of the first guess; what corrects it follows.
const GUESS: usize = SIMPLE_RULES - 1;

/// Rules that need nothing that is learnt.
const SIMPLE_RULES: usize = 6;

/// How much a rule weighs beside others before it is known how much each errs. Single days err the more the further ahead they
/// stand for others; the guess and what corrects it err the least on average over series.
pub(super) fn first_weight(rule: usize, lead: usize) -> f64 {
    match rule {
        0..SINGLE_DAYS => 1.0 / lead as f64,
        SINGLE_DAYS..GUESS => 1.0,
        _ => lead.min(2) as f64,
    }
}

/// What is learnt of forecasts so many days ahead.
pub(super) struct LeadDay {
    pub lead: usize,
    corrections: Corrections,
    /// By what is known ahead of time, too.
    informed: Corrections,
    mixture: Mixture,
    /// Of all rules, those by what is known ahead of time included.
    informed_mixture: Mixture,
    bands: Bands,
    pending: VecDeque<Pending>,
}

/// What is expected by slot, of holidays as if they were ordinary days, in units of the kind.
pub(super) struct ExpectedDay {
    pub values: Vec<f64>,
    /// Which hours are forecast by what is known of them ahead of time.
    pub by_inputs: [bool; HOURS],
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
    /// Which hours are forecast by what is known of them ahead of time.
    pub by_inputs: [bool; HOURS],
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
    /// What is known ahead of time of each hour.
    differences: Vec<Option<Vec<f64>>>,
    /// What each rule said by slot, and what was made of it.
    said: Option<(Vec<Vec<f64>>, Vec<f64>)>,
}

impl LeadDay {
    /// Nothing learnt yet of forecasts `lead` days ahead, 1 for the day that begins now, with so many differences of what is known
    /// ahead of time.
    pub fn new(lead: usize, differences: usize) -> Self {
        Self {
            lead,
            corrections: Corrections::new(INPUTS),
            informed: Corrections::new(if differences > 0 { INPUTS + differences } else { 0 }),
            mixture: Mixture::new(lead),
            informed_mixture: Mixture::new(lead),
            bands: Bands::default(),
            pending: VecDeque::new(),
        }
    }

    /// What is expected in each slot, as at the beginning of day `origin`, of which nothing is known; remembers it until that day is learnt.
    /// `scale` is by how much values changed from day to day lately. Coefficients are those of all that is learnt where they
    /// are to be solved `anew`.
    pub fn forecast(
        &mut self,
        (days, inputs): (&ClockDays, &InputDays),
        origin: usize,
        scale: f64,
        anew: bool,
    ) -> Option<ExpectedDay> {
        self.corrections.solve(self.lead, anew);
        self.informed.solve(self.lead, anew);
        let hours = DayAhead::new(days, origin, self.lead, Resolution::Hours)?;
        let differences = inputs.differences(origin, self.lead);
        let rules = if days.per_hour == 1 {
            self.rules(&hours, &differences)
        } else {
            self.rules(&DayAhead::new(days, origin, self.lead, Resolution::Slots)?, &differences)
        };
        let is_solved = self.informed.are_solved();
        let by_inputs = std::array::from_fn(|hour| is_solved && differences[hour].is_some());
        let values = self.mixed(&rules, &by_inputs);
        let said = Some((rules, values.clone()));
        self.remember(origin, scale, (hours, differences), said);
        Some(ExpectedDay { values, by_inputs })
    }

    /// Only remembers what a forecast would have rested on.
    pub fn observe(
        &mut self,
        (days, inputs): (&ClockDays, &InputDays),
        origin: usize,
        scale: f64,
    ) -> Option<()> {
        let hours = DayAhead::new(days, origin, self.lead, Resolution::Hours)?;
        self.remember(origin, scale, (hours, inputs.differences(origin, self.lead)), None);
        Some(())
    }

    fn remember(
        &mut self,
        origin: usize,
        scale: f64,
        (hours, differences): (DayAhead, Vec<Option<Vec<f64>>>),
        said: Option<(Vec<Vec<f64>>, Vec<f64>)>,
    ) {
        let target = origin + self.lead - 1;
        self.pending.push_back(Pending { target, scale, hours, differences, said });
    }

    /// What each rule says, by slot. The last rules are by what is known ahead of time: of hours of which nothing is, they say what
    /// those say that they are made after.
    fn rules(&self, ahead: &DayAhead, differences: &[Option<Vec<f64>>]) -> Vec<Vec<f64>> {
        let both = ahead.yesterday.iter().zip(&ahead.last_week);
        let mean = both.map(|(day, week)| f64::midpoint(*day, *week)).collect();
        let [yesterday, last_week] = [&ahead.yesterday, &ahead.last_week].map(Vec::clone);
        let [fortnight, levelled] = [&ahead.fortnight, &ahead.fortnight_levelled].map(Vec::clone);
        let guess = ahead.guess.clone();
        let simple: [_; SIMPLE_RULES] = [yesterday, last_week, mean, fortnight, levelled, guess];
        let mut rules = Vec::from(simple);
        if !self.corrections.are_solved() {
            return rules;
        }
        let per_hour = ahead.guess.len() / HOURS;
        let slots = || ahead.guess.iter().zip(&ahead.inputs).enumerate();
        let plain = |rule: usize, slot: usize, inputs: &[f64; INPUTS]| {
            self.corrections.correction(slot / per_hour, rule, inputs.iter()).unwrap_or(0.0)
        };
        for rule in 0..RULES {
            let corrected =
                slots().map(|(slot, (guess, inputs))| guess + plain(rule, slot, inputs));
            rules.push(corrected.collect());
        }
        if !self.informed.are_solved() {
            return rules;
        }
        for rule in 0..RULES {
            let corrected = slots().map(|(slot, (guess, inputs))| {
                let hour = slot / per_hour;
                let informed = differences[hour].as_ref().and_then(|differences| {
                    self.informed.correction(hour, rule, inputs.iter().chain(differences))
                });
                guess + informed.unwrap_or_else(|| plain(rule, slot, inputs))
            });
            rules.push(corrected.collect());
        }
        rules
    }

    /// The rules weighed, in hours of which nothing is known ahead of time those alone that need none of it.
    fn mixed(&self, rules: &[Vec<f64>], by_inputs: &[bool; HOURS]) -> Vec<f64> {
        let first: Vec<f64> = (0..rules.len()).map(|rule| first_weight(rule, self.lead)).collect();
        let weights = self.mixture.weights(&first[..rules.len().min(PLAIN_RULES)]);
        let informed = self.informed_mixture.weights(&first);
        let count = rules.first().map_or(0, Vec::len);
        let weighed = |slot: usize| {
            let weights = if by_inputs[slot * HOURS / count] { &informed } else { &weights };
            rules.iter().zip(weights).map(|(rule, weight)| rule[slot] * weight).sum()
        };
        (0..count).map(weighed).collect()
    }

    /// A forecast with its band, as many multiples of `scale` wide as errors so far say. A holiday differs by `shift`.
    pub fn with_band(
        &self,
        expected: ExpectedDay,
        scale: f64,
        shift: Option<[f64; HOURS]>,
    ) -> DayForecast {
        let ExpectedDay { mut values, by_inputs } = expected;
        let per_hour = values.len() / HOURS;
        if let Some(shift) = shift {
            for (slot, value) in values.iter_mut().enumerate() {
                *value += shift[slot / per_hour];
            }
        }
        let ends = self.bands.ends().unwrap_or([(-UNKNOWN_SCALES, UNKNOWN_SCALES); HOURS]);
        let values_by_slot = || values.iter().enumerate();
        let low = values_by_slot().map(|(slot, value)| value + scale * ends[slot / per_hour].0);
        let high = values_by_slot().map(|(slot, value)| value + scale * ends[slot / per_hour].1);
        DayForecast { low: low.collect(), high: high.collect(), values, by_inputs }
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
        if let Some((rules, values)) = &pending.said {
            let of_rule = |rule: &Vec<f64>| {
                let errors =
                    slots.iter().zip(rule).filter_map(|(came, said)| Some((*came)? - said));
                errors.map(f64::abs).sum::<f64>()
            };
            let errors: Vec<f64> = rules.iter().map(of_rule).collect();
            self.mixture.learn(&errors[..errors.len().min(PLAIN_RULES)]);
            self.informed_mixture.learn(&errors);
            let errors = slots.iter().zip(values);
            let errors = errors.map(|(came, said)| Some(((*came)? - said) / pending.scale));
            self.bands.learn(&errors.collect::<Vec<_>>());
        }
        self.learn_hours(&pending, came, day);
    }

    fn learn_hours(&mut self, pending: &Pending, came: &ClockDay, day: usize) {
        let most = MOST_SCALES * pending.scale;
        let mut is_informed = false;
        for hour in (0..HOURS).filter(|&hour| came.known_hours[hour]) {
            let inputs = &pending.hours.inputs[hour];
            let missed = (came.hours[hour] - pending.hours.guess[hour]).clamp(-most, most);
            self.corrections.learn(hour, inputs, missed, day, pending.scale);
            let Some(differences) = &pending.differences[hour] else { continue };
            let inputs: Vec<f64> = inputs.iter().chain(differences).copied().collect();
            self.informed.learn(hour, &inputs, missed, day, pending.scale);
            is_informed = true;
        }
        self.corrections.end_day();
        if is_informed {
            self.informed.end_day();
        }
    }
}
