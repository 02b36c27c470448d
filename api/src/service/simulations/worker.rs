//! The worker of a process: takes one simulation after another and plays it.
//!
//! While it plays, it renews its lease; when the process dies, the lease runs out and another
//! worker goes on from the journal. A worker that is told to stop gives its simulation back.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use storage::{ClaimedSimulation, SimulationLease, StorageError, WorkerId};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::SimulationService;
use super::play::{LEASE, PlayError, Played, Player};
use crate::simulation::progress::Progress;

/// How often it renews, and notices that a simulation was cancelled.
const BEAT: Duration = Duration::from_millis(500);

/// How often it looks for simulations that other processes left or let wait.
pub const LOOK: Duration = Duration::from_secs(1);

/// So many workers may die over a simulation without finishing a run of it.
const MAX_ATTEMPTS: u32 = 5;

type PlayOutcome = Result<Played, PlayError>;

impl SimulationService {
    /// Plays simulations until the service stops.
    pub async fn play_simulations(self: Arc<Self>, stop: CancellationToken) {
        while !stop.is_cancelled() {
            let now = self.shared.now();
            let worker = WorkerId::new(Uuid::now_v7());
            match self.shared.database.claim_simulation(worker, now, now + LEASE).await {
                Ok(Some(claimed)) => {
                    self.play_simulation(claimed, &stop).await;
                    continue;
                }
                Ok(None) => {}
                Err(error) => warn(error, "could not look for simulations"),
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = self.wake.notified() => {}
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }

    async fn play_simulation(&self, claimed: ClaimedSimulation, stop: &CancellationToken) {
        let (lease, id) = (claimed.lease, claimed.lease.id);
        let ended = if claimed.attempts > MAX_ATTEMPTS {
            let error = format!(
                "{MAX_ATTEMPTS} workers ended without finishing a run of it; it may need more \
                 memory than there is"
            );
            self.shared
                .database
                .end_simulation(lease, Some(&error), self.shared.now())
                .await
                .map(drop)
        } else {
            tracing::info!(%id, attempt = claimed.attempts, "playing a simulation");
            let progress = Arc::new(Progress::default());
            let player = Player {
                runtime: Handle::current(),
                database: self.shared.database.clone(),
                clock: self.shared.clock,
                threads: self.shared.settings.simulation_threads,
                progress: Arc::clone(&progress),
            };
            let playing = tokio::task::spawn_blocking(move || player.play(&claimed));
            match self.attend(lease, playing, &progress, stop).await {
                Ok(outcome) => self.end(lease, outcome).await,
                Err(panicked) => {
                    tracing::error!(%id, error = %panicked, "a simulation panicked");
                    let error = "this is a fault of the service; its log says more";
                    self.shared
                        .database
                        .end_simulation(lease, Some(error), self.shared.now())
                        .await
                        .map(drop)
                }
            }
        };
        // The lease runs out, and the next worker finds everything finished in the journal.
        if let Err(error) = ended {
            warn(error, "could not write how a simulation ended");
        }
    }

    /// Renews the lease until playing ends; lets it stop when the service does or the lease is lost.
    async fn attend(
        &self,
        lease: SimulationLease,
        mut playing: JoinHandle<PlayOutcome>,
        progress: &Progress,
        stop: &CancellationToken,
    ) -> Result<PlayOutcome, tokio::task::JoinError> {
        let mut beat = tokio::time::interval(BEAT);
        beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut stopping = false;
        loop {
            tokio::select! {
                outcome = &mut playing => return outcome,
                () = stop.cancelled(), if !stopping => {
                    stopping = true;
                    progress.stopped.store(true, Ordering::Relaxed);
                }
                _ = beat.tick() => {
                    let until = self.shared.now() + LEASE;
                    match self.shared.database.renew_simulation(lease, until).await {
                        Ok(true) => {}
                        Ok(false) => progress.stopped.store(true, Ordering::Relaxed),
                        Err(error) => warn(error, "could not renew the lease of a simulation"),
                    }
                }
            }
        }
    }

    /// Writes how it ended. Where the lease is lost, that is refused, as it must be.
    async fn end(&self, lease: SimulationLease, outcome: PlayOutcome) -> Result<(), StorageError> {
        let id = lease.id;
        match outcome {
            Ok(Played::ToTheEnd) => {
                if self.shared.database.end_simulation(lease, None, self.shared.now()).await? {
                    tracing::info!(%id, "finished a simulation");
                }
            }
            Ok(Played::Stopped) => {
                self.shared.database.release_simulation(lease).await?;
            }
            Err(PlayError::Lost) => {
                tracing::info!(%id, "a simulation was cancelled or taken by another worker");
            }
            Err(PlayError::Storage(error)) => {
                warn(error, "could not keep what is finished of a simulation");
                self.shared.database.release_simulation(lease).await?;
            }
            Err(error) => {
                let error = format!("{:#}", anyhow::Error::from(error));
                tracing::warn!(%id, error, "a simulation failed");
                self.shared.database.end_simulation(lease, Some(&error), self.shared.now()).await?;
            }
        }
        Ok(())
    }
}

fn warn(error: StorageError, what: &str) {
    tracing::warn!(error = format!("{:#}", anyhow::Error::from(error)), "{what}");
}
