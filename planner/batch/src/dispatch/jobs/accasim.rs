//! Jobs of `AccaSim` as JSON: what its parsers of workloads make of a line, in an array or a document a line.
//!
//! `{"job_id": 1, "queued_time": 0, "duration": 60, "expected_duration": 90, "requested_nodes": 2,
//! "requested_resources": {"core": 4, "mem": 1048576, "gpu": 1}, "user": 3, "queue": "debug", "name": "a"}`: amounts are
//! those of a node, `mem` is kB, times are seconds.

use std::collections::BTreeMap;
use std::io::BufRead;

use serde::Deserialize;

use super::accounted::{AccountedJob, AccountedPlaces};
use super::json_elements::JsonElements;
use super::ordered::{JobRows, JobsRead};
use super::{UnitJob, UnitJobError};
use crate::dispatch::system::System;
use crate::job::JobId;
use crate::time::Time;

/// The rows of a document of `AccaSim`'s jobs.
#[derive(Debug)]
pub struct RowsOfAccasim<R> {
    elements: JsonElements<R>,
    places: AccountedPlaces,
}

impl<R: BufRead> RowsOfAccasim<R> {
    /// The jobs of `source` for a system.
    ///
    /// # Errors
    /// A system that does not say what processors are.
    pub fn new(source: R, system: &System) -> Result<Self, UnitJobError> {
        let places = AccountedPlaces::of(system)?;
        Ok(Self { elements: JsonElements::new(source, "jobs"), places })
    }
}

impl<R: BufRead> JobRows for RowsOfAccasim<R> {
    fn next_job(&mut self, read: &mut JobsRead) -> Result<Option<(u64, UnitJob)>, UnitJobError> {
        while let Some((line, text)) = self.elements.next_element()? {
            read.rows += 1;
            let wrong = |what: String| UnitJobError::Table { line, what };
            let job: JobDocument = serde_json::from_slice(&text)
                .map_err(|error| wrong(format!("the job that begins here: {error}")))?;
            if job.duration <= 0.0 {
                read.drop_row(line, "has no run time");
                continue;
            }
            let job = job.accounted().map_err(wrong)?;
            return Ok(Some((line, self.places.unit_job(job, line, read)?)));
        }
        Ok(None)
    }
}

#[derive(Deserialize)]
struct JobDocument {
    #[serde(alias = "job_number")]
    job_id: NameDocument,
    #[serde(alias = "submit_time")]
    queued_time: f64,
    duration: f64,
    #[serde(alias = "requested_time")]
    expected_duration: Option<f64>,
    #[serde(alias = "nodes")]
    requested_nodes: u32,
    #[serde(alias = "resources")]
    requested_resources: BTreeMap<String, u64>,
    #[serde(alias = "user_id")]
    user: Option<NameDocument>,
    #[serde(alias = "queue_number")]
    queue: Option<NameDocument>,
    #[serde(alias = "executable_number")]
    name: Option<NameDocument>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum NameDocument {
    Number(i64),
    Text(String),
}

impl NameDocument {
    /// The name; nothing for the mark of what is unknown.
    fn text(self) -> Box<str> {
        match self {
            Self::Number(number) if number < 0 => "".into(),
            Self::Number(number) => number.to_string().into(),
            Self::Text(text) => text.into(),
        }
    }
}

impl JobDocument {
    fn accounted(self) -> Result<AccountedJob, String> {
        let time = |seconds: f64, what: &str| {
            Time::from_seconds_f64(seconds)
                .ok_or_else(|| format!("{what}: {seconds} s is beyond what can be simulated"))
        };
        if self.requested_nodes == 0 {
            return Err("requested_nodes must be above 0".to_owned());
        }
        let nodes = u64::from(self.requested_nodes);
        let mut resources = self.requested_resources;
        let mut all = |name: &str| resources.remove(name).unwrap_or(0).saturating_mul(nodes);
        let (processors, memory_kb) = (all("core"), all("mem"));
        let others =
            resources.iter().map(|(name, it)| (name.clone(), it.saturating_mul(nodes))).collect();
        let limit = self.expected_duration.filter(|it| *it > 0.0);
        Ok(AccountedJob {
            id: match self.job_id {
                NameDocument::Number(number) => JobId::Number(number),
                NameDocument::Text(text) => {
                    text.parse().map_or_else(|_| JobId::Name(text.as_str().into()), JobId::Number)
                }
            },
            submitted: time(self.queued_time, "queued_time")?,
            run: time(self.duration, "duration")?,
            limit: limit.map(|it| time(it, "expected_duration")).transpose()?,
            user: self.user.map_or("".into(), NameDocument::text),
            queue: self.queue.map_or("".into(), NameDocument::text),
            name: self.name.map_or("".into(), NameDocument::text),
            nodes: self.requested_nodes,
            processors,
            memory_kb,
            others,
            constraint: String::new(),
            exclusive: false,
            energy: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::jobs::ordered::JobsInOrder;
    use crate::dispatch::unit::UnitRequest;

    fn rows(text: &str) -> JobsInOrder<RowsOfAccasim<&[u8]>> {
        let system = System::parse("[[nodes]]\ncount = 4\ncores = 16\nmemory_gb = 16\nmic = 2\n");
        JobsInOrder::new(RowsOfAccasim::new(text.as_bytes(), &system.unwrap()).unwrap())
    }

    /// 1,048,577 kB are a kB more than 1 GB: 2 GB of each node.
    #[test]
    fn jobs_of_an_array_and_of_lines_are_the_same() {
        let one = r#"{"job_id": 1, "queued_time": 50, "duration": 60, "expected_duration": 90, "requested_nodes": 2,
            "requested_resources": {"core": 4, "mem": 1048577, "mic": 1}, "user": 3, "queue": "debug"}"#;
        let two = r#"{"job_number": "b", "submit_time": 55.5, "duration": 0, "nodes": 1, "resources": {"core": 1}}"#;
        for text in [format!("[{one},\n{two}]"), format!("{one}\n{two}\n")] {
            let mut jobs = rows(&text);
            let all: Vec<UnitJob> = jobs.by_ref().map(Result::unwrap).collect();
            assert_eq!(all.len(), 1);
            assert_eq!((all[0].units, &all[0].unit), (2, &UnitRequest::of(&[4, 2, 1], 3)));
            assert_eq!((&*all[0].user, &*all[0].queue, &*all[0].name), ("3", "debug", ""));
            assert_eq!(all[0].walltime, Some(Time::from_seconds(90)));
            assert_eq!((jobs.read().rows, jobs.read().dropped[0].first_line), (2, 3));
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, told) in [
            (
                "[\n{\"job_id\": 1}]",
                "line 2: the job that begins here: missing field `queued_time`",
            ),
            (
                "[{\"job_id\": 1, \"queued_time\": 0, \"duration\": 1, \"nodes\": 0, \"resources\": {}}]",
                "line 1: requested_nodes must be above 0",
            ),
        ] {
            let error = rows(text).next().unwrap().unwrap_err().to_string();
            assert!(error.starts_with(told), "{error}");
        }
    }
}
