//! History as rows of a day by the clock, all beginning at the clock time of one instant, the origin.
//!
//! ```text
//!            origin's clock time                 a day later
//!  row -1    | slot 0 | slot 1 | ...   | slot n-1 |           the last day that is known
//!  row  0    | origin ...                         |           the first that is forecast
//! ```
//!
//! A slot is known where its step has a value throughout. Where the clock skips an hour two slots have one value, and where
//! it goes through one twice the first counts.

use std::collections::HashSet;

use jiff::ToSpan;
use jiff::civil::{Date, DateTime};
use planner::agenda::Agenda;
use planner::time::{Seconds, Span, Timestamp};

use super::holidays::PublicHolidays;
use super::mean;
use crate::local_time::LocalTime;

/// Hours of a day, for which rules are learnt.
pub(super) const HOURS: usize = 24;

/// Holidays are like them.
const SUNDAY: usize = 6;

/// What is usual on a day of the week is the mean of so many of them.
const USUAL_WEEKS: usize = 8;

/// A holiday differs from an ordinary day by this share of what a Sunday does.
const HOLIDAY_SHARE: f64 = 0.8;

/// Holidays are forecast so many years ahead of what is known.
const YEARS_AHEAD: i16 = 1;

/// A day of history; of holidays, what they would have been as ordinary days.
pub(super) struct ClockDay {
    /// Values of the slots, in units of the kind. What is not known is as on the day before.
    pub values: Vec<f64>,
    /// By how much the hours of a holiday are likely to differ from those of an ordinary day: what was seen is the value and this.
    shift: Option<[f64; HOURS]>,
    /// Which of the slots have a value of their own.
    pub known: Vec<bool>,
    /// The means of the hours.
    pub hours: [f64; HOURS],
    /// Which of the hours are known in all their slots.
    pub known_hours: [bool; HOURS],
    /// The mean of the day.
    pub mean: f64,
    /// The least mean of an hour.
    pub least: f64,
    /// The greatest.
    pub greatest: f64,
}

/// Days of history, the oldest first, which end at the origin.
pub(super) struct ClockDays {
    /// Slots of an hour.
    pub per_hour: usize,
    /// The days; with a value each, though not every slot of them is known.
    pub days: Vec<ClockDay>,
    /// What the clock shows at the origin.
    origin: DateTime,
    /// Public holidays that are no Sundays.
    holidays: HashSet<Date>,
}

impl ClockDays {
    /// The days of `history` before `origin`, at most `most` of them. Days before the first that is known in most of its slots
    /// are left out.
    pub fn before(
        (local, holidays): (&LocalTime, Option<&PublicHolidays>),
        step: Seconds,
        history: &Agenda<i64>,
        origin: Timestamp,
        most: usize,
    ) -> Option<Self> {
        let clock = local.civil(origin).ok()?;
        let per_hour = usize::try_from(3600 / step.get()).ok()?;
        let first = history.pieces().first()?.span.start();
        let holidays = holidays.map_or_else(HashSet::new, |holidays| {
            let last = clock.date().checked_add(YEARS_AHEAD.years()).unwrap_or(Date::MAX);
            local.date(first).map_or_else(|_| HashSet::new(), |first| holidays.between(first, last))
        });
        let mut days = Self { per_hour, days: Vec::new(), origin: clock, holidays };
        let reach = usize::try_from((origin - first).get().max(0)).ok()?.div_ceil(86_400);
        for back in (1..=most.min(reach)).rev() {
            let back = i64::try_from(back).ok()?;
            let begin = clock.checked_sub(back.days()).ok()?;
            // Where the clock skips an hour, the last slots of a day would be the first of the next.
            let next = clock.checked_sub((back - 1).days()).ok()?;
            let end = local.civil_instant(next).ok()?.min(origin);
            let values = (0..HOURS * per_hour).map(|slot| {
                let after = i64::try_from(slot).ok()? * step.get();
                let start = local.civil_instant(begin.checked_add(after.seconds()).ok()?).ok()?;
                let span = Span::starting(start, step)?;
                let mean = (span.end() <= end).then(|| mean(history, span)).flatten();
                mean.map(|millionths| millionths as f64 / 1e6)
            });
            days.push(&values.collect::<Vec<_>>());
        }
        days.level_holidays();
        Some(days)
    }

