//! Reserved power over time beside the cap.

use std::collections::BTreeMap;

use planner::agenda::Agenda;
use planner::quantity::Power;
use planner::time::{Span, Timestamp};

use super::outcome::PowerUse;

/// How `reservations` (when, and their nodes' maximum power) use the cap, in `month` and after it.
pub(super) fn power_use(
    reservations: &[(Span, Power)],
    cap: Option<&Agenda<Power>>,
    month: Span,
) -> PowerUse {
    let steps = reserved(reservations);
    let peak = steps.iter().map(|(_, power)| *power).max().unwrap_or(Power::ZERO);
    let mut cap_used_peak: Option<f64> = cap.map(|_| 0.0);
    for (span, power) in &steps {
        let caps = cap.into_iter().flat_map(|cap| cap.overlapping(*span));
        for piece in caps.filter(|piece| piece.value > Power::ZERO) {
            let used = power.as_watts() / piece.value.as_watts();
            cap_used_peak = cap_used_peak.map(|most| most.max(used));
        }
    }
    let allowed = cap.filter(|cap| cap.covers(month)).map(|cap| {
        energy(cap.overlapping(month).iter().map(|piece| (piece.span, piece.value)), month)
    });
    let taken = energy(steps.into_iter(), month);
    PowerUse {
        peak_power_w: peak.as_watts(),
        cap_used: allowed.filter(|allowed| *allowed > 0.0).map(|allowed| taken / allowed),
        cap_used_peak,
    }
}

/// Reserved power as steps in time order.
fn reserved(reservations: &[(Span, Power)]) -> Vec<(Span, Power)> {
    let mut changes: BTreeMap<Timestamp, Power> = BTreeMap::new();
    for &(span, power) in reservations {
        for (instant, change) in [(span.start(), power), (span.end(), Power::ZERO - power)] {
            let sum = changes.entry(instant).or_default();
            *sum = *sum + change;
        }
    }
    let mut steps = Vec::with_capacity(changes.len());
    let (mut since, mut power) = (None, Power::ZERO);
    for (instant, change) in changes {
        steps.extend(since.and_then(|since| Span::new(since, instant)).map(|span| (span, power)));
        since = Some(instant);
        power = power + change;
    }
    steps
}

/// The integral of steps inside `month`, J.
fn energy(steps: impl Iterator<Item = (Span, Power)>, month: Span) -> f64 {
    let inside = steps.filter_map(|(span, power)| Some((span.intersection(month)?, power)));
    inside.map(|(span, power)| power.as_watts() * span.length().get() as f64).sum()
}

#[cfg(test)]
mod tests {
    use planner::agenda::Piece;

    use super::*;

    fn span(from: i64, until: i64) -> Span {
        let at = Timestamp::from_unix_seconds;
        Span::new(at(from), at(until)).unwrap()
    }

    fn watts(watts: i64) -> Power {
        Power::from_microwatts(watts * 1_000_000)
    }

    /// 30 W from 0 to 10 and 20 W from 5 to 15: 30, 50, 20 W. The cap is 100 W until 8 and 60 W
    /// until 20. The month ends at 10: 30 x 5 + 50 x 5 = 400 J of 100 x 8 + 60 x 2 = 920 J. The
    /// most at once is 50 of 60 W.
    #[test]
    fn use_of_a_cap_by_hand() {
        let reservations = [(span(0, 10), watts(30)), (span(5, 15), watts(20))];
        let piece = |from, until, cap| Piece { span: span(from, until), value: watts(cap) };
        let cap = Agenda::new(vec![piece(0, 8, 100), piece(8, 20, 60)]).unwrap();
        let of = power_use(&reservations, Some(&cap), span(0, 10));
        assert_eq!(of.peak_power_w.to_bits(), 50.0_f64.to_bits());
        assert!((of.cap_used.unwrap() - 400.0 / 920.0).abs() < 1e-12);
        assert!((of.cap_used_peak.unwrap() - 50.0 / 60.0).abs() < 1e-12);
        let uncapped = power_use(&[], None, span(0, 10));
        assert_eq!((uncapped.cap_used, uncapped.cap_used_peak), (None, None));
    }
}
