//! What a start changes of idle energy, and the nodes that it takes where gaps are to stay long.
//!
//! Without the booking a node idles through its gap or sleeps in it; with it, in what is left of the gap before and after.
//! Nodes of one idle power, one way to sleep and one gap differ in nothing but their draw: they are looked at as a group.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::sync::Arc;

use super::PlanningView;
use super::sweep::Sweep;
use crate::book::{BookedSpan, Outage};
use crate::cap_scope::CapScope;
use crate::idle_energy::Fit;
use crate::node::Nodes;
use crate::node_set::NodeSet;
use crate::order::{NodeOrder, Totals};
use crate::power_plan::{GapBasis, GapSavings, PowerProblem, PowerRules, Sleeper};
use crate::quantity::Power;
use crate::time::{Seconds, Span, Timestamp};

/// What a start takes, and what counts for it beside what its nodes draw.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted {
    /// Of the nodes that it takes.
    pub totals: Totals,
    /// What these would draw idle meanwhile.
    pub idle_power: Power,
    /// What sleeping saves less because of it, in thousandths of exact units by criterion.
    pub lost: [i128; 3],
}

/// The idle energy of starts.
pub(super) struct IdleSearch<'a> {
    fit: Fit,
    nodes: &'a Nodes,
    basis: &'a GapBasis,
    horizon_end: Timestamp,
    savings: GapSavings<'a>,
    groups: Vec<Group>,
    /// The shape and the state of what is free that `groups` are of, and whether they are of the horizon.
    of: Option<(usize, u32, bool)>,
}

/// Free nodes for which a start changes the same idle energy.
struct Group {
    key: GroupKey,
    /// By draw.
    ranks: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct GroupKey {
    idle: Power,
    sleeper: Option<Sleeper>,
    gap: Option<Span>,
}

impl Counted {
    /// Without anything of idle nodes.
    pub fn drawn(totals: Totals) -> Self {
        Self { totals, idle_power: Power::ZERO, lost: [0; 3] }
    }

    /// What sleeping saves less, in exact units, rounded once.
    pub fn lost_exact(&self) -> [i128; 3] {
        self.lost.map(|thousandths| (thousandths + 500).div_euclid(1000))
    }
}

/// What is known of gaps and of sleeping in them; `None` where idle energy is not counted.
pub(super) fn basis(view: &PlanningView<'_>) -> Option<GapBasis> {
    let idle = view.idle?;
    let until = idle.energy.until.max(view.now + Seconds::ONE);
    let horizon = Span::new(view.now, until)?;
    let book_order = view.book.order();
    let bookings = view.book.overlapping(horizon).map(|it| BookedSpan {
        id: Arc::clone(&it.id),
        span: it.span,
        nodes: book_order.ordinals(&it.ranks),
    });
    let outages = view
        .book
        .outages()
        .overlapping(horizon)
        .map(|it| Outage { span: it.span, nodes: book_order.ordinals(&it.ranks) });
    let PowerRules { switching, rights, rank_by, wear, failure, .. } = &idle.energy.rules;
    Some(GapBasis::new(PowerProblem {
        horizon,
        nodes: Arc::clone(idle.nodes),
        asleep: NodeSet::new(),
        switching: switching.clone(),
        reservations: bookings.collect(),
        outages: outages.collect(),
        agendas: view.agendas.clone(),
        cap_scope: CapScope::default(),
        rights: rights.clone(),
        keep_warm: Vec::new(),
        loads: Vec::new(),
        unannounced: NodeSet::new(),
        idle_since: BTreeMap::new(),
        most_switches_per_day: None,
        rank_by: *rank_by,
        wear: *wear,
        failure: *failure,
    }))
}

impl<'a> IdleSearch<'a> {
    /// Nothing looked at yet.
    pub fn new(view: &PlanningView<'a>, basis: &'a GapBasis) -> Option<Self> {
        let idle = view.idle?;
        Some(Self {
            fit: idle.energy.fit,
            nodes: idle.nodes,
            basis,
            horizon_end: idle.energy.until,
            savings: GapSavings::new(basis),
            groups: Vec::new(),
            of: None,
        })
    }

    /// Whether two starts of one state may take different nodes.
    pub fn chooses(&self) -> bool {
        self.fit == Fit::LongGaps
    }

    /// Forgets what was free: states are counted anew.
    pub fn restart(&mut self) {
        self.of = None;
    }

