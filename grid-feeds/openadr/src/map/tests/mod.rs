//! Every rule of reading, by events written by hand. Hours are those of 2026-03-10, UTC.

mod agendas;
mod capacity;
mod doubt;
mod timing;

use planner::quantity::{Currency, Power, Rate};
use planner::time::Timestamp;
use serde_json::{Value, json};

use super::{EventReader, SupplierWord};
use crate::wire::{Event, Program};

/// 2026-03-10T06:00:00Z.
const NOW: &str = "2026-03-10T06:00:00Z";

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn hour(hour: u32) -> Timestamp {
    at(&format!("2026-03-10T{hour:02}:00:00Z"))
}

fn program(descriptors: &Value) -> Program {
    let program = json!({
        "id": "p1", "createdDateTime": "2026-01-01T00:00:00Z",
        "modificationDateTime": "2026-01-01T00:00:00Z", "programName": "power",
        "payloadDescriptors": descriptors,
    });
    Program::named("power", &program).unwrap()
}

/// An event of the program, with these fields in place of the usual ones.
fn event(id: &str, fields: Value) -> Event {
    let mut event = json!({
        "id": id, "programID": "p1", "priority": null, "targets": [],
        "createdDateTime": "2026-03-09T00:00:00Z", "modificationDateTime": "2026-03-09T00:00:00Z",
        "intervalPeriod": {"start": "2026-03-10T08:00:00Z", "duration": "PT1H"},
    });
    let Value::Object(fields) = fields else { panic!("fields") };
    for (name, value) in fields {
        event[name] = value;
    }
    Event::read(&event, 1)
}

/// Intervals that follow one another, each with one value.
fn values(payload: &str, values: &[f64]) -> Value {
    let interval = |(id, value): (usize, &f64)| json!({"id": id, "payloads": [{"type": payload, "values": [value]}]});
    values.iter().enumerate().map(interval).collect()
}

/// Limits in kW from 08:00 on, an hour each.
fn limits(id: &str, kilowatts: &[f64]) -> Event {
    event(id, json!({"intervals": values("IMPORT_CAPACITY_LIMIT", kilowatts)}))
}

fn read(events: &[Event]) -> SupplierWord {
    read_with(&json!(null), &[], events)
}

fn read_with(descriptors: &Value, targets: &[String], events: &[Event]) -> SupplierWord {
    let until = at("2026-03-12T00:00:00Z");
    let reader = EventReader { now: at(NOW), until, currency: Currency::EUR, targets };
    reader.word(&program(descriptors), events)
}

/// Hours since midnight, -99 for no start and 99 for no end.
fn hours(instant: Timestamp) -> i64 {
    match instant {
        Timestamp::MIN => -99,
        Timestamp::MAX => 99,
        instant => (instant - hour(0)).get() / 3600,
    }
}

/// Start hour, end hour and W.
fn drawn(agenda: &planner::agenda::Agenda<Power>) -> Vec<(i64, i64, f64)> {
    let piece = |piece: &planner::agenda::Piece<Power>| {
        (hours(piece.span.start()), hours(piece.span.end()), piece.value.as_watts())
    };
    agenda.pieces().iter().map(piece).collect()
}

fn millionths<R: Rate>(agenda: &planner::agenda::Agenda<R>) -> Vec<i64> {
    agenda.pieces().iter().map(|piece| piece.value.as_millionths()).collect()
}
