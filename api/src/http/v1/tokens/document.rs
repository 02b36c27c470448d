//! API tokens as JSON.

use axum::Extension;
use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use planner::rights::Action;
use planner::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use storage::{ApiToken, TokenId};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::clock::Clock;
use crate::http::audit::AuditNote;
use crate::http::caller::{Caller, Credential};
use crate::service::tokens::SecretToken;

/// An API token, without its secret.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct ApiTokenDocument {
    /// Sorts by creation.
    pub id: Uuid,
    /// Whose it is.
    #[schema(example = "ada")]
    pub owner: String,
    /// `user`, `operator` or `supplier`.
    #[schema(example = "user")]
    pub role: String,
    /// What it may do of what its role may; null for everything.
    #[schema(example = json!(["metrics.read"]))]
    pub actions: Option<Vec<String>>,
    /// `valid`, `expired` or `revoked`.
    #[schema(example = "valid")]
    pub state: String,
    /// Whether the request was sent with it.
    pub current: bool,
    /// RFC 3339.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// When it ends, or ended, by itself, RFC 3339; null where it does not.
    #[schema(format = DateTime)]
    pub expires_at: Option<String>,
    /// When it was used last, RFC 3339, to five minutes; null where it was not.
    #[schema(format = DateTime)]
    pub last_used_at: Option<String>,
    /// When it was revoked, RFC 3339; null where it was not.
    #[schema(format = DateTime)]
    pub revoked_at: Option<String>,
}

/// A new API token with its secret, which is told this once.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct ApiTokenWithSecret {
    /// What is sent with requests: `Authorization: Bearer SECRET`.
    pub secret: String,
    /// What is listed of it.
    #[serde(flatten)]
    pub token: ApiTokenDocument,
}

impl ApiTokenDocument {
    /// As its owner and operators see it.
    pub(super) fn new(token: &ApiToken, caller: &Caller) -> Self {
        let counts = token.counts_at(Clock::default().guarded().now());
        let state = match token.revoked {
            Some(_) => "revoked",
            None if counts => "valid",
            None => "expired",
        };
        Self {
            id: token.id.as_uuid(),
            owner: token.owner.clone(),
            role: token.role.word().to_owned(),
            actions: words(token),
            state: state.to_owned(),
            current: sent_with(caller) == Some(token.id),
            created_at: token.created.to_string(),
            expires_at: token.expires.as_ref().map(Timestamp::to_string),
            last_used_at: token.used.as_ref().map(Timestamp::to_string),
            revoked_at: token.revoked.as_ref().map(Timestamp::to_string),
        }
    }
}

/// The answer with a new token. Nobody between is to keep its secret.
pub(super) fn made(made: SecretToken, before: Option<Value>, caller: &Caller) -> Response {
    let SecretToken { secret, token } = made;
    let note = AuditNote::of_change(before, Some(audited(&token)));
    let note = note.about(format!("tokens/{}", token.id)).whose(&token.owner);
    let document = ApiTokenWithSecret { secret, token: ApiTokenDocument::new(&token, caller) };
    let kept = [(header::CACHE_CONTROL, "no-store")];
    (StatusCode::CREATED, kept, Extension(note), Json(document)).into_response()
}

/// What is recorded of a token.
pub(super) fn audited(token: &ApiToken) -> Value {
    json!({
        "id": token.id.to_string(),
        "role": token.role.word(),
        "actions": words(token),
        "expires_at": token.expires.as_ref().map(Timestamp::to_string),
        "revoked_at": token.revoked.as_ref().map(Timestamp::to_string),
    })
}

fn words(token: &ApiToken) -> Option<Vec<String>> {
    let actions = token.actions.as_ref()?;
    Some(actions.iter().copied().map(Action::word).map(str::to_owned).collect())
}

/// The token that a request was sent with.
fn sent_with(caller: &Caller) -> Option<TokenId> {
    match caller.credential {
        Credential::Token { id, .. } => Some(id),
        Credential::OnlyUser | Credential::SignedIn(_) => None,
    }
}
