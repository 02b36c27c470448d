//! Exact decimal numbers: millionths from text, and fractions applied without binary rounding.

use std::cmp::Ordering;
use std::num::NonZeroU64;

use crate::quantity::{MILLION, Power};

/// Why a text is not a decimal number with at most six decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecimalError {
    /// Not a number.
    #[error("is not a number")]
    Malformed,
    /// More than six decimals.
    #[error("has more than 6 decimals")]
    TooFine,
    /// Beyond what quantities hold.
    #[error("is too large")]
    TooLarge,
}

/// Reads a JSON-style number (`-12.5`, `1e3`) as whole millionths.
///
/// # Errors
/// Anything finer than a millionth, so that no digit is dropped silently.
pub fn parse_millionths(text: &str) -> Result<i64, DecimalError> {
    let digits = Digits::parse(text).ok_or(DecimalError::Malformed)?;
    let shift = digits.exponent.saturating_add(6);
    let (mantissa, shift) = match digits.mantissa {
        0 => return Ok(0),
        mantissa => digits.without_trailing_zeros(mantissa, shift),
    };
    let power = u32::try_from(shift).map_err(|_| DecimalError::TooFine)?;
    let scale = 10_i128.checked_pow(power).ok_or(DecimalError::TooLarge)?;
    let millionths = mantissa.checked_mul(scale).ok_or(DecimalError::TooLarge)?;
    i64::try_from(millionths).map_err(|_| DecimalError::TooLarge)
}

/// Reads a JSON-style number and multiplies it by `factor * 10^exponent`, rounded to the nearest whole number,
/// halves away from zero: measurements come with more digits than they have accuracy.
///
/// # Errors
/// What is no number, and what is beyond an `i64`.
pub fn parse_scaled(text: &str, factor: i64, exponent: i32) -> Result<i64, DecimalError> {
    // No double needs as many characters; `Digits` gives up on more digits than it can hold.
    if text.len() > 38 {
        return Err(DecimalError::TooLarge);
    }
    let digits = Digits::parse(text).ok_or(DecimalError::Malformed)?;
    let mantissa = digits.mantissa.checked_mul(factor.into()).ok_or(DecimalError::TooLarge)?;
    let exponent = digits.exponent.saturating_add(exponent);
    let scale = 10_i128.checked_pow(exponent.unsigned_abs());
    let scaled = match scale {
        _ if mantissa == 0 => 0,
        Some(scale) if exponent >= 0 => {
            mantissa.checked_mul(scale).ok_or(DecimalError::TooLarge)?
        }
        Some(scale) => {
            let (whole, rest) = (mantissa / scale, mantissa % scale);
            if rest.unsigned_abs() >= scale.unsigned_abs().div_ceil(2) {
                whole + mantissa.signum()
            } else {
                whole
            }
        }
        None if exponent >= 0 => return Err(DecimalError::TooLarge),
        None => 0,
    };
    i64::try_from(scaled).map_err(|_| DecimalError::TooLarge)
}

/// A decimal number as `mantissa * 10^exponent`.
struct Digits {
    mantissa: i128,
    exponent: i32,
}

impl Digits {
    fn parse(text: &str) -> Option<Self> {
        let (number, exponent) = match text.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (negative, number) = match number.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, number),
        };
        let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
        let decimals = decimals.trim_end_matches('0');
        let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !all_digits(whole) || !all_digits(decimals) {
            return None;
        }
        let significant = format!("{whole}{decimals}");
        let mantissa = match significant.trim_start_matches('0') {
            "" => 0,
            digits if digits.len() <= 38 => digits.parse::<i128>().ok()?,
            _ => return Some(Self::beyond_range(whole)),
        };
        let exponent = exponent.checked_sub(i32::try_from(decimals.len()).ok()?)?;
        Some(Self { mantissa: if negative { -mantissa } else { mantissa }, exponent })
    }

    /// More than 38 digits: either far too large or far too fine; both are refused later.
    fn beyond_range(whole: &str) -> Self {
        let large = whole.trim_start_matches('0').len() > 19;
        Self { mantissa: 1, exponent: if large { 100 } else { -100 } }
    }

    fn without_trailing_zeros(&self, mut mantissa: i128, mut shift: i32) -> (i128, i32) {
        debug_assert_eq!(mantissa, self.mantissa);
        while shift < 0 && mantissa % 10 == 0 {
            mantissa /= 10;
            shift += 1;
        }
        (mantissa, shift)
    }
}

/// A number in `[0, 1]`: a node's `alpha` or a request's utilisation.
///
/// It is applied as the shortest decimal that reads as the same double (what was written, for up
/// to 15 digits), so that 0.35 of 10 uW is exactly 3.5 uW and rounds to even.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Fraction {
    value: f64,
    /// `value = mantissa / 10^scale`.
    mantissa: u64,
    scale: u32,
    /// `10^scale` where it fits.
    unit: Option<NonZeroU64>,
}

impl Fraction {
    /// One: fully used.
    pub const ONE: Self = Self { value: 1.0, mantissa: 1, scale: 0, unit: Some(NonZeroU64::MIN) };

