//! Brute force: every candidate start, every second of it, every node.
//!
//! Nothing is clever here. Time is a table of seconds, a start is looked at second by second, and
//! whole numbers are compared. Only for problems of a few nodes and a few hundred seconds.

mod seconds;

use std::collections::BTreeSet;

use planner::agenda::Agenda;
use planner::decision::{Decision, Offer, ReasonCode};
use planner::order::{NodeOrder, Preference};
use planner::problem::{PlanningProblem, SearchMode};
use planner::ranking::Ranking;

use seconds::Seconds;

/// A feasible start, in exact units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OracleStart {
    pub start: i64,
    pub nodes: Vec<u32>,
    pub energy: i128,
    pub cost: i128,
    pub co2: i128,
    pub peak_power: i128,
    pub delay: i64,
}

/// An infeasible start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excluded {
    pub code: ReasonCode,
    /// By how many microwatts the cap is missed, where it is the cap.
    pub short_of: i128,
}

/// What brute force decides.
#[derive(Clone, Debug)]
pub struct OracleDecision {
    /// Every candidate with its verdict.
    pub looked_at: Vec<(i64, Result<OracleStart, Excluded>)>,
    pub soonest: Option<OracleStart>,
    /// Distinct starts in time order with the rankings they win.
    pub offers: Vec<(OracleStart, Vec<Ranking>)>,
    pub pareto: Vec<OracleStart>,
    /// Feasible starts that only the clock separates from a winner.
    pub ties: usize,
    /// Feasible starts that leave no microwatt of the cap.
    pub cap_equal: usize,
}

/// Decides as a search over the candidates of the problem's mode should.
pub fn decide(problem: &PlanningProblem, preference: Preference) -> OracleDecision {
    decide_over(problem, preference, &candidates(problem))
}

/// Decides over every second of the window: what the candidates of the exact mode stand for.
pub fn decide_every_second(problem: &PlanningProblem, preference: Preference) -> OracleDecision {
    let (first, last) = window(problem);
    decide_over(problem, preference, &(first..=last).collect::<Vec<_>>())
}

fn decide_over(
    problem: &PlanningProblem,
    preference: Preference,
    candidates: &[i64],
) -> OracleDecision {
    let seconds = Seconds::of(problem);
    let mut cap_equal = 0;
    let looked_at: Vec<_> = candidates
        .iter()
        .map(|&start| {
            let verdict = seconds.evaluate(problem, preference, start);
            cap_equal += usize::from(verdict.as_ref().is_ok_and(|(_, spare)| *spare == Some(0)));
            (start, verdict.map(|(start, _)| start))
        })
        .collect();
    let feasible: Vec<&OracleStart> =
        looked_at.iter().filter_map(|(_, verdict)| verdict.as_ref().ok()).collect();
    let mut offers: Vec<(OracleStart, Vec<Ranking>)> = Vec::new();
    let mut ties = 0;
    for ranking in Ranking::ALL {
        let Some(winner) = feasible.iter().min_by_key(|start| (key(ranking, start), start.start))
        else {
            continue;
        };
        ties += feasible.iter().filter(|it| key(ranking, it) == key(ranking, winner)).count() - 1;
        match offers.iter_mut().find(|(start, _)| start == *winner) {
            Some((_, rankings)) => rankings.push(ranking),
            None => offers.push(((*winner).clone(), vec![ranking])),
        }
    }
    offers.sort_by_key(|(start, _)| start.start);
    let dominated = |start: &OracleStart| feasible.iter().any(|other| dominates(other, start));
    let pareto = feasible.iter().filter(|it| !dominated(it)).map(|it| (*it).clone()).collect();
    let soonest = feasible.first().map(|it| (*it).clone());
    OracleDecision { looked_at, soonest, offers, pareto, ties, cap_equal }
}

/// First and last second at which the request may start.
pub fn window(problem: &PlanningProblem) -> (i64, i64) {
    let request = &problem.request;
    let first = request.earliest_start.as_unix_seconds().max(problem.now.as_unix_seconds());
    (first, request.latest_start.as_unix_seconds())
}

fn candidates(problem: &PlanningProblem) -> Vec<i64> {
    let (first, last) = window(problem);
    let SearchMode::Slots { slot } = problem.search else {
        return exact_candidates(problem, first, last);
    };
    (first..=last).filter(|second| second % slot.get() == 0).collect()
}

