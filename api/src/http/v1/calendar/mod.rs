//! Calendar feeds at secret addresses. See `docs/NOTIFICATIONS.md`.

pub mod create;
pub mod end;
pub mod feed;
pub mod get;

use planner::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A new secret address. It is not shown again.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct CalendarAddress {
    /// The path of the feed at this service; whoever knows it reads the feed.
    #[schema(
        example = "/api/v1/calendar/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.ics"
    )]
    pub url: String,
    /// When it was made, RFC 3339.
    pub created_at: String,
}

/// Whether the caller has a calendar feed.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct CalendarDocument {
    /// When its address was made, RFC 3339; null where there is none.
    pub created_at: Option<String>,
}

impl CalendarAddress {
    /// The address of a secret.
    fn new(secret: &str, created: Timestamp) -> Self {
        Self { url: format!("/api/v1/calendar/{secret}.ics"), created_at: created.to_string() }
    }
}
