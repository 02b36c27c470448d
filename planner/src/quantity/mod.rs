//! Physical quantities as types: private representation, unit in the constructor's name.
//!
//! What decides is exact: power is whole microwatts, rates are whole millionths of their unit,
//! time is whole seconds, and their products are `i128`. `f64` appears only on the way out.
//!
//! | type | represents | exact unit |
//! |---|---|---|
//! | [`Power`] | watts | uW |
//! | [`Energy`] | joules | uJ |
//! | [`EnergyPrice`] | currency per MWh | 1e-6 of it |
//! | [`CarbonIntensity`] | g per kWh | 1e-6 of it |
//! | [`Money`] | currency | uW x 1e-6 currency/MWh x s = 1 / 3.6e21 currency |
//! | [`CarbonMass`] | grams of CO2 | uW x 1e-6 g/kWh x s = 1 / 3.6e18 g |
//!
//! The limits below keep every product inside `i128`: 1e17 uW x 1e12 x 1e8 s = 1e37 < 1.7e38.

mod billing;
mod carbon;
mod money;
mod power;

pub use carbon::{CarbonIntensity, CarbonMass};
pub use money::{Currency, CurrencyError, EnergyPrice, Money};
pub use power::{Energy, Power};

/// Millionths in one unit: the finest step any quantity has.
pub const MILLION: i64 = 1_000_000;

/// The limit of a power, and of the sum over all nodes: 1e11 W, a thousand large power stations.
pub const MAX_POWER_MICROWATTS: i64 = 100_000_000_000 * MILLION;

/// The limit of a price or an intensity, either sign: a million units.
pub const MAX_RATE_MILLIONTHS: i64 = MILLION * MILLION;

/// A value per unit of energy that holds over a span, so that it can be integrated.
pub trait Rate: Copy + PartialEq {
    /// The exact value in millionths of the unit.
    fn as_millionths(self) -> i64;
}

/// The integral over time of a [`Rate`], in millionths of its unit times seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Integral<R> {
    millionth_seconds: i128,
    rate: std::marker::PhantomData<R>,
}

impl<R: Rate> Integral<R> {
    /// From millionths of the rate's unit times seconds.
    pub const fn from_millionth_seconds(millionth_seconds: i128) -> Self {
        Self { millionth_seconds, rate: std::marker::PhantomData }
    }

    /// Millionths of the rate's unit times seconds.
    pub const fn as_millionth_seconds(self) -> i128 {
        self.millionth_seconds
    }
}

/// `exact / unit` to 15 decimals, as the nearest double: it prints as the decimal it is.
fn ratio(exact: i128, unit: i128) -> f64 {
    const DECIMALS: i128 = 1_000_000_000_000_000;
    const EXACT_IN_A_DOUBLE: u128 = 1 << 53;
    if exact.unsigned_abs() <= EXACT_IN_A_DOUBLE && DECIMALS % unit == 0 {
        // Both are doubles, and no decimal is cut off: the quotient is rounded once.
        return exact as f64 / unit as f64;
    }
    let (whole, rest) = (exact.div_euclid(unit), exact.rem_euclid(unit));
    let scaled = whole * DECIMALS + (rest * DECIMALS + unit / 2) / unit;
    // Dividing two doubles would round twice; reading decimal text rounds once.
    format!("{scaled}e-15").parse().unwrap_or(f64::NAN)
}

/// The exact amount that is printed as `value` in units of which it has `unit` parts: the decimal that
/// reads as this double, rounded to a whole part. `None` for what is no number or is too large.
fn exact(value: f64, unit: i128) -> Option<i128> {
    exact_of_millionths(value, unit).or_else(|| exact_of_text(value, unit))
}

/// Amounts with few decimals, which most have, are found without text. At most fifteen digits are another double for each decimal: the one
/// that is read as `value` is the one that it is printed as.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked first")]
fn exact_of_millionths(value: f64, unit: i128) -> Option<i128> {
    const ALL_DIFFER: f64 = 1e15;
    let million = i128::from(MILLION);
    let millionths = (value * MILLION as f64).round();
    let is_it =
        millionths.abs() < ALL_DIFFER && (millionths / MILLION as f64).total_cmp(&value).is_eq();
    (is_it && unit % million == 0).then(|| millionths as i128 * (unit / million))
}

fn exact_of_text(value: f64, unit: i128) -> Option<i128> {
    let text = format!("{value:e}");
    let (mantissa, exponent) = text.split_once('e')?;
    let (whole, decimals) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut amount: i128 = format!("{whole}{decimals}").parse().ok()?;
    let mut power = exponent.parse::<i32>().ok()? - i32::try_from(decimals.len()).ok()?;
    // Powers of ten of the unit are taken off first, so that what is multiplied stays small.
    let mut unit = unit;
    while power < 0 && unit % 10 == 0 {
        unit /= 10;
        power += 1;
    }
    amount = amount.checked_mul(unit)?;
    let ten = |power: i32| 10_i128.checked_pow(power.unsigned_abs());
    if power >= 0 {
        return amount.checked_mul(ten(power)?);
    }
    let Some(divisor) = ten(power) else { return Some(0) };
    Some((amount + amount.signum() * (divisor / 2)) / divisor)
}

