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
#[derive(Clone, Debug)]
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

    /// How long each of the jobs at `which` waits, where the first so many run already.
    pub fn waits_of(
        &self,
        which: &[usize],
        running: usize,
        jobs: &[(Shape, Time)],
    ) -> Vec<Option<Time>> {
        // Those that run are submitted, and thus start, before there is anything else.
        let submitted = |place| Time::from_micros(i64::from(place >= running));
        let played = jobs.iter().enumerate().map(|(place, (shape, work))| Job {
            id: JobId::Number(i64::try_from(place).unwrap_or_default()),
            profile: None,
            submitted: submitted(place),
            nodes: shape.nodes,
            work: Work::Delay(*work),
            utilisation: None,
            walltime: Some(shape.walltime),
        });
        let mut starts =
            Starts { asked: vec![false; jobs.len()], at: vec![None; jobs.len()], left: 0 };
        for &place in which {
            let is_known = std::mem::replace(&mut starts.asked[place], true);
            starts.left += usize::from(!is_known);
        }
        // It ends early, by an error of the observer, when all starts are known.
        self.play(played.map(Ok), &mut starts);
        let wait = |place: &usize| {
            starts.at[*place].map(|at| if at > submitted(*place) { at } else { Time::ZERO })
        };
        which.iter().map(wait).collect()
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

/// Waits for the starts of some jobs.
struct Starts {
    /// Which of all jobs are asked for.
    asked: Vec<bool>,
    at: Vec<Option<Time>>,
    /// How many have not started yet.
    left: usize,
}

impl Observer for Starts {
    fn started(&mut self, now: Time, job: &Job, _: &NodeSet) -> io::Result<()> {
        let JobId::Number(place) = job.id else { return Ok(()) };
        let place = usize::try_from(place).unwrap_or_default();
        if self.asked[place] {
            self.at[place] = Some(now);
            self.left -= 1;
        }
        if self.left == 0 { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
    }

    fn played(&mut self, _: &Played<'_>) -> io::Result<()> {
        Ok(())
    }

    fn refused(&mut self, _: &Job, _: Option<RefusalReason>) -> io::Result<()> {
        Ok(())
    }
}
