//! Powers over time: loads, generation and forecasts of both, and what goes from zone to zone.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use planner::agenda::{Agenda, AgendaError, Piece};
use planner::time::{Span, Timestamp};

use super::curve::steps;
use super::fuel::fuel;
use super::map::{MARKET_ZONE, created, exact, is_generation, is_of, is_of_zone};
use super::wire::{Document, TimeSeries};
use crate::feed::FeedError;
use crate::local_time::LocalTime;
use crate::provider::generation::{Fuel, MOST_POWER, Powers, power_agenda};

/// A document that tells powers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlatformDocument<'a> {
    /// A65, process A16: what a zone consumed.
    Load,
    /// A65, process A01: what a zone is expected to consume, said the day before.
    LoadForecast,
    /// A69, process A01: what wind and sun are expected to generate, said the day before.
    WindAndSolarForecast,
    /// A71, process A01: what a zone is expected to generate in all, said the day before.
    GenerationForecast,
    /// A75, process A16: what a zone generated, by kind.
    Generation,
    /// A11: what flowed into a zone from another.
    PhysicalFlow {
        /// The zone that it came from.
        from: &'a str,
    },
    /// A09, contract A01: what is to go into a zone from another, as the day-ahead market has it.
    ScheduledExchange {
        /// The zone that it is to come from.
        from: &'a str,
    },
}

/// What a power is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PowerKind {
    /// What a zone consumes.
    Load,
    /// What a zone generates in all.
    Generation,
    /// What power stations consume themselves, of a forecast of generation.
    OwnUse,
    /// What goes from one zone into another.
    Flow,
    /// What one kind of power station generates, by its code, such as `B16` for solar power.
    Station(Box<str>),
}

/// The powers of one document, in watts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZonePowers {
    /// Each kind over time. A gap is a gap of the document, never zero.
    pub kinds: BTreeMap<PowerKind, Agenda<i64>>,
    /// When the answer was made.
    pub issued_at: Option<Timestamp>,
    /// What was left out, in words.
    pub notes: Vec<String>,
}

impl<'a> PlatformDocument<'a> {
    /// The parameters of a request for it, but for the period.
    pub(super) fn parameters(self, zone: &'a str) -> Vec<(&'static str, &'a str)> {
        let mut asked = vec![("documentType", self.code())];
        asked.extend(self.process().map(|process| ("processType", process)));
        match self {
            Self::Load | Self::LoadForecast => asked.push(("outBiddingZone_Domain", zone)),
            Self::WindAndSolarForecast | Self::GenerationForecast | Self::Generation => {
                asked.push(("in_Domain", zone));
            }
            Self::PhysicalFlow { from } => {
                asked.extend([("in_Domain", zone), ("out_Domain", from)]);
            }
            Self::ScheduledExchange { from } => asked.extend([
                ("in_Domain", zone),
                ("out_Domain", from),
                ("contract_MarketAgreement.type", "A01"),
            ]),
        }
        asked
    }

    const fn code(self) -> &'static str {
        match self {
            Self::Load | Self::LoadForecast => "A65",
            Self::WindAndSolarForecast => "A69",
            Self::GenerationForecast => "A71",
            Self::Generation => "A75",
            Self::PhysicalFlow { .. } => "A11",
            Self::ScheduledExchange { .. } => "A09",
        }
    }

    const fn process(self) -> Option<&'static str> {
        match self {
            Self::Load | Self::Generation => Some("A16"),
            Self::LoadForecast | Self::WindAndSolarForecast | Self::GenerationForecast => {
                Some("A01")
            }
            Self::PhysicalFlow { .. } | Self::ScheduledExchange { .. } => None,
        }
    }

    /// What a time series of `zone` is about; `None` for storage and pumps, which do not count.
    fn kind(self, series: &TimeSeries, zone: &str) -> Result<Option<PowerKind>, FeedError> {
        let code = series.generation.as_ref().map_or("", |generation| generation.code.as_str());
        let unknown = || FeedError::payload("psrType", format!("{code:?} is unknown"));
        match self {
            Self::Load | Self::LoadForecast => {
                is_of_zone(zone)
                    .named("outBiddingZone_Domain.mRID", series.consumption_zone.as_deref())?;
                is_of("business type", "A04")
                    .told("businessType", series.business_type.as_deref())?;
                Ok(Some(PowerKind::Load))
            }
            Self::GenerationForecast => {
                is_generation(series, zone)?;
                let is_use = series.consumption_zone.is_some();
                Ok(Some(if is_use { PowerKind::OwnUse } else { PowerKind::Generation }))
            }
            Self::WindAndSolarForecast => {
                is_generation(series, zone)?;
                let fuel = fuel(code).filter(|fuel| matches!(fuel, Fuel::Solar | Fuel::Wind));
                fuel.ok_or_else(unknown)?;
                Ok(Some(PowerKind::Station(code.into())))
            }
            Self::Generation => {
                is_generation(series, zone)?;
                let is_storage = fuel(code).ok_or_else(unknown)? == Fuel::Storage;
                let counts = !is_storage && series.consumption_zone.is_none();
                Ok(counts.then(|| PowerKind::Station(code.into())))
            }
            Self::PhysicalFlow { from } | Self::ScheduledExchange { from } => {
                is_of_zone(zone).named("in_Domain.mRID", series.in_domain.as_deref())?;
                is_of_zone(from).named("out_Domain.mRID", series.out_domain.as_deref())?;
                if matches!(self, Self::ScheduledExchange { .. }) {
                    is_of("contract type", "A01")
                        .told("contract_MarketAgreement.type", series.contract_type.as_deref())?;
                } else {
                    is_of("business type", "A66")
                        .told("businessType", series.business_type.as_deref())?;
                }
                Ok(Some(PowerKind::Flow))
            }
        }
    }
}

