//! Settings of calibration that follows what meters measure: `[calibration]`. See `docs/CALIBRATION.md`.

use std::time::Duration;

use anyhow::ensure;
use planner::recalibration::{FollowRules, MOST_QUARTERS, MOST_RUNS};
use planner::time::Seconds;
use serde::Deserialize;

/// How calibration follows.
#[derive(Clone, Debug)]
pub struct CalibrationSettings {
    /// Whether calibrations are proposed, or taken.
    pub follow: Follow,
    /// How often nodes are judged.
    pub every: Duration,
    /// The quarter-hours that count are no older than this.
    pub window: Seconds,
    /// When something is told of nodes.
    pub rules: FollowRules,
    /// A utilisation is learnt from at least so many runs of an application; `None`: it is not learnt.
    pub least_runs: Option<usize>,
}

/// What becomes of what is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Follow {
    /// Nodes are not judged.
    Off,
    /// New powers are proposed to operators.
    #[default]
    Propose,
    /// New powers are taken as soon as they are proposed.
    Take,
}

impl Follow {
    /// Its name in documents.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Propose => "propose",
            Self::Take => "take",
        }
    }
}

/// What the file says.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CalibrationFields {
    #[serde(default)]
    follow: Follow,
    every_s: Option<u32>,
    window_days: Option<u32>,
    least_quarters: Option<u32>,
    drift_percent: Option<f64>,
    outlying_scales: Option<u32>,
    silent_s: Option<u32>,
    learn_utilisation: Option<bool>,
    least_runs: Option<u32>,
}

impl CalibrationSettings {
    /// Reads the section. `may_be_off` says whether nodes that nobody has may be off.
    ///
    /// # Errors
    /// A value out of range, by name.
    pub fn read(fields: &CalibrationFields, may_be_off: bool) -> anyhow::Result<Self> {
        let number = |name: &str, value: Option<u32>, unless: u32, least: u32, most: u32| {
            let value = value.unwrap_or(unless);
            ensure!((least..=most).contains(&value), "{name} must lie between {least} and {most}");
            Ok(value)
        };
        let most_quarters = u32::try_from(MOST_QUARTERS)?;
        let most_runs = u32::try_from(MOST_RUNS)?;
        let every = number("every_s", fields.every_s, 6 * 3600, 1, 7 * 86_400)?;
        let window = number("window_days", fields.window_days, 30, 1, 366)?;
        let silent = number("silent_s", fields.silent_s, 86_400, 900, 366 * 86_400)?;
        let least_runs = number("least_runs", fields.least_runs, 3, 1, most_runs)?;
        let learns = fields.learn_utilisation.unwrap_or(true);
        Ok(Self {
            follow: fields.follow,
            every: Duration::from_secs(every.into()),
            window: Seconds::new(i64::from(window) * 86_400),
            rules: FollowRules {
                least_quarters: number(
                    "least_quarters",
                    fields.least_quarters,
                    24,
                    4,
                    most_quarters,
                )?,
                drift: millionths(fields.drift_percent.unwrap_or(5.0))?,
                outlying_scales: number("outlying_scales", fields.outlying_scales, 5, 3, 100)?
                    .into(),
                silent_quarters: i64::from(silent) / 900,
                may_be_off,
            },
            least_runs: learns.then_some(least_runs as usize),
        })
    }
}

#[expect(clippy::cast_possible_truncation, reason = "in range, as checked")]
fn millionths(percent: f64) -> anyhow::Result<i64> {
    ensure!((0.1..=100.0).contains(&percent), "drift_percent must lie between 0.1 and 100");
    Ok((percent * 10_000.0).round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> anyhow::Result<CalibrationSettings> {
        CalibrationSettings::read(&toml::from_str(text).unwrap(), false)
    }

    #[test]
    fn what_is_not_said_has_a_default() {
        let settings = read("").unwrap();
        assert_eq!((settings.follow, settings.least_runs), (Follow::Propose, Some(3)));
        assert_eq!((settings.rules.drift, settings.rules.silent_quarters), (50_000, 96));
        assert_eq!(read("follow = \"take\"\ndrift_percent = 2.5").unwrap().rules.drift, 25_000);
        assert_eq!(read("learn_utilisation = false").unwrap().least_runs, None);
    }

    #[test]
    fn what_is_out_of_range_is_named() {
        for (text, named) in [
            ("every_s = 0", "every_s"),
            ("window_days = 367", "window_days"),
            ("least_quarters = 3", "least_quarters"),
            ("drift_percent = 0.0", "drift_percent"),
            ("outlying_scales = 2", "outlying_scales"),
            ("silent_s = 899", "silent_s"),
            ("least_runs = 21", "least_runs"),
        ] {
            let error = format!("{:#}", read(text).unwrap_err());
            assert!(error.contains(named), "{error}");
        }
    }
}
