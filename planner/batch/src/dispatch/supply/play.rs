//! What a simulation tells the supply of, and asks it.

use planner::quantity::{Energy, Power};

use super::bills::Course;
use super::budgets::Demand;
use super::cap_meter::CapMeter;
use super::held_jobs::StartedJob;
use super::{Bills, HeldJobs, SupplyResults, SupplyRules, UnitSupply, UserBill};
use crate::dispatch::dispatcher::Dispatcher;
use crate::dispatch::estimate::{PowerPredictor, full_power};
use crate::dispatch::job_supply::JobSupply;
use crate::dispatch::jobs::UnitJob;
use crate::dispatch::observer::UnitRefusal;
use crate::dispatch::order::Waiting;
use crate::dispatch::power_cap::{MoreDraw, idle_of_units};
use crate::dispatch::system::System;
use crate::quantity::ExactEnergy;
use crate::simulation::Uncovered;
use crate::supplier_tables::{SupplierTable, SupplierTables};
use crate::time::Time;

/// Estimates of power, bills, budgets and windows, while a simulation is played.
#[derive(Debug)]
pub(in crate::dispatch) struct Supply<'a> {
    system: &'a System,
    powers: PowerPredictor,
    bills: Bills<'a>,
    held: HeldJobs<'a>,
    /// Where there is a cap, and the table of it that must cover what is played.
    meter: Option<CapMeter>,
    cap_table: Option<&'a SupplierTables>,
    /// Whether anything is told of it.
    is_there: bool,
    allows_uncovered: bool,
}

impl<'a> Supply<'a> {
    pub fn new(
        system: &'a System,
        supply: &UnitSupply<'a>,
        rules: &SupplyRules,
        powers: PowerPredictor,
    ) -> Self {
        Self {
            system,
            powers,
            bills: Bills::new(supply, rules),
            held: HeldJobs::new(supply, rules),
            meter: rules.cap.is_some().then(|| CapMeter::new(rules.idle)),
            cap_table: rules.by_table.then(|| supply.tables()),
            is_there: supply.is_there() || rules.cap.is_some(),
            allows_uncovered: supply.allows_uncovered,
        }
    }

    /// The facility drew so much until now.
    pub fn pass(&mut self, now: Time, drawn: Option<Power>, dispatcher: &Dispatcher<'_>) {
        if let (Some(meter), Some(cap)) = (&mut self.meter, &dispatcher.cap) {
            meter.pass(now, cap);
        }
        if let Some(drawn) = drawn.filter(|_| self.is_there) {
            self.bills.pass(now, drawn);
        }
    }

    /// What a job is taken to draw, where `factor` multiplies what its user's jobs consume.
    pub fn predict(&self, job: &UnitJob, factor: f64) -> Option<Power> {
        self.powers.predict(job, full_power(job, self.system), factor)
    }

    /// A job is submitted, which goes into the queue at once or when its window and its budgets let it; or why it is refused.
    pub fn submit(
        &mut self,
        job: &UnitJob,
        waiting: Waiting,
        power: Option<Power>,
        dispatcher: &mut Dispatcher<'_>,
    ) -> Option<UnitRefusal> {
        let power = power.unwrap_or_default();
        if let Some(cap) = &mut dispatcher.cap {
            let more = (power - idle_of_units(self.system, &job.unit, job.units)).max(Power::ZERO);
            let more = MoreDraw { more, limit: waiting.limit };
            if !cap.ever_allows(job.submitted, more) {
                return Some(self.refused_by_cap());
            }
            cap.submit(waiting.key, more);
        }
        if !self.is_there || !self.held.concerns(job, &waiting) {
            dispatcher.submit(waiting);
            return None;
        }
        let demand = Demand { user: waiting.user, power, length: waiting.estimate.told };
        if self.held.budgets().is_some_and(|budgets| budgets.never_hold(&demand)) {
            self.bills.refused();
            return Some(UnitRefusal::AboveTheBudget);
        }
        self.held.submit(job, waiting, demand);
        None
    }

