//! What must hold of every schedule, whatever the parts are.

use batch::dispatch::system::System;
use batch::dispatch::{EstimatePart, UnitBackfillPart, UnitFitPart, UnitOrderPart, UnitRefusal};
use batch::policy::{About, PartKind};
use proptest::prelude::*;

use super::{Notes, Row, jobs, play, play_jobs};

const SYSTEM: &str = "[[nodes]]\ncount = 2\ncores = 4\nmemory_gb = 5\ngpu = 2\n\
                      [nodes.power]\nconstant_w = 10\ncores = { idle_w = 1, full_w = 4 }\n\
                      [[nodes]]\ncount = 2\ncores = 3\nmemory_gb = 8\nmic = 1\n\
                      [nodes.power]\nconstant_w = 9\ncores = { idle_w = 2, full_w = 4 }\n\
                      [shared]\nlicence = 3\n";

fn a_row() -> impl Strategy<Value = Row> {
    let unit = (0_u32..=3, 0_u32..=4, 0_u32..=2, 0_u32..=1, 0_u32..=1);
    let row = (0_i64..60, 0_u32..=5, unit, 1_i64..12, -2_i64..8, 0_u32..3);
    row.prop_map(|(submitted, units, (cores, memory, gpu, mic, licence), run, more, user)| {
        let walltime = (run + more).max(1);
        Row { submitted, units, unit: vec![cores, memory, gpu, mic, licence], run, walltime, user }
    })
}

fn workload() -> impl Strategy<Value = Vec<Row>> {
    prop::collection::vec(a_row(), 1..30)
}

/// Nothing is over-used at any second, every job has all its units and runs as long as it should, and who is refused could not
/// run on the empty system.
fn check(system: &System, rows: &[Row], notes: &Notes) -> Result<(), TestCaseError> {
    let kinds = system.resources.len();
    let capacity: Vec<Vec<u32>> =
        system.type_of_nodes().map(|it| system.types[it].amounts.to_vec()).collect();
    prop_assert_eq!(notes.played.len() + notes.refused.len(), rows.len());
    let mut instants: Vec<i64> = notes.played.values().map(|it| it.started).collect();
    instants.dedup();
    for now in instants {
        let mut used = vec![vec![0; kinds]; capacity.len()];
        let mut licences = 0;
        for (number, it) in &notes.played {
            if it.started <= now && now < it.finished {
                let row = &rows[usize::try_from(*number).unwrap()];
                licences += row.unit[kinds] * row.units;
                for &(node, units) in &it.places {
                    for (used, amount) in used[node as usize].iter_mut().zip(&row.unit) {
                        *used += amount * units;
                    }
                }
            }
        }
        prop_assert!(licences <= system.shared[0].amount);
        for (used, capacity) in used.iter().flatten().zip(capacity.iter().flatten()) {
            prop_assert!(used <= capacity, "at {} s", now);
        }
    }
    for (number, it) in &notes.played {
        let row = &rows[usize::try_from(*number).unwrap()];
        prop_assert_eq!(it.places.iter().map(|place| place.1).sum::<u32>(), row.units);
        prop_assert_eq!(it.finished - it.started, row.run.min(row.walltime));
        prop_assert!(it.started >= row.submitted);
    }
    for (number, why) in &notes.refused {
        let row = &rows[usize::try_from(*number).unwrap()];
        let fits = |capacity: &Vec<u32>| {
            (0..kinds).filter(|at| row.unit[*at] > 0).map(|at| capacity[at] / row.unit[at]).min()
        };
        let room: u32 = capacity.iter().filter_map(fits).sum();
        let licensed = row.unit[kinds] * row.units <= system.shared[0].amount;
        let expected = if row.units == 0 || row.unit[..kinds].iter().all(|it| *it == 0) {
            UnitRefusal::AsksForNothing
        } else if room == 0 {
            UnitRefusal::NoNodeHoldsIt
        } else {
            prop_assert!(room < row.units || !licensed);
            UnitRefusal::TooManyUnits
        };
        prop_assert_eq!(*why, expected);
    }
    Ok(())
}

/// An order, a backfilling, a fit and an estimate that go together; plans take longer, and have tests of their own.
pub(super) fn a_combination() -> impl Strategy<Value = [&'static str; 4]> {
    let mut orders = names::<UnitOrderPart>(|it| &it.about);
    orders.retain(|order| *order != "plan");
    let backfillings = names::<UnitBackfillPart>(|it| &it.about);
    let fits = names::<UnitFitPart>(|it| &it.about);
    let estimates = names::<EstimatePart>(|it| &it.about);
    [orders, backfillings, fits, estimates].map(prop::sample::select).prop_map(|mut names| {
        // Means of two are halves of seconds, at which promises would be due; tests look at whole ones.
        if names[1].starts_with("conservative") && names[3] == "last_two" {
            names[3] = "history";
        }
        names
    })
}

fn names<P: PartKind>(about: impl Fn(&P) -> &About) -> Vec<&'static str> {
    P::ALL.iter().map(|part| about(part).name).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// Every order, backfilling, fit and estimate together.
    #[test]
    fn no_resource_is_ever_overused(rows in workload(), names in a_combination()) {
        let system = System::parse(SYSTEM).unwrap();
        let notes = play(&system, &rows, names);
        check(&system, &rows, &notes)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Plans with every fit, with estimates that are too long and too short.
    #[test]
    fn plans_overuse_no_resource(rows in prop::collection::vec(a_row(), 1..12)) {
        let system = System::parse(SYSTEM).unwrap();
        for fit in names::<UnitFitPart>(|it| &it.about) {
            for estimate in ["walltime", "last_two"] {
                let notes = play(&system, &rows, ["plan", "none", fit, estimate]);
                check(&system, &rows, &notes)?;
                prop_assert_eq!(notes.played, play(&system, &rows, ["plan", "none", fit, estimate]).played);
            }
        }
    }

    /// The same jobs have the same schedule again.
    #[test]
    fn schedules_are_the_same_again(rows in workload()) {
        let system = System::parse(SYSTEM).unwrap();
        let names = ["priority_rule", "easy", "priority_weighted", "history"];
        let one = play(&system, &rows, names).played;
        prop_assert_eq!(one, play(&system, &rows, names).played);
    }
}

/// A job of as many units as the system holds is not refused, one more is.
#[test]
fn what_just_fits_is_not_refused() {
    let system = System::parse(SYSTEM).unwrap();
    let row = |units| Row {
        submitted: 0,
        units,
        unit: vec![1, 0, 0, 0, 0],
        run: 5,
        walltime: 9,
        user: 0,
    };
    let notes = play(&system, &[row(14), row(15)], ["fcfs", "none", "first_fit", "walltime"]);
    assert_eq!(notes.refused, [(1, UnitRefusal::TooManyUnits)]);
    assert_eq!(notes.played[&0].places, [(0, 4), (1, 4), (2, 3), (3, 3)]);
    let results = play_jobs(
        &system,
        jobs(&[row(14), row(15)], 4),
        ["fcfs", "none", "first_fit", "walltime"],
        &[],
    );
    let (refused, finished) = (results.1.jobs_refused_by_nodes, results.1.jobs_finished);
    assert_eq!((refused, finished), (1, 1));
}
