//! What holds of every month under the manager, by brute force over what nodes did.

use std::collections::BTreeSet;

use jiff::civil::Time;
use jiff::tz::TimeZone;
use planner::power_plan::WeeklyWindow;
use proptest::prelude::*;
use simulator::node_power::{NodeActivity, NodeCourse, NodeHold};

use super::*;

const END: i64 = 40_000;
const NODES: u32 = 3;

/// A booking: how long before its start it is known, start, length and nodes as bits.
type Drawn = (i64, i64, i64, u32);

#[derive(Clone, Debug)]
struct Case {
    bookings: Vec<Drawn>,
    prices: Vec<i64>,
    idle_w: [i32; NODES as usize],
    on_w: i32,
    on_s: u64,
    keep_warm: u32,
}

fn case() -> impl Strategy<Value = Case> {
    let booking = (0..9_000_i64, 0..END - 100, 50..6_000_i64, 1..1_u32 << NODES);
    let prices = prop::collection::vec(-20..100_i64, 4);
    let idle = prop::array::uniform3(60..100_i32);
    (prop::collection::vec(booking, 0..8), prices, idle, 100..150_i32, 1..400_u64, 0..3_u32)
        .prop_map(|(bookings, prices, idle_w, on_w, on_s, keep_warm)| Case {
            bookings,
            prices,
            idle_w,
            on_w,
            on_s,
            keep_warm,
        })
}

impl Case {
    /// The month; all bookings are known at its start, or each so long before it begins.
    fn month(&self, known_at_start: bool, criterion: Criterion) -> PowerMonth {
        let rows: Vec<(i64, i64, i64, Vec<u32>)> = self
            .bookings
            .iter()
            .map(|&(before, start, length, bits)| {
                let nodes = (0..NODES).filter(|node| bits >> node & 1 == 1).collect();
                let known = if known_at_start { 0 } else { (start - before).max(0) };
                (known, start, (start + length).min(END), nodes)
            })
            .collect();
        // A node is booked once at a time.
        let mut kept: Vec<&(i64, i64, i64, Vec<u32>)> = Vec::new();
        for row in &rows {
            let meets = |it: &&&(i64, i64, i64, Vec<u32>)| {
                it.1 < row.2 && row.1 < it.2 && it.3.iter().any(|node| row.3.contains(node))
            };
            if kept.iter().find(meets).is_none() {
                kept.push(row);
            }
        }
        kept.sort_by_key(|row| row.0);
        let rows: Vec<Row<'_>> =
            kept.iter().map(|it| (it.0, it.1, it.2, it.3.as_slice())).collect();
        let mut month = month(END, NODES, &rows);
        let node = |idle: &i32| Node::new(watts((*idle).into()), watts(190.0), None).unwrap();
        month.nodes = Arc::new(Nodes::numbered(self.idle_w.iter().map(node).collect()).unwrap());
        let mut sleep = thesis_sleep();
        sleep.switching_on =
            Transition { power: watts(self.on_w.into()), time: Duration::from_secs(self.on_s) };
        month.switching.fill(Some(Switching { sleep, boot: sleep.switching_on.time }));
        let prices: Vec<(i64, i64)> =
            (0..).map(|it| it * 10_000).zip(self.prices.iter().map(|it| it * MILLION)).collect();
        month.agendas.price = agenda(END, &prices, EnergyPrice::from_millionths_per_mwh);
        month.rules.rank_by = RankBy::new(&[criterion]).unwrap();
        month.rules.keep_warm = vec![kept_warm(0..NODES, self.keep_warm)];
        month
    }

    /// Wakes nodes by a boot that takes up to half as long again.
    fn with_lead(&self, mut month: PowerMonth) -> PowerMonth {
        for switching in month.switching.iter_mut().flatten() {
            switching.boot = Duration::from_millis(1_500 * self.on_s);
        }
        month
    }
}

