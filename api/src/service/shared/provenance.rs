//! What the agendas in force rest on, so that offers can say it.
//!
//! Made once for each state of the agendas: neighbouring pieces of one origin are one run, so that
//! what an offer rests on is found among a handful of runs, and bands have prefix integrals.
//! `O(log runs)` for a span, beside the runs in it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use planner::agenda::{Agenda, AgendaError, Piece, Quality, RateAgenda};
use planner::decision::{Decision, Offer};
use planner::json::basis::BasisDocument;
use planner::json::decision::{DecisionDocument, OfferDocument};
use planner::quantity::{CarbonIntensity, CarbonMass, EnergyPrice, Money, Power, Rate};
use planner::reservation::OfferTerms;
use planner::time::{Span, Timestamp};
use serde::{Deserialize, Serialize};
use storage::{ProvenPiece, Quantity, RevisionId};

/// How a value comes to be in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OriginKind {
    /// Put through the API.
    Put,
    /// By a source that is up to date.
    Fresh,
    /// By a source that is late.
    LastGood,
    /// By the contract, without its supplier.
    Contract,
    /// By a forecast of ours.
    Forecast,
    /// By the site's rule for unknown caps.
    SafeMode,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// Empty for what the site made itself.
    pub source: String,
    /// How the value comes to be in force.
    pub kind: OriginKind,
    /// How well it is known.
    pub quality: Quality,
    /// When the supplier says it was issued.
    pub issued: Option<Timestamp>,
    /// When it was first received.
    pub received: Option<Timestamp>,
}

/// What is stored beside a composed agenda.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Where values come from.
    pub origins: Vec<OriginRecord>,
    /// In time order: which origin, and the band where there is one.
    pub runs: Vec<Run>,
}

/// An [`Origin`] as stored.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OriginRecord {
    source: String,
    standing: OriginKind,
    quality: String,
    issued_s: Option<i64>,
    received_s: Option<i64>,
}

/// A stretch of one origin and band: start and end in seconds, the origin's position, the ends of
/// the band, exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run(pub i64, pub i64, pub usize, pub Option<(i64, i64)>);

/// A piece in force with all that is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownPiece {
    /// When and what, exact.
    pub piece: Piece<i64>,
    /// Where it comes from.
    pub origin: Origin,
    /// Between what it will probably lie, where it is an estimate with a band.
    pub band: Option<(i64, i64)>,
}

/// What one agenda rests on.
#[derive(Debug)]
struct Basis {
    quantity: Quantity,
    origins: Vec<Origin>,
    /// Positions of origins.
    runs: Agenda<usize>,
}

/// Agendas of the lower and upper ends of bands.
#[derive(Debug)]
struct Band<R> {
    low: RateAgenda<R>,
    high: RateAgenda<R>,
    /// Where the ends differ.
    estimated: Agenda<()>,
}

/// What the agendas in force rest on.
#[derive(Debug, Default)]
pub struct Provenance {
    bases: Vec<Basis>,
    price: Option<Band<EnergyPrice>>,
    co2: Option<Band<CarbonIntensity>>,
}

impl OriginKind {
    /// The word in documents.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Put => "put",
            Self::Fresh => "fresh",
            Self::LastGood => "last_good",
            Self::Contract => "contract",
            Self::Forecast => "forecast",
            Self::SafeMode => "safe_mode",
        }
    }
}

impl Origin {
    /// As stored.
    pub fn record(&self) -> OriginRecord {
        OriginRecord {
            source: self.source.clone(),
            standing: self.kind,
            quality: self.quality.word().to_owned(),
            issued_s: self.issued.map(Timestamp::as_unix_seconds),
            received_s: self.received.map(Timestamp::as_unix_seconds),
        }
    }

    /// As documents show it.
    pub fn document(&self, quantity: Quantity) -> BasisDocument {
        BasisDocument {
            quantity: quantity.word(),
            source: self.source.clone(),
            standing: self.kind.word(),
            quality: self.quality.word(),
            issued_at: self.issued,
            received_at: self.received,
        }
    }
}

impl OriginRecord {
    fn origin(&self) -> Origin {
        let instant = |seconds: Option<i64>| seconds.map(Timestamp::from_unix_seconds);
        Origin {
            source: self.source.clone(),
            kind: self.standing,
            quality: Quality::from_word(&self.quality).unwrap_or(Quality::Estimated),
            issued: instant(self.issued_s),
            received: instant(self.received_s),
        }
    }
}

