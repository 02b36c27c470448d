//! Quantiles of values that are not kept: values that agree in their first eleven binary digits are
//! counted together, 1,024 counters for each power of two. Whole numbers below 2,048 are exact.

use serde::Serialize;

/// The digits of a double after the first eleven.
const DROPPED: u32 = 52 - 10;
/// Values below are nothing: a microsecond.
const LEAST: f64 = 1e-6;

/// The least values that so many per cent of the jobs do not exceed, rounded down by less than a
/// thousandth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Shares {
    pub p25: f64,
    pub p50: f64,
    pub p75: f64,
    pub p90: f64,
    pub p95: f64,
    pub p99: f64,
}

/// Counts of values by size.
#[derive(Debug, Default)]
pub struct Quantiles {
    count: u64,
    nothing: u64,
    counts: Vec<u64>,
}

impl Quantiles {
    /// Counts a finite value of at least nothing.
    pub fn add(&mut self, value: f64) {
        self.add_times(value, 1);
    }

    /// Counts a finite value of at least nothing so many times.
    pub fn add_times(&mut self, value: f64, times: u64) {
        self.count += times;
        if value < LEAST {
            self.nothing += times;
            return;
        }
        let place = usize::try_from((value.to_bits() >> DROPPED) - Self::least()).unwrap_or(0);
        if self.counts.len() <= place {
            self.counts.resize(place + 1, 0);
        }
        self.counts[place] += times;
    }

    /// How many values were counted.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The quantiles.
    pub fn shares(&self) -> Shares {
        let at = |percent| self.quantile(percent);
        Shares { p25: at(25), p50: at(50), p75: at(75), p90: at(90), p95: at(95), p99: at(99) }
    }

    /// The values counted with how often, rounded down as quantiles are, the least first.
    pub fn values(&self) -> impl Iterator<Item = (f64, u64)> + '_ {
        let nothing = (self.nothing > 0).then_some((0.0, self.nothing));
        let others = (Self::least()..).zip(&self.counts).filter(|(_, count)| **count > 0);
        nothing
            .into_iter()
            .chain(others.map(|(place, count)| (f64::from_bits(place << DROPPED), *count)))
    }

    /// The least value counted that `percent` of the values do not exceed.
    pub fn quantile(&self, percent: u64) -> f64 {
        let hundredths = u128::from(self.count) * u128::from(percent);
        let rank = u64::try_from(hundredths.div_ceil(100)).unwrap_or(u64::MAX).max(1);
        let mut reached = self.nothing;
        if self.count == 0 || reached >= rank {
            return 0.0;
        }
        for (place, count) in (Self::least()..).zip(&self.counts) {
            reached += count;
            if reached >= rank {
                return f64::from_bits(place << DROPPED);
            }
        }
        0.0
    }

    const fn least() -> u64 {
        LEAST.to_bits() >> DROPPED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 0 to 99 the 25th value in order is 24, and so on.
    #[test]
    fn small_whole_numbers_are_exact() {
        let mut quantiles = Quantiles::default();
        for value in 0..100 {
            quantiles.add(f64::from(value));
        }
        let expected = Shares { p25: 24.0, p50: 49.0, p75: 74.0, p90: 89.0, p95: 94.0, p99: 98.0 };
        assert_eq!(quantiles.shares(), expected);
        assert_eq!(Quantiles::default().shares(), Shares::default());
    }

    #[test]
    fn large_values_are_rounded_down_by_less_than_a_thousandth() {
        let mut quantiles = Quantiles::default();
        quantiles.add(1_234_567.0);
        let p50 = quantiles.shares().p50;
        assert!(p50 <= 1_234_567.0 && p50 > 1_234_567.0 * 0.999);
    }
}
