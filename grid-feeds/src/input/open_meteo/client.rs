//! One request for the past and what is to come.

use jiff::civil::Date;
use planner::time::{Seconds, Timestamp};

use super::map::{self, WeatherPlace};
use crate::feed::{FeedError, SecretSource};
use crate::forecast::ForecastInput;
use crate::http::{Http, send};
use crate::input::InputQuery;
use crate::local_time::LocalTime;

/// Forecasts reach so many days beyond today.
const FURTHEST: Seconds = Seconds::new(15 * 86_400);

/// A place.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Degrees north of the equator.
    pub latitude: f64,
    /// Degrees east of Greenwich.
    pub longitude: f64,
    /// The key of an account, for commercial uses.
    pub key: Option<SecretSource>,
    /// Where the interface is, if not where the service has it.
    pub base_url: Option<String>,
}

/// Asks for the weather at the place.
///
/// # Errors
/// As of any feed; places that are not on the Earth.
pub async fn fetch(
    settings: &Settings,
    query: InputQuery<'_>,
    http: &Http,
) -> Result<ForecastInput, FeedError> {
    let place = settings.place()?;
    let key = settings.key.as_ref().map(SecretSource::read).transpose();
    let key = key.map_err(FeedError::configuration)?;
    let usual = match key {
        Some(_) => "https://customer-previous-runs-api.open-meteo.com",
        None => "https://previous-runs-api.open-meteo.com",
    };
    let base = settings.base_url.as_deref().unwrap_or(usual);
    let end = query.window.end().min(query.now + FURTHEST) - Seconds::ONE;
    let (first, last) = (day(query.window.start())?, day(end)?);
    let mut request = http
        .get(base, "/v1/forecast")
        .query(&[("latitude", place.latitude), ("longitude", place.longitude)])
        .query(&[("hourly", map::columns(query.quantity)?.join(","))])
        .query(&[("start_date", first.to_string()), ("end_date", last.to_string())])
        .query(&[("timeformat", "unixtime"), ("wind_speed_unit", "ms")]);
    if let Some(key) = &key {
        request = request.query(&[("apikey", key.expose())]);
    }
    let answer = send(request, key.as_ref(), query.now).await?;
    let weather = map::read(answer.success()?)?;
    map::input(&weather, query.name, query.quantity, place, query.now)
}

impl Settings {
    /// The place, if it is on the Earth.
    ///
    /// # Errors
    /// Latitudes beyond the poles and longitudes beyond 180 degrees.
    pub fn place(&self) -> Result<WeatherPlace, FeedError> {
        let (latitude, longitude) = (self.latitude, self.longitude);
        if latitude.abs() <= 90.0 && longitude.abs() <= 180.0 {
            return Ok(WeatherPlace { latitude, longitude });
        }
        let message = "latitude must lie between -90 and 90, longitude between -180 and 180";
        Err(FeedError::configuration(message))
    }
}

fn day(instant: Timestamp) -> Result<Date, FeedError> {
    let local = LocalTime::named("UTC").map_err(FeedError::calendar)?;
    local.date(instant).map_err(FeedError::calendar)
}
