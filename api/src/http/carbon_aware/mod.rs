//! The routes of the Green Software Foundation's Carbon Aware SDK, so that its clients can ask this
//! service: emissions and forecasts of one location, the site, from its CO2 agenda.
//!
//! Names, shapes, status codes and errors are those of the SDK's web API 1.x (`CarbonAware.WebApi`:
//! controllers, parameters and `HttpResponseExceptionFilter`); its own OpenAPI document describes
//! them, ours does not. Where it differs:
//!
//! - A value is never made up: an average over a gap is refused, where the SDK would say 0 or fail.
//! - Data points are the agenda's pieces. `dataStartAt` leaves out those that end with it.
//! - Times are answered in UTC and whole seconds.
//! - A token is asked for as everywhere else; that refusal is one of our problem documents.

mod average;
mod average_batch;
mod best;
mod by_location;
mod by_locations;
mod forecast_batch;
mod forecast_current;
mod locations;

mod body;
mod error;
mod forecast;
mod instant;
mod parameters;
mod point;

use axum::Router;
use axum::routing::{get, post};

use std::sync::Arc;

use axum::extract::FromRef;

use super::App;
use crate::clock::Clock;
use crate::config::Settings;
use crate::service::agendas::AgendaService;

/// What these routes tell of: the site and its agendas.
#[derive(Clone)]
struct Site {
    agendas: Arc<AgendaService>,
    settings: Arc<Settings>,
    clock: Clock,
}

impl FromRef<App> for Site {
    fn from_ref(app: &App) -> Self {
        Self {
            agendas: FromRef::from_ref(app),
            settings: FromRef::from_ref(app),
            clock: FromRef::from_ref(app),
        }
    }
}

/// The routes of the Carbon Aware SDK.
pub fn router() -> Router<App> {
    Router::new()
        .route("/emissions/bylocation", get(by_location::by_location))
        .route("/emissions/bylocations", get(by_locations::by_locations))
        .route("/emissions/bylocations/best", get(best::best))
        .route("/emissions/average-carbon-intensity", get(average::average))
        .route("/emissions/average-carbon-intensity/batch", post(average_batch::average_batch))
        .route("/emissions/forecasts/current", get(forecast_current::forecast_current))
        .route("/emissions/forecasts/batch", post(forecast_batch::forecast_batch))
        .route("/locations", get(locations::locations))
}
