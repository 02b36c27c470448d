//! A drawn power-cap agenda: one normal variate a slot (paper, section VI-A).
//!
//! "For each time slot, the maximum of power [..] is generated randomly between 0 % to 200 % of
//! the peak [..] of the whole supercomputer, [..] according to a normal probability distribution
//! with a mean equal to 100 and a variance equal to 25." A variance of 25 per cent squared is a
//! standard deviation of 5 points, the default. Values beyond 0 and 200 % are set to these bounds.

use planner::agenda::{Agenda, Piece};
use planner::quantity::Power;
use planner::time::{Seconds, Span, Timestamp};
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

use super::SesamesError;

/// Steps in a per cent: variates are rounded to a millionth of a per cent, so that no platform's
/// last digit of a logarithm can show.
const STEPS: f64 = 1e6;
/// The greatest cap, in steps: 200 % of the peak.
const MOST_STEPS: f64 = 200.0 * STEPS;

/// How a slot's cap is distributed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Distributed {
    /// The peak of all nodes: 100 %.
    pub peak: Power,
    /// Per cent of the peak.
    pub mean_percent: f64,
    /// Points of that per cent.
    pub standard_deviation_percent: f64,
}

/// Draws a cap for each slot of `horizon`.
pub(super) fn draw(
    cap: Distributed,
    horizon: Span,
    slot: Seconds,
    rng: &mut impl Rng,
) -> Result<Agenda<Power>, SesamesError> {
    let starts = std::iter::successors(Some(horizon.start()), |&start| Some(start + slot));
    let spans = starts
        .take_while(|&start: &Timestamp| start < horizon.end())
        .filter_map(|start| Span::starting(start, slot));
    let pieces = spans.map(|span| {
        let variate: f64 = StandardNormal.sample(rng);
        Piece { span, value: at(cap, variate) }
    });
    Ok(Agenda::new(pieces.collect())?)
}

/// The cap for a standard normal variate.
#[expect(clippy::cast_possible_truncation, reason = "clamped to 2e8 steps before")]
fn at(cap: Distributed, variate: f64) -> Power {
    let percent = cap.mean_percent + cap.standard_deviation_percent * variate;
    let steps = (percent * STEPS).round_ties_even().clamp(0.0, MOST_STEPS) as i64;
    let microwatts = i128::from(cap.peak.as_microwatts()) * i128::from(steps) / 100_000_000;
    Power::from_microwatts(i64::try_from(microwatts).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::super::streams::{Draw, stream};
    use super::*;

    const SLOT: Seconds = Seconds::new(900);

    fn drawn(standard_deviation_percent: f64) -> Vec<f64> {
        let cap = Distributed {
            peak: Power::from_microwatts(1_000_000_000),
            mean_percent: 100.0,
            standard_deviation_percent,
        };
        let horizon =
            Span::starting(Timestamp::from_unix_seconds(0), Seconds::new(2880 * 900)).unwrap();
        let agenda = draw(cap, horizon, SLOT, &mut stream(3, 0, Draw::PowerCap)).unwrap();
        assert!(agenda.covers(horizon));
        agenda.pieces().iter().map(|piece| piece.value.as_watts() / 10.0).collect()
    }

    #[test]
    fn caps_have_the_mean_and_spread_asked_for() {
        let percents = drawn(5.0);
        let mean = percents.iter().sum::<f64>() / 2880.0;
        let variance = percents.iter().map(|p| (p - mean).powi(2)).sum::<f64>() / 2880.0;
        assert!((mean - 100.0).abs() < 0.3, "{mean}");
        assert!((variance - 25.0).abs() < 2.0, "{variance}");
    }

    #[test]
    fn caps_stay_between_nothing_and_twice_the_peak() {
        let percents = drawn(100.0);
        assert!(percents.iter().all(|percent| (0.0..=200.0).contains(percent)));
        assert!(percents.contains(&0.0) && percents.contains(&200.0));
        assert!(drawn(0.0).iter().all(|&percent| percent.to_bits() == 100.0_f64.to_bits()));
    }

    /// Another spread scales the same variates: 100 + 5 z and 100 + 10 z.
    #[test]
    fn another_spread_keeps_the_variates() {
        for (narrow, wide) in drawn(5.0).into_iter().zip(drawn(10.0)) {
            assert!(((wide - 100.0) - 2.0 * (narrow - 100.0)).abs() < 1e-5);
        }
    }
}
