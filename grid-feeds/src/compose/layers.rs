//! Layers of pieces, the first on top: each fills what those above leave open.

use planner::agenda::{Agenda, AgendaError, Piece};
use planner::quantity::Power;
use planner::time::{Span, Timestamp};

use super::{Composition, Link, Sourced, ValueOrigin, Vintage};
use crate::feed::{Estimate, Kind, KnownValue, Quality};

/// What is filled so far.
pub(super) struct Layers {
    window: Span,
    refuse_estimates: bool,
    /// In no order, without overlap.
    pieces: Vec<Piece<Sourced>>,
    /// What of the window has no piece, in time order.
    open: Vec<Span>,
    vintages: Vec<Vintage>,
}

impl Layers {
    pub fn new(window: Span, refuse_estimates: bool) -> Self {
        let (pieces, vintages) = (Vec::new(), Vec::new());
        Self { window, refuse_estimates, pieces, open: vec![window], vintages }
    }

    /// The revisions of a source, the newest first: where one has no value, the one before it may,
    /// unless it takes back what was said.
    pub fn source(&mut self, link: &Link<'_>, origin: ValueOrigin) {
        let mut taken_back = Vec::new();
        for held in &link.revisions {
            let vintage = Vintage {
                source: held.revision.source.clone(),
                origin,
                issued_at: held.revision.series.issued_at,
                received_at: Some(held.received_at),
            };
            self.fill(&held.revision.series.agenda, vintage, |KnownValue { value, quality }| {
                (Estimate { value, low: value, high: value }, quality)
            });
            let gone =
                self.pieces.extract_if(.., |it| it.value.value == KnownValue::TAKEN_BACK.value);
            taken_back.extend(gone.map(|piece| piece.span));
        }
        // Of it nothing is to be had from this source; from others it may be.
        self.open.append(&mut taken_back);
        self.open.sort_unstable();
    }

    /// Pieces that were chosen among sources; they name their vintages by index. A vintage that fills
    /// nothing is left out.
    pub fn chosen(&mut self, agenda: &Agenda<Sourced>, vintages: Vec<Vintage>) {
        let before = self.pieces.len();
        self.cover(agenda, |sourced| sourced);
        let mut in_use = vec![false; vintages.len()];
        for piece in &self.pieces[before..] {
            in_use[piece.value.vintage] = true;
        }
        let mut places = Vec::with_capacity(vintages.len());
        for (vintage, is_in_use) in vintages.into_iter().zip(in_use) {
            places.push(self.vintages.len());
            self.vintages.extend(is_in_use.then_some(vintage));
        }
        for piece in &mut self.pieces[before..] {
            piece.value.vintage = places[piece.value.vintage];
        }
    }

    /// Estimates of ours.
    pub fn estimates(&mut self, estimates: &Agenda<Estimate>, origin: ValueOrigin) {
        self.fill(estimates, ours(origin), |estimate| (estimate, Quality::Estimated));
    }

    /// The cap where none is known. It is the site's own rule, so that refusing estimates does not
    /// refuse it.
    pub fn safe_mode(&mut self, cap: Power) {
        let value = cap.as_microwatts();
        let (quality, vintage) = (Quality::Estimated, self.vintages.len());
        let value = Sourced { value, low: value, high: value, quality, vintage };
        let open = std::mem::take(&mut self.open);
        if !open.is_empty() {
            self.vintages.push(ours(ValueOrigin::SafeMode));
        }
        self.pieces.extend(open.into_iter().map(|span| Piece { span, value }));
    }

    pub fn composed(mut self, kind: Kind) -> Result<Composition, AgendaError> {
        self.pieces.sort_unstable_by_key(|piece| piece.span);
        let known_until = self.known_until();
        let agenda = Agenda::new(self.pieces)?;
        Ok(Composition { kind, agenda, vintages: self.vintages, gaps: self.open, known_until })
    }

    /// Fills what is open with the pieces of `layer`; a layer that fills nothing leaves no vintage.
    fn fill<V: Copy>(
        &mut self,
        layer: &Agenda<V>,
        vintage: Vintage,
        value: impl Fn(V) -> (Estimate, Quality),
    ) {
        let (before, index) = (self.pieces.len(), self.vintages.len());
        self.cover(layer, |piece| {
            let (Estimate { value, low, high }, quality) = value(piece);
            Sourced { value, low, high, quality, vintage: index }
        });
        if self.pieces.len() > before {
            self.vintages.push(vintage);
        }
    }

