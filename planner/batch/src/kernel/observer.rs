//! Who is told what happens in a simulation.

use std::io;

use planner::node_set::NodeSet;

use super::{Entering, Played, Totals};
use crate::energy::MeterReading;
use crate::job::Job;
use crate::scheduler::RefusalReason;
use crate::time::Time;

/// Who is told what happens.
pub trait Observer {
    /// A job starts on `machines`, which are empty where places are not kept.
    ///
    /// # Errors
    /// Those of its output.
    fn started(&mut self, now: Time, job: &Job, machines: &NodeSet) -> io::Result<()>;

    /// A job ended.
    ///
    /// # Errors
    /// Those of its output.
    fn played(&mut self, played: &Played<'_>) -> io::Result<()>;

    /// A job was refused: it asks for no machine or for more than there are, or its scheduler does, and
    /// may say `why`.
    ///
    /// # Errors
    /// Those of its output.
    fn refused(&mut self, job: &Job, why: Option<RefusalReason>) -> io::Result<()>;

    /// Machines enter a state.
    ///
    /// # Errors
    /// Those of its output.
    fn entered(&mut self, _: &Entering<'_>) -> io::Result<()> {
        Ok(())
    }

    /// A job on the network has done so many steps of its program.
    ///
    /// # Errors
    /// Those of its output.
    fn advanced(&mut self, _now: Time, _: &Job, _steps: u32) -> io::Result<()> {
        Ok(())
    }

    /// The meter was read, after a job started or ended or machines entered a state; where it is known
    /// what machines draw.
    ///
    /// # Errors
    /// Those of its output.
    fn metered(&mut self, _: &MeterReading) -> io::Result<()> {
        Ok(())
    }

    /// The last job ended; where it is known what machines draw.
    ///
    /// # Errors
    /// Those of its output.
    fn finished(&mut self, _: &Totals) -> io::Result<()> {
        Ok(())
    }

    /// The last job ended, by which time so much had gone over each link; where there is a network.
    ///
    /// # Errors
    /// Those of its output.
    fn linked(&mut self, _: &[LinkUse<'_>]) -> io::Result<()> {
        Ok(())
    }
}

/// What went over a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkUse<'a> {
    /// Its name.
    pub name: &'a str,
    /// Bytes of all jobs.
    pub bytes: f64,
    /// How long anything went over it, seconds.
    pub busy_s: f64,
    /// The mean part of its bandwidth that was used, until the last job ended.
    pub mean_load: f64,
}

impl<O: Observer + ?Sized> Observer for &mut O {
    fn started(&mut self, now: Time, job: &Job, machines: &NodeSet) -> io::Result<()> {
        (**self).started(now, job, machines)
    }

    fn played(&mut self, played: &Played<'_>) -> io::Result<()> {
        (**self).played(played)
    }

    fn refused(&mut self, job: &Job, reason: Option<RefusalReason>) -> io::Result<()> {
        (**self).refused(job, reason)
    }

    fn entered(&mut self, entering: &Entering<'_>) -> io::Result<()> {
        (**self).entered(entering)
    }

    fn advanced(&mut self, now: Time, job: &Job, steps: u32) -> io::Result<()> {
        (**self).advanced(now, job, steps)
    }

    fn metered(&mut self, reading: &MeterReading) -> io::Result<()> {
        (**self).metered(reading)
    }

    fn finished(&mut self, totals: &Totals) -> io::Result<()> {
        (**self).finished(totals)
    }

    fn linked(&mut self, links: &[LinkUse<'_>]) -> io::Result<()> {
        (**self).linked(links)
    }
}

/// Two observers: the first is told before the second.
impl<A: Observer, B: Observer> Observer for (A, B) {
    fn started(&mut self, now: Time, job: &Job, machines: &NodeSet) -> io::Result<()> {
        self.0.started(now, job, machines)?;
        self.1.started(now, job, machines)
    }

    fn played(&mut self, played: &Played<'_>) -> io::Result<()> {
        self.0.played(played)?;
        self.1.played(played)
    }

    fn refused(&mut self, job: &Job, reason: Option<RefusalReason>) -> io::Result<()> {
        self.0.refused(job, reason)?;
        self.1.refused(job, reason)
    }

    fn entered(&mut self, entering: &Entering<'_>) -> io::Result<()> {
        self.0.entered(entering)?;
        self.1.entered(entering)
    }

    fn advanced(&mut self, now: Time, job: &Job, steps: u32) -> io::Result<()> {
        self.0.advanced(now, job, steps)?;
        self.1.advanced(now, job, steps)
    }

    fn metered(&mut self, reading: &MeterReading) -> io::Result<()> {
        self.0.metered(reading)?;
        self.1.metered(reading)
    }

    fn finished(&mut self, totals: &Totals) -> io::Result<()> {
        self.0.finished(totals)?;
        self.1.finished(totals)
    }

    fn linked(&mut self, links: &[LinkUse<'_>]) -> io::Result<()> {
        self.0.linked(links)?;
        self.1.linked(links)
    }
}
