//! Batch schedules: known answers with their arithmetic, brute force on random workloads, and what
//! must hold of every schedule.
#![expect(clippy::unwrap_used, reason = "tests")]

mod combinations;
mod combinations_known;
mod energy;
mod known;
mod naive;
mod naive_queue;
mod naive_sets;
mod network;
mod properties;
mod replays;
mod simbatch;
mod sites;
mod sites_brute_force;
mod switching;
mod switching_known;
mod unlimited;
mod waits;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::time::Duration;

use batch::job::{Job, JobId, Work};
use batch::kernel::{Cluster, Observer, Played, SimulationError, simulate};
use batch::platform::{Machine, Platform};
use batch::policy::{Allocation, Combination, FitPart, PartKind, Policy, SaidParts, Setting};
use batch::scheduler::{RefusalReason, Tie};
use batch::summary::Tally;
use batch::supplier_tables::SupplierTables;
use batch::time::Time;
use planner::node_set::NodeSet;
use planner::power_states::{Draws, PowerStates, Sleep, Transition};
use planner::quantity::Power;

/// A job in whole seconds: submission, machines, run time, walltime.
type Row = (i64, u32, i64, i64);

/// The walltime of jobs that have none.
const NONE: i64 = -1;

/// What happened to a job, in whole seconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happened {
    started: i64,
    finished: i64,
    machines: NodeSet,
}

/// Notes what happens.
#[derive(Default)]
pub struct Notes {
    played: BTreeMap<i64, Happened>,
    refused: Vec<JobId>,
}

fn seconds(time: Time) -> i64 {
    assert_eq!(time.as_micros() % 1_000_000, 0);
    time.as_micros() / 1_000_000
}

impl Observer for Notes {
    fn started(&mut self, _: Time, _: &Job, _: &NodeSet) -> io::Result<()> {
        Ok(())
    }

    fn played(&mut self, played: &Played<'_>) -> io::Result<()> {
        let JobId::Number(number) = played.job.id else { panic!("jobs have numbers here") };
        let (started, finished) = (seconds(played.started), seconds(played.finished));
        let machines = played.machines.clone();
        let before = self.played.insert(number, Happened { started, finished, machines });
        assert_eq!(before, None, "job {number} ended twice");
        Ok(())
    }

    fn refused(&mut self, job: &Job, _: Option<RefusalReason>) -> io::Result<()> {
        self.refused.push(job.id.clone());
        Ok(())
    }
}

/// The jobs of `rows`, numbered from 1, in the order of submission.
fn jobs(rows: &[Row]) -> Vec<Job> {
    let job = |(number, &(submitted, nodes, run, walltime)): (i64, &Row)| Job {
        utilisation: None,
        id: JobId::Number(number),
        profile: None,
        submitted: Time::from_seconds(submitted),
        nodes,
        work: Work::Delay(Time::from_seconds(run)),
        walltime: (walltime != NONE).then(|| Time::from_seconds(walltime)),
    };
    let mut jobs: Vec<Job> = (1..).zip(rows).map(job).collect();
    jobs.sort_by_key(|job| job.submitted);
    jobs
}

/// No prices and caps.
static NOTHING: SupplierTables = SupplierTables { price: None, co2: None, cap: None };

/// A policy with an allocation, where the policy leaves the choice.
fn combination(policy: Policy, allocation: Allocation) -> Combination {
    let fit = match allocation {
        Allocation::Count => "count",
        Allocation::Set => "set",
    };
    Combination { allocation: Some(FitPart::named(fit).unwrap()), ..policy.into() }
}

/// How a policy is played.
#[derive(Clone, Copy, Debug)]
struct Way(Policy, Allocation, Tie);

const COUNT: Allocation = Allocation::Count;
const SET: Allocation = Allocation::Set;

/// Every way that there is.
fn ways() -> Vec<Way> {
    let all = Policy::ALL.into_iter();
    let ties = all.flat_map(|policy| {
        [
            Way(policy, COUNT, Tie::Batch),
            Way(policy, SET, Tie::Batch),
            Way(policy, COUNT, Tie::Pyss),
        ]
    });
    ties.collect()
}

/// Machines that can be switched, as in the thesis's table 6.1 but in whole seconds.
fn platform(machines: u32) -> Platform {
    let watts = |watts| Power::from_watts(watts).unwrap();
    let transition =
        |power, time| Transition { power: watts(power), time: Duration::from_secs(time) };
    let sleep = Sleep {
        number: 1,
        off: watts(10.0),
        switching_off: transition(101.0, 2),
        switching_on: transition(125.0, 3),
    };
    let draws = Draws { idle: watts(95.0), computing: watts(190.0) };
    let machine = Machine::of(PowerStates::always_on(1.0, Some(draws)).with_sleep(sleep));
    Platform::new(&vec![machine; machines as usize]).unwrap()
}

fn play(machines: u32, rows: &[Row], way: Way) -> Notes {
    let options = needed_options(way.0);
    play_on(&platform(machines), rows, way, &options)
}

/// Jobs that occupy the machines of a platform compute there; who is where is noted.
fn cluster(platform: &Platform) -> Cluster<'_> {
    let (tie, launch) = (Tie::Batch, Time::ZERO);
    Cluster {
        platform,
        tie,
        launch,
        places: true,
        delays_compute: true,
        tables: None,
        network: None,
    }
}

/// What a scheduler by set is told, without options.
fn setting(platform: &Platform) -> Setting<'_> {
    Setting { platform, tie: Tie::Batch, options: &[], tables: &NOTHING, reservations: &[] }
}

/// The same on this platform, with these options.
fn play_on(platform: &Platform, rows: &[Row], way: Way, options: &[(String, String)]) -> Notes {
    let Way(policy, allocation, tie) = way;
    let mut notes = Notes::default();
    let jobs = jobs(rows).into_iter().map(Ok::<Job, Infallible>);
    let cluster = Cluster { tie, ..cluster(platform) };
    let setting = Setting { tie, options, ..setting(platform) };
    let mut scheduler = combination(policy, allocation).scheduler(&setting).unwrap();
    let played: Result<(), SimulationError<Infallible>> =
        simulate(jobs, cluster, scheduler.as_mut(), &mut notes);
    played.unwrap();
    notes
}

/// Options without which a policy does not play: such as leave its power and energy unbounded.
fn needed_options(policy: Policy) -> Vec<(String, String)> {
    let options: &[(&str, &str)] = match policy {
        // One group of all machines.
        Policy::ConservativeLocal | Policy::ConservativeBestEffortLocal => {
            &[("group_size", "1000")]
        }
        Policy::PowerCap => &[("cap_w", "1e6")],
        Policy::EnergyBud | Policy::ReducePc => &[("budget_j", "1e12"), ("until_s", "1e6")],
        _ => &[],
    };
    options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// The starts by job number.
fn starts(machines: u32, rows: &[Row], way: Way) -> Vec<i64> {
    play(machines, rows, way).played.values().map(|happened| happened.started).collect()
}
