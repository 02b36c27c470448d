//! A drawn CO2 agenda: hourly intensity of electricity, in g/kWh.
//!
//! The paper takes the emissions RTE published for France in January 2013, of which it gives the
//! range (section VI-A): 7.5 to 31.1 ug/J, which times 3.6e6 J/kWh is 27 to 111.96 g/kWh. Between
//! these bounds,
//!
//! ```text
//! intensity = 27 + 84.96 * ((1 - h) * level of the day + h * shape of the hour)
//! ```
//!
//! with the parameter `co2_hour_percent` as `h`. The levels are uniform in `[0, 1]`, hold at midnight and are interpolated in between: most of
//! the variation of French CO2 is from one day's weather to another's. The shape is that of a
//! winter day, low at night and high in the morning and the evening, when thermal plants follow
//! the load. Weights and shape are plausible, not measured. The days' levels are drawn
//! independently of the tariff's colours, so that price and CO2 are correlated by the hour of the
//! day alone, unless the parameter `agenda_correlation` says otherwise: then on so large a share of
//! the days the level is that of the day's price, which makes the share the rank correlation of the
//! two. Hours are UTC.

use planner::agenda::{Agenda, Piece, RateAgenda};
use planner::quantity::{CarbonIntensity, MILLION};
use planner::time::{Span, Timestamp};
use rand::Rng;

use super::SesamesError;
use super::streams::uniform;

const HOUR: i64 = 3600;
const HOURS_A_DAY: i64 = 24;

/// The cleanest hour, millionths of g/kWh.
const LEAST: i64 = 27 * MILLION;
/// From the cleanest to the dirtiest hour, millionths of g/kWh.
const RANGE: i64 = 84_960_000;

/// The shape of a winter day from midnight, per cent of its highest hour.
const SHAPE: [i64; 24] = [
    30, 22, 12, 4, 0, 6, 24, 52, 78, 90, 92, 88, //
    82, 74, 66, 62, 66, 80, 96, 100, 90, 72, 56, 42,
];

/// How a day's level of CO2 follows its price.
#[derive(Clone, Debug)]
pub(super) struct Following {
    /// The days' draws of the price, 1 (dearest) to 100, from the horizon's first.
    pub prices: Vec<u32>,
    /// On which days it does: the parameter's share of them.
    pub follows: Vec<bool>,
    /// Whether dear days are dirty ones, or clean ones.
    pub positive: bool,
}

impl Following {
    /// The level that a day's price asks for, in millionths, where its level follows.
    fn level(&self, day: usize) -> Option<i64> {
        let price = *self.prices.get(day)?;
        let dear = i64::from(100 - price) * MILLION / 99;
        self.follows.get(day)?.then_some(if self.positive { dear } else { MILLION - dear })
    }
}

/// Draws intensities for all of `horizon`: one word for each of its midnights.
pub(super) fn draw(
    horizon: Span,
    hour_percent: u32,
    following: &Following,
    rng: &mut impl Rng,
) -> Result<RateAgenda<CarbonIntensity>, SesamesError> {
    let first_hour = horizon.start().as_unix_seconds().div_euclid(HOUR);
    let last_hour = (horizon.end().as_unix_seconds() - 1).div_euclid(HOUR);
    let mut day = 0;
    let mut midnight = || {
        let own = i64::from(uniform(rng, 0..=1_000_000));
        let level = following.level(day).unwrap_or(own);
        day += 1;
        level
    };
    let (mut before, mut after) = (midnight(), midnight());
    let mut pieces = Vec::new();
    for hour in first_hour..=last_hour {
        let hour_of_day = hour.rem_euclid(HOURS_A_DAY);
        if hour_of_day == 0 && hour > first_hour {
            (before, after) = (after, midnight());
        }
        let level = (before * (HOURS_A_DAY - hour_of_day) + after * hour_of_day) / HOURS_A_DAY;
        let at = |hour| Timestamp::from_unix_seconds(hour * HOUR);
        let span = Span::new(at(hour), at(hour + 1)).and_then(|whole| whole.intersection(horizon));
        pieces.extend(
            span.zip(intensity(level, hour_of_day, hour_percent))
                .map(|(span, value)| Piece { span, value }),
        );
    }
    Ok(RateAgenda::new(Agenda::new(pieces)?))
}

/// The intensity for a level in millionths.
fn intensity(level: i64, hour_of_day: i64, hour_percent: u32) -> Option<CarbonIntensity> {
    let shape = SHAPE[usize::try_from(hour_of_day).ok()?] * MILLION / 100;
    let of_hour = i64::from(hour_percent);
    let part = ((100 - of_hour) * level + of_hour * shape) / 100;
    CarbonIntensity::from_millionths_g_per_kwh(LEAST + RANGE * part / MILLION)
}

#[cfg(test)]
mod tests {
    use planner::quantity::Rate;
    use planner::time::Seconds;

    use super::super::streams::{Draw, stream};
    use super::*;

    fn span(start: &str, hours: i64) -> Span {
        Span::starting(Timestamp::parse(start).unwrap(), Seconds::new(hours * HOUR)).unwrap()
    }

    fn alone() -> Following {
        Following { prices: Vec::new(), follows: Vec::new(), positive: true }
    }

    /// Prices drawn 1 and 100 are the dearest and the cheapest day: levels 1 and 0, or turned round.
    #[test]
    fn levels_follow_the_price_where_they_do() {
        let follows = vec![true, true, false];
        let following = Following { prices: vec![1, 100, 1], follows, positive: true };
        assert_eq!(
            [0, 1, 2, 3].map(|day| following.level(day)),
            [Some(MILLION), Some(0), None, None]
        );
        let opposite = Following { positive: false, ..following };
        assert_eq!([0, 1].map(|day| opposite.level(day)), [Some(0), Some(MILLION)]);
    }

    #[test]
    fn intensities_lie_in_the_papers_range() {
        for run in 0..50 {
            let horizon = span("2013-01-01T00:00:00Z", 720);
            let agenda = draw(horizon, 35, &alone(), &mut stream(1, run, Draw::Co2)).unwrap();
            assert!(agenda.agenda().covers(horizon));
            for piece in agenda.agenda().pieces() {
                assert!((27_000_000..=111_960_000).contains(&piece.value.as_millionths()));
            }
        }
        let at = |level, hour| intensity(level, hour, 35).map(Rate::as_millionths);
        assert_eq!(at(0, 4), Some(27_000_000));
        assert_eq!(at(MILLION, 19), Some(111_960_000));
    }

    /// Level 0.4 at 04:00, where the shape is 0: 27 + 84.96 x 0.65 x 0.4 = 49.0896 g/kWh.
    #[test]
    fn intensity_follows_level_and_shape() {
        assert_eq!(intensity(400_000, 4, 35).map(Rate::as_millionths), Some(49_089_600));
    }

    #[test]
    fn a_longer_horizon_keeps_the_days_before() {
        let drawn = |hours| {
            let horizon = span("2013-01-01T00:00:00Z", hours);
            draw(horizon, 35, &alone(), &mut stream(1, 0, Draw::Co2))
                .unwrap()
                .agenda()
                .pieces()
                .to_vec()
        };
        assert_eq!(drawn(48), drawn(96)[..48]);
    }
}
