//! The scheduling core: a queue in an order, strict or with EASY backfilling, with any fit, beside advance
//! reservations, behind a gate, on machines that may be off (the thesis's chapter 7, as Batsim's
//! `batsched` does it).
//!
//! The first waiting job that cannot start has a reservation: the first instant from which machines that
//! fit it are free if everything lasts as long as it may. Machines that are off are no part of it,
//! unless the job cannot start without them: then as many are switched on as it lacks. Under EASY other
//! jobs start now if they end by then or need none of its machines. Between these decisions, periodically,
//! a [`Stage`] decides which machines are to be switched; those that run jobs are switched off as soon as
//! they are free. The opportunistic technique switches machines off that have been idle for long, and on
//! again as soon as a waiting job could use them.
//!
//! A decision costs the jobs that run, and the waiting ones that fit. Where nothing is bounded, switched
//! or reserved in advance, only new jobs are tried as long as none ends.

mod admit;
mod fitting;
mod idle;
mod load;
mod plan;
mod room;
mod select;
mod starts;

use super::bits::Bits;
use super::gate::Gate;
use super::order::OrderPart;
use super::queue::Queue;
use crate::quantity::ExactEnergy;
use crate::scheduler::{Decisions, JobRequest, Moment, Scheduler};
use crate::time::Time;

use admit::Gated;
pub(super) use fitting::Fitting;
use idle::Idle;
pub(super) use load::Horizon;
pub(super) use plan::{Plan, Reserved};

/// How often and how fast machines are switched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// The time between stages, or measurements.
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
    /// Whether idle machines are switched off only while the gate bounds something.
    pub while_bounded: bool,
}

impl Pace {
    /// Nothing is switched.
    pub const fn still() -> Self {
        Self {
            period: Time::FOREVER,
            idle: None,
            sedate_at_events: false,
            decide_at_stages: true,
            switch_on: Time::ZERO,
            switch_off: Time::ZERO,
            while_bounded: false,
        }
    }
}

/// The periodic decision on which machines are switched.
pub trait Stage: std::fmt::Debug {
    /// Decides, before the jobs that ended now are known to have.
    fn decide(&mut self, core: &mut Core);

    /// A decision comes: nothing has changed yet since the last one.
    fn before(&mut self, _: &Core) {}

    /// A decision was made.
    fn after(&mut self, _: &Core) {}
}

/// The state of the scheduler.
#[derive(Debug)]
pub struct Core {
    pub plan: Plan,
    pub queue: Queue,
    /// Whether jobs behind the first one may start before it.
    backfills: bool,
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
    pace: Pace,
}

/// A scheduler: the core, and a stage where machines are switched.
#[derive(Debug)]
pub(super) struct Composed {
    core: Core,
    stage: Option<Box<dyn Stage>>,
    /// When the next stage or measurement is, once a job was submitted.
    next_stage: Option<Time>,
}

impl Composed {
    /// A queue. With a gate not everything may start, and energy is measured at this pace; with a stage machines
    /// are switched at this pace.
    pub fn new(
        machines: u32,
        order: &OrderPart,
        fitting: Fitting,
        backfills: bool,
        pace: Pace,
        gate: Option<Box<dyn Gate>>,
        stage: Option<Box<dyn Stage>>,
    ) -> Self {
        let core = Core {
            plan: Plan::new(machines, fitting, pace.switch_on, pace.switch_off),
            queue: Queue::new(order),
            backfills,
            load: 0,
            reserved: None,
            idle: Idle::new(machines),
            sedated_idle: 0,
            sedated_by_stage: 0,
            lately_sedated: Bits::none(machines),
            lately_awakened: Bits::none(machines),
            gated: gate.map(|gate| Gated::new(gate, machines)),
            pace,
        };
        Self { core, stage, next_stage: None }
    }

    /// Whether decisions go by nothing but jobs that come and end.
    const fn is_plain(&self) -> bool {
        let fitting = &self.core.plan.fitting;
        let timeless = self.stage.is_none() && self.core.gated.is_none();
        timeless && fitting.is_free() && !fitting.counts
    }

    /// The stage, if it is due; whether it was.
    fn stage(&mut self, moment: &Moment<'_>, decisions: &mut Decisions) -> bool {
        let now = moment.now;
        let period = self.core.pace.period;
        // Those were left out that nothing could come of.
        self.next_stage =
            self.next_stage.map(|at| if at < now { next(at, period, now) } else { at });
        let due = self.next_stage.is_some_and(|at| at <= now);
        let consumed = moment.consumed.map(ExactEnergy::from);
        if self.core.pass(consumed, due) {
            self.core.refuse_hopeless(decisions);
        }
        if due {
            self.core.look_ahead();
            if let Some(stage) = &mut self.stage {
                stage.decide(&mut self.core);
            }
            self.core.plan.end_step();
            self.next_stage = Some(now + period);
        }
        due
    }

