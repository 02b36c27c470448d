//! OAR's file of quotas.
//!
//! An object in JSON: `quotas` are the rules where there is no calendar; `periodical` and `oneshot` are the calendar, which
//! names further members, each a set of rules. Of a calendar that recurs each second of the week must have rules, and none
//! twice; `* * * *` (also `*,*,*,*` and `default`) are the rules of what others leave. Months and days of the month must be
//! `*`, as OAR knows no others.

use serde_json::value::RawValue;

use super::reader::{JsonError, Reader, read};
use crate::quota::{
    AcrossRules, OnceQuota, QuotaCalendar, QuotaKey, QuotaLimit, QuotaRule, QuotaRules, Quotas,
    RecurringQuota, RuleBudgets, WEEKDAYS, clock, date_and_time, day_list, hours_of_day,
};

/// The member with the rules where there is no calendar.
const DEFAULT: &str = "quotas";

/// How a period of all the time that no other has is spelled.
const REST: [&str; 3] = ["* * * *", "*,*,*,*", "default"];

/// No file has more members, and no set more rules.
const MOST_MEMBERS: usize = 10_000;

/// A member of the file.
enum Member {
    Rules(Vec<QuotaRule>),
    Periodical(Vec<Period>),
    Oneshot(Vec<Oneshot>),
    JobTypes,
}

/// An entry of `periodical`: `None` for all the time that no other has.
struct Period {
    when: Option<RecurringQuota>,
    rules: String,
}

/// An entry of `oneshot`.
struct Oneshot {
    when: OnceQuota,
    rules: String,
}

/// Reads the file.
///
/// # Errors
/// Every error, with its place.
pub fn read_oar_quotas(text: &str) -> Result<Quotas, Vec<JsonError>> {
    read(text, |reader, raw| {
        let members = reader.members_up_to(raw, MOST_MEMBERS, |reader, name, raw| match name {
            "periodical" => reader.array(raw, period).map(Member::Periodical),
            "oneshot" => reader.array(raw, oneshot).map(Member::Oneshot),
            "job_types" => reader.array(raw, Reader::name).map(|_| Member::JobTypes),
            _ => rules(reader, raw).map(Member::Rules),
        })?;
        assemble(reader, members)
    })
}

fn assemble(reader: &mut Reader, members: Vec<(String, Member)>) -> Option<Quotas> {
    let (mut sets, mut periods, mut oneshots) = (Vec::new(), None, Vec::new());
    for (name, member) in members {
        match member {
            Member::Rules(rules) => sets.push(QuotaRules { name: name.into(), rules }),
            Member::Periodical(entries) => periods = Some(entries),
            Member::Oneshot(entries) => oneshots = entries,
            Member::JobTypes => {}
        }
    }
    let mut calendar = QuotaCalendar::default();
    for (index, Oneshot { mut when, rules }) in oneshots.into_iter().enumerate() {
        when.rules = place(reader, &sets, ("oneshot", index), &rules)?;
        calendar.once.push(when);
    }
    match periods {
        Some(periods) => recurring(reader, &sets, periods, &mut calendar)?,
        None => calendar.otherwise = sets.iter().position(|rules| *rules.name == *DEFAULT),
    }
    let (across, adjustments) = (AcrossRules::Refuse, Vec::new());
    Some(Quotas { sets, calendar, across, adjustments })
}

/// Adds periods that recur, of which every second of the week must have one.
fn recurring(
    reader: &mut Reader,
    sets: &[QuotaRules],
    periods: Vec<Period>,
    calendar: &mut QuotaCalendar,
) -> Option<()> {
    let mut indexes = Vec::new();
    for (index, Period { when, rules }) in periods.into_iter().enumerate() {
        let rules = place(reader, sets, ("periodical", index), &rules)?;
        match when {
            Some(when) => {
                calendar.recurring.push(RecurringQuota { rules, ..when });
                indexes.push(index);
            }
            None if calendar.otherwise.is_some() => {
                reader.error_in("periodical", index, "there is a period for the rest already");
                return None;
            }
            None => calendar.otherwise = Some(rules),
        }
    }
    for (later, one) in calendar.recurring.iter().enumerate() {
        let before = calendar.recurring[..later].iter().position(|it| overlap(it, one).is_some());
        let Some(before) = before else { continue };
        let when = overlap(&calendar.recurring[before], one).unwrap_or_default();
        let message = format!("overlaps with entry {} {when}", indexes[before]);
        reader.error_in("periodical", indexes[later], message);
    }
    if let Some(gap) = calendar.gap() {
        reader.error_at("periodical", format!("there are no rules {gap}"));
    }
    Some(())
}

