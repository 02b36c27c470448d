//! One machine: its power states and the time between them.

use std::collections::BTreeMap;
use std::sync::Arc;

use planner::quantity::Power;

use super::PlatformError;
use crate::time::Time;

/// One machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// The states in which it computes.
    pub states: Vec<ComputingState>,
    /// Which of them it begins in: a position.
    pub initial: usize,
    /// How it is switched off and on, where it can be.
    pub sleep: Option<Sleep>,
    /// Names the group of machines that it is near, where that is known.
    pub group: Option<Arc<str>>,
    /// What it is called.
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

/// A power state in which a machine computes, or waits for work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComputingState {
    /// What the platform calls it.
    pub number: u16,
    /// Floating-point operations a second.
    pub speed: f64,
    /// What the machine draws, where that is known.
    pub draws: Option<Draws>,
}

/// What a machine draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draws {
    /// Without a job.
    pub idle: Power,
    /// While it computes.
    pub computing: Power,
}

/// A machine that is off, and the ways there and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sleep {
    /// What the platform calls the state.
    pub number: u16,
    /// What the machine draws when it is off.
    pub off: Power,
    /// Switching it off.
    pub switching_off: Transition,
    /// Switching it on.
    pub switching_on: Transition,
}

/// A switch that takes its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    /// What the machine draws meanwhile.
    pub power: Power,
    /// How long it takes.
    pub time: Time,
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
    /// A machine of one state that is always on.
    pub fn always_on(speed: f64, draws: Option<Draws>) -> Self {
        let states = vec![ComputingState { number: 0, speed, draws }];
        let naming = Naming::default();
        Self { states, initial: 0, sleep: None, group: None, naming }
    }

    /// The same, which can be switched off.
    #[must_use]
    pub fn with_sleep(self, sleep: Sleep) -> Self {
        Self { sleep: Some(sleep), ..self }
    }

    /// That it can be part of a platform beside `first`.
    pub(super) fn check(&self, first: &Self) -> Result<(), PlatformError> {
        let positive = |speed: f64| speed > 0.0 && speed.is_finite();
        if let Some(state) = self.states.iter().find(|state| !positive(state.speed)) {
            return Err(PlatformError::Speed(state.speed.to_string()));
        }
        let known = |machine: &Self| machine.states.iter().all(|state| state.draws.is_some());
        let unknown = |machine: &Self| machine.states.iter().all(|state| state.draws.is_none());
        if known(self) != known(first) || unknown(self) != unknown(first) {
            return Err(PlatformError::SomePowers);
        }
        let numbers = |machine: &Self| -> Vec<u16> {
            machine.states.iter().map(|state| state.number).collect()
        };
        let sleep = |machine: &Self| machine.sleep.map(|sleep| sleep.number);
        let alike = numbers(self) == numbers(first)
            && self.initial == first.initial
            && sleep(self) == sleep(first);
        if !alike || self.initial >= self.states.len() {
            return Err(PlatformError::States);
        }
        if self.group.is_some() != first.group.is_some() {
            return Err(PlatformError::SomeGroups);
        }
        if self.sleep.is_some() && !known(self) {
            return Err(PlatformError::SomePowers);
        }
        Ok(())
    }
}
