//! Jobs of slurmctld: from slurmrestd's documents to values.

use planner::quantity::Energy;
use planner::resource_manager::{JobPhase, ManagedJob, ManagerError, Queued};
use planner::time::{Seconds, Timestamp};
use serde::Deserialize;

use crate::document::{Number, Words, node_names, text};

/// What is read of a job.
#[derive(Debug, Deserialize)]
pub(crate) struct JobDocument {
    #[serde(rename = "job_id")]
    id: i64,
    #[serde(default)]
    array_job_id: Number,
    #[serde(default)]
    array_task_id: Number,
    #[serde(default)]
    submit_time: Number,
    #[serde(default, deserialize_with = "text")]
    user_name: String,
    #[serde(default)]
    user_id: Number,
    #[serde(default, deserialize_with = "text")]
    account: String,
    #[serde(default, deserialize_with = "text")]
    partition: String,
    #[serde(default, deserialize_with = "text")]
    name: String,
    #[serde(default, rename = "job_state")]
    state: Words,
    #[serde(default)]
    start_time: Number,
    #[serde(default)]
    end_time: Number,
    /// Minutes.
    #[serde(default)]
    time_limit: Number,
    #[serde(default, deserialize_with = "text")]
    nodes: String,
    /// Of a job that waits what it asks for at the least; what Slurm takes it to need where it asks for processors.
    #[serde(default)]
    node_count: Number,
    #[serde(default)]
    priority: Number,
    /// Why it waits.
    #[serde(default, deserialize_with = "text")]
    state_reason: String,
    /// The tasks of an array that wait, such as `3-100:2%4`.
    #[serde(default, deserialize_with = "text")]
    array_task_string: String,
    #[serde(default, deserialize_with = "text")]
    resv_name: String,
    /// What it was given, such as `cpu=32,energy=1200,node=2`; its energy is there once it has ended.
    #[serde(default, deserialize_with = "text")]
    tres_alloc_str: String,
}

impl TryFrom<JobDocument> for ManagedJob {
    type Error = ManagerError;

    fn try_from(job: JobDocument) -> Result<Self, ManagerError> {
        let id = job_id(job.id, job.array_job_id, job.array_task_id);
        let phase = phase(&job.state);
        let queued = if phase == JobPhase::Waiting { queued(&job) } else { None };
        let nodes = node_names(&job.nodes, &format!("job {id}"))?;
        let limit = job.time_limit.minutes();
        // Of a job that waits the start is a guess, and of one that never ran it is when it was cancelled.
        let start =
            job.start_time.instant().filter(|_| phase != JobPhase::Waiting && !nodes.is_empty());
        let end = match phase {
            JobPhase::Waiting => None,
            JobPhase::Running => latest_end(start, limit, job.end_time),
            JobPhase::Ended => job.end_time.instant(),
        };
        let submitted = job.submit_time.instant().ok_or_else(|| {
            ManagerError::Unreadable(format!("job {id} has no time of submission"))
        })?;
        let user = match job.user_id {
            Number::Is(number) if job.user_name.is_empty() => number.to_string(),
            _ => job.user_name,
        };
        Ok(Self {
            id,
            raw_id: Some(job.id),
            submitted,
            user,
            account: job.account,
            partition: job.partition,
            name: job.name,
            state: job.state.0.into_iter().next().unwrap_or_default(),
            phase,
            start,
            end,
            limit,
            queued,
            nodes,
            reservation: Some(job.resv_name).filter(|name| !name.is_empty()),
            energy: allocated_energy(&job.tres_alloc_str),
        })
    }
}

/// Why a job waits that waits for nodes alone.
const FOR_NODES: [&str; 4] = ["", "None", "Priority", "Resources"];

/// How a job that waits stands in the queue. Those in reservations, on hold, or behind other jobs, dates and limits do not.
fn queued(job: &JobDocument) -> Option<Queued> {
    if !FOR_NODES.contains(&job.state_reason.as_str()) || !job.resv_name.is_empty() {
        return None;
    }
    Some(Queued {
        nodes: u32::try_from(job.node_count.positive()?).ok()?,
        tasks: tasks(&job.array_task_string),
        priority: job.priority.positive().unwrap_or_default(),
    })
}

