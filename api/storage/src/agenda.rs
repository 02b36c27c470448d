//! Agendas as stored, and what was known at an earlier time.
//!
//! A value is in whole millionths of its quantity's unit: currency per megawatt-hour, grams
//! per kilowatt-hour, watts.

use std::sync::Arc;

use planner::agenda::Piece;
use planner::time::{Span, Timestamp};

use crate::identity::RevisionId;

/// What an agenda is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Quantity {
    /// Price of energy, currency per megawatt-hour.
    Price,
    /// CO2 intensity of energy, grams per kilowatt-hour.
    Co2,
    /// Cap of the cluster's power, watts.
    PowerCap,
}

/// Where a revision comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgendaMeta {
    /// The feed.
    pub source: String,
    /// Average or marginal, direct or life cycle.
    pub kind: String,
    /// Measured, forecast or estimated.
    pub quality: String,
    /// When the supplier says it was issued.
    pub issued: Option<Timestamp>,
}

/// A revision without its pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgendaRevision {
    /// Which revision.
    pub id: RevisionId,
    /// Of what.
    pub quantity: Quantity,
    /// Where from.
    pub meta: AgendaMeta,
    /// When it was stored.
    pub received: Timestamp,
    /// From its first start to its last end, all of which it replaced.
    pub span: Span,
}

/// An agenda made of several sources, to be put in force.
#[derive(Clone, Copy, Debug)]
pub struct ComposedAgenda<'a> {
    /// All of it is replaced; what has no piece becomes a gap.
    pub span: Span,
    /// In time order, inside the span.
    pub pieces: &'a [Piece<i64>],
    /// What the pieces rest on: JSON.
    pub provenance: &'a str,
}

/// A revision and what its pieces rest on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvenRevision {
    /// The revision.
    pub revision: AgendaRevision,
    /// JSON of a composed agenda; `None` where the revision's meta says it all.
    pub provenance: Option<String>,
}

/// A piece with the revision it is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvenPiece {
    /// When and what.
    pub piece: Piece<i64>,
    /// Shared by its pieces.
    pub revision: Arc<ProvenRevision>,
}

impl Quantity {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Price, Self::Co2, Self::PowerCap];

    /// The word used in documents and tables.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Price => "price",
            Self::Co2 => "co2",
            Self::PowerCap => "power_cap",
        }
    }

    /// The quantity of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|quantity| quantity.word() == word)
    }
}

/// What is left of `pieces` where `span` is cut out of them; a piece may leave two parts.
pub(crate) fn cut_out<V: Copy>(pieces: &[Piece<V>], span: Span) -> Vec<Piece<V>> {
    let before =
        |piece: &Piece<V>| Span::new(piece.span.start(), piece.span.end().min(span.start()));
    let after = |piece: &Piece<V>| Span::new(piece.span.start().max(span.end()), piece.span.end());
    pieces
        .iter()
        .flat_map(|piece| [before(piece), after(piece)].map(|part| (part, piece.value)))
        .filter_map(|(part, value)| part.map(|span| Piece { span, value }))
        .collect()
}

/// Takes `span` out of the spans that are open, in time order; what it took.
pub(crate) fn cover(open: &mut Vec<Span>, span: Span) -> Vec<Span> {
    let mut taken = Vec::new();
    let mut left = Vec::with_capacity(open.len() + 1);
    for &gap in &*open {
        taken.extend(gap.intersection(span));
        left.extend(Span::new(gap.start(), gap.end().min(span.start())));
        left.extend(Span::new(gap.start().max(span.end()), gap.end()));
    }
    *open = left;
    taken
}

/// Takes what `pieces` cover out of the spans that are open, in time order both; whether they
/// covered any of it.
pub(crate) fn cut_open<V>(open: &mut Vec<Span>, pieces: &[Piece<V>]) -> bool {
    let mut covered = false;
    let mut left = Vec::with_capacity(open.len());
    for &gap in &*open {
        let first = pieces.partition_point(|piece| piece.span.end() <= gap.start());
        let mut from = gap.start();
        for piece in pieces[first..].iter().take_while(|it| it.span.start() < gap.end()) {
            covered = true;
            left.extend(Span::new(from, piece.span.start()));
            from = piece.span.end();
        }
        left.extend(Span::new(from, gap.end()));
    }
    *open = left;
    covered
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: i64, end: i64) -> Span {
        Span::new(Timestamp::from_unix_seconds(start), Timestamp::from_unix_seconds(end)).unwrap()
    }

    fn pieces(list: &[(i64, i64, i64)]) -> Vec<Piece<i64>> {
        list.iter().map(|&(start, end, value)| Piece { span: span(start, end), value }).collect()
    }

    #[test]
    fn what_a_span_takes_of_what_is_open_is_told() {
        let mut open = vec![span(0, 10), span(20, 30)];
        assert_eq!(cover(&mut open, span(5, 25)), [span(5, 10), span(20, 25)]);
        assert_eq!(open, [span(0, 5), span(25, 30)]);
        assert_eq!(cover(&mut open, span(5, 25)), []);
        assert_eq!(cover(&mut open, span(2, 3)), [span(2, 3)]);
        assert_eq!(open, [span(0, 2), span(3, 5), span(25, 30)]);
    }

    #[test]
    fn what_pieces_cover_is_no_longer_open() {
        let mut open = vec![span(0, 10), span(20, 30)];
        assert!(cut_open(&mut open, &pieces(&[(2, 4, 1), (8, 22, 1), (25, 26, 1)])));
        assert_eq!(open, [span(0, 2), span(4, 8), span(22, 25), span(26, 30)]);
        assert!(!cut_open(&mut open, &pieces(&[(2, 4, 1)])));
        assert!(cut_open(&mut open, &pieces(&[(0, 30, 1)])) && open.is_empty());
    }

    /// Every second falls to the last revision whose span holds it.
    #[test]
    fn from_the_newest_back_every_second_falls_to_its_last_revision() {
        let spans: Vec<Span> = (0..40).map(|n| n * 37 % 50).map(|it| span(it, it + 12)).collect();
        let mut open = vec![span(10, 70)];
        let mut parts = Vec::new();
        for (index, &newest) in spans.iter().enumerate().rev() {
            parts.extend(cover(&mut open, newest).into_iter().map(|part| (index, part)));
        }
        for second in 10..70 {
            let instant = Timestamp::from_unix_seconds(second);
            let last = spans.iter().rposition(|span| span.contains(instant));
            let holding = parts.iter().filter(|(_, part)| part.contains(instant));
            let of: Vec<usize> = holding.map(|(index, _)| *index).collect();
            assert_eq!(of, Vec::from_iter(last), "at {second}");
            assert_eq!(open.iter().any(|gap| gap.contains(instant)), last.is_none());
        }
    }
}
