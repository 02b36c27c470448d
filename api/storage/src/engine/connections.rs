//! The connections of one database, and the transactions that begin on them.

use std::sync::{Arc, Mutex, PoisonError};

use sqlx::Pool;
use sqlx::pool::PoolConnection;

use crate::engine::dialect::Dialect;
use crate::engine::silence::Patience;
use crate::engine::transaction::Transaction;
use crate::engine::turns::Turns;
use crate::engine::waits;
use crate::error::StorageError;

/// The connections of one database.
#[derive(Debug)]
pub(crate) struct Connections<DB: Dialect> {
    /// For transactions that write.
    pub(crate) writer: Pool<DB>,
    /// For everything else.
    pub(crate) reader: Pool<DB>,
    /// One of the reader's, kept to ask how far the database is: the pool tries each connection that
    /// is given back to it, which costs as much as the question.
    pub(crate) asking: Mutex<Option<PoolConnection<DB>>>,
    /// Who of this process writes the book.
    pub(crate) turns: Turns,
    /// How long one waits for the server; `None` where each answer may take its time.
    pub(crate) patience: Option<Arc<Patience>>,
}

impl<DB: Dialect> Connections<DB> {
    /// Takes over open connections.
    pub(crate) fn new(writer: Pool<DB>, reader: Pool<DB>) -> Self {
        let (asking, turns) = (Mutex::new(None), Turns::default());
        Self { writer, reader, asking, turns, patience: None }
    }

    /// These connections, where each answer comes in time or not at all.
    pub(crate) fn with_patience(self, patience: Patience) -> Self {
        Self { patience: Some(Arc::new(patience)), ..self }
    }

    /// A connection for reads of work that may have had another before.
    pub(crate) async fn reading(&self) -> Result<PoolConnection<DB>, StorageError> {
        Ok(waits::for_a_connection(self.reader.acquire()).await?)
    }

    /// The connection kept for questions, if nobody is using it.
    pub(crate) fn kept(&self) -> Option<PoolConnection<DB>> {
        let kept = self.asking.lock().unwrap_or_else(PoisonError::into_inner).take();
        if kept.is_some() {
            waits::has_connection();
        }
        kept
    }

    /// Keeps a connection for the next question.
    pub(crate) fn keep(&self, connection: PoolConnection<DB>) {
        let mut kept = self.asking.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.reader.is_closed() {
            *kept = Some(connection);
        }
    }

    /// Begins a transaction that writes and counts no change, because it writes nothing of the book.
    pub(crate) async fn begin_beside_the_book(&self) -> Result<Transaction<DB>, StorageError> {
        let patience = self.patience.clone();
        Ok(Transaction::begin(&self.writer, DB::BEGIN_WRITE, None, patience).await?)
    }

    /// Begins a transaction whose reads all see one state.
    pub(crate) async fn begin_read(&self) -> Result<Transaction<DB>, StorageError> {
        let patience = self.patience.clone();
        Ok(Transaction::begin(&self.reader, DB::BEGIN_READ, None, patience).await?)
    }

    /// Closes all connections. The writer last: closing it folds the write-ahead log into the file.
    pub(crate) async fn close(&self) {
        let closing = self.reader.close();
        drop(self.kept());
        closing.await;
        self.writer.close().await;
    }
}

/// The connection of an engine.
pub(crate) type Connection<DB> = <DB as sqlx::Database>::Connection;
