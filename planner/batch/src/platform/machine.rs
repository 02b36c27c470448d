//! One machine: its power states, its group and its name.

use std::collections::BTreeMap;
use std::sync::Arc;

use planner::power_states::PowerStates;
use planner::quantity::Power;

use super::PlatformError;

/// One machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// What it draws in each of its states, and how it is switched.
    pub power_states: PowerStates,
    /// Names the group of machines that it is near, where that is known.
    pub group: Option<Arc<str>>,
    /// Its name and what its description says besides.
    pub naming: Naming,
}

/// What a machine is called, and what its description says besides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Naming {
    /// Its name, where it has one.
    pub name: Option<Box<str>>,
    /// Properties as they stand in `SimGrid`'s XML, for schedulers outside.
    pub properties: BTreeMap<String, String>,
}

/// What a machine is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Activity {
    /// It has a job.
    Computing,
    /// It is on and has none.
    Idle,
    /// It is off.
    Off,
    /// It is being switched off.
    SwitchingOff,
    /// It is being switched on.
    SwitchingOn,
}

impl Activity {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Computing, Self::Idle, Self::Off, Self::SwitchingOff, Self::SwitchingOn];
}

impl Machine {
    /// A machine with these states, without a name and in no group.
    pub fn of(power_states: PowerStates) -> Self {
        Self { power_states, group: None, naming: Naming::default() }
    }

    /// The most that it draws in any of its states, as far as that is known.
    pub(super) fn most(&self) -> Power {
        let PowerStates { computing, sleep, .. } = &self.power_states;
        let draws = computing.iter().filter_map(|state| state.draws.as_ref());
        let on = draws.flat_map(|draws| [draws.idle, draws.computing]);
        let off = sleep
            .iter()
            .flat_map(|sleep| [sleep.off, sleep.switching_off.power, sleep.switching_on.power]);
        on.chain(off).max().unwrap_or_default()
    }

    /// That it can be part of a platform beside `first`.
    pub(super) fn check(&self, first: &Self) -> Result<(), PlatformError> {
        let positive = |speed: f64| speed > 0.0 && speed.is_finite();
        let (states, first_states) = (&self.power_states, &first.power_states);
        if let Some(state) = states.computing.iter().find(|state| !positive(state.speed)) {
            return Err(PlatformError::Speed(state.speed.to_string()));
        }
        let known = |of: &PowerStates| of.computing.iter().all(|state| state.draws.is_some());
        let unknown = |of: &PowerStates| of.computing.iter().all(|state| state.draws.is_none());
        if known(states) != known(first_states) || unknown(states) != unknown(first_states) {
            return Err(PlatformError::SomePowers);
        }
        let numbers =
            |of: &PowerStates| of.computing.iter().map(|state| state.number).collect::<Vec<u16>>();
        let sleep = |of: &PowerStates| of.sleep.map(|sleep| sleep.number);
        let alike = numbers(states) == numbers(first_states)
            && states.initial == first_states.initial
            && sleep(states) == sleep(first_states);
        if !alike || states.initial >= states.computing.len() {
            return Err(PlatformError::States);
        }
        if self.group.is_some() != first.group.is_some() {
            return Err(PlatformError::SomeGroups);
        }
        if states.sleep.is_some() && !known(states) {
            return Err(PlatformError::SomePowers);
        }
        Ok(())
    }
}
