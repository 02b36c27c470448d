//! What the agendas in force rest on, so that offers can say it.
//!
//! Made once for each state of the agendas: neighbouring pieces of one origin are one run, so that
//! what an offer rests on is found among a handful of runs, and bands have prefix integrals.
//! `O(log runs)` for a span, beside the runs in it.

mod co2_accounting;
mod origin;

use planner::agenda::{Agenda, AgendaError, Piece, RateAgenda};
use planner::decision::{Decision, Offer};
use planner::json::basis::BasisDocument;
use planner::json::co2_accounting::Co2AccountingDocument;
use planner::json::decision::{DecisionDocument, OfferDocument};
use planner::quantity::{CarbonIntensity, CarbonMass, Currency, EnergyPrice, Money, Power, Rate};
use planner::reservation::OfferTerms;
use planner::time::Span;
use storage::{ProvenPiece, Quantity};

use super::rates::{RatesError, rates};

pub use co2_accounting::{Co2Accounting, stored_accounting};
pub use origin::{
    KnownPiece, Origin, OriginKind, OriginRecord, ProvenanceError, Record, Run, common_accounting,
    known,
};

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

/// The least and the most that something will probably cost, and emit.
pub type Bands = (Option<(Money, Money)>, Option<(CarbonMass, CarbonMass)>);

/// What the agendas in force rest on.
#[derive(Debug, Default)]
pub struct Provenance {
    bases: Vec<Basis>,
    price: Option<Band<EnergyPrice>>,
    co2: Option<Band<CarbonIntensity>>,
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
        let of_co2 = document.basis.iter().filter(|it| it.quantity == Quantity::Co2.word());
        let counted = of_co2.map(|it| it.co2_accounting.as_ref());
        document.co2_accounting = Co2AccountingDocument::common(counted);
    }

    /// How CO2 is counted from now on, as far as it is known; `None` where nothing is, or pieces differ in it.
    pub fn co2_accounting(&self) -> Option<Co2AccountingDocument> {
        let of_co2 = self.bases.iter().filter(|it| it.quantity == Quantity::Co2);
        let counted = of_co2.flat_map(|it| &it.origins).map(|origin| origin.co2_accounting);
        let counted: Vec<_> = counted.map(|it| it.map(Co2Accounting::document)).collect();
        Co2AccountingDocument::common(counted.iter().map(Option::as_ref))
    }

    /// What CO2 over a span rests on.
    pub fn co2_basis(&self, span: Span) -> Vec<BasisDocument> {
        let of_co2 = self.bases.iter().filter(|it| it.quantity == Quantity::Co2);
        let documents = of_co2.flat_map(|basis| {
            let origins = basis.of(span).into_iter().filter_map(move |at| basis.origins.get(at));
            origins.map(|origin| origin.document(Quantity::Co2))
        });
        documents.collect()
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
        let currency = offer.values.cost.currency();
        let (cost, co2) = self.bands(power_of_offer(offer), offer.span, currency);
        if let Some((low, high)) = cost {
            told.put_cost_band(low, high);
        }
        if let Some((low, high)) = co2 {
            told.put_co2_band(low, high);
        }
    }

    /// Between what drawing a power over a span will probably cost and emit, each where it rests on estimates.
    pub fn bands(&self, power: Power, span: Span, currency: Currency) -> Bands {
        let price = self.price.as_ref().and_then(|band| band.over(span));
        let co2 = self.co2.as_ref().and_then(|band| band.over(span));
        let cost = |price| power.times_price(price, currency);
        (
            price.map(|(low, high)| (cost(low), cost(high))),
            co2.map(|(low, high)| (power.times_intensity(low), power.times_intensity(high))),
        )
    }
}

/// What an offer draws: its energy is this power throughout its span, exactly.
pub fn power_of_offer(offer: &Offer) -> Power {
    let power = offer.values.energy.as_microjoules() / i128::from(offer.span.length().get());
    Power::from_microwatts(i64::try_from(power).unwrap_or(i64::MAX))
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
) -> Result<Option<Band<R>>, RatesError> {
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
            Piece { span: it.piece.span, value }
        };
        rates(known.iter().map(piece), rate)
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
