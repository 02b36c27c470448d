//! Refusals: a client that is refused over and over is answered more slowly.
//!
//! A program that asks again at once, whatever `Retry-After` says, would keep the service busy with refusing it. So only
//! so many refusals of a client are answered at once in a second; the others come a second later.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use tokio::time::Instant;

use super::client::Client;

/// So many of a client are answered at once in [`SPAN`].
const AT_ONCE: u32 = 16;
const SPAN: Duration = Duration::from_secs(1);

/// How much later the others are.
const PAUSE: Duration = Duration::from_secs(1);

/// When so many clients are known, those are forgotten whose span is over.
const MOST_KNOWN: usize = 1024;

/// How often clients were refused of late.
#[derive(Debug, Default)]
pub struct Refusals(Mutex<HashMap<Client, Recent>>);

#[derive(Clone, Copy, Debug)]
struct Recent {
    since: Instant,
    count: u32,
}

impl Refusals {
    /// Waits before a client gets this answer, where that is due.
    pub async fn wait(&self, client: Option<&Client>, status: StatusCode) {
        let refused =
            matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
        let Some(client) = client.filter(|_| refused) else { return };
        if self.count(client) > AT_ONCE {
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Counts one more; how many there were in the client's span.
    fn count(&self, client: &Client) -> u32 {
        let now = Instant::now();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_KNOWN {
            known.retain(|_, it| now - it.since < SPAN);
        }
        let recent = known.entry(client.clone()).or_insert(Recent { since: now, count: 0 });
        if now - recent.since >= SPAN {
            *recent = Recent { since: now, count: 0 };
        }
        recent.count += 1;
        recent.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn who_is_refused_over_and_over_is_answered_later() {
        let (refusals, began) = (Refusals::default(), Instant::now());
        let [ada, grace] = ["ada", "grace"].map(|it| Client::User(it.to_owned()));
        let waited = async |client, status| {
            let began = Instant::now();
            refusals.wait(Some(client), status).await;
            began.elapsed()
        };
        for _ in 0..AT_ONCE {
            assert_eq!(waited(&ada, StatusCode::TOO_MANY_REQUESTS).await, Duration::ZERO);
        }
        assert_eq!(waited(&grace, StatusCode::SERVICE_UNAVAILABLE).await, Duration::ZERO);
        assert_eq!(waited(&ada, StatusCode::OK).await, Duration::ZERO, "that is no refusal");
        assert_eq!(waited(&ada, StatusCode::TOO_MANY_REQUESTS).await, PAUSE);
        assert_eq!(began.elapsed(), SPAN);
        assert_eq!(waited(&ada, StatusCode::TOO_MANY_REQUESTS).await, Duration::ZERO, "a new span");
    }

    #[tokio::test(start_paused = true)]
    async fn those_of_long_ago_are_forgotten() {
        let refusals = Refusals::default();
        for each in 0..MOST_KNOWN {
            refusals.count(&Client::User(each.to_string()));
        }
        tokio::time::advance(SPAN).await;
        refusals.count(&Client::Unreadable);
        assert_eq!(refusals.0.lock().unwrap().len(), 1);
    }
}
