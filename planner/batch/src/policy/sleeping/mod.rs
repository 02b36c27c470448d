//! EASY backfilling over machines that may be off: what the policies that switch machines share (the
//! thesis's chapter 7, as Batsim's `batsched` does it).
//!
//! The first waiting job that cannot start has a reservation: the first instant from which enough
//! machines are free if everything lasts as long as it may. Machines that are off are no part of it,
//! unless the job cannot start without them: then as many are switched on as it lacks. Other jobs start
//! now if they end by then or need none of its machines. Between these decisions, periodically, a
//! [`Stage`] decides which machines are to be switched; those that run jobs are switched off as soon as
//! they are free. The opportunistic technique switches machines off that have been idle for long, and on
//! again as soon as a waiting job could use them.
//!
//! A decision costs the jobs that run, and the waiting ones that fit.

mod admit;
mod gate;
mod idle;
mod load;
mod plan;
mod select;

use super::{Allocation, Setting};
use crate::bits::Bits;
use crate::queue::{Cursor, Hole, Queue};
use crate::scheduler::{Decisions, JobRequest, Moment, Scheduler};
use crate::time::Time;

use admit::Gated;
pub(super) use gate::{Estimates, Gate, More, Outlook};
use idle::Idle;
pub(super) use load::Horizon;
pub(super) use plan::{Plan, Reserved};

/// What all of these policies can be told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SleepingOptions {
    /// The time between stages.
    pub period: Time,
    /// For how long a machine is idle before it is switched off; not at all where this is none.
    pub idle: Option<Time>,
    /// Whether idle machines are switched off at all events, and not at stages only.
    pub sedate_at_events: bool,
    /// Whether jobs are started after a stage at whose instant nothing else happens.
    pub decide_at_stages: bool,
    /// How long switching on is taken to last.
    pub switch_on: Time,
    /// How long switching off is taken to last.
    pub switch_off: Time,
}

/// The periodic decision on which machines are switched.
pub(super) trait Stage: std::fmt::Debug {
    /// Decides, before the jobs that ended now are known to have.
    fn decide(&mut self, core: &mut Core);

    /// A decision comes: nothing has changed yet since the last one.
    fn before(&mut self, _: &Core) {}

    /// A decision was made.
    fn after(&mut self, _: &Core) {}
}

/// The state of the scheduler.
#[derive(Debug)]
pub(super) struct Core {
    pub plan: Plan,
    pub queue: Queue,
    /// What waits, machine-microseconds.
    pub load: i128,
    /// Of the first waiting job, since the last decision.
    pub reserved: Option<Reserved>,
    pub idle: Idle,
    /// Machines switched off, or to be, because they were idle; and because a stage said so.
    pub sedated_idle: u32,
    pub sedated_by_stage: u32,
    /// Machines that were switched since the last stage because it said so.
    pub lately_sedated: Bits,
    pub lately_awakened: Bits,
    /// What bounds power and energy, if anything does.
    gated: Option<Gated>,
    options: SleepingOptions,
    allocation: Allocation,
}

/// A scheduler: EASY, and a stage.
#[derive(Debug)]
pub(super) struct Sleeping<S> {
    core: Core,
    stage: S,
    /// When the next stage is, once a job was submitted.
    next_stage: Option<Time>,
}

impl<S: Stage> Sleeping<S> {
    pub fn new(setting: &Setting<'_>, options: SleepingOptions, stage: S) -> Self {
        let (machines, allocation) = (setting.platform.machines(), setting.allocation);
        let core = Core {
            plan: Plan::new(machines, options.switch_on, options.switch_off),
            queue: Queue::default(),
            load: 0,
            reserved: None,
            idle: Idle::new(machines),
            sedated_idle: 0,
            sedated_by_stage: 0,
            lately_sedated: Bits::none(machines),
            lately_awakened: Bits::none(machines),
            gated: None,
            options,
            allocation,
        };
        Self { core, stage, next_stage: None }
    }

    /// Adds a gate, which decides what may start.
    pub(super) fn with_gate(mut self, gate: Box<dyn Gate>) -> Self {
        self.core.gated = Some(Gated::new(gate, self.core.plan.machines));
        self
    }

    /// The stage, if it is due; whether it was.
    fn stage(&mut self, moment: &Moment<'_>, decisions: &mut Decisions) -> bool {
        let now = moment.now;
        let period = self.core.options.period;
        // Those were left out that nothing could come of.
        self.next_stage =
            self.next_stage.map(|at| if at < now { next(at, period, now) } else { at });
        let due = self.next_stage.is_some_and(|at| at <= now);
        let consumed = moment.consumed.map(|energy| energy.as_microjoules() * 1_000_000);
        if self.core.pass(consumed, due) {
            self.core.refuse_hopeless(decisions);
        }
        if due {
            self.core.look_ahead();
            self.stage.decide(&mut self.core);
            self.core.plan.end_step();
            self.next_stage = Some(now + period);
        }
        due
    }
}

