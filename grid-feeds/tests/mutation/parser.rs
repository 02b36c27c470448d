//! All parsers that read from outside, for mutations and for the fuzzer (`fuzz/fuzz_targets/feeds.rs`).

use planner::time::Timestamp;

use crate::document::DOCUMENTS;
use crate::europe::EUROPE;
use crate::pacific::PACIFIC;
use crate::payload::{PAYLOADS, Payload};

/// A parser, and a text that it takes.
pub struct Parser {
    pub name: &'static str,
    pub text: &'static str,
    /// Whether it accepts a text; panics where it accepts nonsense.
    pub accepts: Box<dyn Fn(&str) -> bool + Send + Sync>,
}

/// All payloads of suppliers.
pub fn payloads() -> impl Iterator<Item = &'static Payload> {
    PAYLOADS.iter().chain(EUROPE).chain(PACIFIC)
}

/// All of them.
pub fn parsers() -> Vec<Parser> {
    let payloads = payloads().map(|payload| Parser {
        name: payload.name,
        text: payload.text,
        accepts: Box::new(|text| accepts_what_is_sensible(payload, text)),
    });
    let documents = DOCUMENTS.iter().map(|document| Parser {
        name: document.name,
        text: document.text,
        accepts: Box::new(document.accepts),
    });
    payloads.chain(documents).collect()
}

/// What must hold of anything that a parser accepts.
fn accepts_what_is_sensible(payload: &Payload, text: &str) -> bool {
    let Ok(series) = (payload.read)(text) else { return false };
    let mut covered_until = Timestamp::MIN;
    for piece in series.agenda.pieces() {
        assert!(series.kind.admits(piece.value.value), "{piece:?}");
        assert!(piece.span.start() >= covered_until, "{piece:?} is out of order");
        covered_until = piece.span.end();
    }
    assert!(covered_until <= Timestamp::MAX, "ends {covered_until}");
    true
}
