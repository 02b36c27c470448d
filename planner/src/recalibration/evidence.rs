//! What is remembered of a node's quarter-hours.

use super::ErrorSums;
use crate::metering::QuarterHour;
use crate::quantity::Power;

/// So many quarter-hours of a kind are remembered: a day's.
pub const MOST_QUARTERS: usize = 96;

/// So many of the newest tell whether the meter works: an hour's.
const NEWEST: usize = 4;

/// What a quarter-hour tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum QuarterKind {
    /// What the node draws when nobody has it.
    Idle,
    /// What it draws when it is held.
    Held,
    /// What it draws when it is held for a request that says that it works as hard as it can.
    Driven,
}

/// The newest quarter-hours of a node that were measured throughout, by what it was used for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    idle: Vec<Power>,
    held: Vec<Power>,
    driven: Vec<Power>,
    /// The newest, whatever it tells.
    newest: Option<QuarterHour>,
    /// What the calibration in force says of the quarter-hours in which it was held, against what was measured.
    errors: ErrorSums,
}

impl Evidence {
    /// Takes a quarter-hour, measured throughout; they come newest first.
    pub fn take(&mut self, quarter: QuarterHour, kind: QuarterKind, power: Power) {
        self.newest = self.newest.max(Some(quarter));
        let lists: &mut [&mut Vec<Power>] = match kind {
            QuarterKind::Idle => &mut [&mut self.idle],
            QuarterKind::Held => &mut [&mut self.held],
            QuarterKind::Driven => &mut [&mut self.held, &mut self.driven],
        };
        for list in lists {
            if list.len() < MOST_QUARTERS {
                list.push(power);
            }
        }
    }

    /// Notes that something was measured throughout a quarter-hour that tells nothing else.
    pub fn note(&mut self, quarter: QuarterHour) {
        self.newest = self.newest.max(Some(quarter));
    }

    /// Notes what the calibration in force says of a quarter-hour in which it was held.
    pub fn compare(&mut self, predicted: Power, measured: Power) {
        let microwatts = |power: Power| power.as_microwatts().into();
        self.errors.add(microwatts(predicted), microwatts(measured));
    }

    /// Those of a kind, newest first.
    pub fn of(&self, kind: QuarterKind) -> &[Power] {
        match kind {
            QuarterKind::Idle => &self.idle,
            QuarterKind::Held => &self.held,
            QuarterKind::Driven => &self.driven,
        }
    }

    /// The newest of a kind, an hour's; `None` where there are fewer.
    pub(super) fn newest_of(&self, kind: QuarterKind) -> Option<&[Power]> {
        self.of(kind).get(..NEWEST)
    }

    /// The newest quarter-hour that was measured throughout.
    pub const fn newest(&self) -> Option<QuarterHour> {
        self.newest
    }

    /// What the calibration in force says of the quarter-hours in which it was held, against what was measured.
    pub const fn errors(&self) -> ErrorSums {
        self.errors
    }
}
