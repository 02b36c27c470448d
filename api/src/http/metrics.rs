//! `GET /metrics`: what monitors want to know, as Prometheus text.
//!
//! For operators: what a cluster books and when its supplier fails is nobody else's business.
//! Prometheus sends the token of one where its `authorization` says so; without tokens the one local
//! user may read it.

use std::sync::OnceLock;

use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use metrics::gauge;
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};

use super::App;
use super::caller::{By, Operators};
use super::problem::Problem;
use crate::service::Service;

/// Where counters and histograms are kept; one for the process.
static RECORDED: OnceLock<PrometheusHandle> = OnceLock::new();

/// From half a millisecond to the usual time limit.
const PLAN_SECONDS: [f64; 12] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0];

/// Begins to record.
///
/// # Errors
/// Only where buckets are wrong; a recorder that is there already stays.
pub fn record() -> Result<(), BuildError> {
    let plans = Matcher::Full("wattbook_plan_duration_seconds".to_owned());
    let builder = PrometheusBuilder::new().set_buckets_for_metric(plans, &PLAN_SECONDS)?;
    let recorder = builder.build_recorder();
    let handle = recorder.handle();
    if metrics::set_global_recorder(recorder).is_ok() {
        describe();
        RECORDED.get_or_init(|| handle);
    }
    Ok(())
}

/// Sums up what was recorded since the last time: histograms keep every value until then, whether
/// anybody asks for them or not.
pub fn sum_up() {
    if let Some(handle) = RECORDED.get() {
        handle.run_upkeep();
    }
}

fn describe() {
    use metrics::{describe_counter, describe_gauge, describe_histogram};
    describe_counter!("wattbook_quotes_total", "Quotes asked for.");
    describe_counter!("wattbook_proposals_total", "Reservations proposed.");
    describe_counter!("wattbook_confirmations_total", "Choices that succeeded.");
    describe_histogram!(
        "wattbook_plan_duration_seconds",
        "Time of a plan, its wait for a thread included."
    );
    describe_gauge!("wattbook_book_reservations", "Reservations that hold nodes.");
    describe_gauge!("wattbook_book_held", "Reservations of which no offer is chosen yet.");
    describe_counter!("wattbook_feed_requests_total", "Requests to suppliers by this process.");
    describe_counter!(
        "wattbook_feed_failures_total",
        "Polls of this process that failed, by class."
    );
    describe_gauge!("wattbook_feed_up", "Whether the source is heard of and fresh.");
    describe_gauge!("wattbook_feed_age_seconds", "Since the source last answered.");
    describe_gauge!(
        "wattbook_feed_horizon_seconds",
        "How far ahead the source reaches; negative where it ends in the past."
    );
    describe_gauge!(
        "wattbook_agenda_horizon_seconds",
        "How far ahead the agenda in force reaches."
    );
    describe_gauge!("wattbook_agenda_gap_seconds", "Time ahead without a value.");
    describe_counter!(
        "wattbook_webhook_messages_total",
        "Attempts of this process to tell webhooks events, by outcome."
    );
    describe_gauge!("wattbook_webhook_up", "Whether the last attempt went well.");
    describe_counter!(
        "wattbook_refused_total",
        "Connections and requests refused for a limit of connections, by limit."
    );
    describe_gauge!("wattbook_webhook_behind_events", "Events that the webhook has yet to pass.");
}

/// The route of the metrics, `/metrics`.
pub fn router() -> Router<App> {
    Router::new().route("/metrics", get(read))
}

async fn read(State(app): State<App>, by: By<Operators>) -> Result<Response, Problem> {
    let (reservations, held) = by.state.book_size();
    gauge!("wattbook_book_reservations").set(reservations as f64);
    gauge!("wattbook_book_held").set(held as f64);
    measure_feeds(&app.service).await?;
    measure_webhooks(&app.service).await?;
    sum_up();
    let text = RECORDED.get().map(PrometheusHandle::render);
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    Ok((kind, text.unwrap_or_default()).into_response())
}

async fn measure_webhooks(service: &Service) -> Result<(), Problem> {
    let (webhooks, newest) = service.webhooks().await?;
    for webhook in webhooks {
        let label = || [("webhook", webhook.settings.id.clone())];
        let up = f64::from(u8::from(webhook.status() == "ok"));
        gauge!("wattbook_webhook_up", &label()).set(up);
        let Some(state) = &webhook.state else { continue };
        let behind = newest.map_or(0, |newest| newest.get() - state.position.get());
        gauge!("wattbook_webhook_behind_events", &label()).set(behind as f64);
    }
    Ok(())
}

async fn measure_feeds(service: &Service) -> Result<(), Problem> {
    use crate::service::feeds::Status;
    let status = service.feeds_status().await?;
    let now = status.now;
    for feed in &status.feeds {
        let label = || [("feed", feed.id.clone()), ("quantity", feed.quantity.word().to_owned())];
        let up = matches!(feed.status, Status::Ok | Status::Failing);
        gauge!("wattbook_feed_up", &label()).set(f64::from(u8::from(up)));
        let Some(state) = &feed.state else { continue };
        if let Some(last) = state.last_success {
            gauge!("wattbook_feed_age_seconds", &label()).set((now - last).get() as f64);
        }
        if let Some(horizon) = state.horizon {
            gauge!("wattbook_feed_horizon_seconds", &label()).set((horizon - now).get() as f64);
        }
    }
    for agenda in &status.agendas {
        let label = || [("quantity", agenda.quantity.word())];
        let ahead = agenda.horizon.map_or(0, |horizon| (horizon - now).get());
        gauge!("wattbook_agenda_horizon_seconds", &label()).set(ahead as f64);
        let gaps: i64 = agenda.gaps.iter().map(|gap| gap.length().get()).sum();
        gauge!("wattbook_agenda_gap_seconds", &label()).set(gaps as f64);
    }
    Ok(())
}
