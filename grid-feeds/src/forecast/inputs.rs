//! What a forecast of a day rests on: the days before it, as differences from a first guess.

use super::days::{ClockDay, ClockDays, HOURS};
use super::guess::{Sources, mean};

/// How many inputs there are for each value.
pub(super) const INPUTS: usize = 32;

/// Days of the latest week.
const WEEK: usize = 7;

/// Days of the latest two weeks.
const FORTNIGHT: usize = 2 * WEEK;

/// Days of the latest four weeks.
const MONTH: usize = 4 * WEEK;

/// What is known of one day ahead: for each of its hours, or its slots, a first guess and the inputs that correct it.
pub(super) struct DayAhead {
    /// A mixture with shares that are the same for every series ([`Sources`]).
    pub guess: Vec<f64>,
    /// Values of the last day that is known, by hour or slot.
    pub yesterday: Vec<f64>,
    /// Values of the latest day of the same weekday that is known, by hour or slot.
    pub last_week: Vec<f64>,
    /// The means of the last two weeks, or of as many days as there are, by hour or slot.
    pub fortnight: Vec<f64>,
    /// These, all of them so much higher or lower that their mean is that of the last day that is known.
    pub fortnight_levelled: Vec<f64>,
    /// What corrects the guess.
    pub inputs: Vec<[f64; INPUTS]>,
}

/// Of what there is one value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Resolution {
    Hours,
    Slots,
}

impl Resolution {
    fn of(self, day: &ClockDay) -> &[f64] {
        match self {
            Self::Hours => &day.hours,
            Self::Slots => &day.values,
        }
    }
}

/// The day of history that has the same weekday as the one `lead` days after `origin`, `weeks` weeks earlier than the latest;
/// the oldest such day where history ends.
pub(super) fn same_weekday(origin: usize, lead: usize, weeks: usize) -> Option<usize> {
    let target = origin + lead - 1;
    let back = WEEK * (lead.div_ceil(WEEK) + weeks);
    target.checked_sub(back).or_else(|| target.checked_sub(back.checked_sub(WEEK)?))
}

impl DayAhead {
    /// What was known at the beginning of day `origin` of the day `lead` days ahead, 1 for `origin` itself. `None` without a
    /// week of history, or without the same day last week.
    pub fn new(
        days: &ClockDays,
        origin: usize,
        lead: usize,
        resolution: Resolution,
    ) -> Option<Self> {
        let week = days.days.get(origin.checked_sub(WEEK)?..origin)?;
        let of = |index: usize| days.days.get(index).map(|day| resolution.of(day));
        let last_week_at = same_weekday(origin, lead, 0)?;
        let last_week = of(last_week_at)?;
        let two = same_weekday(origin, lead, 1).unwrap_or(last_week_at);
        let three = same_weekday(origin, lead, 2).unwrap_or(two);
        let (two, three) = (of(two)?, of(three)?);
        let back = |days: usize| of(origin - days);
        let (last, second, third) = (back(1)?, back(2)?, back(3)?);
        let common = Common::new(days, week, origin, lead, last_week_at)?;
        let month = mean_of_days(days.days.get(origin.saturating_sub(MONTH)..origin)?, resolution);
        let usual = match resolution {
            Resolution::Hours => &common.usual,
            Resolution::Slots => &mean_of_days(week, resolution),
        };
        let sources = Sources {
            yesterday: last,
            last_week,
            two_weeks_ago: two,
            week: usual,
            month: &month,
            level_before: common.level_before,
        };
        let guess = sources.guess(lead);
        let count = last.len();
        let hour = count / HOURS;
        // Differences between times of day are taken from hours, so that the shape within an hour stays as it is.
        let of_hours: Vec<f64> = guess.chunks(hour).map(mean).collect();
        let mut inputs = Vec::with_capacity(count);
        for (slot, &first) in guess.iter().enumerate() {
            let mut row = [0.0; INPUTS];
            let neighbour = |index: usize| last[index % count] - usual[index % count];
            let own = [
                last[slot] - first,
                second[slot] - first,
                third[slot] - first,
                last_week[slot] - first,
                two[slot] - first,
                three[slot] - first,
                usual[slot] - first,
                common.level - of_hours[slot / hour],
                neighbour(slot + count - hour),
                neighbour(slot + hour),
            ];
            row[..own.len()].copy_from_slice(&own);
            row[own.len()..own.len() + common.inputs.len()].copy_from_slice(&common.inputs);
            let weekday = days.weekday(origin + lead - 1, slot / hour);
            row[INPUTS - 1 - WEEK + weekday] = common.spread;
            row[INPUTS - 1] = common.spread;
            inputs.push(row);
        }
        let fortnight = days.days.get(origin.saturating_sub(FORTNIGHT)..origin)?;
        let fortnight = mean_of_days(fortnight, resolution);
        let higher = (last.iter().sum::<f64>() - fortnight.iter().sum::<f64>()) / count as f64;
        let fortnight_levelled = fortnight.iter().map(|value| value + higher).collect();
        let (yesterday, last_week) = (last.to_vec(), last_week.to_vec());
        Some(Self { guess, yesterday, last_week, fortnight, fortnight_levelled, inputs })
    }
}

