//! `POST /api/v1/calibrations`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use super::super::schema::SampleDocument;
use super::CalibrationDocument;
use crate::http::body::Body;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::service::cluster::ClusterService;
use crate::service::shared::blocking;

/// What a calibration led to.
#[derive(Serialize, ToSchema)]
pub struct Calibrated {
    /// The new calibration epoch.
    pub epoch: i64,
    /// The nodes that were measured.
    pub calibrations: Vec<CalibrationDocument>,
}

/// Calibrates nodes from power samples
///
/// For operators. JSON, or CSV with the columns `node`, `measured_at`, `load` (`idle` or `max`) and
/// `power_w`. Idle power is the median and maximum power the largest of the samples kept; samples
/// further than three scaled median absolute deviations from the median are left out (Hampel). The
/// nodes measured change together; the others keep their powers.
#[utoipa::path(
    post,
    path = "/api/v1/calibrations",
    tag = "cluster",
    request_body(content((Vec<SampleDocument> = "application/json"), (String = "text/csv"))),
    responses(
        (status = CREATED, body = Calibrated),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
    ),
)]
pub async fn create_calibration(
    State(cluster): State<Arc<ClusterService>>,
    _: By,
    body: Body,
) -> Result<(StatusCode, Json<Calibrated>), Problem> {
    let samples = blocking(move || {
        body.read(grid_feeds::power_samples_json, grid_feeds::table::power_samples)
    })
    .await??;
    let calibrated = cluster.calibrate(samples).await?;
    let calibrations = calibrated.nodes.iter().map(CalibrationDocument::from).collect();
    Ok((StatusCode::CREATED, Json(Calibrated { epoch: calibrated.epoch.get(), calibrations })))
}
