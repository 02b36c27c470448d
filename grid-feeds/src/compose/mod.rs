//! One agenda of several sources.
//!
//! At each instant the first of these counts that has a value: the fresh sources in the order of
//! the chain; the last good values of sources that are late, with their age; the contract's own
//! prices; a forecast of ours. For power caps the site's safe-mode cap stands in for what is not
//! known. What remains is a gap, over which nothing is promised. A site may have the median of
//! fresh sources count where three or more have a value ([`Precedence`]).
//!
//! Kinds never mix: a chain is of one currency, or of average or marginal and direct or life-cycle
//! CO2.
//!
//! `O((pieces + revisions) log pieces)` where few gaps are left after the first revisions.

mod layers;
mod median;
#[cfg(test)]
mod tests;

use planner::agenda::{Agenda, AgendaError, Piece};
use planner::quantity::{CarbonIntensity, EnergyPrice, Power};
use planner::time::{Seconds, Span, Timestamp};

use self::layers::Layers;
use crate::feed::{Estimate, Kind, Quality, Revision};

/// A revision and when we heard of it.
#[derive(Clone, Copy, Debug)]
pub struct KeptRevision<'a> {
    /// What was said.
    pub revision: &'a Revision,
    /// When it came.
    pub received_at: Timestamp,
    /// When the source last said so, if only that nothing changed.
    pub confirmed_at: Timestamp,
}

/// A source of a chain.
#[derive(Clone, Debug)]
pub struct Link<'a> {
    /// Its revisions, the newest first. Where one leaves a gap, the one before it still counts:
    /// what a source said once and did not change since, it still says.
    pub revisions: Vec<KeptRevision<'a>>,
    /// Confirmed no longer ago than this, it is fresh.
    pub fresh_for: Seconds,
    /// Confirmed no longer ago than this, it is the last good value.
    pub usable_for: Seconds,
}

/// Whose value counts where several fresh sources have one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precedence {
    /// That of the first in the chain.
    #[default]
    Order,
    /// Where three or more have a value, the median of them; of an even number the more cautious of
    /// the two in the middle. Only values of the best quality there count: no forecast outvotes what
    /// was measured. Elsewhere the order. Not for power caps, for which this is the order too: no cap
    /// of a supplier is outvoted.
    Median,
}

/// What an agenda is made of.
#[derive(Clone, Debug)]
pub struct Chain<'a> {
    /// Of all sources.
    pub kind: Kind,
    /// The first counts most.
    pub links: Vec<Link<'a>>,
    /// So many of the first links are no sources but what people put: it counts before all sources.
    pub puts: usize,
    /// Whose value counts.
    pub precedence: Precedence,
    /// What the contract says without its supplier: see [`Tariff::expected`].
    ///
    /// [`Tariff::expected`]: crate::provider::contract::Tariff::expected
    pub contract: Option<&'a Agenda<Estimate>>,
    /// What we expect: see [`crate::forecast`].
    pub forecast: Option<&'a Agenda<Estimate>>,
    /// For power caps: what holds where none is known.
    pub safe_mode_cap: Option<Power>,
    /// Estimates, ours and suppliers', become gaps: the site does not promise on them.
    pub refuse_estimates: bool,
}

/// For sources whose values count however old they are.
pub const ANY_AGE: Seconds = Seconds::new(i64::MAX / 4);

impl<'a> Chain<'a> {
    /// Of sources alone: nothing stands in where they are silent.
    pub const fn of_sources(kind: Kind, links: Vec<Link<'a>>) -> Self {
        Self {
            kind,
            links,
            puts: 0,
            precedence: Precedence::Order,
            contract: None,
            forecast: None,
            safe_mode_cap: None,
            refuse_estimates: false,
        }
    }
}

/// Why there is no composition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ComposeError {
    /// Two kinds in one chain.
    #[error("source {origin} has {found}, the chain {wanted}; they do not mix")]
    Mixed {
        /// The source that does not fit.
        origin: Box<str>,
        /// Its kind.
        found: Kind,
        /// That of the chain.
        wanted: Kind,
    },
    /// Pieces that overlap; those of an [`Agenda`] do not.
    #[error("the sources overlap")]
    Overlap(#[from] AgendaError),
}

/// How a value comes to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueOrigin {
    /// A source that is up to date.
    Fresh,
    /// A source that is late.
    LastGood {
        /// Since it was confirmed.
        age: Seconds,
    },
    /// The contract, without its supplier.
    Contract,
    /// A forecast of ours.
    Forecast,
    /// The safe-mode cap, since no cap is known.
    SafeMode,
}

/// Where values come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vintage {
    /// The source; empty where it is none.
    pub source: Box<str>,
    /// How its values come to be there.
    pub origin: ValueOrigin,
    /// When the supplier says it issued them.
    pub issued_at: Option<Timestamp>,
    /// When we received them.
    pub received_at: Option<Timestamp>,
}

/// A value with its origin; where it is not an estimate of ours, `low` and `high` equal it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sourced {
    /// In the exact unit of the kind.
    pub value: i64,
    /// The lower end of the error band.
    pub low: i64,
    /// The upper end.
    pub high: i64,
    /// How well it is known.
    pub quality: Quality,
    /// Index of its vintage.
    pub vintage: usize,
}

/// One agenda of several sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composition {
    /// Of all values.
    pub kind: Kind,
    /// The values, inside the window asked for.
    pub agenda: Agenda<Sourced>,
    /// Where they come from; pieces name them by index.
    pub vintages: Vec<Vintage>,
    /// What of the window has no value.
    pub gaps: Vec<Span>,
    /// From the start of the window until here there is no gap and nothing but what suppliers said.
    pub known_until: Timestamp,
}

