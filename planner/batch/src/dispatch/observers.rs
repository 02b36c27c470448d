//! Several observers as one.

use std::io;

use super::jobs::UnitJob;
use super::observer::{UnitObserver, UnitPlayed, UnitRefusal, UnitStarted, UnitStep};

/// Both are told, the first one first.
impl<A: UnitObserver, B: UnitObserver> UnitObserver for (A, B) {
    fn played(&mut self, played: &UnitPlayed<'_>) -> io::Result<()> {
        self.0.played(played)?;
        self.1.played(played)
    }

    fn started(&mut self, started: &UnitStarted<'_>) -> io::Result<()> {
        self.0.started(started)?;
        self.1.started(started)
    }

    fn refused(&mut self, job: &UnitJob, why: UnitRefusal) -> io::Result<()> {
        self.0.refused(job, why)?;
        self.1.refused(job, why)
    }

    fn decided(&mut self, step: &UnitStep<'_>) -> io::Result<()> {
        if self.0.wants_steps() {
            self.0.decided(step)?;
        }
        if self.1.wants_steps() { self.1.decided(step) } else { Ok(()) }
    }

    fn wants_steps(&self) -> bool {
        self.0.wants_steps() || self.1.wants_steps()
    }
}

/// Nobody is told where there is none.
impl<O: UnitObserver> UnitObserver for Option<O> {
    fn played(&mut self, played: &UnitPlayed<'_>) -> io::Result<()> {
        self.as_mut().map_or(Ok(()), |it| it.played(played))
    }

    fn started(&mut self, started: &UnitStarted<'_>) -> io::Result<()> {
        self.as_mut().map_or(Ok(()), |it| it.started(started))
    }

    fn refused(&mut self, job: &UnitJob, why: UnitRefusal) -> io::Result<()> {
        self.as_mut().map_or(Ok(()), |it| it.refused(job, why))
    }

    fn decided(&mut self, step: &UnitStep<'_>) -> io::Result<()> {
        self.as_mut().map_or(Ok(()), |it| it.decided(step))
    }

    fn wants_steps(&self) -> bool {
        self.as_ref().is_some_and(UnitObserver::wants_steps)
    }
}

impl<O: UnitObserver> UnitObserver for &mut O {
    fn played(&mut self, played: &UnitPlayed<'_>) -> io::Result<()> {
        (**self).played(played)
    }

    fn started(&mut self, started: &UnitStarted<'_>) -> io::Result<()> {
        (**self).started(started)
    }

    fn refused(&mut self, job: &UnitJob, why: UnitRefusal) -> io::Result<()> {
        (**self).refused(job, why)
    }

    fn decided(&mut self, step: &UnitStep<'_>) -> io::Result<()> {
        (**self).decided(step)
    }

    fn wants_steps(&self) -> bool {
        (**self).wants_steps()
    }
}