    /// Decides on everything.
    fn decide_all(&mut self, moment: &Moment<'_>, decisions: &mut Decisions) {
        for &key in moment.ended {
            self.core.plan.end(key);
        }
        if let Some(stage) = &mut self.stage {
            stage.before(&self.core);
        }
        for job in moment.submitted {
            self.core.receive(*job, decisions);
        }
        let periodic = self.stage.is_some() || self.core.gated.is_some();
        if periodic && self.next_stage.is_none() && !moment.submitted.is_empty() {
            self.next_stage = Some(moment.now + self.core.pace.period);
        }
        self.core.decide(decisions);
        if let Some(stage) = &mut self.stage {
            stage.after(&self.core);
        }
    }

    /// When to be asked again although nothing happens.
    fn wake_at(&self) -> Option<Time> {
        let (core, now) = (&self.core, self.core.plan.now);
        let stage = self.next_stage.filter(|_| !core.rests());
        let timed = core.gated.is_some() || !core.plan.fitting.is_free();
        let first = core.reserved.as_ref().map(|reserved| reserved.start);
        let first = first.filter(|at| timed && *at > now && *at < Time::FOREVER);
        let change = core.gated.as_ref().map(Gated::next_change);
        let change = change.filter(|at| *at < Time::FOREVER);
        let given_back = core.plan.fitting.next_end(now).filter(|_| !core.queue.is_empty());
        [stage, first, change, given_back].into_iter().flatten().min()
    }
}

impl Scheduler for Composed {
    fn decide(&mut self, moment: &Moment<'_>, decisions: &mut Decisions) {
        self.core.plan.now = moment.now;
        if self.is_plain() {
            return self.core.decide_plainly(moment, decisions);
        }
        for switched in moment.switched {
            self.core.plan.switched(switched);
        }
        let staged = self.stage(moment, decisions);
        let alone =
            moment.ended.is_empty() && moment.switched.is_empty() && moment.submitted.is_empty();
        if !(staged && alone) || self.core.pace.decide_at_stages {
            self.decide_all(moment, decisions);
        }
        self.core.plan.end_step();
        decisions.power_orders.append(&mut self.core.plan.orders);
        decisions.wake_at = self.wake_at();
        self.core.look_back();
    }

    fn bounded_until(&self) -> Option<Time> {
        let change = self.core.gated.as_ref().map(Gated::next_change);
        change.filter(|at| *at < Time::FOREVER)
    }
}

impl Core {
    /// Starts what can start, and switches what has to be.
    fn decide(&mut self, decisions: &mut Decisions) {
        self.look_ahead();
        let awakened = self.plan.awaken_queued();
        let mut sedated = self.plan.to_sedate.and(&self.plan.free);
        self.reserved = None;
        self.plan.fitting.advance(self.plan.now);
        let mut needed = 0;
        if !self.queue.is_empty() {
            needed = self.first_jobs(&mut sedated, decisions);
            self.lately_awakened.add(&awakened);
            self.lately_sedated.add(&sedated);
        }
        self.sedate_admitted(&mut sedated);
        self.expect_first();
        if self.backfills && (self.gated.is_none() || self.reserved.is_some()) {
            self.backfill(decisions);
        }
        self.plan.end_step();
        self.idle.update(self.plan.now, &self.plan.free);
        if !self.awaken_idle() && self.pace.sedate_at_events {
            self.sedate_idle(needed);
        }
    }

    /// Machines that were to be switched off are not, or are switched on; a stage had said so, as far as it had of
    /// so many.
    pub fn cancel_sedations(&mut self, count: u32) {
        let by_stage = count.min(self.sedated_by_stage);
        self.sedated_by_stage -= by_stage;
        self.sedated_idle = self.sedated_idle.saturating_sub(count - by_stage);
    }

    /// Of the machines that are off because they were idle so many count as switched off by a stage from now
    /// on, as far as there are such; how many.
    pub fn by_stage(&mut self, count: u32) -> u32 {
        let count = count.min(self.sedated_idle);
        self.sedated_idle -= count;
        self.sedated_by_stage += count;
        count
    }

    /// Machines that will be on, if everything ordered happens.
    pub fn awake_soon(&self) -> Bits {
        let mut soon = self.plan.awake.or(&self.plan.switching_on);
        soon.remove(&self.plan.switching_off);
        soon.add(&self.plan.to_awaken);
        soon.remove(&self.plan.to_sedate);
        soon
    }

    /// Switches machines off that were to be; none where what that draws is not admitted.
    pub fn sedate_admitted(&mut self, machines: &mut Bits) {
        if machines.is_empty() {
            return;
        }
        if self.expect_switch_if_admitted(machines.count(), false) {
            self.plan.to_sedate.remove(machines);
            self.plan.sedate(machines);
        } else {
            machines.clear();
        }
    }

    /// The stage's switches that can be made now are made: those of machines that are free, except
    /// `kept`. They are what the next stage goes by.
    pub fn switch_queued(&mut self, kept: Option<&Bits>) {
        self.lately_awakened = self.plan.awaken_queued();
        let mut sedated = self.plan.to_sedate.and(&self.plan.free);
        if let Some(kept) = kept {
            sedated.remove(kept);
        }
        self.sedate_admitted(&mut sedated);
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