impl<S: Stage> Scheduler for Sleeping<S> {
    fn decide(&mut self, moment: &Moment<'_>, decisions: &mut Decisions) {
        let now = moment.now;
        self.core.plan.now = now;
        for switched in moment.switched {
            self.core.plan.switched(switched);
        }
        let staged = self.stage(moment, decisions);
        let alone =
            moment.ended.is_empty() && moment.switched.is_empty() && moment.submitted.is_empty();
        if !(staged && alone) || self.core.options.decide_at_stages {
            for &key in moment.ended {
                self.core.plan.end(key);
            }
            self.stage.before(&self.core);
            for job in moment.submitted {
                self.core.receive(*job, decisions);
            }
            if self.next_stage.is_none() && !moment.submitted.is_empty() {
                self.next_stage = Some(now + self.core.options.period);
            }
            self.core.decide(decisions);
            self.stage.after(&self.core);
        }
        self.core.plan.end_step();
        decisions.power_orders.append(&mut self.core.plan.orders);
        decisions.wake_at = self.next_stage;
        if let Some(gated) = &self.core.gated {
            let first = self.core.reserved.as_ref().map(|reserved| reserved.start);
            let first = first.filter(|at| *at > now);
            let change = Some(gated.next_change()).filter(|at| *at < Time::FOREVER);
            let stage = self.next_stage.filter(|_| !self.core.rests());
            decisions.wake_at = [stage, first, change].into_iter().flatten().min();
            self.core.look_back();
        }
    }

    fn bounded_until(&self) -> Option<Time> {
        let change = self.core.gated.as_ref().map(Gated::next_change);
        change.filter(|at| *at < Time::FOREVER)
    }
}

impl Core {
    fn push(&mut self, job: JobRequest) {
        self.load += load(&job);
        self.queue.push(job);
    }

    /// Starts what can start, and switches what has to be.
    fn decide(&mut self, decisions: &mut Decisions) {
        self.look_ahead();
        let awakened = self.plan.awaken_queued();
        let mut sedated = self.plan.to_sedate.and(&self.plan.free);
        self.reserved = None;
        let mut needed = 0;
        if !self.queue.is_empty() {
            needed = self.first_jobs(&mut sedated, decisions);
            self.lately_awakened.add(&awakened);
            self.lately_sedated.add(&sedated);
        }
        self.plan.to_sedate.remove(&sedated);
        self.plan.sedate(&sedated);
        self.expect_first();
        if self.gated.is_none() || self.reserved.is_some() {
            self.backfill(decisions);
        }
        self.plan.end_step();
        self.idle.update(self.plan.now, &self.plan.free);
        if !self.awaken_idle() && self.options.sedate_at_events {
            self.sedate_idle(needed);
        }
    }

    /// Starts waiting jobs in order, and reserves a place for the first that cannot start; how many
    /// machines that one needs.
    fn first_jobs(&mut self, sedated: &mut Bits, decisions: &mut Decisions) -> u32 {
        while let Some(job) = self.queue.first().copied() {
            match self.plan.first_fit(job.nodes, true) {
                Some((start, free)) if start == self.plan.now && self.admits(&job) => {
                    let machines = free.lowest(job.nodes);
                    self.pop();
                    self.start(&job, &machines, decisions);
                }
                Some((start, free)) => {
                    self.reserve_admitted(&job, start, &free);
                    return job.nodes;
                }
                None => {
                    self.make_room(&job, sedated, decisions);
                    return job.nodes;
                }
            }
        }
        0
    }

    fn start(&mut self, job: &JobRequest, machines: &Bits, decisions: &mut Decisions) {
        self.plan.start(job, machines, decisions);
        self.expect(job, self.plan.now);
    }

    fn pop(&mut self) {
        if let Some(job) = self.queue.pop() {
            self.load -= load(&job);
        }
    }

    /// Reserves the lowest of the machines that are free then; by count, those first that are not free
    /// now, so that as many as possible are left over.
    fn reserve(&mut self, job: &JobRequest, start: Time, free: &Bits) {
        let machines = match self.allocation {
            Allocation::Set => free.lowest(job.nodes),
            Allocation::Count => {
                let mut machines = free.without(&self.plan.free).lowest(job.nodes);
                let missing = job.nodes - machines.count();
                machines.add(&free.and(&self.plan.free).lowest(missing));
                machines
            }
        };
        self.reserved = Some(Reserved::new(job, start, machines));
    }

