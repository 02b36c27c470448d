//! A plain simulation of strict queues and EASY backfilling by first-fit on vectors, second by second and with nothing remembered.

use batch::dispatch::system::System;
use proptest::prelude::*;

use super::{Happened, Row, play};

/// Two kinds of nodes with two resources; a resource that the first lacks.
pub(super) const SYSTEM: &str = "[[nodes]]\ncount = 2\ncores = 4\ngpu = 0\n[[nodes]]\ncount = 2\ncores = 3\ngpu = 2\n[shared]\nlicence = 3\n";
pub(super) const KINDS: usize = 2;

pub(super) type Free = (Vec<[u32; KINDS]>, u32);

pub(super) fn all_free() -> Free {
    (vec![[4, 0], [4, 0], [3, 2], [3, 2]], 3)
}

/// How many units fit on a node.
fn fits(free: [u32; KINDS], unit: &[u32]) -> u32 {
    (0..KINDS).filter(|at| unit[*at] > 0).map(|at| free[at] / unit[at]).min().unwrap_or(0)
}

/// The lowest places in what is free, where at most `room` units may be on a node.
pub(super) fn place(
    free: &Free,
    row: &Row,
    room: impl Fn(usize) -> u32,
) -> Option<Vec<(u32, u32)>> {
    let (mut places, mut left) = (Vec::new(), row.units);
    for (node, on) in free.0.iter().enumerate() {
        let units = fits(*on, &row.unit).min(room(node)).min(left);
        if units > 0 {
            places.push((u32::try_from(node).unwrap(), units));
            left -= units;
        }
    }
    (left == 0 && free.1 >= row.unit[KINDS] * row.units).then_some(places)
}

pub(super) fn change(free: &mut Free, row: &Row, places: &[(u32, u32)], gives: bool) {
    for &(node, units) in places {
        for at in 0..KINDS {
            let amount = row.unit[at] * units;
            let on = &mut free.0[node as usize][at];
            *on = if gives { *on + amount } else { *on - amount };
        }
    }
    let shared = row.unit[KINDS] * row.units;
    free.1 = if gives { free.1 + shared } else { free.1 - shared };
}

/// What happens to every job.
fn plain(rows: &[Row], easy: bool, per_node: bool, key: fn(&Row) -> i64) -> Vec<Happened> {
    let mut happened: Vec<Option<Happened>> = vec![None; rows.len()];
    let mut waiting: Vec<usize> = Vec::new();
    for now in 0.. {
        let came: Vec<usize> = (0..rows.len()).filter(|at| rows[*at].submitted == now).collect();
        waiting.extend(&came);
        waiting.sort_by_key(|at| (key(&rows[*at]), rows[*at].submitted, *at));
        let ended = happened.iter().flatten().any(|it| it.finished == now);
        let mut free = all_free();
        for (row, it) in rows.iter().zip(&happened) {
            if let Some(it) = it.as_ref().filter(|it| it.finished > now) {
                change(&mut free, row, &it.places, false);
            }
        }
        if !came.is_empty() || ended {
            decide(now, rows, &mut happened, &mut waiting, &mut free, easy, per_node);
        }
        if happened.iter().all(Option::is_some) {
            break;
        }
        assert!(now < 2000);
    }
    happened.into_iter().flatten().collect()
}

