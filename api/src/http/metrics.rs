//! `GET /metrics`: what monitors want to know, as Prometheus text.
//!
//! For operators: what a cluster books and when its supplier fails is nobody else's business.
//! Prometheus sends the token of one where its `authorization` says so; without tokens the one local
//! user may read it.

use std::fmt::Write;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use metrics::gauge;

use super::App;
use super::by::By;
use super::problem::Problem;
use crate::recorder;
use crate::service::feeds::{FeedService, Status};
use crate::service::live_power::{LivePower, LivePowerService, NodesPower, ReservationPower};
use crate::service::notifications::NotificationService;
use crate::service::webhooks::WebhookService;

/// The route of the metrics, `/metrics`.
pub fn router() -> Router<App> {
    Router::new().route("/metrics", get(read))
}

async fn read(
    State(feeds): State<Arc<FeedService>>,
    State(webhooks): State<Arc<WebhookService>>,
    State(notifications): State<Arc<NotificationService>>,
    State(live): State<Arc<LivePowerService>>,
    by: By,
) -> Result<Response, Problem> {
    let (reservations, held) = by.state.book_size();
    gauge!("wattbook_book_reservations").set(reservations as f64);
    gauge!("wattbook_book_held").set(held as f64);
    measure_feeds(&feeds).await?;
    measure_webhooks(&webhooks).await?;
    if notifications.sends_mails() {
        gauge!("wattbook_mails_waiting").set(notifications.waiting_mails().await? as f64);
    }
    let power = live.power(by.caller.access()).await?;
    measure_power(&power);
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    let text = recorder::text() + &power_of_reservations(&power.reservations);
    Ok((kind, text).into_response())
}

/// One gauge of a reservation: its name, what it is, and its value.
type OfReservation = (&'static str, &'static str, fn(&NodesPower) -> f64);

const OF_RESERVATIONS: [OfReservation; 4] = [
    ("measured_nodes", "Nodes of the reservation with a fresh sample.", |it| {
        it.measured_nodes.into()
    }),
    ("measured_power_watts", "What these draw together.", |it| it.measured.as_watts()),
    ("planned_of_measured_watts", "What was planned of these.", |it| {
        it.planned_of_measured.as_watts()
    }),
    ("planned_power_watts", "What was planned of all of its nodes for now.", |it| {
        it.planned.as_watts()
    }),
];

/// Power by reservation, as Prometheus text. It is written anew each time: the recorder would keep reservations that have
/// ended.
fn power_of_reservations(reservations: &[ReservationPower]) -> String {
    let mut text = String::new();
    if reservations.is_empty() {
        return text;
    }
    for (name, help, value) in OF_RESERVATIONS {
        let name = format!("wattbook_reservation_{name}");
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge");
        for ReservationPower { id, power, .. } in reservations {
            let _ = writeln!(text, "{name}{{reservation=\"{id}\"}} {}", value(power));
        }
    }
    text
}

fn measure_power(power: &LivePower) {
    let all = [("", &power.cluster)];
    let parts = power.partitions.iter().map(|(partition, power)| (partition.as_str(), power));
    for (partition, power) in all.into_iter().chain(parts) {
        let label = || [("partition", partition.to_owned())];
        gauge!("wattbook_measured_nodes", &label()).set(f64::from(power.measured_nodes));
        gauge!("wattbook_measured_power_watts", &label()).set(power.measured.as_watts());
        gauge!("wattbook_planned_power_watts", &label()).set(power.planned.as_watts());
        let of_measured = power.planned_of_measured.as_watts();
        gauge!("wattbook_planned_of_measured_watts", &label()).set(of_measured);
    }
    if let Some(site) = power.site {
        gauge!("wattbook_site_power_watts").set(site.as_watts());
    }
    if let Some(cap) = power.cap {
        gauge!("wattbook_power_cap_watts").set(cap.as_watts());
    }
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
