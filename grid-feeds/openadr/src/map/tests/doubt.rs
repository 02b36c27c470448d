//! What cannot be read hides nothing else, and the time that it is about is in doubt.

use super::*;
use planner::time::Span;

fn doubtful(spans: &[Span]) -> Vec<(i64, i64)> {
    spans.iter().map(|span| (hours(span.start()), hours(span.end()))).collect()
}

/// A limit in kVA of an hour from 08:00, as nobody can read it.
fn in_kva(id: &str, priority: i64) -> Value {
    json!({"id": id, "programID": "p1", "priority": priority, "targets": [],
        "createdDateTime": "2026-03-09T00:00:00Z", "modificationDateTime": "2026-03-09T00:00:00Z",
        "intervalPeriod": {"start": "2026-03-10T08:00:00Z", "duration": "PT1H"},
        "payloadDescriptors": [{"payloadType": "IMPORT_CAPACITY_LIMIT", "units": "KVA"}],
        "intervals": values("IMPORT_CAPACITY_LIMIT", &[5.0])})
}

/// The limit in kVA is of 08:00; that of 200 W from 06:00 counts none the less.
#[test]
fn an_emergency_counts_beside_a_limit_that_cannot_be_read() {
    let emergency = event(
        "now",
        json!({"priority": 0, "intervalPeriod": {"start": "2026-03-10T06:00:00Z", "duration": "PT1H"},
            "intervals": values("IMPORT_CAPACITY_LIMIT", &[0.2])}),
    );
    let contract =
        event("c", json!({"intervals": values("IMPORT_CAPACITY_SUBSCRIPTION", &[1.0; 4])}));
    let word = read(&[Event::read(&in_kva("kva", 1), 1), emergency, contract]);
    assert_eq!(drawn(&word.power_cap.said)[..2], [(6, 7, 200.0), (8, 12, 1_000.0)]);
    assert_eq!(doubtful(&word.power_cap.doubtful), [(8, 9)]);
    let words = word.power_cap.unread[0].to_string();
    assert_eq!(words, "event kva, interval 0: KVA is no unit of power; there are KW, W and MW");
    assert!(word.grants.unread.is_empty() && word.price.unread.is_empty());
}

#[test]
fn what_counts_more_leaves_no_doubt() {
    let above = |priority: Value| {
        let above = event(
            "a",
            json!({"priority": priority,
            "intervals": values("IMPORT_CAPACITY_LIMIT", &[3.0])}),
        );
        doubtful(&read(&[Event::read(&in_kva("kva", 4), 1), above]).limit.doubtful)
    };
    assert_eq!(above(json!(0)), []);
    assert_eq!(above(json!(9)), [(8, 9)]);
}

#[test]
fn one_interval_and_one_payload_are_lost_alone() {
    let mut intervals = values("IMPORT_CAPACITY_LIMIT", &[10.0, -1.0, 6.0]);
    intervals[2]["payloads"]
        .as_array_mut()
        .unwrap()
        .push(json!({"type": "PRICE", "values": ["x"]}));
    let word = read(&[event("e", json!({"intervals": intervals}))]);
    assert_eq!(drawn(&word.limit.said), [(8, 9, 10_000.0), (10, 11, 6_000.0)]);
    assert_eq!(doubtful(&word.limit.doubtful), [(9, 10)]);
    assert_eq!(doubtful(&word.price.doubtful), [(10, 11)]);
}

/// A month of values in one wrong unit is told in one line.
#[test]
fn what_is_wrong_throughout_is_told_once() {
    let mut event = in_kva("kva", 1);
    event["intervals"] = values("IMPORT_CAPACITY_LIMIT", &[5.0; 96]);
    let limit = read(&[Event::read(&event, 1)]).limit;
    assert_eq!(limit.unread.len(), 1);
    assert!(limit.unread[0].to_string().starts_with("event kva, interval 0 and 95 more: "));
}

