//! Requests derived from workload traces in the Standard Workload Format.
//!
//! Published traces are full of oddities, and all are taken: jobs out of order, negative submission
//! times, run times of 0 or -1 or beyond what was requested, unknown processors or requested times.
//!
//! A reservation is made of a job so: processors are those requested (field 8), else those allocated
//! (field 5), and whole nodes; the duration is the time requested (field 9), else the run time
//! (field 4), or the other way round; it may start from the submission on. Jobs of which one of the
//! three is unknown, or that need more nodes than there are, are left out and counted.

use planner::request::{MAX_DURATION, Request};
use planner::time::{Seconds, Timestamp};
use serde::{Deserialize, Serialize};
use swf::{Field, Reader, Record, SwfError};

use crate::sesames::{Parameters, request};

/// What a request is derived from; what the trace does not say is absent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TracedJob {
    /// When it was submitted, s since the trace's start; may be negative.
    pub submitted_s: f64,
    /// How long it ran, s.
    pub run_s: Option<f64>,
    /// Processors it got.
    pub allocated: Option<f64>,
    /// Processors it asked for.
    pub requested: Option<f64>,
    /// Time it asked for, s.
    pub requested_s: Option<f64>,
}

/// How requests are derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TraceReading {
    /// Processors of a node. Default 1.
    pub swf_processors_per_node: u32,
    /// The day of the trace with which the month begins, from 0. Default 0.
    pub swf_first_day: u32,
    /// What a reservation lasts. Default `requested`: nobody knows how long a job will run.
    pub swf_duration: Duration,
}

/// What a reservation lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Duration {
    /// What the job asked for.
    Requested,
    /// As long as the job ran.
    Run,
}

/// Requests derived from a trace, and what became of the other jobs of its month.
#[derive(Clone, Debug, PartialEq)]
pub struct DerivedRequests {
    /// By submission.
    pub requests: Vec<Request>,
    /// Jobs without processors or duration.
    pub unknown: usize,
    /// Jobs of more nodes than there are.
    pub too_large: usize,
}

impl Default for TraceReading {
    fn default() -> Self {
        Self { swf_processors_per_node: 1, swf_first_day: 0, swf_duration: Duration::Requested }
    }
}

impl TracedJob {
    fn of(record: &Record) -> Self {
        Self {
            submitted_s: record.value(Field::SubmitS),
            run_s: record.known(Field::RunS),
            allocated: record.known(Field::AllocatedProcessors),
            requested: record.known(Field::RequestedProcessors),
            requested_s: record.known(Field::RequestedS),
        }
    }
}

