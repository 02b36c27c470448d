//! The clock is watched: it goes by PostgreSQL's where there is one, and whether it jumps is told.

use std::sync::Arc;
use std::time::{Duration, Instant};

use storage::StorageError;
use tokio_util::sync::CancellationToken;

use super::shared::Shared;
use crate::clock::{ClockGuard, ClockJump, DOUBTED_FOR, DoubtEnd};

/// How often it is looked whether it jumped.
pub const LOOK: Duration = Duration::from_secs(1);

/// The lease of the process that tells of jumps by events.
pub const LEASE: &str = "clock";

/// Why a jump that an earlier process told of is doubted no more: this one began after it.
const BEGAN_ANEW: &str = "began_anew";

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
        let (mut read, mut watched) = (Instant::now(), WatchedClock::default());
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = turns.tick() => {}
            }
            let is_due = read.elapsed() >= READ;
            if is_due {
                read = Instant::now();
            }
            if let Err(error) = self.look(guard, &mut watched, is_due).await {
                let error = format!("{:#}", anyhow::Error::from(error));
                tracing::debug!(error, "could not read the clock");
            }
        }
    }

    /// Tells by events that a jump is doubted, and that it is no more, until told to stop: one process on the database does.
    pub async fn tell_jumps(self: Arc<Self>, stop: CancellationToken) {
        let Some(guard) = self.shared.clock.guard() else { return };
        let mut turns = tokio::time::interval(LOOK);
        // Whether a jump was told that lasts; `None` where only the database knows.
        let mut lasts = None;
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = turns.tick() => {}
            }
            let told = self.shared.leases.while_held(LEASE, self.tell(guard, lasts)).await;
            lasts = match told {
                Some(Ok(lasts)) => Some(lasts),
                None => None,
                Some(Err(error)) => {
                    let error = format!("{:#}", anyhow::Error::from(error));
                    tracing::debug!(error, "could not tell how the clock stands");
                    None
                }
            };
        }
    }

    /// Tells what is new since what was told; whether what was told lasts.
    async fn tell(&self, guard: &ClockGuard, lasts: Option<bool>) -> Result<bool, StorageError> {
        let (database, now) = (&self.shared.database, self.shared.now());
        let lasts = match lasts {
            Some(lasts) => lasts,
            None => database.clock_doubt().await?.is_some(),
        };
        match guard.jump() {
            Some(jump) if !lasts => database.tell_clock_doubted(jump.by_s, now).await?,
            None if lasts => {
                let because = guard.ended().map_or(BEGAN_ANEW, DoubtEnd::word);
                database.tell_clock_believed(because, now).await?;
            }
            jump => return Ok(jump.is_some()),
        }
        Ok(!lasts)
    }

    /// Reads the clock, and tells what has become of a jump. What is due is read from the database.
    async fn look(
        &self,
        guard: &ClockGuard,
        watched: &mut WatchedClock,
        is_due: bool,
    ) -> Result<(), StorageError> {
        let database = &self.shared.database;
        if !database.has_clock() {
            guard.now_us();
        } else if is_due {
            self.read().await?;
        }
        let Some(ClockJump { by_s, .. }) = guard.jump() else {
            if std::mem::take(&mut watched.doubts) {
                tracing::info!(now = %self.shared.now(), "the clock is believed again");
            }
            if is_due || watched.accepted.is_none() {
                watched.accepted = Some(database.clock_acceptances().await?);
            }
            return Ok(());
        };
        if !std::mem::replace(&mut watched.doubts, true) {
            let (believed, minutes) = (self.shared.now(), DOUBTED_FOR.as_secs() / 60);
            tracing::warn!(
                by_s,
                %believed,
                "the clock jumped: nothing goes by it, and no reservation expires, begins or ends, until it has been the \
                 same for {minutes} minutes or `wattbook clock accept` says that it is right"
            );
        }
        let accepted = database.clock_acceptances().await?;
        if accepted > *watched.accepted.get_or_insert(accepted) && guard.accept() {
            *watched = WatchedClock { doubts: false, accepted: Some(accepted) };
            tracing::info!(now = %self.shared.now(), "the clock is accepted by an operator");
        }
        Ok(())
    }
}

/// What a watch knows from before.
#[derive(Default)]
struct WatchedClock {
    /// Whether a jump is doubted.
    doubts: bool,
    /// How often operators had said that the clock is right while it was believed.
    accepted: Option<i64>,
}
