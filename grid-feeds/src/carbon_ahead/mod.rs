//! CO2 intensity ahead of time, from what is forecast of generation: in zones that exchange power.
//!
//! Wind and solar power are as forecast. What the rest of the generation emits follows its level and the hour, as learnt from
//! past weeks (`rest`). What flows in brings the emissions of where it comes from (`tracing`). Every estimate has the error
//! of the estimates of the past days, which were made by the same rule of what was known before each day. All is by the
//! hour: powers in MW, emissions in kg/h, intensities in g/kWh.

mod border;
mod hourly;
mod rest;
mod tested;
#[cfg(test)]
mod tests;
mod tracing;
mod zone;

use planner::agenda::Piece;
use planner::time::{Span, Timestamp};

pub use self::border::{BorderHours, ZoneBorder};
pub(crate) use self::hourly::is_told_around;
use self::hourly::{HOUR, floor, hours};
pub use self::hourly::{Hourly, hourly};
use self::rest::ZoneModel;
pub use self::tested::PastErrors;
pub use self::tracing::{ZoneBalance, ZoneFlow, traced};
use self::zone::ZoneRecord;
pub use self::zone::{KindHours, PowerOrigin, ZoneSeries};
use crate::feed::Estimate;

/// The index of the zone that estimates are for.
const OWN: usize = 0;

/// Neighbours are known at most so many hours later than the zone, else the hours between stay gaps.
const LATEST_HOURS: usize = 48;

/// A zone in the network of those that it exchanges power with. Without any border the intensity is that of what the zone
/// generates, else that of what it consumes.
#[derive(Clone, Debug)]
pub struct TracedZone {
    own: ZoneRecord,
    /// Zones from index 1 on; `None` where nothing is known of one.
    others: Vec<Option<ZoneRecord>>,
    borders: Vec<ZoneBorder>,
    otherwise: Option<f64>,
}

/// Estimates of coming hours.
#[derive(Clone, Debug, PartialEq)]
pub struct CarbonEstimates {
    /// In the order of time, in millionths of a gram per kWh. Eight of ten values lie between the ends of the band.
    pub pieces: Vec<Piece<Estimate>>,
    /// How far estimates of past days were off.
    pub errors: PastErrors,
}

impl TracedZone {
    /// A zone, which has index 0, and the others, of which nothing may be known, with the borders between them. What comes from
    /// zones of which nothing is known counts with `otherwise`, in g/kWh. Without it, hours in which power comes into the zone from
    /// one are gaps, and what one gives to others does not count.
    pub fn new(
        own: &ZoneSeries,
        others: &[Option<ZoneSeries>],
        borders: Vec<ZoneBorder>,
        otherwise: Option<f64>,
    ) -> Self {
        let others = others.iter().map(|it| it.as_ref().map(ZoneRecord::new)).collect();
        Self { own: ZoneRecord::new(own), others, borders, otherwise }
    }

    /// The intensity of an hour as it was, in g/kWh; `None` where not all is known.
    pub fn measured(&self, hour: Timestamp) -> Option<f64> {
        let balance = |zone: &ZoneRecord| {
            let came = zone.came(hour)?;
            Some(ZoneBalance::Generates { power: came.power(), emitted: came.emitted })
        };
        let others = self.others.iter().map(|it| it.as_ref().and_then(balance));
        self.mixed(balance(&self.own)?, others, hour, |it| &it.flowed)
    }

    /// The hours that are measured, with their intensities in millionths of a gram per kWh.
    pub fn past(&self, span: Span) -> Vec<Piece<i64>> {
        let known = self.own.known_until().unwrap_or(span.start());
        let pieces = hours(floor(span.start(), HOUR), known.min(span.end())).filter_map(|hour| {
            Some(Piece {
                span: Span::starting(hour, HOUR)?,
                value: in_millionths(self.measured(hour)?),
            })
        });
        pieces.collect()
    }

