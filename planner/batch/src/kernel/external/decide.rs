//! What the scheduler decides, carried out or refused.

use std::collections::{BTreeMap, BTreeSet};

use planner::node_set::NodeSet;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::message::Decision;
use super::progress::progress;
use super::register::NOT_DYNAMIC;
use super::session::{Session, Stage, workload_of};
use crate::job::Job;
use crate::kernel::{JobEnd, Observer, Played, SimulationError};
use crate::machine_ranges;
use crate::scheduler::{JobKey, Start};
use crate::time::Time;

#[derive(Deserialize)]
struct ExecuteJob {
    job_id: String,
    alloc: String,
    mapping: Option<BTreeMap<String, Value>>,
    storage_mapping: Option<Value>,
    additional_io_job: Option<Value>,
}

#[derive(Deserialize)]
struct OneJob {
    job_id: String,
}

#[derive(Deserialize)]
struct KillJob {
    job_ids: Vec<String>,
}

#[derive(Deserialize)]
struct CallMeLater {
    timestamp: f64,
}

#[derive(Deserialize)]
struct SetJobMetadata {
    job_id: String,
    metadata: String,
}

#[derive(Deserialize)]
struct ChangeJobState {
    job_id: String,
    job_state: String,
}

#[derive(Deserialize)]
struct Notify {
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct Query {
    requests: Map<String, Value>,
}

#[derive(Deserialize)]
struct Estimate {
    job_id: String,
    estimated_waiting_time: f64,
}

#[derive(Deserialize)]
struct Answer {
    estimate_waiting_time: Estimate,
}

impl<E, J: Iterator<Item = Result<Job, E>>, O: Observer> Session<'_, J, O> {
    /// Carries out a decision.
    pub(super) fn carry_out(&mut self, decision: &Decision) -> Result<(), SimulationError<E>> {
        match decision.kind.as_str() {
            "EXECUTE_JOB" => self.execute(decision),
            "REJECT_JOB" => self.reject(decision),
            "KILL_JOB" => self.kill(decision),
            "CALL_ME_LATER" => self.call_later(decision),
            "SET_RESOURCE_STATE" => self.set_resource_state(decision),
            "SET_JOB_METADATA" => self.set_metadata(decision),
            "CHANGE_JOB_STATE" => self.change_state(decision),
            "REGISTER_PROFILE" => self.register_profile(decision),
            "REGISTER_JOB" => self.register_job(decision),
            "NOTIFY" => self.notified(decision),
            "QUERY" => self.query(decision),
            "ANSWER" => self.answered(decision),
            _ => Err(decision.wrong("there is no such type of event").into()),
        }
    }

    /// Where a job is that a decision names.
    fn stage(&self, decision: &Decision, job: &str) -> Result<Stage, SimulationError<E>> {
        let stage = self.stages.get(job).copied();
        stage.ok_or_else(|| decision.wrong(format!("there is no job {job}")).into())
    }

    /// The key of a job that must wait.
    fn waiting(&self, decision: &Decision, job: &str) -> Result<JobKey, SimulationError<E>> {
        let what = match self.stage(decision, job)? {
            Stage::Waiting(key) => return Ok(key),
            Stage::Running(_) | Stage::PlayedByScheduler => format!("job {job} runs already"),
            Stage::Over => format!("job {job} is over"),
        };
        Err(decision.wrong(what).into())
    }

    fn execute(&mut self, decision: &Decision) -> Result<(), SimulationError<E>> {
        let ExecuteJob { job_id, alloc, mapping, storage_mapping, additional_io_job } =
            decision.data()?;
        let key = self.waiting(decision, &job_id)?;
        let wrong = |what: String| SimulationError::from(decision.wrong(what));
        if storage_mapping.is_some() || additional_io_job.is_some() {
            return Err(wrong("there is no storage".to_owned()));
        }
        let machines = machine_ranges::read_each_once(&alloc).map_err(wrong)?;
        let nodes = self.state.job(key).map_or(0, |job| job.nodes);
        if machines.count() != nodes {
            let count = machines.count();
            return Err(wrong(format!("job {job_id} asks for {nodes} machines, not for {count}")));
        }
        if let Some(mapping) = mapping {
            self.state.place_ranks(key, one_to_one(&mapping, nodes).map_err(wrong)?);
        }
        let all = 0..self.cluster.platform.machines();
        let all = NodeSet::from_ranges(vec![all]);
        let idle = self.state.machines().idle();
        let unknown = machines.difference(&all);
        let busy = machines.difference(idle);
        for (what, which) in [
            ("there are no machines", unknown),
            ("these machines are not available:", machines.intersection(&self.unavailable)),
            ("these machines are not on and free:", busy),
        ] {
            if !which.is_empty() {
                let which = machine_ranges::text(&which);
                return Err(wrong(format!("job {job_id}: {what} {which}")));
            }
        }
        self.state.start(self.now, Start { key, machines: Some(machines) }, self.observer)?;
        self.stages.insert(job_id, Stage::Running(key));
        Ok(())
    }

