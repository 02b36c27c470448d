//! `GET /api/v1/agendas/{quantity}`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use planner::agenda::{Agenda, Piece};
use planner::decimal::format_millionths;
use planner::json::co2_accounting::Co2AccountingDocument;
use planner::time::{Span, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value, json};
use storage::Quantity;
use utoipa::{IntoParams, ToSchema};

use super::super::schema::AgendaPiece;
use super::QuantityInPath;
use super::accounting::is_other;
use crate::clock::Clock;
use crate::config::Settings;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::feeds::{FeedService, LONGEST_OTHER_CO2};
use crate::service::shared::Fault;
use crate::service::shared::provenance::{Co2Accounting, KnownPiece, common_accounting};

/// Which span, known when.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AgendaQuery {
    /// RFC 3339; now unless given.
    pub from: Option<String>,
    /// RFC 3339; a day after `from` unless given.
    pub to: Option<String>,
    /// What was known at this instant, RFC 3339; what is known now unless given.
    pub as_of: Option<String>,
    /// Of CO2: `average` or `marginal`; as plans count it unless given. The other one is known where the settings name sources
    /// of it, and told of 31 days at the most.
    pub accounting: Option<String>,
}

/// An agenda over a span.
#[derive(Serialize, ToSchema)]
pub struct AgendaDocument {
    /// `price`, `co2` or `power_cap`.
    pub quantity: &'static str,
    /// The unit of the values.
    #[schema(example = "EUR/MWh")]
    pub unit: String,
    /// Of CO2: how it is counted; absent of other quantities, and where that is not known, or not the same for all pieces:
    /// `provenance` says it of each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub co2_accounting: Option<Co2AccountingDocument>,
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub from: Timestamp,
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub to: Timestamp,
    /// The pieces that touch the span, as they may be put; with `as_of` trimmed to the span.
    #[schema(value_type = Vec<AgendaPiece>)]
    pub pieces: Vec<Value>,
    /// What the pieces rest on, in time order: neighbours of which the same can be said are one.
    pub provenance: Vec<ProvenanceDocument>,
    /// The parts of the span without a value.
    pub gaps: Vec<Gap>,
}

/// What pieces rest on.
#[derive(Serialize, ToSchema)]
pub struct ProvenanceDocument {
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub start: Timestamp,
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub end: Timestamp,
    /// The name of the source; empty for what the site made itself.
    #[schema(example = "entsoe-fr")]
    pub source: String,
    /// `put`, `fresh`, `last_good`, `contract`, `forecast` or `safe_mode`.
    #[schema(example = "fresh")]
    pub standing: &'static str,
    /// `measured`, `forecast` or `estimated`.
    #[schema(example = "measured")]
    pub quality: &'static str,
    /// When the supplier says it issued the values, RFC 3339.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub issued_at: Option<Timestamp>,
    /// When the values were first received, RFC 3339.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub received_at: Option<Timestamp>,
    /// Of CO2: how it is counted; absent of other quantities, and where nobody said it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub co2_accounting: Option<Co2AccountingDocument>,
    /// Of an estimate of the site: what the value will probably not fall below, in its unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// And not exceed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
}

/// A part of the span without a value.
#[derive(Serialize, ToSchema)]
pub struct Gap {
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub start: Timestamp,
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub end: Timestamp,
}

