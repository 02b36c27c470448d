//! Plans of the queue with their arithmetic.

use std::collections::BTreeMap;

use batch::dispatch::simulation::UnitSimulation;
use batch::dispatch::system::System;
use batch::dispatch::{EstimatePart, UnitBackfill, UnitFitPart, UnitOrderPart};
use batch::policy::PartKind;

use super::known::{TWO, row, starts};
use super::play;

/// Of 4 cores job 0 has 3 until 10 s. At 1 s job 1 wants all 4 for 10 s and job 2 one for 100 s. If job 2 starts, job 1 waits for 100 s;
/// if job 1 starts at 10 s and job 2 at 20 s they wait 9 and 19 s: job 2 is kept back, where the priority rule lets it start.
/// Of 20 s it starts at once: job 1 waits for 20 s.
#[test]
fn a_job_is_kept_back_where_that_saves_more() {
    let system = "[[nodes]]\ncount = 1\ncores = 4\n";
    let rows =
        |long| [row(0, 1, &[3], 10, 10), row(1, 1, &[4], 10, 10), row(1, 1, &[1], long, long)];
    let played =
        |order, long| starts(system, &rows(long), [order, "none", "first_fit", "walltime"]);
    assert_eq!(played("plan", 100), [0, 10, 20]);
    assert_eq!(played("priority_rule", 100), [0, 101, 1]);
    assert_eq!(played("plan", 20), [0, 21, 1]);
}

/// Jobs 0 and 1 leave 1 core of each node until 10 s. As a whole these are 2: the plan has job 2 of 2 cores and 5 s for 1 s, and job 3
/// of 1 core and 50 s behind it. There is no node for job 2: it waits, and so does job 3. At 10 s both fit.
#[test]
fn what_the_fit_finds_no_room_for_is_planned_again() {
    let rows = [
        row(0, 1, &[3, 1], 10, 10),
        row(0, 1, &[3, 1], 10, 10),
        row(1, 1, &[2, 1], 5, 5),
        row(1, 1, &[1, 1], 50, 50),
    ];
    assert_eq!(starts(TWO, &rows, ["plan", "none", "first_fit", "walltime"]), [0, 0, 10, 10]);
    let names = ["priority_rule", "none", "first_fit", "walltime"];
    assert_eq!(starts(TWO, &rows, names), [0, 0, 10, 1]);
}

/// Weights count jobs that are planned to start before the one ends that is placed. Job 0 leaves 2 of 4 cores and 1 of 2 GPUs of node 0 until
/// 20 s; node 1 has 4 cores. At 1 s job 1 wants a core for 10 s and starts, and job 2 wants a core and both GPUs: it is planned for 20 s,
/// when job 1 has ended. GPUs weigh nothing: 1 core is left on node 0, 3 on node 1. If job 1 lasts for 30 s they overlap: cores weigh
/// (30 + 10) x 1/4 / 8 = 1.25 and GPUs 10 x 2 x 1/2 / 2 = 5, so that 1.25 + 5 are left on node 0 and 3 x 1.25 on node 1.
#[test]
fn weights_look_at_planned_overlaps() {
    let system = "[[nodes]]\ncount = 1\ncores = 4\ngpu = 2\n[[nodes]]\ncount = 1\ncores = 4\n";
    let system = System::parse(system).unwrap();
    let places = |length| {
        let rows = [
            row(0, 1, &[2, 1], 20, 20),
            row(1, 1, &[1, 0], length, length),
            row(1, 1, &[1, 2], 10, 10),
        ];
        let notes = play(&system, &rows, ["plan", "none", "weighted", "walltime"]);
        let starts: Vec<i64> = notes.played.values().map(|it| it.started).collect();
        assert_eq!(starts, [0, 1, 20]);
        notes.played[&1].places.clone()
    };
    assert_eq!((places(10), places(30)), (vec![(0, 1)], vec![(1, 1)]));
}

/// A plan says who starts: nobody starts before the others by backfilling.
#[test]
fn a_plan_has_no_backfilling() {
    let (system, factors) = (System::parse(TWO).unwrap(), BTreeMap::new());
    let simulation = |backfill| UnitSimulation {
        system: &system,
        order: UnitOrderPart::named("plan").unwrap(),
        backfill,
        fit: UnitFitPart::named("first_fit").unwrap(),
        estimate: EstimatePart::named("walltime").unwrap(),
        shares: None,
        energy_factors: &factors,
        options: &[],
    };
    assert_eq!(simulation(UnitBackfill::None).check(), Ok(()));
    for backfill in [UnitBackfill::Easy, UnitBackfill::Conservative] {
        let told = simulation(backfill).check().unwrap_err();
        assert_eq!(told, ["--order plan says who starts: it goes with --backfill none alone"]);
    }
}
