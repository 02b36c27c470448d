//! `GET /api/v1/meters`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use planner::time::Timestamp;
use serde::Serialize;
use storage::PolledMeter;
use utoipa::ToSchema;

use crate::http::by::By;
use crate::http::problem::Problem;
use crate::service::meters::{MeterService, MeterStatus};

/// The meters of the settings.
#[derive(Serialize, ToSchema)]
pub struct MetersDocument {
    /// In the order of the settings.
    pub meters: Vec<MeterDocument>,
}

/// A meter and how it stands.
#[derive(Serialize, ToSchema)]
pub struct MeterDocument {
    /// Its name in the settings.
    #[schema(example = "bmc")]
    pub id: String,
    /// Where its samples come from: `push`, `prometheus`, `redfish`, `ipmi` or `slurm`.
    #[schema(example = "prometheus")]
    pub kind: &'static str,
    /// What it measures the whole of: `node`, `component`, `rack` or `site`.
    #[schema(example = "node")]
    pub covers: &'static str,
    /// What its numbers are: `gauge`, `counter` or `difference`.
    #[schema(example = "gauge")]
    pub values: &'static str,
    /// The unit of its numbers as its source writes them.
    #[schema(example = "W")]
    pub unit: &'static str,
    /// How often a sample is expected, seconds.
    #[schema(example = 60)]
    pub period_s: i64,
    /// How it stands; null where its samples are sent, and before it was first asked.
    pub polled: Option<PolledMeterDocument>,
}

/// How a meter stands that is asked.
#[derive(Serialize, ToSchema)]
pub struct PolledMeterDocument {
    /// When it was last asked, RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub last_poll_at: Timestamp,
    /// When it last answered, RFC 3339.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_success_at: Option<Timestamp>,
    /// When it is asked next, RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub next_poll_at: Timestamp,
    /// All that it had before this instant was taken, RFC 3339; null where it has no history.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub asked_until: Option<Timestamp>,
    /// That the last poll failed, and why; null where it did not.
    pub failure: Option<MeterFailureDocument>,
    /// What of the last answer could not be used, in words.
    pub notes: Vec<String>,
    /// How often it was asked.
    pub polls: i64,
    /// How often it failed.
    pub failures: i64,
    /// What became of its samples.
    pub samples: MeterSamplesDocument,
}

/// That a poll failed.
#[derive(Serialize, ToSchema)]
pub struct MeterFailureDocument {
    /// When, RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// Why.
    pub because: String,
    /// How many polls failed in turn.
    pub in_turn: u32,
}

/// What became of the samples of a meter, all of them together.
#[derive(Serialize, ToSchema)]
pub struct MeterSamplesDocument {
    /// How many were kept.
    pub taken: i64,
    /// How many of these came after later ones.
    pub late: i64,
    /// How many had been kept before.
    pub doubled: i64,
    /// How many were refused.
    pub refused: i64,
}

/// The meters and how they stand
///
/// For operators. The list is empty where the settings name no meters.
#[utoipa::path(
    get,
    path = "/api/v1/meters",
    tag = "metering",
    responses(
        (status = OK, body = MetersDocument),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn list_meters(
    State(meters): State<Arc<MeterService>>,
    _: By,
) -> Result<Json<MetersDocument>, Problem> {
    let all = meters.meters().await?;
    Ok(Json(MetersDocument { meters: all.into_iter().map(MeterDocument::from).collect() }))
}

impl From<MeterStatus> for MeterDocument {
    fn from(MeterStatus { settings, polled }: MeterStatus) -> Self {
        let meter = &settings.meter;
        Self {
            id: meter.name.to_string(),
            kind: settings.source.kind(),
            covers: meter.covers.word(),
            values: meter.values.word(),
            unit: meter.unit.word(),
            period_s: meter.period.get(),
            polled: polled.map(PolledMeterDocument::from),
        }
    }
}

impl From<PolledMeter> for PolledMeterDocument {
    fn from(meter: PolledMeter) -> Self {
        let in_turn = meter.failures_in_turn;
        Self {
            last_poll_at: meter.last_poll,
            last_success_at: meter.last_success,
            next_poll_at: meter.next_poll,
            asked_until: meter.asked_until,
            failure: meter.failure.map(|(at, because)| MeterFailureDocument {
                at,
                because,
                in_turn,
            }),
            notes: meter.notes,
            polls: meter.polls,
            failures: meter.failures,
            samples: MeterSamplesDocument {
                taken: meter.taken,
                late: meter.late,
                doubled: meter.doubled,
                refused: meter.refused,
            },
        }
    }
}
