//! What is held, counted: nodes and reservations at each instant, and nodes times seconds over spans.

use std::collections::BTreeMap;

use super::key::QuotaSubject;
use crate::time::{Seconds, Span, Timestamp};

/// What a reservation holds, or one of the spans that it holds one after the other. Of alternatives one will be used: at
/// each instant, and in each period, the one counts that takes the most, so that whichever is chosen is counted already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaHolding {
    /// Whose it is.
    pub subject: QuotaSubject,
    /// A span of the chosen offer, or all offers that are held: their times and numbers of nodes.
    pub alternatives: Vec<(Span, u32)>,
}

/// What some hold together.
#[derive(Debug, Default)]
pub(super) struct QuotaCount {
    /// By time; each counts until the next.
    steps: Vec<CountStep>,
    /// By the start of the first alternative.
    holdings: Vec<CountedHolding>,
}

/// Alternatives, of which one will be used.
#[derive(Debug)]
struct CountedHolding {
    start: Timestamp,
    /// The latest end of this one and all before it.
    latest_end: Timestamp,
    alternatives: Vec<(Span, u32)>,
}

/// What is held from an instant on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CountStep {
    at: Timestamp,
    nodes: i128,
    reservations: i128,
}

impl QuotaHolding {
    /// From when to when it holds how many nodes, by time.
    fn steps(&self) -> impl Iterator<Item = (Span, u32)> + '_ {
        let mut edges: Vec<Timestamp> =
            self.alternatives.iter().flat_map(|(span, _)| [span.start(), span.end()]).collect();
        edges.sort_unstable();
        edges.dedup();
        let spans: Vec<Span> =
            edges.windows(2).filter_map(|pair| Span::new(pair[0], pair[1])).collect();
        spans.into_iter().filter_map(|span| {
            let there = self.alternatives.iter().filter(|(other, _)| other.overlaps(span));
            Some((span, there.map(|(_, nodes)| *nodes).max()?))
        })
    }
}

impl QuotaCount {
    pub(super) fn of<'a>(holdings: impl Iterator<Item = &'a QuotaHolding>) -> Self {
        let mut changes: BTreeMap<Timestamp, (i128, i128)> = BTreeMap::new();
        let mut kept: Vec<CountedHolding> = Vec::new();
        for holding in holdings {
            for (span, nodes) in holding.steps() {
                let begin = changes.entry(span.start()).or_default();
                *begin = (begin.0 + i128::from(nodes), begin.1 + 1);
                let end = changes.entry(span.end()).or_default();
                *end = (end.0 - i128::from(nodes), end.1 - 1);
            }
            let spans = holding.alternatives.iter().map(|(span, _)| span);
            let start = spans.clone().map(|span| span.start()).min();
            let end = spans.map(|span| span.end()).max();
            let Some((start, latest_end)) = start.zip(end) else { continue };
            let alternatives = holding.alternatives.clone();
            kept.push(CountedHolding { start, latest_end, alternatives });
        }
        kept.sort_by_key(|it| it.start);
        let mut latest = Timestamp::MIN;
        for holding in &mut kept {
            latest = latest.max(holding.latest_end);
            holding.latest_end = latest;
        }
        let (mut nodes, mut reservations) = (0, 0);
        let steps = changes.into_iter().map(|(at, (more_nodes, more))| {
            nodes += more_nodes;
            reservations += more;
            CountStep { at, nodes, reservations }
        });
        Self { steps: steps.collect(), holdings: kept }
    }

    /// Every instant at which something begins or ends.
    pub(super) fn edges(&self) -> impl Iterator<Item = Timestamp> + '_ {
        self.steps.iter().map(|step| step.at)
    }

    /// What is held during a span, part by part.
    fn during(&self, span: Span) -> impl Iterator<Item = (Span, i128, i128)> + '_ {
        let from = self.steps.partition_point(|step| step.at <= span.start()).saturating_sub(1);
        let steps = self.steps[from..].iter().enumerate();
        steps.take_while(move |(_, step)| step.at < span.end()).filter_map(move |(place, step)| {
            let next = self.steps.get(from + place + 1).map_or(Timestamp::MAX, |next| next.at);
            let part = Span::new(step.at, next)?.intersection(span)?;
            Some((part, step.nodes, step.reservations))
        })
    }

    /// The most nodes, or reservations, at an instant of a span.
    pub(super) fn most(&self, span: Span, of_reservations: bool) -> i128 {
        let counts = self.during(span).map(
            |(_, nodes, reservations)| {
                if of_reservations { reservations } else { nodes }
            },
        );
        counts.max().unwrap_or_default()
    }

    /// The last instant of a span at which there are more nodes, or reservations, than so many.
    pub(super) fn last_above(
        &self,
        span: Span,
        of_reservations: bool,
        most: i128,
    ) -> Option<Timestamp> {
        let above = self.during(span).filter(|(_, nodes, reservations)| {
            let count = if of_reservations { reservations } else { nodes };
            *count > most
        });
        above.last().map(|(part, ..)| part.end() - Seconds::ONE)
    }

    /// Nodes times seconds over a span.
    pub(super) fn node_seconds(&self, span: Span) -> i128 {
        let most = |holding: &CountedHolding| {
            let each = holding.alternatives.iter();
            each.map(|(held, nodes)| node_seconds(*nodes, *held, span)).max().unwrap_or_default()
        };
        let from = self.holdings.partition_point(|it| it.latest_end <= span.start());
        let near = self.holdings[from..].iter().take_while(|it| it.start < span.end());
        near.map(most).sum()
    }
}

