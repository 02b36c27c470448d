//! From documents to agendas.

use std::collections::BTreeMap;

use jiff::civil::Date;
use planner::quantity::Currency;
use planner::time::{Span, Timestamp};
use quick_xml::Reader;
use quick_xml::events::Event;
use rust_decimal::Decimal;

use super::curve::steps;
use super::fuel::fuel;
use super::wire::{Document, TimeSeries};
use crate::feed::{
    Accounting, Factors, FeedError, Identity, Kind, Quality, Reading, Series, assemble, decimal,
    excerpt, instant, nearest_millionths,
};
use crate::local_time::LocalTime;
use crate::provider::generation::{Fuel, Mix};

/// The day of delivery is one of this zone, for all of Europe.
pub(super) const MARKET_ZONE: &str = "Europe/Brussels";

/// The auction that counts; others are provisional.
const COUPLING: u32 = 1;

/// The businesses of generation: production, consumption, wind and solar power.
pub(super) const GENERATION: [&str; 4] = ["A01", "A04", "A93", "A94"];

/// Reads a document; an acknowledgement is an error, whatever the status it came with.
///
/// # Errors
/// Truncated or other XML, other texts, acknowledgements.
pub fn read(text: &str) -> Result<Document, FeedError> {
    let xml = |error: &dyn std::fmt::Display| FeedError::payload("the XML", error);
    let mut reader = Reader::from_str(text);
    let root = loop {
        match reader.read_event().map_err(|error| xml(&error))? {
            Event::Start(tag) => break tag.local_name().as_ref().to_owned(),
            Event::Eof => return Err(FeedError::payload("the answer", "is empty or no XML")),
            _ => {}
        }
    };
    let document = || quick_xml::de::from_str::<Document>(text).map_err(|error| xml(&error));
    match root.as_str() {
        "Publication_MarketDocument" | "GL_MarketDocument" => document(),
        "Acknowledgement_MarketDocument" => Err(refusal(&document()?)),
        root => Err(FeedError::payload(format!("<{root}>"), "is no document of this platform")),
    }
}

fn refusal(acknowledgement: &Document) -> FeedError {
    let reasons = acknowledgement.reasons.iter().map(|reason| {
        let words = [reason.text.as_deref(), reason.code.as_deref()];
        words.into_iter().flatten().find(|words| !words.trim().is_empty()).unwrap_or("no reason")
    });
    let message = excerpt(&reasons.collect::<Vec<_>>().join("; "));
    let message = if message.is_empty() { "no reason".to_owned() } else { message };
    if message.to_ascii_lowercase().contains("no matching data") {
        FeedError::not_published(message)
    } else {
        FeedError::Refused { status: 200, message }
    }
}

/// The error of an acknowledgement, whatever status it came with; `None` for another text.
pub fn acknowledged(text: &str) -> Option<FeedError> {
    if !text.contains("Acknowledgement_MarketDocument") {
        return None;
    }
    read(text).err().filter(|error| !matches!(error, FeedError::Payload { .. }))
}

/// Prices of A44 documents of `zone`, the pages of one answer.
///
/// Each delivery day takes its prices from one auction and resolution: the lowest sequence, then
/// the finest. Auctions other than the first are provisional, hence `forecast`.
///
/// # Errors
/// Documents of another type or zone, units other than currency per MWh, two currencies, and what the
/// curve rules refuse.
pub fn prices(pages: &[Document], zone: &str) -> Result<Series, FeedError> {
    let market = LocalTime::named(MARKET_ZONE).map_err(FeedError::calendar)?;
    let mut currency = None;
    let mut days: BTreeMap<Date, BTreeMap<(u32, i64), Vec<Reading>>> = BTreeMap::new();
    for page in pages {
        is_of("document type", "A44").told("type", page.document_type.as_deref())?;
    }
    for series in pages.iter().flat_map(|page| &page.series) {
        is_of_zone(zone).named("in_Domain.mRID", series.in_domain.as_deref())?;
        is_of_zone(zone).told("out_Domain.mRID", series.out_domain.as_deref())?;
        is_of("business type", "A62").told("businessType", series.business_type.as_deref())?;
        is_of("contract type", "A01")
            .told("contract_MarketAgreement.type", series.contract_type.as_deref())?;
        let here = price_currency(series)?;
        if *currency.get_or_insert(here) != here {
            return Err(FeedError::payload("currency_Unit.name", "two currencies in one answer"));
        }
        let sequence = series.sequence.unwrap_or(COUPLING);
        let quality = if sequence == COUPLING { Quality::Measured } else { Quality::Forecast };
        for period in &series.periods {
            let curve = series.curve.as_deref();
            let (resolution, steps) =
                steps(period, curve, &market, |point| point.price.as_deref())?;
            for (span, text) in steps {
                let value = exact(&text, span)?;
                let day = market.date(span.start()).map_err(FeedError::calendar)?;
                let key = (sequence, resolution.nominal().get());
                let readings = days.entry(day).or_default().entry(key).or_default();
                readings.push(Reading { span, value, quality });
            }
        }
    }
    let currency = currency.ok_or_else(|| FeedError::not_published("no time series"))?;
    let mut notes = Vec::new();
    let mut chosen = Vec::new();
    for (day, auctions) in days {
        let others = auctions.len() - 1;
        if let Some(((sequence, _), readings)) = auctions.into_iter().next() {
            if sequence != COUPLING {
                notes.push(format!("{day}: only auction {sequence}, provisional"));
            } else if others > 0 {
                notes.push(format!("{day}: {others} other auctions or resolutions left out"));
            }
            chosen.extend(readings);
        }
    }
    let kind = Kind::Price { currency };
    let agenda = assemble(kind, chosen, &mut notes)?;
    Ok(Series { kind, issued_at: created(pages), agenda, notes })
}

