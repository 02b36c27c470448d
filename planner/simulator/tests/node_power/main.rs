//! The manager of the nodes' power over a month: worked examples, the batch simulator beside it, and what holds of every month.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use planner::agenda::{Agenda, Agendas, Piece, RateAgenda};
use planner::criterion::Criterion;
use planner::node::{Node, Nodes};
use planner::node_set::NodeSet;
use planner::power_plan::{
    CriteriaAmounts, KeepWarm, RankBy, Right, RightAction, RightLevel, Switching,
};
use planner::power_states::{Sleep, Transition};
use planner::quantity::{CarbonIntensity, EnergyPrice, MILLION, Power, Rate};
use planner::search::Cancelled;
use planner::time::{Seconds, Span, Timestamp};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use simulator::node_power::{
    BootDraws, ManagerRules, MonthBooking, PlayedPower, PowerMonth, account, oracle, play,
    without_manager,
};

mod batch_queue;
mod properties;

const DAY: i64 = 86_400;

fn watts(watts: f64) -> Power {
    Power::from_watts(watts).unwrap()
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_unix_seconds(second)
}

fn span(start: i64, end: i64) -> Span {
    Span::new(at(start), at(end)).unwrap()
}

/// Table 6.1 of the Batsim thesis.
fn thesis_sleep() -> Sleep {
    let transition =
        |power_w, ms| Transition { power: watts(power_w), time: Duration::from_millis(ms) };
    Sleep {
        number: 1,
        off: watts(9.75),
        switching_off: transition(101.0, 6_100),
        switching_on: transition(125.17, 151_520),
    }
}

/// Rates from instants on, to the end.
fn agenda<R: Rate + Copy>(
    end: i64,
    rates: &[(i64, i64)],
    of: fn(i64) -> Option<R>,
) -> RateAgenda<R> {
    let ends = rates[1..].iter().map(|it| it.0).chain([end]);
    let pieces = rates.iter().zip(ends);
    let pieces = pieces.map(|(it, end)| Piece { span: span(it.0, end), value: of(it.1).unwrap() });
    RateAgenda::new(Agenda::new(pieces.collect()).unwrap())
}

/// Bookings: known from, start, end and nodes.
type Row<'a> = (i64, i64, i64, &'a [u32]);

/// Nodes of 95 W idle that compute with 190 W, at 50 per MWh and 50 g/kWh.
fn month(end: i64, nodes: u32, rows: &[Row<'_>]) -> PowerMonth {
    let node = Node::new(watts(95.0), watts(190.0), None).unwrap();
    let all = Arc::new(NodeSet::from_positions(0..nodes));
    let draws: Arc<[Power]> = vec![watts(190.0); nodes as usize].into();
    let booking = |&(known, start, end, nodes): &Row<'_>| MonthBooking {
        known_from: at(known),
        span: span(start, end),
        nodes: NodeSet::from_positions(nodes.iter().copied()),
        admitted: Arc::clone(&all),
        draws: Arc::clone(&draws),
    };
    let sleep = thesis_sleep();
    let boot = sleep.switching_on.time;
    PowerMonth {
        month: span(0, end),
        nodes: Arc::new(Nodes::numbered(vec![node; nodes as usize]).unwrap()),
        switching: vec![Some(Switching { sleep, boot }); nodes as usize],
        bookings: rows.iter().map(booking).collect(),
        agendas: Agendas {
            price: agenda(end, &[(0, 50 * MILLION)], EnergyPrice::from_millionths_per_mwh),
            co2: agenda(end, &[(0, 50 * MILLION)], CarbonIntensity::from_millionths_g_per_kwh),
            power_cap: None,
        },
        rules: ManagerRules {
            rights: vec![Right {
                nodes: NodeSet::from_positions(0..nodes),
                level: RightLevel::Automatic,
                actions: vec![RightAction::Off],
                windows: Vec::new(),
            }],
            keep_warm: Vec::new(),
            most_switches_per_day: None,
            rank_by: RankBy::default(),
            wear: CriteriaAmounts::ZERO,
        },
        repair: Seconds::new(DAY),
    }
}

