//! What `sacct --json` prints, job by job. Its instants are seconds since 1970, its limits minutes, its memory MB.

use std::io::BufRead;

use planner::quantity::Energy;
use serde::Deserialize;

use super::dropped;
use super::tres::Tres;
use crate::dispatch::jobs::accounted::{AccountedJob, AccountedPlaces};
use crate::dispatch::jobs::json_elements::JsonElements;
use crate::dispatch::jobs::ordered::{JobRows, JobsRead};
use crate::dispatch::jobs::{UnitJob, UnitJobError};
use crate::dispatch::slurm_number::SlurmNumber;
use crate::dispatch::system::System;
use crate::job::JobId;
use crate::time::Time;

/// Joules from which on they are Slurm's mark for unknown.
const UNKNOWN_J: f64 = 9e18;

/// Jobs of a document of `sacct`.
pub struct RowsOfSacctJson<R> {
    elements: JsonElements<R>,
    places: AccountedPlaces,
}

impl<R: BufRead> RowsOfSacctJson<R> {
    /// The jobs of `source` for a system.
    ///
    /// # Errors
    /// A system that does not say what processors are.
    pub fn new(source: R, system: &System) -> Result<Self, UnitJobError> {
        let places = AccountedPlaces::of(system)?;
        Ok(Self { elements: JsonElements::new(source, "jobs"), places })
    }
}

impl<R: BufRead> JobRows for RowsOfSacctJson<R> {
    fn next_job(&mut self, read: &mut JobsRead) -> Result<Option<(u64, UnitJob)>, UnitJobError> {
        while let Some((line, text)) = self.elements.next_element()? {
            read.rows += 1;
            let wrong = |what: String| UnitJobError::Table { line, what };
            let job: JobDocument = serde_json::from_slice(&text)
                .map_err(|error| wrong(format!("the job that begins here: {error}")))?;
            let id = job.job_id;
            match job.read().map_err(|what| wrong(format!("job {id}: {what}")))? {
                Err(why) => read.drop_row(line, why),
                Ok(job) => return Ok(Some((line, self.places.unit_job(job, line, read)?))),
            }
        }
        Ok(None)
    }
}

#[derive(Deserialize)]
struct JobDocument {
    job_id: i64,
    name: Option<String>,
    user: Option<String>,
    /// Where older versions have the user.
    association: Option<AssociationDocument>,
    partition: Option<String>,
    time: TimeDocument,
    state: StateDocument,
    #[serde(default)]
    tres: TresDocument,
    allocation_nodes: Option<SlurmNumber>,
    licenses: Option<String>,
    constraints: Option<String>,
}

#[derive(Deserialize)]
struct AssociationDocument {
    user: Option<String>,
}

#[derive(Deserialize)]
struct TimeDocument {
    submission: SlurmNumber,
    start: Option<SlurmNumber>,
    elapsed: Option<SlurmNumber>,
    limit: Option<SlurmNumber>,
}

/// A name, or names of which the first is the state and the others say more.
#[derive(Deserialize)]
struct StateDocument {
    current: Names,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Names {
    One(String),
    All(Vec<String>),
}

#[derive(Default, Deserialize)]
struct TresDocument {
    #[serde(default)]
    allocated: Vec<CountedDocument>,
    #[serde(default)]
    requested: Vec<CountedDocument>,
}

#[derive(Deserialize)]
struct CountedDocument {
    r#type: String,
    #[serde(default)]
    name: Option<String>,
    /// Nothing where older versions do not know it.
    count: Option<f64>,
}

impl JobDocument {
    /// The job, or why there is none.
    fn read(self) -> Result<Result<AccountedJob, &'static str>, String> {
        let Self { time, tres, .. } = self;
        let state = match &self.state.current {
            Names::One(name) => name.as_str(),
            Names::All(names) => names.first().map_or("", String::as_str),
        };
        let seconds = |number: Option<SlurmNumber>| number.and_then(SlurmNumber::value);
        let started = seconds(time.start).is_some_and(|start| start > 0.0);
        let run_s = seconds(time.elapsed).unwrap_or(0.0);
        if let Some(why) = dropped(state, started, run_s) {
            return Ok(Err(why));
        }
        let at = |seconds: f64, what: &str| {
            Time::from_seconds_f64(seconds)
                .ok_or_else(|| format!("{what} is beyond what can be simulated"))
        };
        let submitted = time.submission.value().ok_or("time.submission is not set")?;
        let limit = seconds(time.limit).filter(|minutes| *minutes > 0.0);
        let energy = tres.allocated.iter().find(|it| it.r#type == "energy").and_then(|it| it.count);
        let energy = energy.filter(|joules| *joules > 0.0 && *joules < UNKNOWN_J);
        let counted = if tres.allocated.is_empty() { &tres.requested } else { &tres.allocated };
        let mut had = counted_in(counted)?;
        had.add_licences(self.licenses.as_deref().unwrap_or_default())
            .map_err(|what| format!("licenses: {what}"))?;
        let nodes = match had.nodes {
            Some(nodes) => nodes,
            None => {
                seconds(self.allocation_nodes).map_or(Ok(1), |it| whole(it, "allocation_nodes"))?
            }
        };
        let processors = had.processors.filter(|it| *it > 0).ok_or("tres says no cpu")?;
        Ok(Ok(AccountedJob {
            id: JobId::Number(self.job_id),
            submitted: at(submitted, "time.submission")?,
            run: at(run_s, "time.elapsed")?,
            limit: limit.map(|minutes| at(minutes * 60.0, "time.limit")).transpose()?,
            user: self.user.or(self.association.and_then(|it| it.user)).unwrap_or_default().into(),
            queue: self.partition.unwrap_or_default().into(),
            name: self.name.unwrap_or_default().into(),
            nodes: u32::try_from(nodes)
                .map_err(|_| format!("{nodes} nodes are more than there can be"))?,
            processors,
            memory_kb: had.memory_kb.unwrap_or(0),
            others: had.others,
            constraint: self.constraints.unwrap_or_default(),
            exclusive: false,
            energy: energy.and_then(Energy::from_joules),
        }))
    }
}

fn counted_in(counted: &[CountedDocument]) -> Result<Tres, String> {
    let mut tres = Tres::default();
    for it in counted {
        let Some(count) = it.count else { continue };
        match it.r#type.as_str() {
            "mem" => tres.memory_kb = Some(whole(count * 1024.0, "tres of mem")?),
            kind @ ("cpu" | "node" | "gres" | "license") => {
                let count = whole(count, &format!("tres of {kind}"))?;
                tres.add(kind, it.name.as_deref().unwrap_or_default(), count);
            }
            _ => {}
        }
    }
    tres.settle();
    Ok(tres)
}

