//! From columns to a series for each number of days that values were forecast ahead.
//!
//! The newest forecast has a column, `temperature_2m`, and what was forecast the day before another, `temperature_2m_previous_day1`.
//! Of the past the latter counts; of what is to come the newest forecast, which is known now.

use planner::agenda::{Agenda, Piece};
use planner::time::{Seconds, Span, Timestamp};
use rust_decimal::Decimal;

use super::wire::Weather;
use crate::feed::{FeedError, Number, nearest_millionths};
use crate::forecast::{ForecastInput, KnownFrom, ValuesAhead};
use crate::input::InputQuantity;
use crate::provider::json;

/// What was forecast so many days before is told.
pub const DAYS_BEFORE: u8 = 7;

/// A run of the models is out so many hours after the time that it is of, at the latest. What was forecast a day before comes of a run
/// that began a day before the hour, so it was known so much later than that.
const RUN_IS_OUT_AFTER_H: i64 = 8;

/// The middle of a cell is no further from the place, in degrees.
const CELL_DEGREES: f64 = 0.5;

const HOUR: Seconds = Seconds::new(3600);

/// A place, in degrees.
#[derive(Clone, Copy, Debug)]
pub struct WeatherPlace {
    /// North of the equator.
    pub latitude: f64,
    /// East of Greenwich.
    pub longitude: f64,
}

/// How a quantity is asked for.
struct WeatherColumn {
    name: &'static str,
    unit: &'static str,
    /// The value is the mean of the hour that ends at its time, not that of the moment.
    is_mean: bool,
    /// What a value can be, in millionths.
    possible: std::ops::RangeInclusive<i64>,
}

fn column(quantity: InputQuantity) -> Result<WeatherColumn, FeedError> {
    const MILLION: i64 = 1_000_000;
    let (name, unit, is_mean, possible) = match quantity {
        InputQuantity::Temperature => ("temperature_2m", "°C", false, -100..=70),
        InputQuantity::WindSpeed => ("wind_speed_10m", "m/s", false, 0..=150),
        InputQuantity::Irradiance => ("shortwave_radiation", "W/m²", true, 0..=2000),
        InputQuantity::Load | InputQuantity::Wind | InputQuantity::Solar => {
            return Err(FeedError::configuration("this is no series of the weather"));
        }
    };
    let possible = possible.start() * MILLION..=possible.end() * MILLION;
    Ok(WeatherColumn { name, unit, is_mean, possible })
}

/// The names of the columns of a quantity, the newest forecast first.
///
/// # Errors
/// Quantities that are not of the weather.
pub fn columns(quantity: InputQuantity) -> Result<Vec<String>, FeedError> {
    let name = column(quantity)?.name;
    let before = (1..=DAYS_BEFORE).map(|days| format!("{name}_previous_day{days}"));
    Ok(std::iter::once(name.to_owned()).chain(before).collect())
}

/// Reads an answer.
///
/// # Errors
/// What is not JSON of this shape.
pub fn read(text: &str) -> Result<Weather, FeedError> {
    json(text)
}

/// The series of `quantity` at `place`, as known at `now`, named `name`.
///
/// # Errors
/// Another place, unit or clock than asked for; columns that are missing or of other lengths; times that are no hours in order.
pub fn input(
    weather: &Weather,
    name: &str,
    quantity: InputQuantity,
    place: WeatherPlace,
    now: Timestamp,
) -> Result<ForecastInput, FeedError> {
    is_at(weather, place)?;
    let column = column(quantity)?;
    let names = columns(quantity)?;
    let times = times(of_column(weather, "time")?)?;
    let newest = values(weather, &names[0], &column, times.len())?;
    let back = if column.is_mean { HOUR } else { Seconds::new(0) };
    let mut ahead = Vec::new();
    for (name, days) in names[1..].iter().zip(1_i64..) {
        let before = values(weather, name, &column, times.len())?;
        let hours = times.iter().zip(newest.iter().zip(before));
        let pieces = hours.filter_map(|(&time, (newest, before))| {
            let span = Span::starting(time - back, HOUR)?;
            let value = if span.start() < now { before } else { *newest };
            Some(Piece { span, value: value? })
        });
        let values = Agenda::new(pieces.collect())
            .map_err(|error| FeedError::payload("/hourly/time", error))?;
        let known = KnownFrom::Before(Seconds::new((days * 24 - RUN_IS_OUT_AFTER_H) * 3600));
        ahead.push(ValuesAhead { known, values });
    }
    if ahead.iter().all(|it| it.values.pieces().is_empty()) {
        return Err(FeedError::not_published("no hour has a value"));
    }
    Ok(ForecastInput { name: name.into(), values: ahead })
}

