//! Where measurements are kept: counters and histograms of what this process does.

mod descriptions;

use std::sync::OnceLock;
use std::time::Duration;

use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use tokio_util::sync::CancellationToken;

/// Where counters and histograms are kept; one for the process.
static RECORDED: OnceLock<PrometheusHandle> = OnceLock::new();

/// From half a millisecond to the usual time limit.
const PLAN_SECONDS: [f64; 12] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0];

/// Of requests most take milliseconds, and few wait for a plan or for the database.
const REQUEST_SECONDS: [f64; 6] = [0.005, 0.025, 0.1, 0.5, 2.5, 10.0];

/// Begins to record.
///
/// # Errors
/// Only where buckets are wrong; a recorder that is there already stays.
pub fn record() -> Result<(), BuildError> {
    let plans = Matcher::Full("wattbook_plan_duration_seconds".to_owned());
    let requests = Matcher::Full("wattbook_http_request_duration_seconds".to_owned());
    let builder = PrometheusBuilder::new()
        .set_buckets_for_metric(plans, &PLAN_SECONDS)?
        .set_buckets_for_metric(requests, &REQUEST_SECONDS)?;
    let recorder = builder.build_recorder();
    let handle = recorder.handle();
    if metrics::set_global_recorder(recorder).is_ok() {
        descriptions::describe();
        RECORDED.get_or_init(|| handle);
    }
    Ok(())
}

/// How often it is summed up.
pub const SUM_UP: Duration = Duration::from_secs(1);

/// Sums up what was recorded now and again, until told to stop: histograms keep every value until
/// then, whether anybody asks for them or not.
pub async fn keep_summing_up(stop: CancellationToken) {
    loop {
        sum_up();
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(SUM_UP) => {}
        }
    }
}

/// What was recorded, as Prometheus text; nothing before it is recorded.
pub fn text() -> String {
    sum_up();
    RECORDED.get().map(PrometheusHandle::render).unwrap_or_default()
}

fn sum_up() {
    if let Some(handle) = RECORDED.get() {
        handle.run_upkeep();
    }
}
