//! Bodies of series, as the OpenAPI document describes them.

use utoipa::ToSchema;

use crate::http::v1::reservations::schema::RequestPatchDocument;
use crate::http::v1::schema::ReservationRequest;

/// A request that recurs.
#[derive(ToSchema)]
pub struct NewSeriesDocument {
    /// The request of the first occurrence, with its window. `expected` and `replaces` have no meaning here.
    pub request: ReservationRequest,
    /// A rule of RFC 5545, section 3.3.10, without `DTSTART`: the request's `earliest_start` is where it begins.
    #[schema(example = "FREQ=WEEKLY;BYDAY=MO,TH", min_length = 1, max_length = 1000)]
    pub recur: String,
    /// No occurrence starts later, RFC 3339; needed unless the rule has `COUNT` or `UNTIL`.
    #[schema(format = DateTime)]
    pub until: Option<String>,
    /// Local days and local times that are left out.
    #[schema(example = json!(["2026-12-24", "2026-12-28T08:00:00"]))]
    pub except: Option<Vec<String>>,
    /// Local times that are added.
    #[schema(example = json!(["2027-01-02T08:00:00"]))]
    pub also: Option<Vec<String>>,
    /// An IANA name; occurrences keep their local time when its clocks change. The site's unless given, else UTC.
    #[schema(example = "Europe/Berlin")]
    pub time_zone: Option<String>,
    /// By what each occurrence is chosen: `energy`, `cost` (as unless given), `co2`, or a ranking.
    #[schema(example = "cost")]
    pub choose: Option<String>,
    /// `leave_out`, as unless given, or `refuse`: nothing is booked if an occurrence whose window is known is impossible.
    #[schema(example = "leave_out")]
    pub where_impossible: Option<String>,
}

/// What is to change of a series; what is null is left out of it.
#[derive(ToSchema)]
pub struct SeriesPatchDocument {
    /// What is to change of the request of the first occurrence.
    pub request: Option<RequestPatchDocument>,
    /// Another rule.
    #[schema(example = "FREQ=WEEKLY;BYDAY=TU")]
    pub recur: Option<String>,
    /// Another end, RFC 3339.
    #[schema(format = DateTime)]
    pub until: Option<String>,
    /// What is left out, all of it.
    pub except: Option<Vec<String>>,
    /// What is added, all of it.
    pub also: Option<Vec<String>>,
    /// Another time zone.
    pub time_zone: Option<String>,
    /// By what each occurrence is chosen.
    pub choose: Option<String>,
    /// `leave_out` or `refuse`.
    pub where_impossible: Option<String>,
}
