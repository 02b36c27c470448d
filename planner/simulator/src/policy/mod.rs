//! Policies: which nodes are taken first, and which of the planner's answers is reserved.
//!
//! | name | nodes | start |
//! |---|---|---|
//! | `asap_first` | the first free ones by index | the first feasible |
//! | `asap_least` | the least-drawing free ones | the first feasible |
//! | `cost_co2_energy` and the five other rankings | the least-drawing free ones | the ranking's best |
//! | `cost_co2_energy~5` and the like | the least-drawing free ones | within 5 % of the least cost, the cleanest |
//! | `knee` | the least-drawing free ones | the knee of the Pareto front |
//! | `mixed` | the least-drawing free ones | each user's own of the policies above, as drawn |
//!
//! Between the first two lies the saving of *which* nodes, between the second and the others the
//! saving of *when*. A new policy is one file here.

mod asap;
mod knee;
mod ranked;
mod tolerant;

use std::fmt;
use std::str::FromStr;

use planner::decision::{Decision, Offer};
use planner::order::Preference;
use planner::ranking::Ranking;
use planner::request::Tolerances;

/// How requests are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Policy {
    /// As soon as possible, on the first free nodes by index.
    AsapFirst,
    /// As soon as possible, on the least-drawing free nodes.
    AsapLeast,
    /// The start that a user with this ranking chooses, on the least-drawing free nodes.
    Ranked(Ranking),
    /// The start that a user with this ranking chooses who tolerates a loss of so many thousandths, at
    /// least one, in its first criterion.
    Tolerant(Ranking, u16),
    /// The knee of the Pareto front, on the least-drawing free nodes.
    Knee,
    /// Users of different policies on one cluster, as the experiment's `mix` says.
    Mixed,
}

/// Not the name of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "is not a policy: asap_first, asap_least, knee, mixed, or a ranking (the words energy, cost \
     and co2 once each, joined by underscores), which may be followed by ~ and a tolerance in per \
     cent, of at most one decimal"
)]
pub struct PolicyError;

const MIXED: &str = "mixed";
/// The greatest tolerance: 1000 %.
const MOST_PERMILLE: u16 = 10_000;

impl Policy {
    /// The three policies that section VI of the paper compares, and the one that tells the saving
    /// of *which* nodes from the saving of *when*.
    pub const SESAMES: [Self; 4] = {
        let [.., cost_co2_energy, _, co2_cost_energy] = Ranking::ALL;
        [
            Self::AsapFirst,
            Self::AsapLeast,
            Self::Ranked(cost_co2_energy),
            Self::Ranked(co2_cost_energy),
        ]
    };

    /// Every policy without a tolerance.
    pub fn all() -> impl Iterator<Item = Self> {
        let baselines = [Self::AsapFirst, Self::AsapLeast].into_iter();
        baselines.chain(Ranking::ALL.map(Self::Ranked)).chain([Self::Knee, Self::Mixed])
    }

    /// The order in which free nodes are taken.
    pub const fn preference(self) -> Preference {
        match self {
            Self::AsapFirst => Preference::FirstListed,
            _ => Preference::LeastDraw,
        }
    }

    /// What a request of a user who follows this policy tolerates.
    pub fn tolerances(self) -> Tolerances {
        match self {
            Self::Tolerant(ranking, permille) => tolerant::tolerances(ranking, permille),
            _ => Tolerances::default(),
        }
    }

    /// What is reserved of a decision made with [`Policy::preference`] and [`Policy::tolerances`]
    /// for a user who, where the policy is [`Policy::Mixed`], follows `user`; `None` when nothing
    /// can be.
    pub fn choose(self, decision: &Decision, user: Self) -> Option<&Offer> {
        match self {
            Self::AsapFirst | Self::AsapLeast => asap::choose(decision),
            Self::Ranked(ranking) | Self::Tolerant(ranking, _) => ranked::choose(decision, ranking),
            Self::Knee => knee::choose(decision),
            Self::Mixed => match user {
                Self::Mixed => None,
                user => user.choose(decision, user),
            },
        }
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AsapFirst => f.write_str(asap::FIRST),
            Self::AsapLeast => f.write_str(asap::LEAST),
            Self::Ranked(ranking) => ranking.fmt(f),
            Self::Tolerant(ranking, permille) => match (permille / 10, permille % 10) {
                (percent, 0) => write!(f, "{ranking}~{percent}"),
                (percent, tenth) => write!(f, "{ranking}~{percent}.{tenth}"),
            },
            Self::Knee => f.write_str(knee::NAME),
            Self::Mixed => f.write_str(MIXED),
        }
    }
}

impl FromStr for Policy {
    type Err = PolicyError;
    fn from_str(text: &str) -> Result<Self, PolicyError> {
        if let Some((ranking, percent)) = text.split_once('~') {
            let ranking = ranking.parse().map_err(|_| PolicyError)?;
            return Ok(Self::Tolerant(ranking, permille(percent).ok_or(PolicyError)?));
        }
        Self::all().find(|policy| policy.to_string() == text).ok_or(PolicyError)
    }
}

/// A per cent of at most one decimal, above nothing.
fn permille(percent: &str) -> Option<u16> {
    let (whole, tenth) = percent.split_once('.').unwrap_or((percent, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let written = digits(whole) && digits(tenth) && tenth.len() == 1;
    let whole: u16 = whole.parse().ok().filter(|_| written)?;
    let permille = whole.checked_mul(10)?.checked_add(tenth.parse().ok()?)?;
    (1..=MOST_PERMILLE).contains(&permille).then_some(permille)
}

impl serde::Serialize for Policy {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Policy {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|error| serde::de::Error::custom(format!("{text:?} {error}")))
    }
}

#[cfg(test)]
mod tests;
