//! Examples of RFC 5545, section 3.8.5.3, which all begin on 2 September 1997 at 9 o'clock in New York unless they say
//! otherwise, and the days on which clocks change.

use super::*;

fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).unwrap()
}

fn new_york(rule: &str) -> Recurrence {
    let (except, also) = (Vec::new(), Vec::new());
    Recurrence { rule: rule.to_owned(), until: None, except, also, zone: zone("America/New_York") }
}

fn local(text: &str) -> DateTime {
    local_time(text).unwrap()
}

/// The days of the occurrences from a day on at 9 o'clock.
fn days(recurrence: &Recurrence, first: &str) -> Vec<String> {
    let found = recurrence.occurrences(local(&format!("{first}T09:00:00")), 400).unwrap();
    found.iter().map(|(start, _)| start.date().to_string()).collect()
}

#[test]
fn rules_of_the_rfc_give_its_dates() {
    for (rule, first, dates) in [
        // Every other week on Tuesday and Thursday, for 8 occurrences, weeks that begin on Sunday.
        (
            "FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH",
            "1997-09-02",
            "1997-09-02 1997-09-04 1997-09-16 1997-09-18 1997-09-30 1997-10-02 1997-10-14 1997-10-16",
        ),
        // Monthly on the first Friday for 10 occurrences.
        (
            "FREQ=MONTHLY;COUNT=10;BYDAY=1FR",
            "1997-09-05",
            "1997-09-05 1997-10-03 1997-11-07 1997-12-05 1998-01-02 1998-02-06 1998-03-06 1998-04-03 1998-05-01 1998-06-05",
        ),
        // Monthly on the second-to-last Monday for 6 months.
        (
            "FREQ=MONTHLY;COUNT=6;BYDAY=-2MO",
            "1997-09-22",
            "1997-09-22 1997-10-20 1997-11-17 1997-12-22 1998-01-19 1998-02-16",
        ),
        // The third-to-last day of the month.
        (
            "FREQ=MONTHLY;BYMONTHDAY=-3;COUNT=6",
            "1997-09-28",
            "1997-09-28 1997-10-29 1997-11-28 1997-12-29 1998-01-29 1998-02-26",
        ),
        // Yearly in June and July for 10 occurrences, here 4.
        (
            "FREQ=YEARLY;COUNT=4;BYMONTH=6,7",
            "1997-06-10",
            "1997-06-10 1997-07-10 1998-06-10 1998-07-10",
        ),
        // Every third year on the 1st, 100th and 200th day for 10 occurrences.
        (
            "FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200",
            "1997-01-01",
            "1997-01-01 1997-04-10 1997-07-19 2000-01-01 2000-04-09 2000-07-18 2003-01-01 2003-04-10 2003-07-19 2006-01-01",
        ),
        // Monday of week number 20.
        (
            "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO;COUNT=3",
            "1997-05-12",
            "1997-05-12 1998-05-11 1999-05-17",
        ),
        // The third instance into the month of Tuesday, Wednesday or Thursday, for 3 months.
        (
            "FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3",
            "1997-09-04",
            "1997-09-04 1997-10-07 1997-11-06",
        ),
        // The second-to-last weekday of the month.
        (
            "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2;COUNT=7",
            "1997-09-29",
            "1997-09-29 1997-10-30 1997-11-27 1997-12-30 1998-01-29 1998-02-26 1998-03-30",
        ),
        // The days of February 30 are none: the 15th and 30th for 5 occurrences.
        (
            "FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5",
            "2007-01-15",
            "2007-01-15 2007-01-30 2007-02-15 2007-03-15 2007-03-30",
        ),
        // The last Friday of each month: in 2026 October 30, November 27, December 25, January 29.
        (
            "FREQ=MONTHLY;BYDAY=-1FR;COUNT=4",
            "2026-10-30",
            "2026-10-30 2026-11-27 2026-12-25 2027-01-29",
        ),
    ] {
        assert_eq!(days(&new_york(rule), first).join(" "), dates, "{rule}");
    }
}

/// "Every Friday the 13th": the exception takes out the first date, which is a Tuesday and not of the rule anyway.
#[test]
fn exceptions_are_left_out_and_additions_come_in() {
    let mut rule = new_york("FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13;COUNT=5");
    rule.except = vec![Exclusion::read("1997-09-02T09:00:00").unwrap()];
    let all = "1998-02-13 1998-03-13 1998-11-13 1999-08-13 2000-10-13";
    assert_eq!(days(&rule, "1997-09-02").join(" "), all);
    // COUNT counts what is left out, as RFC 5545 has it: a day less remains.
    rule.except.push(Exclusion::read("1998-11-13").unwrap());
    rule.also = vec![local("1998-11-14T10:00:00")];
    let but_one = "1998-02-13 1998-03-13 1998-11-14 1999-08-13 2000-10-13";
    assert_eq!(days(&rule, "1997-09-02").join(" "), but_one);
}

