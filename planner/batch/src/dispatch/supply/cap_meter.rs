//! What nodes are measured to draw, beside the cap that was kept by estimates.

use planner::quantity::Power;
use serde::{Deserialize, Serialize};

use crate::dispatch::power_cap::PowerCap;
use crate::quantity::ExactEnergy;
use crate::time::Time;

/// What came of a cap. A job is measured to draw the mean of what it consumes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CapResults {
    /// The most that nodes were expected to draw, W.
    pub max_expected_power_w: f64,
    /// The most that they were measured to draw, W.
    pub max_measured_power_w: f64,
    /// For how long they drew more than the cap, s.
    pub power_cap_exceeded_s: f64,
    /// What they drew beyond it, J.
    pub power_cap_exceeded_j: f64,
    /// The most that they drew beyond it, W.
    pub max_power_cap_excess_w: f64,
    /// The part of the time in which there was a cap.
    pub power_cap_covered_share: f64,
    /// Jobs refused as no cap would ever let them start.
    pub jobs_refused_by_cap: u64,
}

/// Measures what nodes draw.
#[derive(Clone, Debug)]
pub(super) struct CapMeter {
    measured: Power,
    /// What jobs draw beside idle nodes, by key.
    jobs: Vec<Power>,
    since: Time,
    exceeded: Time,
    capped: Time,
    beyond: ExactEnergy,
    most_beyond: Power,
    most_measured: Power,
    most_expected: Power,
    pub refused: u64,
}

impl CapMeter {
    /// Nodes that draw so much idle.
    pub const fn new(idle: Power) -> Self {
        Self {
            measured: idle,
            jobs: Vec::new(),
            since: Time::ZERO,
            exceeded: Time::ZERO,
            capped: Time::ZERO,
            beyond: ExactEnergy::ZERO,
            most_beyond: Power::ZERO,
            most_measured: Power::ZERO,
            most_expected: Power::ZERO,
            refused: 0,
        }
    }

    /// Time passes until now.
    pub fn pass(&mut self, now: Time, cap: &PowerCap) {
        if now <= self.since {
            return;
        }
        self.most_measured = self.most_measured.max(self.measured);
        self.most_expected = self.most_expected.max(cap.drawn());
        while self.since < now {
            let (most, next) = cap.from(self.since);
            let until = next.min(now);
            let length = until - self.since;
            if let Some(most) = most {
                self.capped = self.capped + length;
                if self.measured > most {
                    self.exceeded = self.exceeded + length;
                    self.beyond += (self.measured - most) * length;
                    self.most_beyond = self.most_beyond.max(self.measured - most);
                }
            }
            self.since = until;
        }
    }

    /// A job starts, which draws so much beside idle nodes.
    pub fn started(&mut self, key: u32, more: Power) {
        let place = key as usize;
        if self.jobs.len() <= place {
            self.jobs.resize(place + 1, Power::ZERO);
        }
        self.jobs[place] = more;
        self.measured = self.measured + more;
    }

    /// A job ended.
    pub fn ended(&mut self, key: u32) {
        if let Some(more) = self.jobs.get_mut(key as usize) {
            self.measured = self.measured - std::mem::replace(more, Power::ZERO);
        }
    }

    pub fn results(&self, now: Time) -> CapResults {
        let all = now.as_seconds();
        CapResults {
            max_expected_power_w: self.most_expected.as_watts(),
            max_measured_power_w: self.most_measured.as_watts(),
            power_cap_exceeded_s: self.exceeded.as_seconds(),
            power_cap_exceeded_j: self.beyond.whole().as_joules(),
            max_power_cap_excess_w: self.most_beyond.as_watts(),
            power_cap_covered_share: if all > 0.0 { self.capped.as_seconds() / all } else { 1.0 },
            jobs_refused_by_cap: self.refused,
        }
    }
}
