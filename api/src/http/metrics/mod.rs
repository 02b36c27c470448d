//! `GET /metrics`: what monitors want to know, as Prometheus text.
//!
//! For operators: what a cluster books and when its supplier fails is nobody else's business.
//! Prometheus sends the token of one where its `authorization` says so; without tokens the one local
//! user may read it.

mod gauges;
mod readings;

use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::App;
use super::by::By;
use super::problem::Problem;
use crate::recorder;
use crate::service::feeds::{FeedService, Status};
use crate::service::ledger::LedgerService;
use crate::service::live_power::{LivePower, ReservationPower};
use crate::service::meters::MeterService;
use crate::service::other_sites::OtherSiteService;
use crate::service::readiness::ReadinessService;
use crate::service::shared::{Fault, HeldReading, Shared, SiteState};
use crate::service::webhooks::WebhookService;
use readings::Readings;

/// A database that takes longer to write is not ready: metrics are told nevertheless.
const READY_WITHIN: Duration = Duration::from_secs(2);

/// The route of the metrics, `/metrics`.
pub fn router() -> Router<App> {
    Router::new().route("/metrics", get(read))
}

async fn read(State(App { services, .. }): State<App>, by: By) -> Result<Response, Problem> {
    let mut readings = Readings::default();
    read_process(&services.shared, &mut readings);
    read_held(&services.shared, &mut readings);
    read_other_sites(&services.other_sites, &mut readings);
    read_readiness(&services.readiness, &mut readings).await;
    read_book(&by.state, &mut readings);
    read_feeds(&services.feeds, &by.state, &mut readings).await?;
    read_webhooks(&services.webhooks, &mut readings).await?;
    if services.notifications.sends_mails() {
        let waiting = services.notifications.waiting_mails().await?;
        readings.set(&gauges::MAILS_WAITING, [], waiting as f64);
    }
    let power = services.live_power.power(by.caller.access()).await?;
    read_power(&power, &mut readings);
    read_reservations(&power.reservations, &mut readings);
    read_meters(&services.meters, &mut readings).await?;
    read_ledger(&services.ledger, &mut readings).await?;
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    Ok((kind, recorder::text() + &readings.into_text()).into_response())
}

fn number(is: bool) -> f64 {
    f64::from(u8::from(is))
}

fn read_process(shared: &Shared, readings: &mut Readings) {
    readings.set(&gauges::BUILD_INFO, [env!("CARGO_PKG_VERSION")], 1.0);
    let jumped = shared.clock.jump().map_or(0, |jump| jump.by_s);
    readings.set(&gauges::CLOCK_JUMP, [], jumped as f64);
    for (lease, held) in shared.leases.kept() {
        readings.set(&gauges::LEASE_HELD, [lease], number(held));
    }
    let (plans, bookings) = (shared.pool.plans(), shared.pool.bookings());
    readings.set(&gauges::PLANS_RUNNING, [], plans.taken as f64);
    readings.set(&gauges::PLANS_WAITING, [], plans.waiting as f64);
    readings.set(&gauges::BOOKINGS_RUNNING, [], bookings.taken as f64);
    readings.set(&gauges::BOOKINGS_WAITING, [], bookings.waiting as f64);
}

fn read_held(shared: &Shared, readings: &mut Readings) {
    for (what, value) in shared.held_readings.of_held(&shared.leases) {
        match what {
            HeldReading::FeedUnread(feed) => readings.set(&gauges::FEED_UNREAD, [&feed], value),
            HeldReading::SupplierUnread => readings.set(&gauges::SUPPLIER_UNREAD, [], value),
            HeldReading::ManagedReservations(state) => {
                readings.set(&gauges::SLURM_RESERVATIONS, [state.word()], value);
            }
            HeldReading::ManagerClock => readings.set(&gauges::SLURM_CLOCK, [], value),
        }
    }
}

fn read_other_sites(service: &OtherSiteService, readings: &mut Readings) {
    for (site, reach) in service.reaches() {
        readings.set(&gauges::OTHER_SITE_UP, [site], number(reach.answers));
        if let Some(age) = reach.age {
            readings.set(&gauges::OTHER_SITE_AGE, [site], age.as_secs_f64());
        }
    }
}

async fn read_readiness(service: &ReadinessService, readings: &mut Readings) {
    let ready = tokio::time::timeout(READY_WITHIN, service.ready()).await;
    readings.set(&gauges::READY, [], number(matches!(ready, Ok(Ok(())))));
}

