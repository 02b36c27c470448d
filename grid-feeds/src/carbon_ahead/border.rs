//! Borders between zones: what went over them, and what is to.

use planner::time::Timestamp;

use super::{Hourly, OWN, ZoneFlow};

/// What goes over a border, in MW.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BorderHours {
    /// Into the first zone.
    pub imports: Hourly,
    /// Out of it.
    pub exports: Hourly,
    /// From here on nobody could say what goes into the zone; `None` where the last question had an answer.
    pub imports_unknown_from: Option<Timestamp>,
    /// From here on nobody could say what goes out of it.
    pub exports_unknown_from: Option<Timestamp>,
}

/// A border between two zones, by their indices. The zone that estimates are for has index 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ZoneBorder {
    /// Imports go into the first of both.
    pub between: (usize, usize),
    /// What flowed.
    pub flowed: BorderHours,
    /// What is to go by the day-ahead market, of past and coming hours.
    pub scheduled: BorderHours,
}

impl ZoneBorder {
    /// Whether it is one of the zone that estimates are for.
    pub(super) const fn is_own(&self) -> bool {
        self.between.0 == OWN || self.between.1 == OWN
    }

    /// Imports and exports as flows.
    pub(super) const fn flows(&self, (imports, exports): (f64, f64)) -> [ZoneFlow; 2] {
        let (first, second) = self.between;
        [
            ZoneFlow { from: second, into: first, power: imports },
            ZoneFlow { from: first, into: second, power: exports },
        ]
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
