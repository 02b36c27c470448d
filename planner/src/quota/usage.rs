//! What rules allow now, and what of it is used.

use std::collections::BTreeSet;

use jiff::tz::TimeZone;

use super::Quotas;
use super::counting::{QuotaCount, QuotaHolding};
use super::judge::NodesOf;
use super::key::{QuotaKey, QuotaPart, QuotaSubject};
use super::limit::QuotaMeasure;
use super::rule::{QuotaPeriod, QuotaRule, QuotaRules};
use crate::identity::QuotaAdjustmentId;
use crate::time::{Seconds, Span, Timestamp};

/// How far ahead the end of what is in force is looked for.
pub(super) const LOOK_AHEAD: Seconds = Seconds::new(32 * 86_400);

/// How some stand by a rule that is in force.
#[derive(Clone, Debug, PartialEq)]
pub struct QuotaStanding {
    /// What the rules are called together.
    pub rules: Box<str>,
    /// Whom the rule is about, as it was written.
    pub rule: QuotaKey,
    /// The adjustment that the rule is of, where it is of one.
    pub adjustment: Option<QuotaAdjustmentId>,
    /// Of whom this tells: `/` stands for one of them.
    pub of: QuotaKey,
    /// What it limits.
    pub amounts: Vec<QuotaAmounts>,
}

/// A limit and what is used of it. Node-hours are in node-seconds, budgets in their exact units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaAmounts {
    /// What is limited.
    pub measure: QuotaMeasure,
    /// The most; `None` where it is unlimited.
    pub limit: Option<i128>,
    /// What is held: nodes and reservations now, the others in `during`.
    pub used: i128,
    /// What of a budget's `used` was measured; the rest is reserved. `None` where it is no budget.
    pub measured: Option<i128>,
    /// What node-hours and budgets are added up over; `None` for the time of each reservation.
    pub per: Option<QuotaPeriod>,
    /// The time that counts.
    pub during: Span,
}

impl QuotaStanding {
    pub(super) fn of(
        rules: &QuotaRules,
        rule: &QuotaRule,
        of: QuotaKey,
        amounts: Vec<QuotaAmounts>,
    ) -> Self {
        let (name, key) = (rules.name.clone(), rule.key.clone());
        Self { rules: name, rule: key, adjustment: rule.adjustment, of, amounts }
    }
}

impl QuotaAmounts {
    /// What is left, of budgets perhaps less than nothing; `None` where it is unlimited.
    pub fn left(&self) -> Option<i128> {
        self.limit.map(|limit| self.measure.left(limit, self.used))
    }
}

/// How all stand by the rules in force, or only one user.
pub fn standings(
    quotas: &Quotas,
    zone: &TimeZone,
    (now, whose): (Timestamp, Option<&str>),
    held: &[QuotaHolding],
    nodes_of: NodesOf<'_>,
) -> Vec<QuotaStanding> {
    let ahead = Span::starting(now, LOOK_AHEAD);
    let Some((in_force, rules)) = ahead.and_then(|ahead| quotas.in_force_now(ahead, zone)) else {
        return Vec::new();
    };
    let rules = &*rules;
    let is_shown = |subject: &&QuotaSubject| whose.is_none_or(|user| *subject.user == *user);
    let subjects: BTreeSet<&QuotaSubject> =
        held.iter().map(|it| &it.subject).filter(is_shown).collect();
    let mut all = Vec::new();
    for rule in &rules.rules {
        let Some(in_force) = quotas.time_of(rule, in_force) else { continue };
        let mut told = Vec::new();
        let own = likely(rule, whose);
        for subject in subjects.iter().copied().chain(&own) {
            let of = rule.key.resolved(subject);
            if !rule.key.concerns(subject) || told.contains(&of) {
                continue;
            }
            let counts = held.iter().filter(|it| rule.key.counts(subject, &it.subject));
            let count = QuotaCount::of(counts);
            let amount = |measure| {
                let during = during(rule, measure, in_force, zone)?;
                amount((rules, rule), subject, measure, (&count, during), nodes_of)
            };
            let amounts: Vec<QuotaAmounts> =
                QuotaMeasure::OF_NODES.into_iter().filter_map(amount).collect();
            if !amounts.is_empty() {
                told.push(of.clone());
                all.push(QuotaStanding::of(rules, rule, of, amounts));
            }
        }
    }
    all
}

/// Somebody whom a rule may concern though they hold nothing: a user in no project, or in the one that a rule about this
/// user names, or for operators those that the rule names; `None` where it is about each of those who hold something.
pub(super) fn likely(rule: &QuotaRule, whose: Option<&str>) -> Option<QuotaSubject> {
    let QuotaKey { partition, project, job_type, user } = &rule.key;
    let named = |part: &QuotaPart| match part {
        QuotaPart::Named(name) => name.clone(),
        QuotaPart::All | QuotaPart::Each => "".into(),
    };
    let (partition_name, job_type) = (named(partition), named(job_type));
    match whose {
        Some(whose) => {
            let is_named = matches!(user, QuotaPart::Named(name) if **name == *whose);
            let project = if is_named { named(project) } else { "".into() };
            Some(QuotaSubject { partition: partition_name, project, job_type, user: whose.into() })
        }
        None if [partition, project, user].contains(&&QuotaPart::Each) => None,
        None => Some(QuotaSubject {
            partition: partition_name,
            project: named(project),
            job_type,
            user: named(user),
        }),
    }
}

/// The time in which a measure counts now.
fn during(
    rule: &QuotaRule,
    measure: QuotaMeasure,
    in_force: Span,
    zone: &TimeZone,
) -> Option<Span> {
    match (measure, rule.per) {
        (QuotaMeasure::NodeHours, Some(per)) => per.around(in_force.start(), zone),
        (QuotaMeasure::NodeHours, None) => Some(in_force),
        _ => Span::starting(in_force.start(), Seconds::ONE),
    }
}

/// What a rule says of a measure, where it is the one that says so.
fn amount(
    (rules, rule): (&QuotaRules, &QuotaRule),
    subject: &QuotaSubject,
    measure: QuotaMeasure,
    (count, during): (&QuotaCount, Span),
    nodes_of: NodesOf<'_>,
) -> Option<QuotaAmounts> {
    let says = rules.applying(subject, measure).is_some_and(|it| std::ptr::eq(it, rule));
    let limit = rule.limit(measure).filter(|_| says)?;
    let all = nodes_of(match &rule.key.partition {
        QuotaPart::All => "",
        QuotaPart::Each => &subject.partition,
        QuotaPart::Named(name) => name,
    });
    let used = match measure {
        QuotaMeasure::Nodes => count.most(during, false),
        QuotaMeasure::Reservations => count.most(during, true),
        _ => count.node_seconds(during),
    };
    let per = rule.per.filter(|_| measure == QuotaMeasure::NodeHours);
    let limit = limit.of(measure, all);
    Some(QuotaAmounts { measure, limit, used, measured: None, per, during })
}
