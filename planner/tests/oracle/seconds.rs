//! The world as a table: one row for each second that a start could touch.

use std::collections::{BTreeMap, BTreeSet};

use planner::agenda::Agenda;
use planner::decision::ReasonCode;
use planner::order::Preference;
use planner::problem::{BookedSpan, PlanningProblem};
use planner::quantity::Rate;
use planner::time::Timestamp;

use super::{Excluded, OracleStart, window};

/// What holds during one second.
struct Second {
    price: Option<i128>,
    co2: Option<i128>,
    /// `None` for a gap; no cap at all is `Some(i128::MAX)`.
    cap: Option<i128>,
    taken: BTreeSet<u32>,
    /// Maximum power of all reserved nodes.
    reserved: i128,
}

/// All seconds from the first start to the last end.
pub struct Seconds {
    first: i64,
    rows: Vec<Second>,
}

impl Seconds {
    pub fn of(problem: &PlanningProblem) -> Self {
        let (first, last) = window(problem);
        let end = last + problem.request.duration.get();
        Self { first, rows: (first..end).map(|second| row(problem, second)).collect() }
    }

    /// A start and the microwatts it leaves of the cap, where there is one.
    pub fn evaluate(
        &self,
        problem: &PlanningProblem,
        preference: Preference,
        start: i64,
    ) -> Result<(OracleStart, Option<i128>), Excluded> {
        let request = &problem.request;
        let from = usize::try_from(start - self.first).unwrap();
        let rows = &self.rows[from..from + usize::try_from(request.duration.get()).unwrap()];
        if rows.iter().any(|row| row.price.is_none() || row.co2.is_none() || row.cap.is_none()) {
            return Err(Excluded { code: ReasonCode::AgendaGap, short_of: 0 });
        }
        let mut nodes = free_nodes(problem, preference, rows);
        if nodes.len() < request.nodes as usize {
            return Err(Excluded { code: ReasonCode::Nodes, short_of: 0 });
        }
        nodes.truncate(request.nodes as usize);
        nodes.sort_unstable();
        let sum = |power: &dyn Fn(u32) -> i128| nodes.iter().map(|&node| power(node)).sum::<i128>();
        let peak_power = sum(&|node| max_power(problem, node));
        let spare = rows.iter().map(|row| row.cap.unwrap() - row.reserved - peak_power).min();
        if let Some(spare) = spare.filter(|spare| *spare < 0) {
            return Err(Excluded { code: ReasonCode::PowerCap, short_of: -spare });
        }
        let draw = sum(&|node| draw(problem, node));
        let start = OracleStart {
            start,
            energy: rows.iter().map(|_| draw).sum(),
            cost: rows.iter().map(|row| draw * row.price.unwrap()).sum(),
            co2: rows.iter().map(|row| draw * row.co2.unwrap()).sum(),
            peak_power,
            delay: start - self.first,
            nodes,
        };
        Ok((start, spare.filter(|_| problem.agendas.power_cap.is_some())))
    }
}

/// Nodes that no second of `rows` takes, the preferred ones first.
fn free_nodes(problem: &PlanningProblem, preference: Preference, rows: &[Second]) -> Vec<u32> {
    let mut nodes: Vec<u32> = (0..problem.nodes.count())
        .filter(|node| !rows.iter().any(|row| row.taken.contains(node)))
        .collect();
    if preference == Preference::LeastDraw {
        nodes.sort_by_key(|&node| (draw(problem, node), node));
    }
    nodes
}

fn draw(problem: &PlanningProblem, node: u32) -> i128 {
    let utilisation = problem.request.utilisation_or_full();
    problem.nodes.as_slice()[node as usize].draw(utilisation).as_microwatts().into()
}

fn max_power(problem: &PlanningProblem, node: u32) -> i128 {
    problem.nodes.as_slice()[node as usize].max().as_microwatts().into()
}

fn row(problem: &PlanningProblem, second: i64) -> Second {
    let agendas = &problem.agendas;
    let active: Vec<&BookedSpan> = problem
        .reservations
        .iter()
        .filter(|it| {
            it.span.start().as_unix_seconds() <= second && second < it.span.end().as_unix_seconds()
        })
        .collect();
    Second {
        price: value_at(agendas.price.agenda(), second).map(|it| it.as_millionths().into()),
        co2: value_at(agendas.co2.agenda(), second).map(|it| it.as_millionths().into()),
        cap: agendas.power_cap.as_ref().map_or(Some(i128::MAX), |cap| {
            value_at(cap, second).map(|it| it.as_microwatts().into())
        }),
        taken: active.iter().flat_map(|it| it.nodes.positions()).collect(),
        reserved: reserved_power(problem, &active),
    }
}

/// Of the alternatives of each id the one with the most power; a node counts once.
fn reserved_power(problem: &PlanningProblem, active: &[&BookedSpan]) -> i128 {
    let power_of = |nodes: &BTreeSet<u32>| -> i128 {
        nodes.iter().map(|&node| max_power(problem, node)).sum()
    };
    let mut largest: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for entry in active {
        let nodes: BTreeSet<u32> = entry.nodes.positions().collect();
        let kept = largest.entry(&entry.id).or_default();
        if power_of(&nodes) > power_of(kept) {
            *kept = nodes;
        }
    }
    power_of(&largest.into_values().flatten().collect())
}

fn value_at<V: Copy>(agenda: &Agenda<V>, second: i64) -> Option<V> {
    let second = Timestamp::from_unix_seconds(second);
    let holds = |from: Timestamp, until: Timestamp| from <= second && second < until;
    let piece = agenda.pieces().iter().find(|it| holds(it.span.start(), it.span.end()))?;
    Some(piece.value)
}
