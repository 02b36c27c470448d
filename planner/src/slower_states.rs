//! Slower states of nodes: how fast a node computes in each, and how much it may draw.
//!
//! A state is calibrated: the slowest is not the one that takes the least energy, since a node draws its idle
//! power for longer. What a state is called and how fast it is holds for all nodes that have it; the powers are
//! each node's own.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::quantity::{MILLION, Power};
use crate::time::Seconds;

/// The most slower states of a cluster, by name.
pub const MAX_SLOWER_STATES: usize = 16;

/// A share of full speed, in whole millionths: above 0 and at most 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Speed(i64);

/// A state in which nodes compute more slowly.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SlowerState {
    /// What the site calls it.
    pub name: Arc<str>,
    /// How fast nodes compute in it; below full speed.
    pub speed: Speed,
}

/// The powers of one node in a slower state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlowerPowers {
    /// The most power the node draws in it.
    pub max: Power,
    /// The power limit that holds the node in the state, where a limit does.
    pub limit: Option<Power>,
}

/// The slower states of all nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlowerStates {
    /// The fastest first, equally fast ones by name.
    states: Vec<SlowerState>,
    /// For each state the powers of each node in it, in input order; `None` for nodes that do not have it.
    powers: Vec<Box<[Option<SlowerPowers>]>>,
}

/// In which slower state a reservation's nodes are, and what that costs in time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Slowing {
    /// The state.
    pub state: SlowerState,
    /// How much later the reservation ends than at full speed.
    pub later: Seconds,
}

/// Why states are not those of a cluster.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SlowerStatesError {
    /// Two speeds of one state.
    #[error(
        "slower state {name:?} has speed {} on one node and {} on another; give each speed a name of its own",
        one.as_share(), other.as_share()
    )]
    TwoSpeeds {
        /// The state's name.
        name: Arc<str>,
        /// The speed that is listed first.
        one: Speed,
        /// The other.
        other: Speed,
    },
    /// A state twice on one node.
    #[error("slower state {name:?} is listed twice on one node")]
    Twice {
        /// The state's name.
        name: Arc<str>,
    },
    /// Too many states.
    #[error("there are more than {MAX_SLOWER_STATES} slower states of different names")]
    TooMany,
}

impl Speed {
    /// Full speed.
    pub const FULL: Self = Self(MILLION);

    /// A share of full speed; `None` unless it is above 0 and at most 1.
    pub fn from_millionths(millionths: i64) -> Option<Self> {
        (1..=MILLION).contains(&millionths).then_some(Self(millionths))
    }

    /// Whole millionths.
    pub const fn as_millionths(self) -> i64 {
        self.0
    }

    /// The share, for people and documents.
    pub fn as_share(self) -> f64 {
        self.0 as f64 / MILLION as f64
    }

    /// How long it takes at this speed what takes `duration` at full speed, rounded up to the second.
    pub fn stretched(self, duration: Seconds) -> Seconds {
        let stretched = i128::from(duration.get()) * i128::from(MILLION);
        let speed = i128::from(self.0);
        let whole = (stretched + speed - 1).div_euclid(speed);
        Seconds::new(i64::try_from(whole).unwrap_or(i64::MAX))
    }
}

impl Default for Speed {
    fn default() -> Self {
        Self::FULL
    }
}

impl SlowerStates {
    /// The states of nodes in input order.
    ///
    /// # Errors
    /// A state with two speeds or twice on a node; too many states.
    pub fn new(nodes: &[Vec<(SlowerState, SlowerPowers)>]) -> Result<Self, SlowerStatesError> {
        let mut speeds: BTreeMap<Arc<str>, Speed> = BTreeMap::new();
        for (state, _) in nodes.iter().flatten() {
            let speed = *speeds.entry(Arc::clone(&state.name)).or_insert(state.speed);
            if speed != state.speed {
                let (name, one, other) = (Arc::clone(&state.name), speed, state.speed);
                return Err(SlowerStatesError::TwoSpeeds { name, one, other });
            }
        }
        if speeds.len() > MAX_SLOWER_STATES {
            return Err(SlowerStatesError::TooMany);
        }
        let mut states: Vec<SlowerState> =
            speeds.into_iter().map(|(name, speed)| SlowerState { name, speed }).collect();
        // The sort is stable: names are in order already.
        states.sort_by_key(|state| std::cmp::Reverse(state.speed));
        let mut powers: Vec<Box<[Option<SlowerPowers>]>> =
            states.iter().map(|_| vec![None; nodes.len()].into()).collect();
        for (ordinal, of_node) in nodes.iter().enumerate() {
            for (state, own) in of_node {
                let Some(index) = states.iter().position(|it| it == state) else { continue };
                if powers[index][ordinal].replace(*own).is_some() {
                    return Err(SlowerStatesError::Twice { name: Arc::clone(&state.name) });
                }
            }
        }
        Ok(Self { states, powers })
    }

    /// The states, the fastest first, equally fast ones by name.
    pub fn states(&self) -> &[SlowerState] {
        &self.states
    }

    /// The powers of a node in a state, by its position; `None` where the node does not have the state.
    pub fn powers(&self, state: usize, ordinal: u32) -> Option<SlowerPowers> {
        *self.powers.get(state)?.get(ordinal as usize)?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(name: &str, millionths: i64) -> (SlowerState, SlowerPowers) {
        let speed = Speed::from_millionths(millionths).unwrap();
        let powers = SlowerPowers { max: Power::ZERO, limit: None };
        (SlowerState { name: name.into(), speed }, powers)
    }

    /// 3,600 / 0.7 = 5,142.86, rounded up; 3,600 / 0.75 = 4,800 exactly; 1 / 0.000001 = 1,000,000.
    #[test]
    fn a_slower_run_takes_as_long_as_its_speed_says_rounded_up() {
        let stretched = |millionths, seconds| {
            let speed = Speed::from_millionths(millionths).unwrap();
            speed.stretched(Seconds::new(seconds)).get()
        };
        assert_eq!(stretched(700_000, 3_600), 5_143);
        assert_eq!(stretched(750_000, 3_600), 4_800);
        assert_eq!((stretched(1_000_000, 3_600), stretched(1, 1)), (3_600, 1_000_000));
        assert_eq!((Speed::from_millionths(0), Speed::from_millionths(1_000_001)), (None, None));
    }

    #[test]
    fn a_state_has_one_speed_and_stands_once_on_a_node() {
        let nodes = [vec![state("b", 500_000), state("c", 800_000)], vec![state("a", 500_000)]];
        let states = SlowerStates::new(&nodes).unwrap();
        let names: Vec<&str> = states.states().iter().map(|it| &*it.name).collect();
        assert_eq!(names, ["c", "a", "b"]);
        let has = |state| [0, 1].map(|ordinal| states.powers(state, ordinal).is_some());
        assert_eq!([has(0), has(1), has(2)], [[true, false], [false, true], [true, false]]);
        let error = |nodes: &[Vec<(SlowerState, SlowerPowers)>]| {
            SlowerStates::new(nodes).unwrap_err().to_string()
        };
        assert_eq!(
            error(&[vec![state("a", 500_000)], vec![state("a", 600_000)]]),
            "slower state \"a\" has speed 0.5 on one node and 0.6 on another; give each speed a name of its own"
        );
        let twice = "slower state \"a\" is listed twice on one node";
        assert_eq!(error(&[vec![state("a", 500_000), state("a", 500_000)]]), twice);
        let many = (0..17).map(|n| state(&format!("s{n}"), 500_000)).collect();
        assert_eq!(error(&[many]), "there are more than 16 slower states of different names");
    }
}
