//! Ways in for the fuzzer: what a server answers, read as if it had been asked. Whether anything could be read is told.

use planner::agenda::Agenda;
use planner::quantity::Currency;
use planner::time::{Seconds, Timestamp};
use serde_json::Value;

use crate::map::EventReader;
use crate::wire::{Event, Program, SentReport};

/// A program with its events, `{"program": {...}, "events": [...]}`, as they are read at 2026-03-10T06:00:00Z for ten days.
///
/// # Panics
/// What was read is in no order.
pub fn events(text: &str) -> bool {
    let Ok(document) = serde_json::from_str::<Value>(text) else { return false };
    let Some(program) = Program::named("power", &document["program"]) else { return false };
    let events = document["events"].as_array().into_iter().flatten();
    let events: Vec<Event> =
        (1..).zip(events).map(|(number, it)| Event::read(it, number)).collect();
    let now = Timestamp::from_unix_seconds(1_773_122_400);
    let until = now + Seconds::new(864_000);
    let reader = EventReader { now, until, currency: Currency::EUR, targets: &[] };
    let word = reader.word(&program, &events);
    check_order(&word.price.said);
    check_order(&word.co2.said);
    check_order(&word.power_cap.said);
    let _ = word.unread();
    !events.is_empty()
}

/// A report that was sent.
pub fn report(text: &str) -> bool {
    let document = serde_json::from_str::<Value>(text).unwrap_or_default();
    let report = SentReport::of("wattbook", &document);
    report.is_some_and(|report| report.to_event("e2")["eventID"] == "e2")
}

fn check_order<V: Copy>(agenda: &Agenda<V>) {
    let ends = agenda.pieces().iter().map(|piece| piece.span.end());
    let starts = agenda.pieces().iter().skip(1).map(|piece| piece.span.start());
    assert!(ends.zip(starts).all(|(end, start)| end <= start), "pieces overlap");
}
