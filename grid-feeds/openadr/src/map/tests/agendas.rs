use super::*;

#[test]
fn priority_0_is_the_highest_and_none_the_lowest() {
    let with = |id: &str, priority: Value, kilowatts: f64| {
        event(
            id,
            json!({"priority": priority,
            "intervals": values("IMPORT_CAPACITY_LIMIT", &[kilowatts])}),
        )
    };
    let events = [with("a", json!(null), 9.0), with("b", json!(0), 7.0), with("c", json!(5), 8.0)];
    assert_eq!(drawn(&read(&events).limit.said), [(8, 9, 7_000.0)]);
    assert_eq!(drawn(&read(&[events[0].clone(), events[2].clone()]).limit.said).len(), 1);
    assert_eq!(drawn(&read(&events[..1]).limit.said), [(8, 9, 9_000.0)]);
}

/// `low` says 9 kW from 08:00 to 12:00; of two others of equal priority over 09:00 to 10:00 the one
/// counts that was modified later, whatever the order of the list.
#[test]
fn at_equal_priority_the_later_word_counts_and_the_rest_fills_what_it_leaves() {
    let low = limits("low", &[9.0, 9.0, 9.0, 9.0]);
    let over = |id: &str, modified: &str, kilowatts: f64| {
        event(
            id,
            json!({"priority": 3, "modificationDateTime": modified,
            "intervalPeriod": {"start": "2026-03-10T09:00:00Z", "duration": "PT1H"},
            "intervals": values("IMPORT_CAPACITY_LIMIT", &[kilowatts])}),
        )
    };
    let (old, new) =
        (over("z", "2026-03-09T00:00:00Z", 4.0), over("a", "2026-03-09T10:00:00Z", 5.0));
    let wanted = [(8, 9, 9_000.0), (9, 10, 5_000.0), (10, 11, 9_000.0), (11, 12, 9_000.0)];
    assert_eq!(drawn(&read(&[low.clone(), old.clone(), new.clone()]).limit.said), wanted);
    assert_eq!(drawn(&read(&[new.clone(), old.clone(), low.clone()]).limit.said), wanted);
    // The new one is cancelled: it is no longer listed.
    assert_eq!(drawn(&read(&[low, old]).limit.said)[1], (9, 10, 4_000.0));
}

#[test]
fn a_page_that_shifted_shows_an_event_twice() {
    let twice = [limits("e", &[5.0]), limits("e", &[5.0])];
    assert_eq!(drawn(&read(&twice).limit.said), [(8, 9, 5_000.0)]);
}

/// 10 kW from 08:00 to 09:00 and 8 kW from 08:30 to 09:30.
#[test]
fn of_intervals_of_one_event_that_overlap_the_more_cautious_counts() {
    let mut intervals = values("IMPORT_CAPACITY_LIMIT", &[10.0, 8.0]);
    intervals[1]["intervalPeriod"] = json!({"start": "2026-03-10T08:30:00Z", "duration": "PT1H"});
    let word = read(&[event("e", json!({"intervals": intervals}))]);
    let watts: Vec<f64> = drawn(&word.limit.said).iter().map(|it| it.2).collect();
    assert_eq!(watts, [10_000.0, 8_000.0]);
    assert_eq!(word.limit.said.pieces()[0].span.end(), at("2026-03-10T08:30:00Z"));
    assert!(word.notes[0].contains("overlap; the more cautious counts"), "{:?}", word.notes);
}

/// 0.17 EUR/kWh is 170 EUR/MWh; prices may be negative; a price of zero is one.
#[test]
fn prices_per_kwh_become_prices_per_mwh() {
    let prices = event(
        "e",
        json!({"intervals": values("PRICE", &[0.17, -0.013_37, 0.0]),
        "payloadDescriptors": [{"payloadType": "PRICE", "units": "KWH", "currency": "EUR"}]}),
    );
    let word = read(std::slice::from_ref(&prices));
    assert_eq!(millionths(&word.price.said), [170_000_000, -13_370_000, 0]);
    let per_mwh = json!([{"objectType": "EVENT_PAYLOAD_DESCRIPTOR", "payloadType": "PRICE",
        "units": "MWH", "currency": "EUR"}]);
    let bare = event("e", json!({"intervals": values("PRICE", &[85.5])}));
    assert_eq!(
        millionths(&read_with(&per_mwh, &[], std::slice::from_ref(&bare)).price.said),
        [85_500_000],
        "the program's descriptor counts where the event has none"
    );
    let own = read_with(&per_mwh, &[], &[prices]);
    assert_eq!(millionths(&own.price.said)[0], 170_000_000, "the event's own counts first");
    assert_eq!(millionths(&read(&[bare]).price.said), [85_500_000_000], "per kWh unless said");
}

#[test]
fn another_currency_is_refused() {
    let pounds = event(
        "e",
        json!({"eventName": "day ahead", "intervals": values("PRICE", &[0.2]),
        "payloadDescriptors": [{"payloadType": "PRICE", "units": "KWH", "currency": "GBP"}]}),
    );
    let word = read(&[pounds, limits("l", &[5.0])]);
    assert_eq!(
        word.price.unread[0].to_string(),
        "event \"day ahead\" (e), interval 0: is in GBP, the site in EUR"
    );
    assert_eq!(drawn(&word.limit.said), [(8, 9, 5_000.0)], "other kinds stand");
}