    /// What a start of a shape takes and changes, where it has enough nodes; `totals` are of those that draw least.
    pub fn counted(
        &mut self,
        (shape, state): (usize, u32),
        span: Span,
        totals: Totals,
        (order, sweep): (&NodeOrder, &mut Sweep<'_>),
    ) -> Counted {
        self.look_at((shape, state), span, (order, sweep));
        let lost: Vec<[i128; 3]> = (0..self.groups.len()).map(|it| self.lost(it, span)).collect();
        let taken = self.taken(span, totals.nodes, &lost, order);
        let mut counted = Counted::drawn(totals);
        for ((group, lost), &count) in self.groups.iter().zip(&lost).zip(&taken) {
            counted.idle_power = counted.idle_power + group.key.idle * count;
            let lost_of_all = lost.map(|part| part * i128::from(count));
            counted.lost = std::array::from_fn(|it| counted.lost[it] + lost_of_all[it]);
        }
        if self.chooses() {
            counted.totals = order.totals(&self.first_of(&taken));
        }
        counted
    }

    /// The nodes of a start, where it has enough, as ranks of the order in which it takes them.
    pub fn ranks(
        &mut self,
        (shape, state): (usize, u32),
        span: Span,
        count: u32,
        (order, sweep): (&NodeOrder, &mut Sweep<'_>),
    ) -> NodeSet {
        self.look_at((shape, state), span, (order, sweep));
        let lost: Vec<[i128; 3]> = (0..self.groups.len()).map(|it| self.lost(it, span)).collect();
        self.first_of(&self.taken(span, count, &lost, order))
    }

    /// The first so many nodes of each group.
    fn first_of(&self, counts: &[u32]) -> NodeSet {
        let groups = self.groups.iter().zip(counts);
        let ranks = groups.flat_map(|(group, count)| &group.ranks[..*count as usize]);
        NodeSet::from_positions(ranks.copied())
    }

    /// How many of each group a start takes, the first ones of each.
    fn taken(&self, span: Span, count: u32, lost: &[[i128; 3]], order: &NodeOrder) -> Vec<u32> {
        if !self.chooses() {
            return self.groups.iter().map(|group| length(&group.ranks)).collect();
        }
        let mut taken = vec![0; self.groups.len()];
        let next = |place: usize, taken: u32| {
            let Group { key, ranks } = &self.groups[place];
            let rank = *ranks.get(taken as usize)?;
            let beyond_idle = (draw(order, rank) - key.idle) * span.length();
            let energy = beyond_idle.as_microjoules() * 1000 + lost[place][0];
            let gap = key.gap.map(Span::length);
            Some(Reverse((energy, gap.is_none(), gap, rank, place)))
        };
        let mut heap: BinaryHeap<_> =
            (0..self.groups.len()).filter_map(|place| next(place, 0)).collect();
        for _ in 0..count {
            let Some(Reverse((.., place))) = heap.pop() else { break };
            taken[place] += 1;
            heap.extend(next(place, taken[place]));
        }
        taken
    }

    /// What sleeping saves less in the gap of a group, for one node.
    fn lost(&mut self, group: usize, span: Span) -> [i128; 3] {
        let GroupKey { sleeper: Some(sleeper), gap: Some(gap), .. } = self.groups[group].key else {
            return [0; 3];
        };
        let before = Span::new(gap.start(), span.start());
        let after = Span::new(span.end(), gap.end());
        let mut lost = self.savings.of(sleeper, gap);
        for left in [before, after].into_iter().flatten() {
            let saves = self.savings.of(sleeper, left);
            lost = std::array::from_fn(|it| lost[it] - saves[it]);
        }
        lost
    }

    /// Groups the nodes that a start may take, unless it did so for a start of the same state before.
    fn look_at(
        &mut self,
        (shape, state): (usize, u32),
        span: Span,
        (order, sweep): (&NodeOrder, &mut Sweep<'_>),
    ) {
        let within_horizon = span.start() < self.horizon_end;
        let of = (shape, state, within_horizon);
        if self.of.replace(of) == Some(of) {
            return;
        }
        let ranks = if self.chooses() { sweep.free_ranks(span) } else { sweep.ranks(span) };
        let mut places: HashMap<GroupKey, usize> = HashMap::new();
        self.groups.clear();
        for rank in ranks.positions() {
            let ordinal = order.ordinal(rank);
            let key = GroupKey {
                idle: self.nodes.as_slice()[ordinal as usize].idle(),
                sleeper: self.savings.sleeper(ordinal),
                gap: self.basis.gap_at(ordinal, span.start()).filter(|_| within_horizon),
            };
            let place = *places.entry(key).or_insert_with(|| {
                self.groups.push(Group { key, ranks: Vec::new() });
                self.groups.len() - 1
            });
            self.groups[place].ranks.push(rank);
        }
        if self.chooses() {
            for group in &mut self.groups {
                group.ranks.sort_by_key(|rank| draw(order, *rank));
            }
        }
    }
}

fn draw(order: &NodeOrder, rank: u32) -> Power {
    (order.before(rank + 1) - order.before(rank)).draw
}

/// There are at most as many nodes as ranks.
fn length(ranks: &[u32]) -> u32 {
    u32::try_from(ranks.len()).unwrap_or(u32::MAX)
}
