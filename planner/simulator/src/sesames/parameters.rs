//! The parameters of the experiment, each with the paper's value as its default.
//!
//! Where the paper is silent or ambiguous (section VI-A) the default is ours, and says why.

use std::ops::RangeInclusive;

use planner::node::MAX_NODES;
use planner::problem::SearchMode;
use planner::quantity::MAX_POWER_MICROWATTS;
use planner::request::MAX_DURATION;
use planner::search::MAX_CANDIDATES;
use planner::time::{Seconds, Span, Timestamp};

const DAY_S: u32 = 86_400;

/// The longest simulation: ten years.
const MAX_DAYS: u32 = 3660;

/// Parameters of the experiment; units are in the names.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Parameters {
    /// N: how many nodes. Default 1,000,000 (paper).
    pub nodes: u32,
    /// R: how many requests. Default 100 (paper).
    pub requests: u32,
    /// K: how many times the month is played, each with its own draws. Default 10: a tenth of the
    /// paper's, for a quick answer.
    pub runs: u32,
    /// Length of the month. Default 30 (paper).
    pub days: u32,
    /// Length of a time slot: starts and durations are whole slots. Divides a day. Default 900
    /// (paper).
    pub slot_s: u32,
    /// T^r: how much later than its earliest start a request may start. The paper does not say.
    /// Default 24, as long as the longest reservation, so that every request's window holds a
    /// night and a day. The paper's occupancy and rates of unsuccessful requests come out at some
    /// 100 hours, its start lag of half an hour at one.
    pub max_delay_h: f64,
    /// S: what every draw derives from. Default 1.
    pub seed: u64,
    /// When the month begins, on a slot. Default 2013-01-01T00:00:00Z (the paper's January).
    pub start: Timestamp,
    /// The shortest reservation. Default 900 (paper).
    pub min_duration_s: u32,
    /// The longest reservation. Default 86,400 (paper).
    pub max_duration_s: u32,
    /// Mean power cap, per cent of the peak of all nodes. Default 100 (paper).
    pub cap_mean_percent: f64,
    /// Standard deviation of the cap, in points of that per cent. Default 5: the paper's "variance
    /// equal to 25" of a quantity in per cent.
    pub cap_standard_deviation_percent: f64,
}

/// What is wrong with a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParameterError {
    /// Nodes out of range.
    #[error("nodes must be between 1 and {MAX_NODES}")]
    Nodes,
    /// Nothing to play.
    #[error("requests must be at least 1")]
    Requests,
    /// Nothing to play.
    #[error("runs must be at least 1")]
    Runs,
    /// Month too short or too long.
    #[error("days must be between 1 and {MAX_DAYS}")]
    Days,
    /// Slot out of range.
    #[error("slot_s must divide a day of 86400 seconds")]
    Slot,
    /// Delay out of range.
    #[error("max_delay_h must be between 0 and 100,000 slots")]
    MaxDelay,
    /// Month begins off the grid.
    #[error("start must be a multiple of slot_s since the Unix epoch, in the years 1970 to 9900")]
    Start,
    /// No whole slot between the two.
    #[error("at least one whole slot must lie between min_duration_s and max_duration_s")]
    Duration,
    /// Not a per cent.
    #[error("cap_mean_percent must be between 0 and 200")]
    CapMean,
    /// Not a spread.
    #[error("cap_standard_deviation_percent must be between 0 and 1000")]
    CapStandardDeviation,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            nodes: 1_000_000,
            requests: 100,
            runs: 10,
            days: 30,
            slot_s: 900,
            max_delay_h: 24.0,
            seed: 1,
            start: Timestamp::from_unix_seconds(1_356_998_400),
            min_duration_s: 900,
            max_duration_s: DAY_S,
            cap_mean_percent: 100.0,
            cap_standard_deviation_percent: 5.0,
        }
    }
}

