//! What became of the jobs, over all of them: Batsim's keys and ours, in bounded memory.
//!
//! Times in seconds. Sums of times are exact. The *slowdown* of a job is its turnaround over its run
//! time, the *bounded slowdown* `max(1, turnaround / max(run time, tau))`.

use std::io;

use planner::node_set::NodeSet;
use serde::Serialize;

use crate::job::Job;
use crate::kernel::{JobEnd, Observer, Played, Totals};
use crate::platform::Activity;
use crate::quantiles::{Quantiles, Shares};
use crate::quantity::TotalTime;
use crate::scheduler::RefusalReason;
use crate::time::Time;

/// The run time below which slowdowns are bounded, unless said otherwise, s.
pub const TAU: Time = Time::from_seconds(10);

/// Results over all jobs. What was not measured is absent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The program, in place of Batsim's version.
    pub batsim_version: String,
    /// Energy of all machines, J.
    pub consumed_joules: Option<f64>,
    /// From the first submission to the last end.
    pub makespan: f64,
    /// Greatest slowdown.
    pub max_slowdown: f64,
    /// Longest turnaround.
    pub max_turnaround_time: f64,
    /// Longest wait.
    pub max_waiting_time: f64,
    /// Mean slowdown.
    pub mean_slowdown: f64,
    /// Mean turnaround.
    pub mean_turnaround_time: f64,
    /// Mean wait.
    pub mean_waiting_time: f64,
    /// Machines.
    pub nb_computing_machines: u32,
    /// Orders to switch machines.
    pub nb_grouped_switches: u64,
    /// Jobs submitted.
    pub nb_jobs: u64,
    /// Jobs that ended.
    pub nb_jobs_finished: u64,
    /// Jobs of these that reached their walltime, or that their scheduler killed.
    pub nb_jobs_killed: u64,
    /// Jobs refused.
    pub nb_jobs_rejected: u64,
    /// Jobs of these that could never start under the cap.
    pub nb_jobs_rejected_by_cap: u64,
    /// Jobs that ended by themselves.
    pub nb_jobs_success: u64,
    /// Machines switched.
    pub nb_machine_switches: u64,
    /// Time spent in decisions; not measured apart.
    pub scheduling_time: Option<f64>,
    /// Time spent in the simulation, where the caller measured it.
    pub simulation_time: Option<f64>,
    /// Successes over jobs.
    pub success_rate: f64,
    /// Machine-seconds computing.
    pub time_computing: f64,
    /// Machine-seconds idle.
    pub time_idle: f64,
    /// Machine-seconds switched off.
    pub time_sleeping: f64,
    /// Machine-seconds being switched off.
    pub time_switching_off: f64,
    /// Machine-seconds being switched on.
    pub time_switching_on: f64,
    /// Machine-seconds out of service.
    pub time_unavailable: f64,
    /// Machine-seconds computing over all.
    pub utilisation: f64,
    /// What bounds slowdowns, s.
    pub bounded_slowdown_tau: f64,
    /// Mean bounded slowdown.
    pub mean_bounded_slowdown: f64,
    /// Greatest bounded slowdown.
    pub max_bounded_slowdown: f64,
    /// Energy of machines by what they did.
    pub energy_by_state: Option<EnergyByState>,
    /// What the energy costs, in the price table's currency: the part of it that there are prices for.
    pub energy_cost: Option<f64>,
    /// The part of the energy that there are prices for.
    pub energy_cost_covered_share: Option<f64>,
    /// What CO2 its generation emits, g: that of the part that there are CO2 intensities for.
    pub energy_co2_g: Option<f64>,
    /// The part of the energy that there are CO2 intensities for.
    pub energy_co2_covered_share: Option<f64>,
    /// The part that there are caps for of the time that a table of caps alone bounds.
    pub power_cap_covered_share: Option<f64>,
    /// Quantiles of the wait.
    pub waiting_time_quantiles: Shares,
    /// Quantiles of the turnaround.
    pub turnaround_time_quantiles: Shares,
    /// Quantiles of the bounded slowdown.
    pub bounded_slowdown_quantiles: Shares,
}

