//! `GET /api/v1/negotiations/{id}`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use planner::identity::NegotiationId;
use serde::{Deserialize, Serialize};
use storage::{MessageId, StorageError};
use utoipa::{IntoParams, ToSchema};

use super::document::{MessageDocument, NegotiationDocument};
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::http::v1::path::IdInPath;
use crate::service::dialogue::DialogueService;
use crate::service::shared::Fault;

/// Which messages.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct MessagesQuery {
    /// The `next_cursor` of the page before, or the last message known: only later ones are told.
    pub cursor: Option<i64>,
    /// Whether the newest messages are told instead of a page; not together with `cursor`.
    pub newest: Option<bool>,
    /// Messages in a page, 1 to 1000; 100 unless given.
    pub limit: Option<u16>,
}

/// A conversation, message by message.
#[derive(Serialize, ToSchema)]
#[schema(as = Conversation)]
pub struct NegotiationMessages {
    /// The conversation.
    #[serde(flatten)]
    pub negotiation: NegotiationDocument,
    /// Oldest first.
    pub messages: Vec<MessageDocument>,
    /// Where the next page starts; null on the last, and where the newest are told.
    pub next_cursor: Option<i64>,
}

/// A conversation with the supplier, message by message
///
/// For operators and suppliers.
#[utoipa::path(
    get,
    path = "/api/v1/negotiations/{id}",
    tag = "grid",
    params(("id" = uuid::Uuid, Path), MessagesQuery),
    responses(
        (status = OK, body = NegotiationMessages),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
    ),
)]
pub async fn get_negotiation(
    State(dialogue): State<Arc<DialogueService>>,
    _: By,
    IdInPath(id): IdInPath<NegotiationId>,
    Parameters(parameters): Parameters<MessagesQuery>,
) -> Result<Json<NegotiationMessages>, Problem> {
    let limit = query::limit(parameters.limit, 100, 1000)?;
    let after = match (parameters.newest, parameters.cursor) {
        (Some(true), Some(_)) => {
            return Err(Problem::invalid_parameter("newest", "cannot be told after a cursor"));
        }
        (Some(true), None) => None,
        (_, cursor) => Some(MessageId::from(cursor.unwrap_or(0))),
    };
    let page = dialogue.negotiation(id, after, limit).await?;
    let negotiation = NegotiationDocument::of(&page.negotiation).map_err(Fault::from)?;
    let messages: Result<_, StorageError> = page.messages.iter().map(MessageDocument::of).collect();
    Ok(Json(NegotiationMessages {
        negotiation,
        messages: messages.map_err(Fault::from)?,
        next_cursor: page.next.map(MessageId::get),
    }))
}