#[test]
fn units_are_written_in_any_case_and_wrong_ones_refused() {
    let with = |unit: &str| {
        read(&[event(
            "e",
            json!({"intervals": values("IMPORT_CAPACITY_LIMIT", &[2.5]),
            "payloadDescriptors": [{"payloadType": "IMPORT_CAPACITY_LIMIT", "units": unit}]}),
        )])
        .limit
    };
    for (unit, watts) in
        [("KW", 2_500.0), ("kW", 2_500.0), ("kw", 2_500.0), ("W", 2.5), ("MW", 2_500_000.0)]
    {
        assert_eq!(drawn(&with(unit).said), [(8, 9, watts)], "{unit}");
    }
    for unit in ["AMPS", "KWH", "mW", "KVA", "horses"] {
        assert!(with(unit).unread[0].to_string().contains(unit), "{unit}");
    }
}

#[test]
fn values_that_cannot_be_are_refused() {
    let payload = |values: Value| {
        let payloads = json!([{"type": "IMPORT_CAPACITY_LIMIT", "values": values}]);
        let limit =
            read(&[event("e", json!({"intervals": [{"id": 7, "payloads": payloads}]}))]).limit;
        assert!(limit.said.pieces().is_empty());
        assert_eq!(limit.unread[0].place, "interval 7");
        limit.unread[0].message.clone()
    };
    assert_eq!(payload(json!([-1.0])), "-1 is no power cap in W");
    assert_eq!(payload(json!([1.0, 2.0])), "has 2 values, not one");
    assert_eq!(payload(json!([])), "has 0 values, not one");
    assert_eq!(payload(json!(["much"])), "has no number");
    assert_eq!(payload(json!([1e18])), "1000000000000000000 is out of range");
}

#[test]
fn intensities_are_grams_per_kwh() {
    let with = |unit: &str| {
        read(&[event(
            "e",
            json!({"intervals": values("GHG", &[56.5]),
            "payloadDescriptors": [{"payloadType": "GHG", "units": unit}]}),
        )])
        .co2
    };
    assert_eq!(millionths(&with("GHG").said), [56_500_000]);
    assert_eq!(millionths(&with("g/kWh").said), [56_500_000]);
    assert!(with("PERCENT").unread[0].to_string().contains("PERCENT"));
}

#[test]
fn other_programs_and_other_targets_say_nothing_to_us() {
    let other = event("o", json!({"programID": "p2", "intervals": values("PRICE", &[1.0])}));
    assert!(read(&[other]).price.said.pieces().is_empty());
    let ours = ["site-1".to_owned(), "region-4".to_owned()];
    let to = |targets: Value| {
        let event = event("e", json!({"targets": targets, "intervals": values("PRICE", &[1.0])}));
        read_with(&json!(null), &ours, &[event]).price.said.pieces().len()
    };
    assert_eq!(to(json!([])), 1, "for everybody");
    assert_eq!(to(json!(["site-9", "region-4"])), 1);
    assert_eq!(to(json!(["site-9"])), 0);
}

/// The contract of 100 kW holds throughout; a limit of 60 kW from 08:00 and one of 120 kW from
/// 09:00: the lower counts.
#[test]
fn the_cap_is_the_lower_of_limit_and_subscription() {
    let subscription = event(
        "s",
        json!({
        "intervalPeriod": {"start": "2026-01-01T00:00:00Z", "duration": "P9999Y"},
        "intervals": values("IMPORT_CAPACITY_SUBSCRIPTION", &[100.0])}),
    );
    let word = read(&[limits("l", &[60.0, 120.0]), subscription]);
    let cap = drawn(&word.power_cap.said);
    assert_eq!(cap[1..], [(8, 9, 60_000.0), (9, 99, 100_000.0)]);
    assert_eq!(drawn(&word.subscription.said).len(), 1);
}

/// An envelope of two hours over a fallback of 30 kW for ever, as Grid Aware Charging has it.
#[test]
fn the_endless_limit_of_the_lowest_priority_is_the_safe_mode() {
    let fallback = event(
        "f",
        json!({"priority": 100,
        "intervalPeriod": {"start": "2026-03-01T00:00:00Z", "duration": "P9999Y"},
        "intervals": values("IMPORT_CAPACITY_LIMIT", &[30.0])}),
    );
    let envelope = event(
        "l",
        json!({"priority": 1,
        "intervals": values("IMPORT_CAPACITY_LIMIT", &[60.0, 70.0])}),
    );
    let word = read(&[envelope.clone(), fallback]);
    assert_eq!(word.safe_mode, Power::from_watts(30_000.0));
    let limit = drawn(&word.limit.said);
    assert_eq!(limit[1..], [(8, 9, 60_000.0), (9, 10, 70_000.0), (10, 99, 30_000.0)]);
    assert_eq!(read(&[envelope]).safe_mode, None);
}
