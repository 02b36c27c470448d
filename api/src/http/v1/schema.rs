//! Schemas of the bodies that are read piece by piece (see `planner::json`), for the OpenAPI
//! document. Nothing is deserialised into these types.

use utoipa::ToSchema;

/// A node of a list.
#[derive(ToSchema)]
pub struct NodeDocument {
    /// 1 to 255 characters, unique.
    #[schema(example = "n1")]
    pub name: String,
    /// Watts, at most 6 decimals.
    #[schema(example = 95.0)]
    pub idle_power_w: f64,
    /// Watts, at most 6 decimals.
    #[schema(example = 190.0)]
    pub max_power_w: f64,
    /// `alpha * max_power_w` is the node's draw, whatever the application.
    #[schema(example = 0.75, minimum = 0, maximum = 1)]
    pub alpha: Option<f64>,
}

/// Nodes: each one, or how many of a kind.
#[derive(ToSchema)]
#[serde(untagged)]
pub enum NodesDocument {
    /// Each with its name.
    Listed(Vec<NodeDocument>),
    /// Named `n0`, `n1`, ... in order.
    Classes(NodeClasses),
}

/// Nodes by kind.
#[derive(ToSchema)]
pub struct NodeClasses {
    /// In order.
    pub classes: Vec<NodeClass>,
}

/// Some nodes of a kind.
#[derive(ToSchema)]
pub struct NodeClass {
    /// How many, at least 1.
    #[schema(example = 1000, minimum = 1)]
    pub count: u32,
    /// Watts, at most 6 decimals.
    #[schema(example = 95.0)]
    pub idle_power_w: f64,
    /// Watts, at most 6 decimals.
    #[schema(example = 190.0)]
    pub max_power_w: f64,
    /// `alpha * max_power_w` is the node's draw, whatever the application.
    #[schema(example = 0.75, minimum = 0, maximum = 1)]
    pub alpha: Option<f64>,
}

/// A length of time.
#[derive(ToSchema)]
#[serde(untagged)]
pub enum Duration {
    /// Whole seconds.
    #[schema(example = 7200)]
    Seconds(i64),
    /// ISO 8601.
    #[schema(example = "PT2H")]
    Iso8601(String),
}

/// A piece of a price agenda.
#[derive(ToSchema)]
pub struct PricePiece {
    /// RFC 3339.
    #[schema(format = DateTime, example = "2026-01-01T00:00:00Z")]
    pub start: String,
    /// RFC 3339, after `start`.
    #[schema(format = DateTime, example = "2026-01-01T06:00:00Z")]
    pub end: String,
    /// In the site's currency; may be negative; at most 6 decimals.
    #[schema(example = 76.3)]
    pub price_per_mwh: f64,
}

/// A piece of a CO2 agenda.
#[derive(ToSchema)]
pub struct IntensityPiece {
    /// RFC 3339.
    #[schema(format = DateTime, example = "2026-01-01T00:00:00Z")]
    pub start: String,
    /// RFC 3339, after `start`.
    #[schema(format = DateTime, example = "2026-01-01T06:00:00Z")]
    pub end: String,
    /// Grams of CO2 per kWh, at most 6 decimals.
    #[schema(example = 56.0)]
    pub intensity_g_per_kwh: f64,
}

/// A piece of a power cap agenda.
#[derive(ToSchema)]
pub struct CapPiece {
    /// RFC 3339.
    #[schema(format = DateTime, example = "2026-01-01T00:00:00Z")]
    pub start: String,
    /// RFC 3339, after `start`.
    #[schema(format = DateTime, example = "2026-01-01T06:00:00Z")]
    pub end: String,
    /// Watts, at most 6 decimals.
    #[schema(example = 12_000)]
    pub cap_w: f64,
}

/// A piece of any agenda: one of the three values, as the path says.
#[derive(ToSchema)]
#[serde(untagged)]
pub enum AgendaPiece {
    /// `/agendas/price`.
    Price(PricePiece),
    /// `/agendas/co2`.
    Co2(IntensityPiece),
    /// `/agendas/power-cap`.
    PowerCap(CapPiece),
}

/// A request for nodes.
#[derive(ToSchema)]
pub struct RequestDocument {
    /// How many, at least 1.
    #[schema(example = 8, minimum = 1)]
    pub nodes: u32,
    /// How long, between 1 s and 1e8 s. `duration` is accepted in its place.
    #[schema(example = 7200)]
    pub duration_s: Duration,
    /// The first instant it may start.
    #[schema(format = DateTime, example = "2026-01-01T00:00:00Z")]
    pub earliest_start: String,
    /// The last instant it may start; not in the past.
    #[schema(format = DateTime, example = "2026-01-02T00:00:00Z")]
    pub latest_start: String,
    /// How hard the application drives nodes without an `alpha`, between idle (0) and maximum (1).
    #[schema(minimum = 0, maximum = 1)]
    pub utilisation: Option<f64>,
    /// Where starts are looked for; the site's setting unless given.
    pub search: Option<SearchDocument>,
}

/// Where starts are looked for.
#[derive(ToSchema)]
pub struct SearchDocument {
    /// `slots` or `exact`.
    #[schema(example = "slots")]
    pub mode: String,
    /// In slots mode: starts lie on multiples of this since the Unix epoch.
    #[schema(example = 900)]
    pub slot_s: Option<u32>,
}

/// A choice: one of the two.
#[derive(ToSchema)]
pub struct ChoiceDocument {
    /// One of the six rankings.
    #[schema(example = "cost_co2_energy")]
    pub ranking: Option<String>,
    /// One of the reservation's offers.
    pub offer_id: Option<uuid::Uuid>,
}

/// A power sample.
#[derive(ToSchema)]
pub struct SampleDocument {
    /// The node's name.
    #[schema(example = "n1")]
    pub node: String,
    /// RFC 3339.
    #[schema(format = DateTime, example = "2026-01-01T00:00:00Z")]
    pub measured_at: String,
    /// `idle` or `max`.
    #[schema(example = "idle")]
    pub load: String,
    /// Watts.
    #[schema(example = 94.8)]
    pub power_w: f64,
}