/// So many of these nodes stay warm.
fn kept_warm(among: Range<u32>, nodes: u32) -> KeepWarm {
    let among = NodeSet::from_positions(among);
    KeepWarm { name: "nodes".into(), among, nodes, until: None }
}

fn boots(spread_millionths: u32, failure_millionths: u32) -> BootDraws {
    BootDraws { stream: ChaCha8Rng::seed_from_u64(1), spread_millionths, failure_millionths }
}

fn played(month: &PowerMonth, boots: BootDraws) -> PlayedPower {
    play(month, boots, &|_| None, &|| false).unwrap()
}

/// Microjoules, in which the examples are whole.
fn microjoules(amounts: CriteriaAmounts) -> i128 {
    let exact = amounts.thousandths(Criterion::Energy).unwrap();
    assert_eq!(exact % 1_000, 0);
    exact / 1_000
}

/// A node that is booked from 0 to 1,000 s, and from 5,000 s to 6,000 s as becomes known at 5,000 s; the day ends at 86,400 s.
///
/// It is switched off at 1,000 s, woken at 5,000 s and up at 5,151.52 s: 151.52 s late. It is off from 1,006.1 s to 5,000 s, 3,993.9 s,
/// and from 6,006.1 s to 86,248.48 s, 80,242.38 s: 84,236.28 s at 9.75 W are 821,303.73 J. Switching takes 19,581.8584 J twice.
/// It computes for 1,000 s and 848.48 s: 351,211.2 J. On throughout, it idles for 84,400 s: 8,018,000 J.
///
/// The oracle wakes it at 4,848.48 s: it is off for 151.52 s less, which saves 1,477.32 J.
#[test]
fn a_request_that_nobody_foresaw_finds_its_node_asleep() {
    let month = month(DAY, 1, &[(0, 0, 1_000, &[0]), (5_000, 5_000, 6_000, &[0])]);
    let of = account(&month, &played(&month, boots(0, 0)));
    let parts = [of.idle, of.off, of.switching, of.computing].map(microjoules);
    assert_eq!(parts, [0, 821_303_730_000, 39_163_716_800, 351_211_200_000]);
    assert_eq!((of.late_nodes, of.late_ms), (1, 151_520));
    let on = without_manager(&month);
    assert_eq!([on.idle, on.computing].map(microjoules), [8_018_000_000_000, 380_000_000_000]);
    let best = account(&month, &oracle(&month, &|| false).unwrap());
    assert_eq!([best.off, best.switching].map(microjoules), [819_826_410_000, 39_163_716_800]);
    assert_eq!(best.late_nodes, 0);
}

/// A node that was switched off when a request came 60 s later: it draws 616.1 J for 6.1 s, 9.75 W for 53.9 s and 125.17 W for
/// 151.52 s, 20,107.3834 J, instead of 95 W for 60 s, 5,700 J. Who does not know what comes may lose.
#[test]
fn a_manager_may_lose_by_what_it_does_not_know() {
    let month = month(1_060, 1, &[(60, 60, 1_060, &[0])]);
    let of = account(&month, &played(&month, boots(0, 0)));
    assert_eq!(microjoules(of.beside_computing()), 20_107_383_400);
    assert_eq!(microjoules(without_manager(&month).beside_computing()), 5_700_000_000);
}

/// Of two nodes one stays warm. Which one is asleep when a request for both comes at 4,000 s; one of them is late.
#[test]
fn a_warm_node_is_not_late() {
    let mut month = month(DAY, 2, &[(4_000, 4_000, 5_000, &[0, 1])]);
    assert_eq!(account(&month, &played(&month, boots(0, 0))).late_nodes, 2);
    month.rules.keep_warm = vec![kept_warm(0..2, 1)];
    assert_eq!(account(&month, &played(&month, boots(0, 0))).late_nodes, 1);
}