    /// Lets the first job fit that lacks machines: fewer are switched off, or some on.
    fn make_room(&mut self, job: &JobRequest, sedated: &mut Bits, decisions: &mut Decisions) {
        let none = Bits::none(self.plan.machines);
        let queued = std::mem::replace(&mut self.plan.to_sedate, none);
        if let Some((start, free)) = self.plan.first_fit(job.nodes, true) {
            let used = free.lowest(job.nodes);
            let disturbing = queued.and(&used);
            self.cancel_sedations(disturbing.count());
            sedated.remove(&disturbing);
            self.plan.to_sedate = queued.without(&disturbing);
            if start == self.plan.now && self.admits(job) {
                self.pop();
                self.start(job, &used, decisions);
            } else {
                self.reserve_there(job, start, used);
            }
            return;
        }
        let mut coming = self.plan.awake.or(&self.plan.switching_on);
        coming.add(&self.plan.to_awaken);
        let lacking = job.nodes.saturating_sub(coming.count());
        let asleep = self.plan.asleep.or(&self.plan.switching_off);
        let machines = self.plan.soonest_awakable(lacking, &asleep);
        if !self.admits_switch(machines.count(), true) {
            self.plan.to_sedate = queued;
            return;
        }
        self.expect_switch(machines.count(), true);
        self.cancel_sedations(queued.count());
        sedated.clear();
        self.awakened(machines.count());
        let now = self.plan.awaken_soon(&machines);
        self.lately_awakened.add(&now);
        if let Some((start, free)) = self.plan.first_fit(job.nodes, true) {
            self.reserve_admitted(job, start, &free);
        }
    }

    fn reserve_there(&mut self, job: &JobRequest, start: Time, machines: Bits) {
        self.reserved = Some(Reserved::new(job, start, machines));
    }

    /// Machines that were to be switched off are not; a stage had said so, as far as it had of so many.
    pub fn cancel_sedations(&mut self, count: u32) {
        let by_stage = count.min(self.sedated_by_stage);
        self.sedated_by_stage -= by_stage;
        self.sedated_idle = self.sedated_idle.saturating_sub(count - by_stage);
    }

    /// Machines are switched on that were off because a stage had said so, as far as there are such.
    pub fn awakened(&mut self, count: u32) {
        self.cancel_sedations(count);
    }

    /// Starts jobs behind the first one that do not delay it.
    fn backfill(&mut self, decisions: &mut Decisions) {
        let mut cursor = if self.reserved.is_some() { Queue::second() } else { Cursor::default() };
        if self.admits_nobody() {
            return;
        }
        let mut admitted = self.admitted_nodes();
        loop {
            let (now, free) = (self.plan.now, &self.plan.free);
            let nodes = free.count();
            let (before_shadow, extra) = match &self.reserved {
                Some(reserved) => (reserved.start - now, nodes - free.common(&reserved.machines)),
                None => (Time::FOREVER, nodes),
            };
            let hole = Hole { nodes: nodes.min(admitted), before_shadow, extra };
            let next = if hole.nodes == 0 { None } else { self.queue.next_in(&mut cursor, hole) };
            let Some(job) = next else { return };
            if !self.admits_before(&job) {
                cursor.pass();
                continue;
            }
            let machines = match &self.reserved {
                Some(reserved) if job.walltime > before_shadow => {
                    free.without(&reserved.machines).lowest(job.nodes)
                }
                _ => free.lowest(job.nodes),
            };
            self.queue.remove(cursor);
            self.load -= load(&job);
            self.start(&job, &machines, decisions);
            admitted = self.admitted_nodes();
        }
    }

    /// The first waiting job, and where it would be if nothing else were switched.
    pub fn first_place(&self) -> Option<(JobRequest, Option<(Time, Bits)>)> {
        let job = *self.queue.first()?;
        Some((job, self.plan.first_fit(job.nodes, false)))
    }

    /// Machines that will be on, if everything ordered happens.
    pub fn awake_soon(&self) -> Bits {
        let mut soon = self.plan.awake.or(&self.plan.switching_on);
        soon.remove(&self.plan.switching_off);
        soon.add(&self.plan.to_awaken);
        soon.remove(&self.plan.to_sedate);
        soon
    }

    /// The stage's switches that can be made now are made: those of machines that are free, except
    /// `kept`. They are what the next stage goes by.
    pub fn switch_queued(&mut self, kept: Option<&Bits>) {
        self.lately_awakened = self.plan.awaken_queued();
        let mut sedated = self.plan.to_sedate.and(&self.plan.free);
        if let Some(kept) = kept {
            sedated.remove(kept);
        }
        self.plan.to_sedate.remove(&sedated);
        self.plan.sedate(&sedated);
        self.lately_sedated = sedated;
        self.plan.end_step();
    }
}

/// The first of the stages after `at`, of which there is one each `period`, that is not before `now`.
fn next(at: Time, period: Time, now: Time) -> Time {
    let (late, period) = ((now - at).as_micros(), period.as_micros());
    now + Time::from_micros((period - late % period) % period)
}

/// What a job may use, machine-microseconds.
fn load(job: &JobRequest) -> i128 {
    i128::from(job.nodes) * i128::from(job.walltime.as_micros())
}