fn read_book(state: &SiteState, readings: &mut Readings) {
    let (reservations, held) = state.book_size();
    readings.set(&gauges::BOOK_RESERVATIONS, [], reservations as f64);
    readings.set(&gauges::BOOK_HELD, [], held as f64);
}

async fn read_feeds(
    service: &FeedService,
    state: &SiteState,
    readings: &mut Readings,
) -> Result<(), Fault> {
    let (now, feeds) = service.sources_status().await?;
    for feed in &feeds {
        let of = [&*feed.id, feed.quantity.word()];
        let up = matches!(feed.status, Status::Ok | Status::Failing);
        readings.set(&gauges::FEED_UP, of, number(up));
        let Some(known) = &feed.state else { continue };
        if let Some(last) = known.last_success {
            readings.set(&gauges::FEED_AGE, of, (now - last).get() as f64);
        }
        if let Some(horizon) = known.horizon {
            readings.set(&gauges::FEED_HORIZON, of, (horizon - now).get() as f64);
        }
    }
    for agreement in service.disagreements().await? {
        let apart: i64 = agreement.found.iter().map(|it| it.apart_for.get()).sum();
        readings.set(&gauges::FEED_DISAGREEMENT, [agreement.quantity.word()], apart as f64);
    }
    for reach in service.agenda_reaches(state, now) {
        let of = [reach.quantity.word()];
        let ahead = reach.horizon.map_or(0, |horizon| (horizon - now).get());
        readings.set(&gauges::AGENDA_HORIZON, of, ahead as f64);
        if let Some(due) = reach.due {
            readings.set(&gauges::AGENDA_DAYS_AHEAD, of, due.ahead.get() as f64);
            readings.set(&gauges::AGENDA_GAP, of, due.gap.get() as f64);
        }
    }
    Ok(())
}

async fn read_webhooks(service: &WebhookService, readings: &mut Readings) -> Result<(), Fault> {
    let (webhooks, newest) = service.webhooks().await?;
    for webhook in webhooks {
        let of = [&*webhook.settings.id];
        readings.set(&gauges::WEBHOOK_UP, of, number(webhook.status() == "ok"));
        let Some(state) = &webhook.state else { continue };
        let behind = newest.map_or(0, |newest| newest.get() - state.position.get());
        readings.set(&gauges::WEBHOOK_BEHIND, of, behind as f64);
    }
    Ok(())
}

fn read_power(power: &LivePower, readings: &mut Readings) {
    let all = [("", &power.cluster)];
    let parts = power.partitions.iter().map(|(partition, power)| (partition.as_str(), power));
    for (partition, power) in all.into_iter().chain(parts) {
        let of = [partition];
        readings.set(&gauges::MEASURED_NODES, of, power.measured_nodes.into());
        readings.set(&gauges::MEASURED_POWER, of, power.measured.as_watts());
        readings.set(&gauges::PLANNED_POWER, of, power.planned.as_watts());
        readings.set(&gauges::PLANNED_OF_MEASURED, of, power.planned_of_measured.as_watts());
    }
    if let Some(site) = power.site {
        readings.set(&gauges::SITE_POWER, [], site.as_watts());
    }
    if let Some(cap) = power.cap {
        readings.set(&gauges::POWER_CAP, [], cap.as_watts());
    }
}

fn read_reservations(reservations: &[ReservationPower], readings: &mut Readings) {
    for ReservationPower { id, power, .. } in reservations {
        let id = id.to_string();
        let of = [&*id];
        readings.set(&gauges::RESERVATION_MEASURED_NODES, of, power.measured_nodes.into());
        readings.set(&gauges::RESERVATION_MEASURED_POWER, of, power.measured.as_watts());
        let of_measured = power.planned_of_measured.as_watts();
        readings.set(&gauges::RESERVATION_PLANNED_OF_MEASURED, of, of_measured);
        readings.set(&gauges::RESERVATION_PLANNED_POWER, of, power.planned.as_watts());
    }
}

async fn read_meters(service: &MeterService, readings: &mut Readings) -> Result<(), Fault> {
    for (meter, age_s) in service.ages().await? {
        readings.set(&gauges::METER_AGE, [meter], age_s);
    }
    Ok(())
}

async fn read_ledger(service: &LedgerService, readings: &mut Readings) -> Result<(), Fault> {
    if let Some(age) = service.newest_hour_age().await? {
        readings.set(&gauges::LEDGER_AGE, [], age.get() as f64);
    }
    Ok(())
}
