//! `GET /api/v1/negotiations`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use planner::identity::NegotiationId;
use serde::{Deserialize, Serialize};
use storage::{NegotiationFilter, NegotiationKind, StorageError};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::document::NegotiationDocument;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::dialogue::DialogueService;
use crate::service::shared::Fault;

/// Which negotiations.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct NegotiationsQuery {
    /// About this: `extra_power`, `planned_consumption`, `low_consumption`, `actual_consumption` or
    /// `notice`.
    pub kind: Option<String>,
    /// `open` or `closed`.
    pub state: Option<String>,
    /// The `next_cursor` of the page before.
    pub cursor: Option<Uuid>,
    /// Negotiations in a page, 1 to 1000; 100 unless given.
    pub limit: Option<u16>,
}

/// A page of negotiations.
#[derive(Serialize, ToSchema)]
pub struct NegotiationsDocument {
    /// Newest first.
    pub items: Vec<NegotiationDocument>,
    /// Where the next page starts; null on the last.
    pub next_cursor: Option<Uuid>,
}

/// Conversations with the supplier
///
/// For operators and suppliers. What the site asks and tells stands in their messages.
#[utoipa::path(
    get,
    path = "/api/v1/negotiations",
    tag = "grid",
    params(NegotiationsQuery),
    responses(
        (status = OK, body = NegotiationsDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn list_negotiations(
    State(dialogue): State<Arc<DialogueService>>,
    _: By,
    Parameters(parameters): Parameters<NegotiationsQuery>,
) -> Result<Json<NegotiationsDocument>, Problem> {
    let limit = query::limit(parameters.limit, 100, 1000)?;
    let kind = parameters.kind.map(|word| {
        NegotiationKind::from_word(&word)
            .ok_or_else(|| Problem::invalid_parameter("kind", "is no kind of negotiation"))
    });
    let open = parameters.state.map(|word| match word.as_str() {
        "open" => Ok(true),
        "closed" => Ok(false),
        _ => Err(Problem::invalid_parameter("state", "must be open or closed")),
    });
    let filter = NegotiationFilter { kind: kind.transpose()?, open: open.transpose()? };
    let after = parameters.cursor.map(NegotiationId::new);
    let page = dialogue.negotiations(filter, after, limit).await?;
    let items: Result<_, StorageError> =
        page.negotiations.iter().map(NegotiationDocument::of).collect();
    Ok(Json(NegotiationsDocument {
        items: items.map_err(Fault::from)?,
        next_cursor: page.next.map(NegotiationId::as_uuid),
    }))
}
