//! An agenda under construction, of which parts are laid over others.

use std::collections::BTreeMap;

use planner::agenda::{Agenda, AgendaError, Piece};
use planner::time::{Span, Timestamp};

/// Values over time, by the start of their pieces. `O(log pieces)` for a piece that is added, beside
/// the pieces that it touches.
#[derive(Clone, Debug)]
pub(super) struct Overlay<V>(BTreeMap<Timestamp, Piece<V>>);

impl<V: Copy> Overlay<V> {
    pub const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// Puts a piece where there is none yet.
    pub fn fill(&mut self, piece: Piece<V>) {
        let mut from = piece.span.start();
        let mut open = Vec::new();
        for there in self.touching(piece.span) {
            open.extend(Span::new(from, there.span.start()));
            from = there.span.end();
        }
        open.extend(Span::new(from, piece.span.end()));
        self.0.extend(open.into_iter().map(|span| (span.start(), Piece { span, ..piece })));
    }

    /// Puts a piece over whatever is there.
    pub fn cover(&mut self, piece: Piece<V>) {
        let (start, end) = (piece.span.start(), piece.span.end());
        for there in self.touching(piece.span) {
            self.0.remove(&there.span.start());
            let before = Span::new(there.span.start(), start);
            let after = Span::new(end, there.span.end());
            let rest = before.into_iter().chain(after);
            self.0.extend(rest.map(|span| (span.start(), Piece { span, ..there })));
        }
        self.0.insert(start, piece);
    }

    /// The pieces that share an instant with a span, in time order.
    fn touching(&self, span: Span) -> Vec<Piece<V>> {
        let before = self.0.range(..span.start()).next_back();
        let before = before.filter(|(_, piece)| piece.span.overlaps(span));
        let inside = self.0.range(span.start()..span.end());
        before.into_iter().chain(inside).map(|(_, piece)| *piece).collect()
    }

    /// What is there in the end.
    ///
    /// # Errors
    /// Pieces that overlap, which there are none of.
    pub fn into_agenda(self) -> Result<Agenda<V>, AgendaError> {
        Agenda::new(self.0.into_values().collect())
    }
}
