//! The parameters of the month that are about the manager of the nodes' power.

use std::time::Duration;

use planner::criterion::Criterion;
use planner::idle_energy::Fit;
use planner::node::Node;
use planner::power_plan::{RankBy, Switching};
use planner::power_states::{Sleep, Transition};
use planner::quantity::Power;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::groups::{GroupRights, NodeGroup, WarmGroups};

/// Who switches nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Manager {
    /// Nobody: nodes are on throughout.
    #[default]
    None,
    /// The manager, by what is known at each instant.
    Sleep,
    /// The oracle, which knows the month beforehand.
    Oracle,
}

/// Whether offers count idle energy, and which nodes they take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CountIdleEnergy {
    /// They do not.
    #[default]
    No,
    /// They do, and take the nodes that draw least.
    LeastDraw,
    /// They do, and take nodes so that long gaps stay.
    LongGaps,
}

impl CountIdleEnergy {
    /// The fit of offers, where they count it.
    pub(super) const fn fit(self) -> Option<Fit> {
        match self {
            Self::No => None,
            Self::LeastDraw => Some(Fit::LeastDraw),
            Self::LongGaps => Some(Fit::LongGaps),
        }
    }

    /// Whether the option is off: it is not recorded then.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde asks")]
    pub(super) fn is_no(&self) -> bool {
        *self == Self::No
    }
}

/// What the manager of a month is told; units are in the names. The powers and times of switching are those of table 6.1 of the
/// Batsim thesis (9.75 W off, 101 W and 125.17 W while switching, of 95 W idle), in parts of a node's idle power.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ManagerParameters {
    /// Who switches nodes. Default `none`.
    pub manager: Manager,
    /// What a node draws when it is off, per cent of its idle power. Default 10.
    pub off_power_percent: f64,
    /// What it draws while it is switched off, per cent of its idle power. Default 106.
    pub switching_off_power_percent: f64,
    /// What it draws while it is switched on, per cent of its idle power. Default 132.
    pub switching_on_power_percent: f64,
    /// How long switching off takes. Default 6.1.
    pub switching_off_s: f64,
    /// How long switching on takes at least. Default 151.52.
    pub switching_on_s: f64,
    /// How much longer than that switching on takes at the most, per cent: each boot draws its time, uniform over the range.
    /// Default 0.
    pub boot_spread_percent: f64,
    /// How long before it is needed a node is woken. Default: the most that switching on takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boot_s: Option<f64>,
    /// How often a node that is woken does not come back, per cent of boots. Default 0.
    pub boot_failure_percent: f64,
    /// How long such a node is out of service. Default 24.
    pub repair_h: f64,
    /// So many nodes that nobody has stay up. Default 0.
    pub keep_warm: u32,
    /// So many nodes of partitions or with features stay up, beside `keep_warm` of all. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_warm_in: Option<WarmGroups>,
    /// Which partitions, or nodes with which features, may be switched off, and when. Default: all nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rights: Option<GroupRights>,
    /// How often a node may be switched off on a day of UTC. Default: as often as it pays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_switches_per_day: Option<u32>,
    /// From which hour of UTC on nodes may be switched off each day, where a right has no windows of its own. Default 0.
    pub off_from_h: u8,
    /// Until which hour of UTC they may be, on the next day where it is not after the other; equal hours are the whole day.
    /// Default 0.
    pub off_until_h: u8,
    /// The criteria by which a sleep must pay, the most important first. Default `energy_cost_co2`.
    pub rank_by: SleepRanking,
    /// Whether offers count the idle energy that they avoid or cause, and then which nodes they take:
    /// `no`, `least_draw` or `long_gaps`. Not under `asap_first`. Default `no`.
    #[serde(skip_serializing_if = "CountIdleEnergy::is_no")]
    pub count_idle_energy: CountIdleEnergy,
    /// What a cycle of switching off and on wears off, as energy. Default 0.
    pub wear_j: f64,
    /// What a cycle wears off, as money. Default 0.
    pub wear_cost: f64,
    /// What a cycle wears off, as CO2. Default 0.
    pub wear_co2_g: f64,
}

/// What is wrong with what the manager is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ManagerError {
    /// Not a power of switching.
    #[error("powers and spreads of switching must be between 0 and 1000 per cent")]
    SwitchingPower,
    /// Not a time of switching.
    #[error("switching_off_s, switching_on_s and boot_s must be between 0 and a day")]
    SwitchingTime,
    /// Not a per cent.
    #[error("boot_failure_percent must be between 0 and 100")]
    BootFailure,
    /// Not a time.
    #[error("repair_h must be above 0 and at most a year")]
    Repair,
    /// Not an hour.
    #[error("off_from_h and off_until_h must be hours from 0 to 23")]
    OffHours,
    /// Not an amount.
    #[error("wear_j, wear_cost and wear_co2_g must be between 0 and 1e9")]
    Wear,
}

impl ManagerError {
    /// The parameter that is wrong; of several the last that is needed.
    pub const fn parameter(self) -> &'static str {
        match self {
            Self::SwitchingPower => "switching_on_power_percent",
            Self::SwitchingTime => "switching_on_s",
            Self::BootFailure => "boot_failure_percent",
            Self::Repair => "repair_h",
            Self::OffHours => "off_from_h",
            Self::Wear => "wear_j",
        }
    }
}

/// An order of criteria as a word, such as `cost` or `cost_co2`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SleepRanking(pub RankBy);

