//! Jobs that run parallel tasks on a network: how far each has come, and what its machines draw meanwhile.
//!
//! The network's time is not of whole microseconds. What happens in it is played at its own instants, so that errors do
//! not add up, and told at the next whole microsecond.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use network::platform::HostId;
use network::replay::{TraceReplay, TraceReplayError};
use network::tasks::{Execution, LinkTotals, TaskId};
use planner::quantity::{Energy, Power};

use crate::communication::{Cursor, JobProgram, MachineNetwork, ROUNDING_S, Step, rounded_up};
use crate::quantity::ExactEnergy;
use crate::scheduler::JobKey;
use crate::time::Time;

/// A job as it begins.
pub(super) struct Beginning {
    pub(super) key: JobKey,
    /// How many jobs started before it.
    pub(super) number: u64,
    pub(super) program: Arc<JobProgram>,
    /// In the order of its ranks, each with its computing state.
    pub(super) machines: Vec<(u32, usize)>,
    /// How long it takes to launch it.
    pub(super) launch: Time,
    pub(super) walltime: Option<Time>,
    /// Whether what its machines draw follows from their loads.
    pub(super) by_load: bool,
}

/// What a job does now.
#[derive(Debug)]
enum CurrentStep {
    /// It waits, or runs a parallel task.
    Task(TaskId),
    /// Its ranks go through their traces.
    Replay(Box<TraceReplay>),
}

/// A job that runs.
#[derive(Debug)]
struct RunningProgram {
    number: u64,
    cursor: Cursor,
    /// Steps that it has done.
    steps: u32,
    step: CurrentStep,
    /// Whether it is still being launched.
    launching: bool,
    machines: Vec<(u32, usize)>,
    hosts: Vec<HostId>,
    deadline: Option<Time>,
    /// Whether what it draws follows from the loads of its hosts.
    by_load: bool,
    drawn: Power,
    since: Time,
    consumed: ExactEnergy,
}

/// A job that ended by itself or at its walltime.
#[derive(Clone, Copy, Debug)]
pub(super) struct EndedProgram {
    pub(super) number: u64,
    pub(super) key: JobKey,
    pub(super) at_walltime: bool,
}

/// All jobs on a network.
pub(super) struct Communications<'a> {
    network: &'a MachineNetwork,
    execution: Execution<'a>,
    /// The instant that the execution has come to.
    at: Time,
    jobs: BTreeMap<JobKey, RunningProgram>,
    tasks: HashMap<TaskId, JobKey>,
    deadlines: BTreeSet<(Time, u64, JobKey)>,
    /// Tasks that ended and whose jobs have not gone on yet.
    due: Vec<TaskId>,
    /// Jobs that have done a step since they were asked for, and how many each has done.
    advanced: Vec<(JobKey, u32)>,
    /// Whether loads may have changed since they were looked at.
    changed: bool,
}

impl std::fmt::Debug for Communications<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Communications").field("jobs", &self.jobs).finish_non_exhaustive()
    }
}

impl<'a> Communications<'a> {
    pub(super) fn new(network: &'a MachineNetwork) -> Self {
        Self {
            network,
            execution: Execution::new(network.network()),
            at: Time::ZERO,
            jobs: BTreeMap::new(),
            tasks: HashMap::new(),
            deadlines: BTreeSet::new(),
            due: Vec::new(),
            advanced: Vec::new(),
            changed: false,
        }
    }

    /// When something happens next.
    pub(super) fn next_instant(&mut self) -> Option<Time> {
        if self.jobs.is_empty() {
            return None;
        }
        if !self.due.is_empty() {
            return Some(self.at);
        }
        let deadline = self.deadlines.first().map(|(at, ..)| *at);
        let event = self.execution.until_next().map(|seconds| self.at + rounded_up(seconds));
        [deadline, event].into_iter().flatten().min()
    }

    /// Begins a job; its machines compute at these speeds.
    pub(super) fn begin(&mut self, now: Time, job: Beginning, speed: impl Fn(u32, usize) -> f64) {
        let Beginning { key, number, program, machines, launch, walltime, by_load } = job;
        self.pass(now);
        let hosts: Vec<HostId> =
            machines.iter().map(|(machine, _)| self.network.host(*machine)).collect();
        for (host, (machine, state)) in hosts.iter().zip(&machines) {
            self.execution.set_speed(*host, speed(*machine, *state));
        }
        let deadline = walltime.map(|walltime| now + walltime);
        let launches = self.execution.wait(launch.as_seconds());
        self.deadlines.extend(deadline.map(|at| (at, number, key)));
        let running = RunningProgram {
            number,
            cursor: Cursor::of(program),
            steps: 0,
            step: CurrentStep::Task(launches),
            launching: true,
            machines,
            hosts,
            deadline,
            by_load,
            drawn: Power::ZERO,
            since: now,
            consumed: ExactEnergy::ZERO,
        };
        self.tasks.insert(launches, key);
        self.jobs.insert(key, running);
        self.changed = true;
    }

    /// What happens at the next instant; the jobs that end then.
    pub(super) fn happen(&mut self, at: Time) -> Result<Vec<EndedProgram>, TraceReplayError> {
        let over = self.advance_to(at)?;
        let mut ended = Vec::new();
        for &key in &over {
            let Some(job) = self.jobs.get(&key) else { continue };
            ended.push(EndedProgram { number: job.number, key, at_walltime: false });
        }
        while let Some(&(_, number, key)) = self.deadlines.first().filter(|(due, ..)| *due <= at) {
            self.deadlines.pop_first();
            if !over.contains(&key) {
                ended.push(EndedProgram { number, key, at_walltime: true });
            }
        }
        Ok(ended)
    }

