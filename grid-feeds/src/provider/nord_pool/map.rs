//! From days to an agenda.

use std::collections::HashMap;

use planner::quantity::Currency;
use planner::time::{Span, Timestamp};
use rust_decimal::Decimal;

use super::market::AuctionMarket;
use super::wire::{AreaDay, AreaPrice, Day, Entry, State};
use crate::feed::{
    FeedError, Identity, Kind, Quality, Reading, Series, assemble, instant, instant_to_second,
    nearest_millionths,
};
use crate::provider::json;

/// Reads the day `date`, such as `2026-03-02`, of the data portal.
///
/// # Errors
/// What is not JSON of this shape, another day, another market.
pub fn read(text: &str, date: &str, market: AuctionMarket) -> Result<Day, FeedError> {
    let day: Day = json(text)?;
    is_of_day(date, market, day.date.as_deref(), day.market.as_deref())?;
    Ok(day)
}

/// Reads the day `date` of `area` of the data service; `None` where it is not published yet: an empty list, or
/// prices that are missing.
///
/// # Errors
/// What is not JSON of this shape, another day, market or area, a unit that is not that of the currency.
pub fn read_area(
    text: &str,
    date: &str,
    market: AuctionMarket,
    area: &str,
) -> Result<Option<Day>, FeedError> {
    let areas: Vec<AreaDay> = json(text)?;
    let came = areas.iter().map(|day| day.delivery_area.as_str()).collect::<Vec<_>>().join(", ");
    if areas.is_empty() {
        return Ok(None);
    }
    let day = areas.into_iter().find(|day| day.delivery_area == area).ok_or_else(|| {
        FeedError::mismatch("/deliveryArea", format!("area {area:?}"), &came, "`area`")
    })?;
    is_of_day(date, market, day.date.as_deref(), day.market.as_deref())?;
    let unit = format!("{}/MWh", day.currency);
    let in_unit = Identity { what: "unit", asked: &unit, setting: "`base_url`" };
    in_unit.told("/unit", day.unit.as_deref())?;
    let is_there = day.status.as_deref() != Some("Missing") && !day.prices.is_empty();
    Ok(is_there.then(|| of_area(day)))
}

/// A day of one area, as the portal tells days.
fn of_area(day: AreaDay) -> Day {
    let area = day.delivery_area;
    let entry = |price: AreaPrice| Entry {
        delivery_start: price.delivery_start,
        delivery_end: price.delivery_end,
        prices: HashMap::from([(area.clone(), price.price)]),
    };
    let multi_area_entries = day.prices.into_iter().map(entry).collect();
    let state = |state: String| State { state, areas: vec![area.clone()] };
    Day {
        date: day.date,
        market: day.market,
        currency: day.currency,
        updated_at: day.updated_at,
        multi_area_entries,
        area_states: day.status.map(state).into_iter().collect(),
    }
}

fn is_of_day(
    date: &str,
    market: AuctionMarket,
    date_told: Option<&str>,
    market_told: Option<&str>,
) -> Result<(), FeedError> {
    let setting = "`base_url`";
    Identity { what: "date", asked: date, setting }.told("/deliveryDateCET", date_told)?;
    let (asked, setting) = (market.name(), "`market`");
    Identity { what: "market", asked, setting }.told("/market", market_told)
}

/// The prices of `area` in `currency` over some days; those that are not final are forecasts.
///
/// # Errors
/// Another currency, an area that is not there, spans that are no spans, words for numbers.
pub fn prices(days: &[Day], area: &str, currency: &str) -> Result<Series, FeedError> {
    let in_currency = Identity { what: "currency", asked: currency, setting: "`currency`" };
    let mut readings = Vec::new();
    let mut issued_at: Option<Timestamp> = None;
    for day in days {
        in_currency.named("/currency", Some(&day.currency))?;
        issued_at = issued_at.max(day.updated_at.as_deref().and_then(instant_to_second));
        let quality = quality(day, area);
        for (index, entry) in day.multi_area_entries.iter().enumerate() {
            let place = format!("/multiAreaEntries/{index}");
            let wrong = |message: &str| FeedError::payload(&place, message);
            let span = instant(&entry.delivery_start)
                .zip(instant(&entry.delivery_end))
                .and_then(|(start, end)| Span::new(start, end))
                .ok_or_else(|| wrong("is no span"))?;
            let number = entry.prices.get(area).ok_or_else(|| {
                let areas = entry.prices.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
                let asked = format!("area {area:?}");
                FeedError::mismatch(format!("{place}/entryPerArea"), asked, &areas, "`area`")
            })?;
            let Some(number) = number else { continue };
            let value = number
                .decimal()
                .map(|price| nearest_millionths(price, Decimal::ONE))
                .ok_or_else(|| wrong("has a price that is not a number"))?;
            readings.push(Reading { span, value, quality });
        }
    }
    if readings.is_empty() {
        return Err(FeedError::not_published("no entries"));
    }
    let currency = Currency::parse(currency)
        .map_err(|error| FeedError::configuration(format!("currency {error}")))?;
    let kind = Kind::Price { currency };
    let mut notes = Vec::new();
    let agenda = assemble(kind, readings, &mut notes)?;
    Ok(Series { kind, issued_at, agenda, notes })
}

fn quality(day: &Day, area: &str) -> Quality {
    let is_final =
        |state: &State| state.state == "Final" && state.areas.iter().any(|known| known == area);
    if day.area_states.iter().any(is_final) { Quality::Measured } else { Quality::Forecast }
}
