//! What a scheduler is told and what it answers: all that the kernel and the policies know of each other.
//!
//! The kernel tells a [`Scheduler`] of a [`Moment`]: jobs that ended or were submitted, machines that
//! have been switched. The scheduler answers with [`Decisions`]. It never learns how long a job will run,
//! only what the job asks for ([`JobRequest`]).

use planner::node_set::NodeSet;
use planner::quantity::Energy;
use serde::Serialize;

use crate::time::Time;

/// Names a job while it waits or runs. Afterwards the key may name another job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobKey(pub u32);

impl JobKey {
    /// The job's place in a table by key.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a job asks for: all that a scheduler sees of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobRequest {
    /// How decisions name the job.
    pub key: JobKey,
    /// How many machines it asks for.
    pub nodes: u32,
    /// After how long the job is killed; [`Time::FOREVER`] where the workload does not say.
    pub walltime: Time,
    /// Which of the priority queues it stands in: all jobs of one come before those of the next.
    pub queue: u32,
}

/// What happened at one instant, or in one message of it.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// The instant.
    pub now: Time,
    /// Jobs that ended, in the order of their starts.
    pub ended: &'a [JobKey],
    /// Machines that have been switched, in the order of the orders.
    pub switched: &'a [Switched],
    /// Jobs that were submitted, in the order of the workload.
    pub submitted: &'a [JobRequest],
    /// What all machines consumed until now, where it is known what they draw.
    pub consumed: Option<Energy>,
}

/// Machines that have been switched off or on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switched {
    /// The machines.
    pub machines: NodeSet,
    /// Whether the machines are on now; otherwise they are off.
    pub on: bool,
}

/// What a scheduler decides.
#[derive(Debug, Default)]
pub struct Decisions {
    /// Jobs that are refused, before any starts.
    pub refusals: Vec<JobRefusal>,
    /// Jobs that start now.
    pub starts: Vec<Start>,
    /// Machines that change their power state now, after the starts.
    pub power_orders: Vec<PowerOrder>,
    /// When to ask the scheduler again, even if nothing happens; kept until it is passed.
    pub wake_at: Option<Time>,
}

/// A job that will never start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobRefusal {
    /// The job.
    pub key: JobKey,
    /// The reason, where there is more to say than that the job cannot be played.
    pub reason: Option<RefusalReason>,
}

/// Why a scheduler refuses a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalReason {
    /// The power cap would be exceeded whenever the job started, even if nothing else ran.
    NeverUnderTheCap,
}

impl RefusalReason {
    /// The reason as `jobs.csv` states it.
    pub const fn text(self) -> &'static str {
        match self {
            Self::NeverUnderTheCap => "above the cap whenever it started even if nothing else ran",
        }
    }
}

/// A job that starts now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The job.
    pub key: JobKey,
    /// The machines it starts on; `None` is the lowest free ones, for schedulers that only count.
    pub machines: Option<NodeSet>,
}

/// An order to machines to change their power state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PowerOrder {
    /// The machines.
    pub machines: NodeSet,
    /// The state that they are to be in.
    pub to: PowerTarget,
}

/// The power state that machines are ordered to be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PowerTarget {
    /// Off: idle machines are switched off.
    Off,
    /// On: machines that are off are switched on.
    On,
    /// A computing state of the platform, by its position: idle machines are in it at once.
    State(usize),
}

impl Decisions {
    /// Refuses a job.
    pub fn refuse(&mut self, key: JobKey, reason: Option<RefusalReason>) {
        self.refusals.push(JobRefusal { key, reason });
    }

    /// Starts a job on the lowest free machines.
    pub fn start(&mut self, key: JobKey) {
        self.starts.push(Start { key, machines: None });
    }

    /// Starts a job on `machines`.
    pub fn start_on(&mut self, key: JobKey, machines: NodeSet) {
        self.starts.push(Start { key, machines: Some(machines) });
    }
}

/// A scheduler: asked whenever jobs end or are submitted.
pub trait Scheduler {
    /// Decides what starts now. A job's key is free for another after its end was told.
    fn decide(&mut self, moment: &Moment<'_>, decisions: &mut Decisions);

    /// When a bound changes next that waiting jobs may wait for; `None` where no bound changes.
    fn bounded_until(&self) -> Option<Time> {
        None
    }
}

impl<S: Scheduler + ?Sized> Scheduler for &mut S {
    fn decide(&mut self, moment: &Moment<'_>, decisions: &mut Decisions) {
        (**self).decide(moment, decisions);
    }

    fn bounded_until(&self) -> Option<Time> {
        (**self).bounded_until()
    }
}

/// How events of one instant are told to the scheduler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tie {
    /// All at once: ends, submissions, then one decision.
    #[default]
    Batch,
    /// As pyss: one decision for each event, submissions first, then ends; a job whose walltime is
    /// over counts as ended; jobs start after all of them.
    Pyss,
}
