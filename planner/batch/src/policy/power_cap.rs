//! EASY under a power cap (the thesis, 6.5.2): no job starts that would let the cluster draw more than
//! the cap at any instant, if everything lasts as long as it may. The cap may change over time.

use planner::quantity::Power;

use super::Setting;
use super::opportunistic::Opportunistic;
use super::options::Options;
use super::sleeping::{Estimates, Gate, More, Outlook, Sleeping};
use crate::scheduler::Scheduler;
use crate::steps::Steps;
use crate::time::Time;

/// The scheduler that the options say.
pub(super) fn scheduler(setting: &Setting<'_>, options: &mut Options<'_>) -> Box<dyn Scheduler> {
    let sleeping = options.sleeping_if_said(setting.platform);
    let estimates = options.estimates(setting.platform, sleeping.idle.is_some());
    let cap = options.cap(setting);
    let gate = PowerCap { cap, estimates };
    Box::new(Sleeping::new(setting, sleeping, Opportunistic::default()).with_gate(Box::new(gate)))
}

/// A cap.
#[derive(Debug)]
struct PowerCap {
    /// By time, uW.
    cap: Steps<Power>,
    estimates: Estimates,
}

impl Gate for PowerCap {
    fn bound_uw(&self, now: Time) -> Option<i64> {
        self.cap.at(now).map(Power::as_microwatts)
    }

    fn next_change(&self, now: Time) -> Time {
        self.cap.from(now).1
    }

    fn estimates(&self) -> Estimates {
        self.estimates
    }

    fn ever_allows(&self, now: Time, idle_uw: i64, more_uw: i64, walltime: Time) -> bool {
        let fits =
            |cap: Option<Power>| cap.is_none_or(|cap| idle_uw + more_uw <= cap.as_microwatts());
        // It may start now, or where a piece ends under which it may not run.
        let (mut start, mut at) = (now, now);
        while at < start + walltime {
            let (cap, next) = self.cap.from(at);
            if !fits(cap) {
                start = next;
            }
            if next >= Time::FOREVER {
                return fits(cap);
            }
            at = next;
        }
        true
    }

    fn most_uw(&self, now: Time) -> Option<i64> {
        self.bound_uw(now)
    }

    fn rests(&self, _: Time) -> bool {
        true
    }

    fn counts_first(&self) -> bool {
        true
    }

    fn allows(&self, outlook: &Outlook, more: More) -> bool {
        outlook.holds(more, &self.cap, |from, until, drawn, cap| {
            // What goes on anyway is not in question where the new is not drawn.
            let concerned = from < more.until && more.from < until;
            !concerned || cap.is_none_or(|cap| drawn <= cap)
        })
    }
}
