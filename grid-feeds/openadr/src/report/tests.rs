use planner::quantity::{Currency, Energy, Power};
use planner::time::{Seconds, Span, Timestamp};
use serde_json::{Value, json};

use super::{Contents, PlannedInterval, PowerRequest, QuietSpan, ReportKind, Used};
use crate::map::Fee;
use crate::wire::{Event, SentReport};

fn span(start_h: u32, end_h: u32) -> Span {
    let at = |hour| Timestamp::parse(&format!("2026-03-10T{hour:02}:00:00Z")).unwrap();
    Span::new(at(start_h), at(end_h)).unwrap()
}

fn watts(watts: f64) -> Power {
    Power::from_watts(watts).unwrap()
}

fn document(contents: Contents) -> Value {
    let report = contents.report("e1".parse().unwrap(), "site-1", None);
    serde_json::to_value(report).unwrap()
}

/// A report as the server gives it back.
fn sent(mut document: Value) -> SentReport {
    for (name, value) in [
        ("id", "r1"),
        ("clientID", "c"),
        ("createdDateTime", "2026-03-10T00:00:00Z"),
        ("modificationDateTime", "2026-03-10T00:00:00Z"),
    ] {
        document[name] = json!(value);
    }
    SentReport::of("site-1", &document).unwrap()
}

/// Of each interval its start, its duration and its payloads as `TYPE value`.
fn told(document: &Value) -> Vec<(String, String, Vec<String>)> {
    let resource = &document["resources"][0];
    assert_eq!(resource["resourceName"], "AGGREGATED_REPORT");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let interval = |interval: &Value| {
        let payloads = interval["payloads"]
            .as_array()
            .unwrap()
            .iter()
            .map(|payload| format!("{} {}", text(&payload["type"]), payload["values"][0]));
        let period = &interval["intervalPeriod"];
        (text(&period["start"]), text(&period["duration"]), payloads.collect())
    };
    resource["intervals"].as_array().unwrap().iter().map(interval).collect()
}

/// 40 kW over two hours are 80 kWh.
#[test]
fn a_plan_is_energy_expected_and_power_reserved() {
    let planned = PlannedInterval {
        span: span(8, 10),
        reserved_max: watts(55_500.0),
        expected: watts(40_000.0),
    };
    let document = document(Contents::plan(&[planned]));
    assert_eq!(
        told(&document),
        [(
            "2026-03-10T08:00:00+00:00".to_owned(),
            "P0Y0M0DT2H0M0S".to_owned(),
            vec!["USAGE_FORECAST 80.0".to_owned(), "DEMAND 55.5".to_owned()]
        )]
    );
    assert_eq!(document["reportName"], "wattbook-plan");
    assert_eq!(document["clientName"], "site-1");
    assert_eq!(document["payloadDescriptors"][0]["readingType"], "FORECAST");
    assert_eq!(document["payloadDescriptors"][0]["units"], "KWH");
    assert_eq!(document["payloadDescriptors"][1]["units"], "KW");
}

#[test]
fn a_request_is_spelt_as_in_the_table_and_begins_with_no_fee() {
    let fee = Fee { per_kw_millionths: 110_000, currency: Currency::EUR };
    let asked = [
        PowerRequest { span: span(9, 10), power: watts(50_000.0), fee_limit: None },
        PowerRequest { span: span(9, 11), power: watts(20_000.0), fee_limit: Some(fee) },
    ];
    let document = document(Contents::request(&asked));
    let told: Vec<_> = told(&document).into_iter().map(|(_, _, payloads)| payloads).collect();
    assert_eq!(
        told,
        [
            ["IMPORT_RESERVATION_CAPACITY 50.0", "IMPORT_RESERVATION_FEE 0.0"],
            ["IMPORT_RESERVATION_CAPACITY 20.0", "IMPORT_RESERVATION_FEE 0.11"],
        ]
    );
    assert_eq!(document["payloadDescriptors"][1]["units"], "EUR");
}

/// Announced were 02:00 to 04:00 and 20:00 to 22:00; now only 03:00 to 05:00 is quiet. The first was
/// moved, the second is withdrawn; what is over needs no withdrawal.
#[test]
fn a_warning_says_how_little_and_its_withdrawal_says_so() {
    let quiet = QuietSpan { span: span(3, 5), power: watts(2_000.0), less: watts(38_000.0) };
    let before = [span(0, 1), span(2, 4), span(20, 22)];
    let now = span(1, 2).start();
    let document = document(Contents::quiet(&[quiet], &before, now));
    let told = told(&document);
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!(
        told[0].2,
        ["LOAD_SHED_DELTA_AVAILABLE 38.0", "DEMAND 2.0", "OPERATING_STATE \"IDLE_NORMAL\""]
    );
    assert_eq!(told[1].0, "2026-03-10T20:00:00+00:00");
    assert_eq!(told[1].2, ["LOAD_SHED_DELTA_AVAILABLE 0.0", "OPERATING_STATE \"RUNNING_NORMAL\""]);
    assert!(Contents::quiet(&[], &[span(0, 1)], now).is_empty());
}

