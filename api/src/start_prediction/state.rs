//! The state of a queue, from a document.

use std::collections::HashMap;
use std::fmt::Display;

use batch::policy::Policy;
use batch::start_prediction::{ObservedJob, Shape};
use batch::time::Time;
use jiff::Timestamp;
use planner::json::{JsonError, Object, Reader, read};
use serde_json::value::RawValue;

/// What is known of a queue.
#[derive(Debug)]
pub struct QueueState {
    /// The instant of the state.
    pub now: Time,
    /// By which policy it is served, where that is said.
    pub policy: Option<Policy>,
    /// A single one without a name where there are no partitions.
    pub partitions: Vec<PartitionState>,
}

/// What is known of a partition.
#[derive(Debug)]
pub struct PartitionState {
    /// Its name; empty where there are no partitions.
    pub name: Box<str>,
    /// Nodes that are there for jobs.
    pub nodes: u32,
    /// By their submission; those that wait in the order in which they are served where that is another.
    pub jobs: Vec<ObservedJob>,
    /// What each is called; empty where it has no name.
    pub ids: Vec<Box<str>>,
}

impl QueueState {
    /// Reads a document.
    ///
    /// # Errors
    /// Every error in it.
    pub fn parse(text: &str) -> Result<Self, Vec<JsonError>> {
        read(text, Self::read)
    }

    /// Reads a document as part of another.
    pub fn read(reader: &mut Reader, raw: &RawValue) -> Option<Self> {
        let object = reader.object(raw, &["now", "nodes", "partitions", "policy", "jobs"])?;
        let now = reader.required(&object, "now", instant);
        let policy = reader.optional(&object, "policy", policy);
        let mut partitions = partitions(reader, &object)?;
        let places: HashMap<Box<str>, usize> =
            partitions.iter().enumerate().map(|(place, it)| (it.name.clone(), place)).collect();
        let now = now?;
        let jobs = reader.required(&object, "jobs", |reader, raw| {
            reader.array(raw, |reader, raw| job(reader, raw, now, (&places, &partitions)))
        });
        let mut jobs = jobs?;
        jobs.sort_by_key(|(_, _, job)| job.submitted);
        for (place, id, job) in jobs {
            partitions[place].jobs.push(job);
            partitions[place].ids.push(id);
        }
        Some(Self { now, policy: policy?, partitions })
    }
}

/// `nodes`, or `partitions` with the nodes of each.
fn partitions(reader: &mut Reader, object: &Object<'_>) -> Option<Vec<PartitionState>> {
    let empty = |name, nodes| PartitionState { name, nodes, jobs: Vec::new(), ids: Vec::new() };
    if object.non_null("partitions").is_none() {
        let nodes = reader.required(object, "nodes", whole_above_zero)?;
        return Some(vec![empty(Box::default(), nodes)]);
    }
    if object.non_null("nodes").is_some() {
        reader.error_at("nodes", "is said of each partition where there are partitions");
        return None;
    }
    let partitions = reader.required(object, "partitions", |reader, raw| {
        reader.array(raw, |reader, raw| {
            let object = reader.object(raw, &["name", "nodes"])?;
            let name = reader.required(&object, "name", Reader::name);
            let nodes = reader.required(&object, "nodes", whole_above_zero);
            Some(empty(name?, nodes?))
        })
    })?;
    let twice = |(place, it): (usize, &PartitionState)| {
        partitions[..place].iter().any(|earlier| earlier.name == it.name)
    };
    if let Some(place) = partitions.iter().enumerate().position(twice) {
        reader.error_in("partitions", place, "has the name of another");
        return None;
    }
    if partitions.is_empty() {
        reader.error_at("partitions", "is empty; give nodes where there are no partitions");
        return None;
    }
    Some(partitions)
}

