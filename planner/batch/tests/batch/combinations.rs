//! Combinations of parts that have no name, against plain rules.

use batch::policy::{BackfillPart, GatePart, OrderPart, SwitchingPart};
use batch::reservation::Reservation;
use batch::steps::Steps;
use proptest::prelude::*;

use super::naive;
use super::naive_queue::queue_places;
use super::naive_sets::{
    Chosen, MACHINES, Place, Plain, grouped, places, platform_of, widest, workload,
};
use super::switching::{Case, drawn_w, witness};
use super::*;

/// Parts by their names; the others are the first of each kind.
pub fn parts(order: &str, backfill: &str, fit: &str) -> Combination {
    let said = SaidParts {
        order: Some(OrderPart::named(order).unwrap()),
        backfill: Some(BackfillPart::named(backfill).unwrap()),
        fit: Some(FitPart::named(fit).unwrap()),
        ..SaidParts::default()
    };
    Combination { said, ..Combination::default() }
}

/// The same with a gate and a switching.
pub fn parts_of(names: [&str; 5]) -> Combination {
    let [order, backfill, fit, gate, switching] = names;
    let combination = parts(order, backfill, fit);
    let gate = Some(GatePart::named(gate).unwrap());
    let switching = Some(SwitchingPart::named(switching).unwrap());
    Combination { said: SaidParts { gate, switching, ..combination.said }, ..combination }
}

/// What happens to jobs on a platform under a combination.
pub fn combined(
    platform: &Platform,
    rows: &[Row],
    combination: Combination,
    options: &[(String, String)],
    reservations: &[Reservation],
) -> Notes {
    let mut notes = Notes::default();
    let setting = Setting { options, reservations, ..setting(platform) };
    let mut scheduler = combination.scheduler(&setting).unwrap();
    let jobs = jobs(rows).into_iter().map(Ok::<Job, Infallible>);
    simulate(jobs, cluster(platform), scheduler.as_mut(), &mut notes).unwrap();
    notes
}

pub fn combined_starts(machines: u32, rows: &[Row], combination: Combination) -> Vec<i64> {
    let notes = combined(&platform(machines), rows, combination, &[], &[]);
    notes.played.values().map(|happened| happened.started).collect()
}

/// By what a queue is sorted.
type Key = fn(&Row) -> i64;

/// Orders and their keys.
const ORDERS: [(&str, Key); 3] = [("fcfs", |_| 0), ("sjf", |row| row.3), ("ljf", |row| -row.3)];

