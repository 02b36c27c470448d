//! `DELETE /api/v1/agendas/{quantity}`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use planner::time::Span;
use serde::Deserialize;
use serde_json::json;
use utoipa::IntoParams;

use super::QuantityInPath;
use super::put::AgendaPut;
use crate::http::audit::AuditNote;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::agendas::AgendaService;

/// Of which span.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct WithdrawalQuery {
    /// RFC 3339.
    #[param(required = true)]
    pub from: Option<String>,
    /// RFC 3339, after `from`.
    #[param(required = true)]
    pub to: Option<String>,
}

/// Withdraws what an agenda says of a span
///
/// For suppliers and operators. A new revision says nothing of the span, so that it is a gap, over which nothing is
/// planned; where there are feeds, what they say counts there again within seconds. Every revision is kept: what was known stays
/// known as of then.
#[utoipa::path(
    delete,
    path = "/api/v1/agendas/{quantity}",
    tag = "grid",
    params(("quantity" = String, Path, description = "`price`, `co2` or `power-cap`"), WithdrawalQuery),
    responses(
        (status = OK, body = AgendaPut),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
    ),
)]
pub async fn withdraw_agenda(
    State(agendas): State<Arc<AgendaService>>,
    _: By,
    QuantityInPath(quantity): QuantityInPath,
    Parameters(parameters): Parameters<WithdrawalQuery>,
) -> Result<(Extension<AuditNote>, Json<AgendaPut>), Problem> {
    let instant = |name: &str, text: Option<&str>| {
        let missing = || Problem::invalid_parameter(name, "must be given, as an instant");
        query::instant(name, text)?.ok_or_else(missing)
    };
    let from = instant("from", parameters.from.as_deref())?;
    let to = instant("to", parameters.to.as_deref())?;
    let after = || Problem::invalid_parameter("to", "must be after from");
    let span = Span::new(from, to).ok_or_else(after)?;
    let put = AgendaPut::from(agendas.withdraw_agenda(quantity, span).await?);
    let note = AuditNote::of_change(None, Some(json!(put)));
    Ok((Extension(note), Json(put)))
}