    /// The next day, by its slots.
    fn push(&mut self, slots: &[Option<f64>]) {
        let known: Vec<bool> = slots.iter().map(Option::is_some).collect();
        let day_before = self.days.last();
        if day_before.is_none() && known.iter().filter(|&&it| it).count() * 2 < known.len() {
            return;
        }
        let count = known.iter().filter(|&&it| it).count();
        let mean = slots.iter().flatten().sum::<f64>() / count.max(1) as f64;
        let values = slots.iter().enumerate().map(|(slot, value)| {
            value.or_else(|| Some(*day_before?.values.get(slot)?)).unwrap_or(mean)
        });
        let values = values.collect();
        self.days.push(ClockDay::new(values, known, self.per_hour));
    }

    /// When a slot of a day begins; days count from 0 for the oldest, also beyond the origin.
    pub fn start(&self, local: &LocalTime, day: usize, slot: usize) -> Option<Timestamp> {
        local.civil_instant(self.clock_of_slot(day, slot)?).ok()
    }

    /// All instants at which a slot of a day begins: two where the clock goes through it twice, none where it skips it.
    pub fn starts(&self, local: &LocalTime, day: usize, slot: usize) -> Vec<Timestamp> {
        let instants = |at| local.civil_instants(at).ok();
        self.clock_of_slot(day, slot).and_then(instants).unwrap_or_default()
    }

    /// What the clock shows when a slot of a day begins.
    fn clock_of_slot(&self, day: usize, slot: usize) -> Option<DateTime> {
        let ahead = i64::try_from(day).ok()? - i64::try_from(self.days.len()).ok()?;
        let step = 3600 / i64::try_from(self.per_hour).ok()?;
        let after = i64::try_from(slot).ok()? * step;
        self.origin.checked_add(ahead.days()).ok()?.checked_add(after.seconds()).ok()
    }

    /// The first day that begins at or after an instant.
    pub fn from(&self, local: &LocalTime, instant: Timestamp) -> usize {
        let begins = |&day: &usize| self.start(local, day, 0).is_some_and(|start| start >= instant);
        (0..self.days.len()).find(begins).unwrap_or(self.days.len())
    }

    /// The day ahead of the origin, from 0, and the slot in which an instant lies.
    pub fn slot(&self, local: &LocalTime, instant: Timestamp) -> Option<(usize, usize)> {
        let after = self.origin.duration_until(local.civil(instant).ok()?).as_secs();
        let slot = (after * i64::try_from(self.per_hour).ok()?).div_euclid(3600);
        // After the clock was set back, an instant after the origin may show an earlier time.
        let slot = usize::try_from(slot.max(0)).ok()?;
        let slots = HOURS * self.per_hour;
        Some((slot / slots, slot % slots))
    }

    /// The day of the week, from 0 for Monday, of an hour of a day; days count from 0 for the oldest, also beyond the origin.
    pub fn weekday(&self, day: usize, hour: usize) -> usize {
        let weekday = |at: DateTime| usize::try_from(at.weekday().to_monday_zero_offset()).ok();
        self.clock(day, hour).and_then(weekday).unwrap_or(0)
    }

    /// What the clock shows at an hour of a day.
    fn clock(&self, day: usize, hour: usize) -> Option<DateTime> {
        let ahead = i64::try_from(day).ok()? - i64::try_from(self.days.len()).ok()?;
        let at = self.origin.checked_add(ahead.days()).ok()?;
        at.checked_add(i64::try_from(hour).ok()?.hours()).ok()
    }

    /// By how much the hours of a day are likely to differ from those of an ordinary day of its weekday, as known at the
    /// beginning of day `origin`: where it is a holiday, nearly as much as Sundays do. `None` of days that are none. `value` is that of
    /// an hour of a day, if it is known.
    pub fn holiday_shift(
        &self,
        origin: usize,
        day: usize,
        value: impl Fn(usize, usize) -> Option<f64>,
    ) -> Option<[f64; HOURS]> {
        if !(0..HOURS).any(|hour| self.is_holiday(day, hour)) {
            return None;
        }
        Some(std::array::from_fn(|hour| {
            if !self.is_holiday(day, hour) {
                return 0.0;
            }
            let usual = |weekday| self.usual(origin, weekday, hour, &value);
            let ordinary = usual(self.weekday(day, hour));
            usual(SUNDAY)
                .zip(ordinary)
                .map_or(0.0, |(sunday, ordinary)| HOLIDAY_SHARE * (sunday - ordinary))
        }))
    }

