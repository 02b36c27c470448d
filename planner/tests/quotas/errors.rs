//! Every error of OAR's file names its place.

use planner::json::oar_quotas::read_oar_quotas;

fn errors(text: &str) -> Vec<String> {
    read_oar_quotas(text).unwrap_err().iter().map(ToString::to_string).collect()
}

/// From 19:00 on Friday there are none, and none on Saturday and Sunday: the first gap is named.
#[test]
fn a_time_without_rules_is_named() {
    let text = r#"{"periodical": [["08:00-19:00 mon-fri * *", "day"], ["19:00-00:00 mon-thu * *", "day"],
        ["00:00-08:00 mon-fri * *", "day"]], "day": {}}"#;
    assert_eq!(errors(text), ["/periodical: there are no rules on fri from 19:00 to 24:00"]);
}

#[test]
fn rules_that_overlap_are_named() {
    let text = r#"{"periodical": [["* mon-sun * *", "a"], ["08:00-19:00 sat * *", "a"]], "a": {}}"#;
    assert_eq!(errors(text), ["/periodical/1: overlaps with entry 0 on sat from 08:00 to 19:00"]);
}

#[test]
fn days_of_the_month_and_months_are_not_known_to_oar() {
    let text = r#"{"periodical": [["* * 1 *", "a"], ["* mon-sun * jan", "a"]], "a": {}}"#;
    let found = errors(text);
    assert_eq!(found.len(), 2);
    assert!(found[0].starts_with("/periodical/0: the day of the month of"), "{found:?}");
    assert!(found[1].starts_with("/periodical/1: the month of"), "{found:?}");
}

#[test]
fn every_wrong_rule_is_named() {
    let text = r#"{"quotas": {"*,*,*": 1, "*,*,/,*": 1, "*,*,*,ada": [1, 2], "*,*,*,bob": ["2ALL", -1, -1]}}"#;
    let found = errors(text);
    let places: Vec<&str> = found.iter().filter_map(|it| it.split(": ").next()).collect();
    let expected =
        ["/quotas/*,*,*", "/quotas/*,*,~1,*", "/quotas/*,*,*,ada", "/quotas/*,*,*,bob/0"];
    assert_eq!(places, expected);
}

#[test]
fn names_and_times_that_are_not_there_are_named() {
    let text = r#"{"periodical": [["* mon-sun * *", "nights"]]}"#;
    assert_eq!(errors(text), [r#"/periodical/0: there are no rules "nights" in the file"#]);
    let text = r#"{"oneshot": [["2020-07-23 19:30", "2012-08-29 8:30", "a"]], "a": {}}"#;
    assert_eq!(errors(text), [r#"/oneshot/0: "2012-08-29 8:30" must be after "2020-07-23 19:30""#]);
    assert!(errors("{")[0].contains("is not JSON"));
}
