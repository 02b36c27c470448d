//! A distribution by a fixed set of numbers.

use serde::{Deserialize, Serialize};

use crate::quantiles::Quantiles;

/// The ends, the mean and some quantiles of a distribution; all are 0 where there was no value. Quantiles are rounded down by less
/// than a thousandth, or as [`Spread::without`] says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Spread {
    pub mean: f64,
    pub least: f64,
    pub p05: f64,
    pub p25: f64,
    pub p50: f64,
    pub p75: f64,
    pub p95: f64,
    pub most: f64,
}

/// Values that become a [`Spread`].
#[derive(Debug, Default)]
pub(super) struct Values {
    quantiles: Quantiles,
    sum: f64,
    ends: Option<(f64, f64)>,
}

impl Values {
    pub fn add(&mut self, value: f64) {
        self.add_times(value, 1);
    }

    /// A value that lasted so long, or came so often.
    pub fn add_times(&mut self, value: f64, times: u64) {
        if times == 0 {
            return;
        }
        self.quantiles.add_times(value, times);
        self.sum += value * times as f64;
        let (least, most) = self.ends.unwrap_or((value, value));
        self.ends = Some((least.min(value), most.max(value)));
    }

    pub const fn is_empty(&self) -> bool {
        self.ends.is_none()
    }

    pub fn spread(&self) -> Spread {
        let Some((least, most)) = self.ends else { return Spread::default() };
        // Rounded down, a quantile may be below the least value.
        let at = |percent| self.quantiles.quantile(percent).clamp(least, most);
        Spread {
            mean: self.sum / self.quantiles.count() as f64,
            least,
            p05: at(5),
            p25: at(25),
            p50: at(50),
            p75: at(75),
            p95: at(95),
            most,
        }
    }

    /// Values and how often, in steps of less than 1 %: 128 for each power of two.
    pub fn counts(&self) -> Vec<(f64, u64)> {
        let mut counts: Vec<(f64, u64)> = Vec::new();
        for (value, count) in self.quantiles.values() {
            let rounded = f64::from_bits(value.to_bits() >> DROPPED << DROPPED);
            match counts.last_mut() {
                Some((last, sum)) if last.to_bits() == rounded.to_bits() => *sum += count,
                _ => counts.push((rounded, count)),
            }
        }
        counts
    }
}

/// The digits of a double after the first eight.
const DROPPED: u32 = 52 - 7;

impl Spread {
    /// The distribution of these counts without so many of the least values. `all` is that of every value: the mean and the most are
    /// exact by it, if the values left out are equal to its least. Quantiles are rounded down by less than 1 %.
    pub fn without(counts: &[(f64, u64)], all: &Self, left_out: u64) -> Self {
        let count: u64 = counts.iter().map(|(_, count)| count).sum();
        let left = count.saturating_sub(left_out);
        if left == 0 {
            return Self::default();
        }
        let at = |percent: u64| {
            let rank = left_out + (left * percent).div_ceil(100).max(1);
            let mut reached = 0;
            let place = counts.iter().find(|(_, count)| {
                reached += count;
                reached >= rank
            });
            place.map_or(all.most, |(value, _)| value.clamp(all.least, all.most))
        };
        let sum = all.mean * count as f64 - all.least * left_out as f64;
        Self {
            mean: sum / left as f64,
            least: at(0),
            p05: at(5),
            p25: at(25),
            p50: at(50),
            p75: at(75),
            p95: at(95),
            most: all.most,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 six times, then 2, 4, 8 and 16. Without four of the ones six values are left, 1 1 2 4 8 16: their sum is 32, the median is
    /// the third, the third quartile the fifth (4.5 rounded up).
    #[test]
    fn the_least_values_can_be_left_out() {
        let mut values = Values::default();
        values.add_times(1.0, 6);
        for value in [2.0, 4.0, 8.0, 16.0] {
            values.add(value);
        }
        let all = values.spread();
        assert_eq!((all.mean, all.least, all.p50, all.most), (3.6, 1.0, 1.0, 16.0));
        let left = Spread::without(&values.counts(), &all, 4);
        assert!((left.mean - 32.0 / 6.0).abs() < 1e-12);
        assert_eq!((left.least, left.p25, left.p50, left.p75), (1.0, 1.0, 2.0, 8.0));
        assert_eq!((left.p95, left.most), (16.0, 16.0));
        assert_eq!(Spread::without(&values.counts(), &all, 10), Spread::default());
    }

    /// For 1 s nothing is used, for 3 s half.
    #[test]
    fn values_weigh_by_how_long_they_last() {
        let mut values = Values::default();
        values.add_times(0.0, 1_000_000);
        values.add_times(0.5, 3_000_000);
        let spread = values.spread();
        assert_eq!((spread.mean, spread.p25, spread.p50), (0.375, 0.0, 0.5));
    }
}
