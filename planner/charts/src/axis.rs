//! Axes of y that are linear or go by powers of ten.

use crate::scale::{plain, ticks};

/// How far values are apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// By their differences.
    Linear,
    /// By their ratios; values are above zero.
    Log,
    /// By the ratios of values and one: zero has a place, values are at least zero.
    LogFromZero,
}

/// A range of values on an axis.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    spacing: Spacing,
    ends: (f64, f64),
    /// Where ticks are, and what stands there.
    pub ticks: Vec<(f64, String)>,
}

impl Range {
    /// Around all of these values.
    pub fn around(spacing: Spacing, values: impl Iterator<Item = f64>) -> Self {
        let ends = values.filter(|it| it.is_finite()).fold(None, |ends: Option<(f64, f64)>, it| {
            let (least, most) = ends.unwrap_or((it, it));
            Some((least.min(it), most.max(it)))
        });
        let (least, most) = ends.unwrap_or((0.0, 1.0));
        match spacing {
            Spacing::Linear => {
                let all = ticks(least, most, 5.0);
                let step = all[1] - all[0];
                let ends = (all[0], all[all.len() - 1]);
                let named = all.iter().map(|tick| (*tick, plain(*tick, step)));
                Self { spacing, ends, ticks: named.collect() }
            }
            Spacing::Log => Self::of_powers(spacing, least.max(1e-9), most.max(1e-9)),
            Spacing::LogFromZero => Self::of_powers(spacing, 0.0, most.max(1.0)),
        }
    }

    fn of_powers(spacing: Spacing, least: f64, most: f64) -> Self {
        let floor = if least > 0.0 { least.log10().floor() } else { 0.0 };
        let wide = most.log10().ceil() - floor > 2.0;
        let parts: &[f64] = if wide { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let mut all: Vec<f64> = if least > 0.0 { Vec::new() } else { vec![0.0] };
        let mut power = 10_f64.powf(floor);
        while all.last().is_none_or(|last| *last < most) && all.len() < 60 {
            for part in parts {
                if all.last().is_none_or(|last| *last < most) {
                    all.push(part * power);
                }
            }
            power *= 10.0;
        }
        // The last tick at or below the least value is where the axis begins.
        let begin = all.iter().rposition(|tick| *tick <= least * 1.000_001).unwrap_or(0);
        let all = &all[begin..];
        let ends = match all {
            [one] => (*one, one * 10.0 + 1.0),
            all => (all[0], all[all.len() - 1]),
        };
        let label = |tick: f64| match tick {
            tick if tick > 0.0 && tick < 1e-3 => format!("{tick:.0e}"),
            tick => plain(tick, tick),
        };
        let ticks = all.iter().map(|tick| (*tick, label(*tick))).collect();
        Self { spacing, ends, ticks }
    }

    /// Where a value is between the ends, from 0 to 1.
    pub fn place(&self, value: f64) -> f64 {
        let of = |value: f64| match self.spacing {
            Spacing::Linear => value,
            Spacing::Log => value.max(1e-9).log10(),
            Spacing::LogFromZero => value.max(0.0).ln_1p(),
        };
        let (least, most) = (of(self.ends.0), of(self.ends.1));
        ((of(value) - least) / (most - least)).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(range: &Range) -> Vec<&str> {
        range.ticks.iter().map(|(_, name)| name.as_str()).collect()
    }

    #[test]
    fn powers_of_ten_are_equally_far_apart() {
        let range = Range::around(Spacing::Log, [1.0, 4_000.0].into_iter());
        assert_eq!(labels(&range), ["1", "10", "100", "1000", "10\u{202f}000"]);
        assert!((range.place(100.0) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn within_two_powers_there_are_ticks_between() {
        let range = Range::around(Spacing::Log, [0.3, 4.0].into_iter());
        assert_eq!(labels(&range), ["0.2", "0.5", "1", "2", "5"]);
        assert_eq!((range.place(0.2), range.place(5.0)), (0.0, 1.0));
    }

    #[test]
    fn very_small_numbers_are_powers() {
        let range = Range::around(Spacing::Log, [0.000_02, 0.5].into_iter());
        assert_eq!(labels(&range)[1..], ["1e-4", "0.001", "0.01", "0.1", "1"]);
    }

    #[test]
    fn zero_has_a_place() {
        let range = Range::around(Spacing::LogFromZero, [0.0, 800.0].into_iter());
        assert_eq!(labels(&range), ["0", "1", "10", "100", "1000"]);
        let one = Range::around(Spacing::Log, [1.0].into_iter());
        let places = (range.place(0.0), range.place(1000.0), one.place(1.0));
        assert_eq!(places, (0.0, 1.0, 0.0));
    }
}
