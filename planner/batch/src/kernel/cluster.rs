//! The jobs that wait or run, and the machines: what is true, whatever a scheduler believes.

mod external;
mod network;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

use planner::node_set::NodeSet;

use super::communications::Communications;
use super::machines::{Machines, News};
use super::{Cluster, Entering, JobEnd, Observer, Played, SimulationError};
use crate::job::{Job, JobId, Work};
use crate::scheduler::{Decisions, JobKey, JobRefusal, JobRequest, PowerOrder, Start, Switched};
use crate::time::Time;

/// A job that waits or runs.
#[derive(Debug)]
struct Live {
    job: Job,
    /// When it started, if it did.
    started: Option<Time>,
    machines: NodeSet,
    /// The speed of its slowest machine.
    speed: f64,
    /// Its machines in the order of its ranks, where that is not theirs.
    ranks: Option<Vec<u32>>,
    /// Whether it was on the network until its walltime.
    at_walltime: bool,
}

/// The state of the simulation.
#[derive(Debug)]
pub(super) struct SimulationState<'a> {
    cluster: Cluster<'a>,
    machines: Machines<'a>,
    live: Vec<Option<Live>>,
    /// Keys that are free for other jobs.
    spare: Vec<JobKey>,
    waiting: usize,
    running: usize,
    /// Ends of running jobs: when, after how many other starts, which.
    ends: BinaryHeap<Reverse<(Time, u64, JobKey)>>,
    starts: u64,
    communications: Option<Communications<'a>>,
    /// When a job ended last.
    last_end: Time,
}

impl<'a> SimulationState<'a> {
    pub(super) fn new(cluster: Cluster<'a>) -> Self {
        Self {
            cluster,
            machines: Machines::new(cluster),
            live: Vec::new(),
            spare: Vec::new(),
            waiting: 0,
            running: 0,
            ends: BinaryHeap::new(),
            starts: 0,
            communications: cluster.network.map(Communications::new),
            last_end: Time::ZERO,
        }
    }

    pub(super) const fn waiting(&self) -> usize {
        self.waiting
    }

    /// Whether no job waits or runs.
    pub(super) const fn is_done(&self) -> bool {
        self.waiting == 0 && self.running == 0
    }

    /// Whether jobs run.
    pub(super) const fn is_running(&self) -> bool {
        self.running > 0
    }

    /// When the next running job ends.
    pub(super) fn next_end(&self) -> Option<Time> {
        self.ends.peek().map(|Reverse((at, ..))| *at)
    }

    /// The next job that ends at `now`; it runs until [`SimulationState::end`].
    pub(super) fn pop_end(&mut self, now: Time) -> Option<JobKey> {
        if self.next_end() != Some(now) {
            return None;
        }
        self.ends.pop().map(|Reverse((_, _, key))| key)
    }

    /// Takes `key` out of the jobs that end at `now`.
    pub(super) fn end_out_of_turn(&mut self, now: Time, key: JobKey) -> bool {
        let mut others = Vec::new();
        let mut found = false;
        while let Some(Reverse(end)) = self.ends.peek().copied().filter(|end| end.0.0 == now) {
            self.ends.pop();
            found = end.2 == key;
            if found {
                break;
            }
            others.push(Reverse(end));
        }
        self.ends.extend(others);
        found
    }

    /// Lets a job wait in one of the priority queues; `None` when it is refused.
    pub(super) fn submit<E>(
        &mut self,
        job: Job,
        queue: u32,
        observer: &mut impl Observer,
    ) -> Result<Option<JobRequest>, SimulationError<E>> {
        if job.nodes == 0 || job.nodes > self.cluster.platform.machines() {
            observer.refused(&job, None)?;
            return Ok(None);
        }
        Ok(Some(JobRequest { queue, ..self.admit(job) }))
    }

    /// Lets a job wait, whatever it asks for.
    fn admit(&mut self, job: Job) -> JobRequest {
        let (nodes, walltime) = (job.nodes, job.walltime.unwrap_or(Time::FOREVER));
        let machines = NodeSet::new();
        let (ranks, at_walltime) = (None, false);
        let live = Some(Live { job, started: None, machines, speed: 1.0, ranks, at_walltime });
        let key = if let Some(key) = self.spare.pop() {
            self.live[key.index()] = live;
            key
        } else {
            let key = JobKey(u32::try_from(self.live.len()).unwrap_or(u32::MAX));
            self.live.push(live);
            key
        };
        self.waiting += 1;
        JobRequest { key, nodes, walltime, queue: 0 }
    }

    /// Takes back a waiting job, and frees its key.
    pub(super) fn withdraw(&mut self, key: JobKey) -> Option<Job> {
        let waits = |live: &mut Live| live.started.is_none();
        let live = self.live.get_mut(key.index())?.take_if(waits)?;
        self.waiting -= 1;
        self.spare.push(key);
        Some(live.job)
    }

    /// Refuses a waiting job, as its scheduler says.
    fn refuse<E>(
        &mut self,
        now: Time,
        JobRefusal { key, reason }: JobRefusal,
        observer: &mut impl Observer,
    ) -> Result<(), SimulationError<E>> {
        let Some(job) = self.withdraw(key) else {
            let what = "refused what does not wait,";
            return Err(SimulationError::Decision { now, what, job: unknown(key) });
        };
        Ok(observer.refused(&job, reason)?)
    }

