//! EASY under an energy budget: the thesis's energyBud (6.4, algorithm 2) and reducePC (6.4.4).
//!
//! Over a period energy becomes available at a rate; what is not consumed is saved. A job starts only if
//! the balance stays above nothing as long as any job may run, by over-estimates of what machines draw,
//! so that there are no debts. Periodically what was really consumed is measured, and what was
//! estimated too high is available. The first waiting job has a reservation of energy: what it needs
//! beyond the rate. Under energyBud others start only if what they leave of the balance is as much; under
//! reducePC they may draw no more than the rate, less what it lacks per second until it starts.

use planner::quantity::Power;

use super::Setting;
use super::opportunistic::Opportunistic;
use super::options::Options;
use super::sleeping::{Estimates, Gate, More, Outlook, Sleeping};
use crate::quantity::ExactEnergy;
use crate::scheduler::Scheduler;
use crate::steps::Steps;
use crate::time::Time;

/// The scheduler that the options say.
pub(super) fn scheduler(
    setting: &Setting<'_>,
    options: &mut Options<'_>,
    reduces: bool,
) -> Box<dyn Scheduler> {
    let sleeping = options.sleeping_if_said(setting.platform);
    let estimates = options.estimates(setting.platform, sleeping.idle.is_some());
    let rate = options.rate(setting);
    let idle_uw = setting.platform.idle().map_or(0, Power::as_microwatts);
    let (balance_pj, at, measured) = (0, Time::ZERO, None);
    let budget = Budget { rate, estimates, reduces, idle_uw, balance_pj, at, measured };
    Box::new(Sleeping::new(setting, sleeping, Opportunistic::default()).with_gate(Box::new(budget)))
}

/// A budget.
#[derive(Debug)]
struct Budget {
    /// At which energy becomes available, by time, uW.
    rate: Steps<Power>,
    estimates: Estimates,
    /// Whether others' rate is reduced by what the first waiting job needs, and not their balance.
    reduces: bool,
    /// What all machines really draw when idle.
    idle_uw: i64,
    /// What is available, pJ.
    balance_pj: i128,
    at: Time,
    /// The last measurement: when, what was consumed, and the balance then.
    measured: Option<(Time, i128, i128)>,
}

impl Budget {
    /// Whether something is drawn only when energy is not bounded.
    fn concerns_not(&self, more: More) -> bool {
        self.rate.energy(more.from, more.until) == ExactEnergy::ZERO && !self.bounds(more.from)
    }

    /// Whether the balance stays above nothing.
    fn stays(&self, outlook: &Outlook, more: More) -> bool {
        let mut balance = self.balance_pj;
        outlook.holds(more, &self.rate, |from, until, drawn, rate| {
            let length = i128::from((until - from).as_micros());
            balance += rate.map_or(0, |rate| i128::from(rate - drawn) * length);
            balance >= 0
        })
    }

    /// What `more` needs beyond the rate while it lasts, pJ.
    fn excess(&self, outlook: &Outlook, more: More) -> i128 {
        let mut excess = 0;
        outlook.holds(more, &self.rate, |from, until, drawn, rate| {
            let (from, until) = (from.max(more.from), until.min(more.until));
            if from < until {
                let length = i128::from((until - from).as_micros());
                excess += rate.map_or(0, |rate| i128::from(drawn - rate).max(0) * length);
            }
            true
        });
        excess
    }

    /// What the cluster draws beyond the rate while `more` lasts if nothing else ends, less what is
    /// saved; pJ.
    fn steady_excess(&self, outlook: &Outlook, more: More) -> i128 {
        let part = self.rate.part(more.from, more.until);
        let drawn = outlook.drawn_uw() + more.uw;
        let excess = |(from, until, rate): (Time, Time, Power)| {
            i128::from(drawn - rate.as_microwatts()) * i128::from((until - from).as_micros())
        };
        part.pieces().map(excess).sum()
    }
}

impl Gate for Budget {
    fn bound_uw(&self, now: Time) -> Option<i64> {
        self.rate.at(now).map(Power::as_microwatts)
    }

    fn next_change(&self, now: Time) -> Time {
        self.rate.from(now).1
    }

    fn estimates(&self) -> Estimates {
        self.estimates
    }

    fn rests(&self, now: Time) -> bool {
        // What is owed only grows.
        self.balance_pj < 0 && self.bound_uw(now).is_some_and(|rate| rate <= self.idle_uw)
    }

    fn pass(&mut self, now: Time, drawn_uw: i64) {
        let mut at = self.at;
        while at < now {
            let (rate, next) = self.rate.from(at);
            let end = next.min(now);
            let length = i128::from((end - at).as_micros());
            let rate = rate.map(Power::as_microwatts);
            self.balance_pj += rate.map_or(0, |rate| i128::from(rate - drawn_uw) * length);
            at = end;
        }
        self.at = now;
    }

    fn measure(&mut self, now: Time, consumed_pj: i128) {
        let bounded = self.bounds(now) || self.measured.is_some();
        if let Some((at, before_pj, balance_pj)) = self.measured {
            let more_pj = self.rate.energy(at, now).as_picojoules();
            self.balance_pj = balance_pj + more_pj - (consumed_pj - before_pj);
        }
        let goes_on = bounded && self.bounds(now);
        self.measured = goes_on.then_some((now, consumed_pj, self.balance_pj));
    }

    fn allows(&self, outlook: &Outlook, more: More) -> bool {
        self.concerns_not(more) || self.stays(outlook, more)
    }

    fn allows_before(&self, outlook: &Outlook, more: More, first: Option<More>) -> bool {
        let Some(first) = first.filter(|first| first.from > outlook.now) else {
            return self.allows(outlook, more);
        };
        if self.concerns_not(more) {
            return true;
        }
        let needed = self.excess(outlook, first);
        let spared = if self.reduces {
            let until = i128::from((first.from - outlook.now).as_micros());
            let drawn = i128::from(outlook.drawn_uw() + more.uw);
            let rate = self.bound_uw(outlook.now);
            let missing = (needed - self.balance_pj).max(0);
            rate.is_none_or(|rate| drawn <= i128::from(rate) - missing / until)
        } else {
            self.steady_excess(outlook, more) <= self.balance_pj - needed
        };
        spared && self.stays(outlook, more)
    }
}
