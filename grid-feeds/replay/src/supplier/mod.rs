//! The interfaces, a file for each supplier: its routes, and the sources that can ask them.

mod aemo;
mod awattar;
mod caiso;
mod eia;
mod electricity_maps;
mod elexon;
mod energinet;
mod energy_charts;
mod entsoe;
mod ercot;
mod iso_ne;
mod japan_area;
mod jepx;
mod miso;
mod nord_pool;
mod nyiso;
mod octopus;
mod odre;
mod open_meteo;
mod openelectricity;
mod pjm;
mod rte;
mod rte_eco2mix;
mod smard;
mod spp;
mod terna;
mod uk_carbon_intensity;
mod watttime;

use std::collections::HashMap;
use std::io::{Cursor, Write};

use axum::Router;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use planner::time::{Span, Timestamp};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

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
    aemo,
    awattar,
    caiso,
    pjm,
    rte,
    eia,
    electricity_maps,
    elexon, energinet,
    energy_charts,
    entsoe,
    ercot,
    iso_ne,
    japan_area,
    jepx,
    miso,
    nord_pool,
    nyiso,
    octopus,
    odre,
    open_meteo,
    openelectricity, rte_eco2mix, smard, spp,
    terna,
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

/// An archive of one file.
fn packed(name: &str, text: &str) -> Response {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let is_written = archive.start_file(name, SimpleFileOptions::default()).is_ok()
        && archive.write_all(text.as_bytes()).is_ok();
    match archive.finish() {
        Ok(bytes) if is_written => {
            let content = [(header::CONTENT_TYPE, "application/x-zip-compressed")];
            (content, bytes.into_inner()).into_response()
        }
        _ => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