/// Three nodes, of which two stay warm. A request takes both warm ones at 4,000 s, known at 1,000 s: the third is awake by 4,000 s, so that
/// one that comes then finds it up.
#[test]
fn nodes_are_woken_in_the_place_of_warm_ones_that_are_taken() {
    let mut probe = month(DAY, 3, &[]);
    probe.rules.keep_warm = vec![kept_warm(0..3, 2)];
    let steps = played(&probe, boots(0, 0)).nodes;
    let asleep = (0_u32..).zip(&steps).find(|(_, node)| node.steps.len() > 1).unwrap().0;
    let warm: Vec<u32> = (0..3).filter(|node| *node != asleep).collect();
    let rows: [Row<'_>; 2] = [(1_000, 4_000, 9_000, &warm), (4_000, 4_000, 5_000, &[asleep])];
    let mut month = month(DAY, 3, &rows);
    month.rules.keep_warm = vec![kept_warm(0..3, 2)];
    assert_eq!(account(&month, &played(&month, boots(0, 0))).late_nodes, 0);
}

/// Of nodes 0 and 1 one stays warm, of nodes 2 and 3 none. A request takes the warm one at 4,000 s, known at 1,000 s: the other one is awake
/// by then, and a request that comes for it at 4,000 s finds it up. One for node 2 that comes then does not. Node 3 sleeps on.
#[test]
fn nodes_are_woken_in_the_group_that_is_kept_warm() {
    let mut probe = month(DAY, 4, &[]);
    probe.rules.keep_warm = vec![kept_warm(0..2, 1)];
    let steps = played(&probe, boots(0, 0)).nodes;
    let asleep: Vec<u32> = (0..4).filter(|node| steps[*node as usize].steps.len() > 1).collect();
    assert_eq!(asleep.len(), 3);
    let rows: [Row<'_>; 3] = [
        (1_000, 4_000, 9_000, &[1 - asleep[0]]),
        (4_000, 4_000, 5_000, &[asleep[0]]),
        (4_000, 4_000, 5_000, &[2]),
    ];
    let mut month = month(DAY, 4, &rows);
    month.rules.keep_warm = vec![kept_warm(0..2, 1)];
    let one = played(&month, boots(0, 0));
    assert_eq!(account(&month, &one).late_nodes, 1);
    assert_eq!(one.nodes[3], steps[3]);
    // A second rule about the same nodes wakes none beside, and one that keeps none warm is no rule.
    month.rules.keep_warm = vec![kept_warm(0..2, 1), kept_warm(0..2, 1), kept_warm(0..4, 0)];
    assert_eq!(played(&month, boots(0, 0)), one);
}

/// Every boot fails. The node sleeps from 0 s, is woken at 3,848.48 s for 4,000 s and is given up then: another takes its place, which
/// is never switched off. With nobody to replace it the booking loses its 1,000 s.
#[test]
fn a_node_that_does_not_come_back_is_replaced() {
    let mut two = month(5_500, 2, &[(0, 4_000, 5_000, &[0])]);
    two.switching[1] = None;
    let of = played(&two, boots(0, 1_000_000));
    assert_eq!(
        (of.counts.boot_failures, of.counts.replaced_nodes, of.counts.lost_nodes),
        (1, 1, 0)
    );
    assert_eq!(account(&two, &of).late_nodes, 0);
    let one = month(5_500, 1, &[(0, 4_000, 5_000, &[0])]);
    let of = played(&one, boots(0, 1_000_000));
    assert_eq!((of.counts.replaced_nodes, of.counts.lost_nodes, of.counts.lost_s), (0, 1, 1_000));
}

#[test]
fn a_month_that_is_cancelled_has_no_results() {
    let month = month(DAY, 1, &[]);
    assert_eq!(play(&month, boots(0, 0), &|_| None, &|| true), Err(Cancelled));
    assert_eq!(oracle(&month, &|| true), Err(Cancelled));
}