    fn reject(&mut self, decision: &Decision) -> Result<(), SimulationError<E>> {
        let OneJob { job_id } = decision.data()?;
        let key = self.waiting(decision, &job_id)?;
        self.refuse(&job_id, key)
    }

    /// A waiting job will never start.
    fn refuse(&mut self, name: &str, key: JobKey) -> Result<(), SimulationError<E>> {
        if let Some(job) = self.withdraw(name, key, Stage::Over) {
            self.observer.refused(&job, None)?;
        }
        Ok(())
    }

    fn kill(&mut self, decision: &Decision) -> Result<(), SimulationError<E>> {
        let KillJob { job_ids } = decision.data()?;
        let mut reached = Map::new();
        for name in &job_ids {
            let key = match self.stage(decision, name)? {
                Stage::Running(key) => key,
                // It ended while the order was on its way.
                Stage::Over => continue,
                Stage::Waiting(_) => {
                    return Err(decision.wrong(format!("job {name} does not run")).into());
                }
                Stage::PlayedByScheduler => {
                    let what = format!("job {name} is played by its scheduler: CHANGE_JOB_STATE");
                    return Err(decision.wrong(what).into());
                }
            };
            reached.insert(name.clone(), self.reached(key));
            self.state.forget_end(key);
            self.finish(key, JobEnd::Killed)?;
        }
        self.tell("JOB_KILLED", json!({"job_ids": job_ids, "job_progress": reached}));
        Ok(())
    }

    /// How far a running job came.
    fn reached(&mut self, key: JobKey) -> Value {
        if let Some(reached) = self.state.progress(self.now, key) {
            return reached;
        }
        let run = self.state.job(key).zip(self.state.run_of(key));
        let Some((job, (started, speed))) = run else { return json!({}) };
        let elapsed_s = (self.now - started - self.cluster.launch).as_seconds().max(0.0);
        let (workload, _) = workload_of(&job.id);
        let told = self.profiles.get(workload).map(|(_, told)| told);
        let described = told.zip(job.profile.as_deref());
        if let Some((told, name)) = described.filter(|(told, name)| told.contains_key(*name)) {
            return progress(name, told, job.nodes, speed, elapsed_s);
        }
        let name = super::described::profile_name(job);
        let alone = Map::from_iter([(name.clone(), super::described::profile(job))]);
        progress(&name, &alone, job.nodes, speed, elapsed_s)
    }

    fn call_later(&mut self, decision: &Decision) -> Result<(), SimulationError<E>> {
        let CallMeLater { timestamp } = decision.data()?;
        let at = Time::from_seconds_f64(timestamp).filter(|at| *at >= self.now);
        let now = self.now;
        let late = || decision.wrong(format!("{timestamp} is not a time from {now} s on"));
        let at = at.ok_or_else(late)?;
        self.calls_asked += 1;
        self.calls.insert((at, self.calls_asked));
        Ok(())
    }

    fn set_metadata(&mut self, decision: &Decision) -> Result<(), SimulationError<E>> {
        let SetJobMetadata { job_id, metadata } = decision.data()?;
        if self.stage(decision, &job_id)? == Stage::Over {
            return Err(decision.wrong(format!("job {job_id} is over")).into());
        }
        self.metadata.insert(job_id, metadata);
        Ok(())
    }