/// Daily until 24 December 1997, 00:00 UTC: the last is the 23rd, when 9 o'clock is 14:00 UTC. From 2 September that is
/// 29 + 31 + 30 + 23 = 113 days. On 26 October clocks go back: 9 o'clock is 13:00 UTC before and 14:00 UTC since.
#[test]
fn local_times_stay_when_clocks_change() {
    let rule = new_york("FREQ=DAILY;UNTIL=19971224T000000Z");
    let found = rule.occurrences(local("1997-09-02T09:00:00"), 400).unwrap();
    assert_eq!(found.len(), 113);
    let at = |day: &str| {
        let (_, at) = found.iter().find(|(start, _)| start.date().to_string() == day).unwrap();
        at.to_string()
    };
    assert_eq!(at("1997-10-25"), "1997-10-25T13:00:00Z");
    assert_eq!(at("1997-10-26"), "1997-10-26T14:00:00Z");
    assert_eq!(at("1997-12-23"), "1997-12-23T14:00:00Z");
    let mut until = new_york("FREQ=DAILY");
    until.until = Some(Timestamp::parse("1997-12-24T00:00:00Z").unwrap());
    assert_eq!(until.occurrences(local("1997-09-02T09:00:00"), 400).unwrap(), found);
}

/// In Berlin clocks go forward on 29 March 2026 from 02:00 to 03:00, and back on 25 October from 03:00 to 02:00.
#[test]
fn what_does_not_exist_is_later_and_what_exists_twice_is_the_first() {
    let berlin = |rule: &str| Recurrence { zone: zone("Europe/Berlin"), ..new_york(rule) };
    let instants = |rule: &str, first: &str| -> Vec<String> {
        let found = berlin(rule).occurrences(local(first), 400).unwrap();
        found.iter().map(|(_, at)| at.to_string()).collect()
    };
    // 02:30 by the offset before, +01:00, is 01:30 UTC, which clocks show as 03:30.
    assert_eq!(
        instants("FREQ=DAILY;COUNT=3", "2026-03-28T02:30:00"),
        ["2026-03-28T01:30:00Z", "2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z"]
    );
    // 02:30 first occurs with +02:00: 00:30 UTC.
    assert_eq!(
        instants("FREQ=DAILY;COUNT=3", "2026-10-24T02:30:00"),
        ["2026-10-24T00:30:00Z", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]
    );
    // 02:00 and 03:00 are one instant when clocks go forward: 01:00 UTC. It is one occurrence.
    assert_eq!(
        instants("FREQ=HOURLY;COUNT=4", "2026-03-29T01:00:00"),
        ["2026-03-29T00:00:00Z", "2026-03-29T01:00:00Z", "2026-03-29T02:00:00Z"]
    );
}

#[test]
fn what_is_no_rule_or_too_long_is_refused() {
    let first = local("1997-09-02T09:00:00");
    let refused = |rule: &str, most| new_york(rule).occurrences(first, most).unwrap_err();
    assert_eq!(refused("FREQ=DAILY", 400), RecurrenceError::Endless);
    assert_eq!(refused("FREQ=DAILY;COUNT=11", 10), RecurrenceError::TooMany(10));
    assert_eq!(
        refused("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;UNTIL=20300101", 400),
        RecurrenceError::Never
    );
    for wrong in [
        "DAILY;COUNT=3",
        "FREQ=SOMETIMES;COUNT=3",
        "FREQ=DAILY;COUNT=3;UNTIL=19980101T000000Z",
        "FREQ=DAILY;UNTIL=tomorrow",
        "FREQ=DAILY;COUNT=2\nRDATE:19990101T000000Z",
    ] {
        let error = refused(wrong, 400);
        assert!(matches!(error, RecurrenceError::NoRule(_)), "{wrong}: {error}");
    }
    for wrong in ["2026-12-24T08:00:00Z", "2026-12-24 08:00:00", "24.12.2026", "2026-13-01", ""] {
        assert!(Exclusion::read(wrong).is_err(), "{wrong}");
    }
}
