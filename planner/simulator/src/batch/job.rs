//! Jobs: what the kernel knows, and the part of it that a scheduler may see.

use std::fmt;
use std::sync::Arc;

use super::time::Time;

/// What a workload calls a job. Numbers order before names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JobId {
    /// As in the Standard Workload Format.
    Number(i64),
    /// As in JSON.
    Name(Box<str>),
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Name(name) => name.fmt(f),
        }
    }
}

/// What a job does on its machines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Work {
    /// It occupies them for a time.
    Delay(Time),
    /// Each of them computes so many floating-point operations; the slowest machine ends last.
    Compute(f64),
    /// Several of these in turn: a time, and operations.
    Both(Time, f64),
}

impl Work {
    /// How long it takes where the slowest machine computes `speed` operations a second. Longer than
    /// can be simulated is [`Time::FOREVER`].
    pub fn time(self, speed: f64) -> Time {
        let compute =
            |operations: f64| Time::from_seconds_f64(operations / speed).unwrap_or(Time::FOREVER);
        match self {
            Self::Delay(time) => time,
            Self::Compute(operations) => compute(operations),
            Self::Both(time, operations) => time + compute(operations),
        }
    }
}

/// A rigid job.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// What the workload calls it.
    pub id: JobId,
    /// What the workload calls its work, where it names works.
    pub profile: Option<Arc<str>>,
    /// When it is submitted.
    pub submitted: Time,
    /// How many machines it takes; a job of none is refused.
    pub nodes: u32,
    /// What it would do, if nobody killed it. Schedulers do not see it.
    pub work: Work,
    /// After how long it is killed.
    pub walltime: Option<Time>,
}

impl Job {
    /// How long it occupies machines of which the slowest has this speed, `launch` included: it is
    /// killed at its walltime.
    pub fn occupied(&self, speed: f64, launch: Time) -> Time {
        let time = self.work.time(speed) + launch;
        self.walltime.map_or(time, |walltime| time.min(walltime))
    }

    /// Whether its walltime ends it there. A delay of exactly its walltime is killed too, as in Batsim.
    pub fn reaches_walltime(&self, speed: f64, launch: Time) -> bool {
        let time = self.work.time(speed) + launch;
        self.walltime.is_some_and(|walltime| match self.work {
            Work::Delay(_) => time >= walltime,
            Work::Compute(_) | Work::Both(..) => time > walltime,
        })
    }
}

/// Names a job while it waits or runs; free for another afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobKey(pub u32);

impl JobKey {
    /// As a place in a table.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a scheduler sees of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// How it is named in decisions.
    pub key: JobKey,
    /// Machines.
    pub nodes: u32,
    /// After how long it is killed; [`Time::FOREVER`] where the workload does not say.
    pub walltime: Time,
}
