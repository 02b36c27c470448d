//! Dispatch on systems of several resources: Eurora's drawn workload on 64, 256 and 1,024 nodes.
//!
//! A system of `k` times Eurora's nodes plays the jobs `k` times as fast: the load of a node stays as it is. For each
//! instance it says jobs per second and a number of all starts and places, which a change that only makes it
//! faster leaves alone.
//!
//! `WATTBOOK_BENCH` narrows it to instances with all of its words, such as `easy first_fit 64`, or `conservative walltime capped`. `memory` plays estimates one after the other
//! as jobs are drawn, each in a process of its own, and says the most memory that each took.

mod peak;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::time::{Duration, Instant};

use batch::dispatch::jobs::{EURORA_SYSTEM, EuroraSpan, UnitJob, eurora};
use batch::dispatch::simulation::{UnitSimulation, UnitSimulationError};
use batch::dispatch::system::System;
use batch::dispatch::{
    EstimatePart, UnitBackfillPart, UnitFitPart, UnitObserver, UnitOrderPart, UnitPlayed,
    UnitResults,
};
use batch::policy::PartKind;
use batch::time::Time;

/// Names of an order, backfilling, a fit and estimates.
type Names<'a> = [&'a str; 4];

/// Eurora's 64 nodes times these.
const SCALES: [u32; 3] = [1, 4, 16];
const FITS: [&str; 8] = [
    "first_fit",
    "best_fit",
    "balanced",
    "weighted",
    "hybrid",
    "priority_weighted",
    "least_power",
    "long_gaps",
];
/// Conservative backfilling is played with so many of the jobs.
const CONSERVATIVE_JOBS: usize = 3000;
/// And under a cap of so much for 64 nodes: they draw 10 kW idle, 44 kW with all in use, and no job more than 16 kW beside idle nodes.
const CAP_W: u32 = 26_000;
/// An instance is played again until so much time has passed; the least of its processor times counts.
const ENOUGH: Duration = Duration::from_secs(3);

/// Sums up what happened as one number.
#[derive(Default)]
struct Digest {
    jobs: u64,
    sum: u64,
}

impl UnitObserver for Digest {
    fn played(&mut self, played: &UnitPlayed<'_>) -> io::Result<()> {
        let mut hasher = DefaultHasher::new();
        (&played.job.id, played.started.as_micros(), played.places).hash(&mut hasher);
        // Ends of one instant are in no order that matters.
        self.sum = self.sum.wrapping_add(hasher.finish());
        self.jobs += 1;
        Ok(())
    }
}

/// So many times Eurora.
fn system(scale: u32) -> Option<System> {
    let mut system = System::parse(EURORA_SYSTEM).ok()?;
    system.types.iter_mut().for_each(|it| it.count *= scale);
    Some(system)
}

/// The jobs of a year, so many times as fast.
fn jobs(scale: u32) -> impl Iterator<Item = UnitJob> {
    eurora(EuroraSpan::YEAR, EuroraSpan::YEAR.jobs, 1).map(move |mut job| {
        job.submitted = Time::from_micros(job.submitted.as_micros() / i64::from(scale));
        job
    })
}

fn play(
    system: &System,
    jobs: impl Iterator<Item = UnitJob>,
    [order, backfill, fit, estimate]: Names<'_>,
    options: &[(String, String)],
) -> Option<(Digest, UnitResults)> {
    let factors = BTreeMap::new();
    let simulation = UnitSimulation {
        system,
        order: UnitOrderPart::named(order).ok()?,
        backfill: UnitBackfillPart::named(backfill).ok()?.backfill,
        fit: UnitFitPart::named(fit).ok()?,
        estimate: EstimatePart::named(estimate).ok()?,
        shares: None,
        energy_factors: &factors,
        options,
    };
    let mut digest = Digest::default();
    let played: Result<UnitResults, UnitSimulationError<Infallible>> =
        simulation.play(jobs.map(Ok), &mut digest);
    Some((digest, played.ok()?))
}

/// The processor time of this process so far, which other work on the machine does not count for; on Linux.
fn processor_time() -> Option<Duration> {
    let told = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    told.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

fn measure(system: &System, jobs: &[UnitJob], names: Names<'_>, cap_w: Option<u32>) {
    let options: Vec<(String, String)> =
        cap_w.iter().map(|watts| ("cap_w".to_owned(), watts.to_string())).collect();
    let (mut best, began) = (Duration::MAX, Instant::now());
    let mut last = None;
    while began.elapsed() < ENOUGH {
        let copy = jobs.to_vec();
        let from = processor_time().unwrap_or_else(|| began.elapsed());
        last = play(system, copy.into_iter(), names, &options);
        let to = processor_time().unwrap_or_else(|| began.elapsed());
        best = best.min(to.saturating_sub(from));
    }
    let Some((digest, results)) = last else {
        println!("{names:?} cannot be played");
        return;
    };
    println!(
        "{:>5} nodes  {:<60} {:>9.0} jobs/s  mean wait {:>9.0} s  starts {:016x}",
        system.nodes(),
        names.join(" ") + if cap_w.is_some() { " capped" } else { "" },
        digest.jobs as f64 / best.as_secs_f64(),
        results.mean_waiting_time,
        digest.sum
    );
}

fn main() {
    let words = std::env::var("WATTBOOK_BENCH").unwrap_or_default();
    if words.split(' ').any(|word| word == "memory") {
        return peak::all();
    }
    for scale in SCALES {
        let Some(system) = system(scale) else { return };
        let jobs: Vec<UnitJob> = jobs(scale).collect();
        let promises = &jobs[..CONSERVATIVE_JOBS.min(jobs.len())];
        let orders = [
            ("fcfs", "none"),
            ("sjf", "easy"),
            ("priority_rule", "none"),
            ("fcfs", "easy_per_node"),
            ("fcfs", "easy"),
        ];
        let estimates = ["walltime", "history", "real"];
        let simple = orders
            .iter()
            .flat_map(|(order, backfill)| estimates.map(|it| [*order, *backfill, FITS[0], it]));
        let fits = FITS[1..].iter().map(|fit| ["fcfs", "easy", fit, "walltime"]);
        let is_wanted = |names: &Names<'_>, also: &str| {
            let said = format!("{} {} {also}", names.join(" "), system.nodes());
            words.split_whitespace().all(|word| said.split(' ').any(|it| it == word))
        };
        let wanted = |names: &Names<'_>| is_wanted(names, "");
        let priority_rule = [["priority_rule", "none", "priority_weighted", "real"]];
        for names in simple.chain(fits).chain(priority_rule).filter(wanted) {
            measure(&system, &jobs, names, None);
        }
        let conservative = estimates.map(|it| ["fcfs", "conservative", FITS[0], it]);
        for names in conservative {
            for cap_w in [None, Some(CAP_W * scale)] {
                if is_wanted(&names, if cap_w.is_some() { "capped" } else { "uncapped" }) {
                    measure(&system, promises, names, cap_w);
                }
            }
        }
    }
}