/// Parts that no message type admits, each in place of a right one of an event of 5 kW from 08:00 to
/// 10:00; what of the limit is read, and when it is in doubt. -99 and 99 are the ends of time.
#[test]
fn parts_that_are_no_openadr_are_lost_alone() {
    let with = |change: &dyn Fn(&mut Value)| {
        let mut document = in_kva("e", 1);
        document["payloadDescriptors"] = json!(null);
        document["intervals"] = values("IMPORT_CAPACITY_LIMIT", &[5.0, 5.0]);
        change(&mut document);
        let limit = read(&[Event::read(&document, 1)]).limit;
        let said = drawn(&limit.said).iter().map(|it| (it.0, it.1)).collect::<Vec<_>>();
        assert_eq!(limit.unread.is_empty(), limit.doubtful.is_empty(), "{:?}", limit.unread);
        (said, doubtful(&limit.doubtful))
    };
    let none: Vec<(i64, i64)> = Vec::new();
    let both = vec![(8, 9), (9, 10)];
    assert_eq!(with(&|_| {}), (both.clone(), vec![]));
    let set = |path: &'static str, value: Value| {
        move |document: &mut Value| *document.pointer_mut(path).unwrap() = value.clone()
    };
    // Of all its time.
    assert_eq!(
        with(&set("/intervalPeriod/start", json!("0000-00-00"))),
        (none.clone(), vec![(-99, 99)])
    );
    // The second follows it, at an unknown time.
    assert_eq!(with(&set("/intervalPeriod/duration", json!("an hour"))).1, [(-99, 99)]);
    assert_eq!(with(&set("/intervalPeriod", json!(5))), (none.clone(), vec![(-99, 99)]));
    assert_eq!(with(&set("/intervals", json!("x"))), (none.clone(), vec![(8, 99)]));
    // Whether and before which others it counts.
    for (path, value) in [
        ("/priority", json!("high")),
        ("/targets", json!([1])),
        ("/modificationDateTime", json!("yesterday")),
        ("/payloadDescriptors", json!([{"units": "KW"}])),
        ("/payloadDescriptors", json!([{"payloadType": "IMPORT_CAPACITY_LIMIT", "units": 7}])),
    ] {
        assert_eq!(with(&set(path, value)), (none.clone(), vec![(8, 10)]), "{path}");
    }
    // Of one interval.
    assert_eq!(with(&set("/intervals/1/payloads", json!(null))), (vec![(8, 9)], vec![(9, 10)]));
    assert_eq!(with(&set("/intervals/1/payloads/0/type", json!(1))), (vec![(8, 9)], vec![(9, 10)]));
    let period = json!({"start": "2026-03-10T12:00:00Z", "duration": "PT-1H"});
    let second = |document: &mut Value| document["intervals"][1]["intervalPeriod"] = period.clone();
    assert_eq!(with(&second), (vec![(8, 9)], vec![(12, 99)]));
    // What is no part of a limit does no harm.
    let asking = |document: &mut Value| document["reportDescriptors"] = json!(5);
    assert_eq!(with(&asking), (both.clone(), vec![]));
    let named = |document: &mut Value| document["eventName"] = json!(["no", "text"]);
    assert_eq!(with(&named), (both, vec![]));
}

#[test]
fn what_is_no_event_at_all_may_be_anything_at_any_time() {
    for document in [json!(null), json!("x"), json!([1])] {
        let events = [limits("l", &[5.0]), Event::read(&document, 2)];
        let word = read(&events);
        assert_eq!(drawn(&word.limit.said), [(8, 9, 5_000.0)]);
        assert_eq!(doubtful(&word.power_cap.doubtful), [(-99, 99)]);
        assert_eq!(doubtful(&word.price.doubtful), [(-99, 99)]);
        assert_eq!(word.unread().len(), 1, "told once: {:?}", word.unread());
        assert!(word.unread()[0].to_string().contains("number 2 of the list"));
    }
}

/// A broken duration of the whole: laid out once, and in doubt from its start on.
#[test]
fn how_often_an_event_repeats_may_be_in_doubt() {
    let limit = read(&[event(
        "e",
        json!({"duration": "often",
        "intervals": values("IMPORT_CAPACITY_LIMIT", &[5.0, 4.0])}),
    )])
    .limit;
    assert_eq!(drawn(&limit.said), [(8, 9, 5_000.0), (9, 10, 4_000.0)]);
    assert_eq!(doubtful(&limit.doubtful), [(8, 99)]);
}

#[test]
fn types_that_seem_to_be_limits_are_in_doubt_and_others_are_noted() {
    let of = |kind: &str| read(&[event("e", json!({"intervals": values(kind, &[5.0])}))]);
    for kind in ["import_capacity_limit", "IMPORT-CAPACITY-LIMIT", "IMPORT_CAPACITY_LIMIT_V2"] {
        let word = of(kind);
        assert_eq!(doubtful(&word.power_cap.doubtful), [(8, 9)], "{kind}");
        assert!(word.power_cap.unread[0].to_string().contains("is it meant for"), "{kind}");
    }
    assert_eq!(doubtful(&of("Price").price.doubtful), [(8, 9)]);
    for kind in ["EXPORT_CAPACITY_LIMIT", "SIMPLE", "OUR_OWN", "IMPORT_CAPACITY_RESERVATION"] {
        assert!(of(kind).power_cap.doubtful.is_empty(), "{kind}");
    }
    assert_eq!(of("OUR_OWN").notes, ["payload types that are not read here: OUR_OWN"]);
}