/// The jobs of a trace, in the order of its lines.
///
/// # Errors
/// Lines with a field that is not a number, up to a hundred.
pub fn jobs(text: &str) -> Result<Vec<TracedJob>, Vec<SwfError>> {
    let mut reader = Reader::new(text.as_bytes());
    let mut errors = Vec::new();
    let mut jobs = Vec::new();
    while errors.len() < 100 {
        match reader.next_record() {
            Ok(Some(record)) => jobs.push(TracedJob::of(&record)),
            Ok(None) => break,
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(jobs) } else { Err(errors) }
}

/// The requests of the jobs that were submitted in `parameters`' month, if it begins with the day of
/// the trace that `reading` says. They may start up to the maximum delay after their submission.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range by then")]
pub fn requests(
    jobs: &[TracedJob],
    reading: TraceReading,
    parameters: &Parameters,
) -> DerivedRequests {
    let first_s = f64::from(reading.swf_first_day) * 86_400.0;
    let last_s = first_s + parameters.month().length().get() as f64;
    let mut derived = DerivedRequests { requests: Vec::new(), unknown: 0, too_large: 0 };
    for job in jobs.iter().filter(|job| (first_s..last_s).contains(&job.submitted_s)) {
        let duration_s = match reading.swf_duration {
            Duration::Requested => job.requested_s.or(job.run_s),
            Duration::Run => job.run_s.or(job.requested_s),
        };
        let longest = MAX_DURATION.get() as f64;
        let duration_s = duration_s.filter(|duration| duration.ceil() <= longest);
        let Some((processors, duration_s)) = job.requested.or(job.allocated).zip(duration_s) else {
            derived.unknown += 1;
            continue;
        };
        let nodes = (processors / f64::from(reading.swf_processors_per_node.max(1))).ceil();
        if nodes > f64::from(parameters.nodes) {
            derived.too_large += 1;
            continue;
        }
        let submitted = Seconds::new((job.submitted_s - first_s).floor() as i64);
        let earliest: Timestamp = (parameters.start + submitted).ceil_to(parameters.slot());
        let duration = Seconds::new(duration_s.ceil() as i64);
        derived.requests.push(request(
            nodes as u32,
            duration,
            earliest,
            parameters.max_delay(),
            None,
        ));
    }
    derived.requests.sort_by_key(|request| request.earliest_start);
    derived
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "\
; Version: 2.2
;Computer: made up
;  MaxNodes: 8

1 0 5 100 4 -1 -1 4 200 1 1 1 1 1 1 -1 -1 -1
3 900.5 -1 0 -1 -1 -1 3 3600 5 1 1 1 1 1 -1 -1 -1
2 100 -1 50.2 2 -1 -1 -1 -1 0
4 -30 1 10 1 -1 -1 1 10 1
5 1000 1 -1 -1 -1 -1 -1 60 5
6 1000 1 9 -1 -1 -1 99 60 1
7 86400 1 9 1 -1 -1 1 60 1
8
";

    fn derived(reading: TraceReading) -> DerivedRequests {
        let parameters =
            Parameters { nodes: 4, days: 1, max_delay_h: 1.0, ..Parameters::default() };
        requests(&jobs(TRACE).unwrap(), reading, &parameters)
    }

    /// Job 1: 4 nodes for 200 s. Job 2: what it got, and as long as it ran, rounded up, from the
    /// next slot on. Job 3: submitted at 900.5 s, on the slot at 900 s. Job 4 was submitted before
    /// the trace, 5 has no processors, 6 too many, 7 is of the next day, 8 is no job.
    #[test]
    fn oddities_of_published_traces_are_taken() {
        let derived = derived(TraceReading::default());
        let start = Parameters::default().start;
        let of = |request: &Request| {
            let lag = (request.earliest_start - start).get();
            (request.nodes, request.duration.get(), lag)
        };
        let requests: Vec<_> = derived.requests.iter().map(of).collect();
        assert_eq!(requests, [(4, 200, 0), (3, 3600, 900), (2, 51, 900)]);
        assert_eq!((derived.unknown, derived.too_large), (1, 1));
        assert_eq!((derived.requests[0].latest_start - start).get(), 3600);
    }

    /// Two processors a node, the run time where it is known, from the second day on.
    #[test]
    fn a_reading_says_what_nodes_durations_and_days_are() {
        let reading = TraceReading {
            swf_processors_per_node: 2,
            swf_duration: Duration::Run,
            ..TraceReading::default()
        };
        let requests = derived(reading).requests;
        assert_eq!(requests[0].nodes, 2);
        assert_eq!(requests[0].duration.get(), 100);
        let next_day =
            derived(TraceReading { swf_first_day: 1, ..TraceReading::default() }).requests;
        assert_eq!(next_day.len(), 1);
        assert_eq!(next_day[0].earliest_start, Parameters::default().start);
    }

    #[test]
    fn what_is_no_number_is_named() {
        let errors = jobs("1 0 x\n; fine\n2 zero 1\n").unwrap_err();
        let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
        let expected = [
            r#"line 1, field 3: "x" is not a number"#,
            r#"line 3, field 2: "zero" is not a number"#,
        ];
        assert_eq!(messages, expected);
    }
}
