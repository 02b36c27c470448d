//! Applications replayed over a network: what each rank computes, sends and receives, as a time-independent trace says.
//!
//! What a rank computes is a task on its host, and a message is a task between two hosts (`tasks`), so that all of it
//! shares hosts and links with whatever else runs. A message goes once both sides know of it; a small one does not hold
//! up its sender. Collectives are messages too (`collective`).
//!
//! Sources: the Batsim thesis, 4.4; the traces and defaults of `SimGrid`'s SMPI (A. Degomme and others 2017).

mod action;
mod application;
mod call;
mod collective;
mod ranks;
mod read;

use std::collections::HashMap;
use std::sync::Arc;

pub use application::ApplicationTrace;
use ranks::{Order, Ranks, Timed, UnderWay};
pub use read::{ApplicationTraceError, MOST_AMONG_ALL, MOST_RANKS, read_application};

use crate::platform::{HostId, NoRoute};
use crate::tasks::{Execution, ParallelTask, TaskId};

/// Why a replay cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TraceReplayError {
    /// Two hosts that communicate have no route.
    #[error(transparent)]
    NoRoute(#[from] NoRoute),
    /// All ranks wait: a receive from any rank took what another one waits for.
    #[error(
        "rank {rank} never comes beyond line {line} of its trace: what it waits for there went to a receive from any rank"
    )]
    Stuck {
        /// One that waits.
        rank: u32,
        /// The line, from 1.
        line: u32,
    },
}

/// An application that is being replayed.
#[derive(Debug)]
pub struct TraceReplay {
    ranks: Ranks,
    /// Of each rank.
    hosts: Vec<HostId>,
    application: Arc<ApplicationTrace>,
    under_way: HashMap<TaskId, UnderWay>,
}

impl TraceReplay {
    /// Begins an application on these hosts, a rank on each in turn; the tasks that it begins with.
    ///
    /// # Errors
    /// Two hosts that communicate have no route, or all ranks wait.
    pub fn begin(
        application: Arc<ApplicationTrace>,
        hosts: &[HostId],
        execution: &mut Execution<'_>,
    ) -> Result<(Self, Vec<TaskId>), TraceReplayError> {
        let hosts = hosts.iter().copied().cycle().take(application.ranks() as usize).collect();
        let ranks = Ranks::of(Arc::clone(&application));
        let mut replay = Self { ranks, hosts, application, under_way: HashMap::new() };
        let begun = replay.go_on(execution)?;
        Ok((replay, begun))
    }

    /// Goes on after a task that ended; the tasks that begin by it.
    ///
    /// # Errors
    /// Two hosts that communicate have no route, or all ranks wait.
    pub fn ended(
        &mut self,
        task: TaskId,
        execution: &mut Execution<'_>,
    ) -> Result<Vec<TaskId>, TraceReplayError> {
        if let Some(of) = self.under_way.remove(&task) {
            self.ranks.ended(of);
        }
        self.go_on(execution)
    }

    /// Whether all ranks are at their ends.
    pub fn is_over(&self) -> bool {
        self.under_way.is_empty() && self.ranks.over()
    }

    /// Whether a rank is at its end.
    pub fn is_rank_over(&self, rank: u32) -> bool {
        self.ranks.rank_is_over(rank)
    }

    /// The tasks under way.
    pub fn tasks(&self) -> impl Iterator<Item = TaskId> {
        self.under_way.keys().copied()
    }

    /// The part of all actions that are over or under way, from 0 to 1.
    pub fn progress(&self) -> f64 {
        self.ranks.actions_begun() as f64 / self.application.actions().max(1) as f64
    }

    fn go_on(&mut self, execution: &mut Execution<'_>) -> Result<Vec<TaskId>, TraceReplayError> {
        let orders = self.ranks.go_on();
        let mut begun = Vec::with_capacity(orders.len());
        for Order { of, timed } in orders {
            let task = match timed {
                Timed::Sleep { seconds } => execution.wait(seconds),
                timed => execution.start(&self.task(timed, execution))?,
            };
            self.under_way.insert(task, of);
            begun.push(task);
        }
        // While anything is under way, somebody may go on by it.
        if !self.under_way.is_empty() {
            return Ok(begun);
        }
        let Some((rank, place)) = self.ranks.stuck() else { return Ok(begun) };
        let line = self.application.line(rank, place);
        Err(TraceReplayError::Stuck { rank, line })
    }

    fn task(&self, timed: Timed, execution: &Execution<'_>) -> ParallelTask {
        let host = |rank: u32| self.hosts[rank as usize];
        match timed {
            Timed::Sleep { .. } => ParallelTask::default(),
            Timed::Compute { rank, operations } => {
                let (hosts, operations) = (vec![host(rank)], vec![operations]);
                ParallelTask { hosts, operations, bytes: Vec::new() }
            }
            Timed::Use { rank, part, operations } => {
                let cores = (part * f64::from(execution.cores(host(rank)))).round().max(1.0);
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a part of the cores of a host"
                )]
                let cores = cores as usize;
                let (hosts, operations) = (vec![host(rank); cores], vec![operations; cores]);
                ParallelTask { hosts, operations, bytes: Vec::new() }
            }
            Timed::Send { from, to, bytes } => {
                let hosts = vec![host(from), host(to)];
                ParallelTask { hosts, operations: Vec::new(), bytes: vec![0.0, bytes, 0.0, 0.0] }
            }
        }
    }
}
