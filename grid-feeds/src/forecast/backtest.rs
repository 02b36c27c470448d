//! How good forecasts would have been: from each day of a span, as known then, against what came.
//!
//! Beside them stand the simplest rules, on the same values: the same hour of the last day that was known, of the same weekday
//! of the last week that was known, and the mean of both.

use planner::agenda::Agenda;
use planner::time::{Seconds, Span, Timestamp};

use super::ahead::{ForecastInput, InputDays};
use super::days::{ClockDays, HOURS};
use super::inputs::same_weekday;
use super::lead::DayForecast;
use super::walk::Walk;
use super::{Model, floor, mean};
use crate::feed::Kind;

/// What is tested.
#[derive(Clone, Debug)]
pub struct BacktestOptions {
    /// What the values are: some are never negative.
    pub kind: Kind,
    /// Forecasts are made in this span, a day apart, at the clock time of its start.
    pub span: Span,
    /// Hours ahead: 24 tests the first day, 72 the third.
    pub horizons_h: Vec<usize>,
    /// Test each hour up to the furthest of these alone.
    pub by_hour: bool,
    /// List every forecast.
    pub lists_forecasts: bool,
}

/// What a back-test found.
#[derive(Clone, Debug, PartialEq)]
pub struct Backtest {
    /// From how many instants it forecast, a day apart.
    pub origins: usize,
    /// How many values were forecast by what is known ahead of time, of all that were compared.
    pub by_inputs: usize,
    /// By hours ahead.
    pub horizons: Vec<HorizonReport>,
    /// Every forecast that was tested, if they are to be listed, in the order of the instants at which they were made.
    pub forecasts: Vec<TestedForecast>,
}

/// A forecast of a back-test, in the unit of its kind (EUR/MWh, g/kWh, W).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestedForecast {
    /// Nothing after this instant was known.
    pub made_at: Timestamp,
    /// When the value holds.
    pub span: Span,
    /// What was expected.
    pub value: f64,
    /// The tenth percentile.
    pub p10: f64,
    /// The ninetieth.
    pub p90: f64,
}

/// The errors of forecasts some hours ahead, in the unit of the kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HorizonReport {
    /// Of the day that ends so many hours ahead; by hour, of the hour that ends then.
    pub horizon_h: usize,
    /// The mean of the errors' sizes.
    pub mae: f64,
    /// The mean of the sizes of errors of "as on the last day that is known".
    pub mae_yesterday: f64,
    /// The mean of the sizes of errors of "as on the same weekday of the last week that is known".
    pub mae_last_week: f64,
    /// The mean of the sizes of errors of the mean of both.
    pub mae_mean_of_both: f64,
    /// The root of the mean of the errors' squares.
    pub rmse: f64,
    /// The mean of what came less what was expected.
    pub bias: f64,
    /// The share of values inside the band, which promises 0.8.
    pub coverage_80: f64,
    /// The mean width of the band.
    pub width_80: f64,
    /// How many values were compared.
    pub samples: usize,
}

impl HorizonReport {
    /// By how much the error is smaller than that of the best of the simple rules: 0.1 is a tenth smaller.
    pub fn skill(&self) -> f64 {
        let best = self.mae_yesterday.min(self.mae_last_week).min(self.mae_mean_of_both);
        if best > 0.0 { 1.0 - self.mae / best } else { 0.0 }
    }

    /// Sums until they are divided by the number of samples.
    fn add(&mut self, came: f64, said: &TestedForecast, yesterday: f64, last_week: f64) {
        let error = came - said.value;
        self.mae += error.abs();
        self.rmse += error * error;
        self.bias += error;
        self.mae_yesterday += (came - yesterday).abs();
        self.mae_last_week += (came - last_week).abs();
        self.mae_mean_of_both += (came - f64::midpoint(yesterday, last_week)).abs();
        self.coverage_80 += f64::from((said.p10..=said.p90).contains(&came));
        self.width_80 += said.p90 - said.p10;
        self.samples += 1;
    }

    fn means(self) -> Self {
        let of = |sum: f64| sum / self.samples.max(1) as f64;
        Self {
            mae: of(self.mae),
            mae_yesterday: of(self.mae_yesterday),
            mae_last_week: of(self.mae_last_week),
            mae_mean_of_both: of(self.mae_mean_of_both),
            rmse: of(self.rmse).sqrt(),
            bias: of(self.bias),
            coverage_80: of(self.coverage_80),
            width_80: of(self.width_80),
            ..self
        }
    }
}

