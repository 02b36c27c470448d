//! Mutated payloads: no parser panics, and none takes nonsense for a value.
//!
//! | variable | what it says |
//! |---|---|
//! | `WATTBOOK_PROPERTY_CASES` | how many cases each parser is given |
//! | `WATTBOOK_FUZZ_SECONDS` | for how long each parser is given cases instead |
//! | `WATTBOOK_FUZZ_AT_ONCE` | how many parsers at a time |
//! | `WATTBOOK_FUZZ_PARSERS` | a part of the names of the only ones to try |
//!
//! What fails is made as small as can be and printed.

#![expect(clippy::unwrap_used, reason = "a test may panic wherever it is")]

mod document;
mod europe;
mod every_parser;
mod mutation;
mod pacific;
mod parser;
mod payload;

use proptest::prelude::*;
use proptest::sample::Index;

use self::parser::payloads;

/// What a broken supplier writes where a number should be.
const JUNK: [&str; 12] = [
    "\"NaN\"", "\"\"", "\"-\"", "\"n/a\"", "\"1,5\"", "\"0x10\"", "\"+7\"", "\" 7\"", "NaN",
    "true", "[]", "{}",
];

fn cases() -> ProptestConfig {
    let cases = std::env::var("WATTBOOK_PROPERTY_CASES").ok().and_then(|text| text.parse().ok());
    ProptestConfig { cases: cases.unwrap_or(400), failure_persistence: None, ..Default::default() }
}

#[test]
fn payloads_are_read_as_they_are() {
    for payload in payloads() {
        let series = (payload.read)(payload.text).unwrap();
        let values: Vec<i64> =
            series.agenda.pieces().iter().map(|piece| piece.value.value).collect();
        assert_eq!(values, payload.values, "{}", payload.name);
    }
}

proptest! {
    #![proptest_config(cases())]

    /// Whatever stands where a value should be: it is refused or missing, never another value.
    #[test]
    fn junk_for_a_value_never_becomes_a_value(
        which in any::<Index>(),
        junk in prop::sample::select(&JUNK[..]),
    ) {
        for payload in payloads().filter(|payload| !payload.written.is_empty()) {
            let value = payload.written[which.index(payload.written.len())];
            let junk = if payload.text.starts_with('<') { junk.trim_matches('"') } else { junk };
            let mutated = payload.text.replacen(value, &value.replace(number(value), junk), 1);
            prop_assert_ne!(&mutated, payload.text);
            if let Ok(series) = (payload.read)(&mutated) {
                for piece in series.agenda.pieces() {
                    let known = payload.values.contains(&piece.value.value);
                    prop_assert!(known, "{}: {junk} became {:?}", payload.name, piece.value);
                }
            }
        }
    }
}

/// The number in a piece of a payload such as `"price": 10.5,`.
fn number(written: &str) -> &str {
    let from = written.find(|first: char| first.is_ascii_digit() || first == '-').unwrap();
    let rest = &written[from..];
    let length = rest.find(|next: char| !(next.is_ascii_digit() || "-.".contains(next)));
    &rest[..length.unwrap_or(rest.len())]
}
