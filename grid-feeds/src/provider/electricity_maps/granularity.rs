//! How long a value holds.

use planner::time::Seconds;

/// How long a value holds, as the supplier names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
pub enum Granularity {
    /// An hour.
    #[serde(rename = "hourly")]
    Hour,
    /// A quarter of an hour.
    #[serde(rename = "15_minutes")]
    QuarterHour,
    /// Five minutes.
    #[serde(rename = "5_minutes")]
    FiveMinutes,
}

impl Granularity {
    /// The one of a name; longer ones, such as `daily`, are none.
    pub(super) fn parse(name: &str) -> Option<Self> {
        [Self::Hour, Self::QuarterHour, Self::FiveMinutes]
            .into_iter()
            .find(|known| known.name() == name)
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Hour => "hourly",
            Self::QuarterHour => "15_minutes",
            Self::FiveMinutes => "5_minutes",
        }
    }

    pub(super) const fn step(self) -> Seconds {
        match self {
            Self::Hour => Seconds::new(3600),
            Self::QuarterHour => Seconds::new(900),
            Self::FiveMinutes => Seconds::new(300),
        }
    }

    /// What one question of the past may span.
    pub(super) const fn longest_past(self) -> Seconds {
        match self {
            Self::Hour => Seconds::new(10 * 86_400),
            Self::QuarterHour => Seconds::new(2 * 86_400),
            Self::FiveMinutes => Seconds::new(86_400),
        }
    }
}
