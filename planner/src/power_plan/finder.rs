//! The best sleep of a gap, for each kind of node and its permits.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::PowerProblem;
use super::amounts::Key;
use super::days::DAY_MS;
use super::kind::{BestSleep, Bounds, Kind, SwitchableNode};
use super::refusal::Refusal;
use super::rights::{Permits, RightAction};
use super::tariff::{Tariffs, millis};
use crate::time::{Span, Timestamp};

/// Kinds of nodes and permits, each once, and what is the same for all.
pub(super) struct Finder<'a> {
    tariffs: &'a Tariffs,
    pub kinds: Vec<Kind<'a>>,
    kind_of: HashMap<SwitchableNode, usize>,
    pub permits: Vec<Arc<Permits>>,
    /// The spans of permits, whatever their level.
    permitted: Vec<Vec<Span>>,
    /// For each node the place of its permits.
    pub permits_of: Vec<u32>,
    /// What a cycle costs beside what is drawn.
    pub cycle: Key,
    /// How often a node may be switched off on a day.
    pub most_switches: Option<u32>,
}

impl<'a> Finder<'a> {
    pub fn new(problem: &PowerProblem, tariffs: &'a Tariffs) -> Self {
        let (permits_of, permits) = permits(problem);
        let spans = |permits: &Arc<Permits>| permits.spans().iter().map(|it| it.0).collect();
        Self {
            tariffs,
            kinds: Vec::new(),
            kind_of: HashMap::new(),
            permitted: permits.iter().map(spans).collect(),
            permits,
            permits_of,
            cycle: problem.rank_by.key(&problem.cycle_cost()),
            most_switches: problem.most_switches_per_day,
        }
    }

    /// The place of a kind of node.
    pub fn kind(&mut self, node: SwitchableNode) -> usize {
        *self.kind_of.entry(node).or_insert_with(|| {
            self.kinds.push(Kind::new(node, self.tariffs));
            self.kinds.len() - 1
        })
    }

    /// The best sleep of a gap in one of the spans of it in which the node may be away, and what it is worth; or why there
    /// is none.
    pub fn best(
        &self,
        kind: usize,
        permits: usize,
        gap: Span,
        away: &[Span],
    ) -> Result<(BestSleep, Key), Refusal> {
        let node = &self.kinds[kind].node;
        let least_ms = node.off_ms() + node.lead_ms();
        if millis(gap.end()) - millis(gap.start()) < least_ms {
            return Err(Refusal::TooShort { least_ms });
        }
        let bounds: Vec<Bounds> = away.iter().flat_map(|span| self.bounds(kind, *span)).collect();
        if bounds.is_empty() {
            return Err(Refusal::Unknown);
        }
        let sleeps = bounds.into_iter().filter_map(|bounds| self.within(kind, permits, bounds));
        sleeps.max_by_key(|(_, worth)| *worth).ok_or(Refusal::NotPermitted)
    }

    fn within(&self, kind: usize, permits: usize, bounds: Bounds) -> Option<(BestSleep, Key)> {
        let sleep = self.kinds[kind].best(bounds, &self.permitted[permits])?;
        Some((sleep, Kind::worth(&sleep, self.cycle)))
    }

    /// What sleeps may be in a span in which the node may be away, where tariffs are known.
    fn bounds(&self, kind: usize, span: Span) -> impl Iterator<Item = Bounds> {
        let node = self.kinds[kind].node;
        let (down, lead, up) = (node.off_ms(), node.lead_ms(), node.on_ms());
        let known = self.tariffs.known();
        let first = known.partition_point(|it| it.end() <= span.start());
        let known = known[first..].iter().take_while(move |it| it.start() < span.end());
        known.filter_map(move |known| {
            let off_from = millis(known.start().max(span.start()));
            let wake_until = (millis(span.end()) - lead).min(millis(known.end()) - up);
            (off_from + down <= wake_until).then_some(Bounds { off_from, wake_until })
        })
    }

    /// The best sleep that begins on a day, where the node may be away.
    pub fn best_on_day(
        &self,
        kind: usize,
        permits: usize,
        away: &[Span],
        day: i64,
    ) -> Option<(BestSleep, Key)> {
        let at = |day: i64| Timestamp::from_unix_seconds(day * (DAY_MS / 1000));
        let permitted: Vec<Span> = self.permitted[permits]
            .iter()
            .filter_map(|span| Span::new(span.start().max(at(day)), span.end().min(at(day + 1))))
            .collect();
        let bounds = away.iter().flat_map(|span| self.bounds(kind, *span));
        let sleeps = bounds.filter_map(|bounds| self.kinds[kind].best(bounds, &permitted));
        sleeps.map(|sleep| (sleep, Kind::worth(&sleep, self.cycle))).max_by_key(|it| it.1)
    }

    /// What is told of the best sleep of a gap, where it is worth nothing or less.
    pub fn does_not_pay(
        &self,
        problem: &PowerProblem,
        kind: usize,
        sleep: BestSleep,
        worth: Key,
    ) -> Refusal {
        let saves = self.kinds[kind].saves(sleep) - problem.cycle_cost();
        let costs = worth.iter().position(|part| *part < 0).unwrap_or(0);
        let criterion = problem.rank_by.criteria().nth(costs).unwrap_or(problem.rank_by.first());
        Refusal::DoesNotPay { criterion, saves }
    }
}

/// The days of UTC that a span has a part of, since the Unix epoch.
pub(super) fn days_of(span: Span) -> RangeInclusive<i64> {
    millis(span.start()).div_euclid(DAY_MS)..=(millis(span.end()) - 1).div_euclid(DAY_MS)
}

/// For each node the place of its permits among all that differ.
fn permits(problem: &PowerProblem) -> (Vec<u32>, Vec<Arc<Permits>>) {
    let mut rights_of: Vec<Vec<u32>> = vec![Vec::new(); problem.nodes.count() as usize];
    for (place, right) in (0..).zip(&problem.rights) {
        for ordinal in right.nodes.positions() {
            if let Some(rights) = rights_of.get_mut(ordinal as usize) {
                rights.push(place);
            }
        }
    }
    let mut places: HashMap<Vec<u32>, u32> = HashMap::new();
    let mut all: Vec<Arc<Permits>> = Vec::new();
    let place_of = |rights: Vec<u32>| {
        if let Some(place) = places.get(&rights) {
            return *place;
        }
        let named = rights.iter().map(|place| &problem.rights[*place as usize]);
        all.push(Arc::new(Permits::of(named, RightAction::Off, problem.horizon)));
        let place = u32::try_from(all.len() - 1).unwrap_or(u32::MAX);
        places.insert(rights, place);
        place
    };
    let places = rights_of.into_iter().map(place_of).collect();
    (places, all)
}
