//! What jobs and the system come to by the supplier's tables, and what windows saved.
//!
//! A job draws evenly: its energy over its time, in whole microwatts, rounded towards nothing. Costs and CO2 are exact integrals of
//! that over the tables, and are rounded once, when they are told. What a window saved is what the same draw would have come to from
//! the first decision on at which what was free held the job, less what it came to.

use planner::quantity::{Energy, Power};
use serde::{Deserialize, Serialize};

use super::cap_meter::CapResults;
use super::tariff::Tariff;
use super::{SupplyRules, UnitSupply};
use crate::dispatch::job_supply::JobSupply;
use crate::quantity::{ExactEnergy, TotalTime};
use crate::simulation::Uncovered;
use crate::supplier_tables::{Account, SupplierTable, SupplierTables};
use crate::time::Time;

/// What a user's jobs came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UserBill {
    /// Their cost, in the currency of the prices.
    pub cost: Option<f64>,
    /// Their CO2, g.
    pub co2_g: Option<f64>,
    /// What their windows saved.
    pub saved: Option<f64>,
    /// What the user is credited of that.
    pub credit: Option<f64>,
    /// Jobs that waited for a budget.
    pub jobs_held_by_budget: u64,
}

/// What came of prices, CO2, budgets and windows. Costs are in the currency of the prices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SupplyResults {
    /// What all that the facility drew cost, where it is known what it draws.
    pub energy_cost: Option<f64>,
    /// What it emitted, g.
    pub energy_co2_g: Option<f64>,
    /// The part of the energy for which there were prices.
    pub energy_cost_covered_share: Option<f64>,
    /// The part of the energy for which there were CO2 intensities.
    pub energy_co2_covered_share: Option<f64>,
    /// What the jobs' energy cost.
    pub jobs_cost: Option<f64>,
    /// What it emitted, g.
    pub jobs_co2_g: Option<f64>,
    /// Jobs of which nobody says what they consumed.
    pub jobs_without_energy: u64,
    /// Jobs that could be shifted.
    pub jobs_with_window: u64,
    /// Jobs of these that started later than they could have.
    pub jobs_shifted: u64,
    /// How much later, mean over them, s.
    pub mean_shift: f64,
    /// Jobs that started after their windows.
    pub jobs_after_latest_start: u64,
    /// What windows saved, in the currency, or in g where jobs are shifted by CO2.
    pub saved: Option<f64>,
    /// What of that was credited to users.
    pub credited: Option<f64>,
    /// Jobs that waited for a budget.
    pub jobs_held_by_budget: u64,
    /// Jobs refused as no budget of their user would ever hold them.
    pub jobs_refused_by_budget: u64,
    /// Budgets of a period of which more was used than there was, as jobs took more than was expected of them.
    pub budgets_overspent: u64,
    /// What came of a cap.
    #[serde(flatten)]
    pub cap: Option<CapResults>,
    /// What the tables lack of what was played.
    #[serde(skip)]
    pub uncovered: Vec<Uncovered>,
}

/// Sums over a user's jobs.
#[derive(Clone, Copy, Debug, Default)]
struct UserSums {
    account: Account,
    saved: i128,
    /// Of what was saved, what was above nothing.
    credited: i128,
    held: u64,
}

/// Adds up what jobs and the system come to.
#[derive(Debug)]
pub(in crate::dispatch) struct Bills<'a> {
    tables: &'a SupplierTables,
    tariff: Tariff<'a>,
    credit_share: f64,
    /// Of the facility.
    account: Account,
    drawn: ExactEnergy,
    since: Time,
    by_user: Vec<UserSums>,
    results: SupplyResults,
    shift: TotalTime,
}

/// When a job that has ended began, and since when it could have.
#[derive(Clone, Copy, Debug)]
pub(in crate::dispatch) struct Course {
    pub user: u32,
    pub started: Time,
    pub finished: Time,
    pub energy: Option<Energy>,
    /// Of a job with a window: since when what was free held it, and when the window ended.
    pub window: Option<(Time, Time)>,
    pub held_by_budget: bool,
}

impl<'a> Bills<'a> {
    pub fn new(supply: &UnitSupply<'a>, rules: &SupplyRules) -> Self {
        let tables = supply.tables();
        Self {
            tables,
            tariff: Tariff { tables, by: rules.by },
            credit_share: rules.credit_share,
            account: Account::default(),
            drawn: ExactEnergy::ZERO,
            since: Time::ZERO,
            by_user: Vec::new(),
            results: SupplyResults::default(),
            shift: TotalTime::default(),
        }
    }

