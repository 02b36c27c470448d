//! The REST service: routes, and what every request passes through.
//!
//! One endpoint per file under `v1/<resource>/`. Who may call it is in the table of rights (see [`rights`] and
//! [`by`]). Each handler reads its input with every error at once, calls one use case and writes the answer.

mod acting;
mod answers;
mod asked_from;
pub mod audit;
pub mod body;
pub mod browser;
pub mod by;
pub mod caller;
pub mod carbon_aware;
pub mod docs;
pub mod health;
mod kept;
pub mod metrics;
pub mod problem;
pub mod query;
mod request_metrics;
pub mod rights;
pub mod server;
pub mod v1;
pub mod web_page;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::FromRef;
use axum::http::{StatusCode, header};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::IntoResponse;
use tower_http::CompressionLevel;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};
use tower_http::trace::TraceLayer;

use crate::clock::Clock;
use crate::config::Settings;
use crate::service::Services;
use crate::service::agendas::AgendaService;
use crate::service::audit::AuditService;
use crate::service::book_views::BookViewService;
use crate::service::booking::BookingService;
use crate::service::calendar::CalendarService;
use crate::service::cluster::ClusterService;
use crate::service::dialogue::DialogueService;
use crate::service::events::EventService;
use crate::service::feeds::FeedService;
use crate::service::ledger::LedgerService;
use crate::service::live_power::LivePowerService;
use crate::service::measurements::MeasurementService;
use crate::service::meters::MeterService;
use crate::service::notifications::NotificationService;
use crate::service::other_sites::OtherSiteService;
use crate::service::power_management::PowerManagementService;
use crate::service::projects::ProjectService;
use crate::service::quotas::QuotaService;
use crate::service::readiness::ReadinessService;
use crate::service::recalibration::RecalibrationService;
use crate::service::resource_manager::ResourceManagerService;
use crate::service::series::SeriesService;
use crate::service::shared::StateCache;
use crate::service::shares::ShareService;
use crate::service::sign_in::SignInService;
use crate::service::simulations::SimulationService;
use crate::service::start_predictions::StartPredictionService;
use crate::service::tokens::TokenService;
use crate::service::webhooks::WebhookService;
use answers::AnswerRoom;
use audit::Recording;
use problem::Problem;

/// What handlers share. Each handler takes of it the services that its signature names.
#[derive(Clone)]
pub struct App {
    /// The use cases.
    pub services: Services,
    /// Whether the service listens on a loopback address only.
    pub loopback: bool,
}

/// Lets handlers take parts of what is shared.
macro_rules! handed_out {
    ($($part:ty: $place:expr;)*) => {$(
        impl FromRef<App> for $part {
            fn from_ref(app: &App) -> Self {
                let place: fn(&App) -> &$part = $place;
                place(app).clone()
            }
        }
    )*};
}

handed_out! {
    Clock: |app| &app.services.shared.clock;
    Arc<Settings>: |app| &app.services.shared.settings;
    Arc<StateCache>: |app| &app.services.shared.states;
    Arc<AgendaService>: |app| &app.services.agendas;
    Arc<AuditService>: |app| &app.services.audit;
    Arc<BookViewService>: |app| &app.services.book_views;
    Arc<CalendarService>: |app| &app.services.calendar;
    Arc<ClusterService>: |app| &app.services.cluster;
    Arc<EventService>: |app| &app.services.events;
    Arc<FeedService>: |app| &app.services.feeds;
    Arc<LedgerService>: |app| &app.services.ledger;
    Arc<LivePowerService>: |app| &app.services.live_power;
    Arc<MeasurementService>: |app| &app.services.measurements;
    Arc<MeterService>: |app| &app.services.meters;
    Arc<NotificationService>: |app| &app.services.notifications;
    Arc<OtherSiteService>: |app| &app.services.other_sites;
    Arc<PowerManagementService>: |app| &app.services.power_management;
    Arc<ProjectService>: |app| &app.services.projects;
    Arc<QuotaService>: |app| &app.services.quotas;
    Arc<ReadinessService>: |app| &app.services.readiness;
    Arc<RecalibrationService>: |app| &app.services.recalibration;
    Arc<ResourceManagerService>: |app| &app.services.resource_manager;
    Arc<BookingService>: |app| &app.services.booking;
    Arc<DialogueService>: |app| &app.services.dialogue;
    Arc<SeriesService>: |app| &app.services.series;
    Arc<ShareService>: |app| &app.services.shares;
    Arc<SignInService>: |app| &app.services.sign_in;
    Arc<SimulationService>: |app| &app.services.simulations;
    Arc<StartPredictionService>: |app| &app.services.start_predictions;
    Arc<TokenService>: |app| &app.services.tokens;
    Arc<WebhookService>: |app| &app.services.webhooks;
}

/// Answers of fewer bytes are sent as they are: they fit into a packet or two.
const COMPRESSED_FROM_BYTES: u64 = 2048;

/// Every route of the service.
pub fn router(app: App) -> Router {
    let (v1, description) = v1::describe(v1::router());
    let names = v1::action_names(&description);
    let unlisted = rights::unlisted(&names);
    let room = AnswerRoom::new(&app.services.shared.settings.limits);
    let recording = Recording::new(Arc::clone(&app.services.audit), names);
    Router::new()
        .merge(v1)
        .merge(carbon_aware::router())
        .merge(health::router())
        .merge(metrics::router())
        // A test has it that the document can be made.
        .merge(docs::router(v1::document().unwrap_or_default()))
        .merge(web_page::router())
        .fallback(async || Problem::not_found("such resource"))
        .method_not_allowed_fallback(async || {
            Problem::new(
                StatusCode::METHOD_NOT_ALLOWED,
                "method_not_allowed",
                "Method not allowed",
                "The Allow header lists the methods of this resource.",
            )
        })
        .layer(from_fn_with_state(unlisted, rights::refuse_unlisted))
        .layer(CatchPanicLayer::custom(|_: Box<dyn std::any::Any + Send>| {
            Problem::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal",
                "The service failed",
                "This is a fault of the service; its log says more.",
            )
            .into_response()
        }))
        .layer(from_fn_with_state(recording, audit::record))
        .layer(from_fn(kept::mark))
        .layer(from_fn_with_state(room, answers::count))
        .layer(compression())
        .layer(from_fn(browser::guard))
        .layer(TraceLayer::new_for_http().make_span_with(span).on_response(log_response))
        .layer(from_fn(request_metrics::count))
        .with_state(app)
}

/// Compresses long answers for clients that ask for it. Events are sent one by one, as they are.
fn compression() -> CompressionLayer<impl Predicate> {
    let long = SizeAbove::new(COMPRESSED_FROM_BYTES);
    CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(long.and(NotForContentType::SSE))
}

/// What is logged of a request: never its query, which holds what an issuer sent the page with.
fn span<B>(request: &axum::http::Request<B>) -> tracing::Span {
    let path = without_secret(request.uri().path());
    tracing::debug_span!("request", method = %request.method(), path)
}

/// A path as it is logged: the secret of a calendar's address is left out.
fn without_secret(path: &str) -> &str {
    const CALENDARS: &str = "/api/v1/calendar/";
    if path.starts_with(CALENDARS) { CALENDARS } else { path }
}

/// One line for each request: never its headers, which hold tokens.
fn log_response(response: &axum::response::Response, latency: Duration, _: &tracing::Span) {
    let status = response.status().as_u16();
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    tracing::debug!(status, latency_us = latency.as_micros(), kind, "answered");
}
