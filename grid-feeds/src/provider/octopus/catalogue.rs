//! The products of a family, and which of them counts when.
//!
//! A code is a family and a date, such as `AGILE-24-10-01`. The list has only what is sold at the instant that it
//! is asked about, so that what is retired is known from asking about the past.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use planner::time::{Span, Timestamp};

use super::wire::{Product, ProductPage};
use crate::feed::{FeedError, instant};
use crate::provider::json;

/// A date at the end of a code: `-24-10-01`.
const DATE: usize = 9;

/// Which products follow each other.
#[derive(Clone, Copy, Debug)]
pub struct Family<'a> {
    /// Such as `AGILE`; codes with more before their date belong to it too, such as `AGILE-FLEX-22-11-25`.
    pub name: &'a str,
    /// `IMPORT` or `EXPORT`.
    pub direction: &'static str,
    /// Such as `OCTOPUS_ENERGY`.
    pub brand: &'a str,
}

/// A product, and when new agreements are made on it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Offering {
    /// From when.
    pub from: Timestamp,
    /// Until when; the end of the calendar where its end is not known.
    pub until: Timestamp,
    /// Such as `AGILE-24-10-01`.
    pub code: String,
}

/// The span over which a product counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Such as `AGILE-24-10-01`.
    pub code: String,
    /// When it counts.
    pub span: Span,
    /// When no new agreements are made on it any more; the end of the calendar where that is not known.
    pub until: Timestamp,
}

