//! Energy between neighbouring samples, by quarter-hours.
//!
//! Between two samples the energy up to an instant is a curve. It is rounded down to whole microjoules, and what lies
//! in a quarter-hour is the difference of two of its values: so the parts of a pair sum to its whole exactly,
//! wherever it is cut, and a whole is less than a microjoule below the exact area.

use std::collections::BTreeMap;

use super::{Meter, Sample, ValueKind};
use crate::quantity::{Energy, Power};
use crate::time::{Seconds, Span, Timestamp};

/// Milliseconds in a quarter-hour.
pub const QUARTER_MS: i64 = 900_000;

/// A quarter of an hour, by its number since the Unix epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QuarterHour(i64);

/// What was measured in a quarter-hour, or what changed of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuarterSum {
    /// Microjoules.
    pub energy_uj: i64,
    /// Milliseconds in which it was measured; the rest of the quarter-hour is missing.
    pub covered_ms: i64,
}

/// What lies between two neighbouring samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bridge {
    /// Energy that is known.
    Bridged,
    /// Nothing: they are too far apart.
    Gap,
    /// Nothing: the counter fell, or the power between them is implausible.
    Reset,
}

impl QuarterHour {
    /// How long each lasts.
    pub const LENGTH: Seconds = Seconds::new(QUARTER_MS / 1000);

    /// The quarter-hour with this number.
    pub const fn from_number(number: i64) -> Self {
        Self(number)
    }

    /// The quarter-hour that an instant lies in.
    pub const fn of(instant: Timestamp) -> Self {
        Self(instant.as_unix_seconds().div_euclid(QUARTER_MS / 1000))
    }

    /// Its number since the Unix epoch.
    pub const fn number(self) -> i64 {
        self.0
    }

    /// Its first instant.
    pub const fn start(self) -> Timestamp {
        Timestamp::from_unix_seconds(self.0 * (QUARTER_MS / 1000))
    }

    /// All of it.
    pub fn span(self) -> Span {
        Span::starting(self.start(), Self::LENGTH)
            .unwrap_or_else(|| unreachable!("it has a length"))
    }

    /// The quarter-hours that have an instant of a span.
    pub fn within(span: Span) -> impl Iterator<Item = Self> {
        let last = Self::of(span.end() - Seconds::ONE);
        (Self::of(span.start()).0..=last.0).map(Self)
    }
}

impl QuarterSum {
    /// The energy that was measured.
    pub fn energy(self) -> Energy {
        Energy::from_microjoules(self.energy_uj.into())
    }

    /// Seconds in which it was measured, a started one not among them.
    pub const fn covered(self) -> Seconds {
        Seconds::new(self.covered_ms / 1000)
    }

    /// Seconds in which nothing was measured.
    pub const fn missing(self) -> Seconds {
        Seconds::new((QUARTER_MS - self.covered_ms + 999) / 1000)
    }

    /// The mean power; `None` where less than 95 % of the quarter-hour was measured.
    pub fn mean_power(self) -> Option<Power> {
        if self.covered_ms * 100 < QUARTER_MS * 95 {
            return None;
        }
        // Microjoules a millisecond are milliwatts.
        let microwatts = i128::from(self.energy_uj) * 1000 / i128::from(self.covered_ms);
        i64::try_from(microwatts).ok().map(Power::from_microwatts)
    }

    /// Adds what another says of the same quarter-hour.
    pub const fn add(&mut self, other: Self) {
        self.energy_uj += other.energy_uj;
        self.covered_ms += other.covered_ms;
    }

    /// What takes this away.
    #[must_use]
    pub const fn negated(self) -> Self {
        Self { energy_uj: -self.energy_uj, covered_ms: -self.covered_ms }
    }
}

/// What lies between two samples of a series that no other lies between.
pub fn bridge(meter: &Meter, before: Sample, after: Sample) -> Bridge {
    let length_ms = after.at.as_unix_milliseconds() - before.at.as_unix_milliseconds();
    if length_ms > meter.longest_gap.get() * 1000 || length_ms <= 0 {
        return Bridge::Gap;
    }
    let energy_mj = match meter.values {
        ValueKind::Gauge => return Bridge::Bridged,
        ValueKind::Counter => after.value_milli.saturating_sub(before.value_milli),
        ValueKind::Difference => after.value_milli,
    };
    // mJ per ms are watts; both sides are in uW x ms.
    let most = i128::from(meter.most.as_microwatts()) * i128::from(length_ms);
    let plausible = energy_mj >= 0 && i128::from(energy_mj) * 1_000_000 <= most;
    if plausible { Bridge::Bridged } else { Bridge::Reset }
}

