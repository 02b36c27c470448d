//! Mutated payloads: no parser panics, and none takes nonsense for a value.
//!
//! `WATTBOOK_PROPERTY_CASES` says how many cases each property tries.

#![expect(clippy::unwrap_used, reason = "a test may panic wherever it is")]

mod payload;

use grid_feeds::feed::{FeedError, Series};
use planner::time::Timestamp;
use proptest::prelude::*;
use proptest::sample::Index;

use self::payload::{PAYLOADS, Payload};

/// What a broken supplier writes where a number should be.
const JUNK: [&str; 12] = [
    "\"NaN\"", "\"\"", "\"-\"", "\"n/a\"", "\"1,5\"", "\"0x10\"", "\"+7\"", "\" 7\"", "NaN",
    "true", "[]", "{}",
];

/// Texts that turn up in the wrong place.
const INSERTS: [&str; 16] = [
    "null",
    "-1",
    "1e999",
    "1e-999",
    "99999999999999999999",
    "0.00000000001",
    "\"",
    "}",
    "]",
    ",",
    "<",
    "</Point>",
    "2026-13-45T99:99Z",
    "9999-12-31T23:59Z",
    "PT1M",
    "\u{0}é",
];

/// One change of a text.
#[derive(Clone, Debug)]
enum Mutation {
    Delete(Index, usize),
    Repeat(Index, usize),
    Insert(Index, &'static str),
    Flip(Index, u8),
    Number(Index, &'static str),
    Truncate(Index),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let insert = prop::sample::select(&INSERTS[..]);
    prop_oneof![
        (any::<Index>(), 1_usize..40).prop_map(|(at, length)| Mutation::Delete(at, length)),
        (any::<Index>(), 1_usize..200).prop_map(|(at, length)| Mutation::Repeat(at, length)),
        (any::<Index>(), insert.clone()).prop_map(|(at, text)| Mutation::Insert(at, text)),
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Mutation::Flip(at, byte)),
        (any::<Index>(), insert).prop_map(|(at, text)| Mutation::Number(at, text)),
        any::<Index>().prop_map(Mutation::Truncate),
    ]
}

impl Mutation {
    fn apply(&self, text: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        if bytes.is_empty() {
            return String::new();
        }
        let range = |at: &Index, length: usize| {
            let from = at.index(bytes.len());
            from..(from + length).min(bytes.len())
        };
        match self {
            Self::Delete(at, length) => drop(bytes.drain(range(at, *length))),
            Self::Repeat(at, length) => {
                let range = range(at, *length);
                let copy = bytes[range.clone()].to_vec();
                bytes.splice(range.end..range.end, copy);
            }
            Self::Insert(at, text) => {
                let at = at.index(bytes.len());
                bytes.splice(at..at, text.bytes());
            }
            Self::Flip(at, byte) => {
                let at = at.index(bytes.len());
                bytes[at] ^= byte;
            }
            Self::Number(at, replacement) => {
                let numbers = numbers(text);
                if numbers.is_empty() {
                    return text.to_owned();
                }
                bytes.splice(numbers[at.index(numbers.len())].clone(), replacement.bytes());
            }
            Self::Truncate(at) => bytes.truncate(at.index(bytes.len())),
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// Where runs of digits are.
fn numbers(text: &str) -> Vec<std::ops::Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut from = 0;
    while from < bytes.len() {
        let length = bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if length > 0 {
            found.push(from..from + length);
        }
        from += length.max(1);
    }
    found
}

/// What must hold of anything that a parser accepts.
fn assert_sensible(payload: &Payload, series: &Series) {
    for piece in series.agenda.pieces() {
        assert!(series.kind.admits(piece.value.value), "{}: {piece:?}", payload.name);
        let years = Timestamp::MIN..=Timestamp::MAX;
        assert!(years.contains(&piece.span.start()), "{}: {}", payload.name, piece.span);
    }
}

fn cases() -> ProptestConfig {
    let cases = std::env::var("WATTBOOK_PROPERTY_CASES").ok().and_then(|text| text.parse().ok());
    ProptestConfig { cases: cases.unwrap_or(400), failure_persistence: None, ..Default::default() }
}

fn read(payload: &Payload, text: &str) -> Result<Series, FeedError> {
    (payload.read)(text)
}

#[test]
fn payloads_are_read_as_they_are() {
    for payload in PAYLOADS {
        let series = read(payload, payload.text).unwrap();
        let values: Vec<i64> =
            series.agenda.pieces().iter().map(|piece| piece.value.value).collect();
        assert_eq!(values, payload.values, "{}", payload.name);
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn no_mutation_makes_a_parser_panic_or_accept_the_impossible(
        mutations in prop::collection::vec(mutation(), 1..5),
    ) {
        for payload in PAYLOADS {
            let mutated =
                mutations.iter().fold(payload.text.to_owned(), |text, mutation| mutation.apply(&text));
            if let Ok(series) = read(payload, &mutated) {
                assert_sensible(payload, &series);
            }
        }
    }

    /// Whatever stands where a value should be: it is refused or missing, never another value.
    #[test]
    fn junk_for_a_value_never_becomes_a_value(
        which in any::<Index>(),
        junk in prop::sample::select(&JUNK[..]),
    ) {
        for payload in PAYLOADS.iter().filter(|payload| !payload.written.is_empty()) {
            let value = payload.written[which.index(payload.written.len())];
            let junk = if payload.text.starts_with('<') { junk.trim_matches('"') } else { junk };
            let mutated = payload.text.replacen(value, &value.replace(number(value), junk), 1);
            prop_assert_ne!(&mutated, payload.text);
            if let Ok(series) = read(payload, &mutated) {
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
