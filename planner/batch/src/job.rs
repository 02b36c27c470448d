//! Jobs as workloads describe them and the kernel plays them.
//!
//! A scheduler sees only a part of a job: [`JobRequest`](crate::scheduler::JobRequest).

use std::fmt;
use std::sync::Arc;

use planner::quantity::Power;

use crate::communication::JobProgram;
use crate::time::Time;

/// What a workload calls a job. Numbers order before names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JobId {
    /// A number, as in the Standard Workload Format.
    Number(i64),
    /// A name, as in JSON.
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
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// It occupies them for a time.
    Delay(Time),
    /// Each of them computes so many floating-point operations; the slowest machine ends last.
    Compute(f64),
    /// Several of these in turn: a time, and operations.
    Both(Time, f64),
    /// It runs parallel tasks on a network, which alone can tell how long that takes.
    Program(Arc<JobProgram>),
}

impl Work {
    /// How long it takes where the slowest machine computes `speed` operations a second. Longer than
    /// can be simulated is [`Time::FOREVER`]; so is what a network alone can tell.
    pub fn time(&self, speed: f64) -> Time {
        let compute =
            |operations: f64| Time::from_seconds_f64(operations / speed).unwrap_or(Time::FOREVER);
        match self {
            Self::Delay(time) => *time,
            Self::Compute(operations) => compute(*operations),
            Self::Both(time, operations) => *time + compute(*operations),
            Self::Program(_) => Time::FOREVER,
        }
    }
}

/// The utilisation of a job's machines: millionths of the way from what they draw idle to what they draw
/// when they compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Utilisation(u32);

impl Utilisation {
    /// Machines idle.
    pub const NONE: Self = Self(0);
    /// Machines compute as hard as they can.
    pub const FULL: Self = Self(1_000_000);

    /// A share from 0 to 1, to the nearest millionth.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range by then")]
    pub fn of(share: f64) -> Option<Self> {
        (0.0..=1.0).contains(&share).then(|| Self((share * 1e6).round() as u32))
    }

    /// The utilisation as a share from 0 to 1.
    pub fn share(self) -> f64 {
        f64::from(self.0) / 1e6
    }

    /// What machines draw that draw so much idle and computing, rounded towards idle.
    pub fn draws(self, idle: Power, computing: Power) -> Power {
        if self == Self::FULL {
            return computing;
        }
        let more = i128::from((computing - idle).as_microwatts()) * i128::from(self.0) / 1_000_000;
        // Between the two.
        idle + Power::from_microwatts(i64::try_from(more).unwrap_or_default())
    }
}

/// A rigid job.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// What the workload calls it.
    pub id: JobId,
    /// What the workload calls its work, where it names works.
    pub profile: Option<Arc<str>>,
    /// The instant of its submission.
    pub submitted: Time,
    /// How many machines it takes; a job of none is refused.
    pub nodes: u32,
    /// What it would do, if nobody killed it. Schedulers do not see it.
    pub work: Work,
    /// The utilisation of its machines, where that is known.
    pub utilisation: Option<Utilisation>,
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
            Work::Compute(_) | Work::Both(..) | Work::Program(_) => time > walltime,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A quarter of the way from 95 W to 190.5 W is 95 + 23.875 W; a third of 10 uW is 3 uW.
    #[test]
    fn utilisation_is_linear_between_idle_and_computing() {
        let of = |share| Utilisation::of(share).unwrap();
        let uw = Power::from_microwatts;
        let draws =
            |share, idle, computing| of(share).draws(uw(idle), uw(computing)).as_microwatts();
        assert_eq!(draws(0.25, 95_000_000, 190_500_000), 118_875_000);
        assert_eq!(draws(1.0 / 3.0, 0, 10), 3);
        assert_eq!((draws(0.0, 7, 20), draws(1.0, 7, 20)), (7, 20));
        assert_eq!(draws(0.5, i64::MAX - 10, i64::MAX), i64::MAX - 5);
        assert_eq!((of(0.0), of(1.0)), (Utilisation::NONE, Utilisation::FULL));
        assert_eq!([-0.1, 1.1, f64::NAN].map(Utilisation::of), [None; 3]);
    }
}
