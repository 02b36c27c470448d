//! From answers to colours by day.

use jiff::ToSpan;
use jiff::civil::{Date, date};
use planner::time::Timestamp;

use super::colour::{Announced, Colour, Colours};
use super::wire::{Calendars, OneOrMany, Season};
use crate::feed::{FeedError, Quality, instant};
use crate::local_time::LocalTime;
use crate::provider::json;

/// The one day whose value is missing; RTE has declared it blue.
const MISSING_DAY: (Date, Colour) = (date(2022, 12, 28), Colour::Blue);

/// When tomorrow's colour becomes binding.
const BINDING: (i8, i8) = (10, 30);

/// Reads the answer with an account. A day without a value is not known, but for 2022-12-28.
///
/// # Errors
/// Unknown colours, two colours of one day, and what is not JSON of this shape.
pub fn calendar(text: &str, now: Timestamp) -> Result<Colours, FeedError> {
    let calendars = match json::<Calendars>(text)?.tempo_like_calendars {
        OneOrMany::One(calendar) => vec![calendar],
        OneOrMany::Many(calendars) => calendars,
    };
    let local = LocalTime::paris().map_err(FeedError::calendar)?;
    let mut colours = Colours::new();
    for day in calendars.iter().flat_map(|calendar| &calendar.values) {
        let start = instant(&day.start_date).ok_or_else(|| {
            FeedError::payload("start_date", format!("{:?} is no time", day.start_date))
        })?;
        let date = local.date(start).map_err(FeedError::calendar)?;
        if local.day_start(date).map_err(FeedError::calendar)? != start {
            return Err(FeedError::payload(date, "does not start at midnight in Paris"));
        }
        let colour = match day.value.as_deref() {
            Some(word) => colour(date, word)?,
            None => Some(MISSING_DAY.1).filter(|_| date == MISSING_DAY.0),
        };
        let announced_at = day.updated_date.as_deref().and_then(instant).unwrap_or(now);
        let fallback = day.fallback.unwrap_or(false);
        announce(&mut colours, date, colour, (announced_at, fallback), &local)?;
    }
    Ok(colours)
}

/// Reads the public page, as it was at `now`. Empty and `0` are not known.
///
/// # Errors
/// As [`calendar`].
pub fn season(text: &str, now: Timestamp) -> Result<Colours, FeedError> {
    let season: Season = json(text)?;
    let local = LocalTime::paris().map_err(FeedError::calendar)?;
    let mut colours = Colours::new();
    for (key, word) in &season.values {
        let day: Date = key.parse().map_err(|error| FeedError::payload(key, error))?;
        announce(&mut colours, day, colour(day, word)?, (now, false), &local)?;
    }
    Ok(colours)
}

fn colour(day: Date, word: &str) -> Result<Option<Colour>, FeedError> {
    match word {
        "BLUE" => Ok(Some(Colour::Blue)),
        "WHITE" => Ok(Some(Colour::White)),
        "RED" => Ok(Some(Colour::Red)),
        "" | "0" => Ok(None),
        word => Err(FeedError::payload(day, format!("unknown colour {word:?}"))),
    }
}

