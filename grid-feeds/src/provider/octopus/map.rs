//! From rates to an agenda: 1 p/kWh is 10 GBP/MWh.

use planner::agenda::{Agenda, Piece};
use planner::quantity::Currency;
use planner::time::{Span, Timestamp};
use rust_decimal::Decimal;

use super::catalogue::Stretch;
use super::wire::{Page, Rate};
use crate::feed::{
    FeedError, Identity, Kind, Quality, Reading, Series, assemble, instant, nearest_millionths,
};
use crate::provider::json;

/// GBP/MWh in a p/kWh.
const PENCE_PER_KWH: i64 = 10;

/// Which of the prices that a rate tells counts.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// With value-added tax.
    pub with_vat: bool,
    /// For those who pay by direct debit.
    pub direct_debit: bool,
}

/// Reads a page of the rates of `tariff`, such as `E-1R-AGILE-24-10-01-C`.
///
/// # Errors
/// What is not JSON of this shape; a link to more pages of another tariff, which is all that a page
/// says of whose it is.
pub fn read(text: &str, tariff: &str) -> Result<Page, FeedError> {
    let page: Page = json(text)?;
    for (place, link) in [("/next", &page.next), ("/previous", &page.previous)] {
        let tariff_of = |link: &str| {
            let (_, rest) = link.split_once("/electricity-tariffs/")?;
            Some(rest.split('/').next().unwrap_or_default().to_owned())
        };
        let came = link.as_deref().and_then(tariff_of);
        let setting = "`product` and `region`";
        Identity { what: "tariff", asked: tariff, setting }.told(place, came.as_deref())?;
    }
    Ok(page)
}

/// The prices of rates in any order. A rate without an end holds until the next one starts, the
/// last until the end of `window`.
///
/// # Errors
/// Spans that are no spans, words for numbers.
pub fn prices(rates: &[Rate], window: Span, terms: Terms) -> Result<Series, FeedError> {
    let other = if terms.direct_debit { "NON_DIRECT_DEBIT" } else { "DIRECT_DEBIT" };
    let counted = |rate: &&Rate| rate.payment_method.as_deref() != Some(other);
    let rates: Vec<&Rate> = rates.iter().filter(counted).collect();
    let start = |rate: &Rate| {
        let wrong =
            || FeedError::payload("valid_from", format!("{:?} is no time", rate.valid_from));
        instant(&rate.valid_from).ok_or_else(wrong)
    };
    let mut starts = rates.iter().map(|rate| start(rate)).collect::<Result<Vec<_>, _>>()?;
    starts.sort_unstable();

    let mut readings = Vec::new();
    for rate in rates {
        let from = start(rate)?;
        let until = match rate.valid_to.as_deref() {
            Some(text) => instant(text).ok_or_else(|| FeedError::payload(text, "is no time"))?,
            None => open_end(from, &starts, window),
        };
        let number = if terms.with_vat { &rate.value_inc_vat } else { &rate.value_exc_vat };
        let Some(number) = number else { continue };
        let value = number
            .decimal()
            .map(|pence| nearest_millionths(pence, Decimal::from(PENCE_PER_KWH)))
            .ok_or_else(|| FeedError::payload(from, "the price is not a number"))?;
        match Span::new(from, until) {
            Some(span) => readings.push(Reading { span, value, quality: Quality::Measured }),
            // An open rate from beyond the window says nothing about it.
            None if rate.valid_to.is_none() => {}
            None => return Err(FeedError::payload(from, format!("ends before, at {until}"))),
        }
    }
    if readings.is_empty() {
        return Err(FeedError::not_published("no rates"));
    }
    let kind = Kind::Price { currency: pounds()? };
    let mut notes = Vec::new();
    let agenda = assemble(kind, readings, &mut notes)?;
    Ok(Series { kind, issued_at: None, agenda, notes })
}

