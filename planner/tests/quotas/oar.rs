//! What OAR's tests and documentation say, with nodes of one resource each.

use jiff::tz::TimeZone;
use planner::json::oar_quotas::read_oar_quotas;
use planner::quota::{QuotaHolding, QuotaMeasure, QuotaRefusal, Quotas};

use crate::{MONDAY, at, first_start, holding, judge, span, subject};

fn read(text: &str) -> Quotas {
    read_oar_quotas(text).unwrap()
}

/// The three rule sets of a week: working days, nights and the weekend.
const WEEK: &str = r#"{
    "periodical": [
        ["08:00-19:00 mon-fri * *", "quotas_workday", "workdays"],
        ["19:00-00:00 mon-thu * *", "quotas_night", "nights of workdays"],
        ["00:00-08:00 tue-fri * *", "quotas_night", "nights of workdays"],
        ["19:00-00:00 fri * *", "quotas_weekend", "weekend"],
        ["* sat-sun * *", "quotas_weekend", "weekend"],
        ["00:00-08:00 mon * *", "quotas_weekend", "weekend"]
    ],
    "oneshot": [
        ["2020-07-23 19:30", "2020-08-29 8:30", "quotas_holiday", "summer holiday"],
        ["2020-03-16 19:30", "2020-05-10 8:30", "quotas_holiday", "confinement"]
    ],
    "quotas_workday": {"*,*,*,john": [100, -1, -1], "*,projA,*,*": [200, -1, -1]},
    "quotas_night": {"*,*,*,john": [100, -1, -1], "*,projA,*,*": [200, -1, -1]},
    "quotas_weekend": {"*,*,*,john": [100, -1, -1], "*,projA,*,*": [200, -1, -1]},
    "quotas_holiday": {"*,*,*,john": [100, -1, -1], "*,projA,*,*": [200, -1, -1]}
}"#;

/// 16 nodes for each user from Monday to Wednesday, then 24; `oneshot` beside them where there is one.
fn two_sets(oneshot: &str) -> Quotas {
    read(&format!(
        r#"{{
            "periodical": [["* mon-wed * *", "quotas_1", "test1"], ["* thu-sun * *", "quotas_2", "test2"]],
            "oneshot": [{oneshot}],
            "quotas_1": {{"*,*,*,/": [16, -1, -1], "*,projA,*,*": [20, -1, -1]}},
            "quotas_2": {{"*,*,*,/": [24, -1, -1], "*,projB,*,*": [15, -1, -1]}},
            "quotas_holiday": {{"*,*,*,*": [32, -1, -1]}}
        }}"#
    ))
}

const HOLIDAY: &str = r#"["2026-11-23 12:00", "2026-11-26 00:00", "quotas_holiday", "holiday"]"#;

/// The lengths of what is in force over so many days from Monday, and the names of the rules.
fn pieces(quotas: &Quotas, days: i64) -> Vec<(i64, &str)> {
    let week = span(MONDAY, MONDAY + days * 86_400);
    let pieces = quotas.calendar.pieces(week, &TimeZone::UTC);
    let told = |place: Option<usize>| place.map_or("", |place| &*quotas.sets[place].name);
    pieces.iter().map(|it| (it.span.length().get(), told(it.rules))).collect()
}

