//! What must become of a decision when its problem changes, on random small problems of both modes.
//!
//! `WATTBOOK_PROPERTY_CASES` says on how many problems ten properties are tried, 10,000 by default.

#![expect(clippy::unwrap_used, reason = "a test may panic wherever it is")]

mod cases;
mod sketch;

use std::cell::Cell;
use std::sync::Arc;

use planner::agenda::RateAgenda;
use planner::book::BookedSpan;
use planner::criterion::Criterion;
use planner::decimal::Fraction;
use planner::decision::{Decision, Offer};
use planner::labels::Labels;
use planner::node::{Node, Nodes};
use planner::node_set::NodeSet;
use planner::order::{NodeOrder, Preference};
use planner::problem::{PlanningProblem, SearchMode};
use planner::quantity::{CarbonIntensity, EnergyPrice, Power};
use planner::ranking::Ranking;
use planner::request::Tolerances;
use planner::search::{PlanningView, plan, plan_problem};
use planner::selection::Selection;
use planner::slower_states::Speed;
use planner::time::{Seconds, Span, Timestamp};
use planner::tolerance::Tolerance;
use proptest::prelude::*;

use sketch::Sketch;

/// Tries a property on problems of both modes, with a random number below 1,000.
fn for_every_problem(property: impl Fn(PlanningProblem, i64)) {
    let sketches =
        prop_oneof![2 => sketch::slotted(), 2 => sketch::exact(), 1 => sketch::crowded()];
    cases::for_every(cases::cases() / 10, (sketches, 0..1_000_i64), |(sketch, roll)| {
        let sketch: &Sketch = sketch;
        property(sketch.problem(), *roll);
    });
}

fn planned(problem: &PlanningProblem) -> Decision {
    plan_problem(problem).1
}

fn strict(mut problem: PlanningProblem) -> PlanningProblem {
    problem.request.tolerances = Tolerances::default();
    problem
}

/// The least of each criterion, where anything is feasible.
fn best(decision: &Decision) -> Option<[i128; 3]> {
    let first = |criterion| {
        let ranking = Ranking::ALL.into_iter().find(|it| it.criteria()[0] == criterion).unwrap();
        Some(criterion.exact(&decision.offer_for(ranking)?.values))
    };
    let [energy, cost, co2] = Criterion::ALL.map(first);
    Some([energy?, cost?, co2?])
}

/// What was feasible still is, and no criterion's least has grown.
#[track_caller]
fn assert_no_worse(before: &PlanningProblem, after: &PlanningProblem) {
    let Some(before) = best(&planned(before)) else { return };
    let after = best(&planned(after)).expect("still feasible");
    assert!(
        before.iter().zip(after).all(|(before, after)| after <= *before),
        "{before:?} {after:?}"
    );
}

#[test]
fn a_relaxed_cap_never_worsens_the_best() {
    for_every_problem(|problem, roll| {
        let problem = strict(problem);
        let mut relaxed = problem.clone();
        let more = Power::from_microwatts(roll % 40);
        let cap = problem.agendas.power_cap.as_ref();
        relaxed.agendas.power_cap = cap.map(|cap| cap.map(|it| it + more));
        assert_no_worse(&problem, &relaxed);
        relaxed.agendas.power_cap = None;
        assert_no_worse(&problem, &relaxed);
    });
}

#[test]
fn a_wider_window_never_worsens_the_best() {
    for_every_problem(|problem, roll| {
        let mut problem = strict(problem);
        problem.request.earliest_start = problem.request.earliest_start.max(problem.now);
        problem.now = problem.now.min(problem.request.earliest_start - Seconds::new(100));
        let mut wider = problem.clone();
        let request = &mut wider.request;
        request.latest_start = request.latest_start + Seconds::new(roll % 30);
        request.earliest_start = request.earliest_start - Seconds::new(roll / 30);
        request.latest_end = request.latest_end.map(|end| end + Seconds::new(roll % 7));
        assert_no_worse(&problem, &wider);
    });
}

