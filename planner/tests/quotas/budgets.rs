//! Budgets: the judge says what a plain counter says that goes second by second.

use std::collections::BTreeMap;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use planner::quota::{
    AcrossRules, BudgetHolding, BudgetSubject, BudgetUse, QuotaAdjustment, QuotaCalendar,
    QuotaJudge, QuotaKey, QuotaLimit, QuotaMeasure, QuotaPeriod, QuotaRule, QuotaRules,
    QuotaSubject, Quotas, RecurringQuota, RuleBudgets, budget_standings,
};
use planner::time::Span;
use proptest::prelude::*;

use crate::plain::END;
use crate::properties::adjusted;
use crate::{at, span};

/// Of exact units in a millionth of a kWh, of the currency and of a kg.
const MILLIONTH: [i128; 3] = [3_600_000, 3_600_000_000_000_000, 3_600_000_000_000_000];

/// Ice is a part of the ocean, which is a part of science.
fn above(project: &str) -> Vec<Box<str>> {
    match project {
        "ice" => vec!["ocean".into(), "science".into()],
        "ocean" => vec!["science".into()],
        _ => Vec::new(),
    }
}

fn a_subject() -> impl Strategy<Value = BudgetSubject> {
    let part = |names: &'static [&'static str]| prop::sample::select(names);
    let parts = (part(&["", "gpu"]), part(&["", "ice", "ocean", "science"]), part(&["ada", "bob"]));
    parts.prop_map(|(partition, project, user)| BudgetSubject {
        subject: QuotaSubject {
            partition: partition.into(),
            project: project.into(),
            job_type: "".into(),
            user: user.into(),
        },
        above: above(project),
    })
}

/// So many millionths of the unit in each 36 seconds, so that every second has a whole number of exact units.
fn a_use() -> impl Strategy<Value = BudgetUse> {
    let rates = prop::array::uniform3(-1_i128..4);
    (0_i64..60, 1_i64..40, rates, any::<bool>()).prop_map(|(start, length, rates, is_measured)| {
        let amount = |place: usize| rates[place] * MILLIONTH[place] / 36 * i128::from(length);
        let amounts = std::array::from_fn(amount);
        BudgetUse { span: span(start, start + length), amounts, is_measured }
    })
}

fn a_holding() -> impl Strategy<Value = BudgetHolding> {
    let alternative = prop::collection::vec(a_use(), 1..3);
    (a_subject(), prop::collection::vec(alternative, 1..3))
        .prop_map(|(of, alternatives)| BudgetHolding { of, alternatives })
}

fn a_limit() -> impl Strategy<Value = Option<QuotaLimit>> {
    let limit = (0_u32..9).prop_map(|it| QuotaLimit::parse(&format!("0.00000{it}")).unwrap());
    prop::option::of(limit)
}

/// The day, or from one second of the first minute to one of the second or third.
fn a_period() -> impl Strategy<Value = QuotaPeriod> {
    let clock = |minute: i8, second: i8| DateTime::constant(1970, 1, 1, 0, minute, second, 0);
    let fixed = (0_i8..60, 1_i8..3, 0_i8..60).prop_map(move |(first, minute, second)| {
        QuotaPeriod::Fixed { from: clock(0, first), to: clock(minute, second) }
    });
    prop_oneof![Just(QuotaPeriod::Day), fixed]
}

fn a_rule() -> impl Strategy<Value = QuotaRule> {
    let part = |names: &'static [&'static str]| prop::sample::select(names);
    let key = (
        part(&["*", "*", "/", "gpu"]),
        part(&["*", "/", "ocean", "science"]),
        part(&["*", "/", "ada"]),
    );
    let limits = (a_limit(), a_limit(), a_limit(), any::<bool>());
    (key, limits, a_period()).prop_map(
        |((partition, project, user), (energy_kwh, cost, co2_kg, with_below), per)| QuotaRule {
            key: QuotaKey::of(partition, project, "*", user).unwrap(),
            nodes: None,
            reservations: None,
            node_hours: None,
            budgets: RuleBudgets { energy_kwh, cost, co2_kg, with_below },
            per: Some(per),
            adjustment: None,
        },
    )
}

/// No key twice.
fn a_set() -> impl Strategy<Value = QuotaRules> {
    prop::collection::vec(a_rule(), 0..6).prop_map(|rules| {
        let rules: BTreeMap<String, QuotaRule> =
            rules.into_iter().map(|rule| (rule.key.to_string(), rule)).collect();
        QuotaRules { name: "some".into(), rules: rules.into_values().collect() }
    })
}

/// Budgets counted as their definition has it.
struct Plain<'a> {
    quotas: &'a Quotas,
    in_force: &'a dyn Fn(i64) -> Option<usize>,
    asker: &'a BudgetSubject,
    held: &'a [BudgetHolding],
}

