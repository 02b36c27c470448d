//! Changes of a text such as broken suppliers make.

use proptest::prelude::*;
use proptest::sample::Index;

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
pub enum Mutation {
    Delete(Index, usize),
    Repeat(Index, usize),
    Insert(Index, &'static str),
    Flip(Index, u8),
    Number(Index, &'static str),
    Truncate(Index),
}

/// Any change.
pub fn mutation() -> impl Strategy<Value = Mutation> {
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
    /// The text with the change; never less than valid UTF-8.
    pub fn apply(&self, text: &str) -> String {
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
