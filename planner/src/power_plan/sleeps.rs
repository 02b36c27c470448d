//! The sleeps that each node would have if there were no other.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::amounts::Key;
use super::days::{DAY_MS, DayOption, choose};
use super::gaps::Gaps;
use super::kind::{BestSleep, Bounds, Kind, SwitchableNode};
use super::refusal::Refusal;
use super::rights::{Permits, RightAction};
use super::tariff::{Tariffs, millis};
use super::{PowerProblem, RefusedGap};
use crate::search::Cancelled;
use crate::time::{Span, Timestamp};

/// So many nodes are gone through before it is asked whether to stop.
const NODES_AT_A_TIME: u32 = 1000;

/// The sleeps of all nodes, each by itself, and the gaps without one.
pub(super) struct Sleeps<'a> {
    pub finder: Finder<'a>,
    pub wanted: Vec<Wanted>,
    pub refused: Vec<RefusedGap>,
}

/// A sleep that a node would have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub node: u32,
    pub gap: Span,
    pub sleep: BestSleep,
    pub worth: Key,
    /// Which kind of node it is, and which permits it has.
    pub kind: usize,
    pub permits: usize,
}

/// Kinds of nodes and permits, each once, and what is the same for all.
pub(super) struct Finder<'a> {
    tariffs: &'a Tariffs,
    pub kinds: Vec<Kind<'a>>,
    kind_of: HashMap<SwitchableNode, usize>,
    pub permits: Vec<Arc<Permits>>,
    /// The spans of permits, whatever their level.
    permitted: Vec<Vec<Span>>,
    /// For each node the place of its permits.
    permits_of: Vec<u32>,
    /// What a cycle costs beside what is drawn.
    pub cycle: Key,
    /// How often a node may be switched off on a day.
    pub most_switches: Option<u32>,
}

impl<'a> Sleeps<'a> {
    /// Looks at every gap of every node.
    pub fn of(
        problem: &PowerProblem,
        tariffs: &'a Tariffs,
        gaps: &Gaps,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Self, Cancelled> {
        let finder = Finder::new(problem, tariffs);
        let mut all = Self { finder, wanted: Vec::new(), refused: Vec::new() };
        for ordinal in 0..problem.nodes.count() {
            if ordinal % NODES_AT_A_TIME == 0 && is_cancelled() {
                return Err(Cancelled);
            }
            all.look_at(problem, ordinal, gaps.of(ordinal));
        }
        Ok(all)
    }

    fn look_at(&mut self, problem: &PowerProblem, ordinal: u32, gaps: &[Span]) {
        let permits = self.finder.permits_of[ordinal as usize] as usize;
        let refusal = match problem.switchable(ordinal) {
            None => Refusal::NotSwitchable,
            Some(_) if self.finder.permits[permits].is_empty() => Refusal::NoRight,
            Some(node) => {
                let kind = self.finder.kind(node);
                return self.look_at_gaps(problem, (ordinal, kind, permits), gaps);
            }
        };
        let refused =
            |gap: &Span| RefusedGap { node: ordinal, gap: *gap, because: refusal.clone() };
        self.refused.extend(gaps.iter().map(refused));
    }

    fn look_at_gaps(
        &mut self,
        problem: &PowerProblem,
        (node, kind, permits): (u32, usize, usize),
        gaps: &[Span],
    ) {
        let first = self.wanted.len();
        for &gap in gaps {
            match self.finder.best(kind, permits, gap, &[gap]) {
                Ok((sleep, worth)) if worth > [0; 3] => {
                    self.wanted.push(Wanted { node, gap, sleep, worth, kind, permits });
                }
                Ok((sleep, worth)) => {
                    let because = self.finder.does_not_pay(problem, kind, sleep, worth);
                    self.refused.push(RefusedGap { node, gap, because });
                }
                Err(because) => self.refused.push(RefusedGap { node, gap, because }),
            }
        }
        if let Some(most) = problem.most_switches_per_day {
            self.keep_days(first, most);
        }
    }

    /// Of the sleeps from one on, all of one node, keeps those that are worth the most where so many may begin on a day.
    fn keep_days(&mut self, first: usize, most: u32) {
        let own = self.wanted.split_off(first);
        let day = |wanted: &Wanted| wanted.sleep.times.off_ms.div_euclid(DAY_MS);
        let most_of_a_day =
            own.chunk_by(|one, other| day(one) == day(other)).map(<[Wanted]>::len).max();
        if most_of_a_day.unwrap_or(0) <= most as usize {
            self.wanted.extend(own);
            return;
        }
        let options: Vec<Vec<DayOption<Wanted>>> =
            own.iter().map(|wanted| self.finder.by_day(*wanted)).collect();
        for (wanted, chosen) in own.into_iter().zip(choose(&options, most)) {
            match chosen {
                Some(chosen) => self.wanted.push(chosen),
                None => self.refused.push(RefusedGap {
                    node: wanted.node,
                    gap: wanted.gap,
                    because: Refusal::MostSwitches { most },
                }),
            }
        }
    }
}

impl<'a> Finder<'a> {
    fn new(problem: &PowerProblem, tariffs: &'a Tariffs) -> Self {
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

    fn kind(&mut self, node: SwitchableNode) -> usize {
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

    /// The sleeps that a gap may have, by the day on which they begin.
    fn by_day(&self, wanted: Wanted) -> Vec<DayOption<Wanted>> {
        let Wanted { gap, kind, permits, .. } = wanted;
        let on_day = |day: i64| {
            let (sleep, worth) = self.best_on_day(kind, permits, &[gap], day)?;
            (worth > [0; 3]).then_some(DayOption {
                day,
                worth,
                sleep: Wanted { sleep, worth, ..wanted },
            })
        };
        days_of(gap).filter_map(on_day).collect()
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

    fn does_not_pay(
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
