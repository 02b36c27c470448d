//! Our own continuation of an agenda beyond what suppliers say.
//!
//! For each step: the median of the same weekday and time of the clock in recent weeks, plus the
//! *level*: by how much the last days lay above the same rule's values for them, which fades the
//! further ahead. Simple, so that it can be explained, and honest: an error band from a rolling
//! back-test goes with each value. Where a contract has a calendar, that is better: see [`crate::provider::contract::Tariff::expected`].
//!
//! Holidays count as their weekday. `O(steps x weeks)` with an index of the history by step.

pub mod backtest;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use jiff::ToSpan;
use planner::agenda::{Agenda, AgendaError, Piece};
use planner::time::{Seconds, Span, Timestamp};

pub use self::backtest::{DayReport, Report, backtest};
use crate::feed::{Estimate, Kind, ratio};
use crate::local_time::LocalTime;

const DAY: Seconds = Seconds::new(86_400);

/// So many whole days ahead the level counts half: it comes back to what is usual.
const LEVEL_HALVES_DAYS: i128 = 4;

/// With fewer weeks of history than this there is no pattern.
const FEWEST_WEEKS: usize = 2;

/// The rule of the forecast.
#[derive(Clone, Debug)]
pub struct Model {
    local: LocalTime,
    step: Seconds,
    weeks: usize,
    level_days: i64,
}

/// Why there is no model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// Not an IANA time zone.
    #[error("{0} is not a time zone such as Europe/Paris")]
    Zone(String),
    /// Steps that do not part an hour.
    #[error("a step of {0} s does not part an hour")]
    Step(i64),
    /// Fewer than two weeks, or no day.
    #[error("needs at least 2 weeks and 1 day of level")]
    TooShort,
}

/// Values by the start of their step, for lookups.
#[derive(Debug)]
pub(crate) struct History {
    values: HashMap<i64, i64>,
}

impl Model {
    /// A model by the clock of `zone` whose values last `step`; `weeks` are looked back at for the
    /// pattern, `level_days` for the level.
    ///
    /// # Errors
    /// Names the parameter that cannot be.
    pub fn new(
        zone: &str,
        step: Seconds,
        weeks: usize,
        level_days: u32,
    ) -> Result<Self, ModelError> {
        let local = LocalTime::named(zone).map_err(|_| ModelError::Zone(zone.to_owned()))?;
        if step.get() < 1 || 3600 % step.get() != 0 {
            return Err(ModelError::Step(step.get()));
        }
        if weeks < FEWEST_WEEKS || level_days < 1 {
            return Err(ModelError::TooShort);
        }
        Ok(Self { local, step, weeks, level_days: level_days.into() })
    }

    /// Hours, five weeks of pattern and two days of level.
    ///
    /// # Errors
    /// Where `zone` is no time zone.
    pub fn usual(zone: &str) -> Result<Self, ModelError> {
        Self::new(zone, Seconds::new(3600), 5, 2)
    }

    /// Continues `history` over `span` as known at the start of `span`, with the error bands of
    /// `report`: between the tenth and the ninetieth percentile of the errors that values had so
    /// many days ahead. Where the history is too short there is a gap.
    ///
    /// # Errors
    /// None: steps follow each other.
    pub fn continuation(
        &self,
        kind: Kind,
        history: &Agenda<i64>,
        span: Span,
        report: &Report,
    ) -> Result<Agenda<Estimate>, AgendaError> {
        let known = self.history(history, span.start());
        let pieces = self.forecast(&known, span).into_iter().filter_map(|piece| {
            let ahead = (piece.span.start() - span.start()).get() / DAY.get();
            let day = report.days.get(usize::try_from(ahead).ok()?).or(report.days.last())?;
            let value = possible(kind, piece.value);
            let low = possible(kind, piece.value.saturating_add(day.low).min(value));
            let high = possible(kind, piece.value.saturating_add(day.high).max(value));
            Some(Piece { span: piece.span, value: Estimate { value, low, high } })
        });
        Agenda::new(pieces.collect())
    }

