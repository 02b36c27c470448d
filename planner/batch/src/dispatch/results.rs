//! What became of jobs of units, over all of them and by user, in memory that does not grow with the jobs.
//!
//! From the thesis's section 2.1.3: the slowdown `(wait + run) / run` (2.4), the queue's size after each decision (2.5), the load
//! ratio `used / all` over time (2.6), and the efficiency of an allocation `units x sum of r / what was free on its nodes
//! before` (2.7). Sums over resources count one of each alike, as there.

use planner::quantity::Power;
use serde::Serialize;

use super::dispatcher::UnitStart;
use super::estimate::{ErrorTally, GroupTally, PredictionErrors, PredictionGroup};
use super::free::each_once;
use super::jobs::UnitJob;
use super::observer::{UnitPlayed, UnitRefusal, UnitStep};
use super::power_meter::SystemEnergy;
use super::supply::{SupplyResults, UserBill};
use super::system::System;
use super::unit::UnitRequest;
use crate::kernel::JobEnd;
use crate::quantiles::{Quantiles, Shares};
use crate::quantity::{ExactEnergy, TotalTime};
use crate::time::Time;

/// Results over all jobs. Times in seconds.
#[derive(Clone, Debug, Default, Serialize)]
pub struct UnitResults {
    /// Jobs submitted.
    pub jobs: u64,
    /// Jobs that ended.
    pub jobs_finished: u64,
    /// Jobs of these that reached their walltime.
    pub jobs_killed: u64,
    /// Jobs refused.
    pub jobs_refused: u64,
    /// Jobs of these that no node ever holds.
    pub jobs_refused_by_nodes: u64,
    /// Jobs of these above what their queue allows.
    pub jobs_refused_by_queue: u64,
    /// From the first start to the last end (2.2).
    pub makespan: f64,
    /// Mean wait.
    pub mean_waiting_time: f64,
    /// Longest wait.
    pub max_waiting_time: f64,
    /// Mean slowdown of jobs that ran at all.
    pub mean_slowdown: f64,
    /// Greatest slowdown.
    pub max_slowdown: f64,
    /// Quantiles of the wait.
    pub waiting_time_quantiles: Shares,
    /// Quantiles of the slowdown.
    pub slowdown_quantiles: Shares,
    /// Jobs that waited after a decision, mean over decisions.
    pub mean_queue_size: f64,
    /// The most that waited.
    pub max_queue_size: u64,
    /// Efficiency of allocations, mean over jobs.
    pub mean_allocation_efficiency: f64,
    /// The share used of each resource, mean over time.
    pub load_ratio: Vec<ResourceLoad>,
    /// Error of estimates without sign, mean over jobs with an estimate.
    pub mean_estimate_error: Option<f64>,
    /// Jobs that outlived their estimates.
    pub jobs_underestimated: u64,
    /// How far estimates of durations were from what jobs ran, s.
    pub estimate_errors_s: PredictionErrors,
    /// How far estimates of powers were from what jobs drew in the mean, W, where it is known of any job.
    pub power_errors_w: Option<PredictionErrors>,
    /// What the nodes consumed, J.
    pub consumed_joules: Option<f64>,
    /// What the facility consumed, with losses, J.
    pub facility_joules: Option<f64>,
    /// The most that the facility drew, W.
    pub max_facility_power: Option<f64>,
    /// What came of prices, CO2, budgets and windows, where there were any.
    #[serde(flatten)]
    pub supply: Option<SupplyResults>,
    /// By user; in a file of its own.
    #[serde(skip)]
    pub users: Vec<UserResult>,
    /// Errors of estimates of durations by user and by queue, s; in a file of its own.
    #[serde(skip)]
    pub error_groups: Vec<PredictionGroup>,
    #[serde(skip)]
    by_user: Vec<UserSums>,
}

/// How much of a resource was used.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResourceLoad {
    /// Its name.
    pub resource: Box<str>,
    /// The share that was used, from 0 to 1.
    pub used: f64,
}

/// What became of a user's jobs.
#[derive(Clone, Debug, PartialEq)]
pub struct UserResult {
    /// The name.
    pub user: Box<str>,
    /// Sums over the jobs.
    pub sums: UserSums,
    /// The factor of equation 4 at the end, where shares order.
    pub final_factor: Option<f64>,
    /// What they came to by the supplier's tables.
    pub bill: UserBill,
}

