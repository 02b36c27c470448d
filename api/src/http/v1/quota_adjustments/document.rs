//! Quota adjustments as JSON.

use planner::quota::{QuotaMeasure, QuotaPeriod, clock_text};
use planner::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use storage::StoredQuotaAdjustment;
use utoipa::ToSchema;
use uuid::Uuid;

/// A rule that an operator made for a time.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct QuotaAdjustmentDocument {
    /// Sorts by creation.
    pub id: Uuid,
    /// The operator who made it.
    #[schema(example = "olga")]
    pub made_by: String,
    /// RFC 3339.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// RFC 3339.
    #[schema(format = DateTime)]
    pub from: String,
    /// RFC 3339; null where the end is not known.
    #[schema(format = DateTime)]
    pub to: Option<String>,
    /// In words, for people.
    #[schema(example = "the paper is due")]
    pub reason: String,
    /// A partition, `*` for all together, or `/` for each.
    #[schema(example = "*")]
    pub partition: String,
    /// A project, `*` or `/`.
    #[schema(example = "*")]
    pub project: String,
    /// A job type, or `*`.
    #[schema(example = "*")]
    pub job_type: String,
    /// A user, `*` or `/`.
    #[schema(example = "ada")]
    pub user: String,
    /// The most nodes at an instant, as it was written: a number, `-1` for any amount, or a part of all nodes; null where it
    /// does not say, here and below.
    #[schema(example = "36")]
    pub nodes: Option<String>,
    /// The most reservations at an instant.
    pub reservations: Option<String>,
    /// The most nodes times hours.
    pub node_hours: Option<String>,
    /// A budget in kWh.
    pub energy_kwh: Option<String>,
    /// A budget in the site's currency.
    pub cost: Option<String>,
    /// A budget in kg.
    pub co2_kg: Option<String>,
    /// Whether budgets count, and bind, what is part of the project.
    pub with_below: bool,
    /// What node-hours and budgets are added up over; `fixed` where they count once.
    pub per: Option<String>,
    /// Of what counts once, on the site's clock.
    pub per_from: Option<String>,
    /// Of what counts once, on the site's clock.
    pub per_to: Option<String>,
}

impl QuotaAdjustmentDocument {
    /// As operators see it.
    pub fn new(stored: &StoredQuotaAdjustment) -> Self {
        let key = &stored.rule.key;
        let limit = |measure| stored.rule.limit(measure).map(|limit| limit.to_string());
        let ends = match stored.rule.per {
            Some(QuotaPeriod::Fixed { from, to }) => Some((clock_text(from), clock_text(to))),
            _ => None,
        };
        let (per_from, per_to) = ends.unzip();
        Self {
            id: stored.id.as_uuid(),
            made_by: stored.made_by.clone(),
            created_at: stored.created.to_string(),
            from: stored.from.to_string(),
            to: stored.to.as_ref().map(Timestamp::to_string),
            reason: stored.reason.clone(),
            partition: key.partition.to_string(),
            project: key.project.to_string(),
            job_type: key.job_type.to_string(),
            user: key.user.to_string(),
            nodes: limit(QuotaMeasure::Nodes),
            reservations: limit(QuotaMeasure::Reservations),
            node_hours: limit(QuotaMeasure::NodeHours),
            energy_kwh: limit(QuotaMeasure::EnergyKwh),
            cost: limit(QuotaMeasure::Cost),
            co2_kg: limit(QuotaMeasure::Co2Kg),
            with_below: stored.rule.budgets.with_below,
            per: stored.rule.per.map(QuotaPeriod::word).map(str::to_owned),
            per_from,
            per_to,
        }
    }
}

/// What is recorded of an adjustment: not its reason, which may name people.
pub(super) fn audited(stored: &StoredQuotaAdjustment) -> Value {
    let rule = &stored.rule;
    let said = QuotaMeasure::ALL.into_iter().filter_map(|measure| {
        Some((measure.word().to_owned(), json!(rule.limit(measure)?.to_string())))
    });
    let mut state: serde_json::Map<String, Value> = said.collect();
    let key = &rule.key;
    for (name, part) in [
        ("partition", &key.partition),
        ("project", &key.project),
        ("job_type", &key.job_type),
        ("user", &key.user),
    ] {
        state.insert(name.to_owned(), json!(part.to_string()));
    }
    state.insert("from".to_owned(), json!(stored.from.to_string()));
    state.insert("to".to_owned(), json!(stored.to.as_ref().map(Timestamp::to_string)));
    state.extend(rule.per.map(|per| ("per".to_owned(), json!(per.word()))));
    Value::Object(state)
}
