//! Which statements prune what.

use planner::time::Timestamp;

use super::{PrunedKind, sql};
use crate::database::Database;
use crate::error::StorageError;
use crate::measurements::repository::{DAY_S, SAMPLES_S};

/// Revisions of agendas and feeds that are deleted together, of some hundred values each.
const REVISIONS_TOGETHER: i64 = 20;

/// Power actions that are deleted together.
const ACTIONS_TOGETHER: i64 = 1000;

/// The names by which hours of the ledger and the power log are known.
const HOURS: &str = "hours";
const POWER_LOG: &str = "power_log";

/// Rules of retention, carried out.
impl Database {
    /// How many rows of a kind from before an instant are to be pruned.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn old_rows(&self, kind: PrunedKind, before: Timestamp) -> Result<i64, StorageError> {
        let mut before_s = before.as_unix_seconds();
        let statement = match kind {
            PrunedKind::Offers => return self.old_offers(before).await,
            PrunedKind::Proposals => return self.old_proposals(before).await,
            PrunedKind::Reservations => return self.old_reservations(before).await,
            PrunedKind::Answers => sql::OLD_ANSWERS,
            PrunedKind::Events => sql::OLD_EVENTS,
            PrunedKind::Mails => sql::OLD_MAILS,
            PrunedKind::Tokens => sql::OLD_TOKENS,
            PrunedKind::Series => sql::OLD_SERIES,
            PrunedKind::AgendaRevisions => sql::OLD_AGENDA_PIECES,
            PrunedKind::FeedRevisions => sql::OLD_FEED_REVISIONS,
            PrunedKind::PowerStates => sql::OLD_POWER_STATES,
            PrunedKind::PowerActions => sql::OLD_POWER_ACTIONS,
            PrunedKind::PowerLog => sql::OLD_POWER_LOG,
            PrunedKind::JobsOutside => sql::OLD_JOBS_OUTSIDE,
            PrunedKind::Simulations => sql::OLD_SIMULATIONS,
            PrunedKind::Negotiations => sql::OLD_NEGOTIATIONS,
            PrunedKind::Audit => sql::OLD_AUDIT,
            PrunedKind::Samples => {
                before_s -= SAMPLES_S - 1;
                sql::OLD_SAMPLES
            }
            PrunedKind::Quarters => {
                before_s -= DAY_S - 1;
                sql::OLD_QUARTERS
            }
        };
        self.count_pruned(statement, Some(before_s)).await
    }

    /// How many rows of a kind there are; of offers all.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn rows_left(&self, kind: PrunedKind) -> Result<i64, StorageError> {
        let statement = match kind {
            PrunedKind::Answers => sql::ANSWERS,
            PrunedKind::Events => sql::EVENTS,
            PrunedKind::Mails => sql::MAILS,
            PrunedKind::Tokens => sql::TOKENS,
            PrunedKind::Offers => sql::OFFERS,
            PrunedKind::Proposals => sql::PROPOSALS,
            PrunedKind::Series => sql::SERIES,
            PrunedKind::Reservations => sql::RESERVATIONS,
            PrunedKind::AgendaRevisions => sql::AGENDA_PIECES,
            PrunedKind::FeedRevisions => sql::FEED_REVISIONS,
            PrunedKind::PowerStates => sql::POWER_STATES,
            PrunedKind::PowerActions => sql::POWER_ACTIONS,
            PrunedKind::PowerLog => sql::POWER_LOG,
            PrunedKind::JobsOutside => sql::JOBS_OUTSIDE,
            PrunedKind::Simulations => sql::SIMULATIONS,
            PrunedKind::Negotiations => sql::NEGOTIATIONS,
            PrunedKind::Audit => sql::AUDIT,
            PrunedKind::Samples => sql::SAMPLES,
            PrunedKind::Quarters => sql::QUARTERS,
        };
        self.count_pruned(statement, None).await
    }

    /// Deletes some rows of a kind from before an instant, in one short transaction; how many, `None` once there are none.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn prune_piece(
        &self,
        kind: PrunedKind,
        before: Timestamp,
    ) -> Result<Option<u64>, StorageError> {
        match kind {
            PrunedKind::Offers => self.prune_offers(before).await,
            PrunedKind::Proposals => self.prune_proposals(before).await,
            PrunedKind::Series => self.prune_series(before).await,
            PrunedKind::Reservations => self.prune_reservations(before).await,
            PrunedKind::Answers => self.prune_by(sql::PRUNE_ANSWERS, before).await,
            PrunedKind::Events => self.prune_by(sql::PRUNE_EVENTS, before).await,
            PrunedKind::Mails => self.prune_by(sql::PRUNE_MAILS, before).await,
            PrunedKind::Tokens => self.prune_by(sql::PRUNE_TOKENS, before).await,
            PrunedKind::JobsOutside => self.prune_by(sql::PRUNE_JOBS_OUTSIDE, before).await,
            PrunedKind::PowerLog => {
                if self.kept_from(POWER_LOG).await? < before {
                    self.move_kept_from(POWER_LOG, before).await?;
                }
                self.prune_by(sql::PRUNE_POWER_LOG, before).await
            }
            PrunedKind::AgendaRevisions => {
                let find = (sql::FIND_AGENDA_REVISIONS, REVISIONS_TOGETHER);
                self.prune_numbered(find, sql::PRUNE_AGENDA_PIECES_WHERE, before).await
            }
            PrunedKind::FeedRevisions => {
                let find = (sql::FIND_FEED_REVISIONS, REVISIONS_TOGETHER);
                self.prune_numbered(find, sql::PRUNE_FEED_REVISIONS_WHERE, before).await
            }
            PrunedKind::PowerActions => {
                let find = (sql::FIND_POWER_ACTIONS, ACTIONS_TOGETHER);
                self.prune_numbered(find, sql::PRUNE_POWER_ACTIONS_WHERE, before).await
            }
            PrunedKind::PowerStates => self.prune_power_states(before).await,
            PrunedKind::Simulations => self.prune_simulation(before).await,
            PrunedKind::Negotiations => self.prune_negotiations(before).await,
            PrunedKind::Audit => {
                let dropped = self.drop_audit(before.as_unix_seconds() * 1_000_000).await?;
                Ok(Some(dropped.unsigned_abs()).filter(|count| *count > 0))
            }
            PrunedKind::Samples => self.thin_measurements(before, Timestamp::MIN).await,
            PrunedKind::Quarters => self.thin_measurements(Timestamp::MIN, before).await,
        }
    }

    /// Seals the hours of the ledger that begin before an instant: they are never stated anew, since what they rest on may be
    /// pruned.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn seal_hours(&self, before: Timestamp) -> Result<(), StorageError> {
        if self.kept_from(HOURS).await? < before {
            self.move_kept_from(HOURS, before).await?;
        }
        Ok(())
    }

    /// The instant from which on hours of the ledger may be stated anew.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn sealed_until(&self) -> Result<Timestamp, StorageError> {
        self.kept_from(HOURS).await
    }
}
