//! On one resource the simple orders and backfilling start every job when, and where, the core does.

use std::convert::Infallible;
use std::io;

use batch::dispatch::system::System;
use batch::job::{Job, JobId, Work};
use batch::kernel::{Cluster, Observer, Played, simulate};
use batch::platform::Platform;
use batch::policy::{BackfillPart, Combination, FitPart, OrderPart, PartKind, SaidParts, Setting};
use batch::scheduler::{RefusalReason, Tie};
use batch::supplier_tables::SupplierTables;
use batch::time::Time;
use planner::node_set::NodeSet;
use proptest::prelude::*;

use super::{Row, play, seconds};

const MACHINES: u32 = 6;

/// Start and machines of each job, in the order of their numbers.
#[derive(Default)]
struct Core(Vec<(i64, i64, NodeSet)>);

impl Observer for Core {
    fn started(&mut self, _: Time, _: &Job, _: &NodeSet) -> io::Result<()> {
        Ok(())
    }

    fn played(&mut self, played: &Played<'_>) -> io::Result<()> {
        let JobId::Number(number) = played.job.id else { panic!("jobs have numbers here") };
        self.0.push((number, seconds(played.started), played.machines.clone()));
        Ok(())
    }

    fn refused(&mut self, job: &Job, _: Option<RefusalReason>) -> io::Result<()> {
        panic!("{} is refused", job.id)
    }
}

/// What the core does.
fn core(rows: &[Row], order: &str, backfill: &str, fit: &str) -> Vec<(i64, i64, NodeSet)> {
    let nothing = SupplierTables { price: None, co2: None, cap: None };
    let platform = Platform::of_machines(MACHINES);
    let setting = Setting {
        platform: &platform,
        tie: Tie::Batch,
        options: &[],
        tables: &nothing,
        reservations: &[],
    };
    let said = SaidParts {
        order: Some(OrderPart::named(order).unwrap()),
        backfill: Some(BackfillPart::named(backfill).unwrap()),
        fit: Some(FitPart::named(fit).unwrap()),
        ..SaidParts::default()
    };
    let mut scheduler = Combination { said, ..Combination::default() }.scheduler(&setting).unwrap();
    let mut jobs: Vec<Job> = (0..)
        .zip(rows)
        .map(|(number, row)| Job {
            id: JobId::Number(number),
            profile: None,
            submitted: Time::from_seconds(row.submitted),
            nodes: row.units,
            work: Work::Delay(Time::from_seconds(row.run)),
            utilisation: None,
            walltime: Some(Time::from_seconds(row.walltime)),
        })
        .collect();
    jobs.sort_by_key(|job| job.submitted);
    let cluster = Cluster {
        platform: &platform,
        tie: Tie::Batch,
        launch: Time::ZERO,
        places: true,
        delays_compute: true,
        tables: None,
        network: None,
    };
    let mut core = Core::default();
    let jobs = jobs.into_iter().map(Ok::<Job, Infallible>);
    simulate(jobs, cluster, scheduler.as_mut(), &mut core).unwrap();
    core.0.sort_by_key(|(number, ..)| *number);
    core.0
}

fn workload() -> impl Strategy<Value = Vec<Row>> {
    let row =
        (0_i64..40, 1..=MACHINES, 1_i64..15, 0_i64..8).prop_map(|(submitted, units, run, more)| {
            Row { submitted, units, unit: vec![1], run, walltime: run + more, user: 0 }
        });
    prop::collection::vec(row, 1..25)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// One node of so many cores is a count of machines; as many nodes of one core are machines that are chosen, the lowest
    /// first, which the fit `set` promises too.
    #[test]
    fn simple_orders_and_backfilling_are_as_in_the_core(rows in workload()) {
        let one_node = System::of_one_resource("cores", 1, MACHINES);
        let nodes = System::of_one_resource("cores", MACHINES, 1);
        for order in ["fcfs", "sjf", "ljf"] {
            for backfill in ["none", "easy", "conservative", "conservative_no_compression"] {
                let expected = core(&rows, order, backfill, "count");
                let notes = play(&one_node, &rows, [order, backfill, "first_fit", "walltime"]);
                for (number, start, _) in &expected {
                    prop_assert_eq!(notes.played[number].started, *start, "{} {}", order, backfill);
                }
                let expected = core(&rows, order, backfill, "set");
                for per_node in [backfill, "easy_per_node"] {
                    if per_node != backfill && backfill != "easy" {
                        continue;
                    }
                    let notes = play(&nodes, &rows, [order, per_node, "first_fit", "walltime"]);
                    for (number, start, machines) in &expected {
                        let happened = &notes.played[number];
                        let on = NodeSet::from_positions(happened.places.iter().map(|it| it.0));
                        prop_assert_eq!((happened.started, &on), (*start, machines), "{} {}", order, per_node);
                    }
                }
            }
        }
    }
}
