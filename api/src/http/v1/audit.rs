//! `GET /api/v1/audit`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use planner::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use storage::{AuditEntry, AuditFilter, AuditRecord, microseconds};
use utoipa::{IntoParams, ToSchema};

use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::audit::AuditService;

/// Which records.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AuditQuery {
    /// From this instant on. RFC 3339.
    pub from: Option<String>,
    /// Before this instant. RFC 3339.
    pub to: Option<String>,
    /// By this user alone.
    pub actor: Option<String>,
    /// Of this action alone, such as `cancel_reservation`.
    pub action: Option<String>,
    /// About this object alone, such as `reservations/` and an id.
    pub object: Option<String>,
    /// Records in a page, 1 to 1000; 100 unless given.
    pub limit: Option<u16>,
    /// The `next_cursor` of the page before.
    pub cursor: Option<i64>,
    /// The same, as it was called before.
    pub after: Option<i64>,
}

/// A page of the audit trail.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct AuditPageDocument {
    /// In the order in which they were recorded.
    pub items: Vec<AuditItemDocument>,
    /// Where the next page starts; null on the last.
    pub next_cursor: Option<i64>,
    /// The same, as it was called before.
    pub next_after: Option<i64>,
}

/// A record and its number.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct AuditItemDocument {
    /// One more than that of the record before.
    pub id: i64,
    /// What was recorded.
    #[serde(flatten)]
    pub record: AuditRecordDocument,
}

/// What somebody did or read, with the hash of it and of the record before. Values that named somebody who was erased are
/// `erased:` and a digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditRecordDocument {
    /// When the request came. RFC 3339, to the microsecond.
    #[schema(example = "2026-03-01T06:00:00.000042Z")]
    pub at: String,
    /// Who did.
    pub actor: String,
    /// The issuer of their access token; empty for a token of ours.
    pub issuer: String,
    /// Whose it is that they did it to or read; empty where it is their own or nobody's, `*` for everybody's.
    pub r#for: String,
    /// The address that it came from.
    #[schema(example = "192.0.2.7")]
    pub from: String,
    /// What they did: the name that this document has for the operation.
    #[schema(example = "cancel_reservation")]
    pub action: String,
    /// What they did it to: a path below `/api/v1/`.
    pub object: String,
    /// What is known of the object before.
    #[schema(value_type = Option<Object>)]
    pub before: Value,
    /// What is known of the object after.
    #[schema(value_type = Option<Object>)]
    pub after: Value,
    /// The status, and the code where it is a problem; `abandoned` where nobody waited for the answer, `unknown` where the
    /// service was ended before there was one.
    #[schema(example = "200")]
    pub outcome: String,
    /// SHA-256, in hexadecimal digits.
    pub hash: String,
    /// The hash of the record before; zeros in the first.
    pub previous: String,
}

/// Who did or read what: requests that may change something, and reads of others' data
///
/// For operators. In the order in which they were recorded.
#[utoipa::path(
    get,
    path = "/api/v1/audit",
    tag = "people",
    params(AuditQuery),
    responses(
        (status = OK, body = AuditPageDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn list_audit_records(
    State(audit): State<Arc<AuditService>>,
    _: By,
    Parameters(parameters): Parameters<AuditQuery>,
) -> Result<Json<AuditPageDocument>, Problem> {
    let instant_us = |name, text: Option<String>| {
        let instant = query::instant(name, text.as_deref())?;
        Ok::<_, Problem>(
            instant.map(|it: Timestamp| it.as_unix_seconds().saturating_mul(1_000_000)),
        )
    };
    let filter = AuditFilter {
        from_us: instant_us("from", parameters.from)?,
        to_us: instant_us("to", parameters.to)?,
        actor: query::name("actor", parameters.actor)?,
        action: query::name("action", parameters.action)?,
        object: query::name("object", parameters.object)?,
        after: match (parameters.cursor, parameters.after) {
            (Some(_), Some(_)) => {
                let detail =
                    "is there, and so is after, as it was called before; leave out one of them";
                return Err(Problem::invalid_parameter("cursor", detail));
            }
            (cursor, after) => cursor.or(after).unwrap_or_default(),
        },
        limit: query::limit(parameters.limit, 100, 1000)?.into(),
    };
    let page = audit.records(filter).await?;
    let item = |record: AuditRecord| AuditItemDocument { id: record.id, record: record.into() };
    Ok(Json(AuditPageDocument {
        items: page.records.into_iter().map(item).collect(),
        next_cursor: page.next,
        next_after: page.next,
    }))
}

impl From<AuditRecord> for AuditRecordDocument {
    fn from(AuditRecord { entry, hash, previous, .. }: AuditRecord) -> Self {
        let state = |text: Option<String>| {
            text.and_then(|it| serde_json::from_str(&it).ok()).unwrap_or_default()
        };
        Self {
            at: entry.at(),
            actor: entry.actor,
            issuer: entry.issuer,
            r#for: entry.acting_for,
            from: entry.source,
            action: entry.action,
            object: entry.object,
            before: state(entry.before),
            after: state(entry.after),
            outcome: entry.outcome,
            hash,
            previous,
        }
    }
}

impl AuditRecordDocument {
    /// What the hash is of; `None` where the instant is not written as records write it.
    pub fn entry(&self) -> Option<AuditEntry> {
        let state = |state: &Value| (!state.is_null()).then(|| state.to_string());
        Some(AuditEntry {
            at_us: microseconds(&self.at)?,
            actor: self.actor.clone(),
            issuer: self.issuer.clone(),
            acting_for: self.r#for.clone(),
            source: self.from.clone(),
            action: self.action.clone(),
            object: self.object.clone(),
            before: state(&self.before),
            after: state(&self.after),
            outcome: self.outcome.clone(),
        })
    }
}
