//! Who of this process writes the book, one after another.
//!
//! The engine lets writers go one after another anyway. Here they wait without a connection, so that
//! however many there are the others have connections, and in the engine each process has one
//! who waits. Where that one waited in vain, because a process that froze or is far away holds the book,
//! those behind it are refused at once for a moment, instead of each waiting as long again.

use std::sync::{Arc, Mutex as SyncMutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::Instant;

use crate::engine::waits::elsewhere;
use crate::error::StorageError;

/// How long all are refused after one waited in vain.
const REFUSED_FOR: Duration = Duration::from_secs(1);

/// The turn; dropping it gives it to the next.
pub(crate) type Turn = OwnedMutexGuard<()>;

/// The turns of one process.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    turn: Arc<Mutex<()>>,
    in_vain: SyncMutex<Option<Instant>>,
}

impl Turns {
    /// Waits for the turn.
    ///
    /// # Errors
    /// [`StorageError::BookHeld`] where somebody waited in vain for another process just before.
    pub(crate) async fn wait(&self) -> Result<Turn, StorageError> {
        self.expect_hope()?;
        let turn = elsewhere(Arc::clone(&self.turn).lock_owned()).await;
        self.expect_hope()?;
        Ok(turn)
    }

    /// Notes that whoever has the turn waited in vain for another process.
    pub(crate) fn waited_in_vain(&self) {
        *self.in_vain.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn expect_hope(&self) -> Result<(), StorageError> {
        let in_vain = *self.in_vain.lock().unwrap_or_else(PoisonError::into_inner);
        match in_vain {
            Some(at) if at.elapsed() < REFUSED_FOR => Err(StorageError::BookHeld),
            _ => Ok(()),
        }
    }
}