/// How many tasks a list such as `1-5,9,10-20:2%4` names. Slurm cuts long ones short by `...`; no list names none.
fn tasks(list: &str) -> u32 {
    let (list, _) = list.split_once('%').unwrap_or((list, ""));
    let of = |range: &str| {
        let (range, step) = range.split_once(':').unwrap_or((range, "1"));
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        let (from, to): (u32, u32) = (from.parse().ok()?, to.parse().ok()?);
        Some(to.checked_sub(from)? / step.parse::<u32>().ok().filter(|step| *step > 0)? + 1)
    };
    list.split(',').filter_map(of).fold(0, u32::saturating_add).max(1)
}

/// `1234`, or `1234_7` for a task of an array.
pub(crate) fn job_id(id: i64, array: Number, task: Number) -> String {
    match (array.positive(), task) {
        (Some(array), Number::Is(task)) => format!("{array}_{task}"),
        _ => id.to_string(),
    }
}

/// When a running job ends at the latest: what Slurm says, which knows of suspensions; else start and limit.
fn latest_end(start: Option<Timestamp>, limit: Option<Seconds>, told: Number) -> Option<Timestamp> {
    let limit = limit?;
    told.instant().filter(|end| Some(*end) > start).or_else(|| start.map(|start| start + limit))
}

/// How far a job is, by its state and the flags behind it.
pub(crate) fn phase(states: &Words) -> JobPhase {
    const RUNNING: [&str; 8] = [
        "RUNNING",
        "SUSPENDED",
        "COMPLETING",
        "CONFIGURING",
        "RESIZING",
        "SIGNALING",
        "STAGE_OUT",
        "STOPPED",
    ];
    const WAITING: [&str; 6] =
        ["PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT", "RESV_DEL_HOLD"];
    if states.has_any(&RUNNING) {
        JobPhase::Running
    } else if states.has_any(&WAITING) {
        JobPhase::Waiting
    } else {
        JobPhase::Ended
    }
}

/// The energy in a list of what a job was given. Slurm writes zero where nothing measures it.
fn allocated_energy(resources: &str) -> Option<Energy> {
    let joules = resources.split(',').find_map(|it| it.strip_prefix("energy="))?;
    energy(joules.parse().ok()?)
}

/// More than this no job consumes: it is a number that stands for "no value".
const MAX_JOULES: i64 = 1_000_000_000_000_000;

/// An energy that was measured.
pub(crate) fn energy(joules: i64) -> Option<Energy> {
    (1..=MAX_JOULES)
        .contains(&joules)
        .then(|| Energy::from_microjoules(i128::from(joules) * 1_000_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 to 5, 9, and 10, 12, ... 20: five, one and six.
    #[test]
    fn tasks_of_arrays_are_counted() {
        assert_eq!(tasks("1-5,9,10-20:2%4"), 12);
        assert_eq!(tasks("7"), 1);
        assert_eq!(tasks("0-99,..."), 100);
        assert_eq!(tasks(""), 1);
    }

    fn waits(more: &str) -> Option<Queued> {
        let text = format!(
            "{{\"job_id\": 7, \"submit_time\": 100, \"job_state\": [\"PENDING\"], \"node_count\": \
             {{\"set\": true, \"number\": 4}}, \"priority\": {{\"set\": true, \"number\": 900}}{more}}}"
        );
        let document: JobDocument = serde_json::from_str(&text).unwrap();
        ManagedJob::try_from(document).unwrap().queued
    }

    #[test]
    fn jobs_that_wait_for_nodes_stand_in_the_queue() {
        let queued = Queued { nodes: 4, tasks: 1, priority: 900 };
        assert_eq!(waits(""), Some(queued));
        assert_eq!(waits(", \"state_reason\": \"Resources\""), Some(queued));
        let array = ", \"array_job_id\": 7, \"array_task_string\": \"1-3\"";
        assert_eq!(waits(array), Some(Queued { tasks: 3, ..queued }));
        for other in ["\"state_reason\": \"JobHeldUser\"", "\"resv_name\": \"maintenance\""] {
            assert_eq!(waits(&format!(", {other}")), None, "{other}");
        }
    }
}
