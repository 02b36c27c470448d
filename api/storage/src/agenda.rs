//! Agendas as stored, and what was known at an earlier time.
//!
//! A value is in whole millionths of its quantity's unit: currency per megawatt-hour, grams
//! per kilowatt-hour, watts.

use std::collections::BTreeMap;

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

impl Quantity {
    const ALL: [Self; 3] = [Self::Price, Self::Co2, Self::PowerCap];

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

/// What holds in `window` after `revisions` were put one after another, each as the span it
/// replaces and its pieces; trimmed to the window.
///
/// A piece enters the map once and leaves it at most once, and a revision splits at most two: the
/// cost is `O(p log p)` for `p` pieces and revisions, however they overlap.
pub(crate) fn compose(
    window: Span,
    revisions: impl IntoIterator<Item = (Span, Vec<Piece<i64>>)>,
) -> Vec<Piece<i64>> {
    let mut in_force: BTreeMap<Timestamp, Piece<i64>> = BTreeMap::new();
    for (replaced, pieces) in revisions {
        let Some(replaced) = replaced.intersection(window) else { continue };
        let touched = take_overlapping(&mut in_force, replaced);
        let trimmed = pieces.into_iter().filter_map(|piece| {
            piece.span.intersection(window).map(|span| Piece { span, value: piece.value })
        });
        let kept = cut_out(&touched, replaced);
        in_force.extend(kept.into_iter().chain(trimmed).map(|piece| (piece.span.start(), piece)));
    }
    in_force.into_values().collect()
}

/// Removes the pieces that share an instant with `span`. They are disjoint, so only the last one
/// that starts before the span can reach into it.
fn take_overlapping(pieces: &mut BTreeMap<Timestamp, Piece<i64>>, span: Span) -> Vec<Piece<i64>> {
    let reaching_in = pieces.range(..span.start()).next_back();
    let first = reaching_in.filter(|(_, piece)| piece.span.overlaps(span)).map(|(start, _)| *start);
    let inside = pieces.range(span.start()..span.end()).map(|(start, _)| *start);
    let starts: Vec<Timestamp> = first.into_iter().chain(inside).collect();
    starts.iter().filter_map(|start| pieces.remove(start)).collect()
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

    fn revision(list: &[(i64, i64, i64)]) -> (Span, Vec<Piece<i64>>) {
        (span(list[0].0, list[list.len() - 1].1), pieces(list))
    }

    #[test]
    fn a_revision_in_the_middle_of_a_piece_splits_it() {
        let composed = compose(span(0, 100), [revision(&[(0, 100, 1)]), revision(&[(40, 60, 2)])]);
        assert_eq!(composed, pieces(&[(0, 40, 1), (40, 60, 2), (60, 100, 1)]));
    }

    #[test]
    fn a_gap_inside_a_revision_stays_a_gap() {
        let later = revision(&[(20, 30, 2), (50, 60, 3)]);
        let composed = compose(span(0, 100), [revision(&[(0, 40, 1), (40, 100, 9)]), later]);
        assert_eq!(composed, pieces(&[(0, 20, 1), (20, 30, 2), (50, 60, 3), (60, 100, 9)]));
    }

    #[test]
    fn a_later_revision_hides_all_it_covers_and_nothing_it_touches() {
        let first = revision(&[(0, 10, 1), (10, 20, 2), (20, 30, 3)]);
        let composed = compose(span(0, 30), [first, revision(&[(10, 20, 7)])]);
        assert_eq!(composed, pieces(&[(0, 10, 1), (10, 20, 7), (20, 30, 3)]));
    }

    #[test]
    fn what_is_known_is_trimmed_to_the_window() {
        let composed = compose(span(5, 25), [revision(&[(0, 10, -1), (20, 30, 3)])]);
        assert_eq!(composed, pieces(&[(5, 10, -1), (20, 25, 3)]));
    }

    /// Every second is judged by the last revision whose span holds it.
    #[test]
    fn agrees_with_asking_every_second_for_its_last_revision() {
        let revisions: Vec<_> = (0..40_i64)
            .map(|n| {
                let start = n * 37 % 50;
                revision(&[(start, start + 5, n), (start + 5 + n % 4, start + 12, -n)])
            })
            .collect();
        let composed = compose(span(10, 55), revisions.clone());
        for second in 10..55 {
            let instant = Timestamp::from_unix_seconds(second);
            let value_in = |pieces: &[Piece<i64>]| {
                pieces.iter().find(|piece| piece.span.contains(instant)).map(|piece| piece.value)
            };
            let last = revisions.iter().rev().find(|(span, _)| span.contains(instant));
            let expected = last.and_then(|(_, pieces)| value_in(pieces));
            assert_eq!(value_in(&composed), expected, "at {second}");
        }
        assert!(composed.windows(2).all(|pair| pair[0].span.end() <= pair[1].span.start()));
    }
}
