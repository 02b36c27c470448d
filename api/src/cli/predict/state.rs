//! The state of a queue, from a document.

use std::path::Path;

use batch::policy::Policy;
use batch::start_prediction::{ObservedJob, Shape};
use batch::time::Time;
use jiff::Timestamp;
use serde::Deserialize;

use crate::cli::{Failure, plan};

/// What is known of a queue.
pub(super) struct QueueState {
    pub now: Time,
    pub nodes: u32,
    pub policy: Option<Policy>,
    /// In the order of their submission.
    pub jobs: Vec<ObservedJob>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StateDocument {
    now: Instant,
    nodes: u32,
    policy: Option<String>,
    jobs: Vec<JobDocument>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JobDocument {
    id: Option<serde_json::Value>,
    #[serde(default)]
    user: Box<str>,
    nodes: u32,
    walltime_s: f64,
    submitted: Instant,
    started: Option<Instant>,
    ended: Option<Instant>,
}

const NO_INSTANT: &str = "is no instant such as \"2026-11-22T08:00:00Z\", or seconds since 1970";

/// An instant as RFC 3339 has it, or seconds since 1970.
#[derive(Deserialize)]
#[serde(untagged, expecting = "an instant such as \"2026-11-22T08:00:00Z\", or seconds since 1970")]
enum Instant {
    Seconds(f64),
    Written(Box<str>),
}

impl Instant {
    fn time(&self) -> Option<Time> {
        match self {
            Self::Seconds(seconds) => Time::from_seconds_f64(*seconds),
            Self::Written(at) => {
                at.parse::<Timestamp>().ok().map(|at| Time::from_micros(at.as_microsecond()))
            }
        }
    }
}

impl QueueState {
    /// Reads a file, or standard input for `-`.
    pub fn read(file: &Path) -> Result<Self, Failure> {
        let text = plan::read_text(file).map_err(|error| Failure::BadInput(vec![error]))?;
        Self::parse(&text).map_err(|errors| {
            let place = |error| format!("{}: {error}", file.display());
            Failure::BadInput(errors.into_iter().map(place).collect())
        })
    }

    fn parse(text: &str) -> Result<Self, Vec<String>> {
        let one = |error: String| vec![error];
        let document: StateDocument =
            serde_json::from_str(text).map_err(|error| one(error.to_string()))?;
        let now = document.now.time().ok_or_else(|| one(format!("now: {NO_INSTANT}")))?;
        let policy = document.policy.map(|name| {
            name.parse::<Policy>().map_err(|error| one(format!("policy: {name:?} {error}")))
        });
        let read = document.jobs.iter().enumerate().map(|(place, job)| {
            let name =
                job.id.as_ref().map_or_else(|| format!("of place {place}"), ToString::to_string);
            job.observed(now, document.nodes).map_err(|error| format!("job {name}: {error}"))
        });
        let (jobs, errors): (Vec<_>, Vec<_>) = read.partition(Result::is_ok);
        let errors: Vec<String> = errors.into_iter().filter_map(Result::err).collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut jobs: Vec<ObservedJob> = jobs.into_iter().flatten().collect();
        jobs.sort_by_key(|job| job.submitted);
        Ok(Self { now, nodes: document.nodes, policy: policy.transpose()?, jobs })
    }
}

impl JobDocument {
    fn observed(&self, now: Time, nodes: u32) -> Result<ObservedJob, String> {
        let instant = |name: &str, instant: &Instant| {
            let at = instant.time().ok_or_else(|| format!("{name}: {NO_INSTANT}"))?;
            if at > now { Err(format!("{name}: is after now")) } else { Ok(at) }
        };
        let walltime = Time::from_seconds_f64(self.walltime_s).filter(|time| *time > Time::ZERO);
        let walltime = walltime.ok_or("walltime_s: is no number of seconds above 0")?;
        if self.nodes == 0 || self.nodes > nodes {
            return Err(format!(
                "nodes: {} is not from 1 to {nodes}, the nodes there are",
                self.nodes
            ));
        }
        let submitted = instant("submitted", &self.submitted)?;
        let started = self.started.as_ref().map(|at| instant("started", at)).transpose()?;
        let ended = self.ended.as_ref().map(|at| instant("ended", at)).transpose()?;
        if started.is_some_and(|started| started < submitted) {
            return Err("started: is before submitted".to_owned());
        }
        if ended.is_some() && started.is_none() {
            return Err("ended: it has not started; leave out jobs that never ran".to_owned());
        }
        if ended < started && ended.is_some() {
            return Err("ended: is before started".to_owned());
        }
        let shape = Shape { nodes: self.nodes, walltime };
        Ok(ObservedJob { user: self.user.clone(), shape, submitted, started, ended })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(job: &str) -> Result<QueueState, Vec<String>> {
        QueueState::parse(&format!("{{\"now\": 1000, \"nodes\": 8, \"jobs\": [{job}]}}"))
    }

    #[test]
    fn instants_are_written_or_counted() {
        let written = "\"1970-01-01T00:00:10Z\"";
        let job = format!(
            "{{\"nodes\": 1, \"walltime_s\": 60, \"submitted\": {written}, \"started\": 10.5}}"
        );
        let state = with(&job).unwrap();
        assert_eq!(state.jobs[0].submitted, Time::from_seconds(10));
        assert_eq!(state.jobs[0].started, Some(Time::from_micros(10_500_000)));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let job = |more: &str| {
            format!("{{\"id\": \"a\", \"nodes\": 1, \"walltime_s\": 60, \"submitted\": 10{more}}}")
        };
        for (more, error) in [
            (", \"started\": 5", "started: is before submitted"),
            (", \"started\": 2000", "started: is after now"),
            (", \"ended\": 20", "ended: it has not started; leave out jobs that never ran"),
            (", \"started\": 20, \"ended\": 15", "ended: is before started"),
        ] {
            assert_eq!(with(&job(more)).err().unwrap(), [format!("job \"a\": {error}")]);
        }
        let large = "{\"nodes\": 9, \"walltime_s\": 60, \"submitted\": 10}";
        let told = with(large).err().unwrap();
        assert_eq!(told, ["job of place 0: nodes: 9 is not from 1 to 8, the nodes there are"]);
        let told = with("{\"nodes\": 1, \"walltime\": 60}").err().unwrap();
        assert!(told[0].contains("unknown field `walltime`"), "{told:?}");
    }
}
