//! What only a scheduler outside does with jobs.

use std::cmp::Reverse;

use super::{JobEnd, Live, Observer, SimulationError, SimulationState};
use crate::job::Job;
use crate::scheduler::JobKey;
use crate::time::Time;

impl SimulationState<'_> {
    /// Lets a job wait, even if it asks for more machines than there are.
    pub(in crate::kernel) fn await_decision(&mut self, job: Job) -> JobKey {
        self.admit(job).key
    }

    /// A job that waits or runs.
    pub(in crate::kernel) fn job(&self, key: JobKey) -> Option<&Job> {
        self.live(key).map(|live| &live.job)
    }

    /// When a running job started, and how fast its slowest machine computes.
    pub(in crate::kernel) fn run_of(&self, key: JobKey) -> Option<(Time, f64)> {
        self.live(key).and_then(|live| Some((live.started?, live.speed)))
    }

    /// Where a job runs.
    pub(in crate::kernel) fn places(&self, key: JobKey) -> Option<&planner::node_set::NodeSet> {
        self.live(key).map(|live| &live.machines)
    }

    /// Whether a job that runs to its end ends at its walltime.
    pub(in crate::kernel) fn reaches_walltime(&self, key: JobKey) -> bool {
        let launch = self.cluster.launch;
        self.live(key).is_some_and(|live| live.job.reaches_walltime(live.speed, launch))
    }

    /// Ends a running job now, wherever its end was to be, and frees its key.
    pub(in crate::kernel) fn finish<E>(
        &mut self,
        now: Time,
        key: JobKey,
        end: JobEnd,
        metadata: &str,
        observer: &mut impl Observer,
    ) -> Result<(), SimulationError<E>> {
        self.ends.retain(|Reverse((_, _, of))| *of != key);
        self.end_as(now, key, end, metadata, observer)?;
        self.release(key);
        Ok(())
    }

    fn live(&self, key: JobKey) -> Option<&Live> {
        self.live.get(key.index())?.as_ref()
    }
}
