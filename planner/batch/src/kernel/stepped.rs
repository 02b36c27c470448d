//! A cluster and its scheduler, played instant by instant: by the loop over a workload, or beside other clusters.

use super::cluster::SimulationState;
use super::{Cluster, Observer, SimulationError};
use crate::job::Job;
use crate::scheduler::{Decisions, JobKey, JobRequest, Moment, Scheduler, Switched, Tie};
use crate::time::Time;

/// A cluster that somebody else leads through time.
pub struct SteppedCluster<'a> {
    tie: Tie,
    pub(super) state: SimulationState<'a>,
    scheduler: Box<dyn Scheduler + 'a>,
    decisions: Decisions,
    /// When it was decided last.
    last: Option<Time>,
    /// What happens at this instant.
    ended: Vec<JobKey>,
    switched: Vec<Switched>,
    submitted: Vec<JobRequest>,
}

impl<'a> SteppedCluster<'a> {
    /// Nothing has happened.
    pub fn new(cluster: Cluster<'a>, scheduler: Box<dyn Scheduler + 'a>) -> Self {
        Self {
            tie: cluster.tie,
            state: SimulationState::new(cluster),
            scheduler,
            decisions: Decisions::default(),
            last: None,
            ended: Vec::new(),
            switched: Vec::new(),
            submitted: Vec::new(),
        }
    }

    /// When something happens next by itself; what its jobs do on a network is left out.
    pub(super) fn next_own_instant(&self) -> Option<Time> {
        let passed = |at: &Time| self.last.is_none_or(|last| *at > last);
        let wake = self.decisions.wake_at.filter(passed);
        [self.state.next_end(), self.state.machines().next_switch(), wake]
            .into_iter()
            .flatten()
            .min()
    }

    /// When something happens next by itself.
    pub fn next_instant(&mut self) -> Option<Time> {
        self.next_own_instant().into_iter().chain(self.state.next_on_network()).min()
    }

    /// Whether no job waits or runs.
    pub const fn is_done(&self) -> bool {
        self.state.is_done()
    }

    /// Whether jobs run.
    pub const fn is_running(&self) -> bool {
        self.state.is_running()
    }

    /// How many jobs wait.
    pub const fn waiting(&self) -> usize {
        self.state.waiting()
    }

    /// When a bound changes next that waiting jobs may wait for.
    pub fn bounded_until(&self) -> Option<Time> {
        self.scheduler.bounded_until()
    }

    /// Ends the jobs and switches that end at `now`, the next instant; [`Self::decide`] follows.
    ///
    /// # Errors
    /// The observer's; machines without a route between them.
    pub fn end<E>(
        &mut self,
        now: Time,
        observer: &mut impl Observer,
    ) -> Result<(), SimulationError<E>> {
        self.state.play_network(Some(now), observer)?;
        while let Some(key) = self.state.pop_end(now) {
            self.state.end(now, key, observer)?;
            self.ended.push(key);
        }
        self.state.end_switches(now, &mut self.switched, observer)
    }

    /// Submits a job at this instant, to one of the priority queues.
    ///
    /// # Errors
    /// The observer's.
    pub fn submit<E>(
        &mut self,
        job: Job,
        queue: u32,
        observer: &mut impl Observer,
    ) -> Result<(), SimulationError<E>> {
        self.submitted.extend(self.state.submit(job, queue, observer)?);
        Ok(())
    }

    /// Lets the scheduler decide on what happened at `now`, and carries it out.
    ///
    /// # Errors
    /// Decisions that cannot be carried out; the observer's.
    pub fn decide<E>(
        &mut self,
        now: Time,
        observer: &mut impl Observer,
    ) -> Result<(), SimulationError<E>> {
        self.last = Some(now);
        match self.tie {
            Tie::Batch => self.ask_once(now),
            Tie::Pyss => self.ask_one_by_one(now),
        }
        let Self { state, ended, decisions, .. } = self;
        state.carry_out(now, ended, decisions, observer, |_, _| {})?;
        for order in self.decisions.power_orders.drain(..) {
            self.state.order(now, order, observer)?;
        }
        self.ended.clear();
        self.switched.clear();
        self.submitted.clear();
        Ok(())
    }

    /// Lets the scheduler decide where it has something to decide on.
    ///
    /// # Errors
    /// Those of [`Self::decide`].
    pub fn decide_if_needed<E>(
        &mut self,
        now: Time,
        observer: &mut impl Observer,
    ) -> Result<(), SimulationError<E>> {
        let nothing =
            self.ended.is_empty() && self.switched.is_empty() && self.submitted.is_empty();
        if nothing && self.decisions.wake_at != Some(now) {
            return Ok(());
        }
        self.decide(now, observer)
    }

    /// One decision on everything.
    fn ask_once(&mut self, now: Time) {
        let consumed = self.state.machines().consumed(now);
        let Self { ended, switched, submitted, scheduler, decisions, .. } = self;
        let moment = Moment { now, ended, switched, submitted, consumed };
        scheduler.decide(&moment, decisions);
    }

    /// A decision on each event, submissions first; then the starts.
    fn ask_one_by_one(&mut self, now: Time) {
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
    }

    /// Tells what became of all machines.
    ///
    /// # Errors
    /// The observer's.
    pub fn finish(&self, observer: &mut impl Observer) -> std::io::Result<()> {
        self.state.tell_totals(observer)
    }
}
