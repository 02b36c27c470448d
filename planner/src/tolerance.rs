//! How much more than the least is as good as the least: a step of a ranking.

/// A share of the least value: a value is within it exactly when
/// `value <= least + tolerance * |least|`. Zero, the default, is the paper's strict ranking.
///
/// It is applied as the shortest decimal that reads as the same double, to 20 decimals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tolerance {
    mantissa: u64,
    scale: u32,
}

/// The largest tolerance.
const MAX: f64 = 10.0;

/// Decimals that count: with the 17 digits of a double, products fit 128 bits.
const MAX_SCALE: usize = 20;

impl Tolerance {
    /// What a tolerance must be, for error messages.
    pub const RULE: &'static str = "must lie between 0 and 10";

    /// A tolerance; `None` outside `[0, 10]` and for NaN.
    pub fn new(value: f64) -> Option<Self> {
        if !(0.0..=MAX).contains(&value) {
            return None;
        }
        let text = format!("{}", value.abs());
        let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
        let decimals = &decimals[..decimals.len().min(MAX_SCALE)];
        let mantissa = format!("{whole}{decimals}").parse().ok()?;
        Some(Self { mantissa, scale: u32::try_from(decimals.len()).ok()? })
    }

    /// The tolerance as a double: 0.02 is 2 %.
    pub fn as_f64(self) -> f64 {
        self.mantissa as f64 / 10_f64.powi(i32::try_from(self.scale).unwrap_or(0))
    }

    /// The largest whole value within the tolerance, where `least` is at most 1e37 either way.
    pub const fn threshold(self, least: i128) -> i128 {
        let (unit, share, size) = (10_i128.pow(self.scale), self.mantissa as i128, least.abs());
        // Split so that no product leaves 128 bits; the floor of the sum is exact.
        least + size / unit * share + size % unit * share / unit
    }

    /// The largest whole value that is below `value` by at least the tolerance, where `value` is at
    /// most 1e37 either way.
    pub const fn gained(self, value: i128) -> i128 {
        -self.threshold(-value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2 % of 149 is 2.98: 151 is within (149 + 2.98 = 151.98), 152 is not. Of -149 the same: up
    /// to -149 + 2.98 = -146.02, so -147 is the largest whole value.
    #[test]
    fn the_threshold_is_the_largest_whole_value_within() {
        let tolerance = Tolerance::new(0.02).unwrap();
        assert_eq!(tolerance.threshold(149), 151);
        assert_eq!(tolerance.threshold(-149), -147);
        assert_eq!(tolerance.threshold(0), 0);
        assert_eq!(Tolerance::default().threshold(149), 149);
        let largest = 10_i128.pow(37);
        assert_eq!(Tolerance::new(1.0).unwrap().threshold(-largest), 0);
        assert_eq!(Tolerance::new(10.0).unwrap().threshold(largest), 11 * largest);
        assert_eq!(Tolerance::new(1e-300).unwrap().threshold(largest), largest);
        assert_eq!(Tolerance::new(10.1), None);
        assert_eq!(Tolerance::new(f64::NAN), None);
    }

    /// 0.123456789012345678 has 18 decimals; of 10^18 it is 123456789012345678 to the last of the
    /// double's digits (..680).
    #[test]
    fn every_digit_of_a_double_counts() {
        let tolerance = Tolerance::new(0.123_456_789_012_345_68).unwrap();
        assert_eq!(tolerance.threshold(10_i128.pow(18)), 1_123_456_789_012_345_680);
    }
}
