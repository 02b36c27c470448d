//! A mixed population: which policy each user follows.

use rand::Rng;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::streams::uniform;
use crate::policy::Policy;

/// Policies with their weights; a map in documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mix(Vec<(Policy, u32)>);

impl Default for Mix {
    fn default() -> Self {
        Self(planner::ranking::Ranking::ALL.map(|ranking| (Policy::Ranked(ranking), 1)).into())
    }
}

impl Mix {
    /// A mix as it stands, valid or not.
    pub const fn of(weights: Vec<(Policy, u32)>) -> Self {
        Self(weights)
    }

    /// Whether there is somebody in it, and nobody whose nodes come in another order than the
    /// others'.
    pub(super) fn is_valid(&self) -> bool {
        let sum: u64 = self.0.iter().map(|(_, weight)| u64::from(*weight)).sum();
        let alone = |policy| matches!(policy, Policy::AsapFirst | Policy::Mixed);
        sum > 0
            && u32::try_from(sum).is_ok()
            && self.0.iter().all(|&(policy, weight)| weight > 0 && !alone(policy))
    }

    /// The policies of `count` users: one word each.
    pub(super) fn draw(&self, count: usize, rng: &mut impl Rng) -> Vec<Policy> {
        let sum = self.0.iter().map(|(_, weight)| weight).sum::<u32>().max(1);
        let mut user = || {
            let mut left = uniform(rng, 1..=sum);
            let of = self.0.iter().find(|(_, weight)| {
                let found = left <= *weight;
                left = left.saturating_sub(*weight);
                found
            });
            of.map_or(Policy::AsapLeast, |(policy, _)| *policy)
        };
        (0..count).map(|_| user()).collect()
    }
}

impl Serialize for Mix {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(policy, weight)| (policy, weight)))
    }
}

impl<'de> Deserialize<'de> for Mix {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let weights = std::collections::BTreeMap::<Policy, u32>::deserialize(deserializer)?;
        Ok(Self(weights.into_iter().collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::streams::{Draw, stream};
    use super::*;

    #[test]
    fn users_come_in_proportion_to_the_weights() {
        let mix = Mix::of(vec![(Policy::AsapLeast, 1), (Policy::Knee, 3)]);
        let users = mix.draw(4000, &mut stream(1, 0, Draw::Users));
        let knees = users.iter().filter(|&&user| user == Policy::Knee).count();
        assert!((2900..3100).contains(&knees), "{knees}");
        assert_eq!(users.iter().filter(|&&user| user == Policy::AsapLeast).count(), 4000 - knees);
    }

    #[test]
    fn a_mix_is_of_policies_that_take_nodes_in_one_order() {
        assert!(Mix::default().is_valid());
        let invalid = [
            vec![],
            vec![(Policy::AsapFirst, 1)],
            vec![(Policy::Mixed, 1)],
            vec![(Policy::Knee, 0)],
        ];
        assert!(invalid.into_iter().all(|weights| !Mix::of(weights).is_valid()));
    }

    #[test]
    fn documents_hold_a_map() {
        let mix: Mix = serde_json::from_str(r#"{"knee": 2, "cost_co2_energy~5": 1}"#).unwrap();
        let read: Mix = serde_json::from_str(&serde_json::to_string(&mix).unwrap()).unwrap();
        assert_eq!(read, mix);
        assert!(serde_json::from_str::<Mix>(r#"{"cheapest": 2}"#).is_err());
    }
}