    /// Jobs that have done a step since this was asked last, and how many each has done.
    pub(super) fn steps_done(&mut self) -> Vec<(JobKey, u32)> {
        std::mem::take(&mut self.advanced)
    }

    /// The execution goes on to an instant; which jobs have done all that they do.
    fn advance_to(&mut self, at: Time) -> Result<Vec<JobKey>, TraceReplayError> {
        let mut left = (at - self.at).as_seconds();
        self.at = at;
        let mut over = Vec::new();
        loop {
            for task in std::mem::take(&mut self.due) {
                let Some(key) = self.tasks.remove(&task) else { continue };
                self.changed = true;
                if !self.go_on(key, task)? {
                    over.push(key);
                }
            }
            let next = self.execution.until_next().filter(|step| *step <= left + ROUNDING_S);
            let Some(step) = next else { break };
            self.changed = true;
            self.due.extend(self.execution.advance(step));
            left -= step;
        }
        self.due.extend(self.execution.advance(left.max(0.0)));
        Ok(over)
    }

    /// A job goes on after a task of it that ended; whether it still does something.
    fn go_on(&mut self, key: JobKey, ended: TaskId) -> Result<bool, TraceReplayError> {
        let Self { jobs, tasks, execution, advanced, network, .. } = self;
        let Some(job) = jobs.get_mut(&key) else { return Ok(true) };
        if let CurrentStep::Replay(replay) = &mut job.step {
            let begun = replay.ended(ended, execution)?;
            tasks.extend(begun.into_iter().map(|task| (task, key)));
            if !replay.is_over() {
                return Ok(true);
            }
        }
        if job.launching {
            job.launching = false;
        } else {
            job.cursor.advance();
            job.steps += 1;
            advanced.push((key, job.steps));
        }
        let task = match job.cursor.current() {
            None | Some(Step::Sequence { .. }) => return Ok(false),
            Some(Step::Wait(seconds)) => execution.wait(*seconds),
            Some(Step::Task(task)) => {
                // Its storages were looked for when the workload was read.
                let task = task.on(&job.hosts, network).unwrap_or_default();
                execution.start(&task)?
            }
            Some(Step::Replay(application)) => {
                let (replay, begun) =
                    TraceReplay::begin(Arc::clone(application), &job.hosts, execution)?;
                if !replay.is_over() {
                    tasks.extend(begun.into_iter().map(|task| (task, key)));
                    job.step = CurrentStep::Replay(Box::new(replay));
                    return Ok(true);
                }
                // Nothing in it takes time.
                execution.wait(0.0)
            }
        };
        job.step = CurrentStep::Task(task);
        tasks.insert(task, key);
        Ok(true)
    }

    /// Ends whatever a job still does: what its machines drew last, and consumed, where that follows from loads.
    pub(super) fn remove(&mut self, now: Time, key: JobKey) -> Option<(Power, Energy)> {
        let job = self.jobs.remove(&key)?;
        let left: BTreeSet<TaskId> = match &job.step {
            CurrentStep::Task(task) => BTreeSet::from([*task]),
            CurrentStep::Replay(replay) => replay.tasks().collect(),
        };
        let left = left.into_iter().filter(|task| self.tasks.remove(task).is_some()).collect();
        self.execution.cancel_all(&left);
        if let Some(deadline) = job.deadline {
            self.deadlines.remove(&(deadline, job.number, key));
        }
        self.changed = true;
        let consumed = job.consumed + job.drawn * (now - job.since);
        job.by_load.then(|| (job.drawn, consumed.whole()))
    }

    /// How far a job has come, as Batsim's protocol tells it.
    pub(super) fn progress(&mut self, now: Time, key: JobKey) -> Option<serde_json::Value> {
        self.pass(now);
        let job = self.jobs.get(&key)?;
        let share = match &job.step {
            CurrentStep::Task(_) if job.launching => 0.0,
            CurrentStep::Task(task) => self.execution.progress(*task)?,
            CurrentStep::Replay(replay) => replay.progress(),
        };
        Some(job.cursor.progress(share))
    }

    /// Time passes in which nothing happens.
    fn pass(&mut self, now: Time) {
        if now > self.at {
            // What ends by rounding is due at once.
            self.due.extend(self.execution.advance((now - self.at).as_seconds()));
            self.at = now;
        }
    }

    /// What all machines whose draw follows from their loads drew, and draw now, if that changed.
    pub(super) fn drawn(&mut self, now: Time) -> Option<(Power, Power)> {
        if !std::mem::replace(&mut self.changed, false) {
            return None;
        }
        let (mut before, mut after) = (Power::ZERO, Power::ZERO);
        for job in self.jobs.values_mut().filter(|job| job.by_load) {
            let of = |(host, (machine, state)): (&HostId, &(u32, usize))| {
                self.network.draw(*machine, *state, self.execution.host_load(*host))
            };
            let drawn: f64 = job.hosts.iter().zip(&job.machines).map(of).sum();
            let drawn = whole_microwatts(drawn);
            before = before + job.drawn;
            after = after + drawn;
            if drawn != job.drawn {
                job.consumed += job.drawn * (now - job.since);
                (job.drawn, job.since) = (drawn, now);
            }
        }
        (before != after).then_some((before, after))
    }

    /// What went over each link.
    pub(super) fn link_totals(&self) -> &[LinkTotals] {
        self.execution.link_totals()
    }

    /// The network.
    pub(super) const fn network(&self) -> &'a MachineNetwork {
        self.network
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a platform draws less")]
fn whole_microwatts(microwatts: f64) -> Power {
    Power::from_microwatts(microwatts.round() as i64)
}