    /// Starts a job; its id.
    pub(super) fn start<E>(
        &mut self,
        now: Time,
        start: Start,
        observer: &mut impl Observer,
    ) -> Result<&JobId, SimulationError<E>> {
        let Start { key, machines } = start;
        let refuse =
            |what, job: &Job| Err(SimulationError::Decision { now, what, job: job.id.clone() });
        let Some(live) = self.live.get_mut(key.index()).and_then(Option::as_mut) else {
            let what = "started the unknown";
            return Err(SimulationError::Decision { now, what, job: unknown(key) });
        };
        if live.started.is_some() {
            return refuse("started again", &live.job);
        }
        let Some(machines) = self.machines.take(live.job.nodes, machines) else {
            return refuse("does not find or may not choose the machines for", &live.job);
        };
        live.machines = machines;
        live.started = Some(now);
        live.speed = self.machines.slowest(&live.machines);
        self.waiting -= 1;
        self.running += 1;
        let by_load = self.communications.is_some() && live.draws_by_load();
        let reading = self.machines.begin(now, &live.job, &live.machines, by_load);
        observer.started(now, &live.job, &live.machines)?;
        reading.as_ref().map_or(Ok(()), |reading| observer.metered(reading))?;
        let (begins, cluster) = ((now, self.starts, key), self.cluster);
        let network = self.communications.as_mut();
        if !live.communicate(begins, network, &self.machines, cluster) {
            let end = now + live.job.occupied(live.speed, cluster.launch);
            self.ends.push(Reverse((end, self.starts, key)));
        }
        self.starts += 1;
        Ok(&live.job.id)
    }

    /// Ends a job and frees its machines. Its key is free for others only after [`SimulationState::release`].
    pub(super) fn end<E>(
        &mut self,
        now: Time,
        key: JobKey,
        observer: &mut impl Observer,
    ) -> Result<(), SimulationError<E>> {
        let killed = self.reaches_walltime(key);
        let end = if killed { JobEnd::Walltime } else { JobEnd::Success };
        self.end_as(now, key, end, "", observer)
    }

    /// Whether a job that runs to its end ends at its walltime.
    pub(super) fn reaches_walltime(&self, key: JobKey) -> bool {
        let launch = self.cluster.launch;
        self.live(key).is_some_and(|live| match (&live.job.work, &self.communications) {
            (Work::Program(_), Some(_)) => live.at_walltime,
            _ => live.job.reaches_walltime(live.speed, launch),
        })
    }

    fn live(&self, key: JobKey) -> Option<&Live> {
        self.live.get(key.index())?.as_ref()
    }

    /// Ends a job that ends so.
    fn end_as<E>(
        &mut self,
        now: Time,
        key: JobKey,
        end: JobEnd,
        metadata: &str,
        observer: &mut impl Observer,
    ) -> Result<(), SimulationError<E>> {
        let Some(live) = self.live[key.index()].take() else { return Ok(()) };
        let started = live.started.unwrap_or(now);
        let Live { job, machines, .. } = &live;
        let by_load = self.communications.as_mut().and_then(|all| all.remove(now, key));
        let read = self.machines.end(now, started, job, machines, by_load);
        let energy = read.map(|(_, energy)| energy);
        observer.played(&Played {
            job,
            started,
            finished: now,
            machines,
            end,
            metadata,
            energy,
        })?;
        read.map_or(Ok(()), |(reading, _)| observer.metered(&reading))?;
        self.running -= 1;
        self.last_end = now;
        Ok(())
    }

    /// Carries out what was decided of jobs, once these ends were told; `started` hears of every start.
    pub(super) fn carry_out<E>(
        &mut self,
        now: Time,
        ended: &[JobKey],
        decisions: &mut Decisions,
        observer: &mut impl Observer,
        mut started: impl FnMut(&JobId, JobKey),
    ) -> Result<(), SimulationError<E>> {
        for &key in ended {
            self.release(key);
        }
        for refusal in decisions.refusals.drain(..) {
            self.refuse(now, refusal, observer)?;
        }
        for start in decisions.starts.drain(..) {
            let key = start.key;
            started(self.start(now, start, observer)?, key);
        }
        Ok(self.tell_loads(now, observer)?)
    }

    /// Frees the key of a job whose end was told.
    fn release(&mut self, key: JobKey) {
        self.spare.push(key);
    }

    /// Tells what became of all machines.
    pub(super) fn tell_totals(&self, observer: &mut impl Observer) -> io::Result<()> {
        self.tell_links(observer)?;
        self.machines.totals().map_or(Ok(()), |totals| observer.finished(&totals))
    }

    /// The machines.
    pub(super) const fn machines(&self) -> &Machines<'a> {
        &self.machines
    }

    /// Ends the switches that end at `now`.
    pub(super) fn end_switches<E>(
        &mut self,
        now: Time,
        ended: &mut Vec<Switched>,
        observer: &mut impl Observer,
    ) -> Result<(), SimulationError<E>> {
        while let Some((news, on)) = self.machines.end_switch(now) {
            tell(now, &news, observer)?;
            ended.push(Switched { machines: news.machines, on });
        }
        Ok(())
    }

    /// Carries out an order.
    pub(super) fn order<E>(
        &mut self,
        now: Time,
        order: PowerOrder,
        observer: &mut impl Observer,
    ) -> Result<(), SimulationError<E>> {
        if order.machines.is_empty() {
            return Ok(());
        }
        let machines = order.machines.clone();
        let refuse = |what| SimulationError::PowerOrder { now, what, machines };
        let news = self.machines.order(now, order).map_err(refuse)?;
        tell(now, &news, observer)?;
        Ok(())
    }
}

/// What names a job that only the scheduler knows.
fn unknown(key: JobKey) -> JobId {
    JobId::Name(format!("(key {})", key.0).into())
}

fn tell(now: Time, news: &News, observer: &mut impl Observer) -> io::Result<()> {
    let News { machines, state, reading } = news;
    observer.entered(&Entering { now, machines, state: *state })?;
    reading.as_ref().map_or(Ok(()), |reading| observer.metered(reading))
}
