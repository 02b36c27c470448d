//! The interfaces, a file for each supplier: its routes, and the sources that can ask them.

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
use planner::time::{Span, Timestamp};

/// The parameters of a request.
type Parameters = HashMap<String, String>;

/// A source that can ask the replay supplier, as it is written in the settings file.
#[derive(Clone, Copy, Debug)]
pub struct ReplayedSource {
    /// The source's name.
    pub id: &'static str,
    /// Of what: `price` or `co2`.
    pub quantity: &'static str,
    /// The provider and its settings as TOML. `BASE` stands for where the replay supplier is, `TOKEN`
    /// for where a secret comes from.
    pub settings: &'static str,
}

/// Every supplier that is replayed: its file here, with its routes and the sources that ask them.
macro_rules! replay {
    ($($supplier:ident,)+) => {
        pub(crate) fn routes() -> Router {
            Router::new()$(.merge($supplier::routes()))+
        }

        /// All sources that can ask the replay supplier.
        pub fn sources() -> impl Iterator<Item = &'static ReplayedSource> {
            [$($supplier::SOURCES,)+].into_iter().flatten()
        }
    };
}

replay! {
    awattar,
    rte,
    electricity_maps,
    energy_charts,
    entsoe,
    nord_pool,
    octopus,
    odre,
    uk_carbon_intensity,
    watttime,
}

impl ReplayedSource {
    /// Its settings where the replay supplier is at `base` and secrets come from `secret`, which is
    /// a TOML value.
    pub fn settings_at(&self, base: &str, secret: &str) -> String {
        self.settings.replace("BASE", base).replace("TOKEN", secret)
    }
}

/// A parameter that is an instant.
fn instant(asked: &Parameters, name: &str) -> Option<Timestamp> {
    Timestamp::parse(asked.get(name)?).ok()
}

/// Two parameters that are a span.
fn span(asked: &Parameters, start: &str, end: &str) -> Option<Span> {
    Span::new(instant(asked, start)?, instant(asked, end)?)
}

fn bad_request(message: &str) -> Response {
    (StatusCode::BAD_REQUEST, message.to_owned()).into_response()
}
