//! Whether every start of a decision keeps the budgets of who asks, summed again from what is held.

use jiff::tz::TimeZone;

use super::{Place, Violation, starts_of};
use crate::decision::{Decision, Offer};
use crate::quota::{
    BudgetHolding, BudgetSubject, BudgetUse, QuotaAdjustment, QuotaMeasure, QuotaPart, QuotaRule,
    Quotas,
};
use crate::time::{Span, Timestamp};

/// The budgets that a decision was made under.
#[derive(Clone, Copy, Debug)]
pub struct BudgetsAsked<'a> {
    /// All quotas.
    pub quotas: &'a Quotas,
    /// Of the site's clock.
    pub zone: &'a TimeZone,
    /// Who asks.
    pub asker: &'a BudgetSubject,
    /// What is held.
    pub held: &'a [BudgetHolding],
}

/// Judges the starts of a decision by budgets alone; their energy, cost and CO2 are as they say, which
/// [`check`](super::check) proves. Limits in units of all nodes are none of budgets.
///
/// # Errors
/// Every start that exceeds a budget, and the budget.
pub fn check_budgets(asked: &BudgetsAsked<'_>, decision: &Decision) -> Result<(), Vec<Violation>> {
    let starts = starts_of(decision);
    let found = starts.iter().flat_map(|&(place, offer)| asked.violations(place, offer));
    let violations: Vec<Violation> = found.collect();
    if violations.is_empty() { Ok(()) } else { Err(violations) }
}

