//! The world as a table: one row for each second that a start could touch.

use std::collections::BTreeMap;

use planner::agenda::Agenda;
use planner::book::BookedSpan;
use planner::cap_scope::CapScope;
use planner::decision::{ReasonCode, Shortage};
use planner::labels::NodeLabels;
use planner::node::Node;
use planner::order::Preference;
use planner::problem::PlanningProblem;
use planner::quantity::{Power, Rate};
use planner::slower_states::SlowerPowers;
use planner::time::{Span, Timestamp};

use super::ways::{Way, ways};
use super::{Candidate, Excluded, OracleStart, window};

/// Nodes as bits: there are a few.
type Bits = u64;

/// What holds during one second.
struct Second {
    price: Option<i128>,
    co2: Option<i128>,
    /// `None` for a gap; no cap at all is `Some(i128::MAX)`.
    cap: Option<i128>,
    /// Reserved or out of service.
    taken: Bits,
    /// Reserved nodes, of alternatives those that count.
    reserved: Bits,
}

/// All seconds from the first start to the last end.
pub struct World<'a> {
    pub problem: &'a PlanningProblem,
    preference: Preference,
    ways: Vec<Way>,
    /// The nodes that the request may take.
    eligible: Bits,
    first: i64,
    rows: Vec<Second>,
}

impl<'a> World<'a> {
    pub fn of(problem: &'a PlanningProblem, preference: Preference) -> Self {
        let ways = ways(problem);
        let ends = ways.iter().map(|Way { shape, .. }| {
            let (_, last) = window(problem, shape.duration.get());
            last + shape.duration.get()
        });
        let (first, _) = window(problem, 0);
        let rows = (first..ends.max().unwrap()).map(|second| row(problem, second)).collect();
        let eligible = (0..problem.nodes.count()).filter(|&node| is_eligible(problem, node));
        Self { problem, preference, ways, eligible: bits_of(eligible), first, rows }
    }

    pub fn look_at(&self, starts: Vec<(i64, usize)>) -> Vec<Candidate> {
        let look = |(start, shape)| {
            let (verdict, spare) = match self.evaluate(start, self.ways[shape]) {
                Ok((verdict, spare)) => (Ok(verdict), spare),
                Err(excluded) => (Err(excluded), None),
            };
            Candidate { start, shape, verdict, spare }
        };
        starts.into_iter().map(look).collect()
    }

    fn rows(&self, start: i64, duration: i64) -> &[Second] {
        let from = usize::try_from(start - self.first).unwrap();
        &self.rows[from..from + usize::try_from(duration).unwrap()]
    }

    /// A start and the microwatts it leaves of the cap, where there is one.
    fn evaluate(&self, start: i64, way: Way) -> Result<(OracleStart, Option<i128>), Excluded> {
        let Way { shape, slower } = way;
        let state = slower.map(|(state, _)| state);
        let rows = self.rows(start, shape.duration.get());
        if rows.iter().any(|row| row.price.is_none() || row.co2.is_none() || row.cap.is_none()) {
            return Err(Excluded { code: ReasonCode::AgendaGap, missing: 0 });
        }
        let nodes = self.choice(rows, way);
        let missing = i128::from(shape.nodes) - nodes.len() as i128;
        if missing > 0 {
            return Err(Excluded { code: ReasonCode::Nodes, missing });
        }
        let missing = rows.iter().map(|row| self.missing_power(row, &nodes, state)).max().unwrap();
        if missing > 0 {
            return Err(Excluded { code: ReasonCode::PowerCap, missing });
        }
        let sum = |power: &dyn Fn(u32) -> i128| nodes.iter().map(|&node| power(node)).sum::<i128>();
        let draw = sum(&|node| draw(self.problem, node, state));
        let name = |(state, later): (usize, i64)| {
            let state = &self.problem.nodes.slower_states().states()[state];
            (state.name.to_string(), state.speed.as_millionths(), later)
        };
        let start = OracleStart {
            start,
            duration: shape.duration.get(),
            energy: rows.iter().map(|_| draw).sum(),
            cost: rows.iter().map(|row| draw * row.price.unwrap()).sum(),
            co2: rows.iter().map(|row| draw * row.co2.unwrap()).sum(),
            peak_power: sum(&|node| max_power(self.problem, node, state)),
            delay: start - self.first,
            slowing: slower.map(name),
            nodes,
        };
        Ok((start, self.problem.agendas.power_cap.is_some().then_some(-missing)))
    }

    /// The nodes to take, in input order: free ones, the preferred first, as many as there are.
    fn choice(&self, rows: &[Second], Way { shape, slower }: Way) -> Vec<u32> {
        let state = slower.map(|(state, _)| state);
        let free = rows.iter().fold(self.eligible, |free, row| free & !row.taken);
        let mut nodes: Vec<u32> =
            (0..self.problem.nodes.count()).filter(|node| free >> node & 1 == 1).collect();
        nodes.retain(|&node| {
            state.is_none_or(|state| powers_in(self.problem, node, state).is_some())
        });
        if self.preference == Preference::LeastDraw {
            nodes.sort_by_key(|&node| (draw(self.problem, node, state), node));
        }
        nodes.truncate(shape.nodes as usize);
        nodes.sort_unstable();
        nodes
    }

    /// How far the power of all nodes that count is above the cap with these reserved as well.
    fn missing_power(&self, row: &Second, new: &[u32], state: Option<usize>) -> i128 {
        let power = |node: u32| match self.problem.cap_scope {
            _ if new.contains(&node) => max_power(self.problem, node, state),
            _ if row.reserved >> node & 1 == 1 => max_power(self.problem, node, None),
            CapScope::ReservedNodes => 0,
            CapScope::AllNodes => idle_power(self.problem, node),
        };
        (0..self.problem.nodes.count()).map(power).sum::<i128>() - row.cap.unwrap()
    }

