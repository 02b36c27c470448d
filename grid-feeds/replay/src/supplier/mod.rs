//! The interfaces, a file for each supplier.

mod awattar;
mod electricity_maps;
mod energy_charts;
mod entsoe;
mod nord_pool;
mod octopus;
mod odre;
mod rte;
mod uk_carbon_intensity;
mod watttime;

use std::collections::HashMap;

use axum::Router;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use planner::time::{Span, Timestamp};

/// The parameters of a request.
type Asked = HashMap<String, String>;

pub(crate) fn routes() -> Router {
    let records = "/odre/api/explore/v2.1/catalog/datasets/{dataset}/records";
    let rates = "/v1/products/{product}/electricity-tariffs/{tariff}/standard-unit-rates/";
    let tempo = "/rte/open_api/tempo_like_supply_contract/v1/tempo_like_calendars";
    Router::new()
        .route("/entsoe/api", get(entsoe::document))
        .route(records, get(odre::records))
        .route("/rte/token/oauth/", post(rte::token))
        .route(tempo, get(rte::calendars))
        .route("/rte/cms/open_data/v1/tempo", get(rte::season))
        .route("/v3/carbon-intensity/{what}", get(electricity_maps::carbon_intensity))
        .route("/intensity/{from}/{to}", get(uk_carbon_intensity::half_hours))
        .route(rates, get(octopus::rates))
        .route("/v1/marketdata", get(awattar::hours))
        .route("/price", get(energy_charts::prices))
        .route("/co2eq", get(energy_charts::co2_equivalents))
        .route("/api/DayAheadPrices", get(nord_pool::day))
        .route("/login", get(watttime::login))
        .route("/v3/forecast", get(watttime::forecast))
        .route("/v3/historical", get(watttime::historical))
}

/// A parameter that is an instant.
fn instant(asked: &Asked, name: &str) -> Option<Timestamp> {
    Timestamp::parse(asked.get(name)?).ok()
}

/// Two parameters that are a span.
fn span(asked: &Asked, start: &str, end: &str) -> Option<Span> {
    Span::new(instant(asked, start)?, instant(asked, end)?)
}

fn bad_request(message: &str) -> Response {
    (StatusCode::BAD_REQUEST, message.to_owned()).into_response()
}
