//! What of an agenda in force a new composition changes.
//!
//! Only that is put, so that a year of compositions stays small, and so that bookings under way are
//! disturbed by changes alone. The past keeps its values where sources fall silent: they were in
//! force. `O(pieces)` of both.

use grid_feeds::compose::{Composition, Sourced, ValueOrigin};
use planner::agenda::Piece;
use planner::time::{Span, Timestamp};

use super::received::PUT;
use crate::service::shared::provenance::{
    Co2Accounting, KnownPiece, Origin, OriginKind, Record, Run,
};

/// What two pieces must have in common to count as the same.
#[derive(Clone, PartialEq, Eq)]
struct ComparedPiece {
    value: i64,
    band: Option<(i64, i64)>,
    origin: Origin,
}

/// A composition's pieces with their origins, and how their CO2 is counted.
pub fn composed(
    composition: &Composition,
    co2_accounting: Option<Co2Accounting>,
) -> Vec<KnownPiece> {
    let known = |piece: &Piece<Sourced>| {
        let Sourced { value, low, high, quality, vintage } = piece.value;
        let vintage = composition.vintages.get(vintage)?;
        let put_by = vintage.source.strip_prefix(PUT);
        let kind = match vintage.origin {
            _ if put_by.is_some() => OriginKind::Put,
            ValueOrigin::Fresh => OriginKind::Fresh,
            ValueOrigin::LastGood { .. } => OriginKind::LastGood,
            ValueOrigin::Contract => OriginKind::Contract,
            ValueOrigin::Forecast => OriginKind::Forecast,
            ValueOrigin::SafeMode => OriginKind::SafeMode,
        };
        let origin = Origin {
            source: put_by.unwrap_or(&vintage.source).to_owned(),
            kind,
            quality,
            issued: vintage.issued_at,
            received: vintage.received_at,
            co2_accounting,
        };
        let band = (low < high).then_some((low, high));
        Some(KnownPiece { piece: Piece { span: piece.span, value }, origin, band })
    };
    composition.agenda.pieces().iter().filter_map(known).collect()
}

/// The spans over which `new` says something else than `old`; where it says nothing before `now`,
/// what was in force stays.
pub fn changed(old: &[KnownPiece], new: &[KnownPiece], window: Span, now: Timestamp) -> Vec<Span> {
    let mut edges = vec![window.start(), window.end()];
    let ends = |it: &KnownPiece| [it.piece.span.start(), it.piece.span.end()];
    edges.extend(old.iter().chain(new).flat_map(ends));
    edges.push(now);
    edges.retain(|edge| (window.start()..=window.end()).contains(edge));
    edges.sort_unstable();
    edges.dedup();
    let (mut before, mut after) = (old.iter().peekable(), new.iter().peekable());
    let mut changed: Vec<Span> = Vec::new();
    let mut joins = false;
    for step in edges.windows(2).filter_map(|pair| Span::new(pair[0], pair[1])) {
        let start = step.start();
        while before.next_if(|it| it.piece.span.end() <= start).is_some() {}
        while after.next_if(|it| it.piece.span.end() <= start).is_some() {}
        let here = |it: &&&KnownPiece| it.piece.span.contains(start);
        let was = before.peek().filter(here).map(|it| compared(it));
        let is = after.peek().filter(here).map(|it| compared(it));
        if is.is_none() && start < now {
            joins = false;
        } else if is != was {
            match changed.last_mut().filter(|_| joins) {
                Some(last) => *last = Span::new(last.start(), step.end()).unwrap_or(*last),
                None => changed.push(step),
            }
            joins = true;
        }
    }
    changed
}

/// When a value was received and issued does not count: who says again what was said before makes
/// it no younger, nor anything new of it.
fn compared(known: &KnownPiece) -> ComparedPiece {
    let origin = Origin { issued: None, received: None, ..known.origin.clone() };
    ComparedPiece { value: known.piece.value, band: known.band, origin }
}

