//! Offers that count idle energy, on random small problems: the judge, and every start by itself.
//!
//! `WATTBOOK_PROPERTY_CASES` says how many problems each mode plans, 10,000 by default.

#![expect(clippy::unwrap_used, reason = "a test may panic wherever it is")]

mod cases;
mod sketch;

use std::cell::Cell;
use std::time::Duration;

use planner::check::check;
use planner::criterion::Criterion;
use planner::decision::{Decision, Offer};
use planner::idle_energy::{Fit, IdleEnergy};
use planner::node_set::NodeSet;
use planner::power_plan::{
    CriteriaAmounts, PowerRules, RankBy, Right, RightAction, RightLevel, Switching,
};
use planner::power_states::{Sleep, Transition};
use planner::problem::{PlanningProblem, SearchMode};
use planner::quantity::Power;
use planner::ranking::Ranking;
use planner::request::Tolerances;
use planner::search::plan_problem;
use planner::slower_states::SlowerStates;
use planner::time::{Seconds, Timestamp};
use proptest::prelude::*;
use proptest::sample::select;

use sketch::Sketch;

/// What a site says of idle energy, as small numbers.
#[derive(Clone, Debug)]
struct Idle {
    until: i64,
    long_gaps: bool,
    /// Of each second node: off, switching off and on in microwatts; off, on and boot in half seconds.
    switching: [Option<([i64; 3], [u64; 3])>; 2],
    /// Nodes that may be switched, and those among them that may not, as bits.
    rights: (u8, u8),
    rank_by: Vec<Criterion>,
    wear: [i128; 3],
}

fn idle() -> impl Strategy<Value = Idle> {
    let powers = [0_i64..6, 0..18, 0..18];
    let switching = || prop::option::weighted(0.9, (powers.clone(), [0_u64..6, 0..8, 0..12]));
    let (energy, cost, co2) = (Criterion::Energy, Criterion::Cost, Criterion::Co2);
    let rank_by =
        select(vec![vec![energy], vec![cost, energy], vec![co2], vec![energy, cost, co2]]);
    let wear = [0_i128..20_000, 0..20_000, 0..20_000];
    let rights = (any::<u8>(), prop_oneof![3 => Just(0), 1 => any::<u8>()]);
    // Also not after now, which changes no sleep: a simulation goes on after its horizon.
    let until = prop_oneof![9 => 20_i64..160, 1 => -60..40_i64];
    ((until, any::<bool>(), rights), [switching(), switching()], rank_by, wear).prop_map(
        |((until, long_gaps, rights), switching, rank_by, wear)| Idle {
            until,
            long_gaps,
            switching,
            rights,
            rank_by,
            wear,
        },
    )
}

fn switching_of(([off, down, up], times): &([i64; 3], [u64; 3])) -> Switching {
    let [off_time, on_time, boot] = times.map(|halves| Duration::from_millis(500 * halves));
    let transition = |power: i64, time| Transition { power: Power::from_microwatts(power), time };
    let sleep = Sleep {
        number: 1,
        off: Power::from_microwatts(*off),
        switching_off: transition(*down, off_time),
        switching_on: transition(*up, on_time),
    };
    Switching { sleep, boot }
}

impl Idle {
    fn energy(&self, nodes: u32) -> IdleEnergy {
        let of = |ordinal: u32| self.switching[ordinal as usize % 2].as_ref().map(switching_of);
        let bits = |set: u8| NodeSet::from_positions((0..8).filter(|bit| set >> bit & 1 == 1));
        let right = |set, level| Right {
            nodes: bits(set),
            level,
            actions: vec![RightAction::Off],
            windows: Vec::new(),
        };
        let rules = PowerRules {
            slower_states: SlowerStates::default(),
            switching: (0..nodes).map(of).collect(),
            rights: vec![
                right(self.rights.0, RightLevel::Automatic),
                right(self.rights.1, RightLevel::Nothing),
            ],
            deciders: Vec::new(),
            unannounced: NodeSet::new(),
            keep_warm: Vec::new(),
            loads: Vec::new(),
            most_switches_per_day: None,
            rank_by: RankBy::new(&self.rank_by).unwrap(),
            wear: CriteriaAmounts::from_thousandths(self.wear.map(Some)),
            failure: (0, CriteriaAmounts::ZERO),
        };
        let fit = if self.long_gaps { Fit::LongGaps } else { Fit::LeastDraw };
        IdleEnergy { until: sketch::instant(self.until), fit, rules }
    }
}

