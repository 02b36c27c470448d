use grid_feeds::feed::RetryClass;
use openadr::{PlannedInterval, PowerRequest, QuietSpan, VenError};
use planner::quantity::Power;
use planner::time::{Seconds, Span};
use serde_json::{Value, json};

use crate::server::{Server, limit, now};

/// Limits of an event that asks for all reports there are.
fn asking(id: &str, kilowatts: &[f64]) -> Value {
    let mut event = limit(id, kilowatts);
    let words = ["USAGE_FORECAST", "LOAD_SHED_DELTA_AVAILABLE", "IMPORT_RESERVATION_CAPACITY"];
    event["reportDescriptors"] = words.iter().map(|word| json!({ "payloadType": word })).collect();
    event
}

fn span(hour: i64) -> Span {
    Span::starting(now() + Seconds::new(hour * 3600), Seconds::new(3600)).unwrap()
}

fn power(watts: f64) -> Power {
    Power::from_watts(watts).unwrap()
}

fn planned(watts: f64) -> [PlannedInterval; 1] {
    [PlannedInterval { span: span(2), reserved_max: power(watts), expected: power(watts) }]
}

fn intervals(report: &Value) -> &Vec<Value> {
    report["resources"][0]["intervals"].as_array().unwrap()
}

#[tokio::test]
async fn a_report_replaces_the_earlier_one_of_its_name() {
    let server = Server::start();
    server.world().events = vec![asking("a", &[10.0; 6])];
    let ven = server.ven();
    ven.plan(&planned(1_000.0), now()).await.unwrap();
    ven.plan(&planned(2_000.0), now()).await.unwrap();
    let asked = [PowerRequest { span: span(3), power: power(5_000.0), fee_limit: None }];
    ven.ask(&asked, now()).await.unwrap();
    // Another process of the same site.
    server.ven().plan(&planned(3_000.0), now()).await.unwrap();
    let world = server.world();
    assert_eq!(world.reports.len(), 2, "{:?}", world.reports);
    assert_eq!(intervals(&world.reports[0])[0]["payloads"][1]["values"][0], json!(3.0));
    assert_eq!(world.reports[0]["clientName"], "site-1");
}

#[tokio::test]
async fn reports_made_at_once_are_not_created_twice() {
    let server = Server::start();
    server.world().events = vec![asking("a", &[10.0; 6])];
    let ven = server.ven();
    let (one, other) = (planned(1_000.0), planned(2_000.0));
    let (one, other) = tokio::join!(ven.plan(&one, now()), ven.plan(&other, now()));
    one.and(other).unwrap();
    assert_eq!(server.world().reports.len(), 1);
}

#[tokio::test]
async fn without_an_open_event_there_is_nothing_to_report_to() {
    let server = Server::start();
    let ven = server.ven();
    let error = ven.plan(&planned(1_000.0), now()).await.unwrap_err();
    assert_eq!(error, VenError::NoEvent { what: "USAGE_FORECAST" });
    server.world().events = vec![asking("over", &[1.0])];
    let later = now() + Seconds::new(86_400);
    assert_eq!(ven.plan(&planned(1_000.0), later).await.unwrap_err(), error);
}

#[tokio::test]
async fn a_report_follows_from_an_event_that_is_gone_to_one_that_is_there() {
    let server = Server::start();
    server.world().events = vec![asking("a", &[10.0; 6])];
    let ven = server.ven();
    ven.plan(&planned(1_000.0), now()).await.unwrap();
    server.world().events = vec![asking("b", &[10.0; 6])];
    ven.plan(&planned(2_000.0), now()).await.unwrap();
    let reports = server.world().reports.clone();
    assert_eq!((reports.len(), &reports[0]["eventID"]), (1, &json!("b")));
}

/// The event may go away between being read and being answered.
#[tokio::test]
async fn a_report_that_is_refused_as_it_stands_is_a_conflict_to_be_tried_again() {
    let server = Server::start();
    server.world().events = vec![asking("a", &[10.0; 6])];
    server.world().conflict_at = Some("POST /reports");
    let ven = server.ven();
    let error = ven.plan(&planned(1_000.0), now()).await.unwrap_err();
    assert_eq!(error, VenError::Conflict { message: "foreign key".to_owned() });
    assert_eq!(error.retry(), RetryClass::Backoff);
    server.world().conflict_at = None;
    ven.plan(&planned(1_000.0), now()).await.unwrap();
    assert_eq!(server.world().reports.len(), 1);
}

