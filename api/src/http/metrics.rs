//! `GET /metrics`: what monitors want to know, as Prometheus text.
//!
//! For operators: what a cluster books and when its supplier fails is nobody else's business.
//! Prometheus sends the token of one where its `authorization` says so; without tokens the one local
//! user may read it.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use metrics::gauge;

use super::App;
use super::caller::{By, Operators};
use super::problem::Problem;
use crate::recorder;
use crate::service::feeds::{FeedService, Status};
use crate::service::webhooks::WebhookService;

/// The route of the metrics, `/metrics`.
pub fn router() -> Router<App> {
    Router::new().route("/metrics", get(read))
}

async fn read(
    State(feeds): State<Arc<FeedService>>,
    State(webhooks): State<Arc<WebhookService>>,
    by: By<Operators>,
) -> Result<Response, Problem> {
    let (reservations, held) = by.state.book_size();
    gauge!("wattbook_book_reservations").set(reservations as f64);
    gauge!("wattbook_book_held").set(held as f64);
    measure_feeds(&feeds).await?;
    measure_webhooks(&webhooks).await?;
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    Ok((kind, recorder::text()).into_response())
}

async fn measure_webhooks(service: &WebhookService) -> Result<(), Problem> {
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

async fn measure_feeds(service: &FeedService) -> Result<(), Problem> {
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
