//! Whether a reservation keeps the budgets, and between which starts it begins or ceases to.
//!
//! Between two neighbouring candidates the same nodes are taken, so that energy, cost and CO2 are linear in the start, and so
//! is the time in a period. What falls into the period is a product of the two: it turns at most once, and on either side of
//! the turn where it fits is found by bisection.

use jiff::tz::TimeZone;

use super::Quotas;
use super::budget::{BudgetHolding, BudgetSubject, BudgetUse, share};
use super::judge::{NodesOf, QuotaJudge, partition};
use super::key::{QuotaKey, QuotaPart, QuotaSubject};
use super::limit::QuotaMeasure;
use super::rule::{QuotaPeriod, QuotaRule, QuotaRules};
use super::verdict::{QuotaExcess, QuotaRefusal};
use crate::time::{Seconds, Span, Timestamp};

/// All budgets that one who asks must keep, over a horizon.
#[derive(Debug, Default)]
pub(super) struct BudgetLimits(Vec<BudgetLimit>);

/// A budget in one period.
#[derive(Debug)]
struct BudgetLimit {
    rules: Box<str>,
    key: QuotaKey,
    measure: QuotaMeasure,
    /// Of the measure, in the order of criteria.
    place: usize,
    most: i128,
    per: QuotaPeriod,
    period: Span,
    /// When the rules are in force in the period.
    binds: Vec<Span>,
    used: i128,
}

/// A start with what it takes: energy, cost and CO2.
pub(crate) type KnownStart = (Timestamp, [i128; 3]);

impl BudgetLimit {
    fn binds(&self, span: Span) -> bool {
        self.period.overlaps(span) && self.binds.iter().any(|it| it.overlaps(span))
    }

    fn excess(&self, own: i128) -> i128 {
        self.used + own - self.most
    }

    fn refusal(&self, asked: i128) -> QuotaRefusal {
        QuotaRefusal::Exceeded(Box::new(QuotaExcess {
            rules: self.rules.clone(),
            key: self.key.clone(),
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
    fn crossings(
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
    fn first_exceeded(
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

impl QuotaJudge {
    /// The judge with what is left of the budgets of somebody, over the same horizon.
    #[must_use]
    pub fn with_budgets(
        mut self,
        quotas: &Quotas,
        zone: &TimeZone,
        (asker, held): (&BudgetSubject, &[BudgetHolding]),
        nodes_of: NodesOf<'_>,
        horizon: Span,
    ) -> Self {
        let pieces = quotas.calendar.pieces(horizon, zone);
        let mut limits = Vec::new();
        for (place, rules) in quotas.sets.iter().enumerate() {
            let in_force = pieces.iter().filter(|piece| piece.rules == Some(place));
            let in_force: Vec<Span> = in_force.map(|piece| piece.span).collect();
            for (at, measure) in QuotaMeasure::OF_BUDGETS.into_iter().enumerate() {
                for (rule, subject) in rules.budgets_of(asker, measure) {
                    let all = nodes_of(partition(rule, &subject));
                    let most = rule.limit(measure).and_then(|it| it.of(measure, all));
                    let Some((most, per)) = most.zip(rule.per) else { continue };
                    let counting: Vec<&BudgetHolding> =
                        held.iter().filter(|it| it.of.counts(rule, &subject)).collect();
                    let limit = |period: Span| BudgetLimit {
                        rules: rules.name.clone(),
                        key: rule.key.clone(),
                        measure,
                        place: at,
                        most,
                        per,
                        period,
                        binds: in_force.iter().filter_map(|it| it.intersection(period)).collect(),
                        used: counting.iter().map(|it| it.taken(at, period).0).sum(),
                    };
                    let periods = per.overlapping(horizon, zone).into_iter().map(limit);
                    limits.extend(periods.filter(|limit| !limit.binds.is_empty()));
                }
            }
        }
        self.budgets = BudgetLimits(limits);
        self
    }

    /// Whether a reservation that takes all this keeps the budgets.
    ///
    /// # Errors
    /// The first budget that it exceeds.
    pub fn judge_uses(&self, uses: &[BudgetUse]) -> Result<(), QuotaRefusal> {
        self.budgets.first_exceeded(|limit| {
            let is_bound = uses.iter().any(|it| limit.binds(it.span));
            is_bound.then(|| uses.iter().map(|it| it.inside(limit.place, limit.period)).sum())
        })
    }

    /// Whether a reservation over a span that takes so much energy, cost and CO2 keeps the budgets.
    ///
    /// # Errors
    /// The first budget that it exceeds.
    pub fn judge_amounts(&self, amounts: &[i128; 3], span: Span) -> Result<(), QuotaRefusal> {
        self.budgets.first_exceeded(|limit| {
            limit.binds(span).then(|| share(amounts[limit.place], span, limit.period))
        })
    }

    /// Whether there are budgets to be kept.
    pub(crate) fn has_budgets(&self) -> bool {
        !self.budgets.0.is_empty()
    }

    /// Every instant at which a budget begins or ceases to count.
    pub(crate) fn budget_edges(&self) -> impl Iterator<Item = Timestamp> + '_ {
        let spans = self.budgets.0.iter().flat_map(|it| it.binds.iter().chain([&it.period]));
        spans.flat_map(|span| [span.start(), span.end()])
    }

    /// The starts between two, on either side of where budgets begin or cease to be kept; energy, cost and CO2 are linear
    /// in the start between them, and no edge lies there.
    pub(crate) fn budget_crossings(
        &self,
        (first, last): (&KnownStart, &KnownStart),
        duration: Seconds,
    ) -> Vec<Timestamp> {
        let mut found = Vec::new();
        let Some(reach) = Span::new(first.0, last.0 + duration) else { return found };
        for limit in self.budgets.0.iter().filter(|it| it.period.overlaps(reach)) {
            let ends = [first, last].map(|(at, amounts)| (*at, amounts[limit.place]));
            limit.crossings((ends[0], ends[1]), duration, &mut found);
        }
        found
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
            let most = self.rules.iter().filter(says).max_by_key(|rule| rule.key.specificity())?;
            Some((most, subject))
        });
        own.into_iter().chain(above).collect()
    }
}
