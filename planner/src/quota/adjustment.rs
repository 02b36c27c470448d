//! Adjustments: rules that operators make for a time, which go before those of the site's calendar.

use std::borrow::Cow;
use std::collections::HashMap;

use jiff::tz::TimeZone;

use super::Quotas;
use super::rule::{QuotaRule, QuotaRules};
use crate::identity::QuotaAdjustmentId;
use crate::time::{Span, Timestamp};

/// A rule that is in force for a time, before all rules of the calendar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaAdjustment {
    rule: QuotaRule,
    from: Timestamp,
    to: Option<Timestamp>,
}

/// Rules that are in force over a span, with the adjustments of that time.
#[derive(Clone, Copy, Debug)]
pub(super) struct PieceInForce {
    pub(super) span: Span,
    /// The place of the calendar's rules; `None` where there are none.
    pub(super) calendar: Option<usize>,
    /// The place of all rules; `None` where there are none.
    pub(super) rules: Option<usize>,
}

/// Which rules are in force when.
#[derive(Debug)]
pub(super) struct RulesInForce<'a> {
    /// By time, without gaps.
    pub(super) pieces: Vec<PieceInForce>,
    pub(super) sets: Vec<Cow<'a, QuotaRules>>,
}

impl QuotaAdjustment {
    /// The rule as one of an adjustment, in force from an instant to another, or without an end.
    pub fn new(
        id: QuotaAdjustmentId,
        rule: QuotaRule,
        (from, to): (Timestamp, Option<Timestamp>),
    ) -> Self {
        Self { rule: QuotaRule { adjustment: Some(id), ..rule }, from, to }
    }

    /// The rule.
    pub const fn rule(&self) -> &QuotaRule {
        &self.rule
    }

    /// The time in which it is in force; `None` where there is none.
    pub fn span(&self) -> Option<Span> {
        Span::new(self.from, self.to.unwrap_or(Timestamp::MAX))
    }

    /// Whether it is in force at an instant.
    pub fn is_in_force(&self, at: Timestamp) -> bool {
        self.from <= at && self.to.is_none_or(|to| at < to)
    }

    /// What of a span it is in force in.
    pub(super) fn part_of(&self, span: Span) -> Option<Span> {
        self.span()?.intersection(span)
    }
}

impl Quotas {
    /// Which rules are in force over a span, with the adjustments that `are_seen`: the calendar's pieces, cut where one
    /// of these begins or ends.
    pub(super) fn in_force(
        &self,
        span: Span,
        zone: &TimeZone,
        are_seen: impl Fn(&QuotaRule) -> bool,
    ) -> RulesInForce<'_> {
        let seen = self.adjustments.iter().filter(|it| are_seen(&it.rule));
        let seen: Vec<&QuotaAdjustment> = seen.filter(|it| it.part_of(span).is_some()).collect();
        let mut edges: Vec<Timestamp> =
            seen.iter().flat_map(|it| [Some(it.from), it.to]).flatten().collect();
        edges.sort_unstable();
        edges.dedup();
        let mut sets: Vec<Cow<'_, QuotaRules>> = self.sets.iter().map(Cow::Borrowed).collect();
        let mut places: HashMap<(Option<usize>, Vec<usize>), usize> = HashMap::new();
        let mut pieces = Vec::new();
        for piece in self.calendar.pieces(span, zone) {
            for part in cut(piece.span, &edges) {
                let is_there = |place: &usize| seen[*place].is_in_force(part.start());
                let there: Vec<usize> = (0..seen.len()).filter(is_there).collect();
                let rules = if there.is_empty() {
                    piece.rules
                } else {
                    Some(*places.entry((piece.rules, there)).or_insert_with_key(|(_, there)| {
                        let adjusted = there.iter().map(|place| seen[*place]);
                        sets.push(Cow::Owned(self.adjusted(piece.rules, adjusted)));
                        sets.len() - 1
                    }))
                };
                pieces.push(PieceInForce { span: part, calendar: piece.rules, rules });
            }
        }
        RulesInForce { pieces, sets }
    }

    /// The rules that are in force now, with all adjustments, and the time of the calendar's up to the end of a span that
    /// begins now.
    pub(super) fn in_force_now(
        &self,
        ahead: Span,
        zone: &TimeZone,
    ) -> Option<(Span, Cow<'_, QuotaRules>)> {
        let piece = self.calendar.pieces(ahead, zone).into_iter().next()?;
        let now = ahead.start();
        let mut there = self.adjustments.iter().filter(|it| it.is_in_force(now)).peekable();
        if there.peek().is_none() {
            return Some((piece.span, Cow::Borrowed(&self.sets[piece.rules?])));
        }
        Some((piece.span, Cow::Owned(self.adjusted(piece.rules, there))))
    }

    /// The time in which a rule counts that is in force during a span by the calendar.
    pub(super) fn time_of(&self, rule: &QuotaRule, span: Span) -> Option<Span> {
        if rule.adjustment.is_none() {
            return Some(span);
        }
        let its = self.adjustments.iter().find(|it| it.rule.adjustment == rule.adjustment);
        its?.part_of(span)
    }

    /// Rules of the calendar, and after them adjustments by when they were made.
    fn adjusted<'a>(
        &self,
        calendar: Option<usize>,
        adjustments: impl Iterator<Item = &'a QuotaAdjustment>,
    ) -> QuotaRules {
        let none = || QuotaRules { name: "".into(), rules: Vec::new() };
        let mut rules = calendar.map_or_else(none, |place| self.sets[place].clone());
        rules.rules.extend(adjustments.map(|it| it.rule.clone()));
        rules
    }
}

/// A span in parts between edges, which are sorted.
fn cut(span: Span, edges: &[Timestamp]) -> Vec<Span> {
    let first = edges.partition_point(|edge| *edge <= span.start());
    let inside = edges[first..].iter().copied().take_while(|edge| *edge < span.end());
    let ends = inside.chain([span.end()]);
    let mut from = span.start();
    let part = |end| Span::new(std::mem::replace(&mut from, end), end);
    ends.filter_map(part).collect()
}