/// An agenda over a span, now or as it was known at an earlier instant
///
/// For users, operators and suppliers. JSON, or CSV where the Accept header asks for `text/csv`.
#[utoipa::path(
    get,
    path = "/api/v1/agendas/{quantity}",
    tag = "grid",
    params(("quantity" = String, Path, description = "`price`, `co2` or `power-cap`"), AgendaQuery),
    responses(
        (status = OK, content((AgendaDocument = "application/json"), (String = "text/csv"))),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = NOT_FOUND, body = Problem),
    ),
)]
pub async fn get_agenda(
    State(feeds): State<Arc<FeedService>>,
    State(clock): State<Clock>,
    State(settings): State<Arc<Settings>>,
    by: By,
    QuantityInPath(quantity): QuantityInPath,
    Parameters(parameters): Parameters<AgendaQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (from, to) = (parameters.from.as_deref(), parameters.to.as_deref());
    let span = query::span(from, to, clock.now())?;
    let as_of = query::instant("as_of", parameters.as_of.as_deref())?;
    let other = match parameters.accounting.as_deref() {
        Some(_) if quantity != Quantity::Co2 => {
            return Err(Problem::not_found("such agenda; only co2 has an accounting"));
        }
        Some(word) if is_other(word, &settings, &by.state)? => {
            if span.length() > LONGEST_OTHER_CO2 {
                let message = "must be at most 31 days after from with the other accounting; ask month by month";
                return Err(Problem::invalid_parameter("to", message));
            }
            feeds.other_co2(span, as_of).await?
        }
        _ => None,
    };
    let known = match (other, by.as_of) {
        (Some(other), _) => other,
        (None, Some(kept)) if as_of.is_none() && span.start() >= kept => {
            feeds.agendas().kept_agenda(quantity, span, &by.state).await?
        }
        (None, _) => feeds.agendas().known_agenda(quantity, span, as_of).await?,
    };
    let agenda = Agenda::new(known.iter().map(|known| known.piece).collect());
    let agenda = agenda.map_err(Fault::internal)?;
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    if accept.is_some_and(|accept| accept.contains("text/csv")) {
        let kind = [(header::CONTENT_TYPE, "text/csv; charset=utf-8")];
        let table = grid_feeds::table::write_agenda(&agenda, value_name(quantity));
        return Ok((kind, table).into_response());
    }
    let unit = unit(quantity, &settings);
    let document = AgendaDocument {
        quantity: quantity.word(),
        unit,
        co2_accounting: common_accounting(&known),
        from: span.start(),
        to: span.end(),
        pieces: known.iter().map(|known| document(quantity, known.piece)).collect(),
        provenance: provenance(&known),
        gaps: gaps(&agenda, span),
    };
    Ok(Json(document).into_response())
}

const fn value_name(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Price => "price_per_mwh",
        Quantity::Co2 => "intensity_g_per_kwh",
        Quantity::PowerCap => "cap_w",
    }
}

/// The unit of the values of a quantity.
pub fn unit(quantity: Quantity, settings: &Settings) -> String {
    match quantity {
        Quantity::Price => format!("{}/MWh", settings.currency),
        Quantity::Co2 => "g/kWh".to_owned(),
        Quantity::PowerCap => "W".to_owned(),
    }
}

/// Millionths have at most 19 digits: the nearest double prints as the same decimal up to 15.
pub fn number(exact: i64) -> Option<f64> {
    format_millionths(exact).parse().ok()
}

fn document(quantity: Quantity, Piece { span, value }: Piece<i64>) -> Value {
    let value = number(value).and_then(Number::from_f64);
    json!({ "start": span.start(), "end": span.end(), value_name(quantity): value })
}

fn provenance(known: &[KnownPiece]) -> Vec<ProvenanceDocument> {
    let same = |one: &KnownPiece, next: &KnownPiece| {
        one.origin == next.origin
            && one.band == next.band
            && one.piece.span.end() == next.piece.span.start()
    };
    let run = |run: &[KnownPiece]| {
        let (first, last) = (run.first()?, run.last()?);
        let origin = &first.origin;
        Some(ProvenanceDocument {
            start: first.piece.span.start(),
            end: last.piece.span.end(),
            source: origin.source.clone(),
            standing: origin.kind.word(),
            quality: origin.quality.word(),
            issued_at: origin.issued,
            received_at: origin.received,
            co2_accounting: origin.co2_accounting.map(Co2Accounting::document),
            low: first.band.and_then(|(low, _)| number(low)),
            high: first.band.and_then(|(_, high)| number(high)),
        })
    };
    known.chunk_by(same).filter_map(run).collect()
}

fn gaps(agenda: &Agenda<i64>, span: Span) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let mut rest = Some(span);
    while let Some(gap) = rest.and_then(|rest| agenda.first_gap(rest)) {
        gaps.push(Gap { start: gap.start(), end: gap.end() });
        rest = Span::new(gap.end(), span.end());
    }
    gaps
}