#[test]
fn another_shape_never_worsens_the_best() {
    for_every_problem(|problem, _| {
        let problem = strict(problem);
        let mut fewer = problem.clone();
        if fewer.request.alternatives.pop().is_some() && fewer.request.errors(fewer.now).is_empty()
        {
            assert_no_worse(&fewer, &problem);
        }
    });
}

#[test]
fn more_nodes_never_worsen_the_best_where_prices_are_not_negative_and_no_cap_binds() {
    for_every_problem(|problem, roll| {
        let mut problem = strict(problem);
        let agendas = &mut problem.agendas;
        let price = |it: EnergyPrice| it.max(EnergyPrice::from_millionths_per_mwh(0).unwrap());
        let none = CarbonIntensity::from_millionths_g_per_kwh(0).unwrap();
        agendas.price = RateAgenda::new(agendas.price.agenda().map(price));
        agendas.co2 = RateAgenda::new(agendas.co2.agenda().map(|it| it.max(none)));
        agendas.power_cap = None;
        let mut more = problem.clone();
        more.nodes = Arc::new(with_another(&problem.nodes, roll));
        assert_no_worse(&problem, &more);
    });
}

/// The nodes and another of up to 40 microwatts without slower states, labelled as one of them.
fn with_another(nodes: &Nodes, roll: i64) -> Nodes {
    let mut all: Vec<Node> = nodes.as_slice().to_vec();
    let (idle, more) = (roll % 20, roll / 50);
    let power = Power::from_microwatts;
    all.push(Node::new(power(idle), power(idle + more), None).unwrap());
    let count = nodes.count();
    let like = u32::try_from(roll).unwrap() % count;
    let of = |ordinal| nodes.labels().of(ordinal).cloned().unwrap_or_default();
    let labels = Labels::new((0..count).chain([like]).map(of));
    let states = nodes.slower_states().clone();
    Nodes::numbered(all).unwrap().with_labels(labels).with_slower_states(states)
}

/// The last instant at which a reservation for the request may end, at any speed.
fn last_end(problem: &PlanningProblem) -> Timestamp {
    let request = &problem.request;
    let states = problem.nodes.slower_states().states().iter().map(|state| state.speed);
    let allowed = states.filter(|speed| *speed >= request.slowest_speed);
    let speeds: Vec<Speed> = allowed.chain([Speed::FULL]).collect();
    let durations = request.shapes().flat_map(|shape| {
        speeds.iter().map(move |speed| speed.stretched(shape.duration)).collect::<Vec<_>>()
    });
    durations.map(|duration| request.latest_start_for(duration) + duration).max().unwrap()
}

#[test]
fn a_booking_beyond_every_start_changes_nothing() {
    for_every_problem(|problem, roll| {
        let request = &problem.request;
        let first = request.earliest_start_at(problem.now);
        let last = last_end(&problem);
        // An edge next to the window would make its neighbour a candidate of the exact mode.
        let (length, beyond) = (Seconds::new(1 + roll % 40), Seconds::new(2 + roll / 400));
        let span = match roll % 2 {
            0 => Span::starting(last + beyond, length),
            _ => Span::starting(first - beyond - length, length),
        };
        let nodes = NodeSet::from_positions(0..problem.nodes.count());
        let mut other = problem.clone();
        let id = format!("r{}", roll % 4).into();
        other.reservations.push(BookedSpan { id, span: span.unwrap(), nodes });
        assert_eq!(planned(&problem), planned(&other));
    });
}