/// Nodes times the seconds of `held` that are in `span`.
pub(super) fn node_seconds(nodes: u32, held: Span, span: Span) -> i128 {
    let seconds = held.intersection(span).map_or(0, |both| both.length().get());
    i128::from(nodes) * i128::from(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(from: i64, to: i64) -> Span {
        Span::new(Timestamp::from_unix_seconds(from), Timestamp::from_unix_seconds(to)).unwrap()
    }

    fn count(holdings: &[&[(Span, u32)]]) -> QuotaCount {
        let holding = |alternatives: &&[(Span, u32)]| QuotaHolding {
            subject: QuotaSubject::default(),
            alternatives: alternatives.to_vec(),
        };
        let holdings: Vec<QuotaHolding> = holdings.iter().map(holding).collect();
        QuotaCount::of(holdings.iter())
    }

    /// Two alternatives, 4 nodes in [0, 10) and 6 in [5, 15): 4 nodes, then 6, always one reservation. In [0, 15) the
    /// first takes 40 node-seconds and the second 60; in [0, 8) they take 32 and 18.
    #[test]
    fn of_alternatives_the_one_counts_that_takes_the_most() {
        let count = count(&[&[(span(0, 10), 4), (span(5, 15), 6)]]);
        assert_eq!((count.most(span(0, 5), false), count.most(span(0, 6), false)), (4, 6));
        assert_eq!((count.most(span(0, 20), true), count.most(span(15, 20), true)), (1, 0));
        assert_eq!((count.node_seconds(span(0, 15)), count.node_seconds(span(0, 8))), (60, 32));
    }

    #[test]
    fn reservations_add_up_and_touching_ones_do_not_meet() {
        let count = count(&[&[(span(0, 10), 4)], &[(span(10, 20), 3)], &[(span(5, 15), 2)]]);
        assert_eq!(count.most(span(0, 20), false), 6);
        assert_eq!(count.most(span(10, 20), false), 5);
        assert_eq!(count.most(span(0, 20), true), 2);
        assert_eq!(count.last_above(span(0, 20), false, 4), Some(Timestamp::from_unix_seconds(14)));
        assert_eq!(count.last_above(span(0, 20), false, 6), None);
        assert_eq!(count.node_seconds(span(0, 20)), 40 + 30 + 20);
    }
}