fn is_at(weather: &Weather, place: WeatherPlace) -> Result<(), FeedError> {
    if weather.utc_offset_seconds != 0 {
        let came = format!("{} s", weather.utc_offset_seconds);
        let asked = "times of UTC".to_owned();
        return Err(FeedError::mismatch("/utc_offset_seconds", asked, &came, "`base_url`"));
    }
    let north = (weather.latitude - place.latitude).abs();
    let east = (weather.longitude - place.longitude).rem_euclid(360.0);
    // Not a number is no place either.
    if north <= CELL_DEGREES && east.min(360.0 - east) <= CELL_DEGREES {
        return Ok(());
    }
    let asked = format!("{}, {}", place.latitude, place.longitude);
    let came = format!("{}, {}", weather.latitude, weather.longitude);
    Err(FeedError::mismatch("/latitude", asked, &came, "`latitude` and `longitude`"))
}

fn of_column<'a>(weather: &'a Weather, name: &str) -> Result<&'a [Option<Number>], FeedError> {
    let missing = || FeedError::payload(format!("/hourly/{name}"), "is missing");
    weather.hourly.get(name).map(Vec::as_slice).ok_or_else(missing)
}

/// Seconds since 1970, hour by hour; hours may be left out.
fn times(column: &[Option<Number>]) -> Result<Vec<Timestamp>, FeedError> {
    let wrong = |index: usize| {
        let place = format!("/hourly/time/{index}");
        FeedError::payload(place, "is no full hour after the one before, in seconds since 1970")
    };
    let mut times: Vec<Timestamp> = Vec::with_capacity(column.len());
    for (index, number) in column.iter().enumerate() {
        let seconds = number.as_ref().and_then(|number| number.0.parse::<i64>().ok());
        let time = seconds.map(Timestamp::from_unix_seconds).filter(|time| {
            let is_after = times.last().is_none_or(|last| *last < *time);
            is_after && (Timestamp::MIN + HOUR..Timestamp::MAX).contains(time)
        });
        times.push(time.filter(|time| time.ceil_to(HOUR) == *time).ok_or_else(|| wrong(index))?);
    }
    Ok(times)
}

/// Values in millionths; what is missing or cannot be is a gap.
fn values(
    weather: &Weather,
    name: &str,
    column: &WeatherColumn,
    count: usize,
) -> Result<Vec<Option<i64>>, FeedError> {
    let unit = weather.hourly_units.get(name).map_or("", |unit| &**unit);
    if unit != column.unit {
        let place = format!("/hourly_units/{name}");
        return Err(FeedError::mismatch(&place, column.unit.to_owned(), unit, "`base_url`"));
    }
    let numbers = of_column(weather, name)?;
    if numbers.len() != count {
        let lengths = format!("has {} values, and there are {count} times", numbers.len());
        return Err(FeedError::payload(format!("/hourly/{name}"), lengths));
    }
    let value = |number: &Option<Number>| {
        let value = nearest_millionths(number.as_ref()?.decimal()?, Decimal::ONE);
        Some(value).filter(|value| column.possible.contains(value))
    };
    Ok(numbers.iter().map(value).collect())
}
