//! Tokens of the API that are used: when each was last.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use planner::time::{Seconds, Timestamp};
use storage::TokenId;

use super::shared::Shared;
use crate::clock::Clock;

/// The use of a token is noted no more often by a process.
const NOTED_EVERY: Seconds = Seconds::new(300);

/// Notes when tokens are used.
pub struct TokenService {
    shared: Arc<Shared>,
    /// When this process noted the use of each last.
    noted: Mutex<HashMap<TokenId, Timestamp>>,
}

impl TokenService {
    /// On what all services share. Nothing was noted yet.
    pub fn new(shared: Arc<Shared>) -> Self {
        Self { shared, noted: Mutex::default() }
    }

    /// Notes that a token is used now, by the machine's clock as it is believed; nobody waits for that.
    pub fn note_use(self: &Arc<Self>, id: TokenId) {
        let now = Clock::default().guarded().now();
        if !self.is_due(id, now) {
            return;
        }
        let service = Arc::clone(self);
        tokio::spawn(async move {
            if let Err(error) = service.shared.database.note_token_use(id, now).await {
                let error = format!("{:#}", anyhow::Error::new(error));
                tracing::debug!(%id, error, "it was not noted that a token was used");
            }
        });
    }

    fn is_due(&self, id: TokenId, now: Timestamp) -> bool {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = noted.get(&id).is_none_or(|at| now - *at >= NOTED_EVERY);
        if is_due {
            noted.insert(id, now);
        }
        is_due
    }
}