/// Why it cannot be told what agendas rest on.
#[derive(Debug, thiserror::Error)]
pub enum ProvenanceError {
    /// What is stored beside a revision cannot be read.
    #[error("what revision {revision} of an agenda rests on cannot be read")]
    Unreadable {
        /// The revision.
        revision: i64,
        /// Why it cannot be read.
        #[source]
        source: serde_json::Error,
    },
    /// Pieces that overlap.
    #[error(transparent)]
    Agenda(#[from] AgendaError),
}

/// The pieces with what their revisions say of them.
///
/// # Errors
/// [`ProvenanceError::Unreadable`] where that cannot be read.
pub fn known(proven: &[ProvenPiece]) -> Result<Vec<KnownPiece>, ProvenanceError> {
    let mut records: HashMap<RevisionId, Option<Record>> = HashMap::new();
    for ProvenPiece { revision, .. } in proven {
        if let Entry::Vacant(place) = records.entry(revision.revision.id) {
            let text = revision.provenance.as_deref();
            let read = text.map(serde_json::from_str).transpose().map_err(|source| {
                ProvenanceError::Unreadable { revision: revision.revision.id.get(), source }
            })?;
            place.insert(read);
        }
    }
    let known = |proven: &ProvenPiece| {
        let (piece, revision) = (proven.piece, &proven.revision.revision);
        let record = records.get(&revision.id).and_then(Option::as_ref);
        let (origin, band) =
            record.and_then(|record| record.of(piece.span.start())).unwrap_or_else(|| {
                let quality = Quality::from_word(&revision.meta.quality);
                let origin = Origin {
                    source: revision.meta.source.clone(),
                    kind: OriginKind::Put,
                    quality: quality.unwrap_or(Quality::Estimated),
                    issued: revision.meta.issued,
                    received: Some(revision.received),
                };
                (origin, None)
            });
        KnownPiece { piece, origin, band }
    };
    Ok(proven.iter().map(known).collect())
}

impl Record {
    /// What is known of an instant.
    fn of(&self, instant: Timestamp) -> Option<(Origin, Option<(i64, i64)>)> {
        let second = instant.as_unix_seconds();
        let index = self.runs.partition_point(|run| run.1 <= second);
        let Run(start, _, origin, band) = *self.runs.get(index)?;
        (start <= second).then_some((self.origins.get(origin)?.origin(), band))
    }
}

impl Provenance {
    /// What pieces in force rest on.
    ///
    /// # Errors
    /// What is stored cannot be read, or pieces overlap.
    pub fn new(proven: &[(Quantity, Vec<ProvenPiece>)]) -> Result<Self, ProvenanceError> {
        let mut provenance = Self::default();
        for (quantity, pieces) in proven {
            let known = known(pieces)?;
            match quantity {
                Quantity::Price => {
                    provenance.price = band(&known, EnergyPrice::from_millionths_per_mwh)?;
                }
                Quantity::Co2 => {
                    provenance.co2 = band(&known, CarbonIntensity::from_millionths_g_per_kwh)?;
                }
                Quantity::PowerCap => {}
            }
            provenance.bases.push(Basis::new(*quantity, &known)?);
        }
        Ok(provenance)
    }

    /// Tells of a decision what it rests on, and of its offers between what their values lie.
    pub fn tell(&self, decision: &Decision, document: &mut DecisionDocument) {
        let all = decision.offers().iter().zip(&mut document.offers);
        let all = all.chain(decision.pareto.iter().zip(&mut document.pareto));
        let soonest = decision.as_soon_as_possible.iter();
        let all = all.chain(soonest.zip(&mut document.as_soon_as_possible));
        document.basis = self.tell_offers(all);
    }

    /// Tells offers what they rest on; what all of them rest on together.
    pub fn tell_offers<'a, T: RestsOnAgendas + 'a>(
        &self,
        offers: impl Iterator<Item = (&'a Offer, &'a mut T)>,
    ) -> Vec<BasisDocument> {
        let mut offers: Vec<(&Offer, &mut T)> = offers.collect();
        let starts = offers.iter().map(|(offer, _)| offer.span.start());
        let ends = offers.iter().map(|(offer, _)| offer.span.end());
        let Some(hull) = starts.min().zip(ends.max()).and_then(|(a, b)| Span::new(a, b)) else {
            return Vec::new();
        };
        let mut listed: Vec<(usize, usize)> = Vec::new();
        for (index, basis) in self.bases.iter().enumerate() {
            listed.extend(basis.of(hull).into_iter().map(|origin| (index, origin)));
        }
        let one_each = listed.windows(2).all(|pair| pair[0].0 != pair[1].0);
        for (offer, document) in &mut offers {
            self.tell_ranges(offer, *document);
            if !one_each {
                let rests_on = self.positions(&listed, offer.span);
                document.put_basis((rests_on.len() < listed.len()).then_some(rests_on));
            }
        }
        let document = |&(basis, origin): &(usize, usize)| {
            let Basis { quantity, origins, .. } = self.bases.get(basis)?;
            Some(origins.get(origin)?.document(*quantity))
        };
        listed.iter().filter_map(document).collect()
    }

    fn positions(&self, listed: &[(usize, usize)], span: Span) -> Vec<usize> {
        let mut positions = Vec::new();
        for (index, basis) in self.bases.iter().enumerate() {
            for origin in basis.of(span) {
                positions.extend(listed.iter().position(|&it| it == (index, origin)));
            }
        }
        positions.sort_unstable();
        positions
    }

