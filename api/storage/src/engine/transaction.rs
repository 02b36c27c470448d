//! Transactions that anybody may abandon at any await.
//!
//! Whoever asks may go away: a request is dropped when its client disconnects. sqlx counts how deep
//! a connection is in transactions, but only once `BEGIN` was answered, and lowers the count only
//! where `ROLLBACK` succeeds; a connection whose count is wrong goes back to the pool inside of a
//! transaction, or refuses every other one. So nothing is counted here. The connection is held until
//! the engine has answered `COMMIT` or `ROLLBACK`, which a task of its own sends where the caller
//! did not, and is closed where the engine does not say that it is over.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use sqlx::Pool;
use sqlx::pool::PoolConnection;

use crate::engine::dialect::Dialect;
use crate::engine::silence::{Patience, unless_silent};
use crate::engine::turns::Turn;
use crate::engine::waits;
use crate::error::StorageError;

/// How long an abandoned transaction may take to be rolled back: what was under way ends first.
const ROLLED_BACK_WITHIN: Duration = Duration::from_secs(15);

/// A transaction; dropping it takes it back.
#[derive(Debug)]
pub(crate) struct Transaction<DB: Dialect> {
    /// `None` once it is over.
    held: Option<HeldConnection<DB>>,
    /// The turn among this process's writers, until it is over.
    turn: Option<Turn>,
}

impl<DB: Dialect> Transaction<DB> {
    /// Begins a transaction by a statement of the dialect. Who goes away leaves the queue for a
    /// connection: what is abandoned faster than it is done would else keep all others from one.
    pub(crate) async fn begin(
        pool: &Pool<DB>,
        statement: &'static str,
        turn: Option<Turn>,
        patience: Option<Arc<Patience>>,
    ) -> Result<Self, sqlx::Error> {
        let connection = waits::for_a_connection(pool.acquire()).await?;
        let held = HeldConnection { connection, over: false, patience };
        // From here on it is taken back, whatever becomes of the caller and of `BEGIN`.
        let mut transaction = Self { held: Some(held), turn };
        DB::run(&mut transaction, statement).await?;
        Ok(transaction)
    }

    /// Makes everything permanent.
    pub(crate) async fn commit(mut self) -> Result<(), sqlx::Error> {
        DB::run(&mut self, DB::COMMIT).await?;
        if let Some(mut held) = self.held.take() {
            held.over = true;
        }
        Ok(())
    }
}

impl<DB: Dialect> Deref for Transaction<DB> {
    type Target = DB::Connection;

    fn deref(&self) -> &Self::Target {
        &self.held.as_ref().expect("over only when it is dropped").connection
    }
}

impl<DB: Dialect> DerefMut for Transaction<DB> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.held.as_mut().expect("over only when it is dropped").connection
    }
}

impl<DB: Dialect> Drop for Transaction<DB> {
    fn drop(&mut self) {
        let turn = self.turn.take();
        if let Some(held) = self.held.take() {
            if waits::is_given_up() {
                // Nobody would answer: it is closed.
                return;
            }
            tokio::spawn(async move {
                held.roll_back().await;
                drop(turn);
            });
        }
    }
}

/// The connection of a transaction. Unless that is over, dropping it closes the connection.
#[derive(Debug)]
struct HeldConnection<DB: Dialect> {
    connection: PoolConnection<DB>,
    over: bool,
    /// How long one waits for the server while it is rolled back.
    patience: Option<Arc<Patience>>,
}

impl<DB: Dialect> HeldConnection<DB> {
    async fn roll_back(mut self) {
        let rolled_back = DB::run(&mut self.connection, "ROLLBACK");
        let rolled_back = async {
            waits::has_connection();
            rolled_back.await.map_err(StorageError::from)
        };
        let rolled_back = unless_silent(self.patience.as_deref(), Box::pin(rolled_back));
        let answer = tokio::time::timeout(ROLLED_BACK_WITHIN, rolled_back).await;
        self.over = matches!(answer, Ok(Ok(())));
    }
}

