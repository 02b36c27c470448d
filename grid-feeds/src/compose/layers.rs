//! Layers of pieces, the first on top: each fills what those above leave open.

use planner::agenda::{Agenda, Piece};
use planner::quantity::Power;
use planner::time::{Span, Timestamp};

use super::{Composition, Link, Sourced, Standing, Vintage};
use crate::feed::{Estimate, Kind, Known, Quality};

/// What is filled so far.
pub(super) struct Layers {
    window: Span,
    refuse_estimates: bool,
    /// In time order, without overlap.
    pieces: Vec<Piece<Sourced>>,
    vintages: Vec<Vintage>,
}

impl Layers {
    pub fn new(window: Span, refuse_estimates: bool) -> Self {
        Self { window, refuse_estimates, pieces: Vec::new(), vintages: Vec::new() }
    }

    /// The revisions of a source, each over the whole span that it covers.
    pub fn source(&mut self, link: &Link<'_>, standing: Standing) {
        let mut covered: Vec<Span> = Vec::new();
        let mut said = Vec::new();
        for held in &link.revisions {
            let Some(span) = held.revision.series.span() else { continue };
            let vintage = self.vintage(Vintage {
                source: held.revision.source.clone(),
                standing,
                issued_at: held.revision.series.issued_at,
                received_at: Some(held.received_at),
            });
            let sourced = |known: Known| {
                let Known { value, quality } = known;
                Sourced { value, low: value, high: value, quality, vintage }
            };
            for open in uncovered(self.window, &covered) {
                said.extend(clipped(&held.revision.series.agenda, open, sourced));
            }
            covered.push(span);
            covered.sort_unstable();
        }
        self.fill(said);
    }

    /// Estimates of ours.
    pub fn estimates(&mut self, estimates: &Agenda<Estimate>, standing: Standing) {
        let vintage = self.vintage(ours(standing));
        let sourced = |estimate: Estimate| {
            let Estimate { value, low, high } = estimate;
            Sourced { value, low, high, quality: Quality::Estimated, vintage }
        };
        self.fill(clipped(estimates, self.window, sourced).collect());
    }

    /// The cap where none is known. It is the site's own rule, so that refusing estimates does not
    /// refuse it.
    pub fn safe_mode(&mut self, cap: Power) {
        let vintage = self.vintage(ours(Standing::SafeMode));
        let value = cap.as_microwatts();
        let quality = Quality::Estimated;
        let value = Sourced { value, low: value, high: value, quality, vintage };
        let gaps = self.gaps();
        self.pieces.extend(gaps.into_iter().map(|span| Piece { span, value }));
        self.pieces.sort_unstable_by_key(|piece| piece.span);
    }

    pub fn composed(self, kind: Kind) -> Composition {
        let gaps = self.gaps();
        let known_until = self.known_until();
        // Pieces fill gaps only, so that they do not overlap.
        let agenda = Agenda::new(self.pieces).unwrap_or_else(|_| empty());
        Composition { kind, agenda, vintages: self.vintages, gaps, known_until }
    }

    fn vintage(&mut self, vintage: Vintage) -> usize {
        self.vintages.push(vintage);
        self.vintages.len() - 1
    }

    fn fill(&mut self, mut layer: Vec<Piece<Sourced>>) {
        if self.refuse_estimates {
            layer.retain(|piece| piece.value.quality != Quality::Estimated);
        }
        layer.sort_unstable_by_key(|piece| piece.span);
        let Ok(layer) = Agenda::new(layer) else { return };
        for gap in self.gaps() {
            self.pieces.extend(clipped(&layer, gap, |sourced| sourced));
        }
        self.pieces.sort_unstable_by_key(|piece| piece.span);
    }

    fn gaps(&self) -> Vec<Span> {
        let spans: Vec<Span> = self.pieces.iter().map(|piece| piece.span).collect();
        uncovered(self.window, &spans)
    }

    fn known_until(&self) -> Timestamp {
        let mut until = self.window.start();
        for piece in &self.pieces {
            let standing = self.vintages.get(piece.value.vintage).map(|vintage| vintage.standing);
            let said = matches!(standing, Some(Standing::Fresh | Standing::LastGood { .. }));
            if piece.span.start() > until || !said {
                break;
            }
            until = piece.span.end();
        }
        until
    }
}

fn ours(standing: Standing) -> Vintage {
    Vintage { source: "".into(), standing, issued_at: None, received_at: None }
}

fn empty() -> Agenda<Sourced> {
    Agenda::new(Vec::new()).unwrap_or_else(|_| unreachable!("an empty agenda is in order"))
}

/// The parts of an agenda inside `span`.
fn clipped<V: Copy, W>(
    agenda: &Agenda<V>,
    span: Span,
    value: impl Fn(V) -> W,
) -> impl Iterator<Item = Piece<W>> {
    agenda.overlapping(span).iter().filter_map(move |piece| {
        Some(Piece { span: piece.span.intersection(span)?, value: value(piece.value) })
    })
}

/// The parts of `window` outside `spans`, which are in the order of their starts.
fn uncovered(window: Span, spans: &[Span]) -> Vec<Span> {
    let mut open = Vec::new();
    let mut from = window.start();
    for span in spans {
        open.extend(Span::new(from, span.start().min(window.end())));
        from = from.max(span.end());
    }
    open.extend(Span::new(from, window.end()));
    open
}
