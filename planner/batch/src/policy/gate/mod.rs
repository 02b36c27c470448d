//! Gates: which jobs may start as far as power and energy go.

pub(super) mod energy_budget;
pub(super) mod power_cap;

use std::fmt::Debug;

use planner::quantity::Power;

use super::options::{Options, PolicyOption, option};
use super::part::{About, PartKind};
use super::setting::Setting;
use crate::platform::Platform;
use crate::steps::Steps;
use crate::supplier_tables::SupplierTable;
use crate::time::Time;

/// A gate.
#[derive(Debug)]
pub struct GatePart {
    /// The name, the rule and the options.
    pub about: About,
    /// Makes the gate from the options; none where nothing is bounded. The flag says whether machines
    /// may be switched off.
    pub build: fn(&Setting<'_>, &mut Options<'_>, bool) -> Option<Box<dyn Gate>>,
    /// The table that the gate goes by with these options.
    pub table: fn(&mut Options<'_>) -> Option<SupplierTable>,
}

/// Everything may start.
pub const NONE: GatePart = GatePart {
    about: About { name: "none", meaning: "nothing is bounded", options: &[] },
    build: |_, _, _| None,
    table: |_| None,
};

impl PartKind for GatePart {
    const KIND: &'static str = "gate";
    const ALL: &'static [&'static Self] =
        &[&NONE, &power_cap::GATE, &energy_budget::ENERGY_BUD, &energy_budget::REDUCE_PC];

    fn about(&self) -> &About {
        &self.about
    }
}

impl GatePart {
    /// Whether it bounds anything.
    pub fn bounds(&self) -> bool {
        self.about.name != NONE.about.name
    }
}

/// Options of every gate that bounds something.
pub const OPTIONS: &[PolicyOption] = &[
    option("from_s", "0", "from when on the bound holds, s"),
    option("until_s", "never", "until when; a budget must say it, s"),
    option("idle_estimate_w", "the platform's", "what an idle machine is taken to draw, W"),
    option(
        "computing_estimate_w",
        "the platform's",
        "what a computing machine is taken to draw, W",
    ),
];

/// From when to when the bound holds.
pub fn span(options: &mut Options<'_>) -> (Time, Time) {
    let from = options.time("from_s").unwrap_or(Time::ZERO);
    let until = options.time("until_s").unwrap_or(Time::FOREVER);
    if from >= until {
        options.wrong("until_s must be after from_s");
    }
    (from, until)
}

/// What machines are taken to draw: what is said, or the most that any does.
fn estimates(platform: &Platform, options: &mut Options<'_>, switches: bool) -> Estimates {
    let Some(most) = platform.most() else {
        options.wrong("this policy needs a platform that says what machines draw");
        let none = Power::ZERO;
        return Estimates { idle: none, computing: none, switching_off: none, switching_on: none };
    };
    let mut power = |name, default: Power| {
        options.number(name, 0.0, 1e6).and_then(Power::from_watts).unwrap_or(default)
    };
    let idle = power("idle_estimate_w", most.idle);
    let computing = power("computing_estimate_w", most.computing);
    let [switching_off, switching_on] = most.switching.filter(|_| switches).unwrap_or([idle; 2]);
    if computing < idle {
        options.wrong("computing_estimate_w is less than idle_estimate_w");
    }
    Estimates { idle, computing, switching_off, switching_on }
}

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
pub struct ExpectedDraw {
    pub now: Time,
    /// Without jobs and switches.
    pub idle_uw: i64,
    pub more: Vec<More>,
}

/// Says what may start.
pub trait Gate: Debug {
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

    /// From when to when no more than so many machines may compute, where that is all that the gate
    /// bounds; others cannot promise a start to a job that waits.
    fn limits(&self) -> Option<Vec<(Time, Time, u32)>> {
        None
    }

    /// Whether something more may be drawn beside the expected draw.
    fn allows(&self, expected_draw: &ExpectedDraw, more: More) -> bool;

    /// Whether the expected draw for jobs behind the first one has its place in it.
    fn counts_first(&self) -> bool {
        false
    }

    /// Whether a job may start before the first one, whose place is `first` where it has one.
    fn allows_before(&self, expected_draw: &ExpectedDraw, more: More, first: Option<More>) -> bool {
        let _ = first;
        self.allows(expected_draw, more)
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

impl ExpectedDraw {
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
