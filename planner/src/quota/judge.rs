//! Whether a reservation keeps the quotas, and where it would.

use std::borrow::Cow;
use std::collections::HashMap;

use jiff::tz::TimeZone;

use super::adjustment::{PieceInForce, RulesInForce};
use super::budget_limits::BudgetLimits;
use super::counting::{QuotaCount, QuotaHolding, node_seconds};
use super::key::{QuotaKey, QuotaPart, QuotaSubject};
use super::limit::QuotaMeasure;
use super::rule::{QuotaPeriod, QuotaRule, QuotaRules};
use super::verdict::{QuotaExcess, QuotaRefusal};
use super::{AcrossRules, Quotas};
use crate::identity::QuotaAdjustmentId;
use crate::time::{Seconds, Span, Timestamp};

/// The number of nodes of a partition; of all nodes where its name is empty.
pub type NodesOf<'a> = &'a dyn Fn(&str) -> u32;

/// What is held, as it counts for one who asks, over a horizon.
#[derive(Debug)]
pub struct QuotaJudge {
    across: AcrossRules,
    pieces: Vec<PieceInForce>,
    limits: Vec<AppliedLimit>,
    /// When which limit says, of each measure by time.
    said: [Vec<SaidPiece>; 3],
    /// Of the calendar's rules.
    names: Vec<Box<str>>,
    counts: Vec<QuotaCount>,
    pub(super) budgets: BudgetLimits,
}

/// A limit of a rule, for one who asks.
#[derive(Debug)]
struct AppliedLimit {
    /// What the rules are called that it is of, or that it goes before.
    rules: Box<str>,
    key: QuotaKey,
    adjustment: Option<QuotaAdjustmentId>,
    measure: QuotaMeasure,
    most: i128,
    per: Option<QuotaPeriod>,
    /// The place of what is counted.
    count: usize,
    /// The periods of the horizon, and what is held in each.
    periods: Vec<(Span, i128)>,
}

/// What tells limits of a measure apart: the place of the calendar's rules, and the rule.
type LimitName<'a> = (Option<usize>, &'a QuotaKey, Option<QuotaAdjustmentId>);

/// When a limit says, for as long as the calendar's rules are the same.
#[derive(Debug)]
struct SaidPiece {
    span: Span,
    /// The place of the limit.
    limit: usize,
}

/// A limit against a part of a wanted reservation.
#[derive(Debug)]
pub(super) struct LimitTest<'a> {
    limit: &'a AppliedLimit,
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

    fn refused(&self) -> QuotaExcess {
        let AppliedLimit { rules, key, adjustment, measure, most, per, .. } = self.limit;
        QuotaExcess {
            rules: rules.clone(),
            key: key.clone(),
            adjustment: *adjustment,
            measure: *measure,
            limit: *most,
            used: self.used,
            asked: self.own,
            per: *per,
            during: self.during,
        }
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
        let of_subject =
            |rule: &QuotaRule| rule.says_of(&QuotaMeasure::OF_NODES) && rule.key.concerns(subject);
        let RulesInForce { pieces, sets } = quotas.in_force(horizon, zone, of_subject);
        let (places, counts, limits) = (HashMap::new(), Vec::new(), Vec::new());
        let mut counted =
            Counted { subject, held, zone, horizon, nodes_of, places, counts, limits };
        let said = QuotaMeasure::OF_NODES.map(|measure| counted.said_of(measure, (&pieces, &sets)));
        let names = quotas.sets.iter().map(|rules| rules.name.clone()).collect();
        let (across, budgets) = (quotas.across, BudgetLimits::default());
        let Counted { counts, limits, .. } = counted;
        Self { across, pieces, limits, said, names, counts, budgets }
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
        first_exceeded(self.tests(nodes, span))
    }

    /// Whether so many nodes over a span keep all quotas but those on the number of reservations, where what is held has
    /// more of the same reservation.
    ///
    /// # Errors
    /// The first limit that they exceed.
    pub fn judge_more_of_one(&self, nodes: u32, span: Span) -> Result<(), QuotaRefusal> {
        let of_reservations =
            |test: &LimitTest<'_>| test.limit.measure == QuotaMeasure::Reservations;
        first_exceeded(self.tests(nodes, span).filter(|test| !of_reservations(test)))
    }

    /// Where a span goes on under other rules of the calendar, if these may not follow each other in one reservation.
    pub(super) fn crossing(&self, span: Span) -> Option<(Timestamp, Option<usize>, Option<usize>)> {
        if self.across == AcrossRules::EachPart {
            return None;
        }
        let from = self.pieces.partition_point(|piece| piece.span.end() <= span.start());
        let mut there = self.pieces[from..].iter().take_while(|it| it.span.start() < span.end());
        let first = there.next()?.calendar;
        let other = there.find(|it| it.calendar != first)?;
        Some((other.span.start(), first, other.calendar))
    }

    /// The parts of a span in which the same limit says, of each measure, by time.
    fn parts(&self, span: Span) -> Vec<(Span, &AppliedLimit)> {
        let of_measure = |said: &'_ Vec<SaidPiece>| {
            let from = said.partition_point(|piece| piece.span.end() <= span.start());
            let until = said.partition_point(|piece| piece.span.start() < span.end());
            from..until.max(from)
        };
        let near = self.said.iter().flat_map(|said| &said[of_measure(said)]);
        let part = |it: &SaidPiece| Some((it.span.intersection(span)?, &self.limits[it.limit]));
        let mut parts: Vec<(Span, &AppliedLimit)> = near.filter_map(part).collect();
        parts.sort_by_key(|(part, _)| part.start());
        parts
    }

    /// Every limit that a reservation must keep. Between two edges they are the same ones in the same order.
    pub(super) fn tests(&self, nodes: u32, span: Span) -> impl Iterator<Item = LimitTest<'_>> + '_ {
        let parts = self.parts(span).into_iter();
        parts.flat_map(move |(part, limit)| self.tests_of(limit, nodes, span, part))
    }

    fn tests_of<'a>(
        &'a self,
        limit: &'a AppliedLimit,
        nodes: u32,
        span: Span,
        part: Span,
    ) -> Vec<LimitTest<'a>> {
        let count = &self.counts[limit.count];
        let test = |during, used, own| LimitTest { limit, during, used, own };
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
        let periods = self.limits.iter().flat_map(|limit| &limit.periods);
        let spans = spans.chain(periods.map(|(span, _)| *span));
        edges.extend(spans.flat_map(|span| [span.start(), span.end()]));
        edges.sort_unstable();
        edges.dedup();
        edges
    }
}