/// What a node did at a millisecond, and who held it.
fn doing(node: &NodeCourse, ms: i64) -> (NodeActivity, Option<&NodeHold>) {
    let activity = node.steps.iter().rev().find(|step| step.0 <= ms).unwrap().1;
    let hold = node.holds.iter().find(|hold| hold.span.contains(at(ms.div_euclid(1000))));
    (activity, hold)
}

/// The milliseconds at which anything changes, and the end.
fn edges(played: &PlayedPower) -> Vec<i64> {
    let steps = played.nodes.iter().flat_map(|node| node.steps.iter().map(|step| step.0));
    let holds = played.nodes.iter().flat_map(|node| &node.holds);
    let holds = holds.flat_map(|hold| [hold.span.start(), hold.span.end()]);
    let holds = holds.map(|edge| edge.as_unix_seconds() * 1000);
    let prices = (0..=END / 10_000).map(|it| it * 10_000_000);
    let all: BTreeSet<i64> = steps.chain(holds).chain(prices).collect();
    all.into_iter().filter(|edge| (0..=END * 1000).contains(edge)).collect()
}

/// What all nodes draw in microjoules x 1000, and what that costs, interval by interval.
fn brute_force(month: &PowerMonth, case: &Case, played: &PlayedPower) -> [i128; 2] {
    let edges = edges(played);
    let mut sum = [0_i128; 2];
    for pair in edges.windows(2) {
        for (place, node) in played.nodes.iter().enumerate() {
            let sleep = month.switching[place].unwrap().sleep;
            let power = match doing(node, pair[0]) {
                (NodeActivity::Up, Some(_)) => watts(190.0),
                (NodeActivity::Up, None) | (NodeActivity::OutOfService, _) => {
                    watts(case.idle_w[place].into())
                }
                (NodeActivity::SwitchingOff, _) => sleep.switching_off.power,
                (NodeActivity::SwitchingOn, _) => sleep.switching_on.power,
                (NodeActivity::Off, _) => sleep.off,
            };
            let energy = i128::from(power.as_microwatts()) * i128::from(pair[1] - pair[0]);
            let price = case.prices[usize::try_from(pair[0] / 10_000_000).unwrap()];
            sum[0] += energy;
            sum[1] += energy * i128::from(price * MILLION);
        }
    }
    sum
}

fn of(amounts: CriteriaAmounts, criterion: Criterion) -> i128 {
    amounts.thousandths(criterion).unwrap()
}

