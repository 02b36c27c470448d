//! Suppliers' numbers, exactly: JSON numbers, numbers in strings, thousands commas.

use rust_decimal::{Decimal, RoundingStrategy};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// A JSON number, or a string that should hold one, as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Number(pub Box<str>);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let text = raw.get();
        if text.starts_with('"') {
            let text: String = serde_json::from_str(text).map_err(serde::de::Error::custom)?;
            return Ok(Self(text.into()));
        }
        if text.starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
            return Ok(Self(text.into()));
        }
        Err(serde::de::Error::custom("is not a number"))
    }
}

impl Number {
    /// The number; `None` for words such as `NaN` or `ND`.
    pub fn decimal(&self) -> Option<Decimal> {
        decimal(&self.0)
    }
}

/// Reads `-1234.5`, `1,234.5` and `1.2e3`; nothing else: no blanks, no `+`, no words. What is too
/// large for a decimal is the largest.
pub(crate) fn decimal(text: &str) -> Option<Decimal> {
    let text = without_thousands_commas(text)?;
    let framed = text.strip_prefix('-').unwrap_or(&text);
    let digits_first = framed.starts_with(|first: char| first.is_ascii_digit());
    let known =
        framed.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'-' | b'+'));
    if !digits_first || !known {
        return None;
    }
    let exact = if text.contains(['e', 'E']) {
        Decimal::from_scientific(&text).ok()
    } else {
        text.parse().ok()
    };
    exact.or_else(|| {
        let near: f64 = text.parse().ok()?;
        let largest = if near < 0.0 { Decimal::MIN } else { Decimal::MAX };
        (near.abs() > 1e20).then_some(largest)
    })
}

/// `value * factor` in whole millionths, rounded half to even; `None` beyond 64 bits.
pub(crate) fn millionths(value: Decimal, factor: Decimal) -> Option<i64> {
    let product = value.checked_mul(factor)?.checked_mul(Decimal::from(1_000_000))?;
    let whole = product.round_dp_with_strategy(0, RoundingStrategy::MidpointNearestEven);
    i64::try_from(whole).ok()
}

/// As [`millionths`], and beyond 64 bits the nearest there is, which is no possible value.
pub(crate) fn nearest_millionths(value: Decimal, factor: Decimal) -> i64 {
    let beyond =
        if value.is_sign_negative() == factor.is_sign_negative() { i64::MAX } else { i64::MIN };
    millionths(value, factor).unwrap_or(beyond)
}

/// `numerator / denominator`, rounded half to even; `None` for a denominator below 1 and beyond 64
/// bits.
pub(crate) fn ratio(numerator: i128, denominator: i128) -> Option<i64> {
    if denominator < 1 {
        return None;
    }
    let (floor, rest) = (numerator.div_euclid(denominator), numerator.rem_euclid(denominator));
    let up = match (rest * 2).cmp(&denominator) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Equal => floor % 2 != 0,
        std::cmp::Ordering::Greater => true,
    };
    i64::try_from(floor + i128::from(up)).ok()
}

/// `1,234,567.8` without commas; `None` where they do not part groups of three digits.
fn without_thousands_commas(text: &str) -> Option<String> {
    if !text.contains(',') {
        return Some(text.to_owned());
    }
    let (whole, rest) = text.find('.').map_or((text, ""), |point| text.split_at(point));
    let mut groups = whole.strip_prefix('-').unwrap_or(whole).split(',');
    let first = groups.next()?;
    let digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let grouped = (1..=3).contains(&first.len())
        && digits(first)
        && groups.all(|group| group.len() == 3 && digits(group));
    grouped.then(|| whole.replace(',', "") + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<i64> {
        millionths(decimal(text)?, Decimal::ONE)
    }

    #[test]
    fn thousands_commas_part_groups_of_three() {
        assert_eq!(read("1,234.5"), Some(1_234_500_000));
        assert_eq!(read("-12,345,678"), Some(-12_345_678_000_000));
        for text in ["1,5", "1,23.4", ",123", "1234,567", "1,,234", "0.1,234"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn words_and_blanks_are_no_numbers() {
        for text in
            ["", "-", "NaN", "inf", "ND", " 1", "1 ", "+1", ".5", "0x1", "1e", "--1", "1_000"]
        {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read("1e300"), None);
        assert_eq!(read("1.5E2"), Some(150_000_000));
    }

    /// 0.0000005 is half a millionth and rounds to the even 0, 0.0000015 to the even 2.
    #[test]
    fn finer_decimals_round_half_to_even() {
        assert_eq!(read("0.0000005"), Some(0));
        assert_eq!(read("0.0000015"), Some(2));
        assert_eq!(read("425.01605069"), Some(425_016_051));
    }

    #[test]
    fn what_is_too_large_is_a_number_and_the_largest_there_is() {
        let nearest = |text: &str| nearest_millionths(decimal(text).unwrap(), Decimal::ONE);
        for text in ["1e300", "1e14", "123456789012345678901234567890123456789"] {
            assert_eq!(nearest(text), i64::MAX, "{text}");
            assert_eq!(nearest(&format!("-{text}")), i64::MIN, "{text}");
        }
        assert_eq!(nearest("12.5"), 12_500_000);
    }

    #[test]
    fn json_numbers_and_strings_are_both_read() {
        let numbers: Vec<Number> = serde_json::from_str(r#"[489, "489", -1.5, "-3028"]"#).unwrap();
        let read: Vec<Option<Decimal>> = numbers.iter().map(Number::decimal).collect();
        assert_eq!(read, [Some(489.into()), Some(489.into()), decimal("-1.5"), decimal("-3028")]);
        assert!(serde_json::from_str::<Number>("true").is_err());
        let absent: Option<Number> = serde_json::from_str("null").unwrap();
        assert_eq!(absent, None);
    }
}
