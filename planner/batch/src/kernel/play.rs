//! The loop over instants.

use super::stepped::SteppedCluster;
use super::submissions::Submissions;
use super::{Cluster, Observer, SimulationError};
use crate::job::Job;
use crate::scheduler::Scheduler;
use crate::time::Time;

/// How many instants may pass in turn without a job that runs or comes, while others wait; where the
/// scheduler knows that its bounds change later on, and where it does not.
const IDLE: [u32; 2] = [10_000_000, 1_000_000];

/// Plays `jobs`, which come in the order of submission, under `scheduler`.
///
/// # Errors
/// Those of the workload and of the observer; decisions that cannot be carried out.
pub fn simulate<E>(
    jobs: impl Iterator<Item = Result<Job, E>>,
    cluster: Cluster<'_>,
    scheduler: &mut dyn Scheduler,
    observer: &mut impl Observer,
) -> Result<(), SimulationError<E>> {
    let mut stepped = SteppedCluster::new(cluster, Box::new(scheduler));
    let mut jobs = Submissions::new(jobs);
    let (mut last, mut since) = (Time::ZERO, Time::ZERO);
    let mut idle = 0;
    while let Some(now) = next_instant(&mut jobs, &mut stepped, observer)? {
        if !jobs.are_over() || stepped.is_running() {
            (idle, since) = (0, now);
        } else {
            idle += 1;
            let until = stepped.bounded_until();
            if idle > IDLE[usize::from(until.is_none())] {
                let (waiting, times) = (stepped.waiting(), idle - 1);
                return Err(SimulationError::Endless { now: last, waiting, times, since, until });
            }
        }
        last = now;
        stepped.end(now, observer)?;
        while let Some(job) = jobs.due(now) {
            stepped.submit(job, 0, observer)?;
        }
        stepped.decide(now, observer)?;
    }
    match stepped.waiting() {
        0 => Ok(stepped.finish(observer)?),
        waiting => Err(SimulationError::Stuck { now: last, waiting }),
    }
}

/// When something happens next that the scheduler is told.
fn next_instant<E>(
    jobs: &mut Submissions<impl Iterator<Item = Result<Job, E>>>,
    stepped: &mut SteppedCluster<'_>,
    observer: &mut impl Observer,
) -> Result<Option<Time>, SimulationError<E>> {
    let submission = jobs.next_instant()?;
    if submission.is_none() && stepped.is_done() {
        return Ok(None);
    }
    let others = submission.into_iter().chain(stepped.next_own_instant()).min();
    stepped.state.play_network(others, observer)?;
    Ok(stepped.state.next_end().into_iter().chain(others).min())
}