/// The grant of 09:00 cannot be read: that of 10:00 stands, and the older event's grant, which it may
/// replace, holds but for that hour.
#[test]
fn a_grant_that_cannot_be_read_grants_nothing() {
    let grant = |id: i32, start: u32, value: Value| {
        json!({"id": id, "intervalPeriod": {"start": hour(start), "duration": "PT1H"},
            "payloads": [{"type": "IMPORT_CAPACITY_RESERVATION", "values": [value]}]})
    };
    let older = event(
        "a",
        json!({"intervals": [
        {"id": 0, "intervalPeriod": {"start": hour(8), "duration": "PT4H"},
         "payloads": [{"type": "IMPORT_CAPACITY_RESERVATION", "values": [30.0]}]}]}),
    );
    let newer = event(
        "b",
        json!({"modificationDateTime": "2026-03-10T01:00:00Z",
        "intervals": [grant(0, 9, json!("much")), grant(1, 10, json!(20.0))]}),
    );
    let grants = read(&[older, newer]).grants;
    let told: Vec<_> = grants
        .said
        .iter()
        .map(|it| (it.id.as_str(), hours(it.span.start()), hours(it.span.end())))
        .collect();
    assert_eq!(told, [("a/0/0", 8, 9), ("b/1", 10, 11), ("a/0/1", 11, 12)]);
    assert_eq!(grants.unread[0].to_string(), "event b, interval 0: has no number");
}

#[test]
fn an_alert_of_an_unknown_time_is_told() {
    let alert = event(
        "e",
        json!({
        "intervalPeriod": {"start": "2026-03-10T07:00:00Z", "duration": "soon over"},
        "intervals": [{"id": 0, "payloads": [{"type": "ALERT_GRID_EMERGENCY", "values": ["off"]}]}]}),
    );
    let alerts = read(&[alert]).alerts;
    assert_eq!((alerts.said.len(), alerts.unread.len()), (1, 1));
    assert_eq!((alerts.said[0].text.as_str(), hours(alerts.said[0].span.start())), ("off", 7));
}

/// Once it can be read, or is cancelled, nothing is in doubt.
#[test]
fn doubt_goes_with_its_cause() {
    let mut document = in_kva("kva", 1);
    assert!(!read(&[Event::read(&document, 1)]).limit.doubtful.is_empty());
    document["payloadDescriptors"][0]["units"] = json!("KW");
    let limit = read(&[Event::read(&document, 1)]).limit;
    assert_eq!((drawn(&limit.said), limit.doubtful.len()), (vec![(8, 9, 5_000.0)], 0));
}

#[test]
fn what_is_for_others_is_their_doubt() {
    let mut document = in_kva("kva", 1);
    document["targets"] = json!(["site-2"]);
    let ours = ["site-1".to_owned()];
    let word = read_with(&json!(null), &ours, &[Event::read(&document, 1)]);
    assert!(word.limit.doubtful.is_empty());
    document["programID"] = json!("p2");
    document["targets"] = json!(5);
    assert!(read(&[Event::read(&document, 1)]).limit.doubtful.is_empty());
}

/// A supplier that repeats a token where a unit, a date, a name or a duration should be.
#[test]
fn what_is_told_of_unread_parts_and_of_alerts_has_no_secret() {
    let secret = grid_feeds::feed::Secret::granted("t0ken-that-an-event-repeats");
    let token = secret.expose();
    let long = format!("{}{token}", "x".repeat(30));
    let mut unit = in_kva(token, 1);
    unit["payloadDescriptors"][0]["units"] = json!(token);
    unit["eventName"] = json!(token);
    let mut start = in_kva("start", 1);
    start["intervalPeriod"]["start"] = json!(token);
    let mut duration = in_kva("duration", 1);
    duration["intervalPeriod"]["duration"] = json!(token);
    let mut period = in_kva("period", 1);
    period["intervalPeriod"] = json!(long);
    let mut priority = in_kva("priority", 1);
    priority["priority"] = json!(long);
    let alert = json!({"intervals": [{"id": 0, "payloads": [
        {"type": "ALERT_OTHER", "values": [format!("use {token}")]}]}]});
    let mut events: Vec<Event> = [unit, start, duration, period, priority]
        .iter()
        .map(|document| Event::read(document, 1))
        .collect();
    events.push(event("alert", alert));
    let word = read(&events);
    let unread = word.unread();
    assert!(unread.len() >= 5, "{unread:?}");
    for part in unread {
        let told = part.to_string();
        assert!(!told.contains("t0ken") && told.contains("***"), "{told}");
    }
    assert_eq!(word.alerts.said[0].text, "use ***");
}
