//! Load (A65), wind and solar power (A69) as ENTSO-E's platform has them from the day before.
//!
//! The load is to be there two hours before the auction of the day before, wind and sun by 18:00. What is updated during the day
//! is another document and is not asked for: so the past is as it was expected the day before.

use jiff::civil::time;

use super::{InputQuantity, InputQuery};
use crate::feed::{FeedError, Query};
use crate::forecast::{ForecastInput, KnownFrom, ValuesAhead};
use crate::http::Http;
use crate::provider::entsoe;
pub use crate::provider::entsoe::Settings;
use crate::provider::entsoe::powers::{PlatformDocument, PowerKind};

/// The days of the market.
const MARKET_ZONE: &str = "Europe/Brussels";

/// Asks the platform.
///
/// # Errors
/// As of prices and generation.
pub async fn fetch(
    settings: &Settings,
    query: InputQuery<'_>,
    http: &Http,
) -> Result<ForecastInput, FeedError> {
    let client = entsoe::Client::new(query.name, settings, http)?;
    let document = match query.quantity {
        InputQuantity::Load => PlatformDocument::LoadForecast,
        _ => PlatformDocument::WindAndSolarForecast,
    };
    let asked = Query { now: query.now, window: query.window, validator: None };
    let powers = client.powers(asked, &settings.zone, document).await?;
    let counts = |kind: &PowerKind| match query.quantity {
        InputQuantity::Wind => kind.is_wind(),
        InputQuantity::Solar => kind.is_solar(),
        _ => *kind == PowerKind::Load,
    };
    let watts = powers.sum(counts).map_err(|error| FeedError::payload("the answer", error))?;
    if watts.pieces().is_empty() {
        return Err(FeedError::not_published("no series of this kind"));
    }
    let known =
        KnownFrom::day_before(MARKET_ZONE, time(18, 0, 0, 0)).map_err(FeedError::calendar)?;
    // Watts are millionths of megawatts.
    Ok(ForecastInput {
        name: query.name.into(),
        values: vec![ValuesAhead { known, values: watts }],
    })
}