/// What a span rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Basis<'c> {
    /// One of the vintages.
    pub vintage: &'c Vintage,
    /// The least quality of its values in the span.
    pub quality: Quality,
}

/// Composes an agenda over `window` as it is at `now`.
///
/// # Errors
/// Where a source is of another kind than the chain.
pub fn compose(
    window: Span,
    now: Timestamp,
    chain: &Chain<'_>,
) -> Result<Composition, ComposeError> {
    refuse_mixed(chain)?;
    let mut layers = Layers::new(window, chain.refuse_estimates);
    if chain.precedence == Precedence::Median && chain.kind != Kind::PowerCap {
        for link in chain.links.iter().take(chain.puts) {
            if origin(link, now) == Some(ValueOrigin::Fresh) {
                layers.source(link, ValueOrigin::Fresh);
            }
        }
        let (agenda, vintages) = median::median(&fresh_sources(window, now, chain)?)?;
        layers.chosen(&agenda, vintages);
    }
    for want_fresh in [true, false] {
        for link in &chain.links {
            match origin(link, now) {
                Some(origin) if (origin == ValueOrigin::Fresh) == want_fresh => {
                    layers.source(link, origin);
                }
                _ => {}
            }
        }
    }
    for (estimates, origin) in
        [(chain.contract, ValueOrigin::Contract), (chain.forecast, ValueOrigin::Forecast)]
    {
        if let Some(estimates) = estimates {
            layers.estimates(estimates, origin);
        }
    }
    if let (Kind::PowerCap, Some(cap)) = (chain.kind, chain.safe_mode_cap) {
        layers.safe_mode(cap);
    }
    Ok(layers.composed(chain.kind)?)
}

/// What each fresh source of a chain says by itself, in the order of the chain: a composition of it
/// alone. What people put is none of them.
///
/// # Errors
/// Where a source is of another kind than the chain.
pub fn fresh_sources(
    window: Span,
    now: Timestamp,
    chain: &Chain<'_>,
) -> Result<Vec<Composition>, ComposeError> {
    refuse_mixed(chain)?;
    let sources = chain.links.iter().skip(chain.puts);
    let fresh = sources.filter(|link| origin(link, now) == Some(ValueOrigin::Fresh));
    let alone = |link: &Link<'_>| {
        let mut layers = Layers::new(window, chain.refuse_estimates);
        layers.source(link, ValueOrigin::Fresh);
        Ok(layers.composed(chain.kind)?)
    };
    fresh.map(alone).collect()
}

fn refuse_mixed(chain: &Chain<'_>) -> Result<(), ComposeError> {
    let mut all = chain.links.iter().flat_map(|link| &link.revisions);
    match all.find(|held| held.revision.series.kind != chain.kind) {
        None => Ok(()),
        Some(held) => Err(ComposeError::Mixed {
            origin: held.revision.source.clone(),
            found: held.revision.series.kind,
            wanted: chain.kind,
        }),
    }
}

/// `None` for a source that has not been heard of for too long.
fn origin(link: &Link<'_>, now: Timestamp) -> Option<ValueOrigin> {
    let confirmed = link.revisions.iter().map(|held| held.confirmed_at).max()?;
    // A clock that was set back makes nothing older.
    let age = (now - confirmed).max(Seconds::new(0));
    if age <= link.fresh_for {
        Some(ValueOrigin::Fresh)
    } else {
        (age <= link.usable_for).then_some(ValueOrigin::LastGood { age })
    }
}

impl Composition {
    /// The vintages that `span` rests on, each with its least quality.
    pub fn basis(&self, span: Span) -> Vec<Basis<'_>> {
        let mut found: Vec<(usize, Quality)> = Vec::new();
        for piece in self.agenda.overlapping(span) {
            let Sourced { vintage, quality, .. } = piece.value;
            match found.iter_mut().find(|(index, _)| *index == vintage) {
                Some((_, least)) => *least = quality.min(*least),
                None => found.push((vintage, quality)),
            }
        }
        let basis = |(index, quality): (usize, Quality)| {
            Some(Basis { vintage: self.vintages.get(index)?, quality })
        };
        found.into_iter().filter_map(basis).collect()
    }

    /// The prices, for plans; `None` for another kind.
    pub fn prices(&self) -> Option<Agenda<EnergyPrice>> {
        let Kind::Price { .. } = self.kind else { return None };
        self.typed(EnergyPrice::from_millionths_per_mwh)
    }

    /// The intensities, for plans; `None` for another kind.
    pub fn intensities(&self) -> Option<Agenda<CarbonIntensity>> {
        let Kind::Co2 { .. } = self.kind else { return None };
        self.typed(CarbonIntensity::from_millionths_g_per_kwh)
    }

    /// The caps, for plans; `None` for another kind.
    pub fn power_caps(&self) -> Option<Agenda<Power>> {
        let Kind::PowerCap = self.kind else { return None };
        self.typed(|microwatts| Some(Power::from_microwatts(microwatts)))
    }

    fn typed<V: Copy>(&self, value: impl Fn(i64) -> Option<V>) -> Option<Agenda<V>> {
        let pieces = self.agenda.pieces().iter().map(|piece| {
            let value = value(piece.value.value)?;
            Some(Piece { span: piece.span, value })
        });
        Agenda::new(pieces.collect::<Option<Vec<_>>>()?).ok()
    }
}
