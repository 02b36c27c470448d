//! Whether a reservation keeps the budgets, and between which starts it begins or ceases to.
//!
//! Between two neighbouring candidates the same nodes are taken, so that energy, cost and CO2 are linear in the start, and so
//! is the time in a period. What falls into the period is a product of the two: it turns at most once, and on either side of
//! the turn where it fits is found by bisection.

use super::budget::{BudgetSubject, share};
use super::key::{QuotaKey, QuotaPart, QuotaSubject};
use super::limit::QuotaMeasure;
use super::rule::{QuotaPeriod, QuotaRule, QuotaRules};
use super::verdict::{QuotaExcess, QuotaRefusal};
use crate::identity::QuotaAdjustmentId;
use crate::time::{Seconds, Span, Timestamp};

/// All budgets that one who asks must keep, over a horizon.
#[derive(Debug, Default)]
pub(super) struct BudgetLimits(pub(super) Vec<BudgetLimit>);

/// A budget in one period.
#[derive(Debug)]
pub(super) struct BudgetLimit {
    pub(super) rules: Box<str>,
    pub(super) key: QuotaKey,
    pub(super) adjustment: Option<QuotaAdjustmentId>,
    pub(super) measure: QuotaMeasure,
    /// Of the measure, in the order of criteria.
    pub(super) place: usize,
    pub(super) most: i128,
    pub(super) per: QuotaPeriod,
    pub(super) period: Span,
    /// When the rules are in force in the period.
    pub(super) binds: Vec<Span>,
    pub(super) used: i128,
}

/// A start with what it takes: energy, cost and CO2.
pub(crate) type KnownStart = (Timestamp, [i128; 3]);

impl BudgetLimit {
    /// Whether a reservation over a span must keep it.
    pub(super) fn binds_on(&self, span: Span) -> bool {
        self.period.overlaps(span) && self.binds.iter().any(|it| it.overlaps(span))
    }

    fn excess(&self, own: i128) -> i128 {
        self.used + own - self.most
    }

    fn refusal(&self, asked: i128) -> QuotaRefusal {
        QuotaRefusal::Exceeded(Box::new(QuotaExcess {
            rules: self.rules.clone(),
            key: self.key.clone(),
            adjustment: self.adjustment,
            measure: self.measure,
            limit: self.most,
            used: self.used,
            asked,
            per: Some(self.per),
            during: self.period,
        }))
    }

    /// The seconds on either side of where a start begins or ceases to keep this budget, between two between which all is
    /// linear.
    pub(super) fn crossings(
        &self,
        ((first, amount), (last, last_amount)): ((Timestamp, i128), (Timestamp, i128)),
        duration: Seconds,
        found: &mut Vec<Timestamp>,
    ) {
        let steps = (last - first).get();
        if steps <= 1 {
            return;
        }
        let slope = (last_amount - amount) / i128::from(steps);
        let overlap = |step: i64| {
            let span = Span::starting(first + Seconds::new(step), duration);
            let both = span.and_then(|span| span.intersection(self.period));
            i128::from(both.map_or(0, |both| both.length().get()))
        };
        let fits = |step: i64| {
            let amount = amount + slope * i128::from(step);
            let span = Span::starting(first + Seconds::new(step), duration);
            self.excess(span.map_or(0, |span| share(amount, span, self.period))) <= 0
        };
        let mut side = |low: i64, high: i64| {
            if low < high && fits(low) != fits(high) {
                let (mut low, mut high, before) = (low, high, fits(low));
                while high - low > 1 {
                    let middle = low + (high - low) / 2;
                    if fits(middle) == before { low = middle } else { high = middle }
                }
                found.extend([low, high].map(|step| first + Seconds::new(step)));
            }
        };
        let widens = (overlap(steps) - overlap(0)).signum();
        if slope == 0 || widens == 0 {
            return side(0, steps);
        }
        // (amount + slope x) (overlap + widens x) turns where its derivative is nothing.
        let turn = -(amount * widens + slope * overlap(0)).div_euclid(2 * slope * widens);
        let turn = i64::try_from(turn.clamp(0, steps.into())).unwrap_or_default();
        // Rounding shifts the turn by less than a second either way.
        let [before, after] = [(turn - 1).max(0), (turn + 1).min(steps)];
        side(0, before);
        for step in before..after {
            side(step, step + 1);
        }
        side(after, steps);
    }
}

impl BudgetLimits {
    /// The refusal of the first that is exceeded, of those that bind what takes so much of each.
    pub(super) fn first_exceeded(
        &self,
        own: impl Fn(&BudgetLimit) -> Option<i128>,
    ) -> Result<(), QuotaRefusal> {
        let exceeded = self.0.iter().find_map(|limit| {
            let own = own(limit)?;
            (limit.excess(own) > 0).then(|| limit.refusal(own))
        });
        exceeded.map_or(Ok(()), Err)
    }
}

impl QuotaRules {
    /// The rules whose budget of a measure somebody must keep, each with the subject that it sees: the most specific one for
    /// themselves, and for each project that theirs is a part of the most specific one that counts what is below.
    pub(super) fn budgets_of(
        &self,
        asker: &BudgetSubject,
        measure: QuotaMeasure,
    ) -> Vec<(&QuotaRule, QuotaSubject)> {
        let own = self.applying(&asker.subject, measure);
        let own = own.map(|rule| (rule, asker.subject.clone()));
        let above = asker.above.iter().filter_map(|project| {
            let subject = asker.within(project);
            let says = |rule: &&QuotaRule| {
                rule.budgets.with_below
                    && rule.key.project != QuotaPart::All
                    && rule.limit(measure).is_some()
                    && rule.key.concerns(&subject)
            };
            let most = self.rules.iter().filter(says).max_by_key(|rule| rule.precedence())?;
            Some((most, subject))
        });
        own.into_iter().chain(above).collect()
    }
}