/// Sums over a user's jobs that ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct UserSums {
    /// Jobs.
    pub jobs: u64,
    /// Jobs of these that ran at all.
    pub stretched: u64,
    /// Sum of their stretches, `(wait + run) / run`.
    pub stretch: f64,
    /// Sum of the waits.
    pub wait: TotalTime,
    /// Nodes times the time that they were used.
    pub node_time: TotalTime,
    /// Energy, J; where nobody says what jobs draw, seconds of the shared resource.
    pub joules: f64,
}

impl UserSums {
    /// Mean stretch.
    pub fn mean_stretch(&self) -> f64 {
        mean(self.stretch, self.stretched)
    }

    /// Mean wait, s.
    pub fn mean_wait(&self) -> f64 {
        mean(self.wait.as_seconds(), self.jobs)
    }
}

impl UnitResults {
    /// Sums over the jobs of a user.
    pub(super) fn sums_of(&self, user: u32) -> UserSums {
        self.by_user.get(user as usize).copied().unwrap_or_default()
    }
}

/// Sums as jobs start and end.
#[derive(Debug)]
pub(super) struct UnitTally {
    results: UnitResults,
    names: Vec<Box<str>>,
    totals: Vec<u64>,
    first_start: Option<Time>,
    wait: TotalTime,
    longest_wait: Time,
    slowdown: f64,
    slowed: u64,
    waits: Quantiles,
    slowdowns: Quantiles,
    decisions: u64,
    queue: u64,
    efficiency: f64,
    started: u64,
    /// What is used since the last decision, and the integral before it.
    since: Time,
    used: Vec<u64>,
    used_time: Vec<i128>,
    error: TotalTime,
    estimated: u64,
    estimate_errors: ErrorTally,
    power_errors: ErrorTally,
    pub error_groups: GroupTally,
}

impl UnitTally {
    pub fn new(system: &System) -> Self {
        let totals = system.totals();
        Self {
            results: UnitResults::default(),
            names: system.names().map(Into::into).collect(),
            used: vec![0; totals.len()],
            used_time: vec![0; totals.len()],
            totals,
            first_start: None,
            wait: TotalTime::default(),
            longest_wait: Time::ZERO,
            slowdown: 0.0,
            slowed: 0,
            waits: Quantiles::default(),
            slowdowns: Quantiles::default(),
            decisions: 0,
            queue: 0,
            efficiency: 0.0,
            started: 0,
            since: Time::ZERO,
            error: TotalTime::default(),
            estimated: 0,
            estimate_errors: ErrorTally::default(),
            power_errors: ErrorTally::default(),
            error_groups: GroupTally::default(),
        }
    }

    /// A decision was made.
    pub fn step(&mut self, step: &UnitStep<'_>) {
        self.pass(step.now);
        self.used.copy_from_slice(step.used);
        self.decisions += 1;
        self.queue += step.waiting as u64;
        self.results.max_queue_size = self.results.max_queue_size.max(step.waiting as u64);
    }

    fn pass(&mut self, now: Time) {
        let micros = i128::from((now - self.since).as_micros());
        for (sum, used) in self.used_time.iter_mut().zip(&self.used) {
            *sum += micros * i128::from(*used);
        }
        self.since = now;
    }

    /// A job started; the efficiency of its allocation.
    pub fn started(&mut self, unit: &UnitRequest, start: &UnitStart) -> f64 {
        let taken = unit.sum_of_all(start.job.units);
        let efficiency = taken as f64 / start.free_before.max(1) as f64;
        self.efficiency += efficiency;
        self.started += 1;
        efficiency
    }

