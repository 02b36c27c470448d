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
    /// The partitions it is in, such as `["gpu"]`.
    pub partitions: Option<Vec<String>>,
    /// The features it has, such as `["nvme", "avx512"]`.
    pub features: Option<Vec<String>>,
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
    /// The partitions it is in, such as `["gpu"]`.
    pub partitions: Option<Vec<String>>,
    /// The features it has, such as `["nvme", "avx512"]`.
    pub features: Option<Vec<String>>,
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
#[schema(example = json!({
    "nodes": 8, "duration_s": 7200, "alternatives": [{"nodes": 16, "duration_s": 4000}],
    "earliest_start": "2026-01-01T00:00:00Z", "latest_end": "2026-01-02T00:00:00Z",
    "partition": "gpu", "features": ["nvme"], "exclude": ["n7"], "tolerance": {"cost": 0.02},
}))]
pub struct RequestDocument {
    /// How many, at least 1. Needed unless there are `alternatives`.
    #[schema(example = 8, minimum = 1)]
    pub nodes: Option<u32>,
    /// How long, between 1 s and 1e8 s. `duration` is accepted in its place. Needed with `nodes`.
    #[schema(example = 7200)]
    pub duration_s: Option<Duration>,
    /// Other shapes that would do as well, 1 to 8: all are candidates of one decision.
    pub alternatives: Option<Vec<ShapeDocument>>,
    /// The first instant it may start.
    #[schema(format = DateTime, example = "2026-01-01T00:00:00Z")]
    pub earliest_start: String,
    /// The last instant it may start; not in the past. Needed unless there is `latest_end`.
    #[schema(format = DateTime, example = "2026-01-02T00:00:00Z")]
    pub latest_start: Option<String>,
    /// The instant by which it must be over.
    #[schema(format = DateTime, example = "2026-01-02T06:00:00Z")]
    pub latest_end: Option<String>,
    /// How hard the application drives nodes without an `alpha`, between idle (0) and maximum (1).
    #[schema(minimum = 0, maximum = 1)]
    pub utilisation: Option<f64>,
    /// How slowly it may run where the site has slower states of nodes, a share of full speed above 0: it then takes longer
    /// and draws less. At full speed unless given.
    #[schema(minimum = 0, maximum = 1, example = 0.8)]
    pub slowest_speed: Option<f64>,
    /// How much more than the least of a criterion is as good as the least.
    pub tolerance: Option<ToleranceDocument>,
    /// Only nodes of this partition.
    #[schema(example = "gpu")]
    pub partition: Option<String>,
    /// Only nodes with all of these features.
    #[schema(example = json!(["nvme"]))]
    pub features: Option<Vec<String>>,
    /// None of these nodes, by name.
    #[schema(example = json!(["n7"]))]
    pub exclude: Option<Vec<String>>,
    /// No other nodes than these, by name; at least as many as `nodes` for it to be possible.
    #[schema(example = json!(["n1", "n2"]))]
    pub only: Option<Vec<String>>,
    /// Where starts are looked for; the site's setting unless given.
    pub search: Option<SearchDocument>,
}

