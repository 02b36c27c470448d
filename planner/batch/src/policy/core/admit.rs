//! Jobs and switches that a gate lets through.

use planner::quantity::Power;

use super::Core;
use crate::policy::bits::Bits;
use crate::policy::gate::{ExpectedDraw, Gate, More};
use crate::policy::queue::{Cursor, Hole};
use crate::quantity::ExactEnergy;
use crate::scheduler::{Decisions, JobRequest, RefusalReason};
use crate::time::Time;

/// Changes of the bound that are looked at when a place is sought.
const CHANGES: usize = 64;
/// To how much a place is found by halving.
const FINE: Time = Time::from_seconds(1);

/// A gate, and what it knows.
#[derive(Debug)]
pub struct Gated {
    pub gate: Box<dyn Gate>,
    expected_draw: ExpectedDraw,
    /// What is taken to be drawn since the last decision.
    drawn: Power,
    next_change: Time,
}

impl Gated {
    pub fn new(gate: Box<dyn Gate>, machines: u32) -> Self {
        let idle = gate.estimates().idle * machines;
        let expected_draw = ExpectedDraw::idle(Time::ZERO, idle);
        let next_change = gate.next_change(Time::ZERO);
        Self { gate, expected_draw, drawn: idle, next_change }
    }

    /// When the bounds change next.
    pub const fn next_change(&self) -> Time {
        self.next_change
    }

    fn job(&self, job: &JobRequest, from: Time) -> More {
        self.gate.estimates().job(job.nodes, from, from + job.walltime)
    }
}

impl Core {
    /// Time has passed; `consumed` was measured, where it is time for that. Whether the bounds changed.
    pub fn pass(&mut self, consumed: Option<ExactEnergy>, stage: bool) -> bool {
        let now = self.plan.now;
        let Some(gated) = &mut self.gated else { return false };
        gated.gate.pass(now, gated.drawn);
        let changed = gated.next_change <= now;
        if stage || changed {
            gated.next_change = gated.gate.next_change(now);
            if let Some(consumed) = consumed {
                gated.gate.measure(now, consumed);
            }
        }
        changed
    }

    /// Lets a job wait, or refuses it where it could never start.
    pub fn receive(&mut self, job: JobRequest, decisions: &mut Decisions) {
        if job.nodes > self.plan.fitting.widest() {
            decisions.refuse(job.key, None);
        } else if self.ever_admits(&job) {
            self.push(job);
        } else {
            decisions.refuse(job.key, Some(RefusalReason::NeverUnderTheCap));
        }
    }

    /// Refuses waiting jobs that could start under bounds that are over, and can no more.
    pub fn refuse_hopeless(&mut self, decisions: &mut Decisions) {
        let any = Hole { nodes: u32::MAX, before_shadow: Time::FOREVER, extra: u32::MAX };
        let mut cursor = Cursor::default();
        while let Some(job) = self.queue.next_in(&mut cursor, any) {
            if self.ever_admits(&job) {
                cursor.pass();
            } else {
                self.take(cursor);
                decisions.refuse(job.key, Some(RefusalReason::NeverUnderTheCap));
            }
        }
    }

    /// Whether a job may start at any time, if nothing else runs.
    fn ever_admits(&self, job: &JobRequest) -> bool {
        let Some(gated) = &self.gated else { return true };
        let more = gated.job(job, self.plan.now);
        gated.gate.ever_allows(self.plan.now, gated.expected_draw.idle, more.power, job.walltime)
    }

    /// Whether no job may start now, however small and short.
    pub fn admits_nobody(&self) -> bool {
        let Some(gated) = &self.gated else { return false };
        let (from, until) = (self.plan.now, self.plan.now + Time::from_micros(1));
        !gated.gate.allows(&gated.expected_draw, More { from, until, power: Power::ZERO })
    }

    /// How many machines a job may take now at most, as far as what is drawn now goes.
    pub fn admitted_nodes(&self) -> u32 {
        let Some(gated) = &self.gated else { return u32::MAX };
        let Some(most) = gated.gate.most(self.plan.now) else { return u32::MAX };
        let estimates = gated.gate.estimates();
        let each = estimates.computing - estimates.idle;
        let room = (most - gated.expected_draw.drawn).max(Power::ZERO);
        let nodes = room.as_microwatts().checked_div(each.as_microwatts());
        nodes.map_or(u32::MAX, |nodes| nodes.try_into().unwrap_or(u32::MAX))
    }

    /// Whether nothing can come of deciding anew before the bounds change or something happens.
    pub fn rests(&self) -> bool {
        let Some(gated) = &self.gated else { return false };
        self.pace.idle.is_none() && self.plan.is_quiet() && gated.gate.rests(self.plan.now)
    }

