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
        let before = self.pieces.len();
        let index = self.vintages.len();
        let mut still_open = Vec::with_capacity(self.open.len());
        for &gap in &self.open {
            let mut from = gap.start();
            for piece in layer.overlapping(gap) {
                let (Estimate { value, low, high }, quality) = value(piece.value);
                let refused = self.refuse_estimates && quality == Quality::Estimated;
                let Some(span) = piece.span.intersection(gap).filter(|_| !refused) else {
                    continue;
                };
                let value = Sourced { value, low, high, quality, vintage: index };
                still_open.extend(Span::new(from, span.start()));
                self.pieces.push(Piece { span, value });
                from = span.end();
            }
            still_open.extend(Span::new(from, gap.end()));
        }
        self.open = still_open;
        if self.pieces.len() > before {
            self.vintages.push(vintage);
        }
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