impl Plain<'_> {
    fn fits(&self, wanted: &BudgetUse) -> bool {
        let seconds = wanted.span.start().as_unix_seconds()..wanted.span.end().as_unix_seconds();
        seconds.clone().all(|second| {
            let Some(set) = (self.in_force)(second) else { return true };
            let projects = [&*self.asker.subject.project]
                .into_iter()
                .chain(self.asker.above.iter().map(|it| &**it));
            projects.enumerate().all(|(level, project)| {
                QuotaMeasure::OF_BUDGETS.into_iter().enumerate().all(|(place, measure)| {
                    let Some(rule) = self.said(second, set, measure, (level, project)) else {
                        return true;
                    };
                    let period = period_of(rule);
                    let most = rule.limit(measure).unwrap().of(measure, 0).unwrap();
                    !period.contains(&second)
                        || self.used(rule, project, (place, &period))
                            + inside(wanted, place, &period)
                            <= most
                })
            })
        })
    }

    /// What an adjustment says, of those with one key the newest, or the calendar's rules.
    fn said(
        &self,
        second: i64,
        set: usize,
        measure: QuotaMeasure,
        project: (usize, &str),
    ) -> Option<&QuotaRule> {
        let there = self.quotas.adjustments.iter().filter(|it| it.is_in_force(at(second)));
        let newest: Vec<&QuotaRule> = there.rev().map(QuotaAdjustment::rule).collect();
        let calendar: Vec<&QuotaRule> = self.quotas.sets[set].rules.iter().collect();
        let rule = |rules: &[_]| self.rule(rules, measure, project);
        rule(&newest).or_else(|| rule(&calendar))
    }

    /// Tried from the most to the least specific spelling of the key.
    fn rule<'b>(
        &'b self,
        rules: &[&'b QuotaRule],
        measure: QuotaMeasure,
        (level, project): (usize, &str),
    ) -> Option<&'b QuotaRule> {
        let QuotaSubject { partition, user, .. } = &self.asker.subject;
        let mut partitions = vec![&**partition, "/", "*"];
        partitions.retain(|it| !partition.is_empty() || *it == "*");
        let mut projects = vec![project, "/"];
        projects.extend((level == 0).then_some("*"));
        for partition in partitions {
            for project in &projects {
                for user in [&**user, "/", "*"] {
                    let key = format!("{partition},{project},*,{user}");
                    let said = rules.iter().find(|rule| {
                        rule.key.to_string() == key
                            && rule.limit(measure).is_some()
                            && (level == 0 || rule.budgets.with_below)
                    });
                    if said.is_some() {
                        return said.copied();
                    }
                }
            }
        }
        None
    }

    fn used(
        &self,
        rule: &QuotaRule,
        project: &str,
        (place, period): (usize, &std::ops::Range<i64>),
    ) -> i128 {
        let key = rule.key.to_string();
        let parts: Vec<&str> = key.split(',').collect();
        let same = |part: &str, mine: &str, theirs: &str| match part {
            "*" => true,
            "/" => mine == theirs,
            name => name == theirs,
        };
        let mine = &self.asker.subject;
        let counts = |it: &&BudgetHolding| {
            let theirs = &it.of.subject;
            let own = same(parts[1], project, &theirs.project);
            let below = it.of.above.iter().any(|above| same(parts[1], project, above));
            same(parts[0], &mine.partition, &theirs.partition)
                && (own || (rule.budgets.with_below && below))
                && same(parts[3], &mine.user, &theirs.user)
        };
        let most = |it: &BudgetHolding| {
            let all = |uses: &Vec<BudgetUse>| uses.iter().map(|it| inside(it, place, period)).sum();
            it.alternatives.iter().map(all).max().unwrap_or(0)
        };
        self.held.iter().filter(counts).map(most).sum::<i128>()
    }
}

fn period_of(rule: &QuotaRule) -> std::ops::Range<i64> {
    match rule.per.unwrap() {
        QuotaPeriod::Fixed { from, to } => {
            let second = |it: DateTime| i64::from(it.minute()) * 60 + i64::from(it.second());
            second(from)..second(to)
        }
        _ => 0..86_400,
    }
}

/// Second by second.
fn inside(it: &BudgetUse, place: usize, period: &std::ops::Range<i64>) -> i128 {
    let (start, end) = (it.span.start().as_unix_seconds(), it.span.end().as_unix_seconds());
    let a_second = it.amounts[place] / i128::from(end - start);
    (start..end).filter(|second| period.contains(second)).map(|_| a_second).sum()
}

fn judge(quotas: &Quotas, asker: &BudgetSubject, held: &[BudgetHolding]) -> QuotaJudge {
    let (zone, horizon): (_, Span) = (TimeZone::UTC, span(0, END));
    QuotaJudge::new(quotas, &zone, &asker.subject, &[], &|_| 6, horizon).with_budgets(
        quotas,
        &zone,
        (asker, held),
        &|_| 6,
        horizon,
    )
}

