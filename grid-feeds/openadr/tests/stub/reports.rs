use grid_feeds::feed::RetryClass;
use openadr::{Asked, PlannedInterval, QuietSpan, VenError};
use planner::quantity::Power;
use planner::time::{Seconds, Span};
use serde_json::{Value, json};

use crate::server::{Server, limit, now};

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
    server.world().events = vec![limit("a", &[10.0; 6])];
    let ven = server.ven();
    ven.plan(&planned(1_000.0), now()).await.unwrap();
    ven.plan(&planned(2_000.0), now()).await.unwrap();
    let asked = [Asked { span: span(3), power: power(5_000.0), fee_limit: None }];
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
    server.world().events = vec![limit("a", &[10.0; 6])];
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
    server.world().events = vec![limit("over", &[1.0])];
    let later = now() + Seconds::new(86_400);
    assert_eq!(ven.plan(&planned(1_000.0), later).await.unwrap_err(), error);
}

#[tokio::test]
async fn a_report_follows_from_an_event_that_is_gone_to_one_that_is_there() {
    let server = Server::start();
    server.world().events = vec![limit("a", &[10.0; 6])];
    let ven = server.ven();
    ven.plan(&planned(1_000.0), now()).await.unwrap();
    server.world().events = vec![limit("b", &[10.0; 6])];
    ven.plan(&planned(2_000.0), now()).await.unwrap();
    let reports = server.world().reports.clone();
    assert_eq!((reports.len(), &reports[0]["eventID"]), (1, &json!("b")));
}

/// The event may go away between being read and being answered.
#[tokio::test]
async fn a_report_that_is_refused_as_it_stands_is_a_conflict_to_be_tried_again() {
    let server = Server::start();
    server.world().events = vec![limit("a", &[10.0; 6])];
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
    server.world().events = vec![limit("a", &[10.0; 12])];
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
