//! Fair shares against a plain program: usage by user, decayed, queue sorted anew at each end, EASY on one node.

use std::collections::BTreeMap;

use batch::dispatch::system::System;
use proptest::prelude::*;

use super::{Row, jobs, play_jobs};

const CORES: u32 = 4;
const HALF_LIFE_S: f64 = 20.0;

/// The starts under the paper's rule: who used least, decayed, goes first, ties by arrival.
fn plain(rows: &[Row]) -> Vec<i64> {
    let mut started: Vec<Option<i64>> = vec![None; rows.len()];
    let end = |at: usize, start: i64| start + rows[at].run.min(rows[at].walltime);
    let mut used: BTreeMap<u32, (f64, i64)> = BTreeMap::new();
    let weigh = |(amount, since): (f64, i64), now: i64| {
        amount * (-(now - since) as f64 / HALF_LIFE_S).exp2()
    };
    for now in 0..3000 {
        let mut event = false;
        let mut ended: Vec<usize> = (0..rows.len())
            .filter(|at| started[*at].is_some_and(|it| end(*at, it) == now))
            .collect();
        ended.sort_by_key(|at| started[*at]);
        for at in ended {
            event = true;
            let before = used.get(&rows[at].user).copied().unwrap_or((0.0, now));
            let more = (rows[at].run.min(rows[at].walltime) * i64::from(rows[at].units)) as f64;
            used.insert(rows[at].user, (weigh(before, now) + more, now));
        }
        event |= rows.iter().any(|row| row.submitted == now);
        if !event {
            continue;
        }
        let usage = |at: usize| used.get(&rows[at].user).map_or(0.0, |it| weigh(*it, now));
        let mut waiting: Vec<usize> = (0..rows.len())
            .filter(|at| started[*at].is_none() && rows[*at].submitted <= now)
            .collect();
        waiting.sort_by(|a, b| {
            usage(*a)
                .total_cmp(&usage(*b))
                .then((rows[*a].submitted, *a).cmp(&(rows[*b].submitted, *b)))
        });
        let running = |started: &[Option<i64>]| -> Vec<usize> {
            (0..rows.len()).filter(|at| started[*at].is_some_and(|it| end(*at, it) > now)).collect()
        };
        let free = |started: &[Option<i64>]| {
            CORES - running(started).iter().map(|at| rows[*at].units).sum::<u32>()
        };
        while let Some(&first) = waiting.first().filter(|at| rows[**at].units <= free(&started)) {
            started[first] = Some(now);
            waiting.remove(0);
        }
        let Some(&first) = waiting.first() else { continue };
        let mut ends: Vec<(i64, u32)> = running(&started)
            .iter()
            .map(|at| (started[*at].unwrap() + rows[*at].walltime, rows[*at].units))
            .collect();
        ends.sort_unstable();
        let (mut then, mut shadow) = (free(&started), i64::MAX);
        for (place, (at, units)) in ends.iter().enumerate() {
            then += units;
            let last = ends.get(place + 1).is_none_or(|next| next.0 > *at);
            if last && then >= rows[first].units {
                shadow = *at;
                break;
            }
        }
        let mut extra = then - rows[first].units;
        for &at in &waiting[1..] {
            let beyond = now + rows[at].walltime > shadow;
            if rows[at].units <= free(&started) && (!beyond || rows[at].units <= extra) {
                started[at] = Some(now);
                extra -= if beyond { rows[at].units } else { 0 };
            }
        }
        if started.iter().all(Option::is_some) {
            break;
        }
    }
    started.into_iter().map(Option::unwrap).collect()
}

fn workload() -> impl Strategy<Value = Vec<Row>> {
    let row = (0_i64..60, 1..=CORES, 1_i64..15, 0_i64..8, 0_u32..4).prop_map(
        |(submitted, units, run, more, user)| Row {
            submitted,
            units,
            unit: vec![1],
            run,
            walltime: run + more,
            user,
        },
    );
    prop::collection::vec(row, 1..30)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Job by job as the plain program; energy in proportion to processor time gives the same order.
    #[test]
    fn fair_shares_start_as_the_plain_program(rows in workload()) {
        let system = System::of_one_resource("cores", 1, CORES);
        let options = [("half_life_s".to_owned(), "20".to_owned())];
        let expected = plain(&rows);
        for order in ["fairshare", "energy_fairshare", "fairshare_energy_fairshare"] {
            let names = [order, "easy", "first_fit", "walltime"];
            let (notes, results) = play_jobs(&system, jobs(&rows, 1), names, &options);
            let starts: Vec<i64> = notes.played.values().map(|it| it.started).collect();
            prop_assert_eq!(&starts, &expected, "{}", order);
            prop_assert!(results.users.iter().all(|it| it.final_factor.is_some_and(|it| it > 0.0 && it <= 1.0)));
        }
    }
}
