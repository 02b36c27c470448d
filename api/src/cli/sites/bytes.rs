//! Sizes of data as people write them.

/// Units with what they are in bytes, those that others end with last.
const UNITS: [(&str, f64); 10] = [
    ("kib", 1024.0),
    ("mib", 1_048_576.0),
    ("gib", 1_073_741_824.0),
    ("tib", 1_099_511_627_776.0),
    ("kb", 1e3),
    ("mb", 1e6),
    ("gb", 1e9),
    ("tb", 1e12),
    ("pb", 1e15),
    ("b", 1.0),
];

/// The most that the service takes.
const MOST: f64 = 1e18;

/// A number of bytes, such as `25GB`, `300 MiB` or `1000`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the range is checked first"
)]
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    let lower = text.trim().to_ascii_lowercase();
    let found = UNITS.iter().find_map(|(unit, size)| Some((lower.strip_suffix(unit)?, *size)));
    let (number, unit) = found.unwrap_or((lower.as_str(), 1.0));
    let size = number.trim().parse::<f64>().ok().map(|number| (number * unit).round());
    let size = size.filter(|size| (0.0..=MOST).contains(size));
    size.map(|size| size as u64)
        .ok_or_else(|| "is no size of data such as 25GB, 300MiB or a number of bytes".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units_of_ten_or_of_two() {
        for (text, size) in [
            ("25GB", 25_000_000_000),
            ("1.5 kb", 1500),
            ("2MiB", 2_097_152),
            ("7", 7),
            ("1e9", 1_000_000_000),
            ("8B", 8),
        ] {
            assert_eq!(bytes(text), Ok(size), "{text}");
        }
        for wrong in ["", "GB", "-1", "1EB5", "many", "2e18"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }
}