/// What all hours of a day have in common.
struct Common {
    /// The mean of the last seven days.
    level: f64,
    /// What is usual in each hour.
    usual: Vec<f64>,
    /// The mean of the week of the day two weeks ago, or of the one that stands for it.
    level_before: f64,
    /// By how much hours differ from their mean over the week, as a root of squares.
    spread: f64,
    /// Day means and the end of the last day, less what is usual.
    inputs: [f64; 14],
}

impl Common {
    fn new(
        days: &ClockDays,
        week: &[ClockDay],
        origin: usize,
        lead: usize,
        last_week: usize,
    ) -> Option<Self> {
        let level_of =
            |week: &[ClockDay]| week.iter().map(|day| day.mean).sum::<f64>() / week.len() as f64;
        let level = level_of(week);
        let usual = mean_of_days(week, Resolution::Hours);
        let squares = week.iter().flat_map(|day| day.hours.iter().zip(&usual));
        let squares = squares.map(|(hour, usual)| (hour - usual).powi(2)).sum::<f64>();
        let spread = (squares / (week.len() * HOURS) as f64).sqrt();
        let last = week.last()?;
        let two = same_weekday(origin, lead, 1).unwrap_or(last_week);
        // Where there is no day two weeks ago, last week's stands for it.
        let is_last_week = two >= origin - WEEK;
        let week_of_two =
            if is_last_week { origin - WEEK } else { origin.saturating_sub(FORTNIGHT) };
        let level_before = level_of(days.days.get(week_of_two..week_of_two + WEEK)?);
        let last_week = days.days.get(last_week)?;
        let mut inputs = [0.0; 14];
        for (input, day) in inputs.iter_mut().zip(week) {
            *input = day.mean - level;
        }
        let late = |hours: &[f64]| hours[HOURS - 3..].iter().sum::<f64>() / 3.0;
        inputs[WEEK..].copy_from_slice(&[
            last_week.mean - level,
            days.days.get(two)?.mean - level,
            last.least - last.mean,
            last.greatest - last.mean,
            last.hours[HOURS - 1] - last.mean,
            late(&last.hours) - late(&usual),
            last.hours[HOURS - 1] - usual[HOURS - 1],
        ]);
        Some(Self { level, usual, level_before, spread, inputs })
    }
}

/// What is usual at each time of day.
fn mean_of_days(days: &[ClockDay], resolution: Resolution) -> Vec<f64> {
    let count = days.first().map_or(0, |day| resolution.of(day).len());
    let mut means = vec![0.0; count];
    for day in days {
        for (mean, value) in means.iter_mut().zip(resolution.of(day)) {
            *mean += value;
        }
    }
    for mean in &mut means {
        *mean /= days.len() as f64;
    }
    means
}
