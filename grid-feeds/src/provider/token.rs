//! A token that a supplier grants for a while: kept until it expires or is refused.

use std::sync::{Mutex, PoisonError};

use planner::time::Timestamp;
use serde::de::DeserializeOwned;

use super::json;
use crate::feed::{FeedError, Secret};
use crate::http::Answer;

/// The token that was granted last, and when it expires.
#[derive(Debug, Default)]
pub struct TokenCache(Mutex<Option<(Secret, Timestamp)>>);

impl TokenCache {
    /// The token that is kept; where none holds at `now`, the one that is `granted`, until it expires.
    pub async fn token(
        &self,
        now: Timestamp,
        granted: impl Future<Output = Result<(Secret, Timestamp), FeedError>>,
    ) -> Result<Secret, FeedError> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((token, _)) = kept.filter(|&(_, expires)| now < expires) {
            return Ok(token);
        }
        let (token, expires) = granted.await?;
        self.keep(Some((token.clone(), expires)));
        Ok(token)
    }

    /// The text of a success. A token that is refused is forgotten: the next attempt asks for another.
    pub fn success<'a>(&self, answer: &'a Answer) -> Result<&'a str, FeedError> {
        if answer.status == 401 {
            self.keep(None);
            return Err(answer.transient());
        }
        answer.success()
    }

    fn keep(&self, token: Option<(Secret, Timestamp)>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = token;
    }
}

/// Reads the answer of `place` that grants a token. What cannot be read may have the token in it, which
/// nobody knows as a secret yet, so the error does not repeat it.
pub fn granted<T: DeserializeOwned>(answer: &Answer, place: &str) -> Result<T, FeedError> {
    json(answer.success()?).map_err(|_| FeedError::payload(place, "is no answer with a token"))
}