/// The problem of a sketch, which counts idle energy, for one shape and without tolerances.
fn problem(sketch: &Sketch, idle: &Idle) -> PlanningProblem {
    let mut problem = sketch.problem();
    problem.idle_energy = Some(idle.energy(problem.nodes.count()));
    problem.request.alternatives.clear();
    problem.request.tolerances = Tolerances::default();
    problem
}

/// The decision, which the judge has no objection to.
fn judged(problem: &PlanningProblem) -> Decision {
    let (order, decision) = plan_problem(problem);
    assert_eq!(check(problem, &order, &decision), Ok(()));
    decision
}

/// Every start that is a multiple of `step` by itself, those that are feasible; of several speeds those that no other beats.
fn starts(problem: &PlanningProblem, step: Seconds) -> Vec<Offer> {
    let request = &problem.request;
    let first = request.earliest_start.max(problem.now).ceil_to(step);
    let next = |start: &Timestamp| Some(*start + step);
    let starts = std::iter::successors(Some(first), next);
    let starts = starts.take_while(|start| *start <= request.latest_start);
    let alone = starts.flat_map(|start| {
        let mut alone = problem.clone();
        alone.request.earliest_start = start;
        alone.request.latest_start = start;
        judged(&alone).pareto
    });
    alone.collect()
}

fn key(ranking: Ranking, offer: &Offer) -> [i128; 3] {
    ranking.criteria().map(|criterion| criterion.exact(&offer.counted()))
}

/// What one start by itself takes and changes is judged; so the best of them is what the whole plan should offer.
#[test]
fn on_slots_each_ranking_is_won_by_the_best_of_all_starts() {
    let counting = Cell::new(0_u32);
    cases::for_every(cases::cases() / 5, (sketch::slotted(), idle()), |(sketch, idle)| {
        let problem = problem(sketch, idle);
        let SearchMode::Slots { slot } = problem.search else { unreachable!("slots") };
        let decision = judged(&problem);
        let starts = starts(&problem, slot);
        for ranking in Ranking::ALL {
            let best = starts.iter().min_by_key(|it| (key(ranking, it), it.span.start()));
            let offer = decision.offer_for(ranking);
            assert_eq!(offer.is_some(), best.is_some());
            let (Some(offer), Some(best)) = (offer, best) else { continue };
            assert_eq!((offer.span, &offer.ranks), (best.span, &best.ranks));
            assert_eq!(offer.counted(), best.counted());
        }
        // Without the option the same nodes idle, and nobody asks.
        let sleeps = decision.offers().iter().any(|offer| {
            let idle = offer.idle_change.as_ref().unwrap().energy.as_microjoules();
            let nodes = problem.nodes.as_slice();
            let (order, _) = plan_problem(&problem);
            let taken = order.ordinals(&offer.ranks);
            let avoided = taken.positions().map(|it| nodes[it as usize].idle().as_microwatts());
            idle != -i128::from(avoided.sum::<i64>()) * i128::from(offer.span.length().get())
        });
        counting.set(counting.get() + u32::from(sleeps));
    });
    let share = f64::from(counting.get()) / f64::from(cases::cases() / 5);
    println!("in {:.1} % of the problems sleeping is worth something", 100.0 * share);
    assert!(share > 0.05);
}

/// To the second a better start may lie between the candidates, which are those of plans that count no idle energy. How
/// often an offer is the best in its first criterion is printed; `docs/MODEL.md` has the figure.
#[test]
fn to_the_second_no_offer_is_better_than_all_starts() {
    let (equal, all) = (Cell::new(0_u64), Cell::new(0_u64));
    cases::for_every(cases::cases() / 5, (sketch::exact(), idle()), |(sketch, idle)| {
        let problem = problem(sketch, idle);
        let decision = judged(&problem);
        let starts = starts(&problem, Seconds::ONE);
        for ranking in Ranking::ALL {
            let best = starts.iter().map(|it| key(ranking, it)).min();
            let offer = decision.offer_for(ranking).map(|offer| key(ranking, offer));
            assert_eq!(offer.is_some(), best.is_some());
            let (Some(own), Some(best)) = (offer, best) else { continue };
            assert!(own >= best);
            all.set(all.get() + 1);
            equal.set(equal.get() + u64::from(own[0] == best[0]));
        }
    });
    let share = equal.get() as f64 / all.get() as f64;
    println!("{:.2} % of {} offers are the best", 100.0 * share, all.get());
    assert!(share > 0.9);
}

/// With alternatives, tolerances and a busy book of dozens of nodes.
#[test]
fn the_judge_agrees_on_many_nodes() {
    cases::for_every(cases::cases() / 10, (sketch::crowded(), idle()), |(sketch, idle)| {
        let mut problem = sketch.problem();
        problem.idle_energy = Some(idle.energy(problem.nodes.count()));
        judged(&problem);
    });
}
