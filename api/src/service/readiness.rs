//! Whether bookings can be written: tried, not assumed.

use std::sync::Arc;
use std::time::Duration;

use storage::StorageError;
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::{Service, ServiceError};

/// An answer holds for so long: however often it is asked for, the database writes no more often.
const HOLDS_FOR: Duration = Duration::from_secs(2);

/// What trying to write came to.
type Tried = Result<(), Arc<StorageError>>;

/// What the last trial said, and when.
#[derive(Default)]
pub(super) struct Readiness {
    last: Mutex<Option<(Instant, Tried)>>,
}

impl Service {
    /// Whether the database can be written, by writing to it unless that was tried just before.
    ///
    /// # Errors
    /// It cannot, and why.
    pub async fn ready(&self) -> Result<(), ServiceError> {
        let mut last = self.readiness.last.lock().await;
        let answer = match &*last {
            Some((at, answer)) if at.elapsed() < HOLDS_FOR => answer.clone(),
            _ => {
                let answer = self.database.try_write(self.now()).await.map_err(Arc::new);
                *last = Some((Instant::now(), answer.clone()));
                answer
            }
        };
        answer.map_err(ServiceError::Unavailable)
    }
}
