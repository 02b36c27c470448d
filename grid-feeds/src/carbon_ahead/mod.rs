//! CO2 intensity ahead of time, from what is forecast of generation: in zones that exchange power.
//!
//! Wind and solar power are as forecast. What the rest of the generation emits follows its level and the hour, as learnt from
//! past weeks (`rest`). What flows in brings the emissions of where it comes from (`tracing`). Every estimate has the error
//! of the estimates of the past days, which were made by the same rule of what was known before each day. All is by the
//! hour: powers in MW, emissions in kg/h, intensities in g/kWh.

mod hourly;
mod rest;
mod tested;
#[cfg(test)]
mod tests;
mod tracing;
mod zone;

use planner::agenda::Piece;
use planner::time::{Span, Timestamp};

pub(crate) use self::hourly::is_told_around;
use self::hourly::{HOUR, floor, hours};
pub use self::hourly::{Hourly, hourly};
use self::rest::ZoneModel;
pub use self::tested::PastErrors;
pub use self::tracing::{ZoneBalance, ZoneFlow, traced};
use self::zone::ZoneRecord;
pub use self::zone::{KindHours, PowerOrigin, ZoneSeries};
use crate::feed::Estimate;

/// Neighbours are known at most so many hours later than the zone, else the hours between stay gaps.
const LATEST_HOURS: usize = 48;

/// What goes between the zone and one neighbour, in MW.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BorderHours {
    /// Into the zone.
    pub imports: Hourly,
    /// Out of it.
    pub exports: Hourly,
    /// From here on nobody could say what goes into the zone; `None` where the last question had an answer.
    pub imports_unknown_from: Option<Timestamp>,
    /// From here on nobody could say what goes out of it.
    pub exports_unknown_from: Option<Timestamp>,
}

/// A zone that borders on the one that estimates are for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Neighbour {
    /// What it generates; `None` where nothing is known of it.
    pub series: Option<ZoneSeries>,
    /// What flowed.
    pub flowed: BorderHours,
    /// What is to go by the day-ahead market, of past and coming hours.
    pub scheduled: BorderHours,
}

/// A zone with its neighbours. Without any the intensity is that of what the zone generates, else that of what it consumes.
#[derive(Clone, Debug)]
pub struct TracedZone {
    own: ZoneRecord,
    neighbours: Vec<NeighbourRecord>,
    otherwise: Option<f64>,
}

#[derive(Clone, Debug)]
struct NeighbourRecord {
    zone: Option<ZoneRecord>,
    flowed: BorderHours,
    scheduled: BorderHours,
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
    /// A zone and its neighbours. Neighbours of which nothing is known count with `otherwise`, in g/kWh; without it hours
    /// in which power comes from them are gaps.
    pub fn new(own: &ZoneSeries, neighbours: Vec<Neighbour>, otherwise: Option<f64>) -> Self {
        let record = |it: Neighbour| NeighbourRecord {
            zone: it.series.as_ref().map(ZoneRecord::new),
            flowed: it.flowed,
            scheduled: it.scheduled,
        };
        let neighbours = neighbours.into_iter().map(record).collect();
        Self { own: ZoneRecord::new(own), neighbours, otherwise }
    }

    /// The intensity of an hour as it was, in g/kWh; `None` where not all is known.
    pub fn measured(&self, hour: Timestamp) -> Option<f64> {
        let balance = |zone: &ZoneRecord| {
            let came = zone.came(hour)?;
            Some(ZoneBalance::Generates { power: came.power(), emitted: came.emitted })
        };
        let neighbours = self.neighbours.iter().map(|it| it.zone.as_ref().and_then(balance));
        self.mixed(balance(&self.own)?, neighbours, hour, |it| &it.flowed)
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
        let learnt = |it: &NeighbourRecord| ZoneModel::learnt(it.zone.as_ref()?, known_until);
        let models: Vec<Option<ZoneModel>> = self.neighbours.iter().map(learnt).collect();
        let balance = |zone: &ZoneRecord, model: &ZoneModel, hour| {
            let (power, emitted) = model.estimate(hour, zone.expected(hour)?);
            Some(ZoneBalance::Generates { power, emitted })
        };
        let expected = hours.filter_map(|hour| {
            let neighbours =
                self.neighbours.iter().zip(&models).map(|(neighbour, model)| {
                    balance(neighbour.zone.as_ref()?, model.as_ref()?, hour)
                });
            let own = balance(&self.own, &own, hour)?;
            Some((hour, self.mixed(own, neighbours, hour, |it| &it.scheduled)?))
        });
        expected.collect()
    }

    /// The intensity of what the zone consumes.
    fn mixed(
        &self,
        own: ZoneBalance,
        neighbours: impl Iterator<Item = Option<ZoneBalance>>,
        hour: Timestamp,
        border: impl Fn(&NeighbourRecord) -> &BorderHours,
    ) -> Option<f64> {
        let otherwise = self.otherwise.map_or(ZoneBalance::Unknown, ZoneBalance::Fixed);
        let mut zones = vec![own];
        zones.extend(neighbours.map(|balance| balance.unwrap_or(otherwise)));
        let mut flows = Vec::new();
        for (index, neighbour) in self.neighbours.iter().enumerate() {
            let (imports, exports) = border(neighbour).at(hour)?;
            flows.push(ZoneFlow { from: index + 1, into: 0, power: imports });
            flows.push(ZoneFlow { from: 0, into: index + 1, power: exports });
        }
        traced(&zones, &flows).into_iter().next()?
    }
}

impl BorderHours {
    /// Imports and exports of an hour. A direction that is not told beside the other is none; a border of which nothing is
    /// ever told does not count. That holds of what was answered: what could not be asked is not known.
    pub(crate) fn at(&self, hour: Timestamp) -> Option<(f64, f64)> {
        let (imports, exports) = (self.imports.get(&hour), self.exports.get(&hour));
        let is_unknown = |power: Option<&f64>, unknown_from: Option<Timestamp>| {
            power.is_none() && unknown_from.is_some_and(|from| hour >= from)
        };
        if is_unknown(imports, self.imports_unknown_from)
            || is_unknown(exports, self.exports_unknown_from)
        {
            return None;
        }
        if self.imports.is_empty() && self.exports.is_empty() {
            return Some((0.0, 0.0));
        }
        let is_told = imports.or(exports).is_some();
        is_told.then(|| (imports.copied().unwrap_or(0.0), exports.copied().unwrap_or(0.0)))
    }
}

#[expect(clippy::cast_possible_truncation, reason = "saturates")]
fn in_millionths(value: f64) -> i64 {
    (value * 1e6).round() as i64
}
