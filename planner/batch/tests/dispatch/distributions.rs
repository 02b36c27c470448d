//! Distributions, stretches beside a baseline and live counters with their arithmetic.

use std::collections::BTreeMap;
use std::convert::Infallible;

use batch::dispatch::jobs::UnitJob;
use batch::dispatch::simulation::UnitSimulation;
use batch::dispatch::system::System;
use batch::dispatch::{
    Distributions, DistributionsCollector, EstimatePart, LiveObserver, LiveState, StretchCollector,
    UnitBackfillPart, UnitFitPart, UnitOrderPart, UnitResults, UserStretch,
};
use batch::policy::PartKind;

use super::{Row, jobs};

/// One node of 4 cores and a GPU, one of 4 cores.
const SYSTEM: &str = "[[nodes]]\ncount = 1\ncores = 4\ngpu = 1\n[[nodes]]\ncount = 1\ncores = 4\n\
                      [[queues]]\nname = \"q\"\nexpected_wait_s = 5\n";

/// Cores, GPUs, run time, user; all are submitted at 0.
const ROWS: [(u32, u32, i64, u32); 3] = [(4, 0, 10, 0), (2, 0, 20, 1), (1, 1, 10, 0)];

struct Played {
    results: UnitResults,
    distributions: Distributions,
    stretches: Vec<f64>,
    users: Vec<UserStretch>,
    waited: u64,
    live: LiveState,
}

fn play(order: &str, baseline: Option<&[f64]>) -> Played {
    let system = System::parse(SYSTEM).unwrap();
    let row = |&(cores, gpu, run, user)| Row {
        submitted: 0,
        units: 1,
        unit: vec![cores, gpu],
        run,
        walltime: run,
        user,
    };
    let rows: Vec<Row> = ROWS.iter().map(row).collect();
    let factors = BTreeMap::new();
    let simulation = UnitSimulation {
        system: &system,
        order: UnitOrderPart::named(order).unwrap(),
        backfill: UnitBackfillPart::named("none").unwrap().backfill,
        fit: UnitFitPart::named("first_fit").unwrap(),
        estimate: EstimatePart::named("real").unwrap(),
        shares: None,
        energy_factors: &factors,
        options: &[],
    };
    let live = LiveState::new(&system);
    let stretches = match baseline {
        Some(baseline) => StretchCollector::beside(Some(baseline)),
        None => StretchCollector::keeping(),
    };
    let mut observer =
        ((DistributionsCollector::new(&system), stretches), Some(LiveObserver::new(&live)));
    let queued = |job: UnitJob| UnitJob { queue: "q".into(), ..job };
    let jobs = jobs(&rows, 2).into_iter().map(|job| Ok::<UnitJob, Infallible>(queued(job)));
    let results = simulation.play(jobs, &mut observer).unwrap();
    let ((distributions, collector), _) = observer;
    let (stretches, users, waited) = collector.finish();
    let (distributions, waited) = (distributions.finish(), waited.count());
    Played { results, distributions, stretches, users, waited, live }
}

/// At 0 s job 0 fills node 0 and job 1 has half of node 1; job 2 wants the GPU and waits until 10 s. Job 1 and 2 end at 20 s.
/// Loads: of 9 (cores and GPUs) 6 are used for 10 s, then 4. Efficiencies: 4 of 5 (0.8), 2 of 4 (0.5), 2 of 5 (0.4).
#[test]
fn distributions_add_up() {
    let Played { results, distributions, stretches, waited, live, .. } = play("fcfs", None);
    assert_eq!((stretches, waited), (vec![1.0, 1.0, 2.0], 1));
    let Distributions { slowdown, waiting_time, queue_size, throughput, load, .. } = distributions;
    assert_eq!((slowdown.least, slowdown.p50, slowdown.most), (1.0, 1.0, 2.0));
    assert_eq!((waiting_time.p50, waiting_time.most), (0.0, 10.0));
    assert_eq!(distributions.tardiness.map(|it| it.most), Some(2.0));
    // Decisions at 0, 10 and 20 s.
    assert_eq!((queue_size.least, queue_size.most), (0.0, 1.0));
    assert_eq!((throughput.least, throughput.most, throughput.mean), (0.0, 2.0, 1.0));
    assert!((load.mean - 5.0 / 9.0).abs() < 1e-12);
    assert_eq!(distributions.busy_load, None);
    let efficiency = distributions.allocation_efficiency;
    assert!((efficiency.mean - (0.8 + 0.5 + 0.4) / 3.0).abs() < 1e-12);
    // Cores: 6 of 8 on both nodes for 10 s, then 3 of 8. GPUs: node 0 is in use with none and then one of one.
    let [cores, gpu] = &distributions.nodes_efficiency[..] else { panic!("two resources") };
    assert_eq!((cores.of.least, cores.of.most, cores.of.mean), (0.375, 0.75, 0.5625));
    assert_eq!((gpu.of.least, gpu.of.most, gpu.of.mean), (0.0, 1.0, 0.5));
    // All nodes with cores are in use: the last part along x; 0.75 is the beginning of part 15, 0.375 is in part 7.
    assert_eq!(distributions.densities[0].of.cells, [(19, 7, 10.0), (19, 15, 10.0)]);
    let now = live.read();
    assert_eq!((now.jobs_done, now.running, now.waiting, now.time_s), (3, 0, 0, 20.0));
    assert!(now.resources.iter().all(|it| it.used == 0));
    // What the results have of the same.
    let load = results.load_ratio[0].used;
    let of_results = (results.mean_slowdown, results.mean_queue_size, load);
    assert_eq!(of_results, (slowdown.mean, queue_size.mean, distributions.loads[0].of.mean));
    assert!((results.mean_allocation_efficiency - efficiency.mean).abs() < 1e-12);
}

/// The longest first: job 1 (20 s) on node 0, job 0 on node 1; job 2 waits for the GPU's node, where a core is free: it starts at once.
/// User 0 has jobs 0 and 2: their stretches over the baseline's are 1 / 1 and 1 / 2, 0.75 in the mean.
#[test]
fn stretches_stand_beside_the_baseline() {
    let before = play("fcfs", None);
    assert_eq!(before.users.iter().map(|it| it.mean_ratio).collect::<Vec<_>>(), [Some(1.0); 2]);
    let after = play("ljf", Some(&before.stretches));
    let ratios: Vec<Option<f64>> = after.users.iter().map(|it| it.mean_ratio).collect();
    assert_eq!(ratios, [Some(0.75), Some(1.0)]);
    assert_eq!(after.waited, 0);
}
