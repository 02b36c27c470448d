//! Jobs on our nodes outside of our reservations are noted as they begin, change and end, so that the ledger knows whose
//! the nodes were.

use planner::resource_manager::ManagedJob;
use planner::time::Timestamp;

use crate::service::resource_manager::jobs_outside::JobsOutside;
use crate::service::resource_manager::turn::Turn;
use crate::service::resource_manager::{ResourceManagerService, TurnError};

impl ResourceManagerService {
    /// Notes what changed of jobs outside of our reservations since it was noted last.
    pub(in crate::service::resource_manager) async fn note_outside(
        &self,
        turn: &Turn<'_>,
    ) -> Result<(), TurnError> {
        let Some(outside) = &turn.outside else { return Ok(()) };
        self.know_outside().await?;
        let index = turn.state.cluster.nodes.index();
        let told = &turn.seen.jobs.items;
        let outside: Vec<&ManagedJob> = outside.iter().map(|at| &told[*at]).collect();
        let changed = {
            let memo = self.memo();
            let Some(known) = &memo.outside else { return Ok(()) };
            known.changed(told, &outside, |node| index.ordinal(node).is_some())
        };
        self.put_outside(changed, turn.now).await?;
        if let Some(known) = &mut self.memo().outside {
            known.retain_told(&outside);
        }
        Ok(())
    }

    /// Where there is no resource manager any more, none of its jobs runs as far as is known.
    pub(in crate::service::resource_manager) async fn forget_outside(
        &self,
    ) -> Result<(), TurnError> {
        self.know_outside().await?;
        let gone = self.memo().outside.as_ref().map(|known| known.gone(&[])).unwrap_or_default();
        let seen = self.memo().outside.as_ref().and_then(JobsOutside::seen);
        match seen.filter(|_| !gone.is_empty()) {
            Some(seen) => self.put_outside(gone, seen).await,
            None => Ok(()),
        }
    }

    /// Reads what was noted, unless it is known.
    async fn know_outside(&self) -> Result<(), TurnError> {
        if self.memo().outside.is_none() {
            let (running, seen) = self.shared.database.running_jobs_outside().await?;
            self.memo().outside = Some(JobsOutside::noted(running, seen));
        }
        Ok(())
    }

    /// Notes jobs that changed, and when that was seen.
    async fn put_outside(
        &self,
        changed: Vec<ManagedJob>,
        seen: Timestamp,
    ) -> Result<(), TurnError> {
        let due = self.memo().outside.as_ref().is_none_or(|known| known.is_due(&changed, seen));
        if due {
            self.shared.database.put_jobs_outside(&changed, seen).await?;
        }
        if let Some(known) = &mut self.memo().outside {
            known.note(changed, seen, due);
        }
        Ok(())
    }
}