/// Back-tests `model` on `history`. Values before the span of the options are learnt from; where there are none, the first
/// weeks of the span are, and nothing is tested in them. Horizons without a value to compare are left out. Of `inputs` counts
/// what was known at each instant.
pub fn backtest(
    model: &Model,
    history: &Agenda<i64>,
    inputs: &[ForecastInput],
    options: &BacktestOptions,
) -> Backtest {
    let mut test = Test::new(model, options);
    if let Some(days) = test.days(model, history) {
        let ahead = test.ahead.iter().map(|hours| hours.end).max().unwrap_or(0).div_ceil(HOURS);
        let wanted = days.from(&model.local, test.start);
        let inputs = InputDays::new(&model.local, &days, inputs, ahead, Seconds::new(0));
        for (origin, forecasts) in Walk::new(&days, &inputs, ahead, wanted) {
            test.compare((model, history), &days, origin, &forecasts);
        }
    }
    // Horizons may have hours in common.
    test.forecasts.sort_by_key(|it| (it.made_at, it.span.start()));
    test.forecasts.dedup_by_key(|it| (it.made_at, it.span.start()));
    let found = test.found.into_iter().map(HorizonReport::means);
    Backtest {
        origins: test.origins,
        by_inputs: test.by_inputs,
        horizons: found.filter(|it| it.samples > 0).collect(),
        forecasts: test.forecasts,
    }
}

struct Test<'a> {
    options: &'a BacktestOptions,
    /// The first instant at which a forecast is made: the beginning of a step.
    start: Timestamp,
    /// By horizon, the hours ahead that belong to it, from 0.
    ahead: Vec<std::ops::Range<usize>>,
    found: Vec<HorizonReport>,
    origins: usize,
    by_inputs: usize,
    forecasts: Vec<TestedForecast>,
}

impl<'a> Test<'a> {
    fn new(model: &Model, options: &'a BacktestOptions) -> Self {
        let start = floor(options.span.start(), model.step);
        let furthest = options.horizons_h.iter().copied().max().unwrap_or(0);
        let ahead: Vec<_> = if options.by_hour {
            (0..furthest).map(|hour| hour..hour + 1).collect()
        } else {
            options.horizons_h.iter().map(|&end| end.saturating_sub(HOURS)..end).collect()
        };
        let report = |hours: &std::ops::Range<usize>| HorizonReport {
            horizon_h: hours.end,
            ..HorizonReport::default()
        };
        let found = ahead.iter().map(report).collect();
        Self { options, start, ahead, found, origins: 0, by_inputs: 0, forecasts: Vec::new() }
    }

    /// Days of history up to the last origin's end, from the clock time of the span's start.
    fn days(&self, model: &Model, history: &Agenda<i64>) -> Option<ClockDays> {
        let start = self.start;
        let known = history.pieces().last()?.span.end();
        if start >= known {
            return None;
        }
        let clock = model.local.civil(start).ok()?;
        let mut end = start;
        for day in 1.. {
            let next = clock.checked_add(jiff::Span::new().try_days(day).ok()?).ok()?;
            let next = model.local.civil_instant(next).ok()?;
            if next > known {
                break;
            }
            end = next;
        }
        ClockDays::before(model.calendar(), model.step, history, end, usize::MAX)
    }

    /// Compares what was said at the beginning of a day with what came.
    fn compare(
        &mut self,
        (model, history): (&Model, &Agenda<i64>),
        days: &ClockDays,
        origin: usize,
        said: &[DayForecast],
    ) {
        let Some(made_at) = days.start(&model.local, origin, 0) else { return };
        if !(self.start..self.options.span.end()).contains(&made_at) {
            return;
        }
        let before: usize = self.found.iter().map(|it| it.samples).sum();
        for (index, hours) in self.ahead.clone().into_iter().enumerate() {
            for slot in hours.start * days.per_hour..hours.end * days.per_hour {
                let day_slots = HOURS * days.per_hour;
                let (lead, slot) = (slot / day_slots + 1, slot % day_slots);
                let target = origin + lead - 1;
                let Some(day) = said.get(lead - 1).filter(|_| target < days.days.len()) else {
                    continue;
                };
                let values = |day: usize| days.days.get(day)?.own(slot);
                let last_week = same_weekday(origin, lead, 0).and_then(values);
                let Some((yesterday, last_week)) = values(origin - 1).zip(last_week) else {
                    continue;
                };
                let [value, p10, p90] = day.at(self.options.kind, slot);
                for start in days.starts(&model.local, target, slot) {
                    let Some(span) = Span::starting(start, model.step) else { continue };
                    let Some(came) = mean(history, span) else { continue };
                    let tested = TestedForecast { made_at, span, value, p10, p90 };
                    self.found[index].add(came as f64 / 1e6, &tested, yesterday, last_week);
                    self.by_inputs += usize::from(day.by_inputs[slot / days.per_hour]);
                    if self.options.lists_forecasts {
                        self.forecasts.push(tested);
                    }
                }
            }
        }
        let after = self.found.iter().map(|it| it.samples).sum::<usize>();
        self.origins += usize::from(after > before);
    }
}