#[test]
fn one_user_may_have_no_more_than_each_may() {
    let one = read(r#"{"quotas": {"*,*,*,/": [15, -1, -1]}}"#);
    assert_eq!(first_start(&one, &subject("", "", "toto"), &[], (16, 60, 0)), None);
    let enough = read(r#"{"quotas": {"*,*,*,/": [16, -1, -1]}}"#);
    assert_eq!(first_start(&enough, &subject("", "", "toto"), &[], (16, 60, 0)), Some(0));
}

/// Each user has 16 nodes and the project yop one reservation at a time. Toto's 16 nodes end at 20, lulu's of yop at 50.
#[test]
fn four_jobs_wait_for_those_that_they_count_with() {
    let quotas = read(r#"{"quotas": {"*,*,*,/": [16, -1, -1], "*,yop,*,*": [-1, 1, -1]}}"#);
    let (toto, lulu) = (subject("", "", "toto"), subject("yop", "", "lulu"));
    let held = [holding(toto.clone(), 16, span(0, 20)), holding(lulu.clone(), 8, span(0, 50))];
    assert_eq!(first_start(&quotas, &toto, &held, (8, 10, 0)), Some(20));
    assert_eq!(first_start(&quotas, &lulu, &held, (8, 60, 0)), Some(50));
}

/// Toto has 8 of 8 nodes from 50 to 150: 200 seconds more fit after that; lulu counts by herself.
#[test]
fn three_jobs_of_two_users() {
    let quotas = read(r#"{"quotas": {"*,*,*,/": [8, -1, -1]}}"#);
    let held = [holding(subject("", "", "toto"), 8, span(50, 150))];
    assert_eq!(first_start(&quotas, &subject("", "", "toto"), &held, (8, 200, 0)), Some(150));
    assert_eq!(first_start(&quotas, &subject("yop", "", "lulu"), &held, (8, 100, 0)), Some(0));
}

#[test]
fn who_is_not_named_is_not_limited() {
    let quotas = read(r#"{"quotas": {"*,*,*,toto": [1, -1, -1], "*,*,*,john": [150, -1, -1]}}"#);
    assert_eq!(first_start(&quotas, &subject("", "", "toto"), &[], (16, 60, 0)), None);
    assert_eq!(first_start(&quotas, &subject("", "", "tutu"), &[], (16, 60, 0)), Some(0));
}

/// One job of the user, or of the job type, at a time: the second begins when the first ends, at 50.
#[test]
fn jobs_of_a_user_and_of_a_type_are_counted() {
    let by_user = r#"{"quotas": {"*,*,besteffort,*": [-1, -1, -1], "*,*,*,yop": [-1, 1, -1]}}"#;
    let by_type = r#"{"quotas": {"*,*,yop,*": [-1, 1, -1]}, "job_types": ["yop"]}"#;
    for (text, one) in [(by_user, subject("", "", "yop")), (by_type, subject("", "yop", "toto"))] {
        let (quotas, asked) = (read(text), (8, 50, 0));
        assert_eq!(first_start(&quotas, &one, &[], asked), Some(0));
        let held = [holding(one.clone(), 8, span(0, 50))];
        assert_eq!(first_start(&quotas, &one, &held, asked), Some(50));
    }
}

#[test]
fn the_calendar_has_rules_for_the_whole_week() {
    let quotas = read(WEEK);
    let week = pieces(&quotas, 7);
    let h = 3600;
    let night = [(11 * h, "quotas_workday"), (13 * h, "quotas_night")];
    let mut expected = vec![(8 * h, "quotas_weekend")];
    expected.extend(night.repeat(4));
    expected.extend([(11 * h, "quotas_workday"), (53 * h, "quotas_weekend")]);
    assert_eq!(week, expected);
    let rest = r#"{"periodical": [["* * * *", "night"], ["08:00-19:00 mon-fri * *", "day"]],
        "night": {}, "day": {"*,*,*,john": 100}}"#;
    assert_eq!(pieces(&read(rest), 1), [(8 * h, "night"), (11 * h, "day"), (5 * h, "night")]);
}

#[test]
fn rules_alternate_and_a_oneshot_goes_before() {
    let d = 86_400;
    let (one, two) = ((3 * d, "quotas_1"), (4 * d, "quotas_2"));
    assert_eq!(pieces(&two_sets(""), 14), [one, two, one, two]);
    let holiday = [(d / 2, "quotas_1"), (5 * d / 2, "quotas_holiday"), two, one, two];
    assert_eq!(pieces(&two_sets(HOLIDAY), 14), holiday);
}

#[test]
fn a_job_is_refused_that_goes_on_under_other_rules_and_one_of_too_many_resources() {
    let quotas = two_sets("");
    let (toto, john) = (subject("", "", "toto"), subject("", "", "john"));
    let week = span(MONDAY, MONDAY + 7 * 86_400);
    let refusal = judge(&quotas, &toto, &[], MONDAY).judge(2, week).unwrap_err();
    let at_thursday = at(MONDAY + 3 * 86_400);
    assert!(matches!(refusal, QuotaRefusal::Across { at, .. } if at == at_thursday));
    let day = span(MONDAY, MONDAY + 86_400);
    let judge = judge(&quotas, &john, &[], MONDAY);
    assert_eq!(judge.judge(10, day), Ok(()));
    let QuotaRefusal::Exceeded(excess) = judge.judge(20, day).unwrap_err() else { panic!() };
    assert_eq!((excess.key.to_string().as_str(), excess.limit), ("*,*,*,/", 16));
}

/// Of toto's 24 nodes from Thursday: 24 for a minute begin then; 32 never; 8 for three days and a half fit in no half of
/// the week but the second, after those; 8 for a minute fit at once.
#[test]
fn four_jobs_in_a_week_of_two_rules() {
    let (quotas, toto) = (two_sets(""), subject("", "", "toto"));
    let mut held: Vec<QuotaHolding> = Vec::new();
    let days = 86_400;
    for (nodes, duration, expected) in [
        (24, 60, Some(3 * days)),
        (32, 60, None),
        (8, 7 * days / 2, Some(3 * days + 60)),
        (8, 60, Some(0)),
    ] {
        let start = first_start(&quotas, &toto, &held, (nodes, duration, MONDAY));
        assert_eq!(start, expected);
        held.extend(start.map(|start| {
            let start = MONDAY + start;
            holding(toto.clone(), nodes, span(start, start + duration))
        }));
    }
}

#[test]
fn a_oneshot_lets_more_begin() {
    let quotas = two_sets(HOLIDAY);
    let start = first_start(&quotas, &subject("", "", "toto"), &[], (32, 60, MONDAY));
    assert_eq!(start, Some(43_200));
}

/// The documented example: 200 resource-hours are one resource for 200 hours, or 200 for one.
#[test]
fn resource_hours_are_resources_times_hours() {
    let quotas = read(r#"{"quotas": {"*,*,*,/": [-1, -1, 200]}}"#);
    let john = subject("", "", "john");
    let judge = judge(&quotas, &john, &[], MONDAY);
    let hours = |nodes, hours: i64| judge.judge(nodes, span(MONDAY, MONDAY + hours * 3600)).is_ok();
    assert!(hours(1, 200) && hours(200, 1) && !hours(1, 201) && !hours(201, 1));
}

/// Ada has one reservation and one node-hour, 3,600 node-seconds. Hers has 1 node for 1,200 s, and had 2 more that it gave
/// back: 3 x 1,200 = 3,600. With 3 more it is 4 x 1,200, too many, though the number of reservations would be told first.
#[test]
fn more_of_one_reservation_is_no_second_one_and_counts_in_all_else() {
    let quotas = read(r#"{"quotas": {"*,*,*,ada": [-1, 1, 1]}}"#);
    let ada = subject("", "", "ada");
    let whole = span(0, 1200);
    let refused = |refusal: Result<(), QuotaRefusal>| match refusal {
        Ok(()) => None,
        Err(QuotaRefusal::Exceeded(excess)) => Some(excess.measure),
        Err(QuotaRefusal::Across { at, .. }) => panic!("other rules from {at:?} on"),
    };
    for (given_back, found) in [(2, None), (3, Some(QuotaMeasure::NodeHours))] {
        let judge = judge(&quotas, &ada, &[holding(ada.clone(), given_back, whole)], 0);
        assert_eq!(refused(judge.judge(1, whole)), Some(QuotaMeasure::Reservations));
        assert_eq!(refused(judge.judge_more_of_one(1, whole)), found);
    }
}
