//! The loop over instants.

use super::cluster::SimulationState;
use super::submissions::Submissions;
use super::{Cluster, Observer, SimulationError};
use crate::job::Job;
use crate::scheduler::{Decisions, JobKey, JobRequest, Moment, Scheduler, Switched, Tie};
use crate::time::Time;

/// How many instants may pass in turn without a job that runs or comes, while others wait; where the
/// scheduler knows that its bounds change later on, and where it does not.
const IDLE: [u32; 2] = [10_000_000, 1_000_000];

/// Plays `jobs`, which come in the order of submission, under `scheduler`.
///
/// # Errors
/// Those of the workload and of the observer; decisions that cannot be carried out.
pub fn simulate<E>(
    jobs: impl Iterator<Item = Result<Job, E>>,
    cluster: Cluster<'_>,
    scheduler: &mut dyn Scheduler,
    observer: &mut impl Observer,
) -> Result<(), SimulationError<E>> {
    let mut play = Play {
        jobs: Submissions::new(jobs),
        state: SimulationState::new(cluster),
        scheduler,
        observer,
        decisions: Decisions::default(),
        ended: Vec::new(),
        switched: Vec::new(),
        submitted: Vec::new(),
    };
    let (mut last, mut since) = (Time::ZERO, Time::ZERO);
    let mut idle = 0;
    while let Some(now) = play.next_instant(last)? {
        if !play.jobs.are_over() || play.state.is_running() {
            (idle, since) = (0, now);
        } else {
            idle += 1;
            let until = play.scheduler.bounded_until();
            if idle > IDLE[usize::from(until.is_none())] {
                let (waiting, times) = (play.state.waiting(), idle - 1);
                return Err(SimulationError::Endless { now: last, waiting, times, since, until });
            }
        }
        last = now;
        play.gather(now)?;
        match cluster.tie {
            Tie::Batch => play.at_once(now)?,
            Tie::Pyss => play.one_by_one(now)?,
        }
    }
    match play.state.waiting() {
        0 => Ok(play.state.tell_totals(play.observer)?),
        waiting => Err(SimulationError::Stuck { now: last, waiting }),
    }
}

struct Play<'a, J: Iterator, O> {
    jobs: Submissions<J>,
    state: SimulationState<'a>,
    scheduler: &'a mut dyn Scheduler,
    observer: &'a mut O,
    decisions: Decisions,
    /// What happens at this instant.
    ended: Vec<JobKey>,
    switched: Vec<Switched>,
    submitted: Vec<JobRequest>,
}

impl<E, J: Iterator<Item = Result<Job, E>>, O: Observer> Play<'_, J, O> {
    /// When something happens next.
    fn next_instant(&mut self, last: Time) -> Result<Option<Time>, SimulationError<E>> {
        let submission = self.jobs.next_instant()?;
        if submission.is_none() && self.state.is_done() {
            return Ok(None);
        }
        let wake = self.decisions.wake_at.filter(|at| *at > last);
        let switch = self.state.machines().next_switch();
        let others = [submission, self.state.next_end(), switch, wake].into_iter().flatten().min();
        self.state.play_network(others, self.observer)?;
        Ok(self.state.next_end().into_iter().chain(others).min())
    }

    /// Ends and submits what ends and is submitted at `now`.
    fn gather(&mut self, now: Time) -> Result<(), SimulationError<E>> {
        self.ended.clear();
        self.switched.clear();
        self.submitted.clear();
        while let Some(key) = self.state.pop_end(now) {
            self.state.end(now, key, self.observer)?;
            self.ended.push(key);
        }
        self.state.end_switches(now, &mut self.switched, self.observer)?;
        while let Some(job) = self.jobs.due(now) {
            self.submitted.extend(self.state.submit(job, self.observer)?);
        }
        Ok(())
    }

    /// One decision on everything.
    fn at_once(&mut self, now: Time) -> Result<(), SimulationError<E>> {
        let consumed = self.state.machines().consumed(now);
        let Self { ended, switched, submitted, scheduler, decisions, .. } = self;
        let moment = Moment { now, ended, switched, submitted, consumed };
        scheduler.decide(&moment, decisions);
        self.carry_out(now)
    }

    /// A decision on each event, submissions first; then the starts.
    fn one_by_one(&mut self, now: Time) -> Result<(), SimulationError<E>> {
        let consumed = self.state.machines().consumed(now);
        let nothing = Moment { now, ended: &[], switched: &[], submitted: &[], consumed };
        for job in &self.submitted {
            let submitted = std::slice::from_ref(job);
            self.scheduler.decide(&Moment { submitted, ..nothing }, &mut self.decisions);
        }
        for key in &self.ended {
            let ended = std::slice::from_ref(key);
            self.scheduler.decide(&Moment { ended, ..nothing }, &mut self.decisions);
        }
        if !self.switched.is_empty() || self.submitted.is_empty() && self.ended.is_empty() {
            let woken = Moment { switched: &self.switched, ..nothing };
            self.scheduler.decide(&woken, &mut self.decisions);
        }
        self.carry_out(now)
    }

    fn carry_out(&mut self, now: Time) -> Result<(), SimulationError<E>> {
        let Self { state, ended, decisions, observer, .. } = self;
        state.carry_out(now, ended, decisions, *observer, |_, _| {})?;
        for order in self.decisions.power_orders.drain(..) {
            self.state.order(now, order, self.observer)?;
        }
        Ok(())
    }
}