    fn refused_by_cap(&mut self) -> UnitRefusal {
        if let Some(meter) = &mut self.meter {
            meter.refused += 1;
        }
        UnitRefusal::AboveTheCap
    }

    /// Takes a job out of the queue which no cap from now on lets start; its key.
    pub fn refuse_above_cap(
        &mut self,
        now: Time,
        dispatcher: &mut Dispatcher<'_>,
    ) -> Option<(u32, UnitRefusal)> {
        let job = dispatcher.above_cap(now)?;
        dispatcher.withdraw(job.key);
        self.held.forget(&job);
        Some((job.key, self.refused_by_cap()))
    }

    /// Before a decision.
    pub fn review(&mut self, now: Time, dispatcher: &mut Dispatcher<'_>) {
        self.held.review(now, dispatcher);
    }

    /// After a decision.
    pub fn look(&mut self, now: Time, dispatcher: &Dispatcher<'_>) {
        self.held.look(now, dispatcher);
    }

    /// A job starts, which will draw as much in the mean as it consumes.
    pub fn started(
        &mut self,
        now: Time,
        waiting: &Waiting,
        job: &UnitJob,
        energy: Option<Energy>,
    ) -> StartedJob {
        if let (Some(meter), Some(energy)) = (&mut self.meter, energy) {
            let power = ExactEnergy::from(energy).over(job.occupied());
            let idle = idle_of_units(self.system, &job.unit, job.units);
            meter.started(waiting.key, power - idle);
        }
        self.held.started(now, waiting)
    }

    /// Whether it must be known what jobs consume when they start.
    pub const fn measures(&self) -> bool {
        self.meter.is_some()
    }

    /// The job of a key has ended.
    pub fn stopped(&mut self, key: u32) {
        if let Some(meter) = &mut self.meter {
            meter.ended(key);
        }
    }

    /// How many jobs wait outside of the queue.
    pub const fn held(&self) -> usize {
        self.held.count()
    }

    /// When one of them may go into the queue although nothing else happens.
    pub fn wakes(&self) -> Option<Time> {
        (self.held() > 0 && self.held.wakes() < Time::FOREVER).then(|| self.held.wakes())
    }

    /// A job of a user, by number, ended.
    pub fn ended(
        &mut self,
        job: &UnitJob,
        began: &StartedJob,
        (user, started, finished): (u32, Time, Time),
        energy: Option<Energy>,
    ) -> JobSupply {
        self.powers.ended(job, finished - started, energy);
        if !self.is_there {
            return JobSupply::default();
        }
        if let (Some(charge), Some(budgets)) = (&began.charge, self.held.budgets()) {
            budgets.ended(charge, started, finished, energy);
        }
        let (window, held_by_budget) = (began.window, began.held_by_budget);
        self.bills.ended(&Course { user, started, finished, energy, window, held_by_budget })
    }

    /// What a user's jobs came to.
    pub fn of_user(&self, user: u32) -> UserBill {
        if self.is_there { self.bills.of_user(user) } else { UserBill::default() }
    }

    /// The results of a simulation that went until `now`; none where nothing is told.
    ///
    /// # Errors
    /// What the tables lack, where that is not allowed.
    pub fn results(mut self, now: Time) -> Result<Option<SupplyResults>, Vec<Uncovered>> {
        if !self.is_there {
            return Ok(None);
        }
        let overspent = self.held.budgets().map_or(0, |it| it.overspent());
        let mut results = self.bills.results(now, self.system.has_draws(), overspent);
        results.cap = self.meter.map(|meter| meter.results(now));
        let table = SupplierTable::Cap;
        let missing = self.cap_table.and_then(|it| it.missing(table, Time::ZERO, now));
        results.uncovered.extend(missing.map(|missing| Uncovered {
            table,
            needed: (Time::ZERO, now),
            missing,
        }));
        if results.uncovered.is_empty() || self.allows_uncovered {
            Ok(Some(results))
        } else {
            Err(results.uncovered)
        }
    }
}