/// Reads the powers of `zone` from the pages of one answer.
///
/// Small negative powers, such as a solar plant's own use at night, count as none. What is beyond a
/// terawatt is a gap. Where one span is said twice, the larger power counts.
///
/// # Errors
/// Documents of another type or zone, units other than megawatts, unknown kinds, spans that overlap in
/// part, and what the curve rules refuse.
pub fn powers(
    pages: &[Document],
    zone: &str,
    document: PlatformDocument<'_>,
) -> Result<ZonePowers, FeedError> {
    let market = LocalTime::named(MARKET_ZONE).map_err(FeedError::calendar)?;
    for page in pages {
        is_of("document type", document.code()).told("type", page.document_type.as_deref())?;
        if let Some(process) = document.process() {
            let came = page.process_type.as_deref();
            is_of("process type", process).told("process.processType", came)?;
        }
    }
    let mut impossible = 0;
    let mut readings: BTreeMap<PowerKind, Powers> = BTreeMap::new();
    for series in pages.iter().flat_map(|page| &page.series) {
        let Some(kind) = document.kind(series, zone)? else { continue };
        is_of("unit", "MAW")
            .named("quantity_Measure_Unit.name", series.quantity_unit.as_deref())?;
        let readings = readings.entry(kind).or_default();
        for period in &series.periods {
            let curve = series.curve.as_deref();
            let (_, steps) = steps(period, curve, &market, |point| point.quantity.as_deref())?;
            for (span, text) in steps {
                let power = exact(&text, span)?;
                if MOST_POWER.contains(&power) {
                    readings.push((span, power.max(0)));
                } else {
                    impossible += 1;
                }
            }
        }
    }
    let mut kinds = BTreeMap::new();
    for (kind, readings) in readings {
        let agenda = power_agenda(readings)?;
        if !agenda.pieces().is_empty() {
            kinds.insert(kind, agenda);
        }
    }
    if kinds.is_empty() {
        return Err(FeedError::not_published("no powers"));
    }
    let beyond = format!("{impossible} powers beyond a terawatt cannot be and are gaps");
    let notes = (impossible > 0).then_some(beyond).into_iter().collect();
    Ok(ZonePowers { kinds, issued_at: created(pages), notes })
}

impl PowerKind {
    /// Whether it is what the sun generates.
    pub fn is_solar(&self) -> bool {
        matches!(self, Self::Station(code) if fuel(code) == Some(Fuel::Solar))
    }

    /// Whether it is what the wind generates, off shore or on shore.
    pub fn is_wind(&self) -> bool {
        matches!(self, Self::Station(code) if fuel(code) == Some(Fuel::Wind))
    }
}

impl ZonePowers {
    /// The sum of the kinds that count, in watts, wherever each of them is known. Empty where none counts.
    ///
    /// # Errors
    /// None: spans between edges follow each other.
    pub fn sum(&self, counts: impl Fn(&PowerKind) -> bool) -> Result<Agenda<i64>, AgendaError> {
        let agendas: Vec<&Agenda<i64>> =
            self.kinds.iter().filter(|(kind, _)| counts(kind)).map(|(_, it)| it).collect();
        let pieces = agendas.iter().flat_map(|agenda| agenda.pieces());
        let edges: BTreeSet<Timestamp> =
            pieces.flat_map(|piece| [piece.span.start(), piece.span.end()]).collect();
        let spans = edges.iter().zip(edges.iter().skip(1));
        let pieces = spans.filter_map(|(&start, &end)| {
            let span = Span::new(start, end)?;
            let parts = agendas.iter().map(|agenda| agenda.at(start));
            // A handful of terawatts at most.
            let value = parts.sum::<Option<i64>>()?;
            Some(Piece { span, value })
        });
        Agenda::new(pieces.collect())
    }

    /// Itself, where it is about the span that was asked for.
    ///
    /// # Errors
    /// Where nothing of it touches that span.
    pub(super) fn asked_for(self, window: Span) -> Result<Self, FeedError> {
        if self.kinds.values().any(|agenda| !agenda.overlapping(window).is_empty()) {
            return Ok(self);
        }
        let spans =
            self.kinds.values().flat_map(planner::agenda::Agenda::pieces).map(|piece| piece.span);
        let said = spans.reduce(|one, other| {
            let (start, end) = (one.start().min(other.start()), one.end().max(other.end()));
            Span::new(start, end).unwrap_or(one)
        });
        let came = said.map_or_else(String::new, |span| format!("powers of {span}"));
        Err(FeedError::mismatch("the answer", format!("powers of {window}"), &came, "the clock"))
    }
}
