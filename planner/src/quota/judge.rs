//! Whether a reservation keeps the quotas, and where it would.

use std::collections::HashMap;

use jiff::tz::TimeZone;

use super::budget_limits::BudgetLimits;
use super::calendar::QuotaPiece;
use super::counting::{QuotaCount, QuotaHolding, node_seconds};
use super::key::{QuotaKey, QuotaPart, QuotaSubject};
use super::limit::QuotaMeasure;
use super::rule::{QuotaPeriod, QuotaRule};
use super::verdict::{QuotaExcess, QuotaRefusal};
use super::{AcrossRules, Quotas};
use crate::time::{Seconds, Span, Timestamp};

/// The number of nodes of a partition; of all nodes where its name is empty.
pub type NodesOf<'a> = &'a dyn Fn(&str) -> u32;

/// What is held, as it counts for one who asks, over a horizon.
#[derive(Debug)]
pub struct QuotaJudge {
    across: AcrossRules,
    pieces: Vec<QuotaPiece>,
    /// By the place of the rules.
    limits: Vec<Vec<AppliedLimit>>,
    names: Vec<Box<str>>,
    counts: Vec<QuotaCount>,
    pub(super) budgets: BudgetLimits,
}

/// A limit of a rule, for one who asks.
#[derive(Debug)]
struct AppliedLimit {
    key: QuotaKey,
    measure: QuotaMeasure,
    most: i128,
    per: Option<QuotaPeriod>,
    /// The place of what is counted.
    count: usize,
    /// The periods of the horizon, and what is held in each.
    periods: Vec<(Span, i128)>,
}

/// A limit against a part of a wanted reservation.
#[derive(Debug)]
pub(super) struct LimitTest<'a> {
    limit: &'a AppliedLimit,
    rules: usize,
    /// The time that counts.
    during: Span,
    used: i128,
    own: i128,
}

impl LimitTest<'_> {
    /// What it is too much by; at most 0 where it fits.
    pub(super) const fn excess(&self) -> i128 {
        self.used + self.own - self.limit.most
    }

    /// Whether it changes with the start between two edges.
    pub(super) fn is_sum(&self) -> bool {
        self.limit.measure == QuotaMeasure::NodeHours
    }
}

impl QuotaJudge {
    /// What `held` counts for `subject` under the quotas, over a horizon that has all that will be asked.
    pub fn new(
        quotas: &Quotas,
        zone: &TimeZone,
        subject: &QuotaSubject,
        held: &[QuotaHolding],
        nodes_of: NodesOf<'_>,
        horizon: Span,
    ) -> Self {
        let pieces = quotas.calendar.pieces(horizon, zone);
        let mut counted = Counted { subject, held, places: HashMap::new(), counts: Vec::new() };
        let mut limits: Vec<Vec<AppliedLimit>> = Vec::new();
        for (place, rules) in quotas.sets.iter().enumerate() {
            let is_used = pieces.iter().any(|piece| piece.rules == Some(place));
            let mut applied = Vec::new();
            for measure in QuotaMeasure::OF_NODES.into_iter().filter(|_| is_used) {
                let Some(rule) = rules.applying(subject, measure) else { continue };
                let all = nodes_of(partition(rule, subject));
                let Some(most) = rule.limit(measure).and_then(|it| it.of(measure, all)) else {
                    continue;
                };
                let per = rule.per.filter(|_| measure == QuotaMeasure::NodeHours);
                let count = counted.place(&rule.key);
                let spans = per.map(|per| per.overlapping(horizon, zone)).unwrap_or_default();
                let used = |span: Span| (span, counted.counts[count].node_seconds(span));
                let periods = spans.into_iter().map(used).collect();
                let key = rule.key.clone();
                applied.push(AppliedLimit { key, measure, most, per, count, periods });
            }
            limits.push(applied);
        }
        let names = quotas.sets.iter().map(|rules| rules.name.clone()).collect();
        let budgets = BudgetLimits::default();
        Self { across: quotas.across, pieces, limits, names, counts: counted.counts, budgets }
    }

    /// Whether so many nodes over a span keep the quotas.
    ///
    /// # Errors
    /// The first limit that they exceed.
    pub fn judge(&self, nodes: u32, span: Span) -> Result<(), QuotaRefusal> {
        if let Some((at, before, after)) = self.crossing(span) {
            let name = |rules: Option<usize>| rules.map(|place| self.names[place].clone());
            return Err(QuotaRefusal::Across { at, before: name(before), after: name(after) });
        }
        self.first_exceeded(self.tests(nodes, span))
    }

    /// Whether so many nodes over a span keep all quotas but those on the number of reservations, where what is held has
    /// more of the same reservation.
    ///
    /// # Errors
    /// The first limit that they exceed.
    pub fn judge_more_of_one(&self, nodes: u32, span: Span) -> Result<(), QuotaRefusal> {
        let of_reservations =
            |test: &LimitTest<'_>| test.limit.measure == QuotaMeasure::Reservations;
        self.first_exceeded(self.tests(nodes, span).filter(|test| !of_reservations(test)))
    }