pub(super) fn is_of_zone(zone: &str) -> Identity<'_> {
    Identity { what: "zone", asked: zone, setting: "`zone`" }
}

pub(super) const fn is_of(what: &'static str, asked: &'static str) -> Identity<'static> {
    Identity { what, asked, setting: "`base_urls`" }
}

fn price_currency(series: &TimeSeries) -> Result<Currency, FeedError> {
    is_of("unit", "MWH").named("price_Measure_Unit.name", series.price_unit.as_deref())?;
    let code = series.currency.as_deref().unwrap_or_default();
    Currency::parse(code.trim()).map_err(|error| FeedError::payload("currency_Unit.name", error))
}

/// CO2 intensity of A75 documents: that of the mix of the zone's own generation.
///
/// # Errors
/// Documents of another type or zone, units other than megawatts, unknown kinds, and what the curve
/// rules refuse.
pub fn intensities(pages: &[Document], zone: &str, factors: Factors) -> Result<Series, FeedError> {
    let market = LocalTime::named(MARKET_ZONE).map_err(FeedError::calendar)?;
    let mut mix = Mix::new(factors);
    for page in pages {
        is_of("document type", "A75").told("type", page.document_type.as_deref())?;
        is_of("process type", "A16").told("process.processType", page.process_type.as_deref())?;
    }
    for series in pages.iter().flat_map(|page| &page.series) {
        is_generation(series, zone)?;
        let code = series.generation.as_ref().map_or("", |generation| generation.code.as_str());
        let fuel = fuel(code)
            .ok_or_else(|| FeedError::payload("psrType", format!("{code:?} is unknown")))?;
        if fuel == Fuel::Storage || series.consumption_zone.is_some() {
            continue;
        }
        is_of("unit", "MAW")
            .named("quantity_Measure_Unit.name", series.quantity_unit.as_deref())?;
        for period in &series.periods {
            let curve = series.curve.as_deref();
            let (_, steps) = steps(period, curve, &market, |point| point.quantity.as_deref())?;
            for (span, text) in steps {
                mix.add(code, fuel, span, exact(&text, span)?);
            }
        }
    }
    let kind = Kind::Co2 { accounting: Accounting::Average, factors };
    let mut notes = Vec::new();
    let readings = mix.readings(Quality::Measured, &mut notes)?;
    let agenda = assemble(kind, readings, &mut notes)?;
    if agenda.pieces().is_empty() {
        return Err(FeedError::not_published("no instant has all kinds of generation"));
    }
    Ok(Series { kind, issued_at: created(pages), agenda, notes })
}

/// A series of a zone's generation or consumption, by kind.
pub(super) fn is_generation(series: &TimeSeries, zone: &str) -> Result<(), FeedError> {
    let zones = [
        ("inBiddingZone_Domain.mRID", &series.generation_zone),
        ("outBiddingZone_Domain.mRID", &series.consumption_zone),
    ];
    if zones.iter().all(|(_, came)| came.is_none()) {
        return is_of_zone(zone).named("inBiddingZone_Domain.mRID", None);
    }
    for (place, came) in zones {
        is_of_zone(zone).told(place, came.as_deref())?;
    }
    let business = series.business_type.as_deref().map(str::trim);
    match business.filter(|business| !GENERATION.contains(business)) {
        Some(other) => is_of("business type", GENERATION[0]).told("businessType", Some(other)),
        None => Ok(()),
    }
}

pub(super) fn exact(text: &str, span: Span) -> Result<i64, FeedError> {
    decimal(text)
        .map(|value| nearest_millionths(value, Decimal::ONE))
        .ok_or_else(|| FeedError::payload(span, format!("{:?} is no number", excerpt(text))))
}

pub(super) fn created(pages: &[Document]) -> Option<Timestamp> {
    pages.iter().filter_map(|page| instant(page.created.as_deref()?)).max()
}