    /// Looks ahead, before a decision.
    pub fn look_ahead(&mut self) {
        if let Some(gated) = &mut self.gated {
            let all = self.plan.draws(gated.gate.estimates());
            gated.expected_draw.renew(self.plan.now, all);
        }
    }

    /// A decision has ended.
    pub fn look_back(&mut self) {
        let now = self.plan.now;
        if let Some(gated) = &mut self.gated {
            let all = self.plan.draws(gated.gate.estimates());
            let drawn = all.filter(|more| more.from <= now && now < more.until);
            gated.drawn = gated.expected_draw.idle + drawn.map(|more| more.power).sum();
        }
    }

    /// Whether a job may start now.
    pub fn admits(&self, job: &JobRequest) -> bool {
        let Some(gated) = &self.gated else { return true };
        gated.gate.allows(&gated.expected_draw, gated.job(job, self.plan.now))
    }

    /// Whether a job may start now before the first one, which has a place.
    pub fn admits_before(&self, job: &JobRequest) -> bool {
        let Some(gated) = &self.gated else { return true };
        let first = self.queue.first().zip(self.reserved.as_ref());
        let first = first.map(|(first, reserved)| gated.job(first, reserved.start));
        gated.gate.allows_before(&gated.expected_draw, gated.job(job, self.plan.now), first)
    }

    /// Something starts that the expected draw does not have yet.
    pub fn expect(&mut self, job: &JobRequest, from: Time) {
        if let Some(gated) = &mut self.gated {
            let more = gated.job(job, from);
            gated.expected_draw.expect(more);
        }
    }

    /// Expects so many machines to be switched now, if that is admitted; whether it is.
    pub fn expect_switch_if_admitted(&mut self, machines: u32, on: bool) -> bool {
        let Some(gated) = &mut self.gated else { return true };
        let time = if on { self.plan.on_time } else { self.plan.off_time };
        let (from, until) = (self.plan.now, self.plan.now + time);
        let more = gated.gate.estimates().switch(machines, on, from, until);
        // Under a bound that idle machines exceed already, switching them off is all that helps.
        let bound = gated.gate.bound_at(self.plan.now);
        let helps = !on && bound.is_some_and(|bound| bound < gated.expected_draw.idle);
        let admitted =
            more.power == Power::ZERO || helps || gated.gate.allows(&gated.expected_draw, more);
        if admitted {
            gated.expected_draw.expect(more);
        }
        admitted
    }

    /// The first instant from `from` on at which the job may start.
    fn admitted_from(&self, job: &JobRequest, from: Time) -> Time {
        let Some(gated) = &self.gated else { return from };
        let allowed = |at: Time| gated.gate.allows(&gated.expected_draw, gated.job(job, at));
        if allowed(from) {
            return from;
        }
        let mut places: Vec<Time> = gated.expected_draw.ends(from).collect();
        let mut change = from;
        for _ in 0..CHANGES {
            change = gated.gate.next_change(change);
            if change == Time::FOREVER {
                break;
            }
            places.push(change);
        }
        places.sort_unstable();
        places.dedup();
        // Under a bound that rises and falls a job may start at a place and not at a later one.
        let index = places.iter().position(|at| allowed(*at)).unwrap_or(places.len());
        let Some(last) = places.get(index).copied() else {
            return places.last().copied().unwrap_or(from + FINE);
        };
        let mut found = last;
        let mut before = index.checked_sub(1).map_or(from, |index| places[index]);
        while found - before > FINE {
            let middle = Time::from_micros(i64::midpoint(before.as_micros(), found.as_micros()));
            if allowed(middle) { found = middle } else { before = middle }
        }
        let whole = found.ceil();
        if whole <= last && allowed(whole) { whole } else { found }
    }

    /// Reserves a place for the first job where it may start, if not where it fits.
    pub fn reserve_admitted(&mut self, job: &JobRequest, start: Time, free: &Bits) {
        let (mut start, mut free) = (start, free.clone());
        loop {
            let admitted = self.admitted_from(job, start);
            if admitted <= start {
                return self.reserve(job, start, &free);
            }
            let then = self.plan.free_at(admitted);
            let then = self.plan.fitting.usable(&then, admitted, job.walltime);
            if self.plan.fitting.fits(&then, job.nodes) {
                return self.reserve(job, admitted, &then);
            }
            match self.plan.first_fit_from(admitted, job, true) {
                Some(place) => (start, free) = place,
                None => return,
            }
        }
    }

    /// The expected draw has the place of the first job, where the gate counts it.
    pub fn expect_first(&mut self) {
        let counts = self.gated.as_ref().is_some_and(|gated| gated.gate.counts_first());
        let first = self.queue.first().copied().zip(self.reserved.as_ref()).filter(|_| counts);
        if let Some((job, start)) = first.map(|(job, reserved)| (job, reserved.start)) {
            self.expect(&job, start);
        }
    }
}