fn exact_candidates(problem: &PlanningProblem, first: i64, last: i64) -> Vec<i64> {
    let duration = problem.request.duration.get();
    let mut edges = Vec::new();
    let mut add = |span: planner::time::Span| {
        edges.extend([span.start().as_unix_seconds(), span.end().as_unix_seconds()]);
    };
    problem.agendas.price.agenda().pieces().iter().for_each(|piece| add(piece.span));
    problem.agendas.co2.agenda().pieces().iter().for_each(|piece| add(piece.span));
    problem.agendas.power_cap.iter().flat_map(Agenda::pieces).for_each(|it| add(it.span));
    problem.reservations.iter().for_each(|entry| add(entry.span));
    let near = |second: i64| {
        second == first
            || second == last
            || edges.iter().any(|b| {
                [b - 1, *b, b + 1, b - duration - 1, b - duration, b - duration + 1]
                    .contains(&second)
            })
    };
    (first..=last).filter(|&second| near(second)).collect()
}

fn key(ranking: Ranking, start: &OracleStart) -> [i128; 3] {
    let word = ranking.to_string();
    let mut words = word.split('_').map(|word| match word {
        "energy" => start.energy,
        "cost" => start.cost,
        "co2" => start.co2,
        other => panic!("{other} is not a criterion"),
    });
    std::array::from_fn(|_| words.next().unwrap())
}

fn dominates(left: &OracleStart, right: &OracleStart) -> bool {
    left != right
        && left.energy <= right.energy
        && left.cost <= right.cost
        && left.co2 <= right.co2
        && left.delay <= right.delay
}

impl OracleDecision {
    pub fn word(&self) -> &'static str {
        match self.offers.len() {
            0 => "impossible",
            1 => "optimum",
            _ => "choice",
        }
    }

    /// How many candidates each reason excludes, reasons that exclude none left out.
    pub fn reasons(&self) -> Vec<(ReasonCode, u64)> {
        [ReasonCode::AgendaGap, ReasonCode::Nodes, ReasonCode::PowerCap]
            .map(|code| {
                let excluded = |it: &&(i64, Result<_, Excluded>)| {
                    it.1.as_ref().is_err_and(|excluded| excluded.code == code)
                };
                (code, self.looked_at.iter().filter(excluded).count() as u64)
            })
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .collect()
    }

    /// Panics where the decision is not this one: words, counts, starts, node sets and values.
    #[track_caller]
    pub fn assert_is(&self, order: &NodeOrder, decision: &Decision) {
        self.assert_offers_are(order, decision);
        assert_eq!(decision.candidate_starts, self.looked_at.len() as u64, "candidate starts");
        let reasons: Vec<_> =
            decision.reasons.iter().map(|reason| (reason.code, reason.excluded_starts)).collect();
        assert_eq!(reasons, self.reasons(), "reasons");
        let pareto: Vec<_> = decision.pareto.iter().map(|it| stated(order, it)).collect();
        assert_eq!(pareto, self.pareto, "Pareto front");
    }

    /// Panics where the decision offers other starts, or the first one differs.
    #[track_caller]
    pub fn assert_offers_are(&self, order: &NodeOrder, decision: &Decision) {
        assert_eq!(decision.word(), self.word());
        let soonest = decision.as_soon_as_possible.as_ref().map(|it| stated(order, it));
        assert_eq!(soonest, self.soonest, "as soon as possible");
        let offers: Vec<_> = decision
            .offers()
            .iter()
            .map(|offer| (stated(order, offer), offer.rankings.clone()))
            .collect();
        assert_eq!(offers, self.offers, "offers");
        for offer in decision.offers().iter().chain(&decision.pareto) {
            self.assert_savings_of(offer);
        }
    }

    #[track_caller]
    fn assert_savings_of(&self, offer: &Offer) {
        let soonest = self.soonest.as_ref().unwrap();
        let (values, saves) = (&offer.values, &offer.saves);
        let energy = saves.energy.as_microjoules() + values.energy.as_microjoules();
        let cost = saves.cost.as_exact() + values.cost.as_exact();
        let co2 = saves.co2.as_exact() + values.co2.as_exact();
        assert_eq!([energy, cost, co2], [soonest.energy, soonest.cost, soonest.co2], "savings");
    }
}

/// An offer in the oracle's terms.
fn stated(order: &NodeOrder, offer: &Offer) -> OracleStart {
    let nodes: BTreeSet<u32> = order.ordinals(&offer.ranks).positions().collect();
    OracleStart {
        start: offer.span.start().as_unix_seconds(),
        nodes: nodes.into_iter().collect(),
        energy: offer.values.energy.as_microjoules(),
        cost: offer.values.cost.as_exact(),
        co2: offer.values.co2.as_exact(),
        peak_power: offer.peak_power.as_microwatts().into(),
        delay: offer.delay.get(),
    }
}
