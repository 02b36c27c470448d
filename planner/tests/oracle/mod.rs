//! Brute force: every candidate start, every second of it, every node.
//!
//! Nothing is clever here. Time is a table of seconds, a start is looked at second by second, and
//! whole numbers are compared. Only for problems of a few nodes and a few hundred seconds.

mod agreement;
mod candidates;
mod steps;
mod ways;
mod world;

use planner::decision::ReasonCode;
use planner::order::Preference;
use planner::problem::{PlanningProblem, SearchMode};
use planner::ranking::Ranking;

pub use ways::ways;
use world::World;

/// A feasible start, in exact units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OracleStart {
    pub start: i64,
    pub duration: i64,
    pub nodes: Vec<u32>,
    pub energy: i128,
    pub cost: i128,
    pub co2: i128,
    pub peak_power: i128,
    pub delay: i64,
    /// The slower state's name and speed in millionths, and how many seconds later it ends than at full speed.
    pub slowing: Option<(String, i64, i64)>,
}

/// An infeasible start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excluded {
    pub code: ReasonCode,
    /// How many nodes or microwatts are missing.
    pub missing: i128,
}

/// A start of one of the request's shapes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub start: i64,
    /// Its position among the ways to run the request: its shapes at full speed come first.
    pub shape: usize,
    pub verdict: Result<OracleStart, Excluded>,
    /// The microwatts it leaves of the cap, where there is one.
    pub spare: Option<i128>,
}

/// A feasible candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feasible {
    pub shape: usize,
    pub start: OracleStart,
}

/// What brute force decides.
#[derive(Clone, Debug)]
pub struct OracleDecision {
    /// Every candidate with its verdict, by start, then shape.
    pub looked_at: Vec<Candidate>,
    /// Those of them that only a tolerance makes candidates, as (start, shape).
    pub crossings: Vec<(i64, usize)>,
    /// The feasible ones of them.
    pub feasible: Vec<Feasible>,
    pub soonest: Option<Feasible>,
    /// Distinct starts in time order with the rankings they win.
    pub offers: Vec<(Feasible, Vec<Ranking>)>,
    pub pareto: Vec<Feasible>,
    /// Feasible starts that only the clock separates from a winner.
    pub ties: usize,
    /// Shapes that survive all steps, but a winner listed after them starts as early with less.
    pub outdone: usize,
    /// Winners that begin before a start with less in the first criterion and the same in the others.
    pub overtaking: usize,
}

/// A problem, second by second.
pub struct Oracle<'a> {
    world: World<'a>,
    /// All seconds of all shapes' windows where they are needed, by start, then shape.
    every_second: Vec<Candidate>,
}

impl<'a> Oracle<'a> {
    pub fn of(problem: &'a PlanningProblem, preference: Preference) -> Self {
        let world = World::of(problem, preference);
        let every_second = match problem.search {
            SearchMode::Exact => world.look_at(candidates::every_second(problem)),
            SearchMode::Slots { .. } => Vec::new(),
        };
        Self { world, every_second }
    }

    /// Decides as a search over the candidates of the problem's mode should.
    pub fn decide(&self) -> OracleDecision {
        let problem = self.world.problem;
        match problem.search {
            SearchMode::Slots { slot } => {
                self.over(self.world.look_at(candidates::slots(problem, slot.get())), Vec::new())
            }
            SearchMode::Exact => {
                let near = candidates::near_breakpoints(problem, &self.every_second);
                let crossings = candidates::crossings(problem, &self.every_second);
                let chosen = |at: &usize| near[*at] || crossings[*at];
                let all = 0..self.every_second.len();
                let added = all.clone().filter(|&at| crossings[at] && !near[at]);
                let place = |at: usize| (self.every_second[at].start, self.every_second[at].shape);
                let added = added.map(place).collect();
                let all = all.filter(chosen).map(|at| self.every_second[at].clone()).collect();
                self.over(all, added)
            }
        }
    }

    /// Decides over every second: what the candidates of the exact mode stand for.
    pub fn decide_every_second(&self) -> OracleDecision {
        self.over(self.every_second.clone(), Vec::new())
    }

