//! Through history day by day: learn what came, forecast what comes.

use super::FEWEST_DAYS;
use super::ahead::InputDays;
use super::days::{ClockDay, ClockDays, HOURS};
use super::lead::{DayForecast, LeadDay};

/// Before this many days nothing is forecast. What is forecast before `FEWEST_DAYS` only tells which rules are good.
const FIRST_ORIGIN: usize = 7;

/// The scale is a mean of daily changes in which those so long ago count half.
const SCALE_HALF_LIFE_DAYS: f64 = 21.0;

/// Rules are weighed, and bands made, by the forecasts of so many days before those that are wanted.
const TRIED_DAYS: usize = 91;

/// Coefficients are solved so often before what is wanted, and on each day from there on.
const SOLVED_EVERY_DAYS: usize = 14;

/// A walk through days, which forecasts at the beginning of each as known then.
pub(super) struct Walk<'a> {
    days: &'a ClockDays,
    inputs: &'a InputDays,
    leads: Vec<LeadDay>,
    origin: usize,
    wanted: usize,
    scale: f64,
}

impl<'a> Walk<'a> {
    /// A walk that forecasts each of the first `ahead` days at the beginning of every day from `wanted` on, counted from the
    /// oldest.
    pub fn new(days: &'a ClockDays, inputs: &'a InputDays, ahead: usize, wanted: usize) -> Self {
        let first = days.days.windows(2).take(FIRST_ORIGIN - 1);
        let changes: Vec<f64> = first.filter_map(|pair| change(&pair[0], &pair[1])).collect();
        let scale = changes.iter().sum::<f64>() / changes.len().max(1) as f64;
        let leads = (1..=ahead).map(|lead| LeadDay::new(lead, inputs.count())).collect();
        Self { days, inputs, leads, origin: FIRST_ORIGIN, wanted: wanted.max(FEWEST_DAYS), scale }
    }

    /// Learns the last day that is known, and forecasts where that serves anything.
    fn step(&mut self) -> Option<Vec<DayForecast>> {
        let origin = self.origin;
        let [.., before, last] = self.days.days.get(..origin)? else { return None };
        let share = 0.5_f64.powf(1.0 / SCALE_HALF_LIFE_DAYS);
        if let Some(change) = change(before, last) {
            self.scale = self.scale * share + change * (1.0 - share);
        }
        // Values that do not change have errors of nothing.
        let scale = self.scale.max(1e-6);
        let anew = self.wanted.saturating_sub(origin).is_multiple_of(SOLVED_EVERY_DAYS);
        let (known, mut forecasts) = ((self.days, self.inputs), Vec::new());
        for lead in &mut self.leads {
            lead.learn(self.days, origin - 1);
            if origin + TRIED_DAYS >= self.wanted {
                let values = lead.forecast(known, origin, scale, anew)?;
                if origin >= self.wanted {
                    let target = origin + lead.lead - 1;
                    let shift = self.days.shift_ahead(origin, target);
                    forecasts.push(lead.with_band(values, scale, shift));
                }
            } else {
                lead.observe(known, origin, scale)?;
            }
        }
        self.origin += 1;
        Some(forecasts)
    }
}

impl Iterator for Walk<'_> {
    /// The first day that is not known, counted from the oldest, and forecasts of it and the days after it.
    type Item = (usize, Vec<DayForecast>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let origin = self.origin;
            let forecasts = self.step()?;
            if origin >= self.wanted {
                return Some((origin, forecasts));
            }
        }
    }
}

/// The mean size of the change from a day to the next, of the hours that are known on both; `None` without any.
fn change(before: &ClockDay, after: &ClockDay) -> Option<f64> {
    let known = |&hour: &usize| before.known_hours[hour] && after.known_hours[hour];
    let changes =
        (0..HOURS).filter(known).map(|hour| (after.hours[hour] - before.hours[hour]).abs());
    let count = changes.clone().count();
    (count > 0).then(|| changes.sum::<f64>() / count as f64)
}
