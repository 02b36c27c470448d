//! What plans are made with, where that is not what comes true: forecasts.
//!
//! At an instant the forecasts issued until then are known; of those that speak of an hour, the one
//! issued last counts. So a month is replayed as it was lived: planned by what was known then,
//! billed by what came true.

use planner::agenda::{Agenda, AgendaError, Piece, RateAgenda};
use planner::quantity::Rate;
use planner::time::{Span, Timestamp};
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

use super::Forecast;

/// Forecasts in force, by the instant from which they are.
#[derive(Clone, Debug)]
pub(super) struct Known<R> {
    from: Vec<(Timestamp, RateAgenda<R>)>,
    nothing: RateAgenda<R>,
}

impl<R: Rate + Copy> Known<R> {
    /// Forecasts as they come, each over what the ones before it said.
    pub fn of(forecasts: &[Forecast<R>]) -> Result<Self, AgendaError> {
        let mut by_issue: Vec<&Forecast<R>> = forecasts.iter().collect();
        by_issue.sort_by_key(|forecast| forecast.issued_at);
        let mut from: Vec<(Timestamp, RateAgenda<R>)> = Vec::with_capacity(by_issue.len());
        for forecast in by_issue {
            let before = from.last().map_or(&[][..], |(_, agenda)| agenda.agenda().pieces());
            // What is over when a forecast is issued is of no use to plans any more.
            let before = before.iter().filter(|piece| piece.span.end() > forecast.issued_at);
            let pieces = overlaid(before.copied(), forecast.agenda.pieces());
            from.push((forecast.issued_at, RateAgenda::new(Agenda::new(pieces)?)));
        }
        Ok(Self { from, nothing: RateAgenda::new(Agenda::new(Vec::new())?) })
    }

    /// What is known at `now`.
    pub fn at(&self, now: Timestamp) -> &RateAgenda<R> {
        let issued = self.from.partition_point(|(issued_at, _)| *issued_at <= now);
        issued.checked_sub(1).map_or(&self.nothing, |last| &self.from[last].1)
    }
}

/// `below` wherever `above` is silent; both sorted.
fn overlaid<R: Copy>(below: impl Iterator<Item = Piece<R>>, above: &[Piece<R>]) -> Vec<Piece<R>> {
    let mut pieces: Vec<Piece<R>> = above.to_vec();
    for piece in below {
        let mut rest = Some(piece.span);
        let first = above.partition_point(|over| over.span.end() <= piece.span.start());
        let over = above[first..].iter().take_while(|over| over.span.start() < piece.span.end());
        for over in over {
            let Some(left) = rest else { break };
            let silent = Span::new(left.start(), over.span.start().min(left.end()));
            pieces.extend(silent.map(|span| Piece { span, value: piece.value }));
            rest = Span::new(over.span.end().max(left.start()), left.end());
        }
        pieces.extend(rest.map(|span| Piece { span, value: piece.value }));
    }
    pieces.sort_unstable_by_key(|piece| piece.span.start());
    pieces
}

/// A forecast that errs: in each piece `1 + error / 100 * z` times what comes true, `z` standard
/// normal, and never of the other sign.
///
/// The factor is rounded to a millionth, so that no platform's last digit of a logarithm can show.
#[expect(clippy::cast_possible_truncation, reason = "clamped before")]
pub(super) fn erring<R: Rate + Copy>(
    truth: &RateAgenda<R>,
    error_percent: f64,
    of_millionths: fn(i64) -> Option<R>,
    rng: &mut impl Rng,
) -> Result<RateAgenda<R>, AgendaError> {
    let mut guess = |piece: &Piece<R>| {
        let z: f64 = StandardNormal.sample(rng);
        let steps = ((1.0 + error_percent / 100.0 * z) * 1e6).round_ties_even().clamp(0.0, 1e9);
        let guess = i128::from(piece.value.as_millionths()) * i128::from(steps as i64) / 1_000_000;
        let guess = i64::try_from(guess).ok().and_then(of_millionths);
        Piece { span: piece.span, value: guess.unwrap_or(piece.value) }
    };
    let pieces = truth.agenda().pieces().iter().map(&mut guess).collect();
    Ok(RateAgenda::new(Agenda::new(pieces)?))
}

#[cfg(test)]
mod tests {
    use planner::quantity::EnergyPrice;

    use super::super::streams::{Draw, stream};
    use super::*;

    fn at(hour: i64) -> Timestamp {
        Timestamp::from_unix_seconds(hour * 3600)
    }

    fn agenda(pieces: &[(i64, i64, i64)]) -> Agenda<EnergyPrice> {
        let piece = |&(from, until, price): &(i64, i64, i64)| Piece {
            span: Span::new(at(from), at(until)).unwrap(),
            value: EnergyPrice::from_millionths_per_mwh(price).unwrap(),
        };
        Agenda::new(pieces.iter().map(piece).collect()).unwrap()
    }

    /// At 0 h: 10 until 8, 20 until 12. At 2 h: 30 from 4 to 6, and 40 from 10 to 14. So from 2 h on
    /// 10 until 4, 30 until 6, 10 until 8, 20 until 10, 40 until 14.
    #[test]
    fn a_later_forecast_goes_over_an_earlier_one() {
        let forecasts = [
            Forecast { issued_at: at(2), agenda: agenda(&[(4, 6, 30), (10, 14, 40)]) },
            Forecast { issued_at: at(0), agenda: agenda(&[(0, 8, 10), (8, 12, 20)]) },
        ];
        let known = Known::of(&forecasts).unwrap();
        assert_eq!(known.at(at(-1)).agenda().pieces(), []);
        assert_eq!(*known.at(at(1)).agenda(), forecasts[1].agenda);
        let later = agenda(&[(0, 4, 10), (4, 6, 30), (6, 8, 10), (8, 10, 20), (10, 14, 40)]);
        assert_eq!(*known.at(at(2)).agenda(), later);
    }

    #[test]
    fn forecasts_err_by_as_much_as_they_are_told_to() {
        let hours: Vec<(i64, i64, i64)> =
            (0..2000).map(|hour| (hour, hour + 1, 100_000_000)).collect();
        let truth = RateAgenda::new(agenda(&hours));
        let draw = |error| {
            let rng = &mut stream(1, 0, Draw::PriceForecast);
            erring(&truth, error, EnergyPrice::from_millionths_per_mwh, rng).unwrap()
        };
        assert_eq!(draw(0.0), truth);
        let errors: Vec<f64> = draw(10.0)
            .agenda()
            .pieces()
            .iter()
            .map(|piece| piece.value.as_millionths() as f64 / 1e8 - 1.0)
            .collect();
        let spread = (errors.iter().map(|error| error * error).sum::<f64>() / 2000.0).sqrt();
        assert!((0.095..0.105).contains(&spread), "{spread}");
    }
}
