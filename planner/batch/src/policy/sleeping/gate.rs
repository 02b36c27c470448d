//! Which jobs may start as far as power and energy go.

use planner::quantity::Power;

use super::plan::Plan;
use crate::steps::Steps;
use crate::time::Time;

/// What machines are taken to draw each: over-estimates (the thesis's table 6.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimates {
    /// Without a job, also when they are off.
    pub idle: Power,
    /// With a job.
    pub computing: Power,
    /// Being switched off.
    pub switching_off: Power,
    /// Being switched on.
    pub switching_on: Power,
}

/// Machines that draw more than when idle, for a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct More {
    pub from: Time,
    pub until: Time,
    pub uw: i64,
}

/// What the cluster will draw if everything lasts as long as it may.
#[derive(Clone, Debug)]
pub struct Outlook {
    pub now: Time,
    /// Without jobs and switches.
    pub idle_uw: i64,
    pub more: Vec<More>,
}

/// Who says what may start.
pub trait Gate: std::fmt::Debug {
    /// Whether power and energy are bounded now.
    fn bounds(&self, now: Time) -> bool {
        self.bound_uw(now).is_some()
    }

    /// When this changes next.
    fn next_change(&self, now: Time) -> Time;

    /// The bound now, uW: a cap, or the rate of a budget.
    fn bound_uw(&self, now: Time) -> Option<i64>;

    /// The estimates that it goes by.
    fn estimates(&self) -> Estimates;

    /// Whether a job that draws so much more than idle machines may ever start, from `now` on, if nothing
    /// else runs.
    fn ever_allows(&self, now: Time, idle_uw: i64, more_uw: i64, walltime: Time) -> bool {
        let _ = (now, idle_uw, more_uw, walltime);
        true
    }

    /// The most that may be drawn now whatever was saved, uW, where there is such a bound.
    fn most_uw(&self, now: Time) -> Option<i64> {
        let _ = now;
        None
    }

    /// Whether time alone lets nobody start before the bound changes, while all machines are idle.
    fn rests(&self, now: Time) -> bool;

    /// Time passes during which so much is taken to be drawn.
    fn pass(&mut self, _: Time, _: i64) {}

    /// All machines are measured to have consumed so much, pJ.
    fn measure(&mut self, _: Time, _: i128) {}

    /// Whether something more may be drawn beside the outlook.
    fn allows(&self, outlook: &Outlook, more: More) -> bool;

    /// Whether the outlook for jobs behind the first one has its place in it.
    fn counts_first(&self) -> bool {
        false
    }

    /// Whether a job may start before the first one, whose place is `first` where it has one.
    fn allows_before(&self, outlook: &Outlook, more: More, first: Option<More>) -> bool {
        let _ = first;
        self.allows(outlook, more)
    }
}

impl Estimates {
    /// What a job draws beyond idle machines.
    pub fn job(&self, nodes: u32, from: Time, until: Time) -> More {
        More { from, until, uw: times(nodes, self.computing - self.idle) }
    }

    /// What a switch draws beyond idle machines.
    pub fn switch(&self, machines: u32, on: bool, from: Time, until: Time) -> More {
        let power = if on { self.switching_on } else { self.switching_off };
        More { from, until, uw: times(machines, power - self.idle).max(0) }
    }
}

/// What so many machines draw, uW.
pub fn times(machines: u32, power: Power) -> i64 {
    i64::from(machines) * power.as_microwatts()
}

impl Outlook {
    /// Of what a plan knows.
    pub fn of(plan: &Plan, estimates: &Estimates) -> Self {
        let idle_uw = times(plan.machines, estimates.idle);
        let mut more = Vec::new();
        plan.draws(|nodes, switches, until| {
            more.push(match switches {
                None => estimates.job(nodes, plan.now, until),
                Some(on) => estimates.switch(nodes, on, plan.now, until),
            });
        });
        Self { now: plan.now, idle_uw, more }
    }

    /// What is taken to be drawn now.
    pub fn drawn_uw(&self) -> i64 {
        let now = self.more.iter().filter(|more| more.from <= self.now && self.now < more.until);
        self.idle_uw + now.map(|more| more.uw).sum::<i64>()
    }

    /// Instants at which the draw or a bound changes, from now until nothing more is drawn.
    fn instants(&self, more: More, bound: &Steps<Power>) -> Vec<Time> {
        let all = self.more.iter().chain([&more]);
        let mut instants: Vec<Time> = all.flat_map(|more| [more.from, more.until]).collect();
        let end = instants.iter().copied().max().unwrap_or(self.now);
        let mut at = self.now;
        while at < end {
            instants.push(at);
            at = bound.from(at).1;
        }
        instants.retain(|at| *at >= self.now && *at < Time::FOREVER);
        instants.sort_unstable();
        instants.dedup();
        instants
    }

    /// Calls `each` with every span of constant draw and bound: from, until, drawn, bound; until it
    /// says no. Whether it never did.
    pub fn holds(
        &self,
        more: More,
        bound: &Steps<Power>,
        mut each: impl FnMut(Time, Time, i64, Option<i64>) -> bool,
    ) -> bool {
        let instants = self.instants(more, bound);
        let mut all: Vec<More> = self.more.clone();
        all.push(more);
        all.sort_unstable_by_key(|more| more.from);
        let mut ends: Vec<(Time, i64)> = all.iter().map(|more| (more.until, more.uw)).collect();
        ends.sort_unstable_by_key(|(at, _)| *at);
        let (mut begun, mut ended, mut drawn) = (0, 0, self.idle_uw);
        for span in instants.windows(2) {
            while let Some(more) = all.get(begun).filter(|more| more.from <= span[0]) {
                drawn += more.uw;
                begun += 1;
            }
            while let Some((_, uw)) = ends.get(ended).filter(|(at, _)| *at <= span[0]) {
                drawn -= uw;
                ended += 1;
            }
            if !each(span[0], span[1], drawn, bound.at(span[0]).map(Power::as_microwatts)) {
                return false;
            }
        }
        true
    }
}
