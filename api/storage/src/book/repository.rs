//! The book's version and counts, and the transactions that count.

use sqlx::{Postgres, Sqlite};

use super::sql;
use crate::book::Marks;
use crate::engine::connections::{Connection, Repository};
use crate::engine::dialect::Dialect;
use crate::engine::opening::ANSWER_WITHIN;
use crate::engine::transaction::Transaction;
use crate::engine::turns::Turn;
use crate::error::StorageError;

macro_rules! book {
    ($engine:ident) => {
        impl Repository<$engine> {
            pub(crate) async fn version(&self) -> Result<i64, StorageError> {
                Ok(sqlx::query_scalar(sql::VERSION).fetch_one(&self.reader).await?)
            }

            pub(crate) async fn version_inside(
                connection: &mut Connection<$engine>,
            ) -> Result<i64, StorageError> {
                Ok(sqlx::query_scalar(sql::VERSION).fetch_one(connection).await?)
            }

            pub(crate) async fn bump_version(
                connection: &mut Connection<$engine>,
            ) -> Result<(), StorageError> {
                sqlx::query(sql::BUMP_VERSION).execute(connection).await?;
                Ok(())
            }

            /// Begins a transaction that waits for other writers, and counts it; dropping it
            /// takes it back.
            pub(crate) async fn begin_write(&self) -> Result<Transaction<$engine>, StorageError> {
                let turn = self.turns.wait().await?;
                let begun = self.begin_counted(turn).await;
                if let Err(StorageError::Busy(_)) = &begun {
                    self.turns.waited_in_vain();
                    return Err(StorageError::BookHeld);
                }
                begun
            }

            async fn begin_counted(
                &self,
                turn: Turn,
            ) -> Result<Transaction<$engine>, StorageError> {
                let begin = Transaction::begin(&self.writer, <$engine>::BEGIN_WRITE, Some(turn));
                let mut transaction = begin.await?;
                sqlx::query(sql::COUNT_CHANGE).execute(&mut *transaction).await?;
                Ok(transaction)
            }

            pub(crate) async fn marks(&self) -> Result<Marks, StorageError> {
                // The first question of nearly every request: who waits for a server that is gone is
                // told so.
                let silent = |_| StorageError::Silent { within: ANSWER_WITHIN };
                let marks = tokio::time::timeout(ANSWER_WITHIN, self.ask_for_marks());
                marks.await.map_err(silent)?
            }

            async fn ask_for_marks(&self) -> Result<Marks, StorageError> {
                if let Some(mut connection) = self.kept()
                    && let Ok(marks) = sqlx::query_as(sql::MARKS).fetch_one(&mut *connection).await
                {
                    self.keep(connection);
                    return Ok(marks);
                }
                // The first question, or the kept connection broke.
                let mut connection = self.reader.acquire().await?;
                let marks = sqlx::query_as(sql::MARKS).fetch_one(&mut *connection).await?;
                self.keep(connection);
                Ok(marks)
            }
        }
    };
}

book!(Sqlite);
book!(Postgres);
