use super::*;

/// A grant or offer of kW with its price for each kW.
fn priced(id: i32, kinds: [&str; 2], hours: [u32; 2], numbers: [f64; 2]) -> Value {
    let period =
        json!({"start": hour(hours[0]), "duration": format!("PT{}H", hours[1] - hours[0])});
    json!({"id": id, "intervalPeriod": period, "payloads": [
        {"type": kinds[0], "values": [numbers[0]]}, {"type": kinds[1], "values": [numbers[1]]}]})
}

fn grant(id: i32, hours: [u32; 2], kilowatts: f64, fee: f64) -> Value {
    let kinds = ["IMPORT_CAPACITY_RESERVATION", "IMPORT_CAPACITY_RESERVATION_FEE"];
    priced(id, kinds, hours, [kilowatts, fee])
}

fn grants(events: &[Event]) -> Vec<(String, String, f64)> {
    let grants = read(events).grants.said;
    let told = |grant: &super::super::Grant| {
        let span = grant.span.to_string().replace("2026-03-10T", "").replace(":00:00Z", "");
        (grant.id.clone(), span, grant.power.as_watts())
    };
    grants.iter().map(told).collect()
}

fn row(id: &str, span: &str, watts: f64) -> (String, String, f64) {
    (id.to_owned(), span.to_owned(), watts)
}

/// 0.11 EUR for each of 50 kW are 5.50 EUR.
#[test]
fn a_grant_has_a_power_and_a_fee_for_each_kw() {
    let intervals = json!([grant(3, [10, 12], 50.0, 0.11)]);
    let event = event(
        "g",
        json!({"intervals": intervals, "targets": ["site-1"],
        "payloadDescriptors": [
            {"payloadType": "IMPORT_CAPACITY_RESERVATION", "units": "KW"},
            {"payloadType": "IMPORT_CAPACITY_RESERVATION_FEE", "units": "EUR", "currency": "EUR"}]}),
    );
    let grants = read(std::slice::from_ref(&event)).grants.said;
    let [grant] = grants.as_slice() else { panic!("{grants:?}") };
    assert_eq!((grant.id.as_str(), grant.power), ("g/3", Power::from_watts(50_000.0).unwrap()));
    assert_eq!(grant.modified, at("2026-03-09T00:00:00Z"));
    assert_eq!(grant.fee.unwrap().total_millionths(grant.power), Some(5_500_000));
    let others = ["site-2".to_owned()];
    assert!(read_with(&json!(null), &others, &[event]).grants.said.is_empty());
}

/// One event lists two grants that overlap: they add up. A later event with the middle hour
/// replaces them there, and only there.
#[test]
fn grants_of_one_event_add_up_and_a_later_event_replaces() {
    let list = event(
        "a",
        json!({"intervals":
        [grant(0, [9, 12], 50.0, 0.0), grant(1, [11, 13], 30.0, 0.0)]}),
    );
    assert_eq!(
        grants(std::slice::from_ref(&list)),
        [row("a/0", "09 to 12", 50_000.0), row("a/1", "11 to 13", 30_000.0)]
    );
    let later = event(
        "b",
        json!({"modificationDateTime": "2026-03-10T01:00:00Z",
        "intervals": [grant(0, [10, 11], 20.0, 0.0)]}),
    );
    assert_eq!(
        grants(&[later, list]),
        [
            row("a/0/0", "09 to 10", 50_000.0),
            row("b/0", "10 to 11", 20_000.0),
            row("a/0/1", "11 to 12", 50_000.0),
            row("a/1", "11 to 13", 30_000.0),
        ]
    );
}

#[test]
fn the_order_of_words_does_not_matter_and_what_is_over_is_left_out() {
    let other = ["IMPORT_RESERVATION_CAPACITY", "IMPORT_RESERVATION_FEE"];
    let intervals = json!([
        priced(0, other, [9, 10], [40.0, 0.5]),
        grant(1, [4, 6], 50.0, 0.0),
        grant(2, [10, 11], 0.0, 0.0)
    ]);
    assert_eq!(
        grants(&[event("g", json!({"intervals": intervals}))]),
        [row("g/0", "09 to 10", 40_000.0)],
        "the second ended at 06:00, the third grants nothing"
    );
}

#[test]
fn what_may_be_asked_for_has_a_price() {
    for price in ["IMPORT_CAPACITY_AVAILABLE_PRICE", "IMPORT_CAPACITY_AVAILABLE_FEE"] {
        let kinds = ["IMPORT_CAPACITY_AVAILABLE", price];
        let intervals = json!([priced(0, kinds, [9, 10], [242.0, 0.11])]);
        let available = read(&[event("a", json!({"intervals": intervals}))]).available.said;
        assert_eq!(available[0].power, Power::from_watts(242_000.0).unwrap());
        assert_eq!(available[0].price.unwrap().per_kw_millionths, 110_000);
    }
}

#[test]
fn a_negative_grant_and_a_fee_in_another_unit_are_refused() {
    let negative = event("g", json!({"intervals": [grant(0, [9, 10], -1.0, 0.0)]}));
    assert!(read(&[negative]).grants.unread[0].to_string().contains("-1 is no power"));
    let per_hour = event(
        "g",
        json!({"intervals": [grant(0, [9, 10], 1.0, 0.1)],
        "payloadDescriptors":
            [{"payloadType": "IMPORT_CAPACITY_RESERVATION_FEE", "units": "KWH"}]}),
    );
    assert!(read(&[per_hour]).grants.unread[0].to_string().contains("KWH"));
}

#[test]
fn alerts_are_told_until_they_are_over() {
    let alert = |id: &str, start: Timestamp, kind: &str| {
        event(
            id,
            json!({"intervalPeriod": {"start": start, "duration": "PT2H"},
            "intervals": [{"id": 0, "payloads": [{"type": kind, "values": ["save power"]}]}]}),
        )
    };
    let events = [
        alert("a", hour(5), "ALERT_GRID_EMERGENCY"),
        alert("b", hour(3), "ALERT_FLEX_ALERT"),
        alert("c", hour(20), "ALERT_OUR_OWN"),
        limits("l", &[5.0]),
    ];
    let word = read(&events);
    let kinds: Vec<&str> = word.alerts.said.iter().map(|alert| alert.kind.as_str()).collect();
    assert_eq!(kinds, ["ALERT_GRID_EMERGENCY", "ALERT_OUR_OWN"]);
    assert_eq!(word.alerts.said[0].text, "save power");
    assert_eq!(word.alerts.said[0].id, "a/0");
}