fn decide(
    now: i64,
    rows: &[Row],
    happened: &mut [Option<Happened>],
    waiting: &mut Vec<usize>,
    free: &mut Free,
    easy: bool,
    per_node: bool,
) {
    let mut start = |at: usize, places: Vec<(u32, u32)>, free: &mut Free| {
        change(free, &rows[at], &places, false);
        let finished = now + rows[at].run.min(rows[at].walltime);
        happened[at] = Some(Happened { started: now, finished, places });
    };
    while let Some(&first) = waiting.first() {
        let Some(places) = place(free, &rows[first], |_| u32::MAX) else { break };
        start(first, places, free);
        waiting.remove(0);
    }
    let Some(&first) = waiting.first().filter(|_| easy) else { return };
    // The promise: the first end after which the first one fits.
    let mut then = free.clone();
    let running: Vec<(usize, Happened)> = happened
        .iter()
        .enumerate()
        .filter_map(|(at, it)| Some((at, it.clone().filter(|it| it.finished > now)?)))
        .collect();
    let mut ends: Vec<i64> =
        running.iter().map(|(at, it)| it.started + rows[*at].walltime).collect();
    ends.sort_unstable();
    ends.dedup();
    let (mut promised, mut shadow) = (Vec::new(), i64::MAX);
    for end in ends {
        for (at, it) in running.iter().filter(|(at, it)| it.started + rows[*at].walltime == end) {
            change(&mut then, &rows[*at], &it.places, true);
        }
        if let Some(places) = place(&then, &rows[first], |_| u32::MAX) {
            (promised, shadow) = (places, end);
            break;
        }
    }
    change(&mut then, &rows[first], &promised, false);
    let mine = |node: usize| promised.iter().any(|it| it.0 as usize == node);
    for at in waiting.clone().into_iter().skip(1) {
        let row = &rows[at];
        let places = if now + row.walltime <= shadow {
            place(free, row, |_| u32::MAX)
        } else {
            let room = |node: usize| match (mine(node), per_node) {
                (false, _) => u32::MAX,
                (true, true) => 0,
                (true, false) => fits(then.0[node], &row.unit),
            };
            place(free, row, room).filter(|_| then.1 >= row.unit[KINDS] * row.units)
        };
        let Some(places) = places else { continue };
        if now + row.walltime > shadow {
            then.1 -= row.unit[KINDS] * row.units;
            for &(node, units) in places.iter().filter(|it| mine(it.0 as usize) && !per_node) {
                for kind in 0..KINDS {
                    then.0[node as usize][kind] -= row.unit[kind] * units;
                }
            }
        }
        happened[at] = Some(Happened {
            started: now,
            finished: now + row.run.min(row.walltime),
            places: places.clone(),
        });
        change(free, row, &places, false);
        waiting.retain(|other| *other != at);
    }
}

pub(super) fn workload() -> impl Strategy<Value = Vec<Row>> {
    let row = (0_i64..40, 1_u32..=4, (1_u32..=3, 0_u32..=1, 0_u32..=1), 1_i64..12, -2_i64..8);
    let row = row.prop_map(|(submitted, units, (cores, gpu, licence), run, more)| {
        // All fit into the empty system: 4 units of a GPU each, 4 of 3 cores, 3 with a licence.
        let units = if licence > 0 { units.min(3) } else { units };
        let cores = if gpu > 0 { cores.min(1) } else { cores };
        let walltime = (run + more).max(1);
        Row { submitted, units, unit: vec![cores, gpu, licence], run, walltime, user: 0 }
    });
    prop::collection::vec(row, 1..25)
}

type Key = fn(&Row) -> i64;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Every job starts when and where the plain simulation starts it.
    #[test]
    fn vectors_start_as_in_the_plain_simulation(rows in workload()) {
        let system = System::parse(SYSTEM).unwrap();
        let orders: [(&str, Key); 3] =
            [("fcfs", |_| 0), ("sjf", |row| row.walltime), ("ljf", |row| -row.walltime)];
        for (order, key) in orders {
            for (backfill, easy, per_node) in
                [("none", false, false), ("easy", true, false), ("easy_per_node", true, true)]
            {
                let expected = plain(&rows, easy, per_node, key);
                let notes = play(&system, &rows, [order, backfill, "first_fit", "walltime"]);
                let played: Vec<Happened> = notes.played.into_values().collect();
                prop_assert_eq!(&played, &expected, "{} {}", order, backfill);
            }
        }
    }
}
