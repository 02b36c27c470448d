//! Series that are known ahead of time and move what is forecast: load, wind, sun, temperature.
//!
//! Of a day ahead count the differences between what is said of it and what was said of yesterday, of the same weekday and of the last seven days.
//! A value counts only from when it was known. Hours of which nothing is said have no differences, and neither have series that
//! never change.

use jiff::civil::Time;
use planner::agenda::Agenda;
use planner::time::{Seconds, Span, Timestamp};

use super::days::{ClockDays, HOURS};
use super::inputs::same_weekday;
use super::mean;
use crate::local_time::LocalTime;

const HOUR: Seconds = Seconds::new(3600);

/// Days of the latest week; values of the first such days say how much a series varies.
const WEEK: usize = 7;

/// Differences of a series for each hour.
const DIFFERENCES: usize = 5;

/// A series that is known ahead of time.
#[derive(Clone, Debug)]
pub struct ForecastInput {
    /// What it is called.
    pub name: Box<str>,
    /// Its values, those that were known latest first.
    pub values: Vec<ValuesAhead>,
}

/// Values in millionths of any unit, and from when they were known.
#[derive(Clone, Debug)]
pub struct ValuesAhead {
    /// From when.
    pub known: KnownFrom,
    /// The values.
    pub values: Agenda<i64>,
}

/// From when a value was known.
#[derive(Clone, Debug)]
pub enum KnownFrom {
    /// So long before the hour that it is of.
    Before(Seconds),
    /// At a time of the clock on the day before.
    DayBefore(PublicationTime),
}

/// A time of the clock in a zone.
#[derive(Clone, Debug)]
pub struct PublicationTime {
    local: LocalTime,
    time: Time,
}

/// Series that are known ahead of time, as somebody who asks knows them.
#[derive(Clone, Copy, Debug)]
pub struct KnownInputs<'a> {
    /// The series.
    pub series: &'a [ForecastInput],
    /// When they were asked for: no later than the forecast begins.
    pub at: Timestamp,
}

/// Series by the days of what is forecast, and of the days ahead.
pub(super) struct InputDays {
    series: Vec<InputRows>,
    /// When each hour of each day begins.
    starts: Vec<[Timestamp; HOURS]>,
    /// So long before the first hour that is forecast nothing more was known.
    early: Seconds,
}

/// The values of hours, by day.
type HourlyValues = Vec<[Option<f64>; HOURS]>;

/// From when the values of hours were known, by day.
type HourlyKnown = Vec<[Option<Timestamp>; HOURS]>;

/// A series by day and hour.
struct InputRows {
    values: Vec<(HourlyKnown, HourlyValues)>,
    /// By how much values differ from their mean, as a root of squares.
    spread: f64,
}

impl KnownFrom {
    /// At `time` in `zone`, the day before.
    ///
    /// # Errors
    /// Where the bundled time zones lack the zone.
    pub fn day_before(zone: &str, time: Time) -> Result<Self, jiff::Error> {
        Ok(Self::DayBefore(PublicationTime { local: LocalTime::named(zone)?, time }))
    }

    /// When the value of an hour that begins at `start` was known; `None` beyond the calendar.
    pub fn of(&self, start: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Before(ahead) => Some(start - *ahead),
            Self::DayBefore(PublicationTime { local, time }) => {
                let day = local.date(start).ok()?.yesterday().ok()?;
                local.civil_instant(day.to_datetime(*time)).ok()
            }
        }
    }
}

impl ForecastInput {
    /// How many whole hours of a span have no value.
    pub fn unknown_hours(&self, span: Span) -> usize {
        let mut start = span.start().ceil_to(HOUR);
        let mut unknown = 0;
        while let Some(hour) = Span::starting(start, HOUR).filter(|it| it.end() <= span.end()) {
            unknown += usize::from(self.values.iter().all(|it| mean(&it.values, hour).is_none()));
            start = hour.end();
        }
        unknown
    }
}

impl InputDays {
    /// No series.
    pub const fn none() -> Self {
        Self { series: Vec::new(), starts: Vec::new(), early: Seconds::new(0) }
    }

    /// `inputs` over the days of what is forecast and so many days after them, as known `early` before the forecasts.
    pub fn new(
        local: &LocalTime,
        days: &ClockDays,
        inputs: &[ForecastInput],
        furthest: usize,
        early: Seconds,
    ) -> Self {
        if inputs.is_empty() {
            return Self::none();
        }
        let starts = (0..days.days.len() + furthest).map_while(|day| {
            let mut starts = [Timestamp::MIN; HOURS];
            for (hour, start) in starts.iter_mut().enumerate() {
                *start = days.start(local, day, hour * days.per_hour)?;
            }
            Some(starts)
        });
        let starts: Vec<[Timestamp; HOURS]> = starts.collect();
        let series = inputs.iter().map(|input| InputRows::new(days, input, &starts, furthest));
        Self { series: series.collect(), starts, early }
    }

