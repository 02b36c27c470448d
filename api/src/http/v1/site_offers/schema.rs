//! Schema of the body of a request to several sites, for the OpenAPI document. Nothing is deserialised into it.

use utoipa::ToSchema;

use crate::http::v1::schema::RequestDocument;

/// What is asked of all sites.
#[derive(ToSchema)]
pub struct SiteOffersRequest {
    /// As a quote's; beside the fields of a request it may have `slowest_speed`, `search`, `labels`, `project` and `utilisation_from`. Names that
    /// a site does not know, such as of partitions, are an error at that site alone.
    pub request: RequestDocument,
    /// Bytes that must be at the site before the start; none unless given.
    #[schema(example = 25_000_000_000_u64)]
    pub input_bytes: Option<u64>,
    /// Bytes that are brought back after the end; none unless given.
    #[schema(example = 5_000_000_000_u64)]
    pub output_bytes: Option<u64>,
}
