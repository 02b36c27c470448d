//! Requests as rows and as lines of JSON.

use planner::decimal::Fraction;
use planner::filter::NodeFilter;
use planner::request::{Shape, Tolerances};
use planner::time::{Seconds, Timestamp};
use planner::tolerance::Tolerance;

use super::*;

#[test]
fn reads_requests_with_and_without_utilisation() {
    let text = "nodes,duration_s,earliest_start,latest_start,utilisation\n\
                2,3600,2013-01-01T00:00:00Z,2013-01-01T04:00:00Z,0.8\n\
                1,1,2013-01-01T00:00:00Z,2013-01-01T00:00:00Z,\n";
    let read = requests(text).unwrap();
    let start = Timestamp::parse("2013-01-01T00:00:00Z").unwrap();
    assert_eq!(
        read[0],
        Request {
            utilisation: Fraction::new(0.8),
            ..Request::new(
                Shape { nodes: 2, duration: Seconds::new(3600) },
                start,
                start + Seconds::new(4 * 3600),
            )
        }
    );
    assert_eq!(read[1].utilisation, None);
}

#[test]
fn collects_all_errors() {
    let text = "nodes,duration_s,earliest_start,latest_start\n\
                0,100000001,2013-01-02T00:00:00Z,2013-01-01T00:00:00Z\n\
                +2,1.5,2013-01-02T00:00:00Z,2013-01-03\n\
                -2,,2013-01-02T00:00:00Z,2013-01-02T00:00:00Z\n";
    let errors: Vec<String> = requests(text).unwrap_err().iter().map(ToString::to_string).collect();
    let no_whole_number = "is not a whole number between 0 and 4294967295";
    assert_eq!(
        errors,
        [
            "line 2: nodes must be at least 1".to_owned(),
            "line 2: duration_s must be between 1 and 100000000 seconds".to_owned(),
            "line 2: latest_start must not be before earliest_start".to_owned(),
            format!("line 3, nodes: {no_whole_number}"),
            format!("line 3, duration_s: {no_whole_number}"),
            "line 3, latest_start: is not an RFC 3339 time such as 2026-01-01T00:00:00Z".to_owned(),
            format!("line 4, nodes: {no_whole_number}"),
            format!("line 4, duration_s: {no_whole_number}"),
        ]
    );
}

/// The thirteen fields, as columns and as JSON.
#[test]
fn a_row_and_a_line_of_json_say_the_same() {
    let row = "nodes,duration_s,duration,alternatives,earliest_start,latest_start,latest_end,\
               utilisation,tolerance,partition,features,exclude,only\n\
               2,,PT1H,4x1800;1xPT2H,2013-01-01T00:00:00Z,2013-01-01T04:00:00Z,\
               2013-01-01T05:00:00Z,0.8,cost=0.02;co2=0.1,gpu,nvme;ib,n7;n9,n1;n2\n";
    let line =
        r#"{"nodes": 2, "duration": "PT1H", "alternatives": [{"nodes": 4, "duration_s": 1800},
        {"nodes": 1, "duration": 7200}], "earliest_start": "2013-01-01T00:00:00Z",
        "latest_start": "2013-01-01T04:00:00Z", "latest_end": "2013-01-01T05:00:00Z",
        "utilisation": 0.8, "tolerance": {"cost": 0.02, "co2": 0.1}, "partition": "gpu",
        "features": ["nvme", "ib"], "exclude": ["n7", "n9"],
        "only": ["n1", "n2"]}"#
            .replace('\n', "");
    let start = Timestamp::parse("2013-01-01T00:00:00Z").unwrap();
    let hours = |count: i64| Seconds::new(count * 3600);
    let shape = |nodes, seconds| Shape { nodes, duration: Seconds::new(seconds) };
    let names = |names: &[&str]| names.iter().map(|&name| name.into()).collect();
    let expected = Request {
        alternatives: vec![shape(4, 1800), shape(1, 7200)],
        latest_end: Some(start + hours(5)),
        utilisation: Fraction::new(0.8),
        tolerances: Tolerances {
            energy: Tolerance::default(),
            cost: Tolerance::new(0.02).unwrap(),
            co2: Tolerance::new(0.1).unwrap(),
        },
        filter: NodeFilter {
            partition: Some("gpu".into()),
            features: names(&["nvme", "ib"]),
            exclude: names(&["n7", "n9"]),
            only: names(&["n1", "n2"]),
            closed: Vec::new(),
        },
        ..Request::new(shape(2, 3600), start, start + hours(4))
    };
    assert_eq!(requests(row).unwrap(), std::slice::from_ref(&expected));
    assert_eq!(requests(&format!("\n{line}\n\n{line}")).unwrap(), [expected.clone(), expected]);
}

#[test]
fn a_deadline_or_alternatives_may_stand_in_place_of_other_cells() {
    let text = "nodes,duration_s,alternatives,earliest_start,latest_start,latest_end\n\
                ,,3x3600;6x1800,2013-01-01T00:00:00Z,,2013-01-01T04:00:00Z\n";
    let read = requests(text).unwrap();
    let start = Timestamp::parse("2013-01-01T00:00:00Z").unwrap();
    assert_eq!((read[0].nodes, read[0].duration), (3, Seconds::new(3600)));
    assert_eq!(read[0].latest_start, start + Seconds::new(4 * 3600 - 1800));
}

#[test]
fn what_cannot_be_read_or_has_no_meaning_is_named() {
    let errors = |text: &str| -> Vec<String> {
        requests(text).unwrap_err().iter().map(ToString::to_string).collect()
    };
    let head = "nodes,duration_s,earliest_start,latest_start";
    let row = "1,60,2013-01-01T00:00:00Z,2013-01-01T00:00:00Z";
    for (column, cell, told) in [
        ("tolerance", "cost:2", "line 2, tolerance: is not criteria and shares such as"),
        (
            "tolerance",
            "price=0.1",
            "line 2, tolerance: is not a known field; known are energy, cost",
        ),
        ("tolerance", "cost=11", "line 2, tolerance: must lie between 0 and 10"),
        ("alternatives", "4", "line 2, alternatives: is not counts of nodes and durations"),
        ("alternatives", "0x60", "line 2, alternatives: nodes must be at least 1"),
        ("features", "a;", "line 2, features: must have 1 to 255 characters"),
        ("duration", "PT2H", "line 2, duration_s: must not stand beside duration"),
        ("priority", "1", "line 1, priority: is not a column of this table"),
    ] {
        let found = errors(&format!("{head},{column}\n{row},{cell}\n"));
        assert!(found.len() == 1 && found[0].starts_with(told), "{found:?}");
    }
    let line = r#"{"nodes": 1, "duration_s": 60, "earliest_start": "2013-01-01T00:00:00Z",
        "latest_start": "2013-01-01T00:00:00Z", "priority": 1}"#
        .replace('\n', "");
    let sentence =
        "line 1, priority: has no meaning in a simulation: no reservation has to give way";
    assert!(errors(&line)[0].starts_with(sentence), "{:?}", errors(&line));
    assert!(errors("[{}]")[0].starts_with("line 1: is a list in JSON"));
}