    /// How many differences an hour has.
    pub fn count(&self) -> usize {
        self.series.len() * DIFFERENCES
    }

    /// The differences for each hour of the day `lead` days after `origin`, as known at the beginning of `origin`; `None` for
    /// hours of which nothing is said, or nothing else than of the days before.
    pub fn differences(&self, origin: usize, lead: usize) -> Vec<Option<Vec<f64>>> {
        let mut rows = vec![None; HOURS];
        for (index, series) in self.series.iter().enumerate() {
            let Some(of_hours) = self.of_series(series, origin, lead) else { continue };
            for (row, differences) in rows.iter_mut().zip(of_hours) {
                let Some(differences) = differences else { continue };
                let row: &mut Vec<f64> = row.get_or_insert_with(|| vec![0.0; self.count()]);
                row[index * DIFFERENCES..][..DIFFERENCES].copy_from_slice(&differences);
            }
        }
        rows
    }

    fn of_series(
        &self,
        series: &InputRows,
        origin: usize,
        lead: usize,
    ) -> Option<[Option<[f64; DIFFERENCES]>; HOURS]> {
        let known_at = *self.starts.get(origin)?.first()? - self.early;
        let value = |day: usize, hour: usize| {
            series.values.iter().find_map(|(known, rows)| {
                let is_known = (*known.get(day)?.get(hour)?)? <= known_at;
                is_known.then(|| *rows.get(day)?.get(hour)?)?
            })
        };
        let (target, last) = (origin + lead - 1, origin.checked_sub(1)?);
        let last_week = same_weekday(origin, lead, 0)?;
        let week = origin.checked_sub(WEEK)?..origin;
        let usual = |hour: usize| average(week.clone().filter_map(|day| value(day, hour)));
        let usual: [Option<f64>; HOURS] = std::array::from_fn(usual);
        let level = average(usual.iter().flatten().copied());
        let of_day =
            average((0..HOURS).filter_map(|hour| Some(value(target, hour)? - usual[hour]?)));
        Some(std::array::from_fn(|hour| {
            let said = value(target, hour)?;
            let differences = [
                said - value(last, hour)?,
                said - value(last_week, hour)?,
                said - usual[hour]?,
                of_day?,
                said - level?,
            ];
            let differences = differences.map(|it| it / series.spread);
            // The last tells apart hours of the day, which regressions know by themselves.
            let changes = differences[..DIFFERENCES - 1].iter().any(|it| it.abs() > 1e-9);
            changes.then_some(differences)
        }))
    }
}

impl InputRows {
    fn new(
        days: &ClockDays,
        input: &ForecastInput,
        starts: &[[Timestamp; HOURS]],
        furthest: usize,
    ) -> Self {
        let rows = |values: &Agenda<i64>| -> HourlyValues {
            let of_day = |starts: &[Timestamp; HOURS]| {
                starts.map(|start| Some(mean(values, Span::starting(start, HOUR)?)? as f64 / 1e6))
            };
            let mut rows: HourlyValues = starts.iter().map(of_day).collect();
            level_holidays(days, &mut rows, furthest);
            rows
        };
        let known = |known: &KnownFrom| -> HourlyKnown {
            starts.iter().map(|starts| starts.map(|start| known.of(start))).collect()
        };
        let values = input.values.iter().map(|it| (known(&it.known), rows(&it.values)));
        let values: Vec<(HourlyKnown, HourlyValues)> = values.collect();
        let first = values.iter().flat_map(|(_, rows)| rows.iter().take(WEEK).flatten().flatten());
        let spread = average(first.clone().copied()).and_then(|mean| {
            let square = average(first.map(|value| (value - mean).powi(2)))?;
            Some(square.sqrt()).filter(|it| *it > 1e-9)
        });
        Self { values, spread: spread.unwrap_or(1.0) }
    }
}

/// Puts holidays as they would have been as ordinary days, as is done with what is forecast. What is said of the days that a
/// forecast made `furthest` days before reaches does not count.
fn level_holidays(days: &ClockDays, rows: &mut [[Option<f64>; HOURS]], furthest: usize) {
    for day in 0..rows.len() {
        let value = |day: usize, hour: usize| *rows.get(day)?.get(hour)?;
        let Some(shift) = days.holiday_shift(day.saturating_sub(furthest), day, value) else {
            continue;
        };
        let Some(row) = rows.get_mut(day) else { continue };
        for (value, shift) in row.iter_mut().zip(shift) {
            *value = value.map(|value| value - shift);
        }
    }
}

/// `None` of nothing.
fn average(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_u32);
    for value in values {
        sum += value;
        count += 1;
    }
    (count > 0).then(|| sum / f64::from(count))
}
