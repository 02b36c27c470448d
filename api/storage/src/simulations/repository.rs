//! Simulations. They are no part of the book: a worker's writes are not counted among its changes,
//! and on PostgreSQL wait for no other writer.

use planner::time::Timestamp;
use sqlx::QueryBuilder;

use super::sql;
use crate::book::repository::BookRow;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::error::StorageError;
use crate::events::repository::Events;
use crate::idempotency::IdempotencyRecord;
use crate::idempotency::repository::Answers;
use crate::identity::{SimulationId, WorkerId};
use crate::simulations::error::EnqueueError;
use crate::simulations::event::simulation_reached;
use crate::simulations::row::{ClaimedRow, SimulationRow, SimulationRunRow};
use crate::simulations::{
    ClaimedSimulation, JournalledRun, NewSimulation, Simulation, SimulationFilter, SimulationLease,
    SimulationQueue, SimulationState,
};

repository!(
    /// Simulations. A worker has one until its lease runs out, and others may take it then; what it writes
    /// is refused, by `false`, as soon as it does not have it.
    impl Database for Simulations {
        /// Stores a simulation that waits for a worker, unless as many wait already as the queue holds.
        /// The answer to be remembered is stored in the same transaction.
        ///
        /// # Errors
        /// [`EnqueueError::QueueFull`], [`EnqueueError::QueueFullForOwner`], [`EnqueueError::IdempotencyKeyReused`].
        pub async fn enqueue_simulation(
            &self,
            new: &NewSimulation,
            queue: SimulationQueue,
            idempotency: Option<&IdempotencyRecord>,
        ) -> Result<(), EnqueueError> {
            // Counted, so that on PostgreSQL those who count the queue take turns.
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            if let Some(record) = idempotency
                && !Answers::<Engine>::remember(connection, std::slice::from_ref(record)).await?
            {
                return Err(EnqueueError::IdempotencyKeyReused);
            }
            let queued: i64 =
                sqlx::query_scalar(sql::QUEUED_SIMULATIONS).fetch_one(&mut *connection).await?;
            if queued >= i64::from(queue.most) {
                return Err(EnqueueError::QueueFull);
            }
            if let Some(most) = queue.most_of_owner {
                let own: i64 = sqlx::query_scalar(sql::QUEUED_SIMULATIONS_OF_OWNER)
                    .bind(&new.owner)
                    .fetch_one(&mut *connection)
                    .await?;
                if own >= i64::from(most) {
                    return Err(EnqueueError::QueueFullForOwner);
                }
            }
            sqlx::query(sql::INSERT_SIMULATION)
                .bind(new.id)
                .bind(&new.owner)
                .bind(&new.experiment)
                .bind(&new.inputs)
                .bind(&new.notes)
                .bind(i64::from(new.cells))
                .bind(i64::from(new.runs))
                .bind(new.created.as_unix_seconds())
                .execute(&mut *connection)
                .await?;
            let queued = simulation_reached(new.id, &new.owner, SimulationState::Queued);
            Events::<Engine>::record(connection, &[queued], new.created).await?;
            Ok(transaction.commit().await?)
        }

        /// How many wait for a worker.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn queued_simulations(&self) -> Result<u64, StorageError> {
            let queued: i64 =
                sqlx::query_scalar(sql::QUEUED_SIMULATIONS).fetch_one(&self.reader).await?;
            Ok(queued.unsigned_abs())
        }

        /// One simulation.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn simulation(
            &self,
            id: SimulationId,
        ) -> Result<Option<Simulation>, StorageError> {
            let row: Option<SimulationRow> =
                sqlx::query_as(sql::SIMULATION).bind(id).fetch_optional(&self.reader).await?;
            row.map(Simulation::try_from).transpose()
        }

        /// A page of simulations in the order of their ids, after the cursor, at most `limit`.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn simulations(
            &self,
            filter: &SimulationFilter,
            after: Option<SimulationId>,
            limit: u16,
        ) -> Result<Vec<Simulation>, StorageError> {
            let mut query = QueryBuilder::<Engine>::new(sql::SIMULATIONS_WHERE);
            if let Some(owner) = &filter.owner {
                query.push(" AND owner = ").push_bind(owner);
            }
            if !filter.states.is_empty() {
                let mut states = query.push(" AND state IN (").separated(", ");
                for state in &filter.states {
                    states.push_bind(state.word());
                }
                states.push_unseparated(")");
            }
            if let Some(after) = after {
                query.push(" AND id > ").push_bind(after);
            }
            query.push(" ORDER BY id LIMIT ").push_bind(i64::from(limit));
            let rows: Vec<SimulationRow> = query.build_query_as().fetch_all(&self.reader).await?;
            rows.into_iter().map(Simulation::try_from).collect()
        }

        /// A file of a finished cell, from 1; of the whole grid, 0.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn simulation_result(
            &self,
            id: SimulationId,
            cell: u32,
            name: &str,
        ) -> Result<Option<Vec<u8>>, StorageError> {
            Ok(sqlx::query_scalar(sql::SIMULATION_RESULT)
                .bind(id)
                .bind(i64::from(cell))
                .bind(name)
                .fetch_optional(&self.reader)
                .await?)
        }

        /// Stops a simulation at `now`; the results of finished cells stay. `false` where it is unknown
        /// or has ended.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn cancel_simulation(
            &self,
            id: SimulationId,
            now: Timestamp,
        ) -> Result<bool, StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            let cancelled = sqlx::query(sql::CANCEL_SIMULATION)
                .bind(id)
                .bind(now.as_unix_seconds())
                .execute(&mut *transaction)
                .await?;
            if cancelled.rows_affected() == 1 {
                sqlx::query(sql::DELETE_SIMULATION_RUNS)
                    .bind(id)
                    .execute(&mut *transaction)
                    .await?;
                let state = SimulationState::Cancelled;
                Self::record_simulation(&mut transaction, id, state, now).await?;
            }
            transaction.commit().await?;
            Ok(cancelled.rows_affected() == 1)
        }

        /// Removes a simulation that has ended, with its results. `false` where it is unknown or has
        /// not.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn remove_simulation(&self, id: SimulationId) -> Result<bool, StorageError> {
            let removed =
                sqlx::query(sql::DELETE_SIMULATION).bind(id).execute(&self.writer).await?;
            Ok(removed.rows_affected() == 1)
        }

        /// Gives the oldest simulation that waits, or whose lease ran out before `now`, to a worker.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn claim_simulation(
            &self,
            worker: WorkerId,
            now: Timestamp,
            until: Timestamp,
        ) -> Result<Option<ClaimedSimulation>, StorageError> {
            let any: bool = sqlx::query_scalar(sql::ANY_SIMULATION_TO_PLAY)
                .bind(now.as_unix_seconds())
                .fetch_one(&self.reader)
                .await?;
            if !any {
                return Ok(None);
            }
            let mut transaction = self.begin_beside_the_book().await?;
            let row: Option<ClaimedRow> = sqlx::query_as(sql::CLAIM_SIMULATION)
                .bind(worker)
                .bind(until.as_unix_seconds())
                .bind(now.as_unix_seconds())
                .fetch_optional(&mut *transaction)
                .await?;
            let claimed = row.map(|row| row.by(worker)).transpose()?;
            if let Some(ClaimedSimulation { lease, .. }) = &claimed {
                let state = SimulationState::Running;
                Self::record_simulation(&mut transaction, lease.id, state, now).await?;
            }
            transaction.commit().await?;
            Ok(claimed)
        }

        /// Prolongs a lease.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn renew_simulation(
            &self,
            lease: SimulationLease,
            until: Timestamp,
        ) -> Result<bool, StorageError> {
            let renewed = sqlx::query(sql::RENEW_SIMULATION)
                .bind(lease.id)
                .bind(lease.worker)
                .bind(until.as_unix_seconds())
                .execute(&self.writer)
                .await?;
            Ok(renewed.rows_affected() == 1)
        }

        /// The finished runs of a cell, from 1, by number.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn simulation_runs(
            &self,
            id: SimulationId,
            cell: u32,
        ) -> Result<Vec<JournalledRun>, StorageError> {
            let rows: Vec<SimulationRunRow> = sqlx::query_as(sql::SIMULATION_RUNS)
                .bind(id)
                .bind(i64::from(cell))
                .fetch_all(&self.reader)
                .await?;
            rows.into_iter().map(JournalledRun::try_from).collect()
        }

        /// Adds finished runs to the journal, and says how far all is.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn add_simulation_runs(
            &self,
            lease: SimulationLease,
            runs: &[JournalledRun],
            runs_done: u32,
            time_left_s: Option<i64>,
        ) -> Result<bool, StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            let counted = sqlx::query(sql::SIMULATION_PROGRESS)
                .bind(lease.id)
                .bind(lease.worker)
                .bind(i64::from(runs_done))
                .bind(time_left_s)
                .execute(&mut *transaction)
                .await?;
            if counted.rows_affected() == 0 {
                return Ok(false);
            }
            for run in runs {
                sqlx::query(sql::INSERT_SIMULATION_RUN)
                    .bind(lease.id)
                    .bind(i64::from(run.cell))
                    .bind(i64::from(run.run))
                    .bind(&run.played)
                    .execute(&mut *transaction)
                    .await?;
            }
            transaction.commit().await?;
            Ok(true)
        }

        /// Stores the files of a finished cell, or of the grid as cell 0, and prolongs the lease.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn add_simulation_results(
            &self,
            lease: SimulationLease,
            cell: u32,
            files: &[(&str, Vec<u8>)],
            until: Timestamp,
        ) -> Result<bool, StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            let renewed = sqlx::query(sql::RENEW_SIMULATION)
                .bind(lease.id)
                .bind(lease.worker)
                .bind(until.as_unix_seconds())
                .execute(&mut *transaction)
                .await?;
            if renewed.rows_affected() == 0 {
                return Ok(false);
            }
            for (name, content) in files {
                sqlx::query(sql::INSERT_SIMULATION_RESULT)
                    .bind(lease.id)
                    .bind(i64::from(cell))
                    .bind(*name)
                    .bind(content)
                    .execute(&mut *transaction)
                    .await?;
            }
            transaction.commit().await?;
            Ok(true)
        }

        /// Ends a simulation: it failed where there is an error, else it is finished.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn end_simulation(
            &self,
            lease: SimulationLease,
            error: Option<&str>,
            now: Timestamp,
        ) -> Result<bool, StorageError> {
            let state = match error {
                None => SimulationState::Finished,
                Some(_) => SimulationState::Failed,
            };
            let mut transaction = self.begin_beside_the_book().await?;
            let ended = sqlx::query(sql::END_SIMULATION)
                .bind(lease.id)
                .bind(lease.worker)
                .bind(state.word())
                .bind(error)
                .bind(now.as_unix_seconds())
                .execute(&mut *transaction)
                .await?;
            if ended.rows_affected() == 0 {
                return Ok(false);
            }
            sqlx::query(sql::DELETE_SIMULATION_RUNS)
                .bind(lease.id)
                .execute(&mut *transaction)
                .await?;
            Self::record_simulation(&mut transaction, lease.id, state, now).await?;
            transaction.commit().await?;
            Ok(true)
        }

        /// Gives a simulation back before it is finished; its journal stays.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn release_simulation(
            &self,
            lease: SimulationLease,
        ) -> Result<bool, StorageError> {
            let released = sqlx::query(sql::RELEASE_SIMULATION)
                .bind(lease.id)
                .bind(lease.worker)
                .execute(&self.writer)
                .await?;
            Ok(released.rows_affected() == 1)
        }
    }

    /// Parts of transactions.
    impl Simulations {
        /// Tells of a state that a simulation reached, inside a caller's transaction.
        async fn record_simulation(
            connection: &mut Connection<Engine>,
            id: SimulationId,
            state: SimulationState,
            now: Timestamp,
        ) -> Result<(), StorageError> {
            let owner: String = sqlx::query_scalar(sql::SIMULATION_OWNER)
                .bind(id)
                .fetch_one(&mut *connection)
                .await?;
            let event = simulation_reached(id, &owner, state);
            Events::<Engine>::record_beside(connection, &[event], now).await
        }
    }
);
