//! Schema of the body of a reservation at another site, for the OpenAPI document. Nothing is deserialised into it.

use utoipa::ToSchema;

use crate::http::v1::schema::RequestDocument;
use crate::service::other_sites::Figures;

/// What is to be booked at which site.
#[derive(ToSchema)]
pub struct SiteReservationRequest {
    /// The site, as an offer names it.
    #[schema(example = "lyon")]
    pub site: String,
    /// What was asked of all sites.
    pub request: RequestDocument,
    /// As it was asked.
    pub input_bytes: Option<u64>,
    /// As it was asked.
    pub output_bytes: Option<u64>,
    /// The `at_site` of the offer: nothing that is worse is booked.
    pub expected: Figures,
}