impl Parameters {
    /// What is wrong with the parameters, all of it.
    pub fn errors(&self) -> Vec<ParameterError> {
        let slot = self.slot_s != 0 && DAY_S.is_multiple_of(self.slot_s);
        let most_delay_h = MAX_CANDIDATES as f64 * f64::from(self.slot_s) / 3600.0;
        let last_start = Timestamp::MAX - Seconds::new(100 * 366 * i64::from(DAY_S));
        let rules = [
            ((1..=MAX_NODES).contains(&self.nodes), ParameterError::Nodes),
            (self.requests > 0, ParameterError::Requests),
            (self.runs > 0, ParameterError::Runs),
            ((1..=MAX_DAYS).contains(&self.days), ParameterError::Days),
            (slot, ParameterError::Slot),
            (self.max_delay_h >= 0.0 && self.max_delay_h < most_delay_h, ParameterError::MaxDelay),
            (
                (Timestamp::MIN..=last_start).contains(&self.start)
                    && (!slot || self.start.ceil_to(self.slot()) == self.start),
                ParameterError::Start,
            ),
            (
                i64::from(self.max_duration_s) <= MAX_DURATION.get()
                    && (!slot || !self.duration_slots().is_empty()),
                ParameterError::Duration,
            ),
            ((0.0..=200.0).contains(&self.cap_mean_percent), ParameterError::CapMean),
            (
                (0.0..=1000.0).contains(&self.cap_standard_deviation_percent),
                ParameterError::CapStandardDeviation,
            ),
        ];
        rules.into_iter().filter(|(holds, _)| !holds).map(|(_, error)| error).collect()
    }

    /// The month: what occupancy is measured in and earliest starts are drawn from.
    pub fn month(&self) -> Span {
        let length = Seconds::new(i64::from(self.days.max(1)) * i64::from(DAY_S));
        spanning(self.start, length)
    }

    /// Everything a drawn request can touch: the month, the longest delay and the longest duration.
    pub fn horizon(&self) -> Span {
        let late = self.max_delay() + Seconds::new(self.max_duration_s.into());
        spanning(self.start, self.month().length() + late)
    }

    /// The maximum delay, to the second.
    #[expect(clippy::cast_possible_truncation, reason = "checked to be below 100,000 slots")]
    pub fn max_delay(&self) -> Seconds {
        Seconds::new((self.max_delay_h * 3600.0).round_ties_even() as i64)
    }

    /// Where starts are looked for.
    pub fn search(&self) -> SearchMode {
        SearchMode::Slots { slot: self.slot() }
    }

    pub(super) fn slot(&self) -> Seconds {
        Seconds::new(self.slot_s.into())
    }

    pub(super) fn slots_in_month(&self) -> u32 {
        self.days * (DAY_S / self.slot_s)
    }

    /// The durations a request may have, in slots.
    pub(super) fn duration_slots(&self) -> RangeInclusive<u32> {
        self.min_duration_s.div_ceil(self.slot_s).max(1)..=self.max_duration_s / self.slot_s
    }
}

/// `length` is at least a day wherever this is called.
fn spanning(start: Timestamp, length: Seconds) -> Span {
    match Span::starting(start, length) {
        Some(span) => span,
        None => unreachable!("a month has at least a day"),
    }
}

/// The peak of all nodes is below what quantities hold, so that twice of it, the greatest cap, is
/// a power too.
const _: () = assert!(MAX_POWER_MICROWATTS <= i64::MAX / 2);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_valid() {
        let parameters = Parameters::default();
        assert_eq!(parameters.errors(), []);
        assert_eq!(parameters.month().to_string(), "2013-01-01T00:00:00Z to 2013-01-31T00:00:00Z");
        assert_eq!(
            parameters.horizon().to_string(),
            "2013-01-01T00:00:00Z to 2013-02-02T00:00:00Z"
        );
        assert_eq!(parameters.duration_slots(), 1..=96);
        assert_eq!(parameters.slots_in_month(), 2880);
    }

    #[test]
    fn every_error_is_listed() {
        let broken = Parameters {
            nodes: 0,
            requests: 0,
            runs: 0,
            days: 0,
            slot_s: 7,
            max_delay_h: f64::NAN,
            seed: 0,
            start: Timestamp::from_unix_seconds(-1),
            min_duration_s: 0,
            max_duration_s: u32::MAX,
            cap_mean_percent: -1.0,
            cap_standard_deviation_percent: f64::INFINITY,
        };
        assert_eq!(broken.errors().len(), 10);
        let off_grid =
            Parameters { start: Timestamp::from_unix_seconds(901), ..Parameters::default() };
        assert_eq!(off_grid.errors(), [ParameterError::Start]);
        let no_slot =
            Parameters { min_duration_s: 901, max_duration_s: 1799, ..Parameters::default() };
        assert_eq!(no_slot.errors(), [ParameterError::Duration]);
    }
}