/// When two periods are both in force first in a week, in words.
fn overlap(one: &RecurringQuota, other: &RecurringQuota) -> Option<String> {
    let day = (0..7).find(|&day| one.weekdays[day] && other.weekdays[day])?;
    let (from, to) = (one.from_s.max(other.from_s), one.to_s.min(other.to_s));
    (from < to).then(|| format!("on {} from {} to {}", WEEKDAYS[day], clock(from), clock(to)))
}

/// The place of a set of rules by its name.
fn place(
    reader: &mut Reader,
    sets: &[QuotaRules],
    (member, index): (&'static str, usize),
    name: &str,
) -> Option<usize> {
    let place = sets.iter().position(|rules| *rules.name == *name);
    if place.is_none() {
        reader.error_in(member, index, format!("there are no rules {name:?} in the file"));
    }
    place
}

/// `["09:00-19:00 mon-fri * *", "rules", "why"]`, the last of which may be left out.
fn period(reader: &mut Reader, raw: &RawValue) -> Option<Period> {
    let words = reader.array(raw, Reader::string)?;
    let (Some(when), Some(rules)) = (words.first(), words.get(1)) else {
        reader.error("must be a period such as \"09:00-19:00 mon-fri * *\" and the name of rules");
        return None;
    };
    if words.len() > 3 {
        reader.error("has more than a period, the name of rules and a description");
        return None;
    }
    if REST.contains(&when.as_str()) {
        return Some(Period { when: None, rules: rules.clone() });
    }
    let parts: Vec<&str> = when.split_whitespace().collect();
    let &[hours, weekdays, day, month] = parts.as_slice() else {
        reader.error(format!(
            "the period {when:?} must have four parts: hours, days of the week, day of the month and month"
        ));
        return None;
    };
    for (part, what) in [(day, "day of the month"), (month, "month")] {
        if part != "*" {
            reader.error(format!(
                "the {what} of {when:?} must be *: OAR's file knows no other; a file of our own does"
            ));
        }
    }
    let hours = reader.accept(hours_of_day(hours));
    let weekdays = reader.accept(day_list(weekdays))?;
    let ((from, to), rules) = (hours?, rules.clone());
    (day == "*" && month == "*").then(|| Period {
        when: Some(RecurringQuota { weekdays, ..RecurringQuota::daily(from, to, 0) }),
        rules,
    })
}

/// `["2020-07-23 19:30", "2020-08-29 8:30", "rules", "why"]`, the last of which may be left out.
fn oneshot(reader: &mut Reader, raw: &RawValue) -> Option<Oneshot> {
    let words = reader.array(raw, Reader::string)?;
    let [from, to, rules, ..] = words.as_slice() else {
        reader.error("must be a first time, a last time, the name of rules and why");
        return None;
    };
    let why = words.get(3).cloned().unwrap_or_default();
    let (first, last) = (reader.accept(date_and_time(from)), reader.accept(date_and_time(to)));
    let (first, last) = (first?, last?);
    if last <= first {
        reader.error(format!("{to:?} must be after {from:?}"));
        return None;
    }
    let when = OnceQuota { from: first, to: last, why: why.into(), rules: 0 };
    Some(Oneshot { when, rules: rules.clone() })
}

/// Rules by their keys.
fn rules(reader: &mut Reader, raw: &RawValue) -> Option<Vec<QuotaRule>> {
    let rules = reader.members_up_to(raw, MOST_MEMBERS, |reader, key, raw| {
        let key = reader.accept(QuotaKey::parse(key));
        let limits = if raw.get().starts_with('[') {
            reader.array(raw, limit)?
        } else {
            let nodes = limit(reader, raw)?;
            vec![nodes, QuotaLimit::Unlimited, QuotaLimit::Unlimited]
        };
        let &[nodes, reservations, node_hours] = limits.as_slice() else {
            reader.error("must be a limit of nodes, or of nodes, reservations and node-hours");
            return None;
        };
        Some(QuotaRule {
            key: key?,
            nodes: Some(nodes),
            reservations: Some(reservations),
            node_hours: Some(node_hours),
            budgets: RuleBudgets::default(),
            per: None,
            adjustment: None,
        })
    })?;
    Some(rules.into_iter().map(|(_, rule)| rule).collect())
}

/// A number, or a text such as `2*ALL`.
fn limit(reader: &mut Reader, raw: &RawValue) -> Option<QuotaLimit> {
    let text = if raw.get().starts_with('"') { reader.string(raw)? } else { raw.get().to_owned() };
    reader.accept(QuotaLimit::parse(&text))
}