proptest! {
    #[test]
    fn every_use_is_judged_as_a_plain_counter_does(
        sets in prop::collection::vec(a_set(), 2),
        (from, length) in (0_i32..60, 1_i32..60),
        held in prop::collection::vec(a_holding(), 0..6),
        asker in a_subject(),
        wanted in prop::collection::vec(a_use(), 8),
        adjustments in prop::collection::vec((a_rule(), 0_i64..80, prop::option::of(81_i64..120)), 0..4),
    ) {
        let calendar = QuotaCalendar {
            recurring: vec![RecurringQuota::daily(from, from + length, 0)],
            otherwise: Some(1),
            ..QuotaCalendar::default()
        };
        let (across, adjustments) = (AcrossRules::EachPart, adjusted(adjustments));
        let quotas = Quotas { sets, calendar, across, adjustments };
        let in_force = |second: i64| {
            Some(usize::from(!(i64::from(from)..i64::from(from + length)).contains(&second)))
        };
        let plain = Plain { quotas: &quotas, in_force: &in_force, asker: &asker, held: &held };
        let judge = judge(&quotas, &asker, &held);
        for it in &wanted {
            let fits = plain.fits(it);
            prop_assert_eq!(judge.judge_amounts(&it.amounts, it.span).is_ok(), fits, "{:?}", it);
            prop_assert_eq!(judge.judge_uses(&[*it]).is_ok(), fits, "{:?}", it);
        }
    }
}

/// Science has 5 millionths of a kWh a day with all below it, and ice 3 of its own. Ice used 2 that were measured and
/// plans 1; the ocean itself uses 1. So ice has nothing left and science has 1, which the ocean may take.
#[test]
fn what_is_above_binds_beside_what_is_ones_own() {
    let rule = |project: &str, kwh: &str, with_below| QuotaRule {
        key: QuotaKey::of("*", project, "*", "*").unwrap(),
        nodes: None,
        reservations: None,
        node_hours: None,
        budgets: RuleBudgets {
            energy_kwh: Some(QuotaLimit::parse(kwh).unwrap()),
            with_below,
            ..RuleBudgets::default()
        },
        per: Some(QuotaPeriod::Day),
        adjustment: None,
    };
    let rules = vec![rule("science", "0.000005", true), rule("ice", "0.000003", false)];
    let quotas = Quotas {
        sets: vec![QuotaRules { name: "default".into(), rules }],
        calendar: QuotaCalendar { otherwise: Some(0), ..QuotaCalendar::default() },
        across: AcrossRules::EachPart,
        adjustments: Vec::new(),
    };
    let subject = |project: &str| BudgetSubject {
        subject: crate::subject(project, "", "ada"),
        above: above(project),
    };
    let uses = |millionths: i128, is_measured| BudgetUse {
        span: span(0, 10),
        amounts: [millionths * MILLIONTH[0], 0, 0],
        is_measured,
    };
    let holding = |project: &str, uses: Vec<BudgetUse>| BudgetHolding {
        of: subject(project),
        alternatives: vec![uses],
    };
    let held = [
        holding("ice", vec![uses(2, true), uses(1, false)]),
        holding("ocean", vec![uses(1, false)]),
    ];
    let asks = |project: &str, millionths| {
        judge(&quotas, &subject(project), &held).judge_uses(&[uses(millionths, false)])
    };
    assert!(asks("ice", 1).unwrap_err().to_string().contains("*,ice,*,*"));
    assert!(asks("ocean", 1).is_ok());
    assert!(asks("ocean", 2).unwrap_err().to_string().contains("*,science,*,*"));
    assert!(asks("", 9).is_ok());

    let told = budget_standings(&quotas, &TimeZone::UTC, (at(5), None), &held, &|_| 6);
    let row = |project: &str| {
        let found = told.iter().find(|it| it.of.project.to_string() == project).unwrap();
        let amounts = &found.amounts[0];
        [amounts.limit, Some(amounts.used), amounts.measured, amounts.left()]
            .map(|it| it.unwrap() / MILLIONTH[0])
    };
    assert_eq!((row("science"), row("ice")), ([5, 4, 2, 1], [3, 3, 2, 0]));
    // More was measured than there is.
    let held = [holding("ice", vec![uses(4, true)])];
    let told = budget_standings(&quotas, &TimeZone::UTC, (at(5), Some("ada")), &held, &|_| 6);
    let ice = told.iter().find(|it| it.of.project.to_string() == "ice").unwrap();
    assert_eq!(ice.amounts[0].left(), Some(-MILLIONTH[0]));
    let refused = judge(&quotas, &subject("ice"), &held).judge_uses(&[uses(0, false)]);
    assert!(refused.is_err(), "an overrun refuses what is new");
}

/// 2026-11-23 is in the last quarter of its year, which has 92 days; the year has 365.
#[test]
fn quarters_and_years_are_those_of_the_calendar() {
    let around = |per: QuotaPeriod| per.around(at(crate::MONDAY), &TimeZone::UTC).unwrap();
    let (quarter, year) = (around(QuotaPeriod::Quarter), around(QuotaPeriod::Year));
    assert_eq!(quarter.start().to_string(), "2026-10-01T00:00:00Z");
    assert_eq!((quarter.length().get(), year.length().get()), (92 * 86_400, 365 * 86_400));
    assert_eq!(quarter.end(), year.end());
}
