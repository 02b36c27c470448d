//! Bodies that change reservations, as the OpenAPI document describes them.

use utoipa::ToSchema;

use crate::http::v1::schema::{
    Duration, SearchDocument, ShapeDocument, ShownOffer, ToleranceDocument,
};

/// How much longer a reservation is to last: either `by_s` or `until`.
#[derive(ToSchema)]
pub struct ExtensionDocument {
    /// Seconds beyond its end.
    #[schema(example = 3600, minimum = 1, maximum = 100_000_000)]
    pub by_s: Option<u32>,
    /// Its new end, RFC 3339.
    #[schema(format = DateTime)]
    pub until: Option<String>,
}

/// What is given back of a reservation: all, unless it says which nodes. Only one of both may be said.
#[derive(ToSchema)]
pub struct ReleaseDocument {
    /// How many nodes.
    #[schema(example = 1, minimum = 1)]
    pub nodes: Option<u32>,
    /// Which nodes.
    pub node_names: Option<Vec<String>>,
}

/// Which nodes are swapped for others.
#[derive(ToSchema)]
pub struct SwapDocument {
    /// The nodes, by name; all of the reservation's that are out of service, unless given.
    #[schema(example = json!(["n3"]))]
    pub nodes: Option<Vec<String>>,
}

/// With whom a reservation is shared. Of `with` and `projects` at least one must name somebody.
#[derive(ToSchema)]
pub struct SharingDocument {
    /// Users, by name.
    #[schema(example = json!(["bob"]))]
    pub with: Option<Vec<String>>,
    /// Projects, by name: all who are in one.
    pub projects: Option<Vec<String>>,
    /// `see`, `use` or `act`.
    #[schema(example = "use")]
    pub may: String,
}

/// With whom a reservation is shared no more. At least one must be named.
#[derive(ToSchema)]
pub struct UnsharingDocument {
    /// Users, by name.
    #[schema(example = json!(["bob"]))]
    pub with: Option<Vec<String>>,
    /// Projects, by name.
    pub projects: Option<Vec<String>>,
}

/// Who is to own a reservation.
#[derive(ToSchema)]
pub struct TransferDocument {
    /// The name of the new owner.
    #[schema(example = "grace", min_length = 1, max_length = 255)]
    pub owner: String,
}

/// What is to change of a request; what is null is left out of it.
#[derive(ToSchema)]
pub struct RequestPatchDocument {
    /// How many nodes.
    #[schema(example = 8, minimum = 1)]
    pub nodes: Option<u32>,
    /// How long. `duration` is accepted in its place.
    pub duration_s: Option<Duration>,
    /// Other shapes that would do.
    pub alternatives: Option<Vec<ShapeDocument>>,
    /// It must not start before, RFC 3339.
    #[schema(format = DateTime)]
    pub earliest_start: Option<String>,
    /// It must have started by then, RFC 3339.
    #[schema(format = DateTime)]
    pub latest_start: Option<String>,
    /// It must have ended by then, RFC 3339.
    #[schema(format = DateTime)]
    pub latest_end: Option<String>,
    /// Expected utilisation of nodes that have no alpha of their own.
    #[schema(minimum = 0, maximum = 1)]
    pub utilisation: Option<f64>,
    /// How far from the best counts as equally good.
    pub tolerance: Option<ToleranceDocument>,
    /// Only nodes of this partition.
    pub partition: Option<String>,
    /// Only nodes with all of these features.
    pub features: Option<Vec<String>>,
    /// Not these nodes.
    pub exclude: Option<Vec<String>>,
    /// No other nodes than these.
    pub only: Option<Vec<String>>,
    /// How slowly it may run, as a share of full speed.
    pub slowest_speed: Option<f64>,
    /// Where starts are looked for.
    pub search: Option<SearchDocument>,
    /// `refuse` or `negotiate`; a changed reservation never has the supplier asked.
    pub on_cap: Option<String>,
    /// The most that is paid for extra power.
    #[schema(minimum = 0)]
    pub extra_power_fee_limit: Option<f64>,
    /// The lowest gives way first where the site says so; a higher one is for operators to give.
    #[schema(minimum = 0, maximum = 1000)]
    pub priority: Option<u16>,
    /// `jobs_ended` or `never`.
    pub give_back: Option<String>,
    /// The project that it is for.
    #[schema(example = "ocean", min_length = 1, max_length = 255)]
    pub project: Option<String>,
    /// What you call it; each name that is null is left out.
    #[schema(example = json!({"project": "ocean"}))]
    pub labels: Option<std::collections::BTreeMap<String, Option<String>>>,
    /// What you note about it.
    #[schema(min_length = 1, max_length = 1000)]
    pub note: Option<String>,
    /// `application`: the utilisation is the one that earlier runs of the label `application` had.
    pub utilisation_from: Option<String>,
    /// By which ranking a confirmed reservation is planned anew; one that its offer wins, unless given.
    #[schema(example = "cost_co2_energy")]
    pub ranking: Option<String>,
    /// What the offer must be; otherwise nothing is changed.
    pub expected: Option<ShownOffer>,
}
