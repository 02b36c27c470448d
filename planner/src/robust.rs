//! Estimates that a few wrong measurements do not spoil: outliers by the Hampel identifier, medians, spreads.
//!
//! **Outliers** are found by the Hampel identifier: a sample is rejected when it lies more than
//! three scaled median absolute deviations from the median. The scale is `1.4826 * MAD`, which
//! estimates the standard deviation of normal noise, but never less than 1 % of the median, the
//! accuracy of usual power meters. The floor matters where a meter shows whole watts and most
//! readings are the same: the MAD is then 0, a reading of 96 W among many of 95 W must stay, and a
//! spike of 4 kW must go. Fewer than five samples, or a scale of zero (a median of 0 W), reject
//! nothing: there is too little to judge by.
//!
//! Source: Davies and Gather, "The identification of multiple outliers", JASA 88 (1993), who name
//! the rule after Hampel; the factor 1.4826 is `1 / (sqrt(2) * erfinv(1/2))`.
//!
//! Medians of an even count are the mean of the two middle values, rounded half to even to the
//! microwatt. The rule is applied in whole numbers.

use crate::quantity::Power;

/// With fewer samples than this, none is rejected.
const MIN_SAMPLES_TO_JUDGE: usize = 5;

/// How many scales away from the median a sample may lie.
const MAX_SCALES: i64 = 3;

/// `1.4826 * MAD` in ten-thousandths.
const MAD_SCALE: i128 = 14_826;

/// 1 % of the median in ten-thousandths.
const MEDIAN_SCALE: i128 = 100;

/// How far from the median a sample may lie.
pub(crate) struct Tolerance {
    median: Power,
    /// In ten-thousandths of a microwatt; `None` where nothing is rejected.
    reach: Option<i128>,
}

impl Tolerance {
    /// The tolerance for sorted powers; `None` without any.
    pub(crate) fn around(sorted: &[Power]) -> Option<Self> {
        Self::of_scales(sorted, MAX_SCALES)
    }

    /// The tolerance of so many scales for sorted powers; `None` without any.
    pub(crate) fn of_scales(sorted: &[Power], scales: i64) -> Option<Self> {
        let median = median(sorted)?;
        let mut deviations: Vec<Power> =
            sorted.iter().map(|&power| (power - median).max(median - power)).collect();
        deviations.sort_unstable();
        let mad = self::median(&deviations)?;
        let scale = (MAD_SCALE * i128::from(mad.as_microwatts()))
            .max(MEDIAN_SCALE * i128::from(median.as_microwatts()));
        let judged = sorted.len() >= MIN_SAMPLES_TO_JUDGE && scale > 0;
        Some(Self { median, reach: judged.then_some(i128::from(scales) * scale) })
    }

    /// Whether a power lies within.
    pub(crate) fn accepts(&self, power: Power) -> bool {
        let deviation = i128::from((power - self.median).as_microwatts()).abs();
        self.reach.is_none_or(|reach| 10_000 * deviation <= reach)
    }
}

/// The median of sorted powers; of an even count the mean of the two middle ones, rounded half to even.
pub(crate) fn median(sorted: &[Power]) -> Option<Power> {
    let upper = *sorted.get(sorted.len() / 2)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    let sum = sorted[sorted.len() / 2 - 1].as_microwatts() + upper.as_microwatts();
    let floor = sum.div_euclid(2);
    let half_to_even = sum.rem_euclid(2) * floor.rem_euclid(2);
    Some(Power::from_microwatts(floor + half_to_even))
}

/// Sample standard deviation of sorted powers, to the nearest microwatt.
pub(crate) fn spread(sorted: &[Power]) -> Power {
    let Some(&base) = sorted.first().filter(|_| sorted.len() > 1) else {
        return Power::ZERO;
    };
    // Differences are taken exactly first, so that nothing is lost to the size of the powers.
    let differences = || sorted.iter().map(|&power| (power - base).as_watts());
    let mean = differences().sum::<f64>() / sorted.len() as f64;
    let squares: f64 = differences().map(|difference| (difference - mean).powi(2)).sum();
    let deviation = (squares / (sorted.len() - 1) as f64).sqrt();
    Power::from_watts(deviation).unwrap_or(Power::UNLIMITED)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (1 + 2) / 2 = 1.5 and (2 + 3) / 2 = 2.5 both round to the even 2.
    #[test]
    fn even_medians_round_half_to_even() {
        for powers in [[1, 2], [2, 3]] {
            let powers = powers.map(Power::from_microwatts);
            assert_eq!(median(&powers), Some(Power::from_microwatts(2)));
        }
    }
}