    /// The means of the steps that lie wholly before `until` and have no gap.
    pub(crate) fn history(&self, agenda: &Agenda<i64>, until: Timestamp) -> History {
        let mut values = HashMap::new();
        let mut step_start = None;
        for piece in agenda.pieces() {
            let first = floor(piece.span.start(), self.step);
            let mut start = step_start.map_or(first, |next: Timestamp| next.max(first));
            while start < piece.span.end() {
                let Some(span) = Span::starting(start, self.step) else { break };
                if span.end() > until {
                    return History { values };
                }
                if let Some(mean) = mean(agenda, span) {
                    values.insert(start.as_unix_seconds(), mean);
                }
                start = span.end();
            }
            step_start = Some(start);
        }
        History { values }
    }

    /// The values over `span` as known at its start.
    pub(crate) fn forecast(&self, history: &History, span: Span) -> Vec<Piece<i64>> {
        let origin = span.start();
        let level = self.level(history, origin);
        let mut pieces = Vec::new();
        let mut start = floor(origin, self.step);
        while let Some(step) = Span::starting(start, self.step).filter(|_| start < span.end()) {
            let value = self.pattern(history, start, origin);
            if let (Some(value), Some(span)) = (value, step.intersection(span)) {
                let value = value.saturating_add(faded(level, span.start() - origin));
                pieces.push(Piece { span, value });
            }
            start = step.end();
        }
        pieces
    }

    /// The mean of what the last days lay above the pattern; zero without such days.
    fn level(&self, history: &History, origin: Timestamp) -> i64 {
        let from = floor(origin - Seconds::new(DAY.get() * self.level_days), self.step);
        let steps = (origin - from).get() / self.step.get();
        let (mut sum, mut count) = (0_i128, 0_i128);
        for index in 0..steps {
            let start = from + Seconds::new(index * self.step.get());
            let value = history.values.get(&start.as_unix_seconds());
            if let Some((&value, pattern)) = value.zip(self.pattern(history, start, start)) {
                sum += i128::from(value) - i128::from(pattern);
                count += 1;
            }
        }
        ratio(sum, count).unwrap_or(0)
    }

    /// The median over the latest weeks before `origin` of the same weekday and time as `start`.
    fn pattern(&self, history: &History, start: Timestamp, origin: Timestamp) -> Option<i64> {
        let local = self.local.civil(start).ok()?;
        let ahead = (start - origin).get().max(0) / (7 * DAY.get());
        let first = ahead + 1;
        let last = first + 2 * i64::try_from(self.weeks).ok()?;
        let mut values = Vec::with_capacity(self.weeks);
        for week in first..last {
            let same = local.checked_sub(week.weeks()).ok()?;
            let same = self.local.civil_instant(same).ok()?;
            if same < origin {
                values.extend(history.values.get(&same.as_unix_seconds()));
            }
            if values.len() == self.weeks {
                break;
            }
        }
        (values.len() >= FEWEST_WEEKS).then(|| median(&mut values))?
    }
}

/// What is left of a level some time ahead.
fn faded(level: i64, ahead: Seconds) -> i64 {
    let days = i128::from(ahead.get() / DAY.get());
    ratio(i128::from(level) * LEVEL_HALVES_DAYS, LEVEL_HALVES_DAYS + days).unwrap_or(level)
}

/// Emissions and caps are not negative.
fn possible(kind: Kind, value: i64) -> i64 {
    match kind {
        Kind::Price { .. } => value,
        Kind::Co2 { .. } | Kind::PowerCap => value.max(0),
    }
}

fn floor(instant: Timestamp, step: Seconds) -> Timestamp {
    let ceiling = instant.ceil_to(step);
    if ceiling == instant { instant } else { ceiling - step }
}

/// The mean over `span`; `None` where there is a gap.
fn mean(agenda: &Agenda<i64>, span: Span) -> Option<i64> {
    let mut sum = 0_i128;
    let mut covered = 0;
    for piece in agenda.overlapping(span) {
        let length = piece.span.intersection(span)?.length().get();
        sum += i128::from(piece.value) * i128::from(length);
        covered += length;
    }
    let whole = span.length().get();
    (covered == whole).then(|| ratio(sum, whole.into()))?
}

fn median(values: &mut [i64]) -> Option<i64> {
    values.sort_unstable();
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        return values.get(middle).copied();
    }
    let (low, high) = (values.get(middle.checked_sub(1)?)?, values.get(middle)?);
    ratio(i128::from(*low) + i128::from(*high), 2)
}
