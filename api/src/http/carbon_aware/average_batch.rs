//! `POST /emissions/average-carbon-intensity/batch`

use axum::Json;
use axum::extract::State;

use super::Site;
use super::average::{Average, AveragePeriod, average_over};
use super::body::Batch;
use super::error::SdkError;
use crate::http::by::By;

/// The mean intensity of each `location`, `startTime` and `endTime`, in their order.
pub async fn average_batch(
    State(site): State<Site>,
    _: By,
    batch: Batch,
) -> Result<Json<Vec<Average>>, SdkError> {
    let periods = batch.read(|item| AveragePeriod {
        location: item.text("location"),
        start: item.time("startTime"),
        end: item.time("endTime"),
    })?;
    let mut averages = Vec::with_capacity(periods.len());
    for period in periods {
        averages.push(average_over(&site, period).await?);
    }
    Ok(Json(averages))
}