/// Fits by name, and how they choose.
fn fits(groups: [u8; MACHINES as usize]) -> [(&'static str, Chosen); 5] {
    [
        ("set", Chosen::Lowest),
        ("contiguous", Chosen::Neighbours { always: true }),
        ("best_effort_contiguous", Chosen::Neighbours { always: false }),
        ("local", Chosen::Local { always: true, groups }),
        ("best_effort_local", Chosen::Local { always: false, groups }),
    ]
}

/// Jobs that fit into a group, where they have to.
fn kept(rows: &[Row], fit: &str, groups: [u8; MACHINES as usize]) -> Vec<Row> {
    let fits = |row: &&Row| fit != "local" || row.1 <= widest(groups);
    rows.iter().filter(fits).copied().collect()
}

type Reserved = Vec<(i64, i64, Vec<u32>)>;

/// Machines reserved in advance: from when, until when, which.
fn reserved() -> impl Strategy<Value = Reserved> {
    let one = (0_i64..60, 1_i64..20, 0..MACHINES, 1..=3_u32);
    prop::collection::vec(one, 0..4).prop_map(|all| {
        let mut kept: Reserved = Vec::new();
        for (from, length, first, count) in all {
            let machines: Vec<u32> = (first..(first + count).min(MACHINES)).collect();
            let together = |(start, end, others): &(i64, i64, Vec<u32>)| {
                *start < from + length
                    && from < *end
                    && others.iter().any(|it| machines.contains(it))
            };
            if !kept.iter().any(together) {
                kept.push((from, from + length, machines));
            }
        }
        kept
    })
}

fn reservations(reserved: &Reserved) -> Vec<Reservation> {
    let of = |(from, until, machines): &(i64, i64, Vec<u32>)| Reservation {
        from: Time::from_seconds(*from),
        until: Time::from_seconds(*until),
        machines: NodeSet::from_positions(machines.iter().copied()),
    };
    reserved.iter().map(of).collect()
}

fn check_places(notes: &Notes, places: &[Place], what: &str) -> Result<(), TestCaseError> {
    prop_assert_eq!(notes.played.len(), places.len());
    for (happened, place) in notes.played.values().zip(places) {
        let machines = NodeSet::from_positions(place.machines.iter().copied());
        prop_assert_eq!(
            (happened.started, &happened.machines),
            (place.start, &machines),
            "{}",
            what
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// By count, in every order, EASY and conservative backfilling start jobs as the plain rules do.
    #[test]
    fn orders_by_count_start_as_the_plain_rules(rows in workload()) {
        for (order, key) in ORDERS {
            let easy = naive::starts(MACHINES, &rows, &mut naive::Easy(key));
            prop_assert_eq!(combined_starts(MACHINES, &rows, parts(order, "easy", "count")), easy);
            let strict = naive::starts(MACHINES, &rows, &mut naive::InOrder(key));
            for fit in ["count", "set"] {
                let played = combined_starts(MACHINES, &rows, parts(order, "none", fit));
                prop_assert_eq!(&played, &strict);
            }
            let mut rule = naive::Conservative::new(MACHINES, rows.len()).in_order(key);
            let planned = naive::starts(MACHINES, &rows, &mut rule);
            let played = combined_starts(MACHINES, &rows, parts(order, "conservative", "count"));
            prop_assert_eq!(&played, &planned);
            prop_assert!(played.iter().zip(&rule.guarantees).all(|(start, first)| start <= first));
        }
    }

    /// The core and its fast path by count start the same jobs: the core plays where there is a gate.
    #[test]
    fn the_core_starts_as_its_fast_path(rows in workload()) {
        for (order, _) in ORDERS {
            for backfill in ["none", "easy"] {
                let fast = combined_starts(MACHINES, &rows, parts(order, backfill, "count"));
                let combination = parts_of([order, backfill, "count", "power_cap", "none"]);
                let cap = [("cap_w", "1e6")];
                let case = Case { combination, ..Case::of(Policy::PowerCap, &cap) };
                let played = witness(&rows, &case).notes.played;
                let starts: Vec<i64> = played.values().map(|happened| happened.started).collect();
                prop_assert_eq!(starts, fast, "{} {}", order, backfill);
            }
        }
    }

    /// Strict queues and EASY, in every order and with every fit, beside reservations and without, start every job
    /// when and where the plain rule does.
    #[test]
    fn queues_choose_as_the_plain_rule(
        rows in workload(),
        groups in grouped(),
        reserved in reserved(),
    ) {
        let platform = platform_of(groups);
        for (order, key) in ORDERS {
            for (fit, chosen) in fits(groups) {
                let rows = kept(&rows, fit, groups);
                for backfills in [false, true] {
                    let combination = parts(order, if backfills { "easy" } else { "none" }, fit);
                    for reserved in [&Vec::new(), &reserved] {
                        let plain = Plain { key, reserved, ..Plain::of(chosen) };
                        let expected = queue_places(&rows, plain, backfills);
                        let reservations = reservations(reserved);
                        let notes = combined(&platform, &rows, combination, &[], &reservations);
                        let what = format!("{order} {fit} {backfills} {reserved:?}");
                        check_places(&notes, &expected, &what)?;
                    }
                }
            }
        }
    }

    /// Conservative backfilling, in every order and with every fit, beside reservations or under a cap, starts every
    /// job when and where the plain rule does. 570 W are drawn by idle machines, and 95 W more by one that computes.
    #[test]
    fn conservative_plans_as_the_plain_rule(
        rows in workload(),
        groups in grouped(),
        reserved in reserved(),
        caps in prop::collection::vec((1_i64..20, 0..=MACHINES), 0..4),
    ) {
        let (mut limits, mut pieces, mut at) = (Vec::new(), Vec::new(), 0);
        for (length, most) in caps {
            let cap = Power::from_watts(570.0 + 95.0 * f64::from(most)).unwrap();
            limits.push((at, at + length, most as usize));
            pieces.push((Time::from_seconds(at), Time::from_seconds(at + length), cap));
            at += length;
        }
        let tables = SupplierTables { cap: Some(Steps::of(pieces)), ..NOTHING.clone() };
        for (order, key) in ORDERS {
            for (fit, chosen) in fits(groups).into_iter().filter(|(fit, _)| !fit.contains("local")) {
                let plain = Plain { key, limits: &limits, ..Plain::of(chosen) };
                let (expected, _) = places(&rows, plain);
                let combination = parts_of([order, "conservative", fit, "power_cap", "none"]);
                let tables = tables.clone();
                let case = Case { combination, tables, ..Case::of(Policy::PowerCap, &[]) };
                check_places(&witness(&rows, &case).notes, &expected, order)?;
            }
            for (fit, chosen) in fits(groups) {
                let rows = kept(&rows, fit, groups);
                let (expected, promises) =
                    places(&rows, Plain { key, reserved: &reserved, ..Plain::of(chosen) });
                let combination = parts(order, "conservative", fit);
                let reservations = reservations(&reserved);
                let notes = combined(&platform_of(groups), &rows, combination, &[], &reservations);
                check_places(&notes, &expected, fit)?;
                let starts = notes.played.values().map(|happened| happened.started);
                prop_assert!(starts.zip(promises).all(|(start, promise)| start <= promise));
            }
        }
    }

    /// Every order, fit, gate and way to switch together: the witness sees to it that machines do only what they can;
    /// all jobs run, and at no instant does a job or a switch begin above the cap.
    #[test]
    fn gates_and_switches_go_with_every_queue(
        rows in workload(),
        order in prop::sample::select(vec!["fcfs", "sjf", "ljf"]),
        backfill in prop::sample::select(vec!["none", "easy"]),
        fit in prop::sample::select(vec!["count", "set", "contiguous", "best_effort_contiguous", "local"]),
        switching in prop::sample::select(vec!["none", "opportunistic", "proportional", "inertial"]),
        caps in prop::collection::vec((1_i64..60, 760_i64..1_200), 0..6),
        size in 2..=MACHINES,
    ) {
        let mut at = 0;
        let pieces: Vec<(Time, Time, Power)> = caps.into_iter().map(|(length, cap)| {
            let from = Time::from_seconds(at);
            at += length;
            (from, Time::from_seconds(at), Power::from_microwatts(cap * 1_000_000))
        }).collect();
        let cap = Steps::of(pieces);
        let size = size.to_string();
        let mut options = vec![("period_s", "9")];
        if fit == "local" {
            options.push(("group_size", &size));
        }
        if switching != "none" {
            options.push(("idle_s", "3"));
        }
        let rows: Vec<Row> = rows
            .into_iter()
            .filter(|row| fit != "local" || row.1.to_string() <= size)
            .collect();
        prop_assume!(!rows.is_empty());
        let combination = parts_of([order, backfill, fit, "power_cap", switching]);
        let tables = SupplierTables { cap: Some(cap.clone()), ..NOTHING.clone() };
        let case = Case { combination, tables, ..Case::of(Policy::PowerCap, &options) };
        let witness = witness(&rows, &case);
        prop_assert_eq!(witness.notes.played.len(), rows.len());
        for from in witness.changes() {
            let drawn = Power::from_microwatts(drawn_w(&witness, from) * 1_000_000);
            prop_assert!(cap.at(from).is_none_or(|cap| drawn <= cap), "{:?} at {}", drawn, from);
        }
    }
}
