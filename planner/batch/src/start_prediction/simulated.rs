//! A queue that is played on until a job of it starts.

use std::convert::Infallible;
use std::io;

use planner::node_set::NodeSet;

use super::Shape;
use crate::job::{Job, JobId, Work};
use crate::kernel::{Cluster, Observer, Played, simulate};
use crate::platform::Platform;
use crate::policy::{Allocation, Combination, Setting};
use crate::scheduler::{RefusalReason, Tie};
use crate::supplier_tables::SupplierTables;
use crate::time::Time;

/// What plays queues.
#[derive(Debug)]
pub(super) struct QueuePlayer {
    pub platform: Platform,
    pub policy: Combination,
    tables: SupplierTables,
}

impl QueuePlayer {
    /// A policy on so many nodes.
    ///
    /// # Errors
    /// A policy that cannot be without options or tables.
    pub fn new(nodes: u32, policy: Combination) -> Result<Self, Vec<String>> {
        let platform = Platform::of_machines(nodes);
        let player = Self { platform, policy, tables: SupplierTables::default() };
        policy.scheduler(&player.setting())?;
        Ok(player)
    }

    fn setting(&self) -> Setting<'_> {
        let Self { platform, tables, .. } = self;
        Setting { platform, tie: Tie::Batch, options: &[], tables, reservations: &[] }
    }

    /// How long the last of the jobs waits, where the first so many run already.
    pub fn wait_of_last(&self, running: usize, jobs: &[(Shape, Time)]) -> Option<Time> {
        // Those that run are submitted, and thus start, before there is anything else.
        let submitted = |place| Time::from_micros(i64::from(place >= running));
        let jobs = jobs.iter().enumerate().map(|(place, (shape, work))| Job {
            id: JobId::Number(i64::try_from(place).unwrap_or_default()),
            profile: None,
            submitted: submitted(place),
            nodes: shape.nodes,
            work: Work::Delay(*work),
            utilisation: None,
            walltime: Some(shape.walltime),
        });
        let last = jobs.len().checked_sub(1)?;
        let mut start = StartOf { job: JobId::Number(i64::try_from(last).ok()?), at: None };
        // It ends early, by an error of the observer, when the start is known.
        self.play(jobs.map(Ok), &mut start);
        start.at.map(|at| if at > submitted(last) { at } else { Time::ZERO })
    }

    /// Plays jobs until the last of them ends or the observer fails.
    pub fn play(
        &self,
        jobs: impl Iterator<Item = Result<Job, Infallible>>,
        observer: &mut impl Observer,
    ) {
        let cluster = Cluster {
            platform: &self.platform,
            tie: Tie::Batch,
            launch: Time::ZERO,
            places: self.policy.allocation() == Allocation::Set,
            delays_compute: false,
            tables: None,
            network: None,
        };
        if let Ok(mut scheduler) = self.policy.scheduler(&self.setting()) {
            let _ = simulate(jobs, cluster, scheduler.as_mut(), observer);
        }
    }
}

/// Waits for the start of one job.
struct StartOf {
    job: JobId,
    at: Option<Time>,
}

impl Observer for StartOf {
    fn started(&mut self, now: Time, job: &Job, _: &NodeSet) -> io::Result<()> {
        if job.id == self.job {
            self.at = Some(now);
            return Err(io::ErrorKind::Interrupted.into());
        }
        Ok(())
    }

    fn played(&mut self, _: &Played<'_>) -> io::Result<()> {
        Ok(())
    }

    fn refused(&mut self, _: &Job, _: Option<RefusalReason>) -> io::Result<()> {
        Ok(())
    }
}
