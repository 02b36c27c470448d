//! `wattbook batch shares`: what users gain under fair shares by drawing less, and lose by drawing more.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::thread;

use batch::dispatch::jobs::UnitJob;
use batch::dispatch::simulation::UnitSimulation;
use batch::dispatch::system::System;
use batch::dispatch::{
    ActiveUser, ChangedUser, EstimatePart, ShareStudyTable, SharesFile, StretchChange,
    UnitBackfillPart, UnitFitPart, UnitOrderPart, most_active, stretches,
};
use jiff::tz::TimeZone;

use super::arguments::named as option;
use super::files::{self, Pending, bad_input};
use super::nodes::Services;
use super::on_threads::on_threads;
use super::parts::named;
use super::sweep::progress_bar;
use super::system_arguments::zone;
use super::unit_workload::UnitWorkload;
use super::{system, system_source};
use crate::cli::{Failure, out};

/// One workload, played again and again with another energy factor of one user.
#[derive(clap::Args)]
pub struct Arguments {
    /// A table of jobs (CSV), a trace in the Standard Workload Format or Slurm's accounting; compressed by gzip or not
    #[arg(long, value_name = "FILE")]
    workload: PathBuf,
    /// How many processors the system has, where nothing else is known of it
    #[arg(long, value_name = "N", required_unless_present = "system", conflicts_with = "system", value_parser = clap::value_parser!(u32).range(1..))]
    machines: Option<u32>,
    /// A system of several resources: TOML, slurm.conf, what sinfo printed, AccaSim's JSON, or nodes
    #[arg(long, value_name = "FILE")]
    system: Option<PathBuf>,
    /// Of times that sacct printed without an offset, such as Europe/Paris
    #[arg(long, value_name = "NAME", default_value = "UTC", value_parser = zone)]
    sacct_time_zone: TimeZone,
    /// Of how many users, those with most jobs, each is changed in turn
    #[arg(long, value_name = "N", default_value = "20")]
    users: NonZero<usize>,
    /// What the energy of the changed user's jobs is multiplied by
    #[arg(long, value_name = "FACTOR", value_delimiter = ',', default_value = "0.7,1.3", value_parser = factor)]
    factor: Vec<f64>,
    /// Which waiting job is the first
    #[arg(long, value_name = "ORDER", value_delimiter = ',', default_value = "energy_fairshare,fairshare_energy_fairshare", value_parser = named::<UnitOrderPart>())]
    order: Vec<&'static UnitOrderPart>,
    /// Who may start before it
    #[arg(long, value_name = "BACKFILLING", default_value = "easy", value_parser = named::<UnitBackfillPart>())]
    backfill: &'static UnitBackfillPart,
    /// Which nodes a job takes
    #[arg(long, value_name = "FIT", default_value = "first_fit", value_parser = named::<UnitFitPart>())]
    fit: &'static UnitFitPart,
    /// How long jobs are taken to last
    #[arg(long, value_name = "ESTIMATE", default_value = "walltime", value_parser = named::<EstimatePart>())]
    estimate: &'static EstimatePart,
    /// Who is given which share
    #[arg(long, value_name = "FILE")]
    shares: Option<PathBuf>,
    /// An option of a part; may be repeated
    #[arg(long = "option", value_name = "KEY=VALUE", value_parser = option)]
    options: Vec<(String, String)>,
    /// Threads to play on [default: all cores]
    #[arg(long)]
    threads: Option<NonZero<usize>>,
    /// Where shares.csv and users.csv are written; otherwise the first is printed
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// With --out: replace the results that are there
    #[arg(long, requires = "out")]
    force: bool,
}

fn factor(text: &str) -> Result<f64, String> {
    let factor = text.parse().map_err(|_| format!("{text:?} is no number"))?;
    if f64::is_finite(factor) && factor >= 0.0 {
        Ok(factor)
    } else {
        Err("the factor must be a number from 0 on".to_owned())
    }
}

/// What all simulations have in common.
struct Study<'a> {
    arguments: &'a Arguments,
    system: System,
    shares: Option<SharesFile>,
    jobs: Vec<UnitJob>,
    threads: usize,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let system = match (&arguments.system, arguments.machines) {
        (Some(file), _) => system_source::read(file, Services::Refused)?.system(),
        (None, machines) => {
            let cores = machines.unwrap_or(1);
            System::parse(&format!("[[nodes]]\ncount = 1\ncores = {cores}\n"))?
        }
    };
    let threads = arguments.threads.map_or_else(thread::available_parallelism, Ok);
    let mut study = Study {
        arguments,
        system,
        shares: arguments.shares.as_deref().map(system::read_shares).transpose()?,
        jobs: Vec::new(),
        threads: threads.map_or(1, NonZero::get),
    };
    for order in &arguments.order {
        study.simulation(order, &BTreeMap::new()).check().map_err(Failure::BadInput)?;
    }
    if let Some(folder) = &arguments.out {
        out::check(&folder.into(), arguments.force)?;
    }
    study.jobs = study.read()?;
    let changed = study.play()?;
    write(arguments, &changed)
}

