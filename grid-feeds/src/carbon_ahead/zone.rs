//! What one zone generates: its past by kind, what was expected of it, and what of it the weather does not decide.

use std::collections::BTreeMap;

use planner::time::{Seconds, Timestamp};

use super::hourly::{HOUR, Hourly, floor, is_told_around};

const DAY: Seconds = Seconds::new(86_400);

/// A day is estimated as known at 18:00 UTC of the day before, when forecasts of it are there.
pub(super) const BEFORE: Seconds = Seconds::new(6 * 3600);

/// So many hours tell how clean the rest of the generation is lately.
const LATELY: Seconds = Seconds::new(24 * 3600);

/// What makes one kind of power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PowerOrigin {
    /// The wind.
    Wind,
    /// The sun.
    Solar,
    /// Power stations that somebody runs.
    Plant,
}

/// What one kind of power station generated.
#[derive(Clone, Debug, PartialEq)]
pub struct KindHours {
    /// What makes its power.
    pub origin: PowerOrigin,
    /// What a kWh of it emits, in grams.
    pub g_per_kwh: f64,
    /// MW.
    pub hours: Hourly,
}

/// What is said of one zone, in MW: what it generated, and what it was and is expected to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ZoneSeries {
    /// By kind, storage left out.
    pub generated: Vec<KindHours>,
    /// Wind power as forecast; `None` where nobody forecasts it.
    pub wind: Option<Hourly>,
    /// Solar power as forecast; `None` where nobody forecasts it.
    pub solar: Option<Hourly>,
    /// All generation as forecast, or what stands for it, such as the load without imports.
    pub level: Hourly,
}

/// Generation of an hour in MW, and what it emits in kg/h. The weather's is that of which there are forecasts, and the
/// rest is all other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ZoneHour {
    pub wind: f64,
    pub solar: f64,
    pub rest: f64,
    pub rest_emitted: f64,
    pub emitted: f64,
}

impl ZoneHour {
    pub fn power(&self) -> f64 {
        self.wind + self.solar + self.rest
    }
}

/// What was expected of an hour, in MW.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ExpectedHour {
    pub wind: f64,
    pub solar: f64,
    pub rest: f64,
}

/// What a past hour teaches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lesson {
    pub hour: Timestamp,
    pub expected: ExpectedHour,
    pub came: ZoneHour,
    /// The intensity of the rest as it was when the hour was estimated, in g/kWh.
    pub lately: f64,
}

/// A zone hour by hour.
#[derive(Clone, Debug)]
pub(super) struct ZoneRecord {
    past: BTreeMap<Timestamp, ZoneHour>,
    expected: BTreeMap<Timestamp, ExpectedHour>,
    /// In the order of time.
    pub lessons: Vec<Lesson>,
    /// What a kWh of wind and of solar power emits, in grams.
    pub weather_g_per_kwh: (f64, f64),
}

impl ZoneRecord {
    pub fn new(series: &ZoneSeries) -> Self {
        let past = past(series);
        let expected = expected(series);
        let factor = |origin: PowerOrigin| {
            let of_origin = series.generated.iter().filter(|kind| kind.origin == origin);
            of_origin.map(|kind| kind.g_per_kwh).reduce(f64::max).unwrap_or(0.0)
        };
        let weather_g_per_kwh = (factor(PowerOrigin::Wind), factor(PowerOrigin::Solar));
        let mut zone = Self { past, expected, lessons: Vec::new(), weather_g_per_kwh };
        zone.lessons = zone.lessons();
        zone
    }

    /// What it generated in an hour.
    pub fn came(&self, hour: Timestamp) -> Option<&ZoneHour> {
        self.past.get(&hour)
    }

    /// What was expected of an hour.
    pub fn expected(&self, hour: Timestamp) -> Option<&ExpectedHour> {
        self.expected.get(&hour)
    }

    /// The end of the last hour of which is known what it generated.
    pub fn known_until(&self) -> Option<Timestamp> {
        self.past.keys().next_back().map(|&hour| hour + HOUR)
    }

    /// The intensity of the rest in the day before `instant`, in g/kWh; `None` where nothing is known.
    pub fn lately(&self, instant: Timestamp) -> Option<f64> {
        let hours = self.past.range(instant - LATELY..instant).map(|(_, hour)| hour);
        let (power, emitted) = hours.fold((0.0, 0.0), |(power, emitted), hour| {
            (power + hour.rest, emitted + hour.rest_emitted)
        });
        (power > 0.0).then(|| emitted / power)
    }

    fn lessons(&self) -> Vec<Lesson> {
        let mut lately: BTreeMap<Timestamp, Option<f64>> = BTreeMap::new();
        let lessons = self.past.iter().filter_map(|(&hour, &came)| {
            let expected = *self.expected.get(&hour)?;
            let known = floor(hour, DAY) - BEFORE;
            let lately = (*lately.entry(known).or_insert_with(|| self.lately(known)))?;
            Some(Lesson { hour, expected, came, lately })
        });
        lessons.collect()
    }
}

/// The hours at which all kinds are known that are told of around them: a kind that ends or begins blanks no other time.
fn past(series: &ZoneSeries) -> BTreeMap<Timestamp, ZoneHour> {
    let mut hours: BTreeMap<Timestamp, ZoneHour> = BTreeMap::new();
    for kind in &series.generated {
        for (&hour, &power) in &kind.hours {
            let sum = hours.entry(hour).or_default();
            let emitted = power * kind.g_per_kwh;
            sum.emitted += emitted;
            match kind.origin {
                PowerOrigin::Wind if series.wind.is_some() => sum.wind += power,
                PowerOrigin::Solar if series.solar.is_some() => sum.solar += power,
                PowerOrigin::Wind | PowerOrigin::Solar | PowerOrigin::Plant => {
                    sum.rest += power;
                    sum.rest_emitted += emitted;
                }
            }
        }
    }
    let is_whole = |hour: Timestamp| {
        let mut kinds = series.generated.iter().map(|kind| &kind.hours);
        kinds.all(|kind| kind.contains_key(&hour) || !is_told_around(kind, hour))
    };
    hours.retain(|&start, hour| hour.power() > 0.0 && is_whole(start));
    hours
}

/// The hours of which all is expected that is ever forecast.
fn expected(series: &ZoneSeries) -> BTreeMap<Timestamp, ExpectedHour> {
    let of = |forecast: &Option<Hourly>, hour: &Timestamp| {
        forecast.as_ref().map_or(Some(0.0), |forecast| forecast.get(hour).copied())
    };
    let hours = series.level.iter().filter_map(|(hour, level)| {
        let (wind, solar) = (of(&series.wind, hour)?, of(&series.solar, hour)?);
        let rest = (level - wind - solar).max(0.0);
        Some((*hour, ExpectedHour { wind, solar, rest }))
    });
    hours.collect()
}
