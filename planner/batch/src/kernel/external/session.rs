//! The exchange of messages: instants go by, what happens is told, answers are carried out.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use planner::node_set::NodeSet;
use serde_json::{Map, Value, json};

use super::message::{self, Decision, event};
use super::scheduler_played::SchedulerPlayed;
use super::{ExternalError, ExternalOutcome, Outside, Peer, Rules};
use crate::job::{Job, JobId};
use crate::kernel::cluster::SimulationState;
use crate::kernel::submissions::Submissions;
use crate::kernel::{Cluster, JobEnd, Observer, SimulationError};
use crate::machine_ranges;
use crate::scheduler::JobKey;
use crate::time::Time;
use crate::workload::{Profiles, no_files};

/// The workload that is played.
pub(super) const WORKLOAD: &str = "w0";
/// Messages at one instant, at most.
const PATIENCE: u64 = 1_000_000;
/// Calls in turn that nothing comes of, at most: at one instant, and at all.
const FRUITLESS: [u64; 2] = [10_000, 100_000];

/// Where a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Waiting(JobKey),
    Running(JobKey),
    PlayedByScheduler,
    Over,
}

pub(super) struct Session<'a, J: Iterator, O> {
    pub(super) jobs: Submissions<J>,
    pub(super) cluster: Cluster<'a>,
    pub(super) state: SimulationState<'a>,
    pub(super) rules: &'a Rules,
    peer: &'a mut dyn Peer,
    pub(super) observer: &'a mut O,
    pub(super) now: Time,
    /// By the names that the protocol gives them.
    pub(super) stages: HashMap<String, Stage>,
    names: HashMap<JobKey, String>,
    pub(super) scheduler_played: SchedulerPlayed,
    pub(super) metadata: HashMap<String, String>,
    /// By workload: as they are played, and as they were told.
    pub(super) profiles: HashMap<String, (Profiles, Map<String, Value>)>,
    /// When to call, after how many other calls.
    pub(super) calls: BTreeSet<(Time, u64)>,
    pub(super) calls_asked: u64,
    /// Machines that were ordered on, and to which state.
    pub(super) wanted: Vec<(NodeSet, usize)>,
    pub(super) unavailable: NodeSet,
    outside: usize,
    decisions: VecDeque<Decision>,
    /// Until when nobody is asked.
    busy_until: Time,
    /// What is to be told.
    pub(super) news: Vec<Value>,
    /// Whether jobs may still be registered.
    pub(super) registering: bool,
    all_submitted: bool,
    /// Jobs that were asked about and not answered yet.
    pub(super) asked_about: HashSet<String>,
    pub(super) outcome: ExternalOutcome,
    sent_at_once: u64,
    /// Calls in turn that nothing came of: at this instant, and at all.
    fruitless: [u64; 2],
}

impl<'a, E, J: Iterator<Item = Result<Job, E>>, O: Observer> Session<'a, J, O> {
    pub(super) fn new(
        jobs: J,
        cluster: Cluster<'a>,
        rules: &'a Rules,
        peer: &'a mut dyn Peer,
        observer: &'a mut O,
    ) -> Self {
        let mut profiles = Profiles::default();
        for (name, profile) in &rules.described.profiles {
            // What is wrong with them, the workload's reader tells.
            let _ = profiles.insert(name, profile.clone(), &no_files);
        }
        let played = (profiles, rules.described.profiles.clone());
        Self {
            jobs: Submissions::new(jobs),
            cluster,
            state: SimulationState::new(cluster),
            rules,
            peer,
            observer,
            now: Time::ZERO,
            stages: HashMap::new(),
            names: HashMap::new(),
            scheduler_played: SchedulerPlayed::default(),
            metadata: HashMap::new(),
            profiles: HashMap::from([(WORKLOAD.to_owned(), played)]),
            calls: BTreeSet::new(),
            calls_asked: 0,
            wanted: Vec::new(),
            unavailable: NodeSet::new(),
            outside: 0,
            decisions: VecDeque::new(),
            busy_until: Time::ZERO,
            news: Vec::new(),
            registering: rules.dynamic_jobs,
            all_submitted: false,
            asked_about: HashSet::new(),
            outcome: ExternalOutcome::default(),
            sent_at_once: 0,
            fruitless: [0; 2],
        }
    }

    pub(super) fn play(mut self) -> Result<ExternalOutcome, SimulationError<E>> {
        self.begin();
        self.exchange()?;
        while let Some(next) = self.next_instant()? {
            if next > self.now {
                self.now = next;
                self.sent_at_once = 0;
                self.fruitless[0] = 0;
            }
            self.happen()?;
            while self.decisions.front().is_some_and(|decision| decision.at <= self.now) {
                if let Some(decision) = self.decisions.pop_front() {
                    self.carry_out(&decision)?;
                }
            }
            if !self.news.is_empty() && self.now >= self.busy_until {
                self.exchange()?;
            }
        }
        self.end()?;
        Ok(self.outcome)
    }

