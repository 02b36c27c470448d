//! Whether bookings can be written: tried, not assumed.

use std::sync::Arc;
use std::time::Duration;

use storage::StorageError;
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::shared::Shared;

/// An answer holds for so long: however often it is asked for, the database writes no more often.
const HOLDS_FOR: Duration = Duration::from_secs(2);

/// Tries whether the database can be written.
pub struct ReadinessService {
    shared: Arc<Shared>,
    /// What the last trial said, and when.
    last: Mutex<Option<(Instant, Result<(), NotReady>)>>,
}

/// Bookings cannot be written.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}; try again in a moment")]
pub struct NotReady(#[source] Arc<StorageError>);

impl ReadinessService {
    /// On what all services share.
    pub fn new(shared: Arc<Shared>) -> Self {
        Self { shared, last: Mutex::default() }
    }

    /// Whether the database can be written, by writing to it unless that was tried just before.
    ///
    /// # Errors
    /// [`NotReady`] where it cannot, with the reason.
    pub async fn ready(&self) -> Result<(), NotReady> {
        let mut last = self.last.lock().await;
        match &*last {
            Some((at, answer)) if at.elapsed() < HOLDS_FOR => answer.clone(),
            _ => {
                let tried = self.shared.database.try_write(self.shared.now()).await;
                let answer = tried.map_err(|error| NotReady(Arc::new(error)));
                *last = Some((Instant::now(), answer.clone()));
                answer
            }
        }
    }
}
