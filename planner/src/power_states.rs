//! The power states of a computer: what it draws in each of them, and how it is switched off and on.
//!
//! The nodes that a service books and the machines of simulated batch queues share these types.

use std::time::Duration;

use crate::quantity::Power;

/// What a computer draws while it is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draws {
    /// The power without an application.
    pub idle: Power,
    /// The power while it computes as hard as it can.
    pub computing: Power,
}

/// A state in which a computer computes, or waits for work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComputingState {
    /// How the description of the computer numbers the state.
    pub number: u16,
    /// Floating-point operations a second.
    pub speed: f64,
    /// What it draws, where that is known.
    pub draws: Option<Draws>,
}

/// A switch from one state to another that takes its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transition {
    /// The power meanwhile.
    pub power: Power,
    /// How long it takes.
    pub time: Duration,
}

/// The state in which a computer is off, and the ways there and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sleep {
    /// How the description of the computer numbers the state.
    pub number: u16,
    /// The power when it is off.
    pub off: Power,
    /// Switching it off.
    pub switching_off: Transition,
    /// Switching it on.
    pub switching_on: Transition,
}

/// All power states of a computer.
#[derive(Clone, Debug, PartialEq)]
pub struct PowerStates {
    /// The states in which it computes; at least one.
    pub computing: Vec<ComputingState>,
    /// The computing state that it is in until it is told otherwise: a position.
    pub initial: usize,
    /// How it is switched off and on, where it can be.
    pub sleep: Option<Sleep>,
}

impl PowerStates {
    /// The states of a computer that computes in one way and is always on.
    pub fn always_on(speed: f64, draws: Option<Draws>) -> Self {
        let computing = vec![ComputingState { number: 0, speed, draws }];
        Self { computing, initial: 0, sleep: None }
    }

    /// These states, and one in which the computer is off.
    #[must_use]
    pub fn with_sleep(self, sleep: Sleep) -> Self {
        Self { sleep: Some(sleep), ..self }
    }
}
