//! Our own continuation of an agenda beyond what suppliers say.
//!
//! Days are forecast whole, each for its distance (`LeadDay`): a first guess from yesterday, the last weeks and the
//! same weekday is corrected by what followed on such days before, by regressions that are learnt anew on each day.
//! The parameters are few and the same for every series; `docs/FEEDS.md` tells how well that does.
//!
//! What is learnt is learnt in the order of time, from one day of history to the next, as it would have been: so the errors that
//! weigh the rules and make the bands are those of forecasts that did not look ahead. The back-test is the same walk.
//!
//! A holiday counts as what it would have been as an ordinary day of its weekday, and is forecast as one that differs nearly as Sundays do.
//! What is known ahead of time of load, wind or temperature makes regressions of its own beside the others; hours of which
//! nothing is known are forecast without them.

mod ahead;
pub mod backtest;
mod band;
mod corrections;
mod days;
mod guess;
mod holidays;
mod inputs;
mod lead;
mod mixture;
mod regression;
#[cfg(test)]
mod tests;
mod walk;

use planner::agenda::{Agenda, AgendaError, Piece};
use planner::time::{Seconds, Span, Timestamp};

use self::ahead::InputDays;
pub use self::ahead::{ForecastInput, KnownFrom, KnownInputs, PublicationTime, ValuesAhead};
pub use self::backtest::{Backtest, BacktestOptions, HorizonReport, TestedForecast, backtest};
use self::days::ClockDays;
use self::holidays::PublicHolidays;
pub use self::holidays::holiday_names;
use self::walk::Walk;
use crate::feed::{Estimate, Kind, ratio};
use crate::local_time::LocalTime;

/// With fewer days of history there is no pattern.
const FEWEST_DAYS: usize = 14;

/// Shorter ones would take much room, and nobody publishes them.
const SHORTEST_STEP_S: i64 = 60;

/// The name of no holidays.
const NO_HOLIDAYS: &str = "none";

/// The rule of the forecast.
#[derive(Clone, Debug)]
pub struct Model {
    local: LocalTime,
    step: Seconds,
    weeks: usize,
    holidays: Option<PublicHolidays>,
}

/// Why there is no model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// Not an IANA time zone.
    #[error("{0} is not a time zone such as Europe/Paris")]
    Zone(String),
    /// Steps that do not part an hour, or are shorter than a minute.
    #[error(
        "values last {0} s; they must last an hour, or a minute or more that part it, such as 900 s"
    )]
    Step(i64),
    /// No holidays are known by this name.
    #[error("there is no calendar of holidays {0:?}; there is none, and one for {names}", names = holiday_names().join(", "))]
    Holidays(String),
    /// Fewer than two weeks.
    #[error("needs at least 2 weeks of history")]
    TooShort,
}

impl Model {
    /// A model by the clock of `zone` whose values last `step`, which learns from so many `weeks`.
    ///
    /// # Errors
    /// Names the parameter that cannot be.
    pub fn new(zone: &str, step: Seconds, weeks: usize) -> Result<Self, ModelError> {
        let local = LocalTime::named(zone).map_err(|_| ModelError::Zone(zone.to_owned()))?;
        if step.get() < SHORTEST_STEP_S || 3600 % step.get() != 0 {
            return Err(ModelError::Step(step.get()));
        }
        if weeks * 7 < FEWEST_DAYS {
            return Err(ModelError::TooShort);
        }
        Ok(Self { local, step, weeks, holidays: None })
    }

    /// The model with the public holidays of a country, such as `france`; `none` is without any.
    ///
    /// # Errors
    /// Where there is no calendar of that name.
    pub fn with_holidays(self, name: &str) -> Result<Self, ModelError> {
        let holidays = PublicHolidays::named(name);
        if holidays.is_none() && name != NO_HOLIDAYS {
            return Err(ModelError::Holidays(name.to_owned()));
        }
        Ok(Self { holidays, ..self })
    }

    /// By which clock and holidays days are told.
    const fn calendar(&self) -> (&LocalTime, Option<&PublicHolidays>) {
        (&self.local, self.holidays.as_ref())
    }

    /// How many days before an instant a forecast made then learns from: its weeks, and a day that may have begun before the
    /// first value.
    pub const fn history_days(&self) -> usize {
        7 * self.weeks + 1
    }

    /// The first instant at or after `instant` at which a day begins by the clock; the instant where there is none.
    pub fn day_start(&self, instant: Timestamp) -> Timestamp {
        let start = self.local.date(instant).and_then(|date| {
            let start = self.local.day_start(date)?;
            if start < instant { self.local.day_start(date.tomorrow()?) } else { Ok(start) }
        });
        start.unwrap_or(instant)
    }

    /// Continues `history` over `span` as known at the start of `span`, each value with the band that eight of ten values
    /// stay in. Where the history is too short there is a gap.
    ///
    /// # Errors
    /// None: steps follow each other.
    pub fn continuation(
        &self,
        kind: Kind,
        history: &Agenda<i64>,
        span: Span,
    ) -> Result<Agenda<Estimate>, AgendaError> {
        let nothing = KnownInputs { series: &[], at: span.start() };
        self.continuation_by(kind, history, nothing, span)
    }

    /// The continuation by what else is known ahead of time, where it is known; elsewhere that without it.
    ///
    /// # Errors
    /// None: steps follow each other.
    pub fn continuation_by(
        &self,
        kind: Kind,
        history: &Agenda<i64>,
        inputs: KnownInputs<'_>,
        span: Span,
    ) -> Result<Agenda<Estimate>, AgendaError> {
        let origin = floor(span.start(), self.step);
        let pieces = self.forecast(kind, history, inputs, (origin, span.end())).unwrap_or_default();
        let pieces = pieces.into_iter().filter_map(|piece| {
            Some(Piece { span: piece.span.intersection(span)?, value: piece.value })
        });
        Agenda::new(pieces.collect())
    }

    /// The values from `origin` to `end` as known at `origin`; `None` where the history is too short.
    fn forecast(
        &self,
        kind: Kind,
        history: &Agenda<i64>,
        inputs: KnownInputs<'_>,
        (origin, end): (Timestamp, Timestamp),
    ) -> Option<Vec<Piece<Estimate>>> {
        let most = self.history_days();
        let days = ClockDays::before(self.calendar(), self.step, history, origin, most)?;
        let (last_day, _) = days.slot(&self.local, end - Seconds::ONE)?;
        let early = Seconds::new((origin - inputs.at).get().max(0));
        let inputs = InputDays::new(&self.local, &days, inputs.series, last_day + 1, early);
        let (_, forecasts) = Walk::new(&days, &inputs, last_day + 1, days.days.len()).next()?;
        let mut pieces = Vec::new();
        let mut start = origin;
        while let Some(span) = Span::starting(start, self.step).filter(|_| start < end) {
            let (day, slot) = days.slot(&self.local, start)?;
            let forecast = forecasts.get(day).or(forecasts.last())?;
            let [value, low, high] = forecast.at(kind, slot).map(in_millionths);
            pieces.push(Piece { span, value: Estimate { value, low, high } });
            start = span.end();
        }
        Some(pieces)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "saturates")]
fn in_millionths(value: f64) -> i64 {
    (value * 1e6).round() as i64
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
