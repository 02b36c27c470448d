//! `PUT /api/v1/agendas/{quantity}`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use planner::json::{agendas, read};
use planner::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;
use storage::{AgendaMeta, Quantity};
use utoipa::{IntoParams, ToSchema};

use super::super::schema::AgendaPiece;
use super::QuantityInPath;
use crate::config::Settings;
use crate::http::audit::AuditNote;
use crate::http::body::Body;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::agendas::{AgendaService, AgendaUpdate, PutAgenda};

/// Where the agenda comes from.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ProvenanceQuery {
    /// The feed's name; `api` unless given.
    pub source: Option<String>,
    /// When the supplier issued it, RFC 3339.
    pub issued_at: Option<String>,
    /// For CO2 `average` or `marginal`; `average` unless given.
    pub kind: Option<String>,
    /// For CO2 `direct` (of burning the fuel) or `life-cycle`; as the agenda has them unless given.
    pub factors: Option<String>,
    /// `measured`, `forecast` or `estimated`; `forecast` unless given.
    pub quality: Option<String>,
    /// Of prices; must be the site's currency.
    pub currency: Option<String>,
}

/// What a put of an agenda, or a withdrawal, did.
#[derive(Serialize, ToSchema)]
pub struct AgendaPut {
    /// The new revision.
    pub revision_id: i64,
    /// From here ...
    #[schema(value_type = String, format = DateTime)]
    pub start: Timestamp,
    /// ... to here it replaced what was known; gaps inside are gaps now.
    #[schema(value_type = String, format = DateTime)]
    pub end: Timestamp,
    /// How many pieces it has; none where it says nothing of the span.
    pub pieces: usize,
}

impl From<AgendaUpdate> for AgendaPut {
    fn from(update: AgendaUpdate) -> Self {
        Self {
            revision_id: update.revision.get(),
            start: update.span.start(),
            end: update.span.end(),
            pieces: update.pieces,
        }
    }
}

/// Replaces the span that an agenda covers
///
/// For suppliers and operators. JSON, or CSV with the columns `start`, `end` and the value's name:
/// `price_per_mwh`, `intensity_g_per_kwh` or `cap_w`. Every revision is kept.
#[utoipa::path(
    put,
    path = "/api/v1/agendas/{quantity}",
    tag = "grid",
    params(("quantity" = String, Path, description = "`price`, `co2` or `power-cap`"), ProvenanceQuery),
    request_body(content((Vec<AgendaPiece> = "application/json"), (String = "text/csv"))),
    responses(
        (status = OK, body = AgendaPut),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
    ),
)]
pub async fn put_agenda(
    State(agendas): State<Arc<AgendaService>>,
    State(settings): State<Arc<Settings>>,
    _: By,
    QuantityInPath(quantity): QuantityInPath,
    Parameters(provenance): Parameters<ProvenanceQuery>,
    body: Body,
) -> Result<(Extension<AuditNote>, Json<AgendaPut>), Problem> {
    let meta = meta(&provenance, quantity, settings.currency.code())?;
    let agenda = read_agenda(&body, quantity)?;
    let put = AgendaPut::from(agendas.put_agenda(&agenda, &meta).await?);
    let note = AuditNote::of_change(None, Some(json!(put)));
    Ok((Extension(note), Json(put)))
}

fn read_agenda(body: &Body, quantity: Quantity) -> Result<PutAgenda, Problem> {
    use grid_feeds::table;
    Ok(match quantity {
        Quantity::Price => {
            let json = |text: &str| read(text, agendas::price);
            PutAgenda::Price(body.read(json, table::price_agenda)?)
        }
        Quantity::Co2 => {
            let json = |text: &str| read(text, agendas::co2);
            PutAgenda::Co2(body.read(json, table::co2_agenda)?)
        }
        Quantity::PowerCap => {
            let json = |text: &str| read(text, agendas::power_cap);
            PutAgenda::PowerCap(body.read(json, table::power_cap_agenda)?)
        }
    })
}

fn meta(
    provenance: &ProvenanceQuery,
    quantity: Quantity,
    site_currency: &str,
) -> Result<AgendaMeta, Problem> {
    if let Some(currency) = provenance.currency.as_deref() {
        if quantity != Quantity::Price {
            return Err(Problem::invalid_parameter("currency", "only prices have a currency"));
        }
        if currency != site_currency {
            let message = format!("must be the site's currency, {site_currency}");
            return Err(Problem::invalid_parameter("currency", message));
        }
    }
    let word = |name: &str, given: Option<&str>, known: &[&str], default: &str| match given {
        None => Ok(default.to_owned()),
        Some(word) if known.contains(&word) => Ok(word.to_owned()),
        Some(_) => {
            let message = format!("must be one of {}", known.join(", "));
            Err(Problem::invalid_parameter(name, message))
        }
    };
    let source = query::name("source", provenance.source.clone())?;
    let mut kind = word("kind", provenance.kind.as_deref(), &["average", "marginal"], "average")?;
    if let Some(factors) = provenance.factors.as_deref() {
        if quantity != Quantity::Co2 {
            return Err(Problem::invalid_parameter("factors", "only CO2 has factors"));
        }
        let factors = word("factors", Some(factors), &["direct", "life-cycle"], "")?;
        kind = format!("{kind} {factors}");
    }
    Ok(AgendaMeta {
        source: source.unwrap_or_else(|| "api".to_owned()),
        kind,
        quality: word(
            "quality",
            provenance.quality.as_deref(),
            &["measured", "forecast", "estimated"],
            "forecast",
        )?,
        issued: query::instant("issued_at", provenance.issued_at.as_deref())?,
    })
}