#[test]
fn a_booking_next_to_every_start_leaves_the_offers() {
    for_every_problem(|problem, roll| {
        let request = &problem.request;
        let first = request.earliest_start_at(problem.now);
        let length = Seconds::new(1 + roll % 40);
        let spans = [(last_end(&problem), length), (first - length, length)];
        let nodes = NodeSet::from_positions(0..problem.nodes.count());
        let mut other = problem.clone();
        other.reservations.extend(spans.map(|(start, length)| {
            let span = Span::starting(start, length).unwrap();
            BookedSpan { id: "beside".into(), span, nodes: nodes.clone() }
        }));
        let (alone, beside) = (planned(&problem), planned(&other));
        assert_eq!(alone.outcome, beside.outcome);
        assert_eq!(alone.as_soon_as_possible, beside.as_soon_as_possible);
    });
}

#[test]
fn the_exact_mode_is_never_worse_than_slots() {
    for_every_problem(|problem, roll| {
        let slots = SearchMode::Slots { slot: Seconds::new(1 + roll % 15) };
        let slotted = PlanningProblem { search: slots, ..strict(problem) };
        assert_no_worse(
            &slotted,
            &PlanningProblem { search: SearchMode::Exact, ..slotted.clone() },
        );
    });
}

/// A looser tolerance of an earlier criterion may well delay a winner: it lets in a later start that
/// is better in the next one. That of the last criterion only lets in more to take the earliest of.
#[test]
fn a_looser_tolerance_of_the_last_criterion_never_delays_a_winner() {
    for_every_problem(|problem, roll| {
        let tight = planned(&problem);
        for ranking in Ranking::ALL {
            let mut looser = problem.clone();
            let tolerances = &mut looser.request.tolerances;
            let of = match ranking.criteria()[2] {
                Criterion::Energy => &mut tolerances.energy,
                Criterion::Cost => &mut tolerances.cost,
                Criterion::Co2 => &mut tolerances.co2,
            };
            let more = f64::from(i32::try_from(roll).unwrap()) / 500.0;
            *of = Tolerance::new((of.as_f64() + more).min(10.0)).unwrap();
            let loose = planned(&looser);
            let start = |decision: &Decision| Some(decision.offer_for(ranking)?.span.start());
            assert!(start(&loose) <= start(&tight), "{ranking}");
        }
    });
}

#[test]
fn a_winner_is_within_the_tolerance_of_the_best() {
    for_every_problem(|problem, _| {
        let tolerances = problem.request.tolerances;
        let (tolerant, strict) = (planned(&problem), planned(&strict(problem)));
        let Some(best) = best(&strict) else { return };
        for ranking in Ranking::ALL {
            let first = ranking.criteria()[0];
            let offer = tolerant.offer_for(ranking).unwrap();
            let most = tolerances.of(first).threshold(best[first as usize]);
            assert!(first.exact(&offer.values) <= most, "{ranking}");
        }
    });
}

/// Start, length, rankings and nodes of the decision's starts, what they state, and the counts.
fn in_ordinals(order: &NodeOrder, decision: &Decision) -> impl PartialEq + std::fmt::Debug + use<> {
    let offer = |offer: &Offer| {
        (order.ordinals(&offer.ranks), Offer { ranks: NodeSet::new(), ..offer.clone() })
    };
    let offers: Vec<_> = decision.offers().iter().map(offer).collect();
    let pareto: Vec<_> = decision.pareto.iter().map(offer).collect();
    let soonest = decision.as_soon_as_possible.as_ref().map(offer);
    let reasons = decision.reasons.iter().map(|it| (it.code, it.excluded_starts, it.binding));
    (offers, soonest, pareto, decision.candidate_starts, reasons.collect::<Vec<_>>())
}