    /// When something happens next.
    fn next_instant(&mut self) -> Result<Option<Time>, SimulationError<E>> {
        self.state.tell_loads(self.now, self.observer)?;
        let submission = self.jobs.next_instant()?;
        let instants = [
            submission,
            self.state.next_end(),
            self.state.machines().next_switch(),
            self.calls.first().map(|(at, _)| *at),
            self.decisions.front().map(|decision| decision.at),
            (!self.news.is_empty()).then_some(self.busy_until),
            (submission.is_none() && !self.all_submitted).then_some(self.now),
        ];
        let inside = instants.into_iter().flatten().min();
        // What happens besides matters while there are jobs, or may be.
        let going_on = inside.is_some() || self.registering || !self.state.is_done();
        let outside = self.rules.events.get(self.outside).map(|event| event.at);
        let outside = outside.filter(|_| going_on || !self.scheduler_played.is_empty());
        let others = [inside, outside].into_iter().flatten().min().map(|at| at.max(self.now));
        self.state.play_network(others, self.observer)?;
        Ok(self.state.next_end().into_iter().chain(others).min())
    }

    /// What happens now by itself.
    fn happen(&mut self) -> Result<(), SimulationError<E>> {
        let now = self.now;
        while let Some(key) = self.state.pop_end(now) {
            let end = match self.state.reaches_walltime(key) {
                true => JobEnd::Walltime,
                false if self.fails(key) => JobEnd::Failure,
                false => JobEnd::Success,
            };
            self.finish(key, end)?;
        }
        self.end_switches()?;
        while let Some(job) = self.jobs.due(now) {
            if job.nodes == 0 {
                self.observer.refused(&job, None)?;
            } else {
                let name = format!("{WORKLOAD}!{}", job.id);
                self.submit(name, job, true);
            }
        }
        if self.jobs.are_over() && !self.all_submitted {
            self.all_submitted = true;
            self.tell("NOTIFY", json!({"type": "no_more_static_job_to_submit"}));
        }
        self.outside_events();
        while self.calls.first().is_some_and(|(at, _)| *at <= now) {
            self.calls.pop_first();
            self.tell("REQUESTED_CALL", json!({}));
        }
        Ok(())
    }

    fn outside_events(&mut self) {
        let events = &self.rules.events;
        while let Some(next) = events.get(self.outside).filter(|event| event.at <= self.now) {
            self.outside += 1;
            match &next.what {
                Outside::Unavailable(machines) => {
                    self.unavailable = self.unavailable.union(machines);
                    self.notify_of("event_machine_unavailable", machines);
                }
                Outside::Available(machines) => {
                    self.unavailable = self.unavailable.difference(machines);
                    self.notify_of("event_machine_available", machines);
                }
                Outside::Unknown(data) if self.rules.forward_unknown_events => {
                    self.tell("NOTIFY", Value::Object(data.clone()));
                }
                Outside::Unknown(_) => {}
            }
            if self.outside == events.len() {
                self.tell("NOTIFY", json!({"type": "no_more_external_event_to_occur"}));
            }
        }
    }

    fn notify_of(&mut self, kind: &str, machines: &NodeSet) {
        let resources = machine_ranges::text(machines);
        self.tell("NOTIFY", json!({"type": kind, "resources": resources}));
    }

    /// Whether a job says at its end that it failed.
    fn fails(&self, key: JobKey) -> bool {
        let code =
            self.state.job(key).and_then(|job| self.profile(job)).map(|of| of["ret"].as_i64());
        code.flatten().is_some_and(|code| code != 0)
    }

    /// A job's profile, as it was told.
    pub(super) fn profile(&self, job: &Job) -> Option<&Value> {
        let (workload, _) = workload_of(&job.id);
        self.profiles.get(workload)?.1.get(job.profile.as_deref()?)
    }

    /// Lets a job wait, and tells of it.
    pub(super) fn submit(&mut self, name: String, job: Job, told: bool) {
        if told {
            let document = self.document(&name, &job);
            let mut data = json!({"job_id": name, "job": document});
            if self.rules.forward_profiles {
                data["profile"] =
                    self.profile(&job).cloned().unwrap_or_else(|| super::described::profile(&job));
            }
            self.tell("JOB_SUBMITTED", data);
            if self.rules.ask_waiting_times {
                let job = json!({"res": job.nodes, "walltime": seconds(job.walltime)});
                let about = json!({"job_id": name, "job": job});
                self.tell("QUERY", json!({"requests": {"estimate_waiting_time": about}}));
                self.asked_about.insert(name.clone());
            }
        }
        let key = self.state.await_decision(job);
        self.names.insert(key, name.clone());
        self.stages.insert(name, Stage::Waiting(key));
    }

