//! Error bands that keep their promise: where too many values leave one, it widens.
//!
//! The ends of a band are the tenth and the ninetieth percentile of errors by hour of the day, as multiples of the day's
//! scale. For the first weeks they are those of all errors so far. From then on each value moves an end by a little: outwards by
//! nine tenths where it lies beyond, inwards by one tenth where it does not. So a tenth lie beyond in the long run, whatever
//! the errors are (online conformal prediction: Gibbs and Candès 2021; Angelopoulos, Candès and Tibshirani 2023).

use super::days::HOURS;

/// The share of values beyond each end that bands aim at: a little less than a tenth, since a band follows errors that grow.
const TAIL: f64 = 0.095;

/// By which share of the band's width a day moves an end.
const PACE: f64 = 0.06;

/// A band that is narrower than values usually change moves as one of that width, so that it can widen at all.
const LEAST_WIDTH: f64 = 1.0;

/// Days of errors of which the ends are percentiles.
const FIRST_DAYS: usize = 28;

/// Hours before and after one whose errors count as its own in the first weeks.
const BESIDE: usize = 2;

/// The ends of bands, by hour of the day.
#[derive(Clone, Default)]
pub(super) struct Bands {
    /// The errors of the first days, by hour.
    first: [Vec<f64>; HOURS],
    /// After the first days.
    ends: Option<[(f64, f64); HOURS]>,
    days: usize,
}

impl Bands {
    /// The ends of the band of each hour, as multiples of the day's scale; `None` before the first error.
    pub fn ends(&self) -> Option<[(f64, f64); HOURS]> {
        self.ends.or_else(|| self.percentiles())
    }

    /// Learns the errors of a day: by slot, as multiples of its scale, `None` where nothing came.
    pub fn learn(&mut self, errors: &[Option<f64>]) {
        let per_hour = errors.len() / HOURS;
        self.days += 1;
        if self.days <= FIRST_DAYS {
            for (slot, error) in errors.iter().enumerate() {
                self.first[slot / per_hour].extend(*error);
            }
            if self.days == FIRST_DAYS {
                self.ends = self.percentiles();
                self.first = Default::default();
            }
            return;
        }
        let Some(ends) = &mut self.ends else { return };
        for (slot, error) in errors.iter().enumerate() {
            let Some(error) = *error else { continue };
            let (low, high) = &mut ends[slot / per_hour];
            let step = PACE * (*high - *low).max(LEAST_WIDTH) / per_hour as f64;
            *low += step * if error < *low { TAIL - 1.0 } else { TAIL };
            *high -= step * if error > *high { TAIL - 1.0 } else { TAIL };
            if *low > *high {
                (*low, *high) = (f64::midpoint(*low, *high), f64::midpoint(*low, *high));
            }
        }
    }

    /// Of the errors so far, by nearest rank outwards; of all hours where those near one never had a value.
    fn percentiles(&self) -> Option<[(f64, f64); HOURS]> {
        let mut ends = [(0.0, 0.0); HOURS];
        for (hour, ends) in ends.iter_mut().enumerate() {
            let near = (0..=2 * BESIDE).map(|it| (hour + HOURS - BESIDE + it) % HOURS);
            let mut errors: Vec<f64> = near.flat_map(|near| &self.first[near]).copied().collect();
            if errors.is_empty() {
                errors = self.first.iter().flatten().copied().collect();
            }
            errors.sort_unstable_by(f64::total_cmp);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rank")]
            let beyond = (TAIL * 0.8 * errors.len() as f64) as usize;
            *ends = (*errors.get(beyond)?, *errors.get(errors.len() - 1 - beyond)?);
        }
        Some(ends)
    }
}