    /// The scheduler plays a job by itself: it rejects it, starts it on no machine, or ends it.
    fn change_state(&mut self, decision: &Decision) -> Result<(), SimulationError<E>> {
        let ChangeJobState { job_id, job_state } = decision.data()?;
        let stage = self.stage(decision, &job_id)?;
        match (stage, job_state.as_str(), JobEnd::of_state(&job_state)) {
            (Stage::Waiting(key), "REJECTED", _) => self.refuse(&job_id, key)?,
            (Stage::Waiting(key), "RUNNING", _) => {
                if let Some(job) = self.withdraw(&job_id, key, Stage::PlayedByScheduler) {
                    // It has no machine.
                    let job = Job { nodes: 0, ..job };
                    self.observer.started(self.now, &job, &NodeSet::new())?;
                    self.scheduler_played.start(&job_id, job, self.now);
                }
            }
            (Stage::PlayedByScheduler, _, Some(end)) => self.end_scheduler_played(&job_id, end)?,
            (Stage::Running(_), _, Some(_)) => {
                let what = format!("job {job_id} runs on machines: KILL_JOB ends it");
                return Err(decision.wrong(what).into());
            }
            _ => {
                let what = format!(
                    "job {job_id} cannot become {job_state:?}: a waiting job becomes RUNNING or \
                     REJECTED, and a running one COMPLETED_..."
                );
                return Err(decision.wrong(what).into());
            }
        }
        Ok(())
    }

    fn end_scheduler_played(&mut self, name: &str, end: JobEnd) -> Result<(), SimulationError<E>> {
        let Some((job, started)) = self.scheduler_played.end(name) else { return Ok(()) };
        self.stages.insert(name.to_owned(), Stage::Over);
        let metadata = self.metadata.remove(name).unwrap_or_default();
        let (machines, energy) = (&NodeSet::new(), None);
        let finished = self.now;
        let metadata = metadata.as_str();
        let played = Played { job: &job, started, finished, machines, end, metadata, energy };
        Ok(self.observer.played(&played)?)
    }

    fn notified(&mut self, decision: &Decision) -> Result<(), SimulationError<E>> {
        let Notify { kind } = decision.data()?;
        match kind.as_str() {
            _ if !self.rules.dynamic_jobs => return Err(decision.wrong(NOT_DYNAMIC).into()),
            "registration_finished" => {
                self.may_register(decision)?;
                self.registering = false;
            }
            "continue_registration" => self.registering = true,
            other => return Err(decision.wrong(format!("{other:?} is not known")).into()),
        }
        Ok(())
    }

    fn query(&mut self, decision: &Decision) -> Result<(), SimulationError<E>> {
        let Query { requests } = decision.data()?;
        for name in requests.keys() {
            if name != "consumed_energy" {
                return Err(decision.wrong(format!("{name:?} is not known")).into());
            }
            let Some(consumed) = self.state.machines().consumed(self.now) else {
                let what = "nobody knows what the machines draw: --platform tells";
                return Err(decision.wrong(what).into());
            };
            self.tell("ANSWER", json!({"consumed_energy": consumed.as_joules()}));
        }
        Ok(())
    }

    fn answered(&mut self, decision: &Decision) -> Result<(), SimulationError<E>> {
        let Answer { estimate_waiting_time } = decision.data()?;
        let Estimate { job_id, estimated_waiting_time } = estimate_waiting_time;
        if !self.asked_about.remove(&job_id) {
            return Err(decision.wrong(format!("nobody asked about job {job_id}")).into());
        }
        self.outcome.estimated_waiting_times.push((job_id, estimated_waiting_time));
        Ok(())
    }
}

/// The machine of every executor, which each has for itself: `{"0": "1", "1": "0"}` are 1 and 0.
fn one_to_one(mapping: &BTreeMap<String, Value>, nodes: u32) -> Result<Vec<u32>, String> {
    let number = |text: &str| text.parse().ok().filter(|number: &u32| *number < nodes);
    let of = |value: &Value| match value {
        Value::String(text) => number(text),
        other => number(&other.to_string()),
    };
    let pairs = mapping.iter().filter_map(|(rank, machine)| Some((number(rank)?, of(machine)?)));
    let by_rank: BTreeMap<u32, u32> = pairs.collect();
    let machines: BTreeSet<u32> = by_rank.values().copied().collect();
    if mapping.len() == nodes as usize
        && by_rank.len() == mapping.len()
        && machines.len() == mapping.len()
    {
        return Ok(by_rank.into_values().collect());
    }
    Err("mapping: machines are not shared, so each executor needs one of its own".to_owned())
}