/// The code without its date; `None` for what has none, which is a family's name itself.
pub fn family_of(code: &str) -> Option<&str> {
    let (name, date) = code.split_at_checked(code.len().checked_sub(DATE)?)?;
    let is_date = date.bytes().enumerate().all(|(index, byte)| match index % 3 {
        0 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    (is_date && !name.is_empty()).then_some(name)
}

/// Reads a page of products.
///
/// # Errors
/// What is not JSON of this shape.
pub fn read(text: &str) -> Result<ProductPage, FeedError> {
    json(text)
}

/// Those of the family among the products of a list.
///
/// # Errors
/// Times that are none.
pub fn offerings(products: &[Product], family: Family<'_>) -> Result<Vec<Offering>, FeedError> {
    let mut offerings = Vec::new();
    for product in products.iter().filter(|product| belongs(product, family)) {
        let time = |field: &str, text: Option<&str>, open: Timestamp| {
            let wrong = || FeedError::payload(format!("{}/{field}", product.code), "is no time");
            text.map_or(Ok(open), |text| instant(text).ok_or_else(wrong))
        };
        let from = time("available_from", product.available_from.as_deref(), Timestamp::MIN)?;
        let until = time("available_to", product.available_to.as_deref(), Timestamp::MAX)?;
        if from < until {
            offerings.push(Offering { from, until, code: product.code.clone() });
        }
    }
    Ok(offerings)
}

fn belongs(product: &Product, family: Family<'_>) -> bool {
    is_sold(product, family)
        && family_of(&product.code).is_some_and(|name| is_in(name, family.name))
}

/// Whether a product is of the brand and the direction, whatever its family.
fn is_sold(product: &Product, family: Family<'_>) -> bool {
    let is = |told: Option<&str>, asked: &str| told.is_none_or(|told| told == asked);
    is(product.brand.as_deref(), family.brand) && is(product.direction.as_deref(), family.direction)
}

fn is_in(name: &str, family: &str) -> bool {
    name.strip_prefix(family).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// The families that are sold.
pub fn families(products: &[Product], family: Family<'_>) -> BTreeSet<String> {
    let sold = products.iter().filter(|product| is_sold(product, family));
    sold.filter_map(|product| family_of(&product.code).map(str::to_owned)).collect()
}

/// The product of the family that is sold at an instant: the one whose code has nothing but the family's name
/// and a date, then the latest.
pub fn sold_at<'a>(
    offerings: &'a BTreeSet<Offering>,
    family: &str,
    at: Timestamp,
) -> Option<&'a Offering> {
    let sold = offerings.iter().filter(|offering| offering.from <= at && at < offering.until);
    sold.min_by_key(|offering| {
        (family_of(&offering.code) != Some(family), Reverse(offering.from), &offering.code)
    })
}

/// Which product counts when in `window`: one until no new agreements are made on it, then the one that is
/// sold at that instant. Where none is, it counts on until the next one is there.
pub fn stretches(offerings: &BTreeSet<Offering>, family: &str, window: Span) -> Vec<Stretch> {
    let next_after = |at: Timestamp| offerings.iter().find(|offering| offering.from > at);
    let or_next = |at: Timestamp| sold_at(offerings, family, at).or_else(|| next_after(at));
    let last_before = || offerings.iter().max_by_key(|offering| offering.until);
    let mut current = or_next(window.start()).or_else(last_before);
    let mut start = window.start();
    let mut stretches = Vec::new();
    while let Some(offering) = current {
        start = if stretches.is_empty() { start.max(offering.from) } else { start };
        let next = if offering.until < window.end() { or_next(offering.until) } else { None };
        let end = next.map_or(window.end(), |next| offering.until.max(next.from));
        let Some(span) = Span::new(start, end.min(window.end())) else { break };
        stretches.push(Stretch { code: offering.code.clone(), span, until: offering.until });
        start = end;
        current = next;
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGILE: Family<'static> =
        Family { name: "AGILE", direction: "IMPORT", brand: "OCTOPUS_ENERGY" };

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn product(code: &str, from: &str, until: Option<&str>) -> String {
        let until = until.map_or("null".to_owned(), |until| format!("\"{until}\""));
        format!(
            r#"{{"code": "{code}", "direction": "IMPORT", "full_name": "Agile", "display_name": "Agile Octopus",
                "is_variable": true, "term": 12, "available_from": "{from}", "available_to": {until},
                "links": [], "brand": "OCTOPUS_ENERGY"}}"#
        )
    }

    fn list(products: &[String]) -> Vec<Product> {
        let text = format!(r#"{{"count": 1, "next": null, "results": [{}]}}"#, products.join(","));
        read(&text).unwrap().results
    }

    fn told(products: &[String], start: &str, end: &str) -> Vec<(String, String, String)> {
        let offerings = offerings(&list(products), AGILE).unwrap().into_iter().collect();
        let window = Span::new(at(start), at(end)).unwrap();
        let stretches = stretches(&offerings, "AGILE", window).into_iter();
        let words = |it: Stretch| (it.code, it.span.start().to_string(), it.span.end().to_string());
        stretches.map(words).collect()
    }

    fn stretch(code: &str, start: &str, end: &str) -> (String, String, String) {
        (code.to_owned(), start.to_owned(), end.to_owned())
    }

    #[test]
    fn a_code_is_a_family_and_a_date() {
        assert_eq!(family_of("AGILE-24-10-01"), Some("AGILE"));
        assert_eq!(family_of("AGILE-FLEX-22-11-25"), Some("AGILE-FLEX"));
        for name in ["AGILE", "AGILE-24-10", "-24-10-01", "", "AGILE-24-10-0é", "é-24-1-01"] {
            assert_eq!(family_of(name), None, "{name}");
        }
    }

    /// In London 2024-10-01 begins at 23:00 UTC of the day before.
    #[test]
    fn a_retired_product_is_followed_at_its_end() {
        let products = [
            product("AGILE-24-10-01", "2024-10-01T00:00:00+01:00", None),
            product("AGILE-23-12-06", "2023-12-06T00:00:00Z", Some("2024-10-01T00:00:00+01:00")),
        ];
        assert_eq!(
            told(&products, "2024-09-30T00:00:00Z", "2024-10-02T00:00:00Z"),
            [
                stretch("AGILE-23-12-06", "2024-09-30T00:00:00Z", "2024-09-30T23:00:00Z"),
                stretch("AGILE-24-10-01", "2024-09-30T23:00:00Z", "2024-10-02T00:00:00Z"),
            ]
        );
    }

    #[test]
    fn there_is_no_gap_between_products_and_they_never_overlap() {
        let whole = |until: &str, from: &str| {
            let products = [
                product("AGILE-24-04-03", "2024-04-03T00:00:00Z", Some(until)),
                product("AGILE-24-10-01", from, None),
            ];
            told(&products, "2024-09-01T00:00:00Z", "2024-11-01T00:00:00Z")
        };
        for (until, from, change) in [
            // The next one comes later, then earlier, than the end.
            ("2024-09-20T00:00:00Z", "2024-10-01T00:00:00Z", "2024-10-01T00:00:00Z"),
            ("2024-10-05T00:00:00Z", "2024-10-01T00:00:00Z", "2024-10-01T00:00:00Z"),
        ] {
            let told = whole(until, from);
            let change = if until > from { until } else { change };
            assert_eq!(told[0], stretch("AGILE-24-04-03", "2024-09-01T00:00:00Z", change));
            assert_eq!(told[1], stretch("AGILE-24-10-01", change, "2024-11-01T00:00:00Z"));
        }
    }

    #[test]
    fn what_has_no_successor_counts_on_and_what_begins_later_from_then_on() {
        let ended =
            [product("AGILE-24-04-03", "2024-04-03T00:00:00Z", Some("2024-05-01T00:00:00Z"))];
        let (start, end) = ("2024-09-01T00:00:00Z", "2024-09-02T00:00:00Z");
        assert_eq!(told(&ended, start, end), [stretch("AGILE-24-04-03", start, end)]);
        let later = [product("AGILE-24-10-01", "2024-09-01T12:00:00Z", None)];
        let from = "2024-09-01T12:00:00Z";
        assert_eq!(told(&later, start, end), [stretch("AGILE-24-10-01", from, end)]);
        assert_eq!(told(&[], start, end), []);
    }

    #[test]
    fn the_plain_family_counts_before_its_relatives_and_no_other_brand_or_direction_does() {
        let other = |code: &str, from: &str, to: &str| {
            product(code, "2025-01-01T00:00:00Z", None).replace(from, to)
        };
        let products = [
            product("AGILE-24-10-01", "2024-10-01T00:00:00Z", None),
            product("AGILE-FLEX-25-11-25", "2025-11-25T00:00:00Z", None),
            product("AGILITY-26-01-01", "2026-01-01T00:00:00Z", None),
            other("AGILE-26-01-02", "OCTOPUS_ENERGY", "BULB"),
            other("AGILE-OUTGOING-26-01-03", "IMPORT", "EXPORT"),
        ];
        let (start, end) = ("2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z");
        assert_eq!(told(&products, start, end), [stretch("AGILE-24-10-01", start, end)]);
        let relatives = offerings(&list(&products), AGILE).unwrap();
        assert_eq!(relatives.len(), 2);
        let outgoing = Family { direction: "EXPORT", ..AGILE };
        let fed_in = offerings(&list(&products), outgoing).unwrap();
        assert_eq!(fed_in[0].code, "AGILE-OUTGOING-26-01-03");
        let sold = families(&list(&products), AGILE);
        assert_eq!(Vec::from_iter(sold), ["AGILE", "AGILE-FLEX", "AGILITY"]);
    }

    #[test]
    fn a_time_that_is_none_is_refused_with_the_code() {
        let products = list(&[product("AGILE-24-10-01", "soon", None)]);
        let error = offerings(&products, AGILE).unwrap_err().to_string();
        assert!(error.contains("AGILE-24-10-01/available_from"), "{error}");
    }
}