fn whole(count: f64, what: &str) -> Result<u64, String> {
    if !(0.0..9e15).contains(&count) {
        return Err(format!("{what}: {count} is no amount"));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
    Ok(count.ceil() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::jobs::ordered::JobsInOrder;
    use crate::dispatch::unit::UnitRequest;

    fn rows(text: &str) -> JobsInOrder<RowsOfSacctJson<&[u8]>> {
        let system = "[[nodes]]\ncount = 4\ncpu = 16\nmemory_mb = 64000\ngpu = 4\n";
        let system = System::parse(system).unwrap();
        JobsInOrder::new(RowsOfSacctJson::new(text.as_bytes(), &system).unwrap())
    }

    /// A job as an older version and a newer one write it: 32 processors, 8,192 MB and 2 GPUs on 2 nodes, a limit of 90
    /// minutes.
    #[test]
    fn jobs_of_all_versions_are_read() {
        let tres = r#"{"requested": [], "allocated": [{"type": "cpu", "name": "", "id": 1, "count": 32},
            {"type": "mem", "count": 8192}, {"type": "energy", "count": 18446744073709551614}, {"type": "node", "count": 2},
            {"type": "gres", "name": "gpu", "count": 2}, {"type": "gres", "name": "gpu:a100", "count": 2}, {"type": "pages", "name": null, "count": null}, {"type": "billing", "count": 9}]}"#;
        let older = r#"{"submission": 100, "start": 110, "end": 170, "elapsed": 60, "limit": 90}"#;
        let newer = r#"{"submission": 100, "start": 110, "elapsed": 60, "limit": {"set": true, "infinite": false, "number": 90}}"#;
        let text = format!(
            r#"{{"meta": {{}}, "jobs": [
            {{"job_id": 7, "name": "a", "association": {{"account": "a", "user": "ada"}}, "partition": "batch", "steps": [], "time": {older}, "state": {{"current": "COMPLETED"}}, "tres": {tres}}},
            {{"job_id": 8, "name": "a", "user": "ada", "partition": "batch", "time": {newer}, "state": {{"current": ["COMPLETED"]}}, "tres": {tres}}},
            {{"job_id": 9, "time": {{"submission": 101, "start": 0, "elapsed": 0}}, "state": {{"current": ["PENDING"]}}}}
            ], "errors": []}}"#
        );
        let mut jobs = rows(&text);
        let all: Vec<UnitJob> = jobs.by_ref().map(Result::unwrap).collect();
        assert_eq!(all.len(), 2);
        assert_eq!(UnitJob { id: JobId::Number(8), ..all[0].clone() }, all[1]);
        assert_eq!((all[0].units, &all[0].unit), (2, &UnitRequest::of(&[16, 4096, 1], 3)));
        assert_eq!(all[0].walltime, Some(Time::from_seconds(5400)));
        let dropped = &jobs.read().dropped;
        assert_eq!((dropped[0].what.as_str(), dropped[0].first_line), ("never started", 8));
    }

    #[test]
    fn what_is_wrong_is_told_with_the_line_of_the_job() {
        for (job, told) in [
            (r#"{"job_id": "x"}"#, "line 2: the job that begins here: invalid type: string \"x\""),
            (
                r#"{"job_id": 1, "time": {"submission": 1, "start": 1, "elapsed": 1}, "state": {"current": "FAILED"}}"#,
                "line 2: job 1: tres says no cpu",
            ),
        ] {
            let error =
                rows(&format!("{{\"jobs\": [\n{job}]}}")).next().unwrap().unwrap_err().to_string();
            assert!(error.starts_with(told), "{error}");
        }
    }
}
