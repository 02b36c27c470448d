//! What was used, by periods, of which the older count less.

use crate::time::Seconds;

/// Periods of one length before now, of which each counts less than the one after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UsagePeriods {
    length_s: f64,
    /// What a period counts of the one after it: the paper's `D`.
    factor: f64,
}

impl Default for UsagePeriods {
    /// Days, of which only the newest counts.
    fn default() -> Self {
        Self::with_half_life(Seconds::new(86_400), None)
    }
}

impl UsagePeriods {
    /// Periods of which one that is a half-life older counts half as much: `D = 2^(-length / half-life)`. Without a
    /// half-life only the newest period counts, `D = 0`.
    pub fn with_half_life(length: Seconds, half_life: Option<Seconds>) -> Self {
        let seconds = |it: Seconds| it.get() as f64;
        let factor = half_life
            .map_or(0.0, |half_life| (-seconds(length) / seconds(half_life).max(1.0)).exp2());
        Self { length_s: seconds(length), factor }
    }

    /// What a period counts that is so many periods older than the newest.
    pub fn weight(self, age: u32) -> f64 {
        // Nothing to the power of nothing is one: the newest always counts.
        if age == 0 { 1.0 } else { self.factor.powf(f64::from(age)) }
    }

    /// What was used, by periods, the newest first (equation 2).
    pub fn used(self, by_period: impl IntoIterator<Item = f64>) -> f64 {
        (0..).zip(by_period).map(|(age, used)| self.weight(age) * used).sum()
    }

    /// What there was to use in so many periods, of which each second had `per_second` (the denominator of equation 3).
    pub fn available(self, per_second: f64, periods: u32) -> f64 {
        let weights: f64 = (0..periods).map(|age| self.weight(age)).sum();
        per_second * self.length_s * weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Seconds = Seconds::new(3600);

    /// The paper's example (III-B): on 50 processors, of which the last 100 hours alone count, five jobs of 30 hours on 10
    /// processors are 5 x 30 x 10 of 50 x 100 processor-hours: 0.3.
    #[test]
    fn the_papers_example_is_three_tenths() {
        let periods = UsagePeriods::with_half_life(Seconds::new(100 * 3600), None);
        let used = periods.used([5.0 * 30.0 * 10.0 * 3600.0, 1e12]);
        assert!((used / periods.available(50.0, 2) - 0.3).abs() < 1e-12);
    }

    /// Hours with a half-life of two: weights 1, 0.7071, 0.5, 0.3536. 8 + 0.7071 x 4 + 0.5 x 2 = 11.828. Of 10 a second, four
    /// hours had 10 x 3600 x 2.56066 = 92,183.77.
    #[test]
    fn a_period_a_half_life_older_counts_half() {
        let periods = UsagePeriods::with_half_life(HOUR, Some(Seconds::new(7200)));
        assert!((periods.weight(2) - 0.5).abs() < 1e-12);
        assert!((periods.used([8.0, 4.0, 2.0]) - 11.828_427).abs() < 1e-6);
        assert!((periods.available(10.0, 4) - 92_183.766).abs() < 1e-3);
        assert!(periods.available(10.0, 0).abs() < 1e-12);
    }
}
