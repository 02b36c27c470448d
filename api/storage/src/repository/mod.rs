//! The one implementation, instantiated for each engine.
//!
//! Every file holds a macro with the bodies of one aggregate and calls it twice: bounds that would
//! make them generic over `sqlx::Database` outweigh the bodies. Functions that take a `connection`
//! are parts of a caller's transaction; the others are whole transactions.

mod access;
mod agendas;
mod book;
mod changes;
mod events;
mod feeds;
mod grants;
mod lifecycle;
mod negotiations;
mod nodes;
mod notices;
mod outages;
mod outlooks;
mod proposals;
mod provenance;
mod replacements;
mod reservations;
mod simulations;
mod upkeep;
mod webhooks;

use std::sync::{Mutex, PoisonError};

use sqlx::pool::PoolConnection;
use sqlx::{Pool, Postgres, Sqlite};

use crate::dialect::Dialect;
use crate::error::StorageError;
use crate::sql;
use crate::transaction::Transaction;
use crate::turns::{Turn, Turns};

/// The connections of one database.
#[derive(Debug)]
pub(crate) struct Repository<DB: sqlx::Database> {
    /// For transactions that write.
    pub(crate) writer: Pool<DB>,
    /// For everything else.
    pub(crate) reader: Pool<DB>,
    /// One of the reader's, kept to ask how far the database is: the pool tries each connection that
    /// is given back to it, which costs as much as the question.
    pub(crate) asking: Mutex<Option<PoolConnection<DB>>>,
    /// Who of this process writes the book.
    pub(crate) turns: Turns,
}

impl<DB: sqlx::Database> Repository<DB> {
    /// A repository on open connections.
    pub(crate) fn new(writer: Pool<DB>, reader: Pool<DB>) -> Self {
        Self { writer, reader, asking: Mutex::new(None), turns: Turns::default() }
    }

    /// The connection kept for questions, if nobody is using it.
    pub(crate) fn kept(&self) -> Option<PoolConnection<DB>> {
        self.asking.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Keeps a connection for the next question.
    pub(crate) fn keep(&self, connection: PoolConnection<DB>) {
        let mut kept = self.asking.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.reader.is_closed() {
            *kept = Some(connection);
        }
    }
}

/// The connection of an engine.
pub(crate) type Connection<DB> = <DB as sqlx::Database>::Connection;

macro_rules! transactions {
    ($engine:ident) => {
        impl Repository<$engine> {
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
                sqlx::query(sql::book::COUNT_CHANGE).execute(&mut *transaction).await?;
                Ok(transaction)
            }

            /// Begins a transaction that writes and counts no change, because it writes nothing of
            /// the book.
            pub(crate) async fn begin_beside_the_book(
                &self,
            ) -> Result<Transaction<$engine>, StorageError> {
                Ok(Transaction::begin(&self.writer, <$engine>::BEGIN_WRITE, None).await?)
            }

            /// Begins a transaction whose reads all see one state.
            pub(crate) async fn begin_read(&self) -> Result<Transaction<$engine>, StorageError> {
                Ok(Transaction::begin(&self.reader, <$engine>::BEGIN_READ, None).await?)
            }

            pub(crate) async fn close(&self) {
                // The writer last: closing it folds the write-ahead log into the file.
                let closing = self.reader.close();
                drop(self.kept());
                closing.await;
                self.writer.close().await;
            }
        }
    };
}

transactions!(Sqlite);
transactions!(Postgres);