    /// The hours from the last one that is measured to `until`, as can be estimated at `now`. None where the past has too
    /// few hours to learn from and to tell the error.
    pub fn estimates(&self, now: Timestamp, until: Timestamp) -> CarbonEstimates {
        let errors = PastErrors::of(self, floor(now, HOUR));
        let known_until = self.own.known_until().unwrap_or(now).min(now);
        let pieces = self.expectations(known_until, hours(self.measured_until(known_until), until));
        let pieces = pieces.into_iter().filter_map(|(hour, value)| {
            let (low, high) = errors.band(hour)?;
            let [value, low, high] =
                [value, value + low, value + high].map(|value| in_millionths(value.max(0.0)));
            Some(Piece { span: Span::starting(hour, HOUR)?, value: Estimate { value, low, high } })
        });
        CarbonEstimates { pieces: pieces.collect(), errors }
    }

    /// The end of the last hour that is measured: neighbours may be known later than the zone is.
    fn measured_until(&self, known_until: Timestamp) -> Timestamp {
        let last = floor(known_until, HOUR);
        let mut ends =
            std::iter::successors(Some(last), |end| Some(*end - HOUR)).take(LATEST_HOURS);
        let is_measured = |end: &Timestamp| self.measured(*end - HOUR).is_some();
        ends.find(is_measured).unwrap_or(last)
    }

    /// The intensities of hours in g/kWh, as expected from what came before `known_until` and from forecasts.
    fn expectations(
        &self,
        known_until: Timestamp,
        hours: impl Iterator<Item = Timestamp>,
    ) -> Vec<(Timestamp, f64)> {
        let Some(own) = ZoneModel::learnt(&self.own, known_until) else { return Vec::new() };
        let learnt = |zone: &Option<ZoneRecord>| ZoneModel::learnt(zone.as_ref()?, known_until);
        let models: Vec<Option<ZoneModel>> = self.others.iter().map(learnt).collect();
        let balance = |zone: &ZoneRecord, model: &ZoneModel, hour| {
            let (power, emitted) = model.estimate(hour, zone.expected(hour)?);
            Some(ZoneBalance::Generates { power, emitted })
        };
        let expected = hours.filter_map(|hour| {
            // Of a zone that is expected to generate nothing it is not known whose power it gives.
            let others = self.others.iter().zip(&models).map(|(zone, model)| {
                balance(zone.as_ref()?, model.as_ref()?, hour).filter(ZoneBalance::has_power)
            });
            let own = balance(&self.own, &own, hour)?;
            Some((hour, self.mixed(own, others, hour, |it| &it.scheduled)?))
        });
        expected.collect()
    }

    /// The intensity of what the zone consumes. What is not known of its own borders makes it unknown; a border between other zones
    /// that is not known in an hour does not count then.
    fn mixed(
        &self,
        own: ZoneBalance,
        others: impl Iterator<Item = Option<ZoneBalance>>,
        hour: Timestamp,
        side: impl Fn(&ZoneBorder) -> &BorderHours,
    ) -> Option<f64> {
        let otherwise = self.otherwise.map_or(ZoneBalance::Unknown, ZoneBalance::Fixed);
        let mut zones = vec![own];
        zones.extend(others.map(|balance| balance.unwrap_or(otherwise)));
        let mut flows = Vec::new();
        for border in &self.borders {
            match side(border).at(hour) {
                Some(powers) => flows.extend(border.flows(powers)),
                None if border.is_own() => return None,
                None => {}
            }
        }
        let is_unknown = |zone: usize| zones.get(zone) == Some(&ZoneBalance::Unknown);
        flows.retain(|flow| flow.into == OWN || !is_unknown(flow.from));
        traced(&zones, &flows).into_iter().next()?
    }
}

#[expect(clippy::cast_possible_truncation, reason = "saturates")]
fn in_millionths(value: f64) -> i64 {
    (value * 1e6).round() as i64
}