/// The book counts in the order of the input, in that of another application, and in the request's
/// own; names may be excluded by the selection's nodes or after all.
#[test]
fn a_book_in_another_order_gives_the_same_decision() {
    let (scattered, monotone) = (Cell::new(0), Cell::new(0));
    for_every_problem(|problem, roll| {
        let (order, decision) = plan_problem(&problem);
        let direct = in_ordinals(&order, &decision);
        let (nodes, scope) = (&problem.nodes, problem.cap_scope);
        let utilisation = problem.request.utilisation_or_full();
        let other = Fraction::new([0.0, 0.5, 1.0][usize::try_from(roll % 3).unwrap()]).unwrap();
        let bases = [
            (Preference::FirstListed, utilisation),
            (Preference::LeastDraw, other),
            (Preference::LeastDraw, utilisation),
        ];
        let filter = &problem.request.filter;
        let admitted = filter.admits(nodes);
        let excluded = filter.excluded(nodes);
        for (preference, of) in bases {
            let base = Arc::new(NodeOrder::of(nodes, preference, of, scope, |_| true));
            let after_all = Selection::new(nodes, &base, scope, utilisation, &admitted)
                .without(base.ranks(&excluded));
            let at_once = Selection::new(nodes, &base, scope, utilisation, |node| {
                admitted(node) && !excluded.contains(node)
            });
            for selection in [after_all, at_once] {
                let book = problem.book(&selection);
                let slower = problem.slower_selections(&selection);
                let view = PlanningView::of(&problem, &selection, &book).with_slower(&slower);
                let decision = plan(&view, &problem.request, &|| false).unwrap();
                assert_eq!(in_ordinals(selection.order(), &decision), direct);
                let order = selection.order();
                let places = (0..order.count()).map(|rank| base.rank(order.ordinal(rank)));
                let kind = if places.is_sorted() { &monotone } else { &scattered };
                kind.set(kind.get() + 1);
            }
        }
    });
    assert!(scattered.get() > 0 && monotone.get() > 0, "both kinds of translation");
}

#[test]
fn shapes_in_another_order_have_winners_of_the_same_values() {
    for_every_problem(|problem, roll| {
        let mut other = problem.clone();
        let mut shapes: Vec<_> = problem.request.shapes().collect();
        let turns = usize::try_from(roll).unwrap() % shapes.len();
        shapes.rotate_left(turns);
        if roll % 2 == 0 {
            shapes.reverse();
        }
        let own = shapes.remove(0);
        (other.request.nodes, other.request.duration) = (own.nodes, own.duration);
        other.request.alternatives = shapes;
        let [one, other] = [planned(&problem), planned(&other)];
        for ranking in Ranking::ALL {
            let winner =
                |it: &Decision| it.offer_for(ranking).map(|it| (it.span.start(), it.values));
            assert_eq!(winner(&one), winner(&other), "{ranking}");
        }
        let front = |decision: &Decision| {
            let mut front: Vec<_> = decision.pareto.iter().map(values).collect();
            front.sort_unstable();
            front
        };
        assert_eq!(front(&one), front(&other));
        assert_eq!(one.candidate_starts, other.candidate_starts);
        let counts = |decision: &Decision| {
            let count = |reason: &planner::decision::Reason| (reason.code, reason.excluded_starts);
            decision.reasons.iter().map(count).collect::<Vec<_>>()
        };
        assert_eq!(counts(&one), counts(&other));
    });
}

fn values(offer: &Offer) -> (i64, [i128; 3]) {
    let amounts = Criterion::ALL.map(|criterion| criterion.exact(&offer.values));
    (offer.span.start().as_unix_seconds(), amounts)
}

#[test]
fn utilisation_does_not_matter_where_all_nodes_have_an_alpha() {
    for_every_problem(|mut problem, roll| {
        let own = |node: &Node| match node.alpha() {
            Some(_) => *node,
            None => Node::new(node.idle(), node.max(), Some(Fraction::ONE)).unwrap(),
        };
        let nodes = problem.nodes.as_slice().iter().map(own).collect();
        problem.nodes = Arc::new(problem.nodes.with_powers(nodes).unwrap());
        let mut other = problem.clone();
        let share = f64::from(i32::try_from(roll).unwrap()) / 1_000.0;
        other.request.utilisation = Some(Fraction::new(share).unwrap());
        assert_eq!(planned(&problem), planned(&other));
    });
}
