//! The power that is missing under a cap, and the cap with what was granted.

use crate::agenda::{Agenda, Piece};
use crate::quantity::Power;
use crate::time::{Seconds, Span, Timestamp};

use crate::headroom::Headroom;

/// Power over a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PowerOver {
    /// The span.
    pub span: Span,
    /// The power throughout the span.
    pub power: Power,
}

/// The power that is missing where headroom is negative, in intervals of the supplier's length: each
/// asks for the most that is missing in it, and neighbours that ask for the same are one. Suppliers may
/// refuse spans that do not consist of their intervals (OpenADR 3 User Guide, 8.10.2).
pub fn missing(headroom: &Headroom, interval: Seconds) -> Vec<PowerOver> {
    let mut wanted: Vec<PowerOver> = Vec::new();
    for &(span, left) in headroom.steps().iter().filter(|(_, left)| *left < Power::ZERO) {
        let power = Power::ZERO - left;
        for span in intervals_of(span, interval) {
            match wanted.last_mut() {
                Some(last) if last.span == span => last.power = last.power.max(power),
                _ => wanted.push(PowerOver { span, power }),
            }
        }
    }
    joined(wanted)
}

/// The intervals that a span touches.
fn intervals_of(span: Span, interval: Seconds) -> impl Iterator<Item = Span> {
    let step = interval.get().max(1);
    let first = span.start().as_unix_seconds().div_euclid(step) * step;
    let starts =
        (first..span.end().as_unix_seconds()).step_by(usize::try_from(step).unwrap_or(usize::MAX));
    starts.filter_map(move |start| Span::starting(Timestamp::from_unix_seconds(start), interval))
}

fn joined(wanted: Vec<PowerOver>) -> Vec<PowerOver> {
    let mut joined: Vec<PowerOver> = Vec::new();
    for next in wanted {
        match joined.last_mut() {
            Some(last) if last.power == next.power && last.span.end() == next.span.start() => {
                last.span = Span::new(last.span.start(), next.span.end()).unwrap_or(last.span);
            }
            _ => joined.push(next),
        }
    }
    joined
}

/// The cap with grants on top. Where no cap is known there is nothing to raise: what is unknown
/// stays unknown. `O(n log n)` in pieces and grants.
pub fn raised(cap: &Agenda<Power>, grants: &[PowerOver]) -> Agenda<Power> {
    let ends = cap.pieces().first().zip(cap.pieces().last());
    let window = ends.and_then(|(first, last)| Span::new(first.span.start(), last.span.end()));
    let Some(window) = window.filter(|_| !grants.is_empty()) else { return cap.clone() };
    let spans = grants.iter().map(|grant| grant.span);
    let mut headroom = Headroom::before_claims(cap, Power::ZERO, window, spans);
    headroom.give_all(grants.iter().map(|grant| (grant.span, grant.power)));
    let pieces = headroom.steps().iter().map(|&(span, value)| Piece { span, value }).collect();
    Agenda::new(pieces).unwrap_or_else(|_| cap.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: i64, end: i64) -> Span {
        Span::new(Timestamp::from_unix_seconds(start), Timestamp::from_unix_seconds(end)).unwrap()
    }

    const fn watts(watts: i64) -> Power {
        Power::from_microwatts(watts * 1_000_000)
    }

    fn cap(pieces: &[(i64, i64, i64)]) -> Agenda<Power> {
        let piece = |&(start, end, cap)| Piece { span: span(start, end), value: watts(cap) };
        Agenda::new(pieces.iter().map(piece).collect()).unwrap()
    }

    const fn extra(span: Span, power: i64) -> PowerOver {
        PowerOver { span, power: watts(power) }
    }

    /// The cap is 100 W; 130 W are wanted in [5, 25) and 20 W more in [12, 15): 30 W are missing,
    /// 50 W in [12, 15). In intervals of 10 s: 30, 50 and 30 W.
    #[test]
    fn what_is_missing_is_asked_for_in_the_suppliers_intervals() {
        let spans = [span(5, 25), span(12, 15)];
        let mut headroom =
            Headroom::before_claims(&cap(&[(0, 100, 100)]), Power::ZERO, span(0, 40), spans);
        headroom.take(spans[0], watts(130));
        headroom.take(spans[1], watts(20));
        let wanted = missing(&headroom, Seconds::new(10));
        assert_eq!(
            wanted,
            [extra(span(0, 10), 30), extra(span(10, 20), 50), extra(span(20, 30), 30)]
        );
        assert_eq!(missing(&headroom, Seconds::new(60)), [extra(span(0, 60), 50)]);
    }

    #[test]
    fn equal_neighbours_are_one_and_nothing_is_asked_for_where_all_fits() {
        let mut headroom =
            Headroom::before_claims(&cap(&[(0, 100, 100)]), watts(10), span(0, 40), [span(0, 40)]);
        headroom.take(span(0, 40), watts(90));
        assert_eq!(missing(&headroom, Seconds::new(10)), []);
        headroom.take(span(0, 40), watts(1));
        assert_eq!(missing(&headroom, Seconds::new(10)), [extra(span(0, 40), 1)]);
    }

    /// 100 W in [0, 20), unknown in [20, 30), 50 W after. Granted: 30 W in [10, 35), 5 W in
    /// [12, 14): 100, 130, 135, 130, unknown, 80 and 50 W.
    #[test]
    fn grants_raise_the_cap_where_there_is_one() {
        let grants = [extra(span(10, 35), 30), extra(span(12, 14), 5)];
        let raised = raised(&cap(&[(0, 20, 100), (30, 100, 50)]), &grants);
        let pieces = raised.pieces().iter().map(|piece| {
            let (start, end) = (piece.span.start(), piece.span.end());
            (start.as_unix_seconds(), end.as_unix_seconds(), piece.value.as_watts())
        });
        assert_eq!(
            pieces.collect::<Vec<_>>(),
            [
                (0, 10, 100.0),
                (10, 12, 130.0),
                (12, 14, 135.0),
                (14, 20, 130.0),
                (30, 35, 80.0),
                (35, 100, 50.0)
            ]
        );
    }
}
