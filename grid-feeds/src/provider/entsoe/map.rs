//! From documents to agendas.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use planner::agenda::{Agenda, Piece};
use planner::quantity::Currency;
use planner::time::{Span, Timestamp};
use quick_xml::Reader;
use quick_xml::events::Event;
use rust_decimal::Decimal;

use super::curve::steps;
use super::factors::{Source, factor};
use super::wire::{Document, TimeSeries};
use crate::feed::{
    Accounting, Factors, FeedError, Kind, Quality, Reading, Series, assemble, decimal, instant,
    millionths, ratio,
};
use crate::http::excerpt;
use crate::local_time::LocalTime;

/// The day of delivery is one of this zone, for all of Europe.
const MARKET_ZONE: &str = "Europe/Brussels";

/// The auction that counts; others are provisional.
const COUPLING: u32 = 1;

/// Reads a document; an acknowledgement is an error, whatever the status it came with.
///
/// # Errors
/// Truncated or other XML, other texts, acknowledgements.
pub fn read(text: &str) -> Result<Document, FeedError> {
    let xml = |error: &dyn std::fmt::Display| FeedError::payload("the XML", error);
    let mut reader = Reader::from_str(text);
    let root = loop {
        match reader.read_event().map_err(|error| xml(&error))? {
            Event::Start(tag) => break tag.name().as_ref().to_owned(),
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
    let texts = acknowledgement.reasons.iter().filter_map(|reason| reason.text.as_deref());
    let message = excerpt(&texts.collect::<Vec<_>>().join("; "));
    if message.contains("No matching data found") {
        FeedError::not_published(message)
    } else {
        FeedError::Refused { status: 200, message }
    }
}

/// Prices of A44 documents, the pages of one answer.
///
/// Each delivery day takes its prices from one auction and resolution: the lowest sequence, then
/// the finest. Auctions other than the first are provisional, hence `forecast`.
///
/// # Errors
/// Units other than currency per MWh, two currencies, and what the curve rules refuse.
pub fn prices(pages: &[Document]) -> Result<Series, FeedError> {
    let market = LocalTime::named(MARKET_ZONE).map_err(FeedError::calendar)?;
    let mut currency = None;
    let mut days: BTreeMap<Date, BTreeMap<(u32, i64), Vec<Reading>>> = BTreeMap::new();
    for series in pages.iter().flat_map(|page| &page.series) {
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

fn price_currency(series: &TimeSeries) -> Result<Currency, FeedError> {
    if series.price_unit.as_deref() != Some("MWH") {
        let unit = series.price_unit.as_deref().unwrap_or("nothing");
        return Err(FeedError::payload("price_Measure_Unit.name", format!("is {unit}, not MWH")));
    }
    let code = series.currency.as_deref().unwrap_or_default();
    Currency::parse(code).map_err(|error| FeedError::payload("currency_Unit.name", error))
}

/// Millionths of a megawatt over spans.
type Powers = Vec<(Span, i64)>;

/// CO2 intensity of A75 documents: `sum(MW x factor) / sum(MW)` over the zone's own generation.
/// Imports are not traced.
///
/// An instant at which a kind reported elsewhere in the answer is missing is a gap. Small negative
/// generation, a station's own use, counts as none; storage is left out.
///
/// # Errors
/// Units other than megawatts, unknown kinds, and what the curve rules refuse.
pub fn intensities(pages: &[Document], factors: Factors) -> Result<Series, FeedError> {
    let market = LocalTime::named(MARKET_ZONE).map_err(FeedError::calendar)?;
    let mut kinds: BTreeMap<&str, (i64, Powers)> = BTreeMap::new();
    for series in pages.iter().flat_map(|page| &page.series) {
        let code = series.generation.as_ref().map_or("", |generation| generation.code.as_str());
        let source = factor(code, factors)
            .ok_or_else(|| FeedError::payload("psrType", format!("{code:?} is unknown")))?;
        let Source::Generation(grams) = source else { continue };
        if series.consumption_zone.is_some() {
            continue;
        }
        if series.quantity_unit.as_deref() != Some("MAW") {
            return Err(FeedError::payload("quantity_Measure_Unit.name", "is not MAW"));
        }
        let (_, powers) = kinds.entry(code).or_insert_with(|| (grams, Vec::new()));
        for period in &series.periods {
            let curve = series.curve.as_deref();
            let (_, steps) = steps(period, curve, &market, |point| point.quantity.as_deref())?;
            for (span, text) in steps {
                powers.push((span, exact(&text, span)?.max(0)));
            }
        }
    }
    let mut agendas = Vec::new();
    for (grams, powers) in kinds.into_values() {
        agendas.push((grams, power_agenda(powers)?));
    }
    let kind = Kind::Co2 { accounting: Accounting::Average, factors };
    let mut notes = vec!["production in the zone; imports are not traced".to_owned()];
    let readings = mixed(&agendas, &mut notes);
    let agenda = assemble(kind, readings, &mut notes)?;
    if agenda.pieces().is_empty() {
        return Err(FeedError::not_published("no instant has all kinds of generation"));
    }
    Ok(Series { kind, issued_at: created(pages), agenda, notes })
}

/// The mix between each two edges of any kind's pieces.
fn mixed(agendas: &[(i64, Agenda<i64>)], notes: &mut Vec<String>) -> Vec<Reading> {
    let pieces = agendas.iter().flat_map(|(_, agenda)| agenda.pieces());
    let edges: BTreeSet<Timestamp> =
        pieces.flat_map(|piece| [piece.span.start(), piece.span.end()]).collect();
    let mut incomplete = 0;
    let mut readings = Vec::new();
    for (&start, &end) in edges.iter().zip(edges.iter().skip(1)) {
        let powers = agendas.iter().map(|(grams, agenda)| Some((*grams, agenda.at(start)?)));
        let Some(powers) = powers.collect::<Option<Vec<_>>>() else {
            incomplete += 1;
            continue;
        };
        let total: i128 = powers.iter().map(|&(_, power)| i128::from(power)).sum();
        let emitted: i128 =
            powers.iter().map(|&(grams, power)| i128::from(grams) * i128::from(power)).sum();
        let value = ratio(emitted * 1_000_000, total);
        if let (Some(span), Some(value)) = (Span::new(start, end), value) {
            readings.push(Reading { span, value, quality: Quality::Measured });
        }
    }
    if incomplete > 0 {
        notes.push(format!("{incomplete} spans lack a kind of generation and are gaps"));
    }
    readings
}

/// One kind's power in millionths of a megawatt; where one span is said twice, the larger.
fn power_agenda(mut powers: Powers) -> Result<Agenda<i64>, FeedError> {
    powers.sort_unstable_by_key(|&(span, power)| (span, std::cmp::Reverse(power)));
    powers.dedup_by_key(|(span, _)| *span);
    let pieces = powers.into_iter().map(|(span, value)| Piece { span, value }).collect();
    Agenda::new(pieces).map_err(|error| FeedError::payload("the generation", error))
}

fn exact(text: &str, span: Span) -> Result<i64, FeedError> {
    decimal(text)
        .and_then(|value| millionths(value, Decimal::ONE))
        .ok_or_else(|| FeedError::payload(span, format!("{:?} is no number", excerpt(text))))
}

fn created(pages: &[Document]) -> Option<Timestamp> {
    pages.iter().filter_map(|page| instant(page.created.as_deref()?)).max()
}