    /// A fraction; `None` outside `[0, 1]` and for NaN.
    pub fn new(value: f64) -> Option<Self> {
        if !(0.0..=1.0).contains(&value) {
            return None;
        }
        let text = format!("{}", value.abs());
        let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
        let mantissa = format!("{whole}{decimals}").parse().ok()?;
        let scale = u32::try_from(decimals.len()).ok()?;
        let unit = 10_u64.checked_pow(scale).and_then(NonZeroU64::new);
        Some(Self { value: value.abs(), mantissa, scale, unit })
    }

    /// The number as a double.
    pub const fn as_f64(self) -> f64 {
        self.value
    }

    /// This fraction of `power`, rounded half to even.
    pub fn of(self, power: Power) -> Power {
        self.between(Power::ZERO, power)
    }

    /// `low + self * (high - low)`, rounded half to even; `low <= high`.
    #[inline]
    pub fn between(self, low: Power, high: Power) -> Power {
        let range = (high - low).as_microwatts().unsigned_abs();
        // Short decimals of ordinary powers fit one word, which divides several times faster.
        let short = self.unit.zip(self.mantissa.checked_mul(range));
        let (floor, part) = if let Some((unit, product)) = short {
            let part = product % unit;
            // The part against what it lacks of the unit, since its double may not fit.
            (u128::from(product / unit), part.cmp(&(unit.get() - part)))
        } else {
            // The product is below 1e17 * 1e17: beyond 36 decimals nothing is left to round.
            let Some(unit) = 10_u128.checked_pow(self.scale).filter(|_| self.scale <= 36) else {
                return low;
            };
            let product = u128::from(self.mantissa) * u128::from(range);
            (product / unit, (product % unit * 2).cmp(&unit))
        };
        let floor = low.as_microwatts() + i64::try_from(floor).unwrap_or(i64::MAX);
        let up = match part {
            Ordering::Less => false,
            Ordering::Equal => floor % 2 != 0,
            Ordering::Greater => true,
        };
        Power::from_microwatts(floor + i64::from(up))
    }
}

/// Millionths as the shortest decimal text.
pub fn format_millionths(millionths: i64) -> String {
    let sign = if millionths < 0 { "-" } else { "" };
    let magnitude = millionths.unsigned_abs();
    let (whole, part) = (magnitude / MILLION.unsigned_abs(), magnitude % MILLION.unsigned_abs());
    let decimals = format!("{part:06}");
    match decimals.trim_end_matches('0') {
        "" => format!("{sign}{whole}"),
        decimals => format!("{sign}{whole}.{decimals}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_numbers_exactly() {
        assert_eq!(parse_millionths("76.3"), Ok(76_300_000));
        assert_eq!(parse_millionths("-0.000001"), Ok(-1));
        assert_eq!(parse_millionths("1.5e3"), Ok(1_500_000_000));
        assert_eq!(parse_millionths("2500e-9"), Err(DecimalError::TooFine));
        assert_eq!(parse_millionths("1000e-9"), Ok(1));
        assert_eq!(parse_millionths("76.3000000"), Ok(76_300_000));
        assert_eq!(parse_millionths("0.0000001"), Err(DecimalError::TooFine));
        assert_eq!(parse_millionths("1e300"), Err(DecimalError::TooLarge));
        assert_eq!(parse_millionths("9999999999999.999999"), Err(DecimalError::TooLarge));
        for text in ["", "-", ".5", "NaN", "1,5", "1e", "0x1", "--1", "+1"] {
            assert_eq!(parse_millionths(text), Err(DecimalError::Malformed), "{text}");
        }
    }

    /// 0.35 x 10 uW = 3.5, to even 4; 0.45 x 10 uW = 4.5, to even 4; 0.5 between 1 and 4 uW is
    /// 2.5, to even 2; 0.5 between 2 and 3 is 2.5, to even 2; 0.5 between 3 and 4 is 3.5, to 4.
    #[test]
    fn rounds_half_to_even_in_decimal() {
        let of = |value, low, high| {
            let (low, high) = (Power::from_microwatts(low), Power::from_microwatts(high));
            Fraction::new(value).unwrap().between(low, high).as_microwatts()
        };
        assert_eq!(of(0.35, 0, 10), 4);
        assert_eq!(of(0.45, 0, 10), 4);
        assert_eq!(of(0.5, 1, 4), 2);
        assert_eq!(of(0.5, 2, 3), 2);
        assert_eq!(of(0.5, 3, 4), 4);
        assert_eq!(of(1e-300, 7, 1_000_000), 7);
        assert_eq!(of(1.0, 7, 1_000_000), 1_000_000);
        assert_eq!(Fraction::new(f64::NAN), None);
        assert_eq!(Fraction::new(1.000_000_1), None);
    }

    #[test]
    fn writes_what_it_reads() {
        for text in ["0", "-76.3", "0.000001", "12000", "-0.5"] {
            assert_eq!(format_millionths(parse_millionths(text).unwrap()), text);
        }
    }
}