    /// The holiday shift of a day ahead, by what was known at the beginning of `origin`.
    pub fn shift_ahead(&self, origin: usize, day: usize) -> Option<[f64; HOURS]> {
        self.holiday_shift(origin, day, |day, hour| self.known_hour(day, hour))
    }

    fn known_hour(&self, day: usize, hour: usize) -> Option<f64> {
        let day = self.days.get(day)?;
        day.known_hours[hour].then_some(day.hours[hour])
    }

    fn is_holiday(&self, day: usize, hour: usize) -> bool {
        let is_one = |at: DateTime| self.holidays.contains(&at.date());
        !self.holidays.is_empty() && self.clock(day, hour).is_some_and(is_one)
    }

    /// The mean of an hour on the last such weekdays before `origin` that were no holidays.
    fn usual(
        &self,
        origin: usize,
        weekday: usize,
        hour: usize,
        value: impl Fn(usize, usize) -> Option<f64>,
    ) -> Option<f64> {
        let such = |&day: &usize| self.weekday(day, hour) == weekday && !self.is_holiday(day, hour);
        let values = (0..origin).rev().filter(such).filter_map(|day| value(day, hour));
        let values: Vec<f64> = values.take(USUAL_WEEKS).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    }

    /// Puts holidays as they would have been as ordinary days: so they mislead neither the day after them nor the week after. What is
    /// not known of the day after is as the holiday would have been.
    fn level_holidays(&mut self) {
        if self.holidays.is_empty() {
            return;
        }
        for day in 0..self.days.len() {
            self.fill_again(day);
            let Some(shift) = self.shift_ahead(day, day) else { continue };
            let per_hour = self.per_hour;
            let Some(seen) = self.days.get_mut(day) else { continue };
            for (slot, (value, known)) in seen.values.iter_mut().zip(&seen.known).enumerate() {
                // What is not known is as on the day before.
                *value -= if *known { shift[slot / per_hour] } else { 0.0 };
            }
            let (values, known) = (std::mem::take(&mut seen.values), seen.known.clone());
            *seen = ClockDay { shift: Some(shift), ..ClockDay::new(values, known, per_hour) };
        }
    }

    /// What is not known of a day is as on the day before, which may be another since it was pushed.
    fn fill_again(&mut self, day: usize) {
        let per_hour = self.per_hour;
        let (before, from) = self.days.split_at_mut(day);
        let (Some(before), Some(day)) = (before.last(), from.first_mut()) else { return };
        if day.known.iter().all(|known| *known) {
            return;
        }
        let slots = day.values.iter().zip(&day.known).zip(&before.values);
        let values: Vec<f64> =
            slots.map(|((own, known), before)| if *known { *own } else { *before }).collect();
        *day = ClockDay::new(values, std::mem::take(&mut day.known), per_hour);
    }
}

impl ClockDay {
    /// What was seen in a slot that is known.
    pub fn own(&self, slot: usize) -> Option<f64> {
        let value = self.known.get(slot)?.then(|| self.values.get(slot).copied())??;
        let of_hour = |shift: [f64; HOURS]| shift[slot * HOURS / self.values.len()];
        Some(self.shift.map_or(value, |shift| value + of_hour(shift)))
    }

    fn new(values: Vec<f64>, known: Vec<bool>, per_hour: usize) -> Self {
        let mut hours = [0.0; HOURS];
        let mut known_hours = [true; HOURS];
        for (slot, (&value, &known)) in values.iter().zip(&known).enumerate() {
            hours[slot / per_hour] += value / per_hour as f64;
            known_hours[slot / per_hour] &= known;
        }
        let mean = hours.iter().sum::<f64>() / HOURS as f64;
        let least = hours.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = hours.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Self { values, shift: None, known, hours, known_hours, mean, least, greatest }
    }
}
