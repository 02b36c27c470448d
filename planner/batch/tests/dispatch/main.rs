//! Dispatch on systems of several resources: equality with the core on one resource, a plain simulation of EASY backfilling, and
//! what must hold of every schedule.
#![expect(clippy::unwrap_used, reason = "tests")]

mod cap;
mod cap_known;
mod distributions;
mod estimates;
mod kinds;
mod known;
mod late_ranks;
mod one_resource;
mod plain;
mod plain_conservative;
mod plan;
mod promises;
mod shares;
mod supply;
mod validity;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;

use batch::dispatch::jobs::UnitJob;
use batch::dispatch::simulation::{UnitSimulation, UnitSimulationError};
use batch::dispatch::system::System;
use batch::dispatch::{
    EstimatePart, PowerEstimatePart, UnitBackfillPart, UnitFitPart, UnitObserver, UnitOrderPart,
    UnitPlayed, UnitRefusal, UnitRequest, UnitResults, UnitSupply,
};
use batch::job::JobId;
use batch::policy::PartKind;
use batch::steps::Steps;
use batch::supplier_tables::SupplierTables;
use batch::time::Time;
use planner::quantity::Power;

/// A job in whole seconds.
#[derive(Clone, Debug)]
struct Row {
    submitted: i64,
    units: u32,
    /// Of each resource, by position.
    unit: Vec<u32>,
    run: i64,
    walltime: i64,
    user: u32,
}

/// What happened to a job, in whole seconds, and where: nodes with units.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Happened {
    started: i64,
    finished: i64,
    places: Vec<(u32, u32)>,
}

/// Notes what happens, by job number from 0.
#[derive(Default)]
struct Notes {
    played: BTreeMap<i64, Happened>,
    refused: Vec<(i64, UnitRefusal)>,
}

fn seconds(time: Time) -> i64 {
    assert_eq!(time.as_micros() % 1_000_000, 0);
    time.as_micros() / 1_000_000
}

fn number(job: &UnitJob) -> i64 {
    let JobId::Number(number) = job.id else { panic!("jobs have numbers here") };
    number
}

impl UnitObserver for Notes {
    fn played(&mut self, played: &UnitPlayed<'_>) -> io::Result<()> {
        let places = played.places.iter().map(|it| (it.node, it.units)).collect();
        let (started, finished) = (seconds(played.started), seconds(played.finished));
        let before = self.played.insert(number(played.job), Happened { started, finished, places });
        assert_eq!(before, None, "job {} ended twice", played.job.id);
        Ok(())
    }

    fn refused(&mut self, job: &UnitJob, why: UnitRefusal) -> io::Result<()> {
        self.refused.push((number(job), why));
        Ok(())
    }
}

/// Jobs numbered from 0, in the order of submission.
fn jobs(rows: &[Row], kinds: usize) -> Vec<UnitJob> {
    let job = |(number, row): (i64, &Row)| UnitJob {
        id: JobId::Number(number),
        submitted: Time::from_seconds(row.submitted),
        run: Time::from_seconds(row.run),
        walltime: Some(Time::from_seconds(row.walltime)),
        user: format!("user{}", row.user).into(),
        queue: "".into(),
        name: "job".into(),
        units: row.units,
        unit: UnitRequest::of(&row.unit, kinds),
        energy: None,
        latest_start: None,
    };
    let mut jobs: Vec<UnitJob> = (0..).zip(rows).map(job).collect();
    jobs.sort_by_key(|job| job.submitted);
    jobs
}

/// Names of an order, backfilling, a fit and estimates.
type Names<'a> = [&'a str; 4];

/// What happens to jobs on a system.
fn play_jobs(
    system: &System,
    jobs: Vec<UnitJob>,
    names: Names<'_>,
    options: &[(String, String)],
) -> (Notes, UnitResults) {
    play_with_factors(system, jobs, names, options, &BTreeMap::new())
}

/// What happens to jobs on a system where users' energies are multiplied.
fn play_with_factors(
    system: &System,
    jobs: Vec<UnitJob>,
    names: Names<'_>,
    options: &[(String, String)],
    factors: &BTreeMap<String, f64>,
) -> (Notes, UnitResults) {
    let simulation = simulation(system, names, options, factors);
    played(&simulation, &UnitSupply::default(), jobs)
}

/// What happens to jobs on a system where nodes may draw no more than caps from when to when; jobs are taken to draw what `power` says.
fn play_capped(
    system: &System,
    jobs: Vec<UnitJob>,
    names: Names<'_>,
    caps: &[(i64, i64, i64)],
    power: &str,
) -> (Notes, UnitResults) {
    let piece = |&(from, until, watts): &(i64, i64, i64)| {
        let cap = Power::from_microwatts(watts * 1_000_000);
        let until = if until == i64::MAX { Time::FOREVER } else { Time::from_seconds(until) };
        (Time::from_seconds(from), until, cap)
    };
    let cap = Some(Steps::of(caps.iter().map(piece)));
    let tables = SupplierTables { cap, ..SupplierTables::default() };
    let supply = UnitSupply {
        tables: Some(&tables),
        allows_uncovered: true,
        power_estimate: Some(PowerEstimatePart::named(power).unwrap()),
        ..UnitSupply::default()
    };
    played(&simulation(system, names, &[], &BTreeMap::new()), &supply, jobs)
}

fn simulation<'a>(
    system: &'a System,
    [order, backfill, fit, estimate]: Names<'_>,
    options: &'a [(String, String)],
    energy_factors: &'a BTreeMap<String, f64>,
) -> UnitSimulation<'a> {
    UnitSimulation {
        system,
        order: UnitOrderPart::named(order).unwrap(),
        backfill: UnitBackfillPart::named(backfill).unwrap().backfill,
        fit: UnitFitPart::named(fit).unwrap(),
        estimate: EstimatePart::named(estimate).unwrap(),
        shares: None,
        energy_factors,
        options,
    }
}

fn played(
    simulation: &UnitSimulation<'_>,
    supply: &UnitSupply<'_>,
    jobs: Vec<UnitJob>,
) -> (Notes, UnitResults) {
    let mut notes = Notes::default();
    let jobs = jobs.into_iter().map(Ok::<UnitJob, Infallible>);
    let results: Result<UnitResults, UnitSimulationError<Infallible>> =
        simulation.play_with(supply, jobs, &mut notes);
    (notes, results.unwrap())
}

fn play(system: &System, rows: &[Row], names: Names<'_>) -> Notes {
    play_jobs(system, jobs(rows, system.resources.len()), names, &[]).0
}