    /// A job as the protocol tells it.
    fn document(&self, name: &str, job: &Job) -> Value {
        let described = self.rules.described.jobs.get(&job.id.to_string());
        let mut document = described.cloned().unwrap_or_default();
        document.insert("id".into(), name.into());
        document.insert("subtime".into(), job.submitted.as_seconds().into());
        document.insert("walltime".into(), seconds(job.walltime));
        document.insert("res".into(), job.nodes.into());
        document.insert("profile".into(), super::described::profile_name(job).into());
        Value::Object(document)
    }

    /// Ends a running job whose end is not to come any more, and tells of it.
    pub(super) fn finish(&mut self, key: JobKey, end: JobEnd) -> Result<(), SimulationError<E>> {
        let name = self.names.remove(&key).unwrap_or_default();
        let job = self.state.job(key);
        let code = match end {
            JobEnd::Success => 0,
            JobEnd::Failure => job.and_then(|job| self.profile(job)?["ret"].as_i64()).unwrap_or(1),
            JobEnd::Walltime | JobEnd::Killed => -1,
        };
        let alloc = self.state.places(key).map(machine_ranges::text).unwrap_or_default();
        let data = json!({
            "job_id": name,
            "job_state": end.state(),
            "return_code": code,
            "alloc": alloc,
        });
        self.tell("JOB_COMPLETED", data);
        let metadata = self.metadata.remove(&name).unwrap_or_default();
        self.stages.insert(name, Stage::Over);
        self.state.finish(self.now, key, end, &metadata, self.observer)
    }

    /// A waiting job is gone.
    pub(super) fn withdraw(&mut self, name: &str, key: JobKey, stage: Stage) -> Option<Job> {
        self.names.remove(&key);
        self.stages.insert(name.to_owned(), stage);
        self.state.withdraw(key)
    }

    pub(super) fn tell(&mut self, kind: &str, data: Value) {
        self.news.push(event(self.now, kind, data));
    }

    /// Tells what is to be told, and takes the answer.
    fn exchange(&mut self) -> Result<(), SimulationError<E>> {
        let asked_for = |news: &Value| news["type"] == "REQUESTED_CALL" || news["type"] == "ANSWER";
        let calls = self.news.iter().all(asked_for);
        let text = message::written(self.now, &std::mem::take(&mut self.news));
        let answer = self.send(&text)?;
        let read = message::read(&answer, self.outcome.messages, self.now)?;
        self.heed(calls && read.decisions.iter().all(Decision::changes_nothing))?;
        self.busy_until = read.until;
        self.decisions = read.decisions;
        Ok(())
    }

    /// Counts calls that nothing comes of, which may not go on for ever.
    fn heed(&mut self, fruitless: bool) -> Result<(), SimulationError<E>> {
        let happens = self.state.is_running()
            || self.state.machines().next_switch().is_some()
            || !self.jobs.are_over()
            || self.outside < self.rules.events.len();
        let [here, at_all] = &mut self.fruitless;
        // Other things may happen before the next call, but not at this instant.
        *here = if fruitless { *here + 1 } else { 0 };
        *at_all = if fruitless && !happens { *at_all + 1 } else { 0 };
        let now = self.now;
        if *here > FRUITLESS[0] {
            return Err(ExternalError::Sleepless(FRUITLESS[0], now).into());
        }
        if *at_all > FRUITLESS[1] {
            let waiting = self.state.waiting() + self.scheduler_played.len();
            return Err(ExternalError::Idle { calls: FRUITLESS[1], now, waiting }.into());
        }
        Ok(())
    }

    fn send(&mut self, text: &str) -> Result<String, SimulationError<E>> {
        self.outcome.messages += 1;
        self.sent_at_once += 1;
        if self.sent_at_once > PATIENCE {
            return Err(ExternalError::Endless(PATIENCE, self.now).into());
        }
        let message = self.outcome.messages;
        let silent = |error| ExternalError::Silent { message, error };
        Ok(self.peer.exchange(text).map_err(silent)?)
    }

    /// The last message.
    fn end(&mut self) -> Result<(), SimulationError<E>> {
        let waiting = self.state.waiting();
        if waiting > 0 || !self.scheduler_played.is_empty() {
            let waiting = waiting + self.scheduler_played.len();
            return Err(SimulationError::Stuck { now: self.now, waiting });
        }
        if self.registering {
            return Err(ExternalError::Unfinished(self.now).into());
        }
        self.tell("SIMULATION_ENDS", json!({}));
        self.exchange()?;
        if let Some(decision) = self.decisions.front() {
            return Err(decision
                .wrong("the simulation has ended: the answer must be empty")
                .into());
        }
        Ok(self.state.tell_totals(self.observer)?)
    }
}

/// The workload of a job and its name in it.
pub(super) fn workload_of(id: &JobId) -> (&str, Option<&str>) {
    match id {
        JobId::Name(name) => name.split_once('!').map_or((WORKLOAD, None), |(w, n)| (w, Some(n))),
        JobId::Number(_) => (WORKLOAD, None),
    }
}

/// Seconds, or -1 for none.
fn seconds(time: Option<Time>) -> Value {
    time.map_or(json!(-1), |time| json!(time.as_seconds()))
}
