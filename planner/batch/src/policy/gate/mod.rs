//! Gates: which jobs may start as far as power and energy go.

pub(super) mod energy_budget;
mod estimates;
mod expected_draw;
pub(super) mod power_cap;

use std::fmt::Debug;

use planner::quantity::Power;

use super::options::{Options, PolicyOption, option};
use super::part::{About, PartKind};
use super::setting::Setting;
use crate::quantity::ExactEnergy;
use crate::supplier_tables::SupplierTable;
use crate::time::Time;
pub use estimates::Estimates;
pub use expected_draw::{ExpectedDraw, More};

/// Makes a gate.
pub type BuildGate = fn(&Setting<'_>, &mut Options<'_>, bool) -> Box<dyn Gate>;

/// A gate.
#[derive(Debug)]
pub struct GatePart {
    /// The name, the rule and the options.
    pub about: About,
    /// Makes the gate from the options, where anything is bounded. The flag says whether machines may be
    /// switched off.
    pub build: Option<BuildGate>,
    /// The table that the gate goes by with these options.
    pub table: fn(&mut Options<'_>) -> Option<SupplierTable>,
}

/// Everything may start.
pub const NONE: GatePart = GatePart {
    about: About { name: "none", meaning: "nothing is bounded", options: &[] },
    build: None,
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
    pub const fn bounds(&self) -> bool {
        self.build.is_some()
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

/// Says what may start.
pub trait Gate: Debug {
    /// Whether power and energy are bounded now.
    fn bounds(&self, now: Time) -> bool {
        self.bound_at(now).is_some()
    }

    /// When this changes next.
    fn next_change(&self, now: Time) -> Time;

    /// The bound at an instant: a cap, or the rate of a budget.
    fn bound_at(&self, now: Time) -> Option<Power>;

    /// The estimates that it goes by.
    fn estimates(&self) -> Estimates;

    /// Whether a job that draws so much more than idle machines may ever start, from `now` on, if nothing
    /// else runs.
    fn ever_allows(&self, now: Time, idle: Power, more: Power, walltime: Time) -> bool {
        let _ = (now, idle, more, walltime);
        true
    }

    /// The most that may be drawn now whatever was saved, where there is such a bound.
    fn most(&self, now: Time) -> Option<Power> {
        let _ = now;
        None
    }

    /// Whether time alone lets nobody start before the bound changes, while all machines are idle.
    fn rests(&self, now: Time) -> bool;

    /// Time passes during which so much is taken to be drawn.
    fn pass(&mut self, _: Time, _: Power) {}

    /// All machines are measured to have consumed so much.
    fn measure(&mut self, _: Time, _: ExactEnergy) {}

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
