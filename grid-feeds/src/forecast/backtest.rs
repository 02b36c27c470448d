//! How good forecasts would have been: from many past instants, as known then, against what came.

use planner::agenda::Agenda;
use planner::time::{Seconds, Span, Timestamp};

use super::{DAY, History, Model};

/// Share of errors below the lower and above the upper end of a band, in percent.
const TAIL_PERCENT: usize = 10;

/// What a back-test found.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// From how many instants it forecast, a day apart.
    pub origins: usize,
    /// By days ahead: the first is up to a day.
    pub days: Vec<DayReport>,
}

/// The errors of forecasts some days ahead: what came less what was expected.
#[derive(Clone, Debug, PartialEq)]
pub struct DayReport {
    /// How many values were compared.
    pub samples: usize,
    /// The mean of the errors' sizes, in the unit of the kind (EUR/MWh, g/kWh, W).
    pub mean_absolute_error: f64,
    /// The mean of the errors, in that unit; positive where more came than was expected.
    pub bias: f64,
    /// The mean of the errors' sizes of saying that the last week comes again, in that unit.
    pub last_week_mean_absolute_error: f64,
    /// The tenth percentile of the errors, exact: the lower end of the band.
    pub low: i64,
    /// The ninetieth percentile, exact.
    pub high: i64,
    /// Of the later half of the values, the share inside the band of the earlier half: 0.8 is what
    /// a band of these percentiles promises. `None` with fewer than 20 values.
    pub covered: Option<f64>,
}

/// Back-tests `model` on `history`: from each of the last `origins` days before its end, up to
/// `days` days ahead. A day ahead without any value to compare ends the report.
pub fn backtest(model: &Model, history: &Agenda<i64>, days: usize, origins: usize) -> Report {
    let Some(last) = history.pieces().last().map(|piece| piece.span.end()) else {
        return Report { origins: 0, days: Vec::new() };
    };
    let truth = model.history(history, last);
    let mut errors: Vec<Errors> = (0..days).map(|_| Errors::default()).collect();
    let mut used = 0;
    for back in (1..=origins).rev() {
        let back = i64::try_from(back).unwrap_or(i64::MAX);
        let origin = last - Seconds::new(DAY.get().saturating_mul(back));
        used += usize::from(errors_from(model, &truth, origin, last, &mut errors));
    }
    let days = errors.into_iter().map_while(Errors::report).collect();
    Report { origins: used, days }
}

/// Errors in the order of the instants from which was forecast.
#[derive(Default)]
struct Errors {
    ours: Vec<i64>,
    last_week: Vec<i64>,
}

/// Whether there was anything to compare from this origin.
fn errors_from(
    model: &Model,
    truth: &History,
    origin: Timestamp,
    end: Timestamp,
    errors: &mut [Errors],
) -> bool {
    let horizon = i64::try_from(errors.len()).unwrap_or(i64::MAX);
    let until = end.min(origin + Seconds::new(DAY.get().saturating_mul(horizon)));
    let Some(span) = Span::new(origin, until) else { return false };
    let mut compared = false;
    for piece in model.forecast(truth, span) {
        let start = piece.span.start();
        let value = |start: Timestamp| truth.values.get(&start.as_unix_seconds()).copied();
        let ahead = usize::try_from((start - origin).get() / DAY.get()).unwrap_or(usize::MAX);
        let (Some(came), Some(errors)) = (value(start), errors.get_mut(ahead)) else { continue };
        errors.ours.push(came.saturating_sub(piece.value));
        let weeks = (start - origin).get() / (7 * DAY.get()) + 1;
        let last_week = value(start - Seconds::new(weeks * 7 * DAY.get()));
        errors.last_week.extend(last_week.map(|before| came.saturating_sub(before)));
        compared = true;
    }
    compared
}

impl Errors {
    fn report(self) -> Option<DayReport> {
        let (earlier, later) = self.ours.split_at(self.ours.len() / 2);
        let covered = band(earlier).filter(|_| self.ours.len() >= 20).map(|(low, high)| {
            let inside = later.iter().filter(|error| (low..=high).contains(*error)).count();
            inside as f64 / later.len() as f64
        });
        let (low, high) = band(&self.ours)?;
        Some(DayReport {
            samples: self.ours.len(),
            mean_absolute_error: mean(self.ours.iter().map(|error| error.unsigned_abs() as f64)),
            bias: mean(self.ours.iter().map(|&error| error as f64)),
            last_week_mean_absolute_error: mean(
                self.last_week.iter().map(|error| error.unsigned_abs() as f64),
            ),
            low,
            high,
            covered,
        })
    }
}

/// The tenth and ninetieth percentile, by nearest rank outwards.
fn band(errors: &[i64]) -> Option<(i64, i64)> {
    let mut sorted = errors.to_vec();
    sorted.sort_unstable();
    let tail = sorted.len() * TAIL_PERCENT / 100;
    let low = *sorted.get(tail)?;
    let high = *sorted.get(sorted.len() - 1 - tail)?;
    Some((low, high))
}

/// In units of the kind.
fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len();
    if count == 0 { 0.0 } else { values.sum::<f64>() / count as f64 / 1e6 }
}
