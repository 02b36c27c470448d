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

use super::manager::{ManagerError, ManagerParameters};
use super::mix::Mix;

const DAY_S: u32 = 86_400;

/// The longest simulation: ten years.
const MAX_DAYS: u32 = 3660;

/// Parameters of the experiment; units are in the names.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
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
    #[serde(deserialize_with = "super::instant::deserialize")]
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
    /// What draws an `alpha`. The paper: "for each node i". Default `node`.
    pub alpha_per: AlphaPer,
    /// Whether the planner knows what is drawn, or plans with the mean of idle and maximum power.
    /// The paper's planner computes with it: default true.
    pub alpha_known: bool,
    /// The most nodes a request may ask for, per cent of all. The paper: "between 1 and N".
    /// Default 100.
    pub max_request_percent: f64,
    /// Which earliest starts are drawn: "until the last possible one". Default `last_slot`.
    pub starts_until: StartsUntil,
    /// When requests become known. The paper does not say. Default `before_month`: its agendas are
    /// updated "after each reservation request", whatever their starts.
    pub arrival: Arrival,
    /// How requests are spread over the month. Default `uniform` (paper).
    pub flow: Flow,
    /// Swing of the rate of arrival over a day, 0 to 1, where `flow` is `poisson`. Default 0.6.
    pub daily_swing: f64,
    /// Rate of arrival at the weekend as a part of that on weekdays, where `flow` is `poisson`.
    /// Default 0.5.
    pub weekend_rate: f64,
    /// Correlation of the price's and the CO2's day-to-day variation, -1 to 1. The paper took both
    /// from one January and does not say. Default 0: each is drawn for itself.
    pub agenda_correlation: f64,
    /// How much of the variation of CO2 is by the hour of the day, per cent; the rest is from one
    /// day's weather to another's. The paper gives the range alone. Default 35: most of it is weather.
    pub co2_hour_percent: u32,
    /// Standard deviation of the error of the price and CO2 forecasts that plans are made with, per
    /// cent of what comes true, in each hour. Default 0: the paper's agendas are known.
    pub forecast_error_percent: f64,
    /// Whether to play where a given agenda does not cover what requests could use: they are then placed
    /// where it does, or not, and the summary's `covered_share` says how many it covers. Default false.
    pub allow_uncovered: bool,
    /// Weights of the policies that users of the `mixed` policy follow. Default: the six rankings,
    /// each 1.
    pub mix: Mix,
    /// The manager of the nodes' power; recorded where there is one.
    #[serde(flatten, skip_serializing_if = "ManagerParameters::is_off")]
    pub manager: ManagerParameters,
}

/// What a draw of `alpha` is for: the part between idle and maximum power at which a node runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AlphaPer {
    /// Each node draws its own in each run: nodes differ.
    Node,
    /// One utilisation for all nodes in a run: months differ.
    Run,
    /// One utilisation for all nodes of a request: applications differ. The order of nodes by draw
    /// then changes from one request to the next, which costs `O(nodes)` for each.
    Request,
}

/// The last earliest start that may be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StartsUntil {
    /// The month's last slot: a reservation may end after the month.
    LastSlot,
    /// The last slot from which the reservation ends within the month, if it starts at once.
    Fits,
}

/// When a request becomes known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arrival {
    /// All before the month begins, in the order of their number.
    BeforeMonth,
    /// Each at its earliest start, in this order.
    AtEarliestStart,
}

/// How drawn requests are spread over the month.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flow {
    /// Earliest starts uniform over the month's slots.
    Uniform,
    /// Arrivals of a Poisson process with a daily and a weekly cycle, given their number.
    Poisson,
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
    /// The month does not begin on a slot.
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
    /// Not a part.
    #[error("max_request_percent must be above 0 and at most 100")]
    MaxRequest,
    /// Not a part.
    #[error("daily_swing must be between 0 and 1")]
    DailySwing,
    /// Not a rate.
    #[error("weekend_rate must be between 0 and 10")]
    WeekendRate,
    /// Not a correlation.
    #[error("agenda_correlation must be between -1 and 1")]
    Correlation,
    /// Not a part.
    #[error("co2_hour_percent must be between 0 and 100")]
    Co2Hour,
    /// Not a spread.
    #[error("forecast_error_percent must be between 0 and 1000")]
    ForecastError,
    /// Nobody in the mix, or one who takes nodes in another order.
    #[error(
        "mix must name policies with weights of at least 1, and neither asap_first nor mixed itself"
    )]
    Mix,
    /// What the manager is told.
    #[error(transparent)]
    Manager(#[from] ManagerError),
    /// Too long to plan the power of nodes.
    #[error("days must be at most 366 where there is a manager")]
    ManagedDays,
    /// Too long for the month.
    #[error("max_duration_s must not exceed the month where starts_until is fits")]
    Fits,
}