#[test]
fn what_was_announced_is_read_from_a_report() {
    let quiet = QuietSpan { span: span(3, 5), power: Power::ZERO, less: Power::ZERO };
    let now = span(1, 2).start();
    let document = document(Contents::quiet(&[quiet], &[span(20, 22)], now));
    let report = sent(document.clone());
    assert_eq!(report.spans, [span(3, 5), span(20, 22)]);
    assert!(SentReport::of("site-2", &document).is_none());
    let mut moved = document;
    moved["eventID"] = json!("e2");
    assert_eq!(report.to_event("e2"), moved, "nothing else changes");
    assert!(!ReportKind::Quiet.is_over(&report, span(21, 22).start()));
    assert!(ReportKind::Quiet.is_over(&report, span(22, 23).start()));
}

/// A month of a small float of seconds would be inexact; hours and minutes are not.
#[test]
fn long_and_odd_spans_keep_their_seconds() {
    let start = span(0, 1).start();
    for seconds in [1, 59, 3_599, 2_678_401, 86_400 * 3_650 + 61] {
        let span = Span::starting(start, Seconds::new(seconds)).unwrap();
        let used = Used { span, energy: Energy::default(), estimated: false };
        let report = sent(document(Contents::usage(&[used])));
        assert_eq!(report.spans, [span], "{seconds}");
    }
}

/// 36 kW over an hour are 36 kWh, 129.6 MJ.
#[test]
fn use_is_energy_and_says_whether_it_was_measured() {
    let energy = watts(36_000.0) * Seconds::new(3600);
    let used = Used { span: span(8, 9), energy, estimated: true };
    let told = told(&document(Contents::usage(&[used])));
    assert_eq!(told[0].2, ["USAGE 36.0", "DATA_QUALITY \"ESTIMATED\""]);
}

fn event(id: &str, modified: u32, start_h: u32, payload: &str, asks: Option<&str>) -> Event {
    let descriptors = asks.map(|word| json!([{"payloadType": word}]));
    let event = json!({
        "id": id, "programID": "p1", "priority": null, "targets": [],
        "createdDateTime": "2026-03-01T00:00:00Z",
        "modificationDateTime": format!("2026-03-0{modified}T00:00:00Z"),
        "intervalPeriod": {"start": span(start_h, 23).start(), "duration": "PT1H"},
        "reportDescriptors": descriptors,
        "intervals": [{"id": 0, "payloads": [{"type": payload, "values": [1.0]}]}],
    });
    Event::read(&event, 1)
}

fn chosen(kind: ReportKind, ranked: &[&Event]) -> Option<String> {
    kind.event(ranked, span(2, 3).start()).map(|event| event.id.clone())
}

#[test]
fn a_report_answers_the_newest_open_event_that_asks_for_it() {
    let events = [
        event("asks-old", 1, 8, "PRICE", Some("IMPORT_CAPACITY_RESERVATION")),
        event("asks", 2, 8, "PRICE", Some("IMPORT_RESERVATION_CAPACITY")),
        event("asks-but-over", 5, 1, "PRICE", Some("IMPORT_RESERVATION_CAPACITY")),
        event("newest", 4, 9, "PRICE", Some("USAGE_FORECAST")),
    ];
    let all: Vec<&Event> = events.iter().collect();
    assert_eq!(chosen(ReportKind::Request, &all).as_deref(), Some("asks"));
    assert_eq!(chosen(ReportKind::Request, &all[..1]).as_deref(), Some("asks-old"));
    assert_eq!(chosen(ReportKind::Plan, &all).as_deref(), Some("newest"));
    assert_eq!(chosen(ReportKind::Usage, &all).as_deref(), Some("newest"), "nobody asks");
    assert_eq!(chosen(ReportKind::Usage, &all[2..3]), None, "it is over");
}

/// An event that says what may be drawn is left alone unless it asks itself; and even then another
/// that asks is better.
#[test]
fn no_report_holds_up_a_limit_a_grant_or_an_alert() {
    for payload in [
        "IMPORT_CAPACITY_LIMIT",
        "IMPORT_CAPACITY_SUBSCRIPTION",
        "IMPORT_CAPACITY_RESERVATION",
        "IMPORT_RESERVATION_CAPACITY",
        "IMPORT_CAPACITY_AVAILABLE",
        "import_capacity_limit",
        "ALERT_GRID_EMERGENCY",
    ] {
        let command = event("command", 9, 8, payload, None);
        assert_eq!(chosen(ReportKind::Plan, &[&command]), None, "{payload}");
        let price = event("price", 1, 8, "PRICE", None);
        assert_eq!(chosen(ReportKind::Plan, &[&command, &price]).as_deref(), Some("price"));
        let asks = event("asks", 2, 8, payload, Some("USAGE_FORECAST"));
        assert_eq!(chosen(ReportKind::Plan, &[&asks, &price]).as_deref(), Some("asks"));
        let better = event("better", 1, 8, "GHG", Some("USAGE_FORECAST"));
        assert_eq!(chosen(ReportKind::Plan, &[&asks, &better]).as_deref(), Some("better"));
    }
}
