//! Bodies of adjustments for the OpenAPI document; they are read in `members.rs`.

use utoipa::ToSchema;

/// A limit.
#[derive(ToSchema)]
#[serde(untagged)]
pub enum QuotaLimitDocument {
    /// The most; -1 for any amount.
    #[schema(example = 36)]
    Number(f64),
    /// A part of all nodes, such as `0.5*ALL`, or a number.
    #[schema(example = "0.5*ALL")]
    Text(String),
}

/// A rule for a time, before all rules of the settings.
#[derive(ToSchema)]
#[schema(example = json!({
    "user": "ada", "nodes": 36, "to": "2026-11-27T18:00:00Z", "reason": "the paper is due",
}))]
pub struct QuotaAdjustmentRequest {
    /// A partition, `*` for all together, or `/` for each; `*` unless given.
    pub partition: Option<String>,
    /// A project, `*` or `/`.
    pub project: Option<String>,
    /// A job type, or `*`.
    pub job_type: Option<String>,
    /// A user, `*` or `/`.
    pub user: Option<String>,
    /// Nodes at an instant.
    pub nodes: Option<QuotaLimitDocument>,
    /// Reservations at an instant.
    pub reservations: Option<QuotaLimitDocument>,
    /// Nodes times hours.
    pub node_hours: Option<QuotaLimitDocument>,
    /// A budget of energy in kWh.
    pub energy_kwh: Option<QuotaLimitDocument>,
    /// A budget in the site's currency.
    pub cost: Option<QuotaLimitDocument>,
    /// A budget of CO2 in kg.
    pub co2_kg: Option<QuotaLimitDocument>,
    /// Whether budgets count, and bind, what is part of the project.
    pub with_below: Option<bool>,
    /// What node-hours and budgets are added up over: `day`, `week`, `month`, `quarter` or `year`.
    #[schema(example = "month")]
    pub per: Option<String>,
    /// In place of `per`: they count once from this time of the site's clock, such as `2026-10-01 00:00`.
    pub per_from: Option<String>,
    /// To this time of the site's clock.
    pub per_to: Option<String>,
    /// Since when; now unless given.
    #[schema(format = DateTime)]
    pub from: Option<String>,
    /// Until when; open unless given.
    #[schema(format = DateTime)]
    pub to: Option<String>,
    /// In words, at most 1000 characters. Those whom it concerns read it.
    pub reason: Option<String>,
}

/// What is to change of an adjustment: what is not there stays, and a limit, `to` or `per` that is null is left out of it.
#[derive(ToSchema)]
#[schema(example = json!({ "nodes": 24, "to": "2026-11-26T18:00:00Z" }))]
pub struct QuotaAdjustmentPatchRequest {
    /// Nodes at an instant.
    pub nodes: Option<QuotaLimitDocument>,
    /// Reservations at an instant.
    pub reservations: Option<QuotaLimitDocument>,
    /// Nodes times hours.
    pub node_hours: Option<QuotaLimitDocument>,
    /// A budget of energy in kWh.
    pub energy_kwh: Option<QuotaLimitDocument>,
    /// A budget in the site's currency.
    pub cost: Option<QuotaLimitDocument>,
    /// A budget of CO2 in kg.
    pub co2_kg: Option<QuotaLimitDocument>,
    /// Whether budgets count, and bind, what is part of the project.
    pub with_below: Option<bool>,
    /// What node-hours and budgets are added up over; `per_from` and `per_to` are in its place.
    pub per: Option<String>,
    /// Of what counts once.
    pub per_from: Option<String>,
    /// Of what counts once.
    pub per_to: Option<String>,
    /// Another end.
    #[schema(format = DateTime)]
    pub to: Option<String>,
    /// Another reason.
    pub reason: Option<String>,
}