/// A request for nodes to be booked.
#[derive(ToSchema)]
pub struct ReservationRequest {
    /// The request.
    #[serde(flatten)]
    pub request: RequestDocument,
    /// What to do where only the power cap is in the way: `refuse`, as unless given, or
    /// `negotiate`, which has the supplier asked for extra power.
    #[schema(example = "refuse")]
    pub on_cap: Option<String>,
    /// With `negotiate`: the most that is paid for extra power, in the site's currency; nothing
    /// unless given.
    #[schema(minimum = 0)]
    pub extra_power_fee_limit: Option<f64>,
    /// From 0, as unless given, to 1000: the lowest gives way first where the site says so and the
    /// cap is lowered. Above 0 for operators to give only.
    #[schema(minimum = 0, maximum = 1000)]
    pub priority: Option<u16>,
    /// A confirmed reservation whose place this one takes once an offer is chosen. One that still
    /// stands is replaced only by what saves as much as the site wants.
    pub replaces: Option<uuid::Uuid>,
    /// `jobs_ended`: some time after the last of its jobs in Slurm has ended, the reservation is over
    /// and its nodes may be booked again; `never`, as unless given: only where the site says so.
    #[schema(example = "never")]
    pub give_back: Option<String>,
    /// Whether the compromise between the rankings is held as one more offer (`compromise: true`), where no ranking picks it.
    pub hold_compromise: Option<bool>,
    /// The project that it is for, which its sender must be in where the site keeps projects. Unless given it is the label
    /// `project`, or the only project that they are in.
    #[schema(example = "ocean")]
    pub project: Option<String>,
    /// What you call it, for reports: at most 16 names and values of 1 to 255 characters. `project` and
    /// `application` are what the ledger and reports go by.
    #[schema(example = json!({"project": "ocean"}))]
    pub labels: Option<std::collections::BTreeMap<String, String>>,
    /// What you note about it, for people.
    #[schema(example = "for the review on Monday", min_length = 1, max_length = 1000)]
    pub note: Option<String>,
    /// `application`: the utilisation is the one that earlier runs of the label `application` had, and is learnt anew. So
    /// it is where a request names an application and says no utilisation; reservations tell it.
    #[schema(example = "application")]
    pub utilisation_from: Option<String>,
    /// What one of the offers must be, as a quote told it; otherwise nothing is held.
    pub expected: Option<ShownOffer>,
}

/// An offer as it was shown to whoever books it; what is left out may be anything, but one member
/// must be there. Numbers are compared to nine digits.
#[derive(ToSchema)]
pub struct ShownOffer {
    /// RFC 3339.
    #[schema(format = DateTime)]
    pub start: Option<String>,
    /// RFC 3339, the first instant after.
    #[schema(format = DateTime)]
    pub end: Option<String>,
    /// How many nodes it takes.
    pub node_count: Option<u32>,
    /// Joules.
    pub energy_j: Option<f64>,
    /// In the site's currency.
    pub cost: Option<f64>,
    /// Grams of CO2.
    pub co2_g: Option<f64>,
}

/// A request for nodes, and what the answer is to tell.
#[derive(ToSchema)]
pub struct QuoteRequest {
    /// The request.
    #[serde(flatten)]
    pub request: RequestDocument,
    /// Whether every start on the Pareto front tells its nodes, as it does unless this is false;
    /// offers and the first feasible start always do.
    pub pareto_nodes: Option<bool>,
    /// Whether to tell for each ranking what the next-best start would have cost, and what an hour
    /// more of flexibility would save.
    pub explain: Option<bool>,
    /// The project that it would be for; nothing is decided by it.
    #[schema(example = "ocean")]
    pub project: Option<String>,
    /// What you call it. Where it says no utilisation, that of earlier runs of the label `application` is planned with.
    #[schema(example = json!({"application": "nemo"}))]
    pub labels: Option<std::collections::BTreeMap<String, String>>,
    /// `application`: the utilisation is the one that was learnt, as reservations tell it.
    #[schema(example = "application")]
    pub utilisation_from: Option<String>,
}

/// So many nodes for so long.
#[derive(ToSchema)]
pub struct ShapeDocument {
    /// How many, at least 1.
    #[schema(example = 16, minimum = 1)]
    pub nodes: u32,
    /// How long. `duration` is accepted in its place.
    #[schema(example = 4000)]
    pub duration_s: Duration,
}

/// A tolerance for each criterion: a start counts as one with the least value where its value is at
/// most `min + tolerance * |min|`.
#[derive(ToSchema)]
pub struct ToleranceDocument {
    /// Of energy; 0 unless given.
    #[schema(example = 0, minimum = 0)]
    pub energy: Option<f64>,
    /// Of cost; 0 unless given.
    #[schema(example = 0.02, minimum = 0)]
    pub cost: Option<f64>,
    /// Of CO2; 0 unless given.
    #[schema(example = 0, minimum = 0)]
    pub co2: Option<f64>,
}

