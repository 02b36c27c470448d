//! What profiles come to, and what is refused.

use super::*;
use crate::job::{Utilisation, Work};

fn read(text: &str) -> Result<JsonWorkload, String> {
    let reading = WorkloadReading { machines: 8, raw: false, whole: false, duplicates: false };
    read_json(text.as_bytes(), reading, None, &no_files).map_err(|error| error.to_string())
}

/// On 2 machines: 300 operations in all are 150 each; the sequence is twice (5 s and 100 operations)
/// and twice 100, the greater of the parallel parts.
#[test]
fn profiles_come_to_times_and_operations() {
    let text = r#"{"nb_res": 8, "extra": 1, "jobs": [
        {"id": "b", "subtime": 30, "res": 2, "profile": "total", "walltime": -1},
        {"id": "a", "subtime": 30, "res": 2, "profile": "twice", "walltime": 60.5},
        {"id": 7, "subtime": 10, "res": 1, "profile": "wait"},
        {"id": 8, "subtime": 0, "res": 9, "profile": "wait"},
        {"id": 9, "subtime": 0, "res": 1, "profile": "nothing"}],
      "profiles": {
        "wait": {"type": "delay", "delay": 5},
        "nothing": {"type": "delay", "delay": 0},
        "each": {"type": "parallel_homogeneous", "cpu": 100.0, "com": 0},
        "total": {"type": "parallel_homogeneous_total", "cpu": 300, "com": 1},
        "vector": {"type": "parallel", "cpu": [100, 50], "com": [0, 0, 0, 0]},
        "twice": {"type": "composed", "repeat": 2, "seq": ["wait", "each", "vector"]}}}"#;
    let read = read(text).unwrap();
    let works: Vec<(String, i64, Work)> = read
        .jobs
        .iter()
        .map(|job| (job.id.to_string(), job.submitted.as_micros() / 1_000_000, job.work.clone()))
        .collect();
    let five = Time::from_seconds(5);
    let expected = [
        ("7".to_owned(), 0, Work::Delay(five)),
        ("a".to_owned(), 20, Work::Both(five + five, 400.0)),
        ("b".to_owned(), 20, Work::Compute(150.0)),
    ];
    assert_eq!(works, expected);
    assert_eq!(read.jobs[1].walltime, Time::from_seconds_f64(60.5));
    assert_eq!(read.jobs[2].walltime, None);
    assert_eq!((read.jobs_communicating, read.cleaning.dropped_too_large), (1, 1));
    assert_eq!(read.cleaning.dropped_no_run_time, 1);
    assert_eq!((read.uneven.as_deref(), read.mixed.as_deref()), (Some("twice"), Some("twice")));
}

/// What a sequence says goes before its parts; parts of one utilisation say it for the sequence;
/// parts of which only one says it, or that differ, do not.
#[test]
fn profiles_say_how_hard_they_drive_machines() {
    let profiles = r#"{
        "wait": {"type": "delay", "delay": 5, "utilisation": 0.25},
        "work": {"type": "parallel_homogeneous", "cpu": 100, "utilisation": 0.25},
        "more": {"type": "parallel_homogeneous", "cpu": 100, "utilisation": 0.5},
        "full": {"type": "parallel_homogeneous", "cpu": 100},
        "none": {"type": "delay", "delay": 0},
        "alike": {"type": "composed", "seq": ["none", "wait", "work"]},
        "said": {"type": "composed", "seq": ["wait", "full"], "utilisation": 0.75},
        "one": {"type": "composed", "seq": ["wait", "full"]},
        "differ": {"type": "composed", "seq": ["work", "more"]},
        "inner": {"type": "composed", "seq": ["differ", "work"]}}"#;
    let of = |name: &str| {
        let jobs = format!(r#"[{{"id": 1, "subtime": 0, "res": 2, "profile": "{name}"}}]"#);
        let read = read(&format!(r#"{{"jobs": {jobs}, "profiles": {profiles}}}"#)).unwrap();
        (read.jobs[0].utilisation.map(Utilisation::share), read.mixed.is_some())
    };
    assert_eq!(["wait", "full"].map(of), [(Some(0.25), false), (None, false)]);
    assert_eq!(["alike", "said"].map(of), [(Some(0.25), false), (Some(0.75), false)]);
    assert_eq!(["one", "differ", "inner"].map(of), [(None, true); 3]);
}

#[test]
fn jobs_that_share_an_id_are_told_with_both_lines() {
    let job = |id: &str| format!(r#"{{"id": {id}, "subtime": 0, "res": 1, "profile": "p"}}"#);
    let (one, two, again) = (job("1"), job("2"), job("\"1\""));
    let text = format!(
        "{{\"profiles\": {{\"p\": {{\"type\": \"delay\", \"delay\": 5}}}},\n\"jobs\": [{one},\n{two},\n\n{again}]}}"
    );
    let error = read(&text).unwrap_err();
    assert!(error.starts_with("line 5: there is a job 1 on line 2 already"), "{error}");
    let reading = WorkloadReading { machines: 8, raw: false, whole: false, duplicates: true };
    assert_eq!(read_json(text.as_bytes(), reading, None, &no_files).unwrap().jobs.len(), 3);
}

#[test]
fn what_is_wrong_is_named() {
    let with = |profile: &str| {
        read(&format!(
            r#"{{"jobs": [{{"id": 1, "subtime": 0, "res": 2, "profile": "p"}}], "profiles": {{"p": {profile}}}}}"#
        ))
        .unwrap_err()
    };
    assert!(with(r#"{"type": "recv"}"#).starts_with("profile \"p\": unknown variant `recv`"));
    assert_eq!(with(r#"{"type": "composed", "seq": ["q"]}"#), "job 1: there is no profile \"q\"");
    assert_eq!(
        with(r#"{"type": "composed", "seq": ["p"]}"#),
        "job 1: profile \"p\": it goes round in circles"
    );
    assert_eq!(
        with(r#"{"type": "parallel", "cpu": [1]}"#),
        "job 1: profile \"p\": it is for 1 machines"
    );
    assert_eq!(
        with(r#"{"type": "delay", "delay": -2}"#),
        "job 1: profile \"p\": -2 is not an amount"
    );
    assert_eq!(
        with(r#"{"type": "delay", "delay": 2, "utilisation": 1.5}"#),
        "job 1: profile \"p\": utilisation is a number from 0 to 1, not 1.5"
    );
    assert!(read("{\n\"jobs\": 3}").unwrap_err().contains("line 2"));
}