    /// Whether the shortage that is stated of a start of that shape is there throughout `span`, and
    /// `span` is where it should be.
    pub fn is_short(&self, start: i64, shape: usize, span: Span, shortage: Shortage) -> bool {
        let way = self.ways[shape];
        let Way { shape, slower } = way;
        let state = slower.map(|(state, _)| state);
        let (from, until) = (span.start().as_unix_seconds(), span.end().as_unix_seconds());
        let end = start + shape.duration.get();
        if from < start || until > end {
            return false;
        }
        let nodes = self.choice(self.rows(start, shape.duration.get()), way);
        let mut rows = self.rows(from, until - from).iter();
        match shortage {
            Shortage::Agenda("price") => rows.all(|row| row.price.is_none()),
            Shortage::Agenda("co2") => rows.all(|row| row.co2.is_none()),
            Shortage::Agenda("power_cap") => rows.all(|row| row.cap.is_none()),
            Shortage::Nodes(missing) => {
                (from, until) == (start, end)
                    && shape.nodes as usize == missing as usize + nodes.len()
            }
            Shortage::Power(power) => {
                let missing: i128 = power.as_microwatts().into();
                rows.all(|row| self.missing_power(row, &nodes, state) == missing)
            }
            // There are no other agendas, and problems have no quotas.
            Shortage::Slot { .. } | Shortage::Agenda(_) | Shortage::Quota | Shortage::Budget(_) => {
                false
            }
        }
    }
}

/// Whether partition, features and name admit a node.
pub fn is_eligible(problem: &PlanningProblem, node: u32) -> bool {
    let filter = &problem.request.filter;
    let has = |node: u32, of: fn(&NodeLabels) -> &[Box<str>], name: &str| {
        let labels = problem.nodes.labels().of(node);
        labels.is_some_and(|labels| of(labels).iter().any(|it| **it == *name))
    };
    filter.partition.iter().all(|name| has(node, |it| &it.partitions, name))
        && filter.features.iter().all(|name| has(node, |it| &it.features, name))
        && !filter.exclude.iter().any(|name| **name == *problem.nodes.name(node))
        && (filter.only.is_empty()
            || filter.only.iter().any(|name| **name == *problem.nodes.name(node)))
}

fn draw(problem: &PlanningProblem, node: u32, state: Option<usize>) -> i128 {
    let utilisation = problem.request.utilisation_or_full();
    let full = &problem.nodes.as_slice()[node as usize];
    let max = Power::from_microwatts(max_power(problem, node, state).try_into().unwrap());
    Node::new(full.idle(), max, full.alpha()).unwrap().draw(utilisation).as_microwatts().into()
}

fn max_power(problem: &PlanningProblem, node: u32, state: Option<usize>) -> i128 {
    let full = problem.nodes.as_slice()[node as usize].max();
    let max = state.map_or(full, |state| powers_in(problem, node, state).unwrap().max);
    max.as_microwatts().into()
}

fn powers_in(problem: &PlanningProblem, node: u32, state: usize) -> Option<SlowerPowers> {
    problem.nodes.slower_states().powers(state, node)
}

fn idle_power(problem: &PlanningProblem, node: u32) -> i128 {
    problem.nodes.as_slice()[node as usize].idle().as_microwatts().into()
}

fn bits_of(nodes: impl IntoIterator<Item = u32>) -> Bits {
    nodes.into_iter().fold(0, |bits, node| bits | 1 << node)
}

fn row(problem: &PlanningProblem, second: i64) -> Second {
    let agendas = &problem.agendas;
    let second = Timestamp::from_unix_seconds(second);
    let holds = |span: Span| span.start() <= second && second < span.end();
    let active: Vec<&BookedSpan> =
        problem.reservations.iter().filter(|it| holds(it.span)).collect();
    let out =
        problem.outages.iter().filter(|it| holds(it.span)).flat_map(|it| it.nodes.positions());
    let held = active.iter().flat_map(|it| it.nodes.positions());
    Second {
        price: value_at(agendas.price.agenda(), second).map(|it| it.as_millionths().into()),
        co2: value_at(agendas.co2.agenda(), second).map(|it| it.as_millionths().into()),
        cap: agendas.power_cap.as_ref().map_or(Some(i128::MAX), |cap| {
            value_at(cap, second).map(|it| it.as_microwatts().into())
        }),
        taken: bits_of(held.chain(out)),
        reserved: counted(problem, &active),
    }
}

/// Of the alternatives of each id the one that counts most; a node counts once.
fn counted(problem: &PlanningProblem, active: &[&BookedSpan]) -> Bits {
    let power_of = |entry: &BookedSpan| -> i128 {
        let power = |node| match problem.cap_scope {
            CapScope::ReservedNodes => max_power(problem, node, None),
            CapScope::AllNodes => max_power(problem, node, None) - idle_power(problem, node),
        };
        entry.nodes.positions().map(power).sum()
    };
    let mut largest: BTreeMap<&str, &BookedSpan> = BTreeMap::new();
    for entry in active {
        let kept = largest.entry(&entry.id).or_insert(entry);
        if power_of(entry) > power_of(kept) {
            *kept = entry;
        }
    }
    bits_of(largest.into_values().flat_map(|entry| entry.nodes.positions()))
}

fn value_at<V: Copy>(agenda: &Agenda<V>, second: Timestamp) -> Option<V> {
    let holds = |span: Span| span.start() <= second && second < span.end();
    agenda.pieces().iter().find(|it| holds(it.span)).map(|it| it.value)
}
