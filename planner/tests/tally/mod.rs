//! Counts the classes of problems that a run has planned: an edge case that is never drawn is
//! never tested.

mod features;

use std::collections::BTreeMap;
use std::fmt;

use planner::book::BookedSpan;
use planner::decision::ReasonCode;
use planner::problem::{PlanningProblem, SearchMode};
use planner::quantity::Rate;

use crate::oracle::{OracleDecision, OracleStart, window};

/// How many problems were of each class.
#[derive(Default)]
pub struct Tally(BTreeMap<&'static str, u64>);

impl Tally {
    /// The classes that no problem was of.
    pub fn missing(&self) -> Vec<&'static str> {
        self.0.iter().filter(|(_, count)| **count == 0).map(|(class, _)| *class).collect()
    }

    pub fn count(&mut self, problem: &PlanningProblem, decided: &OracleDecision) {
        self.add("any", true);
        self.count_decision(decided);
        self.count_cap(problem, decided);
        self.count_request(problem, decided);
        self.count_nodes(problem);
        self.count_rates(problem, decided);
        self.count_book(problem, decided);
        self.count_features(problem, decided);
    }

    /// A plan with the first nodes listed instead of the least-drawing ones.
    pub fn count_baseline(&mut self, decided: &OracleDecision, baseline: &OracleDecision) {
        let nodes = |it: &OracleDecision| it.soonest.as_ref().map(|it| it.start.nodes.clone());
        self.add("first listed", true);
        self.add("first listed, other nodes", nodes(decided) != nodes(baseline));
    }

    fn count_decision(&mut self, decided: &OracleDecision) {
        let offers = &decided.offers;
        self.add("impossible", offers.is_empty());
        self.add("optimum", offers.len() == 1);
        self.add("choice of 2", offers.len() == 2);
        self.add("choice of 3", offers.len() == 3);
        self.add("choice of 4", offers.len() == 4);
        self.add("choice of 5 or 6", offers.len() >= 5);
        self.add("tie that the clock decides", decided.ties > 0);
        let later = decided.soonest.as_ref().is_some_and(|soonest| {
            offers.iter().all(|(it, _)| it.start.start > soonest.start.start)
        });
        self.add("every offer later than the first start", later);
        self.add("front beyond the offers", decided.pareto.len() > offers.len() + 1);
        let reasons = decided.reasons();
        let excludes = |code| reasons.iter().any(|(it, _)| *it == code);
        self.add("agenda_gap", excludes(ReasonCode::AgendaGap));
        self.add("nodes", excludes(ReasonCode::Nodes));
        self.add("power_cap", excludes(ReasonCode::PowerCap));
        self.add("all three reasons", reasons.len() == 3);
        let other_nodes = offers.iter().any(|(it, _)| it.start.nodes != offers[0].0.start.nodes);
        self.add("offers with different nodes", other_nodes);
    }

    fn count_cap(&mut self, problem: &PlanningProblem, decided: &OracleDecision) {
        let capped = problem.agendas.power_cap.is_some();
        self.add("no cap", !capped);
        self.add("cap", capped);
        let equal = decided.looked_at.iter().any(|it| it.spare == Some(0));
        self.add("cap equal to the demand", equal);
        let below = decided.excluded(ReasonCode::PowerCap).any(|(_, missing)| missing == 1);
        self.add("cap a microwatt below the demand", below);
    }

    fn count_request(&mut self, problem: &PlanningProblem, decided: &OracleDecision) {
        let (first, last) = window(problem, problem.request.duration.get());
        let (request, feasible) = (&problem.request, decided.soonest.is_some());
        self.add("now inside the window", first > request.earliest_start.as_unix_seconds());
        self.add("earliest is latest", first == last && feasible);
        self.add("one second", request.duration.get() == 1 && feasible);
        self.add("one candidate", decided.looked_at.len() == 1);
        if problem.search != SearchMode::Exact {
            self.add("no candidate", decided.looked_at.is_empty());
        }
        self.add("all nodes", request.nodes == problem.nodes.count() && feasible);
        self.add("more nodes than there are", request.nodes > problem.nodes.count());
        self.add("utilisation", request.utilisation.is_some());
        self.add("no utilisation", request.utilisation.is_none());
    }

    fn count_nodes(&mut self, problem: &PlanningProblem) {
        let nodes = problem.nodes.as_slice();
        self.add("idle is maximum", nodes.iter().any(|node| node.idle() == node.max()));
        self.add("node with alpha", nodes.iter().any(|node| node.alpha().is_some()));
        self.add("node without alpha", nodes.iter().any(|node| node.alpha().is_none()));
        let utilisation = problem.request.utilisation_or_full();
        let draws: Vec<_> = nodes.iter().map(|node| node.draw(utilisation)).collect();
        let equal = draws.windows(2).any(|pair| pair[0] == pair[1]);
        self.add("equal draws", equal);
        self.add("draws against the order listed", !draws.is_sorted());
    }

    fn count_rates(&mut self, problem: &PlanningProblem, decided: &OracleDecision) {
        let costs = || decided.offers.iter().map(|(it, _)| it.start.cost);
        self.add("negative cost", costs().any(|cost| cost < 0));
        self.add("zero cost", costs().any(|cost| cost == 0));
        let pieces = problem.agendas.price.agenda().pieces();
        let flat = pieces.iter().all(|piece| piece.value == pieces[0].value);
        self.add("flat tariff", flat);
        let extreme =
            pieces.iter().any(|piece| piece.value.as_millionths().abs() == 1_000_000_000_000);
        self.add("extreme price", extreme);
        if let SearchMode::Slots { slot } = problem.search {
            let off_slots = |piece: &BookedSpan| {
                piece.span.start().as_unix_seconds() % slot.get() != 0
                    && piece.span.end().as_unix_seconds() % slot.get() != 0
            };
            self.add("edges off the slots", problem.reservations.iter().any(off_slots));
        }
    }

    fn count_book(&mut self, problem: &PlanningProblem, decided: &OracleDecision) {
        let book = &problem.reservations;
        self.add("empty book", book.is_empty());
        let touches = |it: &OracleStart| {
            let (start, end) = (it.start, it.start + it.duration);
            let held =
                |entry: &&BookedSpan| it.nodes.iter().any(|&node| entry.nodes.contains(node));
            book.iter().filter(held).any(|it| {
                it.span.end().as_unix_seconds() == start || it.span.start().as_unix_seconds() == end
            })
        };
        let touching = decided.offers.iter().any(|(it, _)| touches(&it.start));
        self.add("offer that touches a reservation of its nodes", touching);
        let pair = |test: &dyn Fn(&BookedSpan, &BookedSpan) -> bool| {
            let overlapping = |left: &BookedSpan, right: &BookedSpan| {
                left.span != right.span && left.span.overlaps(right.span)
            };
            book.iter()
                .any(|left| book.iter().any(|right| overlapping(left, right) && test(left, right)))
        };
        self.add("alternatives of one id", pair(&|left, right| left.id == right.id));
        let double = |left: &BookedSpan, right: &BookedSpan| {
            left.id != right.id && left.nodes.intersects(&right.nodes)
        };
        self.add("node held twice", pair(&double));
    }

    fn add(&mut self, class: &'static str, is_of_it: bool) {
        *self.0.entry(class).or_default() += u64::from(is_of_it);
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(class, count)| writeln!(f, "{count:>8} {class}"))
    }
}