/// Nodes to take out of service: either by name or by ordinal.
#[derive(ToSchema)]
#[schema(example = json!({
    "nodes": ["n7", "n8"], "end": "2026-01-02T00:00:00Z", "reason": "new fans in rack 7",
}))]
pub struct OutageRequest {
    /// Names.
    pub nodes: Option<Vec<String>>,
    /// Inclusive pairs of ordinals in input order.
    pub node_ranges: Option<Vec<[u32; 2]>>,
    /// Since when; now unless given.
    #[schema(format = DateTime)]
    pub start: Option<String>,
    /// Until when; open unless given.
    #[schema(format = DateTime)]
    pub end: Option<String>,
    /// In words, at most 1000 characters.
    pub reason: Option<String>,
}

/// What changes of an outage: what is left out stays.
#[derive(ToSchema)]
#[schema(example = json!({"nodes": ["n7"], "end": null}))]
pub struct OutagePatchRequest {
    /// All nodes that are out of service from now on, by name.
    pub nodes: Option<Vec<String>>,
    /// The same as inclusive pairs of ordinals in input order.
    pub node_ranges: Option<Vec<[u32; 2]>>,
    /// Since when, of one that has yet to begin; null for now.
    #[schema(format = DateTime)]
    pub start: Option<String>,
    /// Until when; null until it is ended.
    #[schema(format = DateTime)]
    pub end: Option<String>,
    /// In words, at most 1000 characters; null for none.
    pub reason: Option<String>,
}

/// What is decided about the power of nodes.
#[derive(ToSchema)]
#[schema(example = json!({"action": "hold", "nodes": ["n7"], "until": "2026-01-02T00:00:00Z"}))]
pub struct PowerDecisionRequest {
    /// `approve` or `refuse` with an `id`; `off` or `wake` with `nodes`; `hold` with `nodes` and `until`.
    #[schema(example = "approve")]
    pub action: String,
    /// Of a power action.
    pub id: Option<i64>,
    /// Why it is refused, at most 1000 characters.
    pub because: Option<String>,
    /// Names.
    pub nodes: Option<Vec<String>>,
    /// Inclusive pairs of ordinals in input order.
    pub node_ranges: Option<Vec<[u32; 2]>>,
    /// Until when nodes are held.
    #[schema(format = DateTime)]
    pub until: Option<String>,
}

/// Power that the supplier gives or would give.
#[derive(ToSchema)]
#[schema(example = json!({
    "start": "2026-01-02T00:00:00Z", "end": "2026-01-02T01:00:00Z", "power_w": 5000.0, "fee": 1.5,
}))]
pub struct GrantRequest {
    /// The supplier's own name of it, at most 1000 characters.
    pub id: Option<String>,
    /// RFC 3339.
    #[schema(format = DateTime)]
    pub start: String,
    /// RFC 3339, the first instant after.
    #[schema(format = DateTime)]
    pub end: String,
    /// Watts, above zero.
    pub power_w: f64,
    /// What the supplier takes for all of it, in the site's currency; nothing unless given.
    pub fee: Option<f64>,
}

/// The supplier's answer to a question for extra power.
#[derive(ToSchema)]
#[schema(example = json!({ "answer": "refused", "reason": "the line is full" }))]
pub struct AnswerRequest {
    /// `granted`, `offered` (for a fee that those who ask may find too high) or `refused`.
    pub answer: String,
    /// What is granted or offered.
    pub power: Option<Vec<GrantRequest>>,
    /// Why not, at most 1000 characters.
    pub reason: Option<String>,
    /// Of a grant: whether nothing more is to come; true unless given.
    pub last_word: Option<bool>,
}

/// Consumption over a span.
#[derive(ToSchema)]
pub struct ConsumedRequest {
    /// RFC 3339.
    #[schema(format = DateTime)]
    pub start: String,
    /// RFC 3339, the first instant after.
    #[schema(format = DateTime)]
    pub end: String,
    /// Watts.
    pub mean_power_w: f64,
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

/// A choice: either `ranking` or `offer_id`.
#[derive(ToSchema)]
pub struct ChoiceDocument {
    /// One of the six rankings, or `compromise` where that is among the offers.
    #[schema(example = "cost_co2_energy")]
    pub ranking: Option<String>,
    /// One of the reservation's offers.
    pub offer_id: Option<uuid::Uuid>,
    /// What the offer must be; otherwise it is not confirmed.
    pub expected: Option<ShownOffer>,
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