/// The pieces inside `span`, with what is stored beside them.
pub fn inside(known: &[KnownPiece], span: Span) -> (Vec<Piece<i64>>, Record) {
    let mut origins: Vec<&Origin> = Vec::new();
    let (mut pieces, mut runs): (Vec<Piece<i64>>, Vec<Run>) = (Vec::new(), Vec::new());
    for it in known {
        let Some(part) = it.piece.span.intersection(span) else { continue };
        pieces.push(Piece { span: part, value: it.piece.value });
        let index = origins.iter().position(|origin| **origin == it.origin).unwrap_or_else(|| {
            origins.push(&it.origin);
            origins.len() - 1
        });
        let (start, end) = (part.start().as_unix_seconds(), part.end().as_unix_seconds());
        match runs.last_mut() {
            Some(last) if (last.1, last.2, last.3) == (start, index, it.band) => last.1 = end,
            _ => runs.push(Run(start, end, index, it.band)),
        }
    }
    (pieces, Record { origins: origins.into_iter().map(Origin::record).collect(), runs })
}

#[cfg(test)]
mod tests {
    use planner::agenda::Quality;

    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix_seconds(seconds)
    }

    fn span(start: i64, end: i64) -> Span {
        Span::new(at(start), at(end)).unwrap()
    }

    fn known(pieces: &[(i64, i64, i64, &str, i64)]) -> Vec<KnownPiece> {
        let known = |&(start, end, value, source, received): &(i64, i64, i64, &str, i64)| {
            let origin = Origin {
                source: source.to_owned(),
                kind: OriginKind::Fresh,
                quality: Quality::Forecast,
                issued: None,
                received: Some(at(received)),
                co2_accounting: None,
            };
            KnownPiece { piece: Piece { span: span(start, end), value }, origin, band: None }
        };
        pieces.iter().map(known).collect()
    }

    #[test]
    fn only_what_differs_in_value_or_source_is_changed() {
        let old = known(&[(0, 10, 1, "a", 1), (10, 20, 2, "a", 1), (20, 30, 3, "a", 1)]);
        let new = known(&[(0, 5, 1, "a", 9), (5, 10, 1, "a", 9), (10, 20, 7, "a", 9)]);
        let new = [new, known(&[(20, 30, 3, "b", 9), (30, 40, 4, "b", 9)])].concat();
        assert_eq!(changed(&old, &new, span(0, 40), at(0)), [span(10, 40)]);
        assert_eq!(changed(&old, &old, span(0, 40), at(0)), []);
    }

    #[test]
    fn a_value_that_is_counted_in_another_way_is_changed() {
        use grid_feeds::feed::{Accounting, Factors, Kind};

        let counted = |accounting| {
            let mut all = known(&[(0, 10, 1, "a", 1)]);
            let kind = Kind::Co2 { accounting, factors: Factors::Direct };
            all[0].origin.co2_accounting = Co2Accounting::of(kind);
            all
        };
        let (average, marginal) = (counted(Accounting::Average), counted(Accounting::Marginal));
        assert_eq!(changed(&average, &marginal, span(0, 10), at(0)), [span(0, 10)]);
        assert_eq!(changed(&average, &average, span(0, 10), at(0)), []);
    }

    #[test]
    fn the_past_keeps_what_nobody_speaks_of_and_the_future_does_not() {
        let old = known(&[(0, 40, 1, "a", 1)]);
        let new = known(&[(5, 10, 2, "a", 2)]);
        assert_eq!(changed(&old, &new, span(0, 40), at(20)), [span(5, 10), span(20, 40)]);
    }

    #[test]
    fn runs_tell_the_origin_of_every_piece() {
        let pieces = known(&[(0, 10, 1, "a", 1), (10, 20, 2, "a", 1), (20, 30, 3, "b", 1)]);
        let (inner, record) = inside(&pieces, span(5, 25));
        assert_eq!(
            inner.iter().map(|it| it.span).collect::<Vec<_>>(),
            [span(5, 10), span(10, 20), span(20, 25)]
        );
        assert_eq!(record.runs, [Run(5, 20, 0, None), Run(20, 25, 1, None)]);
        assert_eq!(record.origins.len(), 2);
    }
}