    /// The facility drew so much since the last time.
    pub fn pass(&mut self, now: Time, drawn: Power) {
        if now > self.since {
            self.tables.charge(&mut self.account, self.since, now, drawn);
            self.drawn += drawn * (now - self.since);
            self.since = now;
        }
    }

    /// A job was refused as no budget holds it.
    pub fn refused(&mut self) {
        self.results.jobs_refused_by_budget += 1;
    }

    /// A job ended: what it came to.
    pub fn ended(&mut self, course: &Course) -> JobSupply {
        let place = course.user as usize;
        if self.by_user.len() <= place {
            self.by_user.resize(place + 1, UserSums::default());
        }
        let sums = &mut self.by_user[place];
        sums.held += u64::from(course.held_by_budget);
        self.results.jobs_held_by_budget += u64::from(course.held_by_budget);
        let (started, ran) = (course.started, course.finished - course.started);
        let mut told = JobSupply::default();
        let power = course.energy.map(|energy| ExactEnergy::from(energy).over(ran));
        if let Some(power) = power.filter(|_| self.tables.bills()) {
            let mut account = Account::default();
            self.tables.charge(&mut account, started, course.finished, power);
            sums.account += account;
            let bill = self.tables.bill(account, power * ran);
            (told.cost, told.co2_g) = (bill.cost, bill.co2_g);
        }
        self.results.jobs_without_energy += u64::from(power.is_none());
        let Some((earliest, latest)) = course.window else { return told };
        self.results.jobs_with_window += 1;
        self.results.jobs_after_latest_start += u64::from(started > latest);
        if started > earliest {
            self.results.jobs_shifted += 1;
            self.shift += (started - earliest).into();
        }
        if let Some(power) = power.filter(|_| self.tariff.is_there()) {
            let worth = |from: Time| self.tariff.worth(from, ran, power);
            let saved = worth(earliest) - worth(started);
            sums.saved += saved;
            sums.credited += saved.max(0);
            told.saved = Some(self.tariff.amount(saved));
            told.credit = Some(self.tariff.amount(saved.max(0)) * self.credit_share);
        }
        told
    }

    /// What a user's jobs came to.
    pub fn of_user(&self, user: u32) -> UserBill {
        let sums = self.by_user.get(user as usize).copied().unwrap_or_default();
        let bill = self.tables.bill(sums.account, ExactEnergy::ZERO);
        let is_there = self.tariff.is_there() && self.results.jobs_with_window > 0;
        UserBill {
            cost: bill.cost,
            co2_g: bill.co2_g,
            saved: is_there.then(|| self.tariff.amount(sums.saved)),
            credit: is_there.then(|| self.tariff.amount(sums.credited) * self.credit_share),
            jobs_held_by_budget: sums.held,
        }
    }

    /// The results of a simulation that went until `now`, on a system of which `has_draws` says whether it is known what it draws.
    pub fn results(self, now: Time, has_draws: bool, budgets_overspent: u64) -> SupplyResults {
        let mut all = UserSums::default();
        for sums in &self.by_user {
            all.account += sums.account;
            all.saved += sums.saved;
            all.credited += sums.credited;
        }
        let of_jobs = self.tables.bill(all.account, ExactEnergy::ZERO);
        let facility = self.tables.bill(self.account, self.drawn);
        let known = |value: Option<f64>| value.filter(|_| has_draws);
        let windows = self.tariff.is_there() && self.results.jobs_with_window > 0;
        let shifted = self.results.jobs_shifted;
        let uncovered = [SupplierTable::Price, SupplierTable::Co2].map(|table| {
            let missing = self.tables.missing(table, Time::ZERO, now)?;
            Some(Uncovered { table, needed: (Time::ZERO, now), missing })
        });
        SupplyResults {
            energy_cost: known(facility.cost),
            energy_co2_g: known(facility.co2_g),
            energy_cost_covered_share: known(facility.cost_covered_share),
            energy_co2_covered_share: known(facility.co2_covered_share),
            jobs_cost: of_jobs.cost,
            jobs_co2_g: of_jobs.co2_g,
            mean_shift: if shifted == 0 { 0.0 } else { self.shift.as_seconds() / shifted as f64 },
            saved: windows.then(|| self.tariff.amount(all.saved)),
            credited: windows.then(|| self.tariff.amount(all.credited) * self.credit_share),
            budgets_overspent,
            uncovered: uncovered.into_iter().flatten().collect(),
            ..self.results
        }
    }
}
