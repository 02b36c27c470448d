//! What only a scheduler outside does with jobs.

use std::cmp::Reverse;

use super::{JobEnd, Observer, SimulationError, SimulationState};
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

    /// Says which of its machines, in their order, each rank of a waiting job has.
    pub(in crate::kernel) fn place_ranks(&mut self, key: JobKey, ranks: Vec<u32>) {
        if let Some(live) = self.live.get_mut(key.index()).and_then(Option::as_mut) {
            live.ranks = Some(ranks);
        }
    }

    /// How far a job on the network has come.
    pub(in crate::kernel) fn progress(
        &mut self,
        now: Time,
        key: JobKey,
    ) -> Option<serde_json::Value> {
        self.communications.as_mut()?.progress(now, key)
    }

    /// Forgets when a running job was to end.
    pub(in crate::kernel) fn forget_end(&mut self, key: JobKey) {
        self.ends.retain(|Reverse((_, _, of))| *of != key);
    }

    /// Ends a running job whose end is not to come any more, and frees its key.
    pub(in crate::kernel) fn finish<E>(
        &mut self,
        now: Time,
        key: JobKey,
        end: JobEnd,
        metadata: &str,
        observer: &mut impl Observer,
    ) -> Result<(), SimulationError<E>> {
        self.end_as(now, key, end, metadata, observer)?;
        self.release(key);
        Ok(())
    }
}
