//! What grows is pruned by rules: what goes, and from before when. See `docs/RETENTION.md`.

use std::sync::Arc;
use std::time::Duration;

use planner::time::{Seconds, Span, Timestamp};
use storage::PrunedKind;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::ledger::LedgerService;
use super::measurements::THIN_MARGIN;
use super::shared::{Fault, Shared};
use crate::clock::Clock;

/// The lease of who prunes.
pub const LEASE: &str = "retention";

/// How often it is looked for what is old.
pub const EVERY: Duration = Duration::from_hours(1);

/// The least pause between two pieces. It lasts as long as the piece before it took: others write half of the time.
const PAUSE: Duration = Duration::from_millis(10);

/// What may be judged together with a reservation began at most so long ago.
const BEGAN: Seconds = Seconds::new(400 * 86_400);

const HOUR: Seconds = Seconds::new(3600);

/// From before when a kind is pruned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetentionRule {
    /// What goes.
    pub kind: PrunedKind,
    /// Rows from before this instant go; `None` where all are kept.
    pub before: Option<Timestamp>,
}

/// Prunes by the rules of the settings.
pub struct RetentionService {
    shared: Arc<Shared>,
    ledger: Arc<LedgerService>,
}

impl RetentionService {
    /// On what all services share, with the ledger, which says what it has settled.
    pub const fn new(shared: Arc<Shared>, ledger: Arc<LedgerService>) -> Self {
        Self { shared, ledger }
    }

    /// The rules as they are now, in the order in which they are to be carried out.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn rules(&self) -> Result<Vec<RetentionRule>, Fault> {
        let (now, settings) = (self.shared.now(), &self.shared.settings);
        let kept = &settings.retention;
        let settled = self.ledger.settled_until().await?;
        // Only what the ledger will not ask about again.
        let behind_ledger = |kept: Option<Seconds>| {
            Some(settled?.min(hour_of(now - kept?))).filter(|before| *before > Timestamp::MIN)
        };
        let judged = now - settings.calibration.window;
        let counted = self.counted_from(now).await?;
        let reservations = behind_ledger(kept.reservations);
        let reservations = reservations.map(|before| hour_of(before.min(judged).min(counted)));
        let before = |kind| match kind {
            PrunedKind::Answers => Some(now - kept.idempotency_keys),
            PrunedKind::Events => Some(now - kept.events),
            PrunedKind::Mails => Some(now - kept.mails),
            // They are made and judged by the machine's clock, also where the service's is set.
            PrunedKind::Tokens => Some(Clock::default().guarded().now() - kept.tokens),
            PrunedKind::Offers | PrunedKind::Proposals => Some(now - kept.offers),
            PrunedKind::Series | PrunedKind::Reservations => reservations,
            PrunedKind::AgendaRevisions | PrunedKind::FeedRevisions => Some(now - kept.revisions),
            PrunedKind::PowerStates | PrunedKind::PowerActions | PrunedKind::PowerLog => {
                behind_ledger(kept.power)
            }
            PrunedKind::JobsOutside => behind_ledger(Some(settings.metering.keep_quarters)),
            PrunedKind::Simulations => kept.simulations.map(|kept| now - kept),
            PrunedKind::Negotiations => kept.negotiations.map(|kept| now - kept),
            PrunedKind::Audit => settings.audit.keep.map(|kept| now - kept),
            PrunedKind::Samples => Some(now - settings.metering.keep_samples - THIN_MARGIN),
            PrunedKind::Quarters => Some(now - settings.metering.keep_quarters - THIN_MARGIN),
        };
        let rule = |kind| RetentionRule { kind, before: before(kind) };
        Ok(PrunedKind::ALL.map(rule).into())
    }

    /// Carries a rule out, piece by piece with pauses for those who write; how many rows went. Told to stop it ends after a
    /// piece.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn prune(&self, rule: RetentionRule, stop: &CancellationToken) -> Result<u64, Fault> {
        let (database, RetentionRule { kind, before }) = (&self.shared.database, rule);
        let Some(before) = before else { return Ok(0) };
        if kind.is_behind_the_ledger() {
            database.seal_hours(hour_of(before)).await?;
        }
        let mut rows = 0;
        while !stop.is_cancelled() {
            let began = Instant::now();
            let Some(piece) = database.prune_piece(kind, before).await? else { break };
            rows += piece;
            tokio::select! {
                () = stop.cancelled() => break,
                () = tokio::time::sleep(began.elapsed().max(PAUSE)) => {}
            }
        }
        Ok(rows)
    }

    /// Prunes what is old, until told to stop, while this process has the lease.
    pub async fn prune_old(self: Arc<Self>, stop: CancellationToken) {
        let mut turns = tokio::time::interval(EVERY);
        turns.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.shared.leases.wait_for(LEASE) => {}
            }
            tokio::select! {
                () = stop.cancelled() => return,
                _ = turns.tick() => {}
            }
            let pruned = self.shared.leases.while_held(LEASE, self.prune_all(&stop)).await;
            if let Some(Err(error)) = pruned {
                let error = format!("{:#}", anyhow::Error::from(error));
                tracing::warn!(error, "could not prune what is old");
            }
        }
    }

    async fn prune_all(&self, stop: &CancellationToken) -> Result<(), Fault> {
        for rule in self.rules().await? {
            // Measurements are thinned by a task of their own.
            if matches!(rule.kind, PrunedKind::Samples | PrunedKind::Quarters) {
                self.seal_behind(rule).await?;
                continue;
            }
            let rows = self.prune(rule, stop).await?;
            if rows > 0 {
                tracing::info!(what = rule.kind.words(), rows, "pruned");
            }
        }
        Ok(())
    }

    async fn seal_behind(&self, rule: RetentionRule) -> Result<(), Fault> {
        let Some(before) = rule.before.filter(|_| rule.kind.is_behind_the_ledger()) else {
            return Ok(());
        };
        Ok(self.shared.database.seal_hours(hour_of(before)).await?)
    }

    /// Since when quotas count what was held, also for what may have begun long ago.
    async fn counted_from(&self, now: Timestamp) -> Result<Timestamp, Fault> {
        let (state, began) = (self.shared.state().await?, now - BEGAN);
        let Some(quotas) = self.shared.quotas(&state, began) else { return Ok(now) };
        let around = quotas.periods().into_iter();
        let around = around.filter_map(|per| per.around(began, &quotas.zone));
        let around = around.filter(|period| period.end() > began);
        Ok(around.map(Span::start).fold(began, Ord::min))
    }
}

/// The start of the hour in which an instant lies.
fn hour_of(instant: Timestamp) -> Timestamp {
    let seconds = instant.as_unix_seconds();
    Timestamp::from_unix_seconds(seconds - seconds.rem_euclid(HOUR.get()))
}
