//! What a simulation of jobs of units does now: counters that others read while it runs.

use std::io;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use serde::Serialize;

use super::jobs::UnitJob;
use super::observer::{UnitObserver, UnitPlayed, UnitRefusal, UnitStep};
use super::system::System;

/// Counters of one simulation. Each is right by itself; a reader may see some of them a decision later than others.
#[derive(Debug)]
pub struct LiveState {
    names: Vec<Box<str>>,
    totals: Vec<u64>,
    ended: AtomicU64,
    refused: AtomicU64,
    running: AtomicU64,
    waiting: AtomicU64,
    now_micros: AtomicI64,
    used: Vec<AtomicU64>,
}

/// Counters as they were read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LiveSnapshot {
    /// Jobs that ended or were refused.
    pub jobs_done: u64,
    /// Jobs of these that were refused.
    pub jobs_refused: u64,
    /// Jobs that run.
    pub running: u64,
    /// Jobs that wait.
    pub waiting: u64,
    /// The time of the simulation, s.
    pub time_s: f64,
    /// Of nodes, then of what is shared.
    pub resources: Vec<LiveResource>,
}

/// How much of a resource is used.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LiveResource {
    /// Its name.
    pub name: Box<str>,
    /// How much is used.
    pub used: u64,
    /// How much there is.
    pub total: u64,
}

impl LiveState {
    /// Of a simulation on this system that has not begun.
    pub fn new(system: &System) -> Self {
        let totals = system.totals();
        Self {
            names: system.names().map(Into::into).collect(),
            used: totals.iter().map(|_| AtomicU64::new(0)).collect(),
            totals,
            ended: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            running: AtomicU64::new(0),
            waiting: AtomicU64::new(0),
            now_micros: AtomicI64::new(0),
        }
    }

    /// The counters now.
    pub fn read(&self) -> LiveSnapshot {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let each = self.names.iter().zip(&self.totals).zip(&self.used);
        LiveSnapshot {
            jobs_done: of(&self.ended) + of(&self.refused),
            jobs_refused: of(&self.refused),
            running: of(&self.running),
            waiting: of(&self.waiting),
            time_s: self.now_micros.load(Ordering::Relaxed) as f64 / 1e6,
            resources: each
                .map(|((name, total), used)| LiveResource {
                    name: name.clone(),
                    used: of(used),
                    total: *total,
                })
                .collect(),
        }
    }
}

/// Writes the counters of one simulation.
#[derive(Debug)]
pub struct LiveObserver<'a> {
    state: &'a LiveState,
    ended: u64,
    refused: u64,
}

impl<'a> LiveObserver<'a> {
    /// The only writer of these counters.
    pub const fn new(state: &'a LiveState) -> Self {
        Self { state, ended: 0, refused: 0 }
    }
}

impl UnitObserver for LiveObserver<'_> {
    fn played(&mut self, _: &UnitPlayed<'_>) -> io::Result<()> {
        self.ended += 1;
        Ok(())
    }

    fn refused(&mut self, _: &UnitJob, _: UnitRefusal) -> io::Result<()> {
        self.refused += 1;
        Ok(())
    }

    fn decided(&mut self, step: &UnitStep<'_>) -> io::Result<()> {
        let state = self.state;
        state.ended.store(self.ended, Ordering::Relaxed);
        state.refused.store(self.refused, Ordering::Relaxed);
        state.running.store(step.running as u64, Ordering::Relaxed);
        state.waiting.store(step.waiting as u64, Ordering::Relaxed);
        state.now_micros.store(step.now.as_micros(), Ordering::Relaxed);
        for (counter, used) in state.used.iter().zip(step.used) {
            counter.store(*used, Ordering::Relaxed);
        }
        Ok(())
    }

    fn wants_steps(&self) -> bool {
        true
    }
}
