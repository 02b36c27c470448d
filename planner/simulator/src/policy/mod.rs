//! Policies: which nodes are taken first, and which of the planner's answers is reserved.
//!
//! | name | nodes | start |
//! |---|---|---|
//! | `asap_first` | the first free ones by index | the first feasible |
//! | `asap_least` | the least-drawing free ones | the first feasible |
//! | `cost_co2_energy` and the five other rankings | the least-drawing free ones | the ranking's best |
//!
//! Between the first two lies the saving of *which* nodes, between the second and the third the
//! saving of *when*. A new policy is one file here.

mod asap_first;
mod asap_least;
mod ranked;

use std::fmt;
use std::str::FromStr;

use planner::decision::{Decision, Offer};
use planner::order::Preference;
use planner::ranking::Ranking;

/// How requests are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Policy {
    /// As soon as possible, on the first free nodes by index.
    AsapFirst,
    /// As soon as possible, on the least-drawing free nodes.
    AsapLeast,
    /// The start that a user with this ranking chooses, on the least-drawing free nodes.
    Ranked(Ranking),
}

/// Not the name of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "is not a policy: asap_first, asap_least, or a ranking (the words energy, cost and co2 once \
     each, joined by underscores)"
)]
pub struct PolicyError;

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

    /// Every policy: the two baselines and the six rankings.
    pub fn all() -> impl Iterator<Item = Self> {
        [Self::AsapFirst, Self::AsapLeast].into_iter().chain(Ranking::ALL.map(Self::Ranked))
    }

    /// The order in which free nodes are taken.
    pub const fn preference(self) -> Preference {
        match self {
            Self::AsapFirst => asap_first::PREFERENCE,
            Self::AsapLeast => asap_least::PREFERENCE,
            Self::Ranked(_) => ranked::PREFERENCE,
        }
    }

    /// What is reserved of a decision made with [`Policy::preference`]; `None` when nothing can be.
    pub fn choose(self, decision: &Decision) -> Option<&Offer> {
        match self {
            Self::AsapFirst => asap_first::choose(decision),
            Self::AsapLeast => asap_least::choose(decision),
            Self::Ranked(ranking) => ranked::choose(decision, ranking),
        }
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AsapFirst => f.write_str(asap_first::NAME),
            Self::AsapLeast => f.write_str(asap_least::NAME),
            Self::Ranked(ranking) => ranking.fmt(f),
        }
    }
}

impl FromStr for Policy {
    type Err = PolicyError;
    fn from_str(text: &str) -> Result<Self, PolicyError> {
        Self::all().find(|policy| policy.to_string() == text).ok_or(PolicyError)
    }
}

impl serde::Serialize for Policy {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_reads_back() {
        for policy in Policy::all() {
            assert_eq!(policy.to_string().parse(), Ok(policy));
        }
        assert_eq!("asap".parse::<Policy>(), Err(PolicyError));
        let names = Policy::SESAMES.map(|policy| policy.to_string());
        assert_eq!(names, ["asap_first", "asap_least", "cost_co2_energy", "co2_cost_energy"]);
    }
}