/// `amount * part / whole`, rounded towards zero, however large the product is. `whole` is positive.
pub(crate) fn proportion(amount: i128, part: i128, whole: i128) -> i128 {
    let (a, b, c) = (amount.unsigned_abs(), part.unsigned_abs(), whole.unsigned_abs());
    // `a = q * c + r`: what is left of the product is `r * b`, which is divided bit by bit.
    let (whole_part, rest) = (a / c, a % c);
    let (mut quotient, mut remainder) = (0_u128, 0_u128);
    for bit in (0..128 - b.leading_zeros()).rev() {
        (quotient, remainder) = (quotient << 1, remainder << 1);
        if b >> bit & 1 == 1 {
            remainder += rest;
        }
        // At most twice: both summands are below `c`.
        while remainder >= c {
            remainder -= c;
            quotient += 1;
        }
    }
    let magnitude = i128::try_from(whole_part * b + quotient).unwrap_or(i128::MAX);
    if (amount < 0) == (part < 0) { magnitude } else { -magnitude }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::time::Seconds;

    const UNIT: i128 = 3_600_000_000_000_000_000_000;

    #[test]
    fn what_was_printed_is_read_back_as_what_it_was() {
        for (value, unit, expected) in [
            (0.0, UNIT, 0),
            (1.58, UNIT, 158 * (UNIT / 100)),
            (-0.060_641_347_064_909, UNIT, -60_641_347_064_909 * (UNIT / 1_000_000_000_000_000)),
            (1_311_871.111_2, 1_000_000, 1_311_871_111_200),
            (1e10, 1_000_000, 10_000_000_000_000_000),
            (0.000_000_4, 1_000_000, 0),
        ] {
            assert_eq!(exact(value, unit), Some(expected), "{value}");
        }
        assert_eq!(exact(f64::NAN, 1), None);
        assert_eq!(exact(1e300, 1), None);
    }

    proptest! {
        /// Small amounts are the double that is nearest to the decimal, as larger ones are.
        #[test]
        fn small_amounts_are_rounded_once(amount in -20_000_000_000_000_000_i128..20_000_000_000_000_000) {
            let read: f64 = format!("{amount}e-6").parse().unwrap();
            prop_assert_eq!(ratio(amount, 1_000_000).to_bits(), read.to_bits());
        }

        /// What has few decimals is what its text says, as are the doubles beside it.
        #[test]
        fn few_decimals_are_as_their_text(amount in -1_200_000_000_000_000_i128..1_200_000_000_000_000, digits in 0_u32..16, off in -1_i64..=1) {
            for amount in [amount, amount / 10_i128.pow(digits)] {
                let value = f64::from_bits(ratio(amount, 1_000_000).to_bits().wrapping_add_signed(off));
                for unit in [UNIT, 3_600_000_000_000_000_000, 1_000_000, 1] {
                    prop_assert_eq!(exact(value, unit), exact_of_text(value, unit));
                }
            }
        }

        /// Money is printed to 15 decimals: what is read back prints as the same double.
        #[test]
        fn printed_again_it_is_the_same(amount in -100_000_000_000_000_000_000_000_000_i128..100_000_000_000_000_000_000_000_000) {
            for unit in [UNIT, 3_600_000_000_000_000_000, 1_000_000] {
                let printed = ratio(amount, unit);
                let read = exact(printed, unit).unwrap();
                prop_assert_eq!(ratio(read, unit).to_bits(), printed.to_bits());
            }
        }

        #[test]
        fn proportions_are_quotients_of_the_product(a: i64, b: i64, c in 1_i64..) {
            let (a, b, c) = (i128::from(a), i128::from(b), i128::from(c));
            prop_assert_eq!(proportion(a, b, c), a * b / c);
        }

        /// A product of 250 bits: `a * (b * c) / c` is `a * b`.
        #[test]
        fn proportions_of_large_amounts_are_exact(a in 0_i128..1 << 80, b in 0_i128..1 << 40, c in 1_i128..1 << 80) {
            prop_assert_eq!(proportion(a, b * c, c), a * b);
        }
    }

    /// 17.5 W for 12 h: 17.5 x 43,200 = 756,000 J = 0.21 kWh (paper, section VI-B, one node).
    /// At 180 EUR/MWh that is 0.00021 x 180 = 0.0378 EUR; at 100 g/kWh, 21 g.
    #[test]
    fn one_node_of_the_paper_for_half_a_day() {
        let power = Power::from_watts(17.5).unwrap();
        let length = Seconds::new(43_200);
        assert!(((power * length).as_joules() - 756_000.0).abs() < 1e-9);
        let price = Integral::<EnergyPrice>::from_millionth_seconds(180 * 1_000_000 * 43_200);
        let cost = power.times_price(price, Currency::EUR);
        assert!((cost.as_units() - 0.0378).abs() < 1e-15);
        let intensity =
            Integral::<CarbonIntensity>::from_millionth_seconds(100 * 1_000_000 * 43_200);
        assert!((power.times_intensity(intensity).as_grams() - 21.0).abs() < 1e-12);
    }
}
