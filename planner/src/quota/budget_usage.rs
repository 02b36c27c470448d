//! What budgets allow now, and what of them is reserved and measured.

use jiff::tz::TimeZone;

use super::Quotas;
use super::budget::{BudgetHolding, BudgetSubject};
use super::judge::{NodesOf, partition};
use super::key::{QuotaKey, QuotaSubject};
use super::limit::QuotaMeasure;
use super::rule::{QuotaRule, QuotaRules};
use super::usage::{LOOK_AHEAD, QuotaAmounts, QuotaStanding, likely};
use crate::time::{Span, Timestamp};

/// How all stand by the budgets in force, or only one user with the projects of what they hold.
pub fn budget_standings(
    quotas: &Quotas,
    zone: &TimeZone,
    (now, whose): (Timestamp, Option<&str>),
    held: &[BudgetHolding],
    nodes_of: NodesOf<'_>,
) -> Vec<QuotaStanding> {
    let ahead = Span::starting(now, LOOK_AHEAD);
    let Some((_, rules)) = ahead.and_then(|ahead| quotas.in_force_now(ahead, zone)) else {
        return Vec::new();
    };
    let rules = &*rules;
    let is_shown = |it: &&BudgetHolding| whose.is_none_or(|user| *it.of.subject.user == *user);
    let mut askers: Vec<BudgetSubject> = Vec::new();
    for holding in held.iter().filter(is_shown) {
        if !askers.contains(&holding.of) {
            askers.push(holding.of.clone());
        }
    }
    let named = rules.rules.iter().filter_map(|rule| likely(rule, whose));
    askers.extend(named.map(|subject| BudgetSubject { subject, above: Vec::new() }));
    askers.sort_by(|one, other| one.subject.cmp(&other.subject));
    let mut all: Vec<QuotaStanding> = Vec::new();
    for rule in &rules.rules {
        let mut told: Vec<QuotaKey> = Vec::new();
        for asker in &askers {
            for subject in subjects(rules, rule, asker) {
                let of = rule.key.resolved(&subject);
                if told.contains(&of) {
                    continue;
                }
                let amounts = amounts(rule, &subject, (now, zone), held, nodes_of);
                let amounts: Vec<QuotaAmounts> = amounts
                    .into_iter()
                    .filter(|it| says(rules, rule, asker, &subject, it.measure))
                    .collect();
                if amounts.is_empty() {
                    continue;
                }
                told.push(of.clone());
                all.push(QuotaStanding::of(rules, rule, of, amounts));
            }
        }
    }
    all
}

/// The subjects as which a rule sees somebody.
fn subjects(rules: &QuotaRules, rule: &QuotaRule, asker: &BudgetSubject) -> Vec<QuotaSubject> {
    let mut seen: Vec<QuotaSubject> = Vec::new();
    for measure in QuotaMeasure::OF_BUDGETS {
        for (said, subject) in rules.budgets_of(asker, measure) {
            if std::ptr::eq(said, rule) && !seen.contains(&subject) {
                seen.push(subject);
            }
        }
    }
    seen
}

/// Whether a rule is the one that says how much of a measure there is for somebody, seen as that subject.
fn says(
    rules: &QuotaRules,
    rule: &QuotaRule,
    asker: &BudgetSubject,
    subject: &QuotaSubject,
    measure: QuotaMeasure,
) -> bool {
    let saying = rules.budgets_of(asker, measure);
    saying.iter().any(|(said, seen)| std::ptr::eq(*said, rule) && seen == subject)
}

/// What a rule says of budgets, and what of it is taken in the period that is now.
fn amounts(
    rule: &QuotaRule,
    subject: &QuotaSubject,
    (now, zone): (Timestamp, &TimeZone),
    held: &[BudgetHolding],
    nodes_of: NodesOf<'_>,
) -> Vec<QuotaAmounts> {
    let Some((per, during)) = rule.per.and_then(|per| Some((per, per.around(now, zone)?))) else {
        return Vec::new();
    };
    let all = nodes_of(partition(rule, subject));
    let amount = |(place, measure): (usize, QuotaMeasure)| {
        let limit = rule.limit(measure)?.of(measure, all);
        let counting = held.iter().filter(|it| it.of.counts(rule, subject));
        let (used, measured) = counting.fold((0, 0), |(used, measured), it| {
            let (more, more_measured) = it.taken(place, during);
            (used + more, measured + more_measured)
        });
        let (measured, per) = (Some(measured), Some(per));
        Some(QuotaAmounts { measure, limit, used, measured, per, during })
    };
    QuotaMeasure::OF_BUDGETS.into_iter().enumerate().filter_map(amount).collect()
}
