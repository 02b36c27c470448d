//! What corrects first guesses: regressions for each hour of the day, and for each hour with calm days counting as much as wild
//! ones. Both are drawn to a regression for all hours together, which is drawn to the guess: so an hour differs from the
//! others only as far as it has shown that it does.

use super::days::HOURS;
use super::regression::{Regression, Weights};

/// After so many days what was learnt counts half.
const HALF_LIFE_DAYS: f64 = 180.0;

/// Regressions take part after so many days, and three more for each day that they look further ahead than the first, up to
/// the third.
const FIRST_DAYS: usize = 28;
const MORE_DAYS: usize = 3;
const THIRD: usize = 3;

/// How much the regression for all hours together is drawn to the first guess.
const TOGETHER: f64 = 0.2;

/// How much regressions by hour are drawn to that for all hours together, for each day ahead.
const BY_HOUR: f64 = 0.15;

/// Those that are relative to the scale of the day.
const RELATIVE: f64 = 1.0;

/// With as many days learnt, regressions are drawn twice as much.
const SCARCE_DAYS: f64 = 60.0;

/// A miss of so many times the scale of the day weighs half of what a small one does: a mean size of errors is to be small, not a
/// mean square, and a few wild days are no pattern.
const HALF_TRUSTED: f64 = 3.0;

/// How many rules corrections make.
pub(super) const RULES: usize = 2;

/// Regressions on so many inputs, and what they came to.
pub(super) struct Corrections {
    inputs: usize,
    by_hour: Vec<Regression>,
    relative: Vec<Regression>,
    coefficients: Option<Vec<[Weights; RULES]>>,
    learnt_days: usize,
}

impl Corrections {
    /// Nothing learnt yet.
    pub fn new(inputs: usize) -> Self {
        Self {
            inputs,
            by_hour: vec![Regression::of(inputs); HOURS],
            relative: vec![Regression::of(inputs); HOURS],
            coefficients: None,
            learnt_days: 0,
        }
    }

    /// Solves for the coefficients of forecasts `lead` days ahead, where there are none yet or they are to be solved `anew`.
    pub fn solve(&mut self, lead: usize, anew: bool) {
        let first_days = FIRST_DAYS + MORE_DAYS * (lead.min(THIRD) - 1);
        if self.learnt_days >= first_days && (anew || self.coefficients.is_none()) {
            self.coefficients = self.solved(lead);
        }
    }

    /// Whether there are coefficients.
    pub const fn are_solved(&self) -> bool {
        self.coefficients.is_some()
    }

    /// By how much a rule corrects the guess for an hour; `None` before there are coefficients.
    pub fn correction<'a>(
        &self,
        hour: usize,
        rule: usize,
        inputs: impl Iterator<Item = &'a f64>,
    ) -> Option<f64> {
        let weights = &self.coefficients.as_ref()?.get(hour)?[rule];
        Some(inputs.zip(weights.iter()).map(|(it, weight)| it * weight).sum::<f64>())
    }

    /// Learns by how much the guess for an hour of day `day` missed, whose usual change is `scale`.
    pub fn learn(&mut self, hour: usize, inputs: &[f64], missed: f64, day: usize, scale: f64) {
        let weight = 2.0_f64.powf(day as f64 / HALF_LIFE_DAYS) * trust(missed, scale);
        self.by_hour[hour].learn(inputs, missed, weight);
        self.relative[hour].learn(inputs, missed, weight / scale.powi(2));
    }

    /// Counts a day of which something was learnt.
    pub const fn end_day(&mut self) {
        self.learnt_days += 1;
    }

    fn solved(&self, lead: usize) -> Option<Vec<[Weights; RULES]>> {
        let mut all = Regression::of(self.inputs);
        for hour in &self.by_hour {
            all.add(hour);
        }
        let few = 1.0 + SCARCE_DAYS / self.learnt_days.max(1) as f64;
        let together = all.coefficients(TOGETHER * few, None)?;
        let rules = self.by_hour.iter().zip(&self.relative).map(|(plain, relative)| {
            // An hour that was never known has what all have.
            let or_all = |own: Option<Weights>| own.unwrap_or_else(|| together.clone());
            [
                or_all(plain.coefficients(BY_HOUR * lead as f64 * few, Some(&together))),
                or_all(relative.coefficients(RELATIVE * few, Some(&together))),
            ]
        });
        Some(rules.collect())
    }
}

/// How much a miss weighs on a day of such a scale.
pub(super) fn trust(missed: f64, scale: f64) -> f64 {
    let scales = missed.abs() / scale;
    HALF_TRUSTED / (HALF_TRUSTED + scales)
}
