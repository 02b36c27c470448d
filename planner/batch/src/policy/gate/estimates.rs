//! What machines are taken to draw: over-estimates, by which gates go (the thesis's table 6.1).

use planner::quantity::Power;

use super::More;
use crate::platform::{Platform, check_power};
use crate::policy::options::Options;
use crate::time::Time;

/// What machines are taken to draw each.
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

impl Estimates {
    /// What is said, or the most that any machine draws. `switches` says whether machines may be switched off.
    pub fn read(platform: &Platform, options: &mut Options<'_>, switches: bool) -> Self {
        let mut said = |name| options.number(name, 0.0, 1e6).and_then(Power::from_watts);
        let (idle, computing) = (said("idle_estimate_w"), said("computing_estimate_w"));
        let Some(most) = platform.most() else {
            options.wrong("this policy needs a platform that says what machines draw");
            let none = Power::ZERO;
            return Self { idle: none, computing: none, switching_off: none, switching_on: none };
        };
        let (idle, computing) = (idle.unwrap_or(most.idle), computing.unwrap_or(most.computing));
        let switching = most.switching.filter(|_| switches).unwrap_or([idle; 2]);
        let [switching_off, switching_on] = switching;
        if computing < idle {
            options.wrong("computing_estimate_w is less than idle_estimate_w");
        }
        let largest = computing.max(idle).max(switching_off).max(switching_on);
        let all = i128::from(largest.as_microwatts()) * i128::from(platform.machines());
        if let Err(error) = check_power(all) {
            options.wrong(format!("{error}, by what each is taken to draw at most"));
        }
        Self { idle, computing, switching_off, switching_on }
    }

    /// What a job draws beyond idle machines.
    pub fn job(&self, nodes: u32, from: Time, until: Time) -> More {
        More { from, until, power: (self.computing - self.idle) * nodes }
    }

    /// What a switch draws beyond idle machines.
    pub fn switch(&self, machines: u32, on: bool, from: Time, until: Time) -> More {
        let power = if on { self.switching_on } else { self.switching_off };
        More { from, until, power: ((power - self.idle) * machines).max(Power::ZERO) }
    }
}
