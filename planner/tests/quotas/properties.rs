//! The judge says what the plain counter says, of every second.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use planner::quota::{
    AcrossRules, QuotaAdjustment, QuotaCalendar, QuotaHolding, QuotaJudge, QuotaKey, QuotaLimit,
    QuotaPeriod, QuotaRule, QuotaRules, QuotaSubject, Quotas, RecurringQuota, RuleBudgets,
};
use planner::time::Seconds;
use proptest::prelude::*;
use uuid::Uuid;

use crate::plain::{END, Plain};
use crate::{at, span};

const NODES: u32 = 6;

fn a_subject() -> impl Strategy<Value = QuotaSubject> {
    let part = |names: &'static [&'static str]| prop::sample::select(names);
    (part(&["", "gpu", "cpu"]), part(&["", "ocean"]), part(&["", "test"]), part(&["ada", "bob"]))
        .prop_map(|(partition, project, job_type, user)| QuotaSubject {
            partition: partition.into(),
            project: project.into(),
            job_type: job_type.into(),
            user: user.into(),
        })
}

fn a_holding() -> impl Strategy<Value = QuotaHolding> {
    let alternative = (0_i64..60, 1_i64..40, 1_u32..5)
        .prop_map(|(start, length, nodes)| (span(start, start + length), nodes));
    (a_subject(), prop::collection::vec(alternative, 1..4))
        .prop_map(|(subject, alternatives)| QuotaHolding { subject, alternatives })
}

fn a_limit() -> impl Strategy<Value = Option<QuotaLimit>> {
    let texts = vec!["-1", "0", "1", "3", "5", "8", "ALL", "0.5*ALL", "2*ALL", "1.5"];
    let limit = prop::sample::select(texts).prop_map(|text| QuotaLimit::parse(text).unwrap());
    prop::option::of(limit)
}

/// Hundredths of node-hours, which are 36 node-seconds.
fn some_hours() -> impl Strategy<Value = Option<QuotaLimit>> {
    let limit = (0_u32..12).prop_map(|it| QuotaLimit::parse(&format!("0.{it:02}")).unwrap());
    prop::option::of(limit)
}

fn a_rule() -> impl Strategy<Value = QuotaRule> {
    let part = |names: &'static [&'static str]| prop::sample::select(names);
    let key = (
        part(&["*", "*", "/", "gpu"]),
        part(&["*", "/", "ocean"]),
        part(&["*", "*", "test"]),
        part(&["*", "/", "ada"]),
    );
    let per = prop::option::of(Just(QuotaPeriod::Day));
    (key, a_limit(), a_limit(), some_hours(), per).prop_map(
        |((partition, project, job_type, user), nodes, reservations, node_hours, per)| QuotaRule {
            key: QuotaKey::of(partition, project, job_type, user).unwrap(),
            nodes,
            reservations,
            node_hours,
            budgets: RuleBudgets::default(),
            per,
            adjustment: None,
        },
    )
}

/// No key twice.
fn a_set() -> impl Strategy<Value = QuotaRules> {
    prop::collection::vec(a_rule(), 0..5).prop_map(|rules| {
        let rules: BTreeMap<String, QuotaRule> =
            rules.into_iter().map(|rule| (rule.key.to_string(), rule)).collect();
        QuotaRules { name: "some".into(), rules: rules.into_values().collect() }
    })
}

/// When a rule is in force that goes before the others, perhaps without an end.
fn an_adjustment() -> impl Strategy<Value = (QuotaRule, i64, Option<i64>)> {
    (a_rule(), 0_i64..80, prop::option::of(1_i64..60))
        .prop_map(|(rule, from, length)| (rule, from, length.map(|length| from + length)))
}

/// Adjustments by when they were made.
pub(crate) fn adjusted(all: Vec<(QuotaRule, i64, Option<i64>)>) -> Vec<QuotaAdjustment> {
    let one = |(place, (rule, from, to)): (u128, (QuotaRule, i64, Option<i64>))| {
        QuotaAdjustment::new(Uuid::from_u128(place).into(), rule, (at(from), to.map(at)))
    };
    (1..).zip(all).map(one).collect()
}

proptest! {
    #[test]
    fn every_start_is_judged_as_a_plain_counter_does(
        sets in prop::collection::vec(a_set(), 2),
        (from, length) in (0_i32..60, 1_i32..60),
        has_rest in any::<bool>(),
        refuses in any::<bool>(),
        adjustments in prop::collection::vec(an_adjustment(), 0..4),
        held in prop::collection::vec(a_holding(), 0..6),
        subject in a_subject(),
        (nodes, duration) in (1_u32..5, 1_i64..40),
    ) {
        let calendar = QuotaCalendar {
            recurring: vec![RecurringQuota::daily(from, from + length, 0)],
            otherwise: has_rest.then_some(1),
            ..QuotaCalendar::default()
        };
        let across = if refuses { AcrossRules::Refuse } else { AcrossRules::EachPart };
        let quotas = Quotas { sets, calendar, across, adjustments: adjusted(adjustments) };
        let in_force = |second: i64| {
            let first = i64::from(from) <= second && second < i64::from(from + length);
            if first { Some(0) } else { has_rest.then_some(1) }
        };
        let plain = Plain {
            quotas: &quotas,
            in_force: &in_force,
            subject: &subject,
            held: &held,
            all_nodes: NODES,
        };
        let judge = QuotaJudge::new(
            &quotas,
            &TimeZone::UTC,
            &subject,
            &held,
            &|_| NODES,
            span(0, END),
        );
        let last = END - 40;
        let fits = plain.fits(nodes, last, duration);
        let second = |it: i64| usize::try_from(it).unwrap();
        for start in 0..=last {
            let judged = judge.judge(nodes, span(start, start + duration)).is_ok();
            prop_assert_eq!(judged, fits[second(start)], "at {}", start);
        }
        let duration = Seconds::new(duration);
        let allowed = judge.allowed_starts(nodes, duration, (at(0), at(last)));
        let mut told = vec![false; fits.len()];
        for starts in allowed {
            let (first, last) = (starts.first.as_unix_seconds(), starts.last.as_unix_seconds());
            told[second(first)..=second(last)].fill(true);
        }
        prop_assert_eq!(&told, &fits);
        for slot in [1, 7] {
            let from = 3;
            let next = judge.next_start(
                nodes, duration, (at(from), at(last)), Some(Seconds::new(slot)),
            );
            let plain = (from..=last).find(|it| it % slot == 0 && fits[second(*it)]);
            prop_assert_eq!(next.map(planner::time::Timestamp::as_unix_seconds), plain);
        }
    }
}