impl BudgetsAsked<'_> {
    fn violations(&self, place: Place, offer: &Offer) -> Vec<Violation> {
        let mut found = Vec::new();
        for (span, rules) in self.parts(offer.span) {
            for (criterion, measure) in QuotaMeasure::OF_BUDGETS.into_iter().enumerate() {
                let projects =
                    std::iter::once(&self.asker.subject.project).chain(&self.asker.above);
                for (level, project) in projects.enumerate() {
                    let Some(rule) = self.said(&rules, measure, (level, project)) else {
                        continue;
                    };
                    let most = rule.limit(measure).and_then(|it| it.of(measure, 0));
                    let Some((most, per)) = most.zip(rule.per) else { continue };
                    for period in per.overlapping(span, self.zone) {
                        let own = used([offer_use(offer)].iter(), criterion, period);
                        let others = self.used(rule, project, (criterion, period));
                        if own + others > most {
                            let (rule, measure) = (rule.key.to_string(), measure.word());
                            found.push(Violation::BudgetExceeded { place, rule, measure, period });
                        }
                    }
                }
            }
        }
        found
    }

    /// The parts of a span, with the adjustments that are in force in each, the newest first, and the calendar's rules.
    fn parts(&self, span: Span) -> Vec<(Span, [Vec<&QuotaRule>; 2])> {
        let mut all = Vec::new();
        for piece in self.quotas.calendar.pieces(span, self.zone) {
            let spans = self.quotas.adjustments.iter().filter_map(QuotaAdjustment::span);
            let ends = spans.flat_map(|it| [it.start(), it.end()]);
            let mut edges: Vec<Timestamp> = ends.filter(|it| piece.span.contains(*it)).collect();
            edges.extend([piece.span.start(), piece.span.end()]);
            edges.sort_unstable();
            for pair in edges.windows(2) {
                let Some(part) = Span::new(pair[0], pair[1]) else { continue };
                let newest = self.quotas.adjustments.iter().rev();
                let there = newest.filter(|it| it.is_in_force(part.start()));
                let adjusted = there.map(QuotaAdjustment::rule).collect();
                let rules = piece.rules.map(|rules| &self.quotas.sets[rules].rules);
                all.push((part, [adjusted, rules.into_iter().flatten().collect()]));
            }
        }
        all
    }

    /// What an adjustment says, or else the calendar's rules.
    fn said<'a>(
        &self,
        [adjusted, rules]: &[Vec<&'a QuotaRule>; 2],
        measure: QuotaMeasure,
        project: (usize, &str),
    ) -> Option<&'a QuotaRule> {
        let rule = self.rule(adjusted, measure, project);
        rule.or_else(|| self.rule(rules, measure, project))
    }

    /// The rule that says for the asker's project, or at a level above it; of equals the first.
    fn rule<'a>(
        &self,
        rules: &[&'a QuotaRule],
        measure: QuotaMeasure,
        (level, project): (usize, &str),
    ) -> Option<&'a QuotaRule> {
        let subject = &self.asker.subject;
        // The more of the key is named, the larger: of each part 2 for a name, 1 for each, 0 for all.
        let rank = |rule: &QuotaRule| {
            let key = &rule.key;
            let of = |part: &QuotaPart, own: &str| match part {
                QuotaPart::All => Some(0),
                QuotaPart::Each => Some(1),
                QuotaPart::Named(name) => (**name == *own).then_some(2),
            };
            let partition = of(&key.partition, &subject.partition)
                .filter(|rank| *rank == 0 || !subject.partition.is_empty())?;
            let project = of(&key.project, project)?;
            let (job_type, user) =
                (of(&key.job_type, &subject.job_type)?, of(&key.user, &subject.user)?);
            Some(partition * 27 + project * 9 + job_type * 3 + user)
        };
        let is_here = |rule: &&QuotaRule| {
            rule.limit(measure).is_some()
                && (level == 0 || (rule.budgets.with_below && rule.key.project != QuotaPart::All))
        };
        let ranked = rules
            .iter()
            .copied()
            .rev()
            .filter(is_here)
            .filter_map(|rule| Some((rank(rule)?, rule)));
        ranked.max_by_key(|(rank, _)| *rank).map(|(_, rule)| rule)
    }

    /// What is held that counts for a rule where somebody of a project asks.
    fn used(&self, rule: &QuotaRule, project: &str, (criterion, period): (usize, Span)) -> i128 {
        let mine = &self.asker.subject;
        let same = |part: &QuotaPart, own: &str, other: &str| match part {
            QuotaPart::All => true,
            QuotaPart::Each => own == other,
            QuotaPart::Named(name) => **name == *other,
        };
        let counts = |it: &&BudgetHolding| {
            let (theirs, key) = (&it.of.subject, &rule.key);
            let above = it.of.above.iter().filter(|_| rule.budgets.with_below);
            let mut projects = std::iter::once(&theirs.project).chain(above);
            same(&key.partition, &mine.partition, &theirs.partition)
                && projects.any(|theirs| same(&key.project, project, theirs))
                && same(&key.job_type, &mine.job_type, &theirs.job_type)
                && same(&key.user, &mine.user, &theirs.user)
        };
        let most = |it: &BudgetHolding| {
            it.alternatives
                .iter()
                .map(|uses| used(uses.iter(), criterion, period))
                .max()
                .unwrap_or(0)
        };
        self.held.iter().filter(counts).map(most).sum()
    }
}

fn offer_use(offer: &Offer) -> BudgetUse {
    let values = offer.values;
    let amounts = [values.energy.as_microjoules(), values.cost.as_exact(), values.co2.as_exact()];
    BudgetUse { span: offer.span, amounts, is_measured: false }
}

/// What falls into a period, each part in proportion to its time there.
fn used<'a>(uses: impl Iterator<Item = &'a BudgetUse>, criterion: usize, period: Span) -> i128 {
    uses.map(|it| {
        let seconds = |span: Span| i128::from((span.end() - span.start()).get());
        let (from, to) = (it.span.start().max(period.start()), it.span.end().min(period.end()));
        let (amount, whole) = (it.amounts[criterion], seconds(it.span));
        match Span::new(from, to) {
            // In two steps, since the product of an amount and a time may be too large.
            Some(both) => {
                let inside = seconds(both);
                amount / whole * inside + amount % whole * inside / whole
            }
            None => 0,
        }
    })
    .sum()
}
