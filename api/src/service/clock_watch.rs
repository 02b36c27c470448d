//! The clock is watched: it goes by PostgreSQL's where there is one, and whether it jumps is told.

use std::sync::Arc;
use std::time::{Duration, Instant};

use storage::StorageError;
use tokio_util::sync::CancellationToken;

use super::shared::Shared;
use crate::clock::{ClockGuard, ClockJump, DOUBTED_FOR};

/// How often it is looked whether it jumped.
pub const LOOK: Duration = Duration::from_secs(1);

/// How often the database's clock is read.
const READ: Duration = Duration::from_secs(5);

/// Watches the clock of the process.
pub struct ClockWatchService {
    shared: Arc<Shared>,
}

impl ClockWatchService {
    /// On what all services share.
    pub const fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// Reads the clock of the database, where it has one: it decides, for all processes on it.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn read(&self) -> Result<(), StorageError> {
        let (Some(guard), database) = (self.shared.clock.guard(), &self.shared.database) else {
            return Ok(());
        };
        if let Some((read_us, asked, came)) = database.clock_us().await? {
            guard.read_database(read_us, asked, came);
        }
        Ok(())
    }

    /// Watches the clock until told to stop.
    pub async fn watch_clock(self: Arc<Self>, stop: CancellationToken) {
        let Some(guard) = self.shared.clock.guard() else { return };
        let mut turns = tokio::time::interval(LOOK);
        let mut read = Instant::now();
        // While a jump is doubted: how often operators had said that the clock is right.
        let mut accepted_before = None;
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = turns.tick() => {}
            }
            if !self.shared.database.has_clock() {
                guard.now_us();
            } else if read.elapsed() >= READ {
                read = Instant::now();
                if let Err(error) = self.read().await {
                    let error = format!("{:#}", anyhow::Error::from(error));
                    tracing::debug!(error, "could not read the database's clock");
                }
            }
            match self.look(guard, accepted_before).await {
                Ok(before) => accepted_before = before,
                Err(error) => {
                    let error = format!("{:#}", anyhow::Error::from(error));
                    tracing::warn!(error, "could not see whether the clock is accepted");
                }
            }
        }
    }

    /// Tells what has become of a jump; how often the clock had been accepted before it, while it is doubted.
    async fn look(
        &self,
        guard: &ClockGuard,
        accepted_before: Option<i64>,
    ) -> Result<Option<i64>, StorageError> {
        match (guard.jump(), accepted_before) {
            (None, None) => Ok(None),
            (None, Some(_)) => {
                tracing::info!(now = %self.shared.now(), "the clock is believed again");
                Ok(None)
            }
            (Some(ClockJump { by_s, .. }), None) => {
                let accepted = self.shared.database.clock_acceptances().await?;
                let believed = self.shared.now();
                let minutes = DOUBTED_FOR.as_secs() / 60;
                tracing::warn!(
                    by_s,
                    %believed,
                    "the clock jumped: nothing goes by it, and no reservation expires, begins or ends, until it has \
                     been the same for {minutes} minutes or `wattbook clock accept` says that it is right"
                );
                Ok(Some(accepted))
            }
            (Some(_), Some(before)) => {
                let accepted = self.shared.database.clock_acceptances().await?;
                if accepted == before || !guard.accept() {
                    return Ok(Some(before));
                }
                tracing::info!(now = %self.shared.now(), "the clock is accepted by an operator");
                Ok(None)
            }
        }
    }
}
