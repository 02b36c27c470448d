//! Fair shares against a plain program: usage by user, decayed, queue sorted anew at each end, EASY on one node.

use std::collections::BTreeMap;

use batch::dispatch::system::System;
use proptest::prelude::*;

use super::{Row, jobs, play_with_factors};

const CORES: u32 = 4;
const HALF_LIFE_S: f64 = 20.0;
const USERS: u32 = 4;

/// What sorts a user who used so many seconds and joules, where these are the most that any has now.
type Measure = fn((f64, f64), (f64, f64)) -> f64;

/// Each of them over the largest; nothing where nobody used anything.
fn summed(used: (f64, f64), most: (f64, f64)) -> f64 {
    let over = |used: f64, most: f64| if most > 0.0 { used / most } else { 0.0 };
    over(used.0, most.0) + over(used.1, most.1)
}

/// The starts under the paper's rule: who used least, decayed, goes first, ties by arrival. Users' joules are their seconds
/// times their factors.
fn plain(rows: &[Row], factors: &[f64], measure: Measure) -> Vec<i64> {
    let mut started: Vec<Option<i64>> = vec![None; rows.len()];
    let end = |at: usize, start: i64| start + rows[at].run.min(rows[at].walltime);
    // By user and by what is counted.
    let mut usage_of: BTreeMap<(u32, bool), (f64, i64)> = BTreeMap::new();
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
            let more = (rows[at].run.min(rows[at].walltime) * i64::from(rows[at].units)) as f64;
            let user = rows[at].user;
            for (joules, factor) in [(false, 1.0), (true, factors[user as usize])] {
                let before = usage_of.get(&(user, joules)).copied().unwrap_or((0.0, now));
                usage_of.insert((user, joules), (weigh(before, now) + more * factor, now));
            }
        }
        event |= rows.iter().any(|row| row.submitted == now);
        if !event {
            continue;
        }
        let of = |user: u32, joules: bool| {
            usage_of.get(&(user, joules)).map_or(0.0, |it| weigh(*it, now))
        };
        let most = |joules: bool| (0..USERS).map(|user| of(user, joules)).fold(0.0, f64::max);
        let most = (most(false), most(true));
        let usage = |at: usize| {
            let user = rows[at].user;
            measure((of(user, false), of(user, true)), most)
        };
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
    let row = (0_i64..60, 1..=CORES, 1_i64..15, 0_i64..8, 0..USERS).prop_map(
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

    /// Job by job as the plain program, with users who draw more and less than others.
    #[test]
    fn fair_shares_start_as_the_plain_program(
        rows in workload(),
        // All different, and none a quotient of small numbers: nobody stands equal but by rounding.
        factors in Just(vec![1.0, 0.731, 1.297, 0.313]).prop_shuffle(),
    ) {
        let system = System::of_one_resource("cores", 1, CORES);
        let options = [("half_life_s".to_owned(), "20".to_owned())];
        let energy_factors =
            (0..USERS).map(|user| (format!("user{user}"), factors[user as usize])).collect();
        let orders: [(&str, Measure); 3] = [
            ("fairshare", |used, _| used.0),
            ("energy_fairshare", |used, _| used.1),
            ("fairshare_energy_fairshare", summed),
        ];
        for (order, measure) in orders {
            let names = [order, "easy", "first_fit", "walltime"];
            let (notes, results) =
                play_with_factors(&system, jobs(&rows, 1), names, &options, &energy_factors);
            let starts: Vec<i64> = notes.played.values().map(|it| it.started).collect();
            prop_assert_eq!(&starts, &plain(&rows, &factors, measure), "{}", order);
            prop_assert!(results.users.iter().all(|it| it.final_factor.is_some_and(|it| it > 0.0 && it <= 1.0)));
        }
    }
}
