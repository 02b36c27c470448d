//! The book's version and counts, and the transactions that count.

use super::sql;
use crate::book::Marks;
use crate::database::repository;
use crate::engine::connections::{Connection, Connections};
use crate::engine::dialect::Dialect;
use crate::engine::opening::ANSWER_WITHIN;
use crate::engine::transaction::Transaction;
use crate::engine::turns::Turn;
use crate::error::StorageError;

repository!(
    /// How far the database is.
    impl Database for BookRow {
        /// How far the database is: whether anything changed since.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn marks(&self) -> Result<Marks, StorageError> {
            // The first question of nearly every request: who waits for a server that is gone is
            // told so.
            let silent = |_| StorageError::Silent { within: ANSWER_WITHIN };
            let marks = tokio::time::timeout(ANSWER_WITHIN, self.ask_for_marks());
            marks.await.map_err(silent)?
        }
    }

    /// Parts of transactions.
    impl BookRow {
        /// What grows with everything that can make a plan made earlier wrong.
        pub(crate) async fn version(
            connection: &mut Connection<Engine>,
        ) -> Result<i64, StorageError> {
            Ok(sqlx::query_scalar(sql::VERSION).fetch_one(connection).await?)
        }

        pub(crate) async fn bump_version(
            connection: &mut Connection<Engine>,
        ) -> Result<(), StorageError> {
            sqlx::query(sql::BUMP_VERSION).execute(connection).await?;
            Ok(())
        }

        /// Begins a transaction that waits for other writers, and counts it; dropping it
        /// takes it back.
        pub(crate) async fn begin_write(
            connections: &Connections<Engine>,
        ) -> Result<Transaction<Engine>, StorageError> {
            let turn = connections.turns.wait().await?;
            let begun = Self::begin_counted(connections, turn).await;
            if let Err(StorageError::Busy(_)) = &begun {
                connections.turns.waited_in_vain();
                return Err(StorageError::BookHeld);
            }
            begun
        }

        async fn begin_counted(
            connections: &Connections<Engine>,
            turn: Turn,
        ) -> Result<Transaction<Engine>, StorageError> {
            let (writer, patience) = (&connections.writer, connections.patience.clone());
            let begin = Transaction::begin(writer, Engine::BEGIN_WRITE, Some(turn), patience);
            let mut transaction = begin.await?;
            sqlx::query(sql::COUNT_CHANGE).execute(&mut *transaction).await?;
            Ok(transaction)
        }

        async fn ask_for_marks(&self) -> Result<Marks, StorageError> {
            if let Some(mut connection) = self.kept()
                && let Ok(marks) = sqlx::query_as(sql::MARKS).fetch_one(&mut *connection).await
            {
                self.keep(connection);
                return Ok(marks);
            }
            // The first question, or the kept connection broke.
            let mut connection = self.reading().await?;
            let marks = sqlx::query_as(sql::MARKS).fetch_one(&mut *connection).await?;
            self.keep(connection);
            Ok(marks)
        }
    }
);
