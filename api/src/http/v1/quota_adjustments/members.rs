//! What bodies of adjustments say.

use planner::json::Reader;
use planner::json::reader::Object;
use planner::node::is_name;
use planner::quota::{
    QuotaKey, QuotaLimit, QuotaMeasure, QuotaPeriod, QuotaRule, RuleBudgets, date_and_time,
};
use serde_json::value::RawValue;

use crate::service::quotas::{NewQuotaAdjustment, QuotaAdjustmentPatch};

/// The longest reason, in characters.
const MAX_REASON: usize = 1000;

/// What is not there, what is null, and what is something.
type Said<T> = Option<Option<T>>;

/// What may change of an adjustment.
const CHANGEABLE: [&str; 12] = [
    "nodes",
    "reservations",
    "node_hours",
    "energy_kwh",
    "cost",
    "co2_kg",
    "with_below",
    "per",
    "per_from",
    "per_to",
    "to",
    "reason",
];

/// What does not.
const FIXED: [&str; 5] = ["partition", "project", "job_type", "user", "from"];

/// An adjustment to be.
pub(super) fn new_adjustment(reader: &mut Reader, raw: &RawValue) -> Option<NewQuotaAdjustment> {
    let known: Vec<&str> = FIXED.into_iter().chain(CHANGEABLE).collect();
    let object = reader.object(raw, &known)?;
    let key = key(reader, &object);
    let from = reader.optional(&object, "from", Reader::timestamp);
    let QuotaAdjustmentPatch { to, reason, limits, with_below, per } = changes(reader, &object)?;
    let (to, limits) = (to.flatten(), limits.map(Option::flatten));
    let [nodes, reservations, node_hours, energy_kwh, cost, co2_kg] = limits;
    let with_below = with_below.unwrap_or_default();
    let budgets = RuleBudgets { energy_kwh, cost, co2_kg, with_below };
    let (per, adjustment) = (per.flatten(), None);
    let rule = QuotaRule { key: key?, nodes, reservations, node_hours, budgets, per, adjustment };
    let told = rule.contradiction();
    if let Some((member, told)) = told {
        match member {
            Some(member) => reader.error_at(member, told),
            None => reader.error(told),
        }
        return None;
    }
    let reason = reason.unwrap_or_default();
    Some(NewQuotaAdjustment { rule, from: from?, to, reason })
}

/// What is to change of an adjustment.
pub(super) fn patch(reader: &mut Reader, raw: &RawValue) -> Option<QuotaAdjustmentPatch> {
    let object = reader.object(raw, &CHANGEABLE)?;
    changes(reader, &object)
}

fn changes(reader: &mut Reader, object: &Object<'_>) -> Option<QuotaAdjustmentPatch> {
    let limits = QuotaMeasure::ALL.map(|measure| said(reader, object, measure.word(), limit));
    let with_below = reader.optional(object, "with_below", Reader::boolean);
    let per = period(reader, object);
    let to = said(reader, object, "to", Reader::timestamp);
    let reason = reader.optional(object, "reason", reason);
    let [nodes, reservations, node_hours, energy_kwh, cost, co2_kg] = limits;
    let limits = [nodes?, reservations?, node_hours?, energy_kwh?, cost?, co2_kg?];
    let (to, reason, with_below, per) = (to?, reason?, with_below?, per?);
    Some(QuotaAdjustmentPatch { to, reason, limits, with_below, per })
}

/// A member that may be absent, or null; `None` on an error.
fn said<T>(
    reader: &mut Reader,
    object: &Object<'_>,
    key: &'static str,
    part: impl FnOnce(&mut Reader, &RawValue) -> Option<T>,
) -> Option<Said<T>> {
    let is_there = object.get(key).is_some();
    let value = reader.optional(object, key, part)?;
    Some(is_there.then_some(value))
}

fn key(reader: &mut Reader, object: &Object<'_>) -> Option<QuotaKey> {
    let parts = ["partition", "project", "job_type", "user"].map(|name| {
        reader.optional(object, name, part).map(|it| it.unwrap_or_else(|| "*".to_owned()))
    });
    let [partition, project, job_type, user] = parts;
    let key = QuotaKey::of(&partition?, &project?, &job_type?, &user?);
    reader.accept(key)
}

fn part(reader: &mut Reader, raw: &RawValue) -> Option<String> {
    let text = reader.string(raw)?;
    if !is_name(&text) {
        reader.error("is no name, nor * nor /");
        return None;
    }
    Some(text)
}

/// A number, or a text such as `2*ALL`.
fn limit(reader: &mut Reader, raw: &RawValue) -> Option<QuotaLimit> {
    let text = if raw.get().starts_with('"') { reader.string(raw)? } else { raw.get().to_owned() };
    reader.accept(QuotaLimit::parse(&text))
}

/// What node-hours and budgets are added up over.
fn period(reader: &mut Reader, object: &Object<'_>) -> Option<Said<QuotaPeriod>> {
    let word = |reader: &mut Reader, raw: &RawValue| {
        let word = reader.string(raw)?;
        reader.accept(QuotaPeriod::parse(&word))
    };
    let clock = |reader: &mut Reader, raw: &RawValue| {
        let text = reader.string(raw)?;
        reader.accept(date_and_time(&text))
    };
    let per = said(reader, object, "per", word);
    let from = reader.optional(object, "per_from", clock);
    let to = reader.optional(object, "per_to", clock);
    let (per, from, to) = (per?, from?, to?);
    match (per, from, to) {
        (per, None, None) => Some(per),
        (None | Some(None), Some(from), Some(to)) if from < to => {
            Some(Some(Some(QuotaPeriod::Fixed { from, to })))
        }
        (None | Some(None), Some(_), Some(_)) => {
            reader.error_at("per_to", "must be after per_from");
            None
        }
        _ => {
            reader.error_at("per", "stands alone, or per_from and per_to in its place");
            None
        }
    }
}

fn reason(reader: &mut Reader, raw: &RawValue) -> Option<String> {
    let text = reader.string(raw)?;
    if text.chars().count() > MAX_REASON {
        reader.error(format!("must have at most {MAX_REASON} characters"));
        return None;
    }
    Some(text)
}