    fn over(&self, looked_at: Vec<Candidate>, crossings: Vec<(i64, usize)>) -> OracleDecision {
        let tolerances = &self.world.problem.request.tolerances;
        let feasible = steps::feasible(&looked_at);
        let mut offers: Vec<(Feasible, Vec<Ranking>)> = Vec::new();
        let (mut ties, mut outdone, mut overtaking) = (0, 0, 0);
        for ranking in Ranking::ALL {
            let finalists = steps::finalists(ranking, tolerances, &feasible);
            let Some(winner) = steps::winner(ranking, &finalists) else { continue };
            let listed_before =
                |it: &&&Feasible| it.start.start == winner.start.start && it.shape < winner.shape;
            outdone += finalists.iter().filter(listed_before).count();
            let key = |it: &Feasible| steps::key(ranking, &it.start);
            ties += feasible.iter().filter(|it| key(it) == key(winner)).count() - 1;
            let [first, others @ ..] = key(winner);
            let less = |it: &&Feasible| {
                let [its_first, its_others @ ..] = key(it);
                its_first < first && its_others == others
            };
            overtaking += usize::from(feasible.iter().any(|it| less(&it)));
            match offers.iter_mut().find(|(it, _)| it == winner) {
                Some((_, rankings)) => rankings.push(ranking),
                None => offers.push((winner.clone(), vec![ranking])),
            }
        }
        offers.sort_by_key(|(it, _)| (it.start.start, it.shape));
        let dominated = |it: &Feasible| feasible.iter().any(|other| dominates(other, it));
        let pareto = feasible.iter().filter(|it| !dominated(it)).cloned().collect();
        let soonest = feasible.first().cloned();
        OracleDecision {
            looked_at,
            crossings,
            feasible,
            soonest,
            offers,
            pareto,
            ties,
            outdone,
            overtaking,
        }
    }
}

/// As [`Oracle::decide`].
pub fn decide(problem: &PlanningProblem) -> OracleDecision {
    Oracle::of(problem, Preference::LeastDraw).decide()
}

/// First and last second at which a reservation of that length may start.
pub fn window(problem: &PlanningProblem, duration: i64) -> (i64, i64) {
    let request = &problem.request;
    let first = request.earliest_start.as_unix_seconds().max(problem.now.as_unix_seconds());
    let last = request.latest_start.as_unix_seconds();
    let deadline = request.latest_end.map_or(i64::MAX, |end| end.as_unix_seconds() - duration);
    (first, last.min(deadline))
}

fn dominates(
    Feasible { start: left, .. }: &Feasible,
    Feasible { start: right, .. }: &Feasible,
) -> bool {
    let amounts = |it: &OracleStart| (it.energy, it.cost, it.co2, it.delay);
    amounts(left) != amounts(right)
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

    /// The first start on the front whose largest loss is no other's more than: each against each, over a common denominator.
    pub fn compromise(&self) -> Option<usize> {
        let amounts = |it: &Feasible| -> [i128; 4] {
            [it.start.energy, it.start.cost, it.start.co2, it.start.delay.into()]
        };
        let front: Vec<[i128; 4]> = self.pareto.iter().map(amounts).collect();
        let range = |at: usize| -> (i128, i128) {
            let of_all = || front.iter().map(|it| it[at]);
            let (least, most) = (of_all().min().unwrap(), of_all().max().unwrap());
            (least, if most > least { most - least } else { 1 })
        };
        let no_larger = |one: &[i128; 4], two: &[i128; 4]| {
            (0..4).all(|a| {
                (0..4).any(|b| {
                    let ((least_a, range_a), (least_b, range_b)) = (range(a), range(b));
                    let (lost, other) = (one[a] - least_a, two[b] - least_b);
                    lost.checked_mul(range_b).unwrap() <= other.checked_mul(range_a).unwrap()
                })
            })
        };
        front.iter().position(|one| front.iter().all(|two| no_larger(one, two)))
    }

    /// The candidates that a reason excludes.
    pub fn excluded(&self, code: ReasonCode) -> impl Iterator<Item = (&Candidate, i128)> {
        self.looked_at.iter().filter_map(move |it| {
            let excluded = it.verdict.as_ref().err().filter(|it| it.code == code)?;
            Some((it, excluded.missing))
        })
    }

    /// How many candidates each reason excludes, reasons that exclude none left out; where there is none, that the window has
    /// no slot.
    pub fn reasons(&self) -> Vec<(ReasonCode, u64)> {
        if self.looked_at.is_empty() {
            return vec![(ReasonCode::NoSlot, 0)];
        }
        [ReasonCode::AgendaGap, ReasonCode::Nodes, ReasonCode::PowerCap]
            .map(|code| (code, self.excluded(code).count() as u64))
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .collect()
    }
}