/// The power at the newest sample of a series: of a gauge what it says, of energies the mean since the sample before;
/// `None` where nothing is known of the time between.
pub fn newest_power(meter: &Meter, newest: Sample, before: Option<Sample>) -> Option<Power> {
    if meter.values == ValueKind::Gauge {
        return Some(Power::from_microwatts(newest.value_milli.saturating_mul(1000)));
    }
    let before = before.filter(|before| bridge(meter, *before, newest) == Bridge::Bridged)?;
    let length_ms = newest.at.as_unix_milliseconds() - before.at.as_unix_milliseconds();
    // Joules in a millisecond are kilowatts.
    let energy_uj = Curve::between(meter.values, before, newest).energy_uj(length_ms);
    let microwatts = i128::from(energy_uj) * 1000 / i128::from(length_ms);
    i64::try_from(microwatts).ok().map(Power::from_microwatts)
}

/// Adds the energy between two neighbouring samples to the quarter-hours in which it was drawn, or with a `sign` of
/// -1 takes it away.
pub fn add_energy_between(
    meter: &Meter,
    before: Sample,
    after: Sample,
    sign: i64,
    quarters: &mut BTreeMap<QuarterHour, QuarterSum>,
) {
    if bridge(meter, before, after) != Bridge::Bridged {
        return;
    }
    let (start, end) = (before.at.as_unix_milliseconds(), after.at.as_unix_milliseconds());
    let curve = Curve::between(meter.values, before, after);
    let (mut from, mut energy_before) = (start, 0);
    while from < end {
        let quarter = from.div_euclid(QUARTER_MS);
        let until = end.min((quarter + 1) * QUARTER_MS);
        let energy = curve.energy_uj(until - start);
        let part = QuarterSum {
            energy_uj: sign * (energy - energy_before),
            covered_ms: sign * (until - from),
        };
        quarters.entry(QuarterHour(quarter)).or_default().add(part);
        (from, energy_before) = (until, energy);
    }
}

/// The energy of a series by quarter-hours; its samples are in time order, no two at an instant.
pub fn integrate(meter: &Meter, samples: &[Sample]) -> BTreeMap<QuarterHour, QuarterSum> {
    let mut quarters = BTreeMap::new();
    for pair in samples.windows(2) {
        add_energy_between(meter, pair[0], pair[1], 1, &mut quarters);
    }
    quarters
}

/// The energy drawn since the first of two samples.
#[derive(Clone, Copy, Debug)]
enum Curve {
    /// Power in milliwatts that changes evenly, over a length in milliseconds.
    Power { first_mw: i64, last_mw: i64, length_ms: i64 },
    /// Energy in millijoules that is drawn evenly, over a length in milliseconds.
    Energy { energy_mj: i64, length_ms: i64 },
}

impl Curve {
    const fn between(kind: ValueKind, before: Sample, after: Sample) -> Self {
        let length_ms = after.at.as_unix_milliseconds() - before.at.as_unix_milliseconds();
        let (first, last) = (before.value_milli, after.value_milli);
        match kind {
            ValueKind::Gauge => Self::Power { first_mw: first, last_mw: last, length_ms },
            ValueKind::Counter => Self::Energy { energy_mj: last - first, length_ms },
            ValueKind::Difference => Self::Energy { energy_mj: last, length_ms },
        }
    }

    /// The energy in the first `passed_ms` milliseconds, rounded down to whole microjoules. Powers are at most 1e12 mW
    /// and lengths 1.44e7 ms, so that sums and whole areas stay below 3e19 / 2 and products below 1e27.
    fn energy_uj(self, passed_ms: i64) -> i64 {
        let passed = i128::from(passed_ms);
        let exact = match self {
            Self::Power { first_mw, last_mw, length_ms } if passed_ms == length_ms => {
                (i128::from(first_mw) + i128::from(last_mw)) * passed / 2
            }
            Self::Power { first_mw, last_mw, length_ms } => {
                let (first, rise) = (i128::from(first_mw), i128::from(last_mw - first_mw));
                let length = i128::from(length_ms);
                (2 * first * length + rise * passed) * passed / (2 * length)
            }
            Self::Energy { energy_mj, length_ms } => {
                i128::from(energy_mj) * 1000 * passed / i128::from(length_ms)
            }
        };
        i64::try_from(exact).unwrap_or(i64::MAX)
    }
}