/// Notes a colour: binding if it was said after 10:30 of the day before.
fn announce(
    colours: &mut Colours,
    day: Date,
    colour: Option<Colour>,
    (announced_at, fallback): (Timestamp, bool),
    local: &LocalTime,
) -> Result<(), FeedError> {
    let Some(colour) = colour else { return Ok(()) };
    let (hour, minute) = BINDING;
    let eve = day.checked_sub(1.day()).map_err(FeedError::calendar)?;
    let binding = local.civil_instant(eve.at(hour, minute, 0, 0)).map_err(FeedError::calendar)?;
    let is_binding = announced_at >= binding && !fallback;
    let quality = if is_binding { Quality::Measured } else { Quality::Forecast };
    match colours.insert(day, Announced { colour, quality }) {
        Some(earlier) if earlier.colour != colour => {
            Err(FeedError::payload(day, "two colours of one day"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    const OBJECT: &str = r#"{"tempo_like_calendars": {
        "start_date": "2026-01-15T00:00:00+01:00", "end_date": "2026-01-17T00:00:00+01:00",
        "values": [
            {"start_date": "2026-01-16T00:00:00+01:00", "end_date": "2026-01-17T00:00:00+01:00",
             "value": "RED", "fallback": false, "updated_date": "2026-01-15T10:31:00+01:00"},
            {"start_date": "2026-01-15T00:00:00+01:00", "end_date": "2026-01-16T00:00:00+01:00",
             "value": "WHITE", "fallback": false, "updated_date": "2026-01-14T10:31:00+01:00"}]}}"#;

    #[test]
    fn an_object_and_an_array_of_calendars_newest_first_are_both_read() {
        let now = at("2026-01-15T12:00:00Z");
        let colours = calendar(OBJECT, now).unwrap();
        assert_eq!(colours[&date(2026, 1, 15)].colour, Colour::White);
        let red = Announced { colour: Colour::Red, quality: Quality::Measured };
        assert_eq!(colours[&date(2026, 1, 16)], red);
        let array = OBJECT.replacen(": {", ": [{", 1).replace("}]}}", "}]}]}");
        assert_eq!(calendar(&array, now).unwrap(), colours);
    }

    #[test]
    fn a_missing_tempo_value_is_unknown_but_for_the_day_that_was_declared_blue() {
        let missing = OBJECT.replace("\"value\": \"RED\",", "");
        let now = at("2026-01-15T12:00:00Z");
        let colours = calendar(&missing, now).unwrap();
        assert!(!colours.contains_key(&date(2026, 1, 16)));
        let declared =
            missing.replace("2026-01-16", "2022-12-28").replace("2026-01-17", "2022-12-29");
        let colours = calendar(&declared, now).unwrap();
        assert_eq!(colours[&date(2022, 12, 28)].colour, Colour::Blue);
    }

    #[test]
    fn a_signal_before_half_past_ten_is_a_forecast_and_so_is_a_fallback() {
        let now = at("2026-01-15T12:00:00Z");
        let quality = |text: &str| calendar(text, now).unwrap()[&date(2026, 1, 16)].quality;
        let early = OBJECT.replace("2026-01-15T10:31:00", "2026-01-15T08:15:00");
        assert_eq!(quality(&early), Quality::Forecast);
        let fallback = OBJECT.replacen("\"fallback\": false", "\"fallback\": true", 1);
        assert_eq!(quality(&fallback), Quality::Forecast);
    }

    #[test]
    fn the_public_page_has_empty_and_zero_values() {
        let text = r#"{"values": {"2026-01-15": "BLUE", "2026-01-16": "", "2026-01-17": "0"}}"#;
        let colours = season(text, at("2026-01-15T12:00:00Z")).unwrap();
        assert_eq!(colours.len(), 1);
        assert!(season(r#"{"values": {"2026-01-15": "GREEN"}}"#, Timestamp::MIN).is_err());
        assert!(season(r#"{"values": {"15/01/2026": "BLUE"}}"#, Timestamp::MIN).is_err());
    }

    /// Summer time begins on 2026-03-29: the offsets of its two midnights differ.
    #[test]
    fn offsets_change_with_summer_time() {
        let text = OBJECT
            .replace("2026-01-16T00:00:00+01:00", "2026-03-30T00:00:00+02:00")
            .replace("2026-01-15T00:00:00+01:00", "2026-03-29T00:00:00+01:00");
        let colours = calendar(&text, at("2026-03-29T12:00:00Z")).unwrap();
        assert_eq!(
            colours.keys().copied().collect::<Vec<_>>(),
            [date(2026, 3, 29), date(2026, 3, 30)]
        );
        let wrong = OBJECT.replace("2026-01-16T00:00:00+01:00", "2026-01-16T06:00:00+01:00");
        assert!(calendar(&wrong, at("2026-03-29T12:00:00Z")).is_err());
    }
}
