//! What is left of the budgets for one who asks, beside all other quotas.

use jiff::tz::TimeZone;

use super::Quotas;
use super::adjustment::RulesInForce;
use super::budget::{BudgetHolding, BudgetSubject, BudgetUse, share};
use super::budget_limits::{BudgetLimit, BudgetLimits, KnownStart};
use super::judge::{NodesOf, QuotaJudge, partition};
use super::limit::QuotaMeasure;
use super::rule::QuotaRule;
use super::verdict::QuotaRefusal;
use crate::time::{Seconds, Span, Timestamp};

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
        let of_asker = |rule: &QuotaRule| {
            let as_above = || asker.above.iter().any(|it| rule.key.concerns(&asker.within(it)));
            rule.says_of(&QuotaMeasure::OF_BUDGETS)
                && (rule.key.concerns(&asker.subject) || as_above())
        };
        let RulesInForce { pieces, sets } = quotas.in_force(horizon, zone, of_asker);
        let mut limits = Vec::new();
        for (place, rules) in sets.iter().enumerate() {
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
                        adjustment: rule.adjustment,
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
            let is_bound = uses.iter().any(|it| limit.binds_on(it.span));
            is_bound.then(|| uses.iter().map(|it| it.inside(limit.place, limit.period)).sum())
        })
    }

    /// Whether a reservation over a span that takes so much energy, cost and CO2 keeps the budgets.
    ///
    /// # Errors
    /// The first budget that it exceeds.
    pub fn judge_amounts(&self, amounts: &[i128; 3], span: Span) -> Result<(), QuotaRefusal> {
        self.budgets.first_exceeded(|limit| {
            limit.binds_on(span).then(|| share(amounts[limit.place], span, limit.period))
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
