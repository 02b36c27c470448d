//! Jobs that have a window or a budget: whether they are in the queue.
//!
//! At each decision such a job is in the queue if no later start in its window is cheaper, and if its user's budgets hold what it is
//! expected to take beside what has been used, what runs and what was submitted before and is in the queue. Else it is held back,
//! and takes its place in the queue, by its submission, when that is so.

use std::collections::BTreeMap;

use super::budgets::{Budgets, Charge, Demand};
use super::tariff::{StartWindow, Tariff};
use super::{SupplyRules, UnitSupply};
use crate::dispatch::dispatcher::Dispatcher;
use crate::dispatch::jobs::UnitJob;
use crate::dispatch::order::Waiting;
use crate::time::Time;

/// Jobs with windows or budgets that wait, and budgets.
#[derive(Debug)]
pub(in crate::dispatch) struct HeldJobs<'a> {
    tariff: Tariff<'a>,
    budgets: Option<Budgets<'a>>,
    /// In the order of submission.
    jobs: BTreeMap<u64, HeldJob>,
    /// How many of them are not in the queue.
    held: usize,
    wakes: Time,
}

#[derive(Debug)]
struct HeldJob {
    job: Waiting,
    window: Option<StartWindow>,
    demand: Demand,
    state: State,
    /// Until when nothing changes for it, where it is held for its window.
    wakes: Time,
    /// Since when what was free held it.
    earliest: Option<Time>,
    by_budget: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Submitted,
    Held,
    Queued,
}

/// What is known of a job that started.
#[derive(Clone, Debug, Default)]
pub(in crate::dispatch) struct StartedJob {
    /// Since when what was free held it, and when its window ended.
    pub window: Option<(Time, Time)>,
    /// Whether it waited for a budget.
    pub held_by_budget: bool,
    /// What it counts by.
    pub charge: Option<Charge>,
}

impl<'a> HeldJobs<'a> {
    pub fn new(supply: &UnitSupply<'a>, rules: &SupplyRules) -> Self {
        let tables = supply.tables();
        Self {
            tariff: Tariff { tables, by: rules.by },
            budgets: supply.budgets.map(|file| Budgets::new(file, tables)),
            jobs: BTreeMap::new(),
            held: 0,
            wakes: Time::FOREVER,
        }
    }

    /// Budgets, where there are any.
    pub const fn budgets(&mut self) -> Option<&mut Budgets<'a>> {
        self.budgets.as_mut()
    }

    /// How many jobs wait outside of the queue.
    pub const fn count(&self) -> usize {
        self.held
    }

    /// When a job may leave for the queue without that anything else happens.
    pub const fn wakes(&self) -> Time {
        self.wakes
    }

    /// Whether a job has a window that matters, or a budget.
    pub fn concerns(&mut self, job: &UnitJob, waiting: &Waiting) -> bool {
        let budget = self.budgets.as_mut().is_some_and(|it| it.concern(waiting.user, &job.user));
        budget || self.window(job, waiting).is_some()
    }

    fn window(&self, job: &UnitJob, waiting: &Waiting) -> Option<Time> {
        let known = self.tariff.is_there() && waiting.estimate.told < Time::FOREVER;
        job.latest_start.filter(|_| known)
    }

    /// A job is submitted that such [concerns](HeldJobs::concerns); it is told to the queue at the next review.
    pub fn submit(&mut self, job: &UnitJob, waiting: Waiting, demand: Demand) {
        let length = waiting.estimate.told;
        let latest = self.window(job, &waiting);
        let window =
            latest.map(|latest| StartWindow::new(self.tariff, job.submitted, latest, length));
        let held = HeldJob {
            job: waiting,
            window,
            demand,
            state: State::Submitted,
            wakes: Time::ZERO,
            earliest: None,
            by_budget: false,
        };
        self.held += 1;
        self.jobs.insert(waiting.arrival, held);
    }

    /// Puts jobs into the queue and takes them out.
    pub fn review(&mut self, now: Time, dispatcher: &mut Dispatcher<'_>) {
        if self.jobs.is_empty() {
            return;
        }
        if let Some(budgets) = &mut self.budgets {
            budgets.turn(now);
        }
        self.wakes = Time::FOREVER;
        let mut waits_for_budget = false;
        for held in self.jobs.values_mut() {
            if held.state == State::Held && held.wakes > now {
                self.wakes = self.wakes.min(held.wakes);
                continue;
            }
            let best = held.window.as_ref().map_or(now, |it| it.best_from(self.tariff, now));
            let mut affords =
                || self.budgets.as_mut().is_none_or(|it| it.reserve(now, &held.demand));
            let next = if best > now {
                held.wakes = best;
                self.wakes = self.wakes.min(best);
                State::Held
            } else if affords() {
                State::Queued
            } else {
                (held.by_budget, held.wakes, waits_for_budget) = (true, now, true);
                State::Held
            };
            match (held.state, next) {
                (State::Submitted, State::Queued) => dispatcher.submit(held.job),
                (State::Held, State::Queued) => dispatcher.resubmit(held.job),
                (State::Queued, State::Held) => dispatcher.withdraw(held.job.key),
                _ => {}
            }
            held.state = next;
        }
        self.held = self.jobs.values().filter(|it| it.state == State::Held).count();
        if let Some(budgets) = self.budgets.as_ref().filter(|_| waits_for_budget) {
            self.wakes = self.wakes.min(budgets.next_change(now));
        }
    }

    /// After a decision: notes which jobs with windows what is free would hold.
    pub fn look(&mut self, now: Time, dispatcher: &Dispatcher<'_>) {
        let free = &dispatcher.free;
        for held in self.jobs.values_mut().filter(|it| it.window.is_some() && it.earliest.is_none())
        {
            let unit = dispatcher.units.get(held.job.unit);
            let fits = free.may_fit(unit, held.job.units) && free.holds(unit, held.job.units);
            held.earliest = fits.then_some(now);
        }
    }

    /// A job is refused after all.
    pub fn forget(&mut self, job: &Waiting) {
        self.jobs.remove(&job.arrival);
    }

    /// A job starts.
    pub fn started(&mut self, now: Time, job: &Waiting) -> StartedJob {
        let Some(held) = self.jobs.remove(&job.arrival) else { return StartedJob::default() };
        let window = held.window.as_ref().map(|it| (held.earliest.unwrap_or(now), it.latest()));
        let charge = self.budgets.as_mut().map(|it| it.started(now, &held.demand));
        StartedJob { window, held_by_budget: held.by_budget, charge }
    }
}