impl ParameterError {
    /// The parameter that is wrong; of two that contradict each other the first.
    pub const fn parameter(self) -> &'static str {
        match self {
            Self::Nodes => "nodes",
            Self::Requests => "requests",
            Self::Runs => "runs",
            Self::Days | Self::ManagedDays => "days",
            Self::Slot => "slot_s",
            Self::MaxDelay => "max_delay_h",
            Self::Start => "start",
            Self::Duration => "min_duration_s",
            Self::CapMean => "cap_mean_percent",
            Self::CapStandardDeviation => "cap_standard_deviation_percent",
            Self::MaxRequest => "max_request_percent",
            Self::DailySwing => "daily_swing",
            Self::WeekendRate => "weekend_rate",
            Self::Correlation => "agenda_correlation",
            Self::Co2Hour => "co2_hour_percent",
            Self::ForecastError => "forecast_error_percent",
            Self::Mix => "mix",
            Self::Fits => "max_duration_s",
            Self::Manager(error) => error.parameter(),
        }
    }
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
            alpha_per: AlphaPer::Node,
            alpha_known: true,
            max_request_percent: 100.0,
            starts_until: StartsUntil::LastSlot,
            arrival: Arrival::BeforeMonth,
            flow: Flow::Uniform,
            daily_swing: 0.6,
            weekend_rate: 0.5,
            agenda_correlation: 0.0,
            co2_hour_percent: 35,
            forecast_error_percent: 0.0,
            allow_uncovered: false,
            mix: Mix::default(),
            manager: ManagerParameters::default(),
        }
    }
}

impl Parameters {
    /// The names of all parameters in documents, those of the manager among them.
    pub fn names() -> Vec<String> {
        let manager = ManagerParameters::with_everything_said();
        let all = serde_json::to_value(Self { manager, ..Self::default() }).unwrap_or_default();
        all.as_object().into_iter().flat_map(serde_json::Map::keys).cloned().collect()
    }

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
        let is_plannable = self.manager.is_off() || self.days <= 366;
        let of_manager = self.manager.rules().map(|(holds, error)| (holds, error.into()));
        let of_manager = of_manager.into_iter();
        let of_manager = of_manager.chain([(is_plannable, ParameterError::ManagedDays)]);
        let rules = rules.into_iter().chain(self.rules_of_readings()).chain(of_manager);
        let broken = rules.filter(|(holds, _)| !holds);
        broken.map(|(_, error)| error).collect()
    }

    /// The rules of what the paper leaves open.
    fn rules_of_readings(&self) -> [(bool, ParameterError); 8] {
        let fits = u64::from(self.max_duration_s) <= u64::from(self.days) * u64::from(DAY_S);
        [
            (
                self.max_request_percent > 0.0 && self.max_request_percent <= 100.0,
                ParameterError::MaxRequest,
            ),
            ((0.0..=1.0).contains(&self.daily_swing), ParameterError::DailySwing),
            ((0.0..=10.0).contains(&self.weekend_rate), ParameterError::WeekendRate),
            ((-1.0..=1.0).contains(&self.agenda_correlation), ParameterError::Correlation),
            (self.co2_hour_percent <= 100, ParameterError::Co2Hour),
            ((0.0..=1000.0).contains(&self.forecast_error_percent), ParameterError::ForecastError),
            (self.mix.is_valid(), ParameterError::Mix),
            (self.starts_until == StartsUntil::LastSlot || fits, ParameterError::Fits),
        ]
    }

    /// The most nodes a drawn request may ask for, at least one.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of nodes")]
    pub(super) fn most_nodes(&self) -> u32 {
        ((f64::from(self.nodes) * self.max_request_percent / 100.0) as u32).max(1)
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

    pub(crate) fn slot(&self) -> Seconds {
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
mod tests;