impl SleepRanking {
    fn word(self) -> String {
        self.0.criteria().map(Criterion::word).collect::<Vec<_>>().join("_")
    }

    fn of(word: &str) -> Option<Self> {
        let criterion = |word: &str| Criterion::ALL.into_iter().find(|it| it.word() == word);
        let criteria: Vec<Criterion> = word.split('_').map(criterion).collect::<Option<_>>()?;
        RankBy::new(&criteria).ok().map(Self)
    }
}

impl Serialize for SleepRanking {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.word())
    }
}

impl<'de> Deserialize<'de> for SleepRanking {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        Self::of(&word).ok_or_else(|| {
            serde::de::Error::custom(
                "rank_by must be criteria in their order, such as energy_cost_co2 or cost",
            )
        })
    }
}

impl Default for ManagerParameters {
    fn default() -> Self {
        Self {
            manager: Manager::None,
            off_power_percent: 10.0,
            switching_off_power_percent: 106.0,
            switching_on_power_percent: 132.0,
            switching_off_s: 6.1,
            switching_on_s: 151.52,
            boot_spread_percent: 0.0,
            boot_s: None,
            boot_failure_percent: 0.0,
            repair_h: 24.0,
            keep_warm: 0,
            keep_warm_in: None,
            rights: None,
            most_switches_per_day: None,
            off_from_h: 0,
            off_until_h: 0,
            rank_by: SleepRanking::default(),
            count_idle_energy: CountIdleEnergy::No,
            wear_j: 0.0,
            wear_cost: 0.0,
            wear_co2_g: 0.0,
        }
    }
}

impl ManagerParameters {
    /// A manager of which nothing is left out.
    pub(super) fn with_everything_said() -> Self {
        Self {
            manager: Manager::Sleep,
            boot_s: Some(0.0),
            keep_warm_in: Some(WarmGroups::default()),
            rights: Some(GroupRights::default()),
            most_switches_per_day: Some(0),
            count_idle_energy: CountIdleEnergy::LeastDraw,
            ..Self::default()
        }
    }

    /// Whether nobody switches nodes: the parameters then change nothing, and are not recorded.
    pub fn is_off(&self) -> bool {
        self.manager == Manager::None
    }

    /// The partitions and features that are named: by which parameter, at which position of its list.
    pub(super) fn groups(&self) -> impl Iterator<Item = (&'static str, usize, &NodeGroup)> {
        let rights = self.rights.iter().flat_map(|rights| rights.0.iter().enumerate());
        let rights = rights.map(|(index, right)| ("rights", index, &right.group));
        let warm = self.keep_warm_in.iter().flat_map(|groups| groups.0.iter().enumerate());
        rights.chain(warm.map(|(index, warm)| ("keep_warm_in", index, &warm.group)))
    }

    /// The rules that hold for the parameters.
    pub(super) fn rules(&self) -> [(bool, ManagerError); 6] {
        let percents = [
            self.off_power_percent,
            self.switching_off_power_percent,
            self.switching_on_power_percent,
            self.boot_spread_percent,
        ];
        let times = [self.switching_off_s, self.switching_on_s, self.boot_s.unwrap_or(0.0)];
        let wears = [self.wear_j, self.wear_cost, self.wear_co2_g];
        [
            (percents.iter().all(|it| (0.0..=1000.0).contains(it)), ManagerError::SwitchingPower),
            (times.iter().all(|it| (0.0..86_400.0).contains(it)), ManagerError::SwitchingTime),
            ((0.0..=100.0).contains(&self.boot_failure_percent), ManagerError::BootFailure),
            (self.repair_h > 0.0 && self.repair_h <= 8784.0, ManagerError::Repair),
            (self.off_from_h < 24 && self.off_until_h < 24, ManagerError::OffHours),
            (wears.iter().all(|it| (0.0..=1e9).contains(it)), ManagerError::Wear),
        ]
    }

    /// How a node is switched.
    pub(super) fn switching(&self, node: &Node) -> Switching {
        let sleep = Sleep {
            number: 1,
            off: part(node.idle(), self.off_power_percent),
            switching_off: Transition {
                power: part(node.idle(), self.switching_off_power_percent),
                time: millis(self.switching_off_s),
            },
            switching_on: Transition {
                power: part(node.idle(), self.switching_on_power_percent),
                time: millis(self.switching_on_s),
            },
        };
        let longest_s = self.switching_on_s * (1.0 + self.boot_spread_percent / 100.0);
        let boot = millis(self.boot_s.unwrap_or(longest_s)).max(sleep.switching_on.time);
        Switching { sleep, boot }
    }
}

/// A per cent in millionths of the whole.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be at most 1000 %"
)]
pub(super) fn millionths(percent: f64) -> u32 {
    (percent * 10_000.0).round_ties_even() as u32
}

/// Seconds as whole milliseconds, up where they are not whole.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be below a day, or ten of it"
)]
fn millis(seconds: f64) -> Duration {
    // What is no whole millisecond only by binary rounding is one.
    Duration::from_millis((seconds * 1000.0 - 1e-6).ceil().max(0.0) as u64)
}

fn part(power: Power, percent: f64) -> Power {
    let product = i128::from(power.as_microwatts()) * i128::from(millionths(percent));
    let microwatts = (product + 500_000) / 1_000_000;
    Power::from_microwatts(i64::try_from(microwatts).unwrap_or(i64::MAX))
}