/// The prices of products that follow each other: each counts over its stretch. The first one's begin and the
/// last one's end as they are told.
///
/// # Errors
/// Where there are none at all.
pub fn joined(parts: Vec<(Stretch, Series)>) -> Result<Series, FeedError> {
    let last = parts.len().saturating_sub(1);
    let mut pieces = Vec::new();
    let mut notes = Vec::new();
    let mut kind = None;
    for (index, (stretch, series)) in parts.into_iter().enumerate() {
        let start = if index == 0 { Timestamp::MIN } else { stretch.span.start() };
        let end = if index == last { Timestamp::MAX } else { stretch.span.end() };
        let Some(whole) = Span::new(start, end) else { continue };
        notes.push(format!("product {} from {}", stretch.code, stretch.span.start()));
        notes.extend(series.notes);
        kind = Some(series.kind);
        pieces.extend(series.agenda.pieces().iter().filter_map(|piece| {
            Some(Piece { span: piece.span.intersection(whole)?, value: piece.value })
        }));
    }
    let kind = kind.ok_or_else(|| FeedError::not_published("no rates"))?;
    let agenda = Agenda::new(pieces).map_err(|error| FeedError::payload("the products", error))?;
    Ok(Series { kind, issued_at: None, agenda, notes })
}

fn open_end(from: Timestamp, starts: &[Timestamp], window: Span) -> Timestamp {
    let next = starts.get(starts.partition_point(|&start| start <= from)).copied();
    next.unwrap_or(window.end())
}