    /// A job ended.
    pub fn played(&mut self, played: &UnitPlayed<'_>, user: u32, joules: f64) {
        let UnitPlayed { job, estimate, started, finished, places, end, energy, .. } = *played;
        let predicted_power = played.supply.predicted_power;
        let (wait, run) = (started - job.submitted, finished - started);
        let results = &mut self.results;
        results.jobs += 1;
        results.jobs_finished += 1;
        results.jobs_killed += u64::from(end == JobEnd::Walltime);
        self.first_start = Some(self.first_start.map_or(started, |first| first.min(started)));
        self.wait += wait.into();
        self.longest_wait = self.longest_wait.max(wait);
        self.waits.add(wait.as_seconds());
        if estimate < Time::FOREVER {
            let error = if estimate > run { estimate - run } else { run - estimate };
            self.error += error.into();
            self.estimated += 1;
            results.jobs_underestimated += u64::from(estimate < run);
        }
        let predicted = (estimate < Time::FOREVER).then_some(estimate.as_micros());
        self.estimate_errors.add(predicted, run.as_micros());
        self.error_groups.add(user, &job.queue, predicted, run.as_micros());
        if let Some(energy) = energy.filter(|_| run > Time::ZERO) {
            let drawn = ExactEnergy::from(energy).over(run).as_microwatts();
            self.power_errors.add(predicted_power.map(Power::as_microwatts), drawn);
        }
        let place = user as usize;
        if results.by_user.len() <= place {
            results.by_user.resize(place + 1, UserSums::default());
        }
        let sums = &mut results.by_user[place];
        sums.jobs += 1;
        sums.wait += wait.into();
        let nodes = each_once(&job.unit, places).len();
        sums.node_time += run * u32::try_from(nodes).unwrap_or(u32::MAX);
        sums.joules += joules;
        if run > Time::ZERO {
            let slowdown = (finished - job.submitted).as_seconds() / run.as_seconds();
            sums.stretched += 1;
            sums.stretch += slowdown;
            self.slowdown += slowdown;
            self.slowed += 1;
            self.slowdowns.add(slowdown);
            results.max_slowdown = results.max_slowdown.max(slowdown);
        }
    }

    /// A job was refused.
    pub fn refused(&mut self, _: &UnitJob, why: UnitRefusal) {
        self.results.jobs += 1;
        self.results.jobs_refused += 1;
        match why {
            UnitRefusal::AboveTheQueue => self.results.jobs_refused_by_queue += 1,
            UnitRefusal::NoNodeHoldsIt | UnitRefusal::TooManyUnits => {
                self.results.jobs_refused_by_nodes += 1;
            }
            // They are counted with budgets and caps.
            UnitRefusal::AsksForNothing
            | UnitRefusal::AboveTheBudget
            | UnitRefusal::AboveTheCap => {}
        }
    }

    /// The results at the end.
    pub fn results(mut self, now: Time, energy: Option<SystemEnergy>) -> UnitResults {
        self.pass(now);
        let micros = now.as_micros().max(1) as f64;
        let of_resources = self.names.iter().zip(&self.used_time).zip(&self.totals);
        let load_ratio = of_resources.map(|((name, used), all)| ResourceLoad {
            resource: name.clone(),
            used: *used as f64 / micros / (*all).max(1) as f64,
        });
        let finished = self.results.jobs_finished;
        let power_errors = self.power_errors.errors();
        UnitResults {
            makespan: self.first_start.map_or(0.0, |first| (now - first).as_seconds()),
            mean_waiting_time: mean(self.wait.as_seconds(), finished),
            max_waiting_time: self.longest_wait.as_seconds(),
            mean_slowdown: mean(self.slowdown, self.slowed),
            waiting_time_quantiles: self.waits.shares(),
            slowdown_quantiles: self.slowdowns.shares(),
            mean_queue_size: mean(self.queue as f64, self.decisions),
            mean_allocation_efficiency: mean(self.efficiency, self.started),
            load_ratio: load_ratio.collect(),
            mean_estimate_error: (self.estimated > 0)
                .then(|| mean(self.error.as_seconds(), self.estimated)),
            estimate_errors_s: self.estimate_errors.errors(),
            power_errors_w: power_errors.is_of_any().then_some(power_errors),
            consumed_joules: energy.map(|it| it.nodes.as_joules()),
            facility_joules: energy.map(|it| it.facility.as_joules()),
            max_facility_power: energy.map(|it| it.most.as_watts()),
            ..self.results
        }
    }
}

fn mean(sum: f64, count: u64) -> f64 {
    if count == 0 { 0.0 } else { sum / count as f64 }
}
