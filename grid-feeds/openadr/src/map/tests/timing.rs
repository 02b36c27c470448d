use super::*;

#[test]
fn intervals_without_a_period_follow_one_another() {
    let word = read(&[limits("e", &[10.0, 8.0, 6.0])]);
    assert_eq!(drawn(&word.limit.said), [(8, 9, 10_000.0), (9, 10, 8_000.0), (10, 11, 6_000.0)]);
}

/// The second has a period of its own, two hours from 12:00; the third follows it.
#[test]
fn a_period_of_its_own_beats_the_events_and_the_next_one_follows_it() {
    let mut intervals = values("IMPORT_CAPACITY_LIMIT", &[10.0, 8.0, 6.0]);
    intervals[1]["intervalPeriod"] = json!({"start": "2026-03-10T12:00:00Z", "duration": "PT2H"});
    let word = read(&[event("e", json!({"intervals": intervals}))]);
    assert_eq!(drawn(&word.limit.said), [(8, 9, 10_000.0), (12, 14, 8_000.0), (14, 15, 6_000.0)]);
}

#[test]
fn every_interval_may_have_a_period_and_the_event_none() {
    let mut intervals = values("IMPORT_CAPACITY_LIMIT", &[10.0]);
    intervals[0]["intervalPeriod"] =
        json!({"start": "2026-03-10T13:00:00+01:00", "duration": "PT30M"});
    let word = read(&[event("e", json!({"intervalPeriod": null, "intervals": intervals}))]);
    let limit = word.limit.said;
    assert_eq!(limit.pieces()[0].span.to_string(), "2026-03-10T12:00:00Z to 2026-03-10T12:30:00Z");
    let none = event("e", json!({"intervalPeriod": null, "intervals": values("PRICE", &[1.0])}));
    let error = read(&[none]).price.unread[0].to_string();
    assert_eq!(error, "event e, intervals/0: has no start");
}

#[test]
fn no_end_is_9999_years_or_no_duration() {
    for period in [
        json!({"start": "2026-03-10T08:00:00Z", "duration": "P9999Y"}),
        json!({"start": "2026-03-10T08:00:00Z"}),
    ] {
        let fields = json!({"intervalPeriod": period,
            "intervals": values("IMPORT_CAPACITY_LIMIT", &[5.0])});
        let word = read(&[event("e", fields)]);
        assert_eq!(drawn(&word.limit.said), [(8, 99, 5_000.0)]);
        let two = json!({"intervalPeriod": period,
            "intervals": values("IMPORT_CAPACITY_LIMIT", &[5.0, 6.0])});
        let error = read(&[event("e", two)]).limit.unread[0].to_string();
        assert_eq!(error, "event e, intervals/1: begins after an interval without end");
    }
}

/// Said at 05:10, an hour long: it ends at 06:10, and a later reading does not prolong it.
#[test]
fn now_is_when_the_event_was_modified() {
    let fields = json!({"modificationDateTime": "2026-03-10T05:10:00.25Z",
        "intervalPeriod": {"start": "0001-01-01T00:00:00Z", "duration": "PT1H"},
        "intervals": values("IMPORT_CAPACITY_LIMIT", &[5.0])});
    let limit = read(&[event("e", fields.clone())]).limit.said;
    assert_eq!(limit.pieces()[0].span.to_string(), "2026-03-10T05:10:00Z to 2026-03-10T06:10:00Z");
    let mut ahead = fields;
    ahead["modificationDateTime"] = json!("2026-03-10T07:00:00Z");
    let limit = read(&[event("e", ahead)]).limit.said;
    assert_eq!(limit.pieces()[0].span.start(), at(NOW), "a clock that is ahead is not believed");
}

#[test]
fn random_starts_are_kept_and_noted() {
    let period =
        json!({"start": "2026-03-10T08:00:00Z", "duration": "PT1H", "randomizeStart": "PT5M"});
    let fields =
        json!({"intervalPeriod": period, "intervals": values("IMPORT_CAPACITY_LIMIT", &[5.0])});
    let word = read(&[event("e", fields)]);
    assert_eq!(drawn(&word.limit.said), [(8, 9, 5_000.0)]);
    assert_eq!(word.notes, ["randomizeStart of event e is not applied"]);
}

#[test]
fn an_interval_without_length_says_nothing() {
    let period = json!({"start": "2026-03-10T08:00:00Z", "duration": "PT0S"});
    let fields =
        json!({"intervalPeriod": period, "intervals": values("IMPORT_CAPACITY_LIMIT", &[5.0])});
    assert!(read(&[event("e", fields)]).limit.said.pieces().is_empty());
    assert!(read(&[event("e", json!({"intervals": null}))]).limit.said.pieces().is_empty());
}

/// Two hours of 4 and 2 kW, for a day and a half from 20:00 of the day before. The round that began
/// at 04:00 is the last one that is over at 06:00.
#[test]
fn an_event_that_lasts_longer_than_its_intervals_repeats_them() {
    let fields = |duration: &str| {
        json!({"duration": duration,
            "intervalPeriod": {"start": "2026-03-09T20:00:00Z", "duration": "PT1H"},
            "intervals": values("IMPORT_CAPACITY_LIMIT", &[4.0, 2.0])})
    };
    let limit = drawn(&read(&[event("e", fields("PT36H"))]).limit.said);
    assert_eq!(limit[..3], [(4, 5, 4_000.0), (5, 6, 2_000.0), (6, 7, 4_000.0)]);
    assert_eq!(limit.last(), Some(&(31, 32, 2_000.0)), "until 08:00 of the next day");
    let endless = drawn(&read(&[event("e", fields("P9999Y"))]).limit.said);
    assert_eq!(endless.last(), Some(&(47, 48, 2_000.0)), "as far as was asked for");
    let shorter = drawn(&read(&[event("e", fields("PT1H30M"))]).limit.said);
    assert_eq!(shorter.len(), 2);
}

#[test]
fn a_thousand_years_of_seconds_are_refused() {
    let fields = json!({"duration": "P9999Y",
        "intervalPeriod": {"start": "2026-03-10T06:00:00Z", "duration": "PT1S"},
        "intervals": values("PRICE", &[1.0])});
    let error = read(&[event("e", fields)]).price.unread[0].to_string();
    assert!(error.contains("repeats more than 100000 intervals"), "{error}");
}
