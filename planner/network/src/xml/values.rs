//! Numbers with units, as `SimGrid` reads them.

/// A number with one of these units, or with none.
fn number(text: &str, units: impl IntoIterator<Item = (String, f64)>) -> Option<f64> {
    let text = text.trim();
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    // The e of 1e9 is no unit, and inf and nan are no digits.
    let unit = &text[digits.len()..];
    let factor = if unit.is_empty() {
        1.0
    } else {
        units.into_iter().find(|(name, _)| name == unit).map(|(_, factor)| factor)?
    };
    let value = digits.trim_end().parse::<f64>().ok()? * factor;
    Some(value).filter(|value| value.is_finite() && *value >= 0.0)
}

/// A unit with the prefixes of thousands, and of 1024s where it is bytes or bits.
fn prefixed(unit: &str, base: f64, binary: bool) -> Vec<(String, f64)> {
    let mut units = vec![(unit.to_owned(), base)];
    let (mut decimal, mut power) = (base, base);
    for letter in ["k", "M", "G", "T", "P", "E", "Z", "Y"] {
        decimal *= 1e3;
        power *= 1024.0;
        units.push((format!("{letter}{unit}"), decimal));
        if binary {
            units.push((format!("{}i{unit}", letter.to_uppercase()), power));
        }
    }
    units
}

/// Bytes a second: `125MBps`, `1Gbps`, `1.25e8`.
pub(super) fn bandwidth(text: &str) -> Option<f64> {
    let units = prefixed("Bps", 1.0, true).into_iter().chain(prefixed("bps", 0.125, true));
    number(text, units).filter(|bandwidth| *bandwidth > 0.0)
}

/// Seconds: `50us`, `1ms`, `0.001`.
pub(super) fn seconds(text: &str) -> Option<f64> {
    let units = [
        ("ps", 1e-12),
        ("ns", 1e-9),
        ("us", 1e-6),
        ("ms", 1e-3),
        ("s", 1.0),
        ("m", 60.0),
        ("h", 3_600.0),
        ("d", 86_400.0),
        ("w", 604_800.0),
    ];
    number(text, units.map(|(unit, factor)| (unit.to_owned(), factor)))
}

/// Operations a second: `1Gf`, `1e9`.
pub(super) fn speed(text: &str) -> Option<f64> {
    number(text, prefixed("f", 1.0, true)).filter(|speed| *speed > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_those_of_simgrid() {
        assert_eq!(bandwidth("125MBps"), Some(1.25e8));
        assert_eq!(bandwidth("1Gbps"), Some(1.25e8));
        assert_eq!(bandwidth("1KiBps"), Some(1024.0));
        assert_eq!(bandwidth("1.25e8"), Some(1.25e8));
        assert_eq!(seconds("50us"), Some(50.0 * 1e-6));
        assert_eq!(seconds("2 ms"), Some(0.002));
        assert_eq!(seconds("0"), Some(0.0));
        assert_eq!(speed("1Gf"), Some(1e9));
        for wrong in ["", "fast", "-1Gf", "1Gbps", "inf", "nan", "1e"] {
            assert_eq!(speed(wrong), None, "{wrong}");
        }
    }
}