    /// Fills what is open with the pieces of `layer`.
    fn cover<V: Copy>(&mut self, layer: &Agenda<V>, sourced: impl Fn(V) -> Sourced) {
        let mut still_open = Vec::with_capacity(self.open.len());
        for &gap in &self.open {
            let mut from = gap.start();
            for piece in layer.overlapping(gap) {
                let value = sourced(piece.value);
                let refused = self.refuse_estimates && value.quality == Quality::Estimated;
                let Some(span) = piece.span.intersection(gap).filter(|_| !refused) else {
                    continue;
                };
                still_open.extend(Span::new(from, span.start()));
                self.pieces.push(Piece { span, value });
                from = span.end();
            }
            still_open.extend(Span::new(from, gap.end()));
        }
        self.open = still_open;
    }

    /// The end of the first run of pieces that suppliers said.
    fn known_until(&self) -> Timestamp {
        let mut until = self.window.start();
        for piece in &self.pieces {
            let origin = self.vintages.get(piece.value.vintage).map(|vintage| vintage.origin);
            let said = matches!(origin, Some(ValueOrigin::Fresh | ValueOrigin::LastGood { .. }));
            if piece.span.start() > until || !said {
                break;
            }
            until = piece.span.end();
        }
        until
    }
}

fn ours(origin: ValueOrigin) -> Vintage {
    Vintage { source: "".into(), origin, issued_at: None, received_at: None }
}

#[cfg(test)]
mod tests {
    use planner::quantity::Currency;
    use proptest::prelude::*;

    use super::*;

    const EUR: Kind = Kind::Price { currency: Currency::EUR };

    fn span(from: i64, until: i64) -> Span {
        let at = |hour: i64| Timestamp::from_unix_seconds(hour * 3600);
        Span::new(at(from), at(until)).unwrap()
    }

    /// One vintage after another, each by itself.
    fn chosen_one_by_one(layers: &mut Layers, agenda: &Agenda<Sourced>, vintages: Vec<Vintage>) {
        for (index, vintage) in vintages.into_iter().enumerate() {
            let of_vintage = agenda.pieces().iter().filter(|piece| piece.value.vintage == index);
            let of_vintage = Agenda::new(of_vintage.copied().collect()).unwrap();
            layers.fill(&of_vintage, vintage, |sourced| {
                let Sourced { value, low, high, quality, .. } = sourced;
                (Estimate { value, low, high }, quality)
            });
        }
    }

    proptest! {
        /// Pieces are of two hours, and begin before what is open; what lies on top is of an hour each.
        #[test]
        fn what_is_chosen_fills_as_its_vintages_would_one_after_another(
            on_top in prop::collection::vec(any::<bool>(), 24),
            chosen in prop::collection::vec(
                prop::option::of((-9_i64..9, 0_usize..5, any::<bool>())),
                14,
            ),
            refuse_estimates in any::<bool>(),
        ) {
            let on_top = (0..).zip(&on_top).filter(|(_, is_put)| **is_put).map(|(hour, _)| Piece {
                span: span(hour, hour + 1),
                value: Estimate { value: 99, low: 99, high: 99 },
            });
            let on_top = Agenda::new(on_top.collect()).unwrap();
            let pieces = (0..).zip(&chosen).filter_map(|(index, value)| {
                let (value, vintage, is_estimate) = (*value)?;
                let quality = if is_estimate { Quality::Estimated } else { Quality::Measured };
                let value = Sourced { value, low: value - 1, high: value + 1, quality, vintage };
                Some(Piece { span: span(2 * index - 1, 2 * index + 1), value })
            });
            let agenda = Agenda::new(pieces.collect()).unwrap();
            let vintages: Vec<Vintage> = (0..5_i64)
                .map(|index| Vintage {
                    source: index.to_string().into(),
                    issued_at: Some(Timestamp::from_unix_seconds(index)),
                    ..ours(ValueOrigin::Fresh)
                })
                .collect();
            let layers = || {
                let mut layers = Layers::new(span(0, 24), refuse_estimates);
                layers.fill(&on_top, ours(ValueOrigin::Fresh), |it| (it, Quality::Measured));
                layers
            };
            let (mut at_once, mut one_by_one) = (layers(), layers());
            at_once.chosen(&agenda, vintages.clone());
            chosen_one_by_one(&mut one_by_one, &agenda, vintages);
            prop_assert_eq!(at_once.composed(EUR).unwrap(), one_by_one.composed(EUR).unwrap());
        }
    }
}
