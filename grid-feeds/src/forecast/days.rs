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

use jiff::ToSpan;
use jiff::civil::DateTime;
use planner::agenda::Agenda;
use planner::time::{Seconds, Span, Timestamp};

use super::mean;
use crate::local_time::LocalTime;

/// Hours of a day, for which rules are learnt.
pub(super) const HOURS: usize = 24;

/// A day of history.
pub(super) struct ClockDay {
    /// Values of the slots, in units of the kind. What is not known is as on the day before.
    pub values: Vec<f64>,
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
}

impl ClockDays {
    /// The days of `history` before `origin`, at most `most` of them. Days before the first that is known in most of its slots
    /// are left out.
    pub fn before(
        local: &LocalTime,
        step: Seconds,
        history: &Agenda<i64>,
        origin: Timestamp,
        most: usize,
    ) -> Option<Self> {
        let clock = local.civil(origin).ok()?;
        let per_hour = usize::try_from(3600 / step.get()).ok()?;
        let mut days = Self { per_hour, days: Vec::new(), origin: clock };
        let first = history.pieces().first()?.span.start();
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
        let ahead = i64::try_from(day).ok()? - i64::try_from(self.days.len()).ok()?;
        let step = 3600 / i64::try_from(self.per_hour).ok()?;
        let after = i64::try_from(slot).ok()? * step;
        let at = self.origin.checked_add(ahead.days()).ok()?.checked_add(after.seconds()).ok()?;
        local.civil_instant(at).ok()
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
        let at = || {
            let ahead = i64::try_from(day).ok()? - i64::try_from(self.days.len()).ok()?;
            let at = self.origin.checked_add(ahead.days()).ok()?;
            let at = at.checked_add(i64::try_from(hour).ok()?.hours()).ok()?;
            usize::try_from(at.weekday().to_monday_zero_offset()).ok()
        };
        at().unwrap_or(0)
    }
}

impl ClockDay {
    /// The value of a slot that is known.
    pub fn own(&self, slot: usize) -> Option<f64> {
        self.known.get(slot)?.then(|| self.values.get(slot).copied())?
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
        Self { values, known, hours, known_hours, mean, least, greatest }
    }
}