fn pounds() -> Result<Currency, FeedError> {
    Currency::parse("GBP").map_err(FeedError::configuration)
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGILE: &str = r#"{"count": 3, "next": null, "previous": null, "results": [
        {"value_exc_vat": 16.38, "value_inc_vat": 17.199, "valid_from": "2026-03-01T06:00:00Z",
         "valid_to": "2026-03-01T06:30:00Z", "payment_method": null},
        {"value_exc_vat": -2.0, "value_inc_vat": -2.1, "valid_from": "2026-03-01T05:30:00Z",
         "valid_to": "2026-03-01T06:00:00Z", "payment_method": null}]}"#;

    fn window() -> Span {
        let at = |text| Timestamp::parse(text).unwrap();
        Span::new(at("2026-03-01T00:00:00Z"), at("2026-03-02T00:00:00Z")).unwrap()
    }

    fn read_prices(text: &str, with_vat: bool, direct_debit: bool) -> Result<Series, FeedError> {
        let page = read(text, "E-1R-AGILE-24-10-01-C")?;
        prices(&page.results, window(), Terms { with_vat, direct_debit })
    }

    #[test]
    fn a_link_to_another_tariff_is_refused() {
        let linked = |tariff: &str| {
            let link = format!(
                "\"https://api.octopus.energy/v1/products/AGILE-24-10-01/electricity-tariffs/{tariff}/\
                 standard-unit-rates/?page=2\""
            );
            read_prices(&AGILE.replacen("null", &link, 1), false, true)
        };
        assert!(linked("E-1R-AGILE-24-10-01-C").is_ok());
        let error = linked("E-1R-AGILE-24-10-01-A").unwrap_err();
        assert!(matches!(error, FeedError::Payload { .. }), "{error}");
        assert!(error.to_string().contains("E-1R-AGILE-24-10-01-C"), "{error}");
    }

    fn values(series: &Series) -> Vec<i64> {
        series.agenda.pieces().iter().map(|piece| piece.value.value).collect()
    }

    /// 16.38 p/kWh are 163.8 GBP/MWh.
    #[test]
    fn pence_per_kwh_become_pounds_per_mwh_newest_first_or_not() {
        let series = read_prices(AGILE, false, true).unwrap();
        assert_eq!(values(&series), [-20_000_000, 163_800_000]);
        assert_eq!(series.kind.to_string(), "price in GBP/MWh");
        let with_vat = read_prices(AGILE, true, true).unwrap();
        assert_eq!(values(&with_vat), [-21_000_000, 171_990_000]);
    }

    #[test]
    fn a_null_valid_to_holds_until_the_next_rate_or_the_end_of_the_window() {
        let text = r#"{"next": null, "results": [
            {"value_exc_vat": 20, "value_inc_vat": 21, "valid_from": "2026-03-01T12:00:00Z",
             "valid_to": null},
            {"value_exc_vat": 10, "value_inc_vat": 10.5, "valid_from": "2026-02-01T00:00:00Z",
             "valid_to": null},
            {"value_exc_vat": 30, "value_inc_vat": 31, "valid_from": "2026-03-05T00:00:00Z",
             "valid_to": null}]}"#;
        let series = read_prices(text, false, true).unwrap();
        let ends: Vec<String> =
            series.agenda.pieces().iter().map(|piece| piece.span.end().to_string()).collect();
        assert_eq!(ends, ["2026-03-01T12:00:00Z", "2026-03-05T00:00:00Z"]);
        let one = r#"{"next": null, "results": [{"value_exc_vat": 10, "value_inc_vat": 10.5,
            "valid_from": "2026-02-01T00:00:00Z", "valid_to": null}]}"#;
        assert_eq!(read_prices(one, false, true).unwrap().span().unwrap().end(), window().end());
    }

    #[test]
    fn of_two_payment_methods_one_counts() {
        let text = r#"{"next": null, "results": [
            {"value_exc_vat": 20, "value_inc_vat": 21, "valid_from": "2026-03-01T12:00:00Z",
             "valid_to": "2026-03-01T12:30:00Z", "payment_method": "DIRECT_DEBIT"},
            {"value_exc_vat": 22, "value_inc_vat": 23, "valid_from": "2026-03-01T12:00:00Z",
             "valid_to": "2026-03-01T12:30:00Z", "payment_method": "NON_DIRECT_DEBIT"}]}"#;
        assert_eq!(values(&read_prices(text, false, true).unwrap()), [200_000_000]);
        assert_eq!(values(&read_prices(text, false, false).unwrap()), [220_000_000]);
    }

    #[test]
    fn no_rates_are_not_published_and_words_are_refused() {
        let empty = r#"{"count": 0, "next": null, "results": []}"#;
        assert!(matches!(read_prices(empty, false, true), Err(FeedError::NotPublished { .. })));
        assert!(read_prices(&AGILE.replace("16.38", "\"n/a\""), false, true).is_err());
        assert!(read_prices(&AGILE.replace("06:30:00", "05:30:00"), false, true).is_err());
    }

    /// The old product tells prices beyond its end and the new one before its beginning; 05:45 is in the
    /// middle of a half-hour.
    #[test]
    fn products_that_follow_each_other_are_one_agenda_without_a_gap() {
        let at = |text| Timestamp::parse(text).unwrap();
        let change = at("2026-03-01T05:45:00Z");
        let old = read_prices(AGILE, false, true).unwrap();
        let new = read_prices(&AGILE.replace("16.38", "20").replace("-2.0", "1"), false, true);
        let stretch = |code: &str, start, end| {
            let span = Span::new(start, end).unwrap();
            Stretch { code: code.to_owned(), span, until: Timestamp::MAX }
        };
        let series = joined(vec![
            (stretch("AGILE-24-10-01", window().start(), change), old),
            (stretch("AGILE-26-03-01", change, window().end()), new.unwrap()),
        ]);
        let series = series.unwrap();
        assert_eq!(values(&series), [-20_000_000, 10_000_000, 200_000_000]);
        let span = series.span().unwrap();
        assert!(series.agenda.covers(span));
        assert_eq!(span.start(), at("2026-03-01T05:30:00Z"));
        assert_eq!(series.agenda.pieces()[1].span.start(), change);
        assert_eq!(
            series.notes,
            [
                "product AGILE-24-10-01 from 2026-03-01T00:00:00Z",
                "product AGILE-26-03-01 from 2026-03-01T05:45:00Z",
            ]
        );
        assert!(matches!(joined(Vec::new()), Err(FeedError::NotPublished { .. })));
    }
}