impl Study<'_> {
    fn read(&self) -> Result<Vec<UnitJob>, Failure> {
        let Arguments { workload: file, sacct_time_zone: zone, .. } = self.arguments;
        let mut jobs = UnitWorkload::open(file, files::open(file)?, &self.system, zone)?;
        let read: Result<Vec<UnitJob>, _> = jobs.by_ref().collect();
        let read = read.map_err(|error| bad_input(file, error))?;
        jobs.tell();
        Ok(read)
    }

    fn simulation<'s>(
        &'s self,
        order: &'static UnitOrderPart,
        energy_factors: &'s BTreeMap<String, f64>,
    ) -> UnitSimulation<'s> {
        let Arguments { backfill, fit, estimate, options, .. } = self.arguments;
        UnitSimulation {
            system: &self.system,
            order,
            backfill: backfill.backfill,
            fit,
            estimate,
            shares: self.shares.as_ref(),
            energy_factors,
            options,
        }
    }

    /// The stretches of all jobs by their places.
    fn stretches(
        &self,
        order: &'static UnitOrderPart,
        factors: &BTreeMap<String, f64>,
    ) -> Result<Vec<f64>, Failure> {
        stretches(&self.simulation(order, factors), &self.jobs)
            .map_err(|error| Failure::Other(error.into()))
    }

    /// Plays baselines, chooses users, and plays each with each order and factor.
    fn play(&self) -> Result<Vec<ChangedUser>, Failure> {
        let Arguments { order: orders, factor: factors, users, .. } = self.arguments;
        let baselines =
            self.all(orders.len(), 0, |number| self.stretches(orders[number], &BTreeMap::new()))?;
        let users = most_active(&self.jobs, &baselines[0], users.get());
        if users.is_empty() {
            let what = "no job that a user is known of ran: nobody can be changed";
            return Err(bad_input(&self.arguments.workload, what));
        }
        let runs = orders.len() * factors.len() * users.len();
        self.all(runs, orders.len(), |number| {
            let (rest, ActiveUser { user, jobs }) =
                (number / users.len(), &users[number % users.len()]);
            let (order, factor) = (rest / factors.len(), factors[rest % factors.len()]);
            let said = BTreeMap::from([(user.to_string(), factor)]);
            let after = self.stretches(orders[order], &said)?;
            let change = StretchChange::of(jobs, &after, &baselines[order])
                .ok_or_else(|| bad_input(&self.arguments.workload, "a user has no jobs"))?;
            let order = orders[order].about.name;
            Ok(ChangedUser { order, factor, user: user.clone(), jobs: jobs.len(), change })
        })
    }

    /// What comes of so many simulations, in their order, on all threads; `before` have been played already.
    fn all<T: Send>(
        &self,
        count: usize,
        before: usize,
        one: impl Fn(usize) -> Result<T, Failure> + Sync,
    ) -> Result<Vec<T>, Failure> {
        let numbers: Vec<usize> = (0..count).collect();
        let mut all: Vec<Option<T>> = numbers.iter().map(|_| None).collect();
        let bar = progress_bar(before + count, before);
        let one = |number| one(number).map(|played| Some((number, played)));
        let played =
            on_threads(&numbers, self.threads, &AtomicBool::new(false), one, |(number, played)| {
                all[number] = Some(played);
                bar.inc(1);
                Ok(())
            });
        bar.finish_and_clear();
        played?;
        Ok(all.into_iter().flatten().collect())
    }
}

fn write(arguments: &Arguments, changed: &[ChangedUser]) -> Result<(), Failure> {
    let Some(folder) = &arguments.out else {
        let mut table = Vec::new();
        ShareStudyTable::write(&mut table, changed)?;
        return Ok(crate::cli::print(String::from_utf8_lossy(&table).trim_end())?);
    };
    if arguments.force {
        out::clear(&folder.into())?;
    }
    let (pending, file) = Pending::create(folder, "shares.csv")?;
    ShareStudyTable::write(file, changed)?;
    pending.keep()?;
    let (pending, file) = Pending::create(folder, "users.csv")?;
    ShareStudyTable::write_users(file, changed)?;
    pending.keep()?;
    out::tell_written(&folder.into());
    Ok(())
}
