//! Tokens of the API: when each was used last, and how they are listed, made, renewed and revoked.

mod error;
mod make;
mod maker;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use planner::time::{Seconds, Timestamp};
use storage::{ApiToken, TokenId};

use super::shared::{Shared, cut_page};
use crate::clock::Clock;

pub use error::TokenError;
pub use make::{LONGEST_LENGTH, LONGEST_OVERLAP, NewToken, SecretToken, USUAL_OVERLAP};
pub use maker::{SHORTEST_LENGTH, TokenMaker};

/// The use of a token is noted no more often by a process.
const NOTED_EVERY: Seconds = Seconds::new(300);

/// Which tokens are listed.
#[derive(Clone, Debug, Default)]
pub struct TokenFilter {
    /// Of this owner; of everybody unless given.
    pub owner: Option<String>,
    /// Those that count no more, too.
    pub ended: bool,
}

/// Keeps tokens, and notes when they are used.
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

    /// Tokens that the caller may see, oldest first, after a cursor: their own, or everybody's; the next cursor where there are
    /// more than `limit`.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn tokens(
        &self,
        maker: TokenMaker<'_>,
        filter: &TokenFilter,
        after: Option<TokenId>,
        limit: u16,
    ) -> Result<(Vec<ApiToken>, Option<TokenId>), TokenError> {
        let now = Clock::default().guarded().now();
        let mut all = self.shared.database.list_tokens().await?;
        all.retain(|token| {
            maker.sees(&token.owner)
                && filter.owner.as_ref().is_none_or(|owner| *owner == token.owner)
                && (filter.ended || token.counts_at(now))
                && after.is_none_or(|after| token.id > after)
        });
        all.sort_unstable_by_key(|token| token.id);
        let next = cut_page(&mut all, limit, |token| token.id);
        Ok((all, next))
    }

    /// Makes a token of the caller's, or of everybody's where they may, invalid from now on; one that was revoked before stays so.
    /// The token as it was and is.
    ///
    /// # Errors
    /// `NoToken`.
    pub async fn revoke(
        &self,
        maker: TokenMaker<'_>,
        id: TokenId,
    ) -> Result<(ApiToken, ApiToken), TokenError> {
        let now = Clock::default().guarded().now();
        let all = self.shared.database.list_tokens().await?;
        let before = found(&all, maker, id)?;
        self.shared.database.revoke_token(id, now).await?;
        let after = ApiToken { revoked: before.revoked.or(Some(now)), ..before.clone() };
        Ok((before.clone(), after))
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

/// A token that the caller may see, whether it counts or not.
fn found<'a>(
    all: &'a [ApiToken],
    maker: TokenMaker<'_>,
    id: TokenId,
) -> Result<&'a ApiToken, TokenError> {
    let found = all.iter().find(|token| token.id == id && maker.sees(&token.owner));
    found.ok_or(TokenError::NoToken(id))
}
