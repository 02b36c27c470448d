//! `/api/v1/grants`: extra power that the supplier gave.

pub mod create;
pub mod list;
pub mod revoke;

use planner::dialogue::Grant;
use planner::identity::GrantId;
use planner::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// Extra power on top of the cap.
#[derive(Serialize, ToSchema)]
pub struct GrantDocument {
    /// To revoke it by.
    pub grant_id: Uuid,
    /// The supplier's own name of it.
    pub id: Option<String>,
    /// In answer to what; null where nobody asked.
    pub negotiation_id: Option<Uuid>,
    /// `set_aside` for those who asked, `in_force` for everybody, or `revoked`.
    #[schema(example = "in_force")]
    pub standing: &'static str,
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub start: Timestamp,
    /// RFC 3339, the first instant after.
    #[schema(value_type = String, format = DateTime)]
    pub end: Timestamp,
    /// Watts.
    pub power_w: f64,
    /// What the supplier takes for all of it, in the site's currency.
    pub fee: f64,
    /// When it came.
    #[schema(value_type = String, format = DateTime)]
    pub received_at: Timestamp,
}

impl From<&Grant> for GrantDocument {
    fn from(it: &Grant) -> Self {
        Self {
            grant_id: GrantId::as_uuid(it.id),
            id: it.supplier_id.clone(),
            negotiation_id: it.negotiation_id.map(planner::identity::NegotiationId::as_uuid),
            standing: it.state.word(),
            start: it.span.start(),
            end: it.span.end(),
            power_w: it.power.as_watts(),
            fee: it.fee_millionths as f64 / 1e6,
            received_at: it.received,
        }
    }
}