proptest! {
    /// Everything is known, every node boots in time: by the criterion that is ranked first nothing is lost against nodes that are on
    /// throughout, the oracle is as good or better, no node is late, and as many nodes as asked for stay warm.
    #[test]
    fn who_knows_everything_never_loses(case in case(), criterion in prop::sample::select(&Criterion::ALL[..])) {
        let month = case.month(true, criterion);
        let played = played(&month, boots(0, 0));
        let taken = account(&month, &played);
        let best = account(&month, &oracle(&month, &|| false).unwrap());
        let on = without_manager(&month);
        let [on, taken_all, best] =
            [on, taken, best].map(|it| of(it.beside_computing(), criterion));
        prop_assert!(best <= taken_all && taken_all <= on, "{best} {taken_all} {on}");
        prop_assert_eq!(taken.late_ms, 0);
        for edge in edges(&played).into_iter().filter(|edge| *edge < END * 1000) {
            let now: Vec<_> = played.nodes.iter().map(|node| doing(node, edge)).collect();
            prop_assert!(now.iter().all(|it| it.1.is_none() || it.0 == NodeActivity::Up));
            let free = now.iter().filter(|it| it.1.is_none());
            let warm = free.clone().filter(|it| it.0 == NodeActivity::Up).count();
            prop_assert!(warm >= free.count().min(case.keep_warm as usize), "at {edge}");
        }
    }

    /// Whatever comes unforeseen and however long nodes boot, the oracle draws no more; and what is counted is what brute force finds.
    #[test]
    fn nobody_draws_less_than_the_oracle(case in case(), spread in 0..500_000_u32) {
        let month = case.month(false, Criterion::Energy);
        let played = played(&month, boots(spread, 0));
        let taken = account(&month, &played);
        let best = account(&month, &oracle(&month, &|| false).unwrap());
        let [beside, least] =
            [taken, best].map(|it| of(it.beside_computing(), Criterion::Energy));
        prop_assert!(least <= beside, "{least} {beside}");
        let [energy, cost] = brute_force(&month, &case, &played);
        prop_assert_eq!(of(taken.drawn(), Criterion::Energy), energy);
        prop_assert_eq!(of(taken.drawn(), Criterion::Cost), cost);
        let late: u64 = edges(&played).windows(2).map(|pair| {
            let late = |node: &&NodeCourse| {
                let (activity, hold) = doing(node, pair[0]);
                hold.is_some() && activity != NodeActivity::Up
            };
            let nodes = played.nodes.iter().filter(late).count() as u64;
            nodes * (pair[1] - pair[0]).unsigned_abs()
        }).sum();
        prop_assert_eq!(taken.late_ms, late);
    }

    /// Who knows of each booking as long before as switching off and booting may take has no node late.
    #[test]
    fn what_is_known_in_time_is_served_in_time(mut case in case(), spread in 0..500_000_u32) {
        for booking in &mut case.bookings {
            booking.0 = booking.0.max(7 + i64::try_from(case.on_s * 3 / 2 + 1).unwrap());
            booking.1 = booking.1.max(booking.0);
        }
        case.bookings.retain(|booking| booking.1 < END);
        let month = case.with_lead(case.month(false, Criterion::Energy));
        prop_assert_eq!(account(&month, &played(&month, boots(spread, 0))).late_ms, 0);
    }

    /// Nodes are switched off in permitted hours alone, from 02:00 to 06:00 of UTC, and once a day; the month is within a day.
    #[test]
    fn rights_and_switches_a_day_are_kept_to(case in case()) {
        let mut month = case.month(false, Criterion::Energy);
        month.rules.most_switches_per_day = Some(1);
        let clock = |hour| Time::new(hour, 0, 0, 0).unwrap();
        let (from, to, zone) = (clock(2), clock(6), TimeZone::UTC);
        month.rules.rights[0].windows.push(WeeklyWindow { days: Vec::new(), from, to, zone });
        for node in &played(&month, boots(0, 0)).nodes {
            let offs = node.steps.iter().filter(|step| step.1 == NodeActivity::SwitchingOff);
            let offs: Vec<i64> = offs.map(|step| step.0 / 3_600_000).collect();
            prop_assert!(offs.len() <= 1 && offs.iter().all(|hour| (2..6).contains(hour)), "{offs:?}");
        }
    }

    /// Where nodes do not come back, each node-second of a booking is held by a node or lost, and a node is held once at a time.
    #[test]
    fn what_failed_nodes_were_booked_for_is_held_or_lost(case in case(), percent in 0..100_u32) {
        let mut month = case.month(false, Criterion::Energy);
        month.repair = Seconds::new(5_000);
        let played = played(&month, boots(0, percent * 10_000));
        let booked: i64 = month.bookings.iter()
            .map(|it| it.span.length().get() * i64::from(it.nodes.count())).sum();
        let holds = played.nodes.iter().flat_map(|node| &node.holds);
        let held: i64 = holds.map(|hold| hold.span.length().get()).sum();
        prop_assert_eq!(held + i64::try_from(played.counts.lost_s).unwrap(), booked);
        for node in &played.nodes {
            for pair in node.holds.windows(2) {
                prop_assert!(pair[0].span.end() <= pair[1].span.start());
            }
            for edge in edges(&played).into_iter().filter(|edge| *edge < END * 1000) {
                let (activity, hold) = doing(node, edge);
                // Bookings end on whole seconds: a node that fails within one is held to its end.
                let is_over = hold.is_none_or(|it| it.span.end() == at(edge.div_euclid(1000) + 1));
                prop_assert!(activity != NodeActivity::OutOfService || is_over);
            }
        }
    }
}
