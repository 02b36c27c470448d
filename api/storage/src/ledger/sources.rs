//! What statements of the ledger rest on.

use planner::time::{Span, Timestamp};

use super::sql;
use crate::agendas::Quantity;
use crate::agendas::repository::Agendas;
use crate::database::repository;
use crate::error::StorageError;
use crate::identity::RevisionId;
use crate::ledger::LedgerSources;
use crate::ledger::row::{EpochStartRow, HeldRow, LedgerMarkRow, RevisedBeforeRow, held};
use crate::managed_jobs::row::ManagedJobRow;
use crate::power_actions::PowerAction;
use crate::power_actions::row::PowerActionRow;
use crate::power_states::row::PowerStateRow;
use crate::power_states::{NodePowerState, sql as power_states};

repository!(
    /// What statements of the ledger rest on.
    impl Database for LedgerInputs {
        /// Everything that concerns whose energy that of a window is, as one state of the database.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn ledger_sources(&self, window: Span) -> Result<LedgerSources, StorageError> {
            let (from, to) = (window.start().as_unix_seconds(), window.end().as_unix_seconds());
            let mut transaction = self.begin_read().await?;
            let connection = &mut *transaction;
            let epochs: Vec<EpochStartRow> = sqlx::query_as(sql::EPOCHS_DURING)
                .bind(from)
                .bind(to)
                .fetch_all(&mut *connection)
                .await?;
            let holdings: Vec<HeldRow> = sqlx::query_as(sql::HELD_DURING)
                .bind(from)
                .bind(to)
                .fetch_all(&mut *connection)
                .await?;
            let jobs: Vec<ManagedJobRow> = sqlx::query_as(sql::JOBS_DURING)
                .bind(from)
                .bind(to)
                .fetch_all(&mut *connection)
                .await?;
            let switched: Vec<PowerActionRow> = sqlx::query_as(sql::SWITCHED_DURING)
                .bind(from)
                .bind(to)
                .fetch_all(&mut *connection)
                .await?;
            let powers: Vec<PowerStateRow> = sqlx::query_as(power_states::POWER_STATES_DURING)
                .bind(from)
                .bind(to)
                .fetch_all(&mut *connection)
                .await?;
            let price =
                Agendas::<Engine>::current_pieces(connection, Quantity::Price, window).await?;
            let co2 = Agendas::<Engine>::current_pieces(connection, Quantity::Co2, window).await?;
            transaction.commit().await?;
            Ok(LedgerSources {
                epochs: epochs.into_iter().map(Into::into).collect(),
                held: held(&holdings)?,
                jobs: jobs.into_iter().map(ManagedJobRow::job).collect::<Result<_, _>>()?,
                switched: switched
                    .into_iter()
                    .map(PowerAction::try_from)
                    .collect::<Result<_, _>>()?,
                powers: powers
                    .into_iter()
                    .map(NodePowerState::try_from)
                    .collect::<Result<_, _>>()?,
                price,
                co2,
            })
        }

        /// When the first nodes were put; `None` before there are any.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn first_epoch(&self) -> Result<Option<Timestamp>, StorageError> {
            let first: Option<i64> =
                sqlx::query_scalar(sql::FIRST_EPOCH).fetch_one(&self.reader).await?;
            Ok(first.map(Timestamp::from_unix_seconds))
        }

        /// The newest revision of agendas, where stated hours were not looked at again by it, and what
        /// of the time before an instant prices and intensities were revised for since they were.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn revised_for_ledger(
            &self,
            before: Timestamp,
        ) -> Result<Option<(RevisionId, Option<Span>)>, StorageError> {
            let mark: LedgerMarkRow =
                sqlx::query_as(sql::LEDGER_MARK).fetch_one(&mut *self.reading().await?).await?;
            if mark.newest <= mark.revision_id {
                return Ok(None);
            }
            let revised: RevisedBeforeRow = sqlx::query_as(sql::REVISED_BEFORE)
                .bind(mark.revision_id)
                .bind(mark.newest)
                .bind(before.as_unix_seconds())
                .fetch_one(&mut *self.reading().await?)
                .await?;
            Ok(Some((mark.newest, revised.span_before(before))))
        }

        /// Notes that stated hours were looked at again up to a revision of agendas.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn put_ledger_mark(&self, revision: RevisionId) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            sqlx::query(sql::PUT_LEDGER_MARK).bind(revision).execute(&mut *transaction).await?;
            Ok(transaction.commit().await?)
        }
    }
);