/// A job, its name, and the place of its partition.
fn job(
    reader: &mut Reader,
    raw: &RawValue,
    now: Time,
    (places, partitions): (&HashMap<Box<str>, usize>, &[PartitionState]),
) -> Option<(usize, Box<str>, ObservedJob)> {
    const KNOWN: [&str; 8] =
        ["id", "user", "partition", "nodes", "walltime_s", "submitted", "started", "ended"];
    let object = reader.object(raw, &KNOWN)?;
    let past = |reader: &mut Reader, raw: &RawValue| {
        let at = instant(reader, raw)?;
        reader.accept(if at > now { Err("is after now") } else { Ok(at) })
    };
    let id = reader.optional(&object, "id", id);
    let user = reader.optional(&object, "user", Reader::string);
    let partition = partition_of(reader, &object, places);
    let most = partition.map_or(u32::MAX, |place| partitions[place].nodes);
    let nodes = reader.required(&object, "nodes", |reader, raw| {
        let nodes = whole_above_zero(reader, raw)?;
        let too_many = || format!("{nodes} is not from 1 to {most}, the nodes there are");
        reader.accept((nodes <= most).then_some(nodes).ok_or_else(too_many))
    });
    let walltime = reader.required(&object, "walltime_s", |reader, raw| {
        let walltime = serde_json::from_str(raw.get()).ok().and_then(Time::from_seconds_f64);
        let wrong = "is no number of seconds above 0";
        reader.accept(walltime.filter(|time| *time > Time::ZERO).ok_or(wrong))
    });
    let submitted = reader.required(&object, "submitted", past);
    let started = reader.optional(&object, "started", past);
    let ended = reader.optional(&object, "ended", past);
    let (submitted, started, ended) = (submitted?, started?, ended?);
    if started.is_some_and(|started| started < submitted) {
        reader.error_at("started", "is before submitted");
        return None;
    }
    if ended.is_some() && (started.is_none() || ended < started) {
        let wrong = "it has not started; leave out jobs that never ran";
        reader.error_at("ended", if started.is_none() { wrong } else { "is before started" });
        return None;
    }
    let shape = Shape { nodes: nodes?, walltime: walltime? };
    let job =
        ObservedJob { user: user?.unwrap_or_default().into(), shape, submitted, started, ended };
    Some((partition?, id?.unwrap_or_default(), job))
}

/// The place of a job's partition, which must be said where there are some.
fn partition_of(
    reader: &mut Reader,
    object: &Object<'_>,
    places: &HashMap<Box<str>, usize>,
) -> Option<usize> {
    if places.contains_key("") {
        if object.get("partition").is_some_and(|raw| raw.get() != "null") {
            reader.error_at("partition", "is said, and the state has no partitions");
            return None;
        }
        return Some(0);
    }
    reader.required(object, "partition", |reader, raw| {
        let name = reader.string(raw)?;
        let place = places.get(name.as_str()).copied();
        reader.accept(place.ok_or_else(|| format!("{name:?} is no partition of the state")))
    })
}

/// A text or a number.
fn id(reader: &mut Reader, raw: &RawValue) -> Option<Box<str>> {
    if raw.get().starts_with('"') {
        return reader.name(raw);
    }
    reader.whole_number(raw).map(|number| number.to_string().into())
}

/// A policy by its name.
pub(super) fn policy(reader: &mut Reader, raw: &RawValue) -> Option<Policy> {
    let name = reader.string(raw)?;
    let wrong = |error: &dyn Display| format!("{name:?} {error}");
    reader.accept(name.parse::<Policy>().map_err(|error| wrong(&error)))
}

/// A whole number from 1 on.
pub(super) fn whole_above_zero(reader: &mut Reader, raw: &RawValue) -> Option<u32> {
    let number = reader.whole_number(raw)?;
    let number = u32::try_from(number).ok().filter(|number| *number > 0);
    reader.accept(number.ok_or("is no whole number above 0"))
}

