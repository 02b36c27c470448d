//! A drawn price agenda: a Tempo-like contract of blue, white and red days, in EUR/MWh.
//!
//! The paper takes EDF's prices of January 2013, of which it gives the range and the mean
//! (sections VI-A and VI-B):
//!
//! * 0.0212e-6 to 0.1422e-6 EUR/J, which times 3.6e9 J/MWh is 76.32 to 511.92 EUR/MWh;
//! * "5e-8 euros per Joule" on average, which is 180 EUR/MWh.
//!
//! The range is that of EDF's Tempo option (its footnote 9): 76.32 is a blue night, 511.92 a red
//! day. As in Tempo, a colour holds from 06:00 to 06:00, off-peak is 22:00 to 06:00, red days are
//! weekdays, and Sundays are blue. The four prices in between and the odds of the colours are
//! plausible, not historical; the odds are those of a cold month, and give the paper's mean. Hours
//! are UTC, not French time: a shift of an hour changes nothing in a drawn month.

use planner::agenda::{Agenda, Piece, RateAgenda};
use planner::quantity::EnergyPrice;
use planner::time::{Span, Timestamp};
use rand::Rng;

use super::SesamesError;
use super::streams::uniform;

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// When a colour's day and its peak hours begin.
const PEAK_START: i64 = 6 * HOUR;
/// When its peak hours end.
const PEAK_END: i64 = 22 * HOUR;

/// Peak and off-peak price of a colour, millionths of EUR/MWh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Colour {
    peak: i64,
    off_peak: i64,
}

const BLUE: Colour = Colour { peak: 91_400_000, off_peak: 76_320_000 };
const WHITE: Colour = Colour { peak: 131_100_000, off_peak: 110_600_000 };
const RED: Colour = Colour { peak: 511_920_000, off_peak: 206_300_000 };

/// Odds of a weekday being red, per cent.
const RED_PERCENT: u32 = 35;
/// Odds of a weekday or Saturday being white, per cent.
const WHITE_PERCENT: u32 = 30;

/// The days of `horizon`, each from 06:00 and counted from the epoch, with their draws, 1 (dearest)
/// to 100: one word for each.
pub(crate) fn draw_days(horizon: Span, rng: &mut impl Rng) -> Vec<(i64, u32)> {
    let first_day = (horizon.start().as_unix_seconds() - PEAK_START).div_euclid(DAY);
    let last_day = (horizon.end().as_unix_seconds() - 1 - PEAK_START).div_euclid(DAY);
    (first_day..=last_day).map(|day| (day, uniform(rng, 1..=100))).collect()
}

/// The prices of `horizon` on these days.
pub(crate) fn of_days(
    horizon: Span,
    days: &[(i64, u32)],
) -> Result<RateAgenda<EnergyPrice>, SesamesError> {
    let mut pieces = Vec::new();
    for &(day, draw) in days {
        let colour = colour(day, draw);
        let hours =
            [(PEAK_START, PEAK_END, colour.peak), (PEAK_END, DAY + PEAK_START, colour.off_peak)];
        for (from, until, price) in hours {
            let at = |second| Timestamp::from_unix_seconds(day * DAY + second);
            let span = Span::new(at(from), at(until)).and_then(|span| span.intersection(horizon));
            let value = EnergyPrice::from_millionths_per_mwh(price);
            pieces.extend(span.zip(value).map(|(span, value)| Piece { span, value }));
        }
    }
    Ok(RateAgenda::new(Agenda::new(pieces)?))
}

/// The colour of a day (counted from the epoch) for a draw from 1 to 100.
fn colour(day: i64, draw: u32) -> Colour {
    // 1970-01-01 was a Thursday: with 3 added, Monday is 0.
    let (red, white) = match (day + 3).rem_euclid(7) {
        0..=4 => (RED_PERCENT, WHITE_PERCENT),
        5 => (0, WHITE_PERCENT),
        _ => (0, 0),
    };
    if draw <= red {
        RED
    } else if draw <= red + white {
        WHITE
    } else {
        BLUE
    }
}

#[cfg(test)]
mod tests {
    use planner::quantity::Rate;
    use planner::time::Seconds;

    use super::super::streams::{Draw, stream};
    use super::*;

    fn month(run: u32) -> RateAgenda<EnergyPrice> {
        let start = Timestamp::parse("2013-01-01T00:00:00Z").unwrap();
        let horizon = Span::starting(start, Seconds::new(30 * DAY)).unwrap();
        let days = draw_days(horizon, &mut stream(1, run, Draw::Price));
        let agenda = of_days(horizon, &days).unwrap();
        assert!(agenda.agenda().covers(horizon));
        agenda
    }

    #[test]
    fn prices_lie_in_the_papers_range() {
        for run in 0..50 {
            for piece in month(run).agenda().pieces() {
                assert!((76_320_000..=511_920_000).contains(&piece.value.as_millionths()));
            }
        }
    }

    /// "On average, the electricity price is equal to 5e-8 euros per Joule" (section VI-B).
    #[test]
    fn the_mean_price_is_the_papers() {
        let mut euros_per_joule = 0.0;
        for run in 0..200 {
            for piece in month(run).agenda().pieces() {
                let weight = piece.span.length().get() as f64 / (30 * DAY * 200) as f64;
                euros_per_joule += weight * piece.value.as_millionths() as f64 / 1e6 / 3.6e9;
            }
        }
        assert!((4.7e-8..5.3e-8).contains(&euros_per_joule), "{euros_per_joule}");
    }

    /// 2013-01-06 was a Sunday, blue whatever is drawn, from 06:00 until 06:00 on Monday.
    #[test]
    fn a_sunday_is_blue_until_monday_morning() {
        for run in 0..20 {
            let agenda = month(run);
            let at = |time| agenda.agenda().at(Timestamp::parse(time).unwrap());
            assert_eq!(at("2013-01-06T06:00:00Z").map(Rate::as_millionths), Some(BLUE.peak));
            assert_eq!(at("2013-01-06T22:00:00Z").map(Rate::as_millionths), Some(BLUE.off_peak));
            assert_eq!(at("2013-01-07T05:59:59Z").map(Rate::as_millionths), Some(BLUE.off_peak));
        }
    }
}