/// Energy of machines by what they did, J.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "named after the activities")]
pub struct EnergyByState {
    pub computing_j: f64,
    pub idle_j: f64,
    pub sleeping_j: f64,
    pub switching_off_j: f64,
    pub switching_on_j: f64,
}

/// Sums over jobs as they end.
#[derive(Debug)]
pub struct Tally {
    tau: Time,
    jobs: u64,
    refused: u64,
    refused_by_cap: u64,
    failed: u64,
    killed: u64,
    /// Jobs with a slowdown: those with a run time.
    slowed: u64,
    first_submission: Option<Time>,
    last_end: Option<Time>,
    computing: TotalTime,
    waiting: TotalTime,
    turnaround: TotalTime,
    longest_wait: Time,
    longest_turnaround: Time,
    slowdown: f64,
    greatest_slowdown: f64,
    bounded: f64,
    greatest_bounded: f64,
    waits: Quantiles,
    turnarounds: Quantiles,
    bounded_slowdowns: Quantiles,
    totals: Option<Totals>,
}

impl Summary {
    /// What the meter says of machines, in place of what their jobs say.
    fn with(self, totals: &Totals) -> Self {
        let Totals { consumption, orders, switches } = totals;
        let seconds = |activity| consumption.machine_seconds(activity);
        let energy_by_state = EnergyByState {
            computing_j: consumption.joules(Activity::Computing),
            idle_j: consumption.joules(Activity::Idle),
            sleeping_j: consumption.joules(Activity::Off),
            switching_off_j: consumption.joules(Activity::SwitchingOff),
            switching_on_j: consumption.joules(Activity::SwitchingOn),
        };
        Self {
            consumed_joules: Some(consumption.total.as_joules()),
            nb_grouped_switches: *orders,
            nb_machine_switches: *switches,
            time_computing: seconds(Activity::Computing),
            time_idle: seconds(Activity::Idle),
            time_sleeping: seconds(Activity::Off),
            time_switching_off: seconds(Activity::SwitchingOff),
            time_switching_on: seconds(Activity::SwitchingOn),
            energy_by_state: Some(energy_by_state),
            energy_cost: consumption.bill.cost,
            energy_cost_covered_share: consumption.bill.cost_covered_share,
            energy_co2_g: consumption.bill.co2_g,
            energy_co2_covered_share: consumption.bill.co2_covered_share,
            ..self
        }
    }
}

impl Tally {
    /// A tally of no jobs yet; slowdowns are bounded by `tau`.
    pub fn new(tau: Time) -> Self {
        Self {
            tau,
            jobs: 0,
            refused: 0,
            refused_by_cap: 0,
            failed: 0,
            killed: 0,
            slowed: 0,
            first_submission: None,
            last_end: None,
            computing: TotalTime::default(),
            waiting: TotalTime::default(),
            turnaround: TotalTime::default(),
            longest_wait: Time::ZERO,
            longest_turnaround: Time::ZERO,
            slowdown: 0.0,
            greatest_slowdown: 0.0,
            bounded: 0.0,
            greatest_bounded: 0.0,
            waits: Quantiles::default(),
            turnarounds: Quantiles::default(),
            bounded_slowdowns: Quantiles::default(),
            totals: None,
        }
    }

    fn add(&mut self, played: &Played<'_>) {
        let Played { job, started, finished, end, .. } = *played;
        let (run, turnaround) = (finished - started, finished - job.submitted);
        let wait = started - job.submitted;
        self.jobs += 1;
        self.failed += u64::from(end == JobEnd::Failure);
        self.killed += u64::from(matches!(end, JobEnd::Walltime | JobEnd::Killed));
        let first = self.first_submission.unwrap_or(job.submitted);
        self.first_submission = Some(first.min(job.submitted));
        self.last_end = Some(finished.max(self.last_end.unwrap_or(finished)));
        self.computing += run * job.nodes;
        self.waiting += wait.into();
        self.turnaround += turnaround.into();
        self.longest_wait = self.longest_wait.max(wait);
        self.longest_turnaround = self.longest_turnaround.max(turnaround);
        self.waits.add(wait.as_seconds());
        self.turnarounds.add(turnaround.as_seconds());
        if run > Time::ZERO {
            let slowdown = turnaround.as_seconds() / run.as_seconds();
            self.slowed += 1;
            self.slowdown += slowdown;
            self.greatest_slowdown = self.greatest_slowdown.max(slowdown);
        }
        if run.max(self.tau) > Time::ZERO {
            let bounded = turnaround.as_seconds() / run.max(self.tau).as_seconds();
            let bounded = bounded.max(1.0);
            self.bounded += bounded;
            self.greatest_bounded = self.greatest_bounded.max(bounded);
            self.bounded_slowdowns.add(bounded);
        }
    }