/// The refusal of the first limit that is exceeded.
fn first_exceeded<'a>(mut tests: impl Iterator<Item = LimitTest<'a>>) -> Result<(), QuotaRefusal> {
    match tests.find(|test| test.excess() > 0) {
        Some(test) => Err(QuotaRefusal::Exceeded(Box::new(test.refused()))),
        None => Ok(()),
    }
}

/// What is counted for one who asks, each key once, and the limits that count it.
struct Counted<'a> {
    subject: &'a QuotaSubject,
    held: &'a [QuotaHolding],
    zone: &'a TimeZone,
    horizon: Span,
    nodes_of: NodesOf<'a>,
    places: HashMap<QuotaKey, usize>,
    counts: Vec<QuotaCount>,
    limits: Vec<AppliedLimit>,
}

impl Counted<'_> {
    /// When which limit of a measure says, by time.
    fn said_of(
        &mut self,
        measure: QuotaMeasure,
        (pieces, sets): (&[PieceInForce], &[Cow<'_, QuotaRules>]),
    ) -> Vec<SaidPiece> {
        let mut named: HashMap<LimitName<'_>, Option<usize>> = HashMap::new();
        let mut of_set: HashMap<usize, Option<usize>> = HashMap::new();
        let mut said: Vec<SaidPiece> = Vec::new();
        for &PieceInForce { span, calendar, rules } in pieces {
            let Some(place) = rules else { continue };
            let limit = *of_set.entry(place).or_insert_with(|| {
                let rule = sets[place].applying(self.subject, measure)?;
                let name = (calendar, &rule.key, rule.adjustment);
                *named.entry(name).or_insert_with(|| self.limit((&sets[place], rule), measure))
            });
            let Some(limit) = limit else { continue };
            let last = said.last_mut().filter(|last| last.limit == limit);
            let longer = last.filter(|last| last.span.end() == span.start()).and_then(|last| {
                last.span = Span::new(last.span.start(), span.end())?;
                Some(())
            });
            if longer.is_none() {
                said.push(SaidPiece { span, limit });
            }
        }
        said
    }

    /// The place of what a rule says of a measure, with what is held of it; `None` where it is unlimited.
    fn limit(
        &mut self,
        (rules, rule): (&QuotaRules, &QuotaRule),
        measure: QuotaMeasure,
    ) -> Option<usize> {
        let all = (self.nodes_of)(partition(rule, self.subject));
        let most = rule.limit(measure)?.of(measure, all)?;
        let per = rule.per.filter(|_| measure == QuotaMeasure::NodeHours);
        let count = self.place(&rule.key);
        let spans = per.map(|per| per.overlapping(self.horizon, self.zone)).unwrap_or_default();
        let used = |span: Span| (span, self.counts[count].node_seconds(span));
        let periods = spans.into_iter().map(used).collect();
        let (rules, key, adjustment) = (rules.name.clone(), rule.key.clone(), rule.adjustment);
        let limit = AppliedLimit { rules, key, adjustment, measure, most, per, count, periods };
        self.limits.push(limit);
        Some(self.limits.len() - 1)
    }

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
