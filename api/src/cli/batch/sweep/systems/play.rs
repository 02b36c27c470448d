//! What an instance on a system plays.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use batch::dispatch::simulation::UnitSimulationError;
use batch::dispatch::{
    Distributions, DistributionsCollector, LiveObserver, StretchCollector, UnitObserver,
    UnitPlayed, UnitResults, UserStretch, WaitedJobs,
};
use batch::job::JobId;

use super::super::super::files::bad_input;
use super::super::super::on_threads::{of_instance, on_threads};
use super::super::super::system_supply::Ended;
use super::super::super::watch::Watched;
use super::baselines::{Baselines, Stretches};
use super::instances::SystemSweep;
use super::results::FinishedRun;
use crate::cli::Failure;

/// What instances are played with.
struct Playing<'a> {
    sweep: &'a SystemSweep,
    baselines: Baselines,
    watched: Option<&'a Watched>,
    stopped: &'a Arc<AtomicBool>,
}

/// Plays instances by their numbers, in this order, on `threads` threads; `finished` is called on the caller's thread with each as it
/// ends. Ends early, without an error, once `stopped` is set.
pub fn play(
    sweep: &SystemSweep,
    numbers: &[usize],
    threads: usize,
    watched: Option<&Watched>,
    stopped: &Arc<AtomicBool>,
    finished: impl FnMut(FinishedRun) -> anyhow::Result<()>,
) -> Result<(), Failure> {
    let compared = numbers.iter().filter(|it| sweep.baseline(**it) != **it);
    let compared = compared.map(|number| sweep.baseline(*number));
    let baselines = Baselines::new(sweep.instances.len(), compared);
    let playing = Playing { sweep, baselines, watched, stopped };
    on_threads(numbers, threads, stopped, |number| playing.one(number), finished)
}

/// What comes of one simulation.
struct PlayedRun {
    results: UnitResults,
    distributions: Distributions,
    stretches: Vec<f64>,
    users: Vec<UserStretch>,
    waited: WaitedJobs,
    wall_s: f64,
}

impl Playing<'_> {
    /// Plays one instance; nothing where it was stopped meanwhile.
    fn one(&self, number: usize) -> Result<Option<FinishedRun>, Failure> {
        let baseline = self.sweep.baseline(number);
        let played = if baseline == number {
            let mut own = None;
            self.baselines
                .get(number, || {
                    let played = self.simulate(number, StretchCollector::keeping(), true)?;
                    let stretches = Stretches::from(played.stretches.as_slice());
                    own = Some(played);
                    Ok(stretches)
                })
                .and_then(|_| match own {
                    Some(played) => Ok(played),
                    // Another instance needed it before.
                    None => self.simulate(number, StretchCollector::keeping(), true),
                })
        } else {
            let beside = self.baselines.get(baseline, || {
                let played = self.simulate(baseline, StretchCollector::keeping(), false)?;
                Ok(Stretches::from(played.stretches))
            });
            let played = beside.and_then(|beside| {
                self.simulate(number, StretchCollector::beside(Some(&beside)), true)
            });
            self.baselines.compared(baseline);
            played
        };
        if self.stopped.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let played = played.map_err(|failure| of_instance(number, failure))?;
        let PlayedRun { results, distributions, users, waited, wall_s, .. } = played;
        let run = FinishedRun::new(number, &results, distributions, users, &waited, wall_s)?;
        Ok(Some(run))
    }

    /// Plays the simulation of an instance.
    fn simulate(
        &self,
        number: usize,
        collector: StretchCollector<'_>,
        counted: bool,
    ) -> Result<PlayedRun, Failure> {
        let began = Instant::now();
        let instance = self.sweep.instances[number];
        let system = &self.sweep.systems[instance.system];
        let jobs = (0..).zip(self.sweep.jobs(instance)?).map(|(number, job)| {
            // By their numbers jobs are known again in other instances.
            job.map(|job| batch::dispatch::jobs::UnitJob { id: JobId::Number(number), ..job })
        });
        let watch = self.watched.map(|watched| {
            let name = self.sweep.name(number);
            (watched, watched.begin(name, system, self.sweep.job_count(instance)))
        });
        let live = watch.as_ref().map(|(_, run)| LiveObserver::new(&run.state));
        let collectors = (DistributionsCollector::new(system), collector);
        let mut observer = ((collectors, live), Stop(self.stopped));
        let supply = self.sweep.supply(instance);
        let played = self.sweep.simulation(instance).play_with(&supply, jobs, &mut observer);
        let (((distributions, stretches), _), _) = observer;
        if let Some((watched, run)) = &watch {
            watched.end(run, counted);
        }
        let file = self.sweep.file(instance);
        let results = played.map_err(|error| match (file, error) {
            (Some(file), UnitSimulationError::Workload(error)) => bad_input(file, error),
            (_, error) => self.sweep.read_supply(instance).failure(Ended::Early(error)),
        })?;
        let (distributions, (stretches, users, waited)) =
            (distributions.finish(), stretches.finish());
        let wall_s = began.elapsed().as_secs_f64();
        Ok(PlayedRun { results, distributions, stretches, users, waited, wall_s })
    }
}

/// Ends a simulation that is not wanted any more.
struct Stop<'a>(&'a AtomicBool);

impl UnitObserver for Stop<'_> {
    fn played(&mut self, _: &UnitPlayed<'_>) -> io::Result<()> {
        if self.0.load(Ordering::Relaxed) {
            return Err(io::Error::other("interrupted"));
        }
        Ok(())
    }
}