/// An instant as RFC 3339 has it, or seconds since 1970.
fn instant(reader: &mut Reader, raw: &RawValue) -> Option<Time> {
    let time = if raw.get().starts_with('"') {
        let at = reader.string(raw)?.parse::<Timestamp>().ok();
        at.map(|at| Time::from_micros(at.as_microsecond()))
    } else {
        serde_json::from_str(raw.get()).ok().and_then(Time::from_seconds_f64)
    };
    let wrong = "is no instant such as \"2026-11-22T08:00:00Z\", or seconds since 1970";
    reader.accept(time.ok_or(wrong))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(job: &str) -> Result<QueueState, Vec<JsonError>> {
        QueueState::parse(&format!("{{\"now\": 1000, \"nodes\": 8, \"jobs\": [{job}]}}"))
    }

    fn errors(state: Result<QueueState, Vec<JsonError>>) -> Vec<String> {
        let errors = state.err().unwrap();
        errors.into_iter().map(|it| format!("{}: {}", it.pointer, it.message)).collect()
    }

    #[test]
    fn instants_are_written_or_counted() {
        let written = "\"1970-01-01T00:00:10Z\"";
        let job = format!(
            "{{\"nodes\": 1, \"walltime_s\": 60, \"submitted\": {written}, \"started\": 10.5}}"
        );
        let state = with(&job).unwrap();
        let job = &state.partitions[0].jobs[0];
        assert_eq!(job.submitted, Time::from_seconds(10));
        assert_eq!(job.started, Some(Time::from_micros(10_500_000)));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let job = |more: &str| {
            format!("{{\"id\": \"a\", \"nodes\": 1, \"walltime_s\": 60, \"submitted\": 10{more}}}")
        };
        for (more, error) in [
            (", \"started\": 5", "/jobs/0/started: is before submitted"),
            (", \"started\": 2000", "/jobs/0/started: is after now"),
            (", \"ended\": 20", "/jobs/0/ended: it has not started; leave out jobs that never ran"),
            (", \"started\": 20, \"ended\": 15", "/jobs/0/ended: is before started"),
            (
                ", \"partition\": \"a\"",
                "/jobs/0/partition: is said, and the state has no partitions",
            ),
        ] {
            assert_eq!(errors(with(&job(more))), [error]);
        }
        let large = "{\"nodes\": 9, \"walltime_s\": 60, \"submitted\": 10}";
        let told = errors(with(large));
        assert_eq!(told, ["/jobs/0/nodes: 9 is not from 1 to 8, the nodes there are"]);
        let told = errors(with("{\"nodes\": 1, \"walltime\": 60, \"submitted\": 1}"));
        assert!(told[0].starts_with("/jobs/0/walltime: is not a known field"), "{told:?}");
    }

    #[test]
    fn jobs_are_in_their_partitions() {
        let state = |job: &str| {
            QueueState::parse(&format!(
                "{{\"now\": 1000, \"partitions\": [{{\"name\": \"short\", \"nodes\": 2}}, {{\"name\": \"long\", \
                 \"nodes\": 8}}], \"jobs\": [{{\"id\": 7, \"nodes\": 4, \"walltime_s\": 60, \"submitted\": 5{job}}}]}}"
            ))
        };
        let read = state(", \"partition\": \"long\"").unwrap();
        let told: Vec<_> = read.partitions.iter().map(|it| (&*it.name, it.ids.len())).collect();
        assert_eq!(told, [("short", 0), ("long", 1)]);
        assert_eq!(&*read.partitions[1].ids[0], "7");
        for (job, error) in [
            ("", "/jobs/0/partition: is missing"),
            (", \"partition\": \"x\"", "/jobs/0/partition: \"x\" is no partition of the state"),
            (
                ", \"partition\": \"short\"",
                "/jobs/0/nodes: 4 is not from 1 to 2, the nodes there are",
            ),
        ] {
            assert_eq!(errors(state(job)), [error]);
        }
    }
}