    fn tell_ranges(&self, offer: &Offer, told: &mut impl RestsOnAgendas) {
        if self.price.is_none() && self.co2.is_none() {
            return;
        }
        let span = offer.span;
        // Energy is this power throughout the span, exactly.
        let power = offer.values.energy.as_microjoules() / i128::from(span.length().get());
        let power = Power::from_microwatts(i64::try_from(power).unwrap_or(i64::MAX));
        let currency = offer.values.cost.currency();
        if let Some((low, high)) = self.price.as_ref().and_then(|band| band.over(span)) {
            let cost = |price| power.times_price(price, currency);
            told.put_cost_band(cost(low), cost(high));
        }
        if let Some((low, high)) = self.co2.as_ref().and_then(|band| band.over(span)) {
            told.put_co2_band(power.times_intensity(low), power.times_intensity(high));
        }
    }
}

/// What can be told of an offer's provenance: its terms, or at once its document, so that quotes need
/// no terms.
pub trait RestsOnAgendas {
    /// Between what it will probably cost.
    fn put_cost_band(&mut self, low: Money, high: Money);
    /// Between what it will probably emit.
    fn put_co2_band(&mut self, low: CarbonMass, high: CarbonMass);
    /// The positions in the basis that it rests on.
    fn put_basis(&mut self, positions: Option<Vec<usize>>);
}

impl RestsOnAgendas for OfferDocument {
    fn put_cost_band(&mut self, low: Money, high: Money) {
        (self.cost_low, self.cost_high) = (Some(low.as_units()), Some(high.as_units()));
    }

    fn put_co2_band(&mut self, low: CarbonMass, high: CarbonMass) {
        (self.co2_low_g, self.co2_high_g) = (Some(low.as_grams()), Some(high.as_grams()));
    }

    fn put_basis(&mut self, positions: Option<Vec<usize>>) {
        self.basis = positions;
    }
}

impl RestsOnAgendas for OfferTerms {
    fn put_cost_band(&mut self, low: Money, high: Money) {
        self.cost_band = Some((low, high));
    }

    fn put_co2_band(&mut self, low: CarbonMass, high: CarbonMass) {
        self.co2_band = Some((low, high));
    }

    fn put_basis(&mut self, positions: Option<Vec<usize>>) {
        self.basis = positions;
    }
}

impl Basis {
    fn new(quantity: Quantity, known: &[KnownPiece]) -> Result<Self, AgendaError> {
        let mut origins: Vec<Origin> = Vec::new();
        let mut runs: Vec<Piece<usize>> = Vec::new();
        for KnownPiece { piece, origin, .. } in known {
            let value = origins.iter().position(|it| it == origin).unwrap_or_else(|| {
                origins.push(origin.clone());
                origins.len() - 1
            });
            match runs.last_mut() {
                Some(last) if last.value == value && last.span.end() == piece.span.start() => {
                    last.span = Span::new(last.span.start(), piece.span.end()).unwrap_or(last.span);
                }
                _ => runs.push(Piece { span: piece.span, value }),
            }
        }
        Ok(Self { quantity, origins, runs: Agenda::new(runs)? })
    }

    /// The origins in a span, each once.
    fn of(&self, span: Span) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        for run in self.runs.overlapping(span) {
            if !found.contains(&run.value) {
                found.push(run.value);
            }
        }
        found
    }
}

/// The ends of bands as agendas; `None` where there is no band at all.
fn band<R: Rate>(
    known: &[KnownPiece],
    rate: fn(i64) -> Option<R>,
) -> Result<Option<Band<R>>, AgendaError> {
    let is_estimated = |it: &&KnownPiece| it.band.is_some_and(|(low, high)| low < high);
    let estimated: Vec<Piece<()>> = known
        .iter()
        .filter(is_estimated)
        .map(|it| Piece { span: it.piece.span, value: () })
        .collect();
    if estimated.is_empty() {
        return Ok(None);
    }
    let end = |of: fn((i64, i64)) -> i64| {
        let piece = |it: &KnownPiece| {
            let value = it.band.map_or(it.piece.value, of);
            Some(Piece { span: it.piece.span, value: rate(value)? })
        };
        Ok(RateAgenda::new(Agenda::new(known.iter().filter_map(piece).collect())?))
    };
    let (low, high) = (end(|band| band.0)?, end(|band| band.1)?);
    Ok(Some(Band { low, high, estimated: Agenda::new(estimated)? }))
}

impl<R: Rate> Band<R> {
    /// The integrals of both ends; `None` where the span rests on no estimate.
    fn over(
        &self,
        span: Span,
    ) -> Option<(planner::quantity::Integral<R>, planner::quantity::Integral<R>)> {
        if self.estimated.overlapping(span).is_empty() {
            return None;
        }
        self.low.integral(span).zip(self.high.integral(span))
    }
}
