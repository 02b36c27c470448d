//! Several rules at once, each weighing the more the less it erred lately.

/// After so many days an error counts half.
const HALF_LIFE_DAYS: f64 = 60.0;

/// How quickly weight goes from those that err more: one that errs by a tenth more weighs `exp(-3)` of the best, once much is
/// known of their errors.
const SHARPNESS: f64 = 30.0;

/// After so many days weight goes half as quickly: a few days tell little of which rule is good. It takes as many times longer as
/// is the square of the days ahead, up to the third: errors of days that overlap go together, and rules differ less.
const FEW_DAYS: f64 = 20.0;
const THIRD: usize = 3;

/// The least error counts as no less than this share of the greatest.
const LEAST_SHARE: f64 = 1e-3;

/// What rules erred so far, by their order.
#[derive(Clone)]
pub(super) struct Mixture {
    lead: usize,
    errors: Vec<f64>,
    learnt_days: usize,
}

impl Mixture {
    /// Nothing known yet of rules that look so many days ahead.
    pub const fn new(lead: usize) -> Self {
        Self { lead, errors: Vec::new(), learnt_days: 0 }
    }

    /// The weights of as many rules as have a weight at `first`, which sum to one. A rule that is new is as trusted as the best.
    pub fn weights(&self, first: &[f64]) -> Vec<f64> {
        let least = self.errors.iter().copied().fold(f64::INFINITY, f64::min);
        let most = self.errors.iter().copied().fold(0.0, f64::max);
        // Where one never errs.
        let unit = least.max(LEAST_SHARE * most);
        let learnt = self.learnt_days as f64;
        let few = FEW_DAYS * self.lead.min(THIRD).pow(2) as f64;
        let sharpness = SHARPNESS * learnt / (learnt + few);
        let trust = |rule: usize| match self.errors.get(rule) {
            Some(&error) if unit > 0.0 => (-sharpness * (error - least) / unit).exp(),
            _ => 1.0,
        };
        let weights: Vec<f64> =
            first.iter().enumerate().map(|(rule, first)| first * trust(rule)).collect();
        let sum: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / sum).collect()
    }

    /// Learns the mean error of each rule on a day.
    pub fn learn(&mut self, errors: &[f64]) {
        let least = self.errors.iter().copied().fold(f64::INFINITY, f64::min);
        let least = if least.is_finite() { least } else { 0.0 };
        self.errors.resize(errors.len().max(self.errors.len()), least);
        self.learnt_days += 1;
        let share = 0.5_f64.powf(1.0 / HALF_LIFE_DAYS);
        for (sum, error) in self.errors.iter_mut().zip(errors) {
            *sum = *sum * share + error;
        }
    }
}
