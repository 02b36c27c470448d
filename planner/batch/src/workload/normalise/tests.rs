//! A trace with everything that is dropped, clipped and shifted, and traces in disorder.

use super::*;
use crate::job::Utilisation;

const TRACE: &str = "\
; MaxProcs: 8
7 1000 -1 50 2 -1 -1 -1 -1
3 900 -1 20 -1 -1 -1 3 10
2 900 -1 20.5 9 -1 -1 3 60
4 900 -1 0 -1 -1 -1 3 60
5 900 -1 9 -1 -1 -1 -1 60
6 900 -1 9 -1 -1 -1 9 60
1 -5 -1 9 -1 -1 -1 1 60
";

fn read(raw: bool, whole: bool) -> (Vec<Job>, Cleaning) {
    let mut jobs =
        Jobs::new(TRACE.as_bytes(), WorkloadReading { machines: 8, raw, whole, duplicates: false });
    let played = jobs.by_ref().map(Result::unwrap).collect();
    (played, jobs.cleaning())
}

/// The first submission that is left is job 2's and 3's at 900 s. Job 3 is clipped to 10 s; job 7 has
/// field 5 for its processors and its run time for its walltime.
#[test]
fn the_normalisation_drops_clips_shifts_and_sorts() {
    for whole in [false, true] {
        let (jobs, cleaning) = read(false, whole);
        let of = |job: &Job| {
            let seconds =
                [job.submitted, job.work.time(1.0), job.walltime.unwrap()].map(Time::as_seconds);
            (job.id.clone(), job.nodes, seconds)
        };
        let number = JobId::Number;
        let expected = [
            (number(2), 3, [0.0, 20.5, 60.0]),
            (number(3), 3, [0.0, 10.0, 10.0]),
            (number(7), 2, [100.0, 50.0, 50.0]),
        ];
        assert_eq!(jobs.iter().map(of).collect::<Vec<_>>(), expected);
        let expected = Cleaning {
            jobs_read: 7,
            jobs_kept: 3,
            dropped_no_run_time: 1,
            dropped_no_processors: 1,
            dropped_too_large: 1,
            dropped_negative_submission: 1,
            clipped_to_requested_time: 1,
        };
        assert_eq!(cleaning, expected);
    }
}

/// 12.5 s of 50 s; more than all of it; none; unknown.
#[test]
fn processor_time_over_run_time_is_the_utilisation() {
    let trace = "1 0 -1 50 2 12.5\n2 0 -1 50 2 60\n3 0 -1 50 2 0\n4 0 -1 50 2 -1\n5 0 -1 50 2\n";
    for raw in [false, true] {
        let jobs = Jobs::new(
            trace.as_bytes(),
            WorkloadReading { machines: 8, raw, whole: false, duplicates: false },
        );
        let read: Vec<_> = jobs.map(|job| job.unwrap().utilisation).collect();
        let some = [0.25, 1.0, 0.0].map(Utilisation::of);
        assert_eq!((&read[..3], &read[3..]), (some.as_slice(), [None; 2].as_slice()));
    }
}

#[test]
fn jobs_that_share_a_number_are_told_with_both_lines() {
    let trace = "; Version: 2.2\n7 0 -1 5 1\n8 1 -1 5 1\n7 2 -1 0 1\n7 3 -1 5 1\n";
    let reading = WorkloadReading { machines: 8, raw: false, whole: false, duplicates: false };
    for raw in [false, true] {
        let read: Result<Vec<Job>, _> =
            Jobs::new(trace.as_bytes(), WorkloadReading { raw, ..reading }).collect();
        // The one on line 4 does not run, so only a raw reading has it.
        let line = if raw { 4 } else { 5 };
        let expected = format!("line {line}: there is a job 7 on line 2 already");
        assert!(read.unwrap_err().to_string().starts_with(&expected));
    }
    let kept = Jobs::new(trace.as_bytes(), WorkloadReading { duplicates: true, ..reading });
    assert_eq!(kept.map(Result::unwrap).count(), 3);
}

#[test]
fn a_raw_reading_leaves_everything() {
    let (jobs, cleaning) = read(true, false);
    let numbers: Vec<String> = jobs.iter().map(|job| job.id.to_string()).collect();
    assert_eq!(numbers, ["1", "3", "2", "4", "5", "6", "7"]);
    assert_eq!(jobs[0].submitted, Time::from_seconds(-5));
    assert_eq!(
        (jobs[1].work.time(1.0), jobs[1].walltime),
        (Time::from_seconds(20), Some(Time::from_seconds(10)))
    );
    assert_eq!((jobs[4].nodes, jobs[6].walltime), (0, None));
    assert_eq!((cleaning.jobs_read, cleaning.jobs_kept), (7, 7));
}

#[test]
fn disorder_beyond_the_window_is_noticed_and_read_whole() {
    let line = |number| {
        format!(
            "{number} {} -1 1 1
",
            10 + number
        )
    };
    let mut trace: String = (0..6000).map(line).collect();
    trace.push_str("6000 0 -1 1 1\n");
    let reading = WorkloadReading { machines: 1, raw: false, whole: false, duplicates: false };
    let result: Result<Vec<Job>, _> = Jobs::new(trace.as_bytes(), reading).collect();
    assert!(matches!(result, Err(WorkloadError::Disordered { line: 6001 })));
    let reading = WorkloadReading { whole: true, ..reading };
    let jobs: Vec<Job> = Jobs::new(trace.as_bytes(), reading).map(Result::unwrap).collect();
    assert_eq!(jobs[0].id, JobId::Number(6000));
    assert_eq!(jobs[1].submitted, Time::from_seconds(10));
}