#[tokio::test]
async fn a_warning_is_withdrawn_by_name_and_nothing_is_said_without_one() {
    let server = Server::start();
    server.world().events = vec![asking("a", &[10.0; 12])];
    let ven = server.ven();
    ven.warn_low(&[], now()).await.unwrap();
    assert!(server.world().reports.is_empty());
    let quiet = QuietSpan { span: span(5), power: power(1_000.0), less: power(9_000.0) };
    ven.warn_low(&[quiet], now()).await.unwrap();
    ven.warn_low(&[], now()).await.unwrap();
    let reports = server.world().reports.clone();
    assert_eq!(reports.len(), 1);
    let [withdrawn] = intervals(&reports[0]).as_slice() else { panic!("{reports:?}") };
    assert_eq!(withdrawn["payloads"][1]["values"][0], "RUNNING_NORMAL");
    assert_eq!(withdrawn["payloads"][0]["values"][0], json!(0.0));
}

/// A limit, which asks for nothing, and a price: the plan answers the price. Where there is only the
/// limit, it waits and says what for.
#[tokio::test]
async fn a_limit_that_does_not_ask_is_left_alone() {
    let server = Server::start();
    let mut price = limit("price", &[0.1; 6]);
    for index in 0..6 {
        price["intervals"][index]["payloads"][0]["type"] = json!("PRICE");
    }
    server.world().events = vec![limit("cap", &[10.0; 6])];
    let ven = server.ven();
    let error = ven.plan(&planned(1_000.0), now()).await.unwrap_err();
    assert_eq!(
        (&error, error.retry()),
        (&VenError::NoEvent { what: "USAGE_FORECAST" }, RetryClass::NotYet)
    );
    assert!(error.to_string().contains("report descriptor of USAGE_FORECAST"), "{error}");
    server.world().events.push(price);
    ven.plan(&planned(1_000.0), now()).await.unwrap();
    assert_eq!(server.world().reports[0]["eventID"], "price");
}

/// Plans are of the hour from 08:00. Whoever hears the supplier takes away what holds up a limit that
/// does not ask, what is said twice, and what is over; the rest goes to an event that may have it.
#[tokio::test]
async fn reports_that_hold_up_events_are_taken_away() {
    let server = Server::start();
    server.world().events = vec![asking("a", &[10.0; 6])];
    let ven = server.ven();
    ven.plan(&planned(1_000.0), now()).await.unwrap();
    ven.hear(now()).await.unwrap();
    let plan = server.world().reports[0].clone();
    assert_eq!(server.world().reports.len(), 1, "it is asked for and of use");
    // The event asks no more; there is another one.
    server.world().events = vec![limit("a", &[10.0; 6]), asking("b", &[10.0; 6])];
    ven.hear(now()).await.unwrap();
    let moved = server.world().reports[0].clone();
    assert_eq!((&moved["eventID"], &moved["resources"]), (&json!("b"), &plan["resources"]));
    // Another process said it once more, long ago; a report of somebody else is theirs.
    let mut double = plan.clone();
    double["id"] = json!("double");
    double["modificationDateTime"] = json!("2026-03-01T00:00:00Z");
    let mut theirs = plan.clone();
    (theirs["id"], theirs["clientName"]) = (json!("theirs"), json!("site-2"));
    server.world().reports.extend([double, theirs]);
    ven.hear(now()).await.unwrap();
    let ids: Vec<Value> = server.world().reports.iter().map(|it| it["id"].clone()).collect();
    assert_eq!(ids, [json!("r0"), json!("theirs")]);
    // No event may have it.
    server.world().events = vec![limit("a", &[10.0; 6]), limit("b", &[10.0; 6])];
    ven.hear(now()).await.unwrap();
    assert_eq!(server.world().reports.len(), 1, "only theirs");
    // What it says is over, though its event is not.
    server.world().events = vec![asking("b", &[10.0; 6])];
    ven.plan(&planned(1_000.0), now()).await.unwrap();
    ven.hear(now() + Seconds::new(2 * 3600)).await.unwrap();
    assert_eq!(server.world().reports.len(), 2);
    ven.hear(now() + Seconds::new(3 * 3600)).await.unwrap();
    assert_eq!(server.world().reports.len(), 1);
}

/// A question that nobody asks any more is said to be none, and then taken away.
#[tokio::test]
async fn a_withdrawn_question_goes() {
    let server = Server::start();
    server.world().events = vec![asking("a", &[10.0; 6])];
    let ven = server.ven();
    let asked = [PowerRequest { span: span(3), power: power(5_000.0), fee_limit: None }];
    ven.ask(&asked, now()).await.unwrap();
    ven.hear(now()).await.unwrap();
    assert_eq!(server.world().reports.len(), 1);
    ven.ask(&[], now()).await.unwrap();
    assert!(intervals(&server.world().reports[0]).is_empty());
    ven.hear(now()).await.unwrap();
    assert!(server.world().reports.is_empty());
}