    fn first_exceeded<'a>(
        &self,
        mut tests: impl Iterator<Item = LimitTest<'a>>,
    ) -> Result<(), QuotaRefusal> {
        match tests.find(|test| test.excess() > 0) {
            Some(test) => Err(QuotaRefusal::Exceeded(Box::new(self.excess(&test)))),
            None => Ok(()),
        }
    }

    fn excess(&self, test: &LimitTest<'_>) -> QuotaExcess {
        let AppliedLimit { key, measure, most, per, .. } = test.limit;
        QuotaExcess {
            rules: self.names[test.rules].clone(),
            key: key.clone(),
            measure: *measure,
            limit: *most,
            used: test.used,
            asked: test.own,
            per: *per,
            during: test.during,
        }
    }

    /// Where a span goes on under other rules, if these may not follow each other in one reservation.
    pub(super) fn crossing(&self, span: Span) -> Option<(Timestamp, Option<usize>, Option<usize>)> {
        if self.across == AcrossRules::EachPart {
            return None;
        }
        let mut there = self.parts(span);
        let (_, first) = there.next()?;
        let (second, other) = there.next()?;
        Some((second.start(), first, other))
    }

    /// The parts of a span under the same rules.
    fn parts(&self, span: Span) -> impl Iterator<Item = (Span, Option<usize>)> + '_ {
        let from = self.pieces.partition_point(|piece| piece.span.end() <= span.start());
        let near = self.pieces[from..].iter().take_while(move |it| it.span.start() < span.end());
        near.filter_map(move |it| Some((it.span.intersection(span)?, it.rules)))
    }

    /// Every limit that a reservation must keep. Between two edges they are the same ones in the same order.
    pub(super) fn tests(&self, nodes: u32, span: Span) -> impl Iterator<Item = LimitTest<'_>> + '_ {
        let parts = self.parts(span).filter_map(|(part, rules)| Some((part, rules?)));
        parts.flat_map(move |(part, rules)| {
            self.limits[rules]
                .iter()
                .flat_map(move |limit| self.tests_of(limit, rules, nodes, span, part))
        })
    }

    fn tests_of<'a>(
        &'a self,
        limit: &'a AppliedLimit,
        rules: usize,
        nodes: u32,
        span: Span,
        part: Span,
    ) -> Vec<LimitTest<'a>> {
        let count = &self.counts[limit.count];
        let test = |during, used, own| LimitTest { limit, rules, during, used, own };
        match limit.measure {
            QuotaMeasure::Nodes => vec![test(part, count.most(part, false), nodes.into())],
            QuotaMeasure::Reservations => vec![test(part, count.most(part, true), 1)],
            QuotaMeasure::NodeHours if limit.per.is_none() => {
                vec![test(part, count.node_seconds(part), node_seconds(nodes, span, part))]
            }
            _ => {
                let there = limit.periods.iter().filter(|(period, _)| period.overlaps(part));
                let own = |&(period, used): &(Span, i128)| {
                    test(period, used, node_seconds(nodes, span, period))
                };
                there.map(own).collect()
            }
        }
    }

    /// The last instant of a wanted span at which a limit of instants is exceeded: no start up to then fits.
    pub(super) fn last_exceeded(&self, nodes: u32, span: Span) -> Option<Timestamp> {
        let above = |test: &LimitTest<'_>| {
            let (limit, count) = (test.limit, &self.counts[test.limit.count]);
            let of_reservations = limit.measure == QuotaMeasure::Reservations;
            let room = limit.most - test.own;
            let nothing_fits = room < 0;
            let end = test.during.end() - Seconds::ONE;
            if nothing_fits {
                Some(end)
            } else {
                count.last_above(test.during, of_reservations, room)
            }
        };
        self.tests(nodes, span).filter(|test| !test.is_sum()).filter_map(|test| above(&test)).max()
    }

    /// Every instant at which what is counted, or what it is measured by, changes.
    pub(super) fn edges(&self) -> Vec<Timestamp> {
        let mut edges: Vec<Timestamp> = self.counts.iter().flat_map(QuotaCount::edges).collect();
        let spans = self.pieces.iter().map(|piece| piece.span);
        let periods = self.limits.iter().flatten().flat_map(|limit| &limit.periods);
        let spans = spans.chain(periods.map(|(span, _)| *span));
        edges.extend(spans.flat_map(|span| [span.start(), span.end()]));
        edges.sort_unstable();
        edges.dedup();
        edges
    }
}

/// What is counted for one who asks, each key once.
struct Counted<'a> {
    subject: &'a QuotaSubject,
    held: &'a [QuotaHolding],
    places: HashMap<QuotaKey, usize>,
    counts: Vec<QuotaCount>,
}

impl Counted<'_> {
    fn place(&mut self, key: &QuotaKey) -> usize {
        *self.places.entry(key.clone()).or_insert_with(|| {
            let counts = |it: &&QuotaHolding| key.counts(self.subject, &it.subject);
            self.counts.push(QuotaCount::of(self.held.iter().filter(counts)));
            self.counts.len() - 1
        })
    }
}

/// The partition whose nodes are `ALL` for a rule; empty for all nodes.
pub(super) fn partition<'a>(rule: &'a QuotaRule, subject: &'a QuotaSubject) -> &'a str {
    match &rule.key.partition {
        QuotaPart::All => "",
        QuotaPart::Each => &subject.partition,
        QuotaPart::Named(name) => name,
    }
}