impl<DB: Dialect> Drop for HeldConnection<DB> {
    fn drop(&mut self) {
        if !self.over {
            self.connection.close_on_drop();
        }
    }
}

#[cfg(test)]
mod tests {
    use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};
    use sqlx::{Executor, PgPool, Postgres, Sqlite};

    use super::*;
    use crate::engine::opening::postgres_pool;
    use crate::left_out::postgres_server;

    async fn sqlite(folder: &tempfile::TempDir) -> Pool<Sqlite> {
        let options = SqliteConnectOptions::new().filename(folder.path().join("test.db"));
        let pool = SqlitePoolOptions::new().max_connections(1);
        let pool = pool.connect_with(options.create_if_missing(true)).await.unwrap();
        pool.execute("CREATE TABLE t (a INTEGER)").await.unwrap();
        pool
    }

    /// The service's connections; `None` where there is no server.
    fn postgres(test: &str) -> Option<PgPool> {
        Some(postgres_pool(postgres_server(test)?.parse().unwrap()))
    }

    /// What SQLite does where the disk is full.
    #[tokio::test]
    async fn a_transaction_that_the_engine_took_back_does_not_spoil_the_connection() {
        let folder = tempfile::tempdir().unwrap();
        let pool = sqlite(&folder).await;
        for _ in 0..3 {
            let mut transaction =
                Transaction::begin(&pool, Sqlite::BEGIN_WRITE, None, None).await.unwrap();
            transaction.execute("INSERT INTO t VALUES (1)").await.unwrap();
            transaction.execute("ROLLBACK").await.unwrap();
            drop(transaction);
        }
        let mut transaction =
            Transaction::begin(&pool, Sqlite::BEGIN_WRITE, None, None).await.unwrap();
        transaction.execute("INSERT INTO t VALUES (2)").await.unwrap();
        transaction.commit().await.unwrap();
        let kept: Vec<i64> = sqlx::query_scalar("SELECT a FROM t").fetch_all(&pool).await.unwrap();
        assert_eq!(kept, [2]);
    }

    #[tokio::test]
    async fn a_transaction_that_is_dropped_is_taken_back_before_the_next_begins() {
        let folder = tempfile::tempdir().unwrap();
        let pool = sqlite(&folder).await;
        for _ in 0..20 {
            let mut transaction =
                Transaction::begin(&pool, Sqlite::BEGIN_WRITE, None, None).await.unwrap();
            transaction.execute("INSERT INTO t VALUES (1)").await.unwrap();
        }
        let kept: i64 =
            sqlx::query_scalar("SELECT COUNT(*) FROM t").fetch_one(&pool).await.unwrap();
        assert_eq!(kept, 0);
    }

    #[tokio::test]
    async fn a_transaction_in_which_a_statement_failed_does_not_commit() {
        let Some(pool) = postgres("a_transaction_in_which_a_statement_failed_does_not_commit")
        else {
            return;
        };
        let begin = Transaction::begin(&pool, Postgres::BEGIN_WRITE, None, None);
        let mut transaction = begin.await.unwrap();
        transaction.execute("SELECT 1 / 0").await.unwrap_err();
        transaction.commit().await.unwrap_err();
        Transaction::begin(&pool, Postgres::BEGIN_READ, None, None)
            .await
            .unwrap()
            .commit()
            .await
            .unwrap();
    }

    #[tokio::test]
    async fn a_connection_inside_of_a_transaction_is_not_used_again() {
        let Some(pool) = postgres("a_connection_inside_of_a_transaction_is_not_used_again") else {
            return;
        };
        let pid = "SELECT pg_backend_pid()";
        for left_open in ["BEGIN", "BEGIN; SELECT 1 / 0"] {
            let mut connection = pool.acquire().await.unwrap();
            let before: i32 = sqlx::query_scalar(pid).fetch_one(&mut *connection).await.unwrap();
            let _ = connection.execute(left_open).await;
            connection.return_to_pool().await;
            let after: i32 = sqlx::query_scalar(pid).fetch_one(&pool).await.unwrap();
            assert_ne!(before, after, "after {left_open}");
        }
    }
}