    /// When the last job ended, where it is known what machines draw.
    pub fn metered_until(&self) -> Option<Time> {
        self.totals.map(|totals| totals.consumption.until)
    }

    /// The results on `machines` machines.
    pub fn summary(&self, machines: u32) -> Summary {
        let mean = |sum: f64, count: u64| if count == 0 { 0.0 } else { sum / count as f64 };
        let mean_s = |sum: TotalTime| mean(sum.as_seconds(), self.jobs);
        let first = self.first_submission.unwrap_or_default();
        let makespan = self.last_end.unwrap_or(first) - first;
        let all = makespan * machines;
        let submitted = self.jobs + self.refused;
        let success = self.jobs - self.killed - self.failed;
        let summary = Summary {
            batsim_version: concat!("wattbook ", env!("CARGO_PKG_VERSION")).to_owned(),
            consumed_joules: None,
            makespan: makespan.as_seconds(),
            max_slowdown: self.greatest_slowdown,
            max_turnaround_time: self.longest_turnaround.as_seconds(),
            max_waiting_time: self.longest_wait.as_seconds(),
            mean_slowdown: mean(self.slowdown, self.slowed),
            mean_turnaround_time: mean_s(self.turnaround),
            mean_waiting_time: mean_s(self.waiting),
            nb_computing_machines: machines,
            nb_grouped_switches: 0,
            nb_jobs: submitted,
            nb_jobs_finished: self.jobs,
            nb_jobs_killed: self.killed,
            nb_jobs_rejected: self.refused,
            nb_jobs_rejected_by_cap: self.refused_by_cap,
            nb_jobs_success: success,
            nb_machine_switches: 0,
            scheduling_time: None,
            simulation_time: None,
            success_rate: mean(success as f64, submitted),
            time_computing: self.computing.as_seconds(),
            time_idle: (all - self.computing).as_seconds(),
            time_sleeping: 0.0,
            time_switching_off: 0.0,
            time_switching_on: 0.0,
            time_unavailable: 0.0,
            utilisation: self.computing.share_of(all),
            bounded_slowdown_tau: self.tau.as_seconds(),
            mean_bounded_slowdown: mean(self.bounded, self.bounded_slowdowns.count()),
            max_bounded_slowdown: self.greatest_bounded,
            waiting_time_quantiles: self.waits.shares(),
            turnaround_time_quantiles: self.turnarounds.shares(),
            bounded_slowdown_quantiles: self.bounded_slowdowns.shares(),
            energy_by_state: None,
            energy_cost: None,
            energy_cost_covered_share: None,
            energy_co2_g: None,
            energy_co2_covered_share: None,
            power_cap_covered_share: None,
        };
        match &self.totals {
            Some(totals) => summary.with(totals),
            None => summary,
        }
    }
}

impl Observer for Tally {
    fn started(&mut self, _: Time, _: &Job, _: &NodeSet) -> io::Result<()> {
        Ok(())
    }

    fn played(&mut self, played: &Played<'_>) -> io::Result<()> {
        self.add(played);
        Ok(())
    }

    fn refused(&mut self, _: &Job, why: Option<RefusalReason>) -> io::Result<()> {
        self.refused += 1;
        self.refused_by_cap += u64::from(why == Some(RefusalReason::NeverUnderTheCap));
        Ok(())
    }

    fn finished(&mut self, totals: &Totals) -> io::Result<()> {
        self.totals = Some(*totals);
        Ok(())
    }
}
