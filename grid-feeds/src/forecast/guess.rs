//! A first guess of a day: a mixture of days and means of days, with shares that are the same for every series.
//!
//! The shares are those with the least absolute errors over series of prices and CO2 of five grids, by how many days they look ahead.
//! So they need no history to be learnt from, and the further ahead they look, the less yesterday counts.
//!
//! ```text
//! guess  =  level  +  shape
//! level  =  means of yesterday, last week, the last seven days and the last four weeks, by their shares
//!           + share * (the same weekday two weeks ago - the week in which it was)
//! shape  =  what each of these differs from its own mean at a time of day, by its share
//! ```

/// What a guess is mixed of, by hour or slot.
pub(super) struct Sources<'a> {
    /// The last day that is known.
    pub yesterday: &'a [f64],
    /// The latest day of the same weekday that is known.
    pub last_week: &'a [f64],
    /// The one before that.
    pub two_weeks_ago: &'a [f64],
    /// The means of the last seven days.
    pub week: &'a [f64],
    /// The means of the last four weeks, or of as many days as there are.
    pub month: &'a [f64],
    /// The mean of the seven days before the last seven.
    pub level_before: f64,
}

/// Shares for one day ahead; those of the shape sum to one, and so do those of the level without the third.
struct Shares {
    /// Of yesterday, last week, two weeks ago, the last seven days and four weeks.
    shape: [f64; 5],
    /// Of the same. The third is of by how much the day two weeks ago differed from its week.
    level: [f64; 5],
}

/// By days ahead; the last is for all that look further ahead.
const SHARES: [Shares; 5] = [
    Shares { shape: [0.23, 0.09, 0.10, 0.25, 0.33], level: [0.80, 0.12, 0.06, 0.02, 0.06] },
    Shares { shape: [0.09, 0.10, 0.12, 0.33, 0.36], level: [0.51, 0.20, 0.13, 0.11, 0.18] },
    Shares { shape: [0.07, 0.13, 0.11, 0.26, 0.43], level: [0.39, 0.22, 0.15, 0.13, 0.26] },
    Shares { shape: [0.04, 0.13, 0.13, 0.28, 0.42], level: [0.26, 0.22, 0.15, 0.19, 0.33] },
    Shares { shape: [0.07, 0.14, 0.12, 0.22, 0.45], level: [0.19, 0.21, 0.12, 0.18, 0.42] },
];

impl Sources<'_> {
    /// The guess for the day `lead` days ahead, 1 for the first that is not known.
    pub fn guess(&self, lead: usize) -> Vec<f64> {
        let Shares { shape, level } = &SHARES[lead.clamp(1, SHARES.len()) - 1];
        let sources = [self.yesterday, self.last_week, self.two_weeks_ago, self.week, self.month];
        let [yesterday, last_week, two_weeks_ago, week, month] = sources.map(mean);
        let levels = [yesterday, last_week, two_weeks_ago - self.level_before, week, month];
        let means = [yesterday, last_week, two_weeks_ago, week, month];
        let of = |shares: &[f64; 5], values: &[f64; 5]| {
            shares.iter().zip(values).map(|(share, value)| share * value).sum::<f64>()
        };
        // The shape's own mean is taken away.
        let level = of(level, &levels) - of(shape, &means);
        let at = |slot: usize| level + of(shape, &sources.map(|values| values[slot]));
        (0..self.yesterday.len()).map(at).collect()
    }
}

/// The mean of values, of which there are some.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
