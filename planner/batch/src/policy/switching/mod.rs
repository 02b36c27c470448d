//! Switching: which machines are switched off and on.

pub(super) mod inertial;
pub(super) mod opportunistic;
pub(super) mod proportional;

use super::core::{Pace, Stage};
use super::options::{Options, PolicyOption, option};
use super::part::{About, PartKind};
use crate::platform::Platform;
use crate::time::Time;

/// Makes a periodic decision.
pub type BuildStage = fn(&Pace, &mut Options<'_>) -> Box<dyn Stage>;

/// A way to switch machines.
#[derive(Debug)]
pub struct SwitchingPart {
    /// The name, the rule and the options.
    pub about: About,
    /// Makes the periodic decision on switches, where machines are switched.
    pub build: Option<BuildStage>,
}

/// Machines stay on.
pub const NONE: SwitchingPart = SwitchingPart {
    about: About { name: "none", meaning: "machines stay on", options: &[] },
    build: None,
};

impl PartKind for SwitchingPart {
    const KIND: &'static str = "switching";
    const ALL: &'static [&'static Self] =
        &[&NONE, &opportunistic::SWITCHING, &proportional::SWITCHING, &inertial::SWITCHING];

    fn about(&self) -> &About {
        &self.about
    }
}

impl SwitchingPart {
    /// Whether it switches anything.
    pub const fn switches(&self) -> bool {
        self.build.is_some()
    }
}

/// Options of everything that is decided periodically.
pub const PERIOD: &[PolicyOption] =
    &[option("period_s", "600", "time between decisions on switches, or measurements, s")];

/// Options of all ways to switch machines.
pub const OPTIONS: &[PolicyOption] = &[
    option(
        "idle_s",
        "300",
        "for how long a machine is idle before it is switched off, s, or never",
    ),
    option("sedate_at_events", "true", "idle machines are switched off at every event"),
    option("decide_at_stages", "true", "jobs may start after a periodic decision"),
    option("switch_on_s", "the platform's", "how long switching on is taken to last, s"),
    option("switch_off_s", "the platform's", "how long switching off is taken to last, s"),
];

/// The option of gates by which idle machines are switched off while something is bounded.
pub const WHILE_BOUNDED: &[PolicyOption] = &[option(
    "shutdown",
    "false",
    "without --switching: opportunistic shutdown while the bound holds; idle_s is then 0 unless it is said",
)];

fn period(options: &mut Options<'_>) -> Time {
    options.period("period_s", Time::from_seconds(600))
}

/// The pace at which machines are switched.
pub fn pace(platform: &Platform, options: &mut Options<'_>) -> Pace {
    let told = |on| platform.longest_switch(on);
    if !platform.sleeps() {
        options.wrong("this policy needs a platform whose machines can be switched off");
    }
    Pace {
        period: period(options),
        idle: options.time_or_never("idle_s", Some(Time::from_seconds(300))),
        sedate_at_events: options.flag("sedate_at_events", true),
        decide_at_stages: options.flag("decide_at_stages", true),
        switch_on: options.time("switch_on_s").or_else(|| told(true)).unwrap_or_default(),
        switch_off: options.time("switch_off_s").or_else(|| told(false)).unwrap_or_default(),
        while_bounded: false,
    }
}

/// The pace under a gate without a way to switch: machines are switched off only if `shutdown` is said.
pub fn pace_if_said(platform: &Platform, options: &mut Options<'_>) -> Pace {
    if options.flag("shutdown", false) {
        let at_once = options.text("idle_s").is_none();
        let pace = Pace { while_bounded: true, ..pace(platform, options) };
        return if at_once { Pace { idle: Some(Time::ZERO), ..pace } } else { pace };
    }
    Pace { period: period(options), ..Pace::still() }
}
