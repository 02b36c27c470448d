//! `GET /api/v1/agendas/{quantity}/agreement`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use grid_feeds::agreement::SourceRecord;
use planner::time::{Seconds, Span, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::QuantityInPath;
use super::get::{number, unit};
use crate::clock::Clock;
use crate::config::Settings;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::feeds::{FeedService, LONGEST_JUDGED};

const WEEK: Seconds = Seconds::new(7 * 86_400);

/// Which span.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AgreementQuery {
    /// RFC 3339; a week before `to` unless given.
    pub from: Option<String>,
    /// RFC 3339, at most 62 days after `from`; now unless given.
    pub to: Option<String>,
}

/// How the sources of an agenda did over a span.
#[derive(Serialize, ToSchema)]
pub struct AgreementDocument {
    /// `price`, `co2` or `power_cap`.
    #[schema(example = "co2")]
    pub quantity: &'static str,
    /// The unit of the errors.
    #[schema(example = "g/kWh")]
    pub unit: String,
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub from: Timestamp,
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub to: Timestamp,
    /// For how long two sources or more had said something and it is known what came true, seconds.
    pub judged_s: i64,
    /// How often sources disagreed in that time.
    pub disagreements: usize,
    /// For how long, seconds.
    pub apart_s: i64,
    /// In the order of the chain.
    pub sources: Vec<SourceRecordDocument>,
}

/// How a source did.
#[derive(Serialize, ToSchema)]
pub struct SourceRecordDocument {
    /// Its name in the settings.
    #[schema(example = "entsoe-fr")]
    pub source: String,
    /// For how long it is known what came true of what it had said when the time came, seconds.
    pub judged_s: i64,
    /// For how long of that this source itself says what came true, seconds: it errs there only by what it corrected.
    pub referee_s: i64,
    /// Mean of what it had said less what came true; null where nothing is judged.
    pub bias: Option<f64>,
    /// Mean absolute error; null where nothing is judged.
    pub mae: Option<f64>,
    /// In how many disagreements it was compared.
    pub disagreements: usize,
    /// In how many of them it was nearest to what came true; of equally near ones each counts.
    pub nearest: usize,
    /// Mean absolute error while sources disagreed; null where they did not.
    pub mae_apart: Option<f64>,
    /// What it usually said of what the first source said, where that counts as agreement; else 1.
    pub usual_ratio: Option<f64>,
}

/// Which source of an agenda was right, by what each had said and what came true
///
/// For operators. What came true is what the first source of the chain says now that says it is measured. Nothing is judged where
/// none does, and where no two sources had said anything.
#[utoipa::path(
    get,
    path = "/api/v1/agendas/{quantity}/agreement",
    tag = "grid",
    params(("quantity" = String, Path, description = "`price`, `co2` or `power-cap`"), AgreementQuery),
    responses(
        (status = OK, body = AgreementDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
    ),
)]
pub async fn get_agreement(
    State(feeds): State<Arc<FeedService>>,
    State(clock): State<Clock>,
    State(settings): State<Arc<Settings>>,
    _: By,
    QuantityInPath(quantity): QuantityInPath,
    Parameters(parameters): Parameters<AgreementQuery>,
) -> Result<Json<AgreementDocument>, Problem> {
    let to = query::instant("to", parameters.to.as_deref())?.unwrap_or_else(|| clock.now());
    let from = query::instant("from", parameters.from.as_deref())?;
    let from = from.unwrap_or_else(|| (to - WEEK).max(Timestamp::MIN));
    let span = Span::new(from, to)
        .ok_or_else(|| Problem::invalid_parameter("to", "must be after from"))?;
    if span.length() > LONGEST_JUDGED {
        return Err(Problem::invalid_parameter("to", "must be at most 62 days after from"));
    }
    let report = feeds.agreement(quantity, span).await?;
    let report = report.ok_or_else(|| Problem::not_found("agenda of sources"))?;
    Ok(Json(AgreementDocument {
        quantity: quantity.word(),
        unit: unit(quantity, &settings),
        from: span.start(),
        to: span.end(),
        judged_s: report.judged.get(),
        disagreements: report.disagreements,
        apart_s: report.apart.get(),
        sources: report.sources.into_iter().map(SourceRecordDocument::from).collect(),
    }))
}

impl From<SourceRecord> for SourceRecordDocument {
    fn from(record: SourceRecord) -> Self {
        Self {
            source: record.source.into(),
            judged_s: record.judged.get(),
            referee_s: record.referee.get(),
            bias: record.bias.and_then(number),
            mae: record.mean_error.and_then(number),
            disagreements: record.disagreements,
            nearest: record.nearest,
            mae_apart: record.apart_error.and_then(number),
            usual_ratio: number(record.usual_ratio),
        }
    }
}
