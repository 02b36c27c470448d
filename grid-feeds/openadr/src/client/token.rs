//! The token: got by our credentials, kept until shortly before it expires.
//!
//! The secret is read whenever a token is fetched, so that a new one counts without a restart.

use std::time::{Duration, Instant};

use grid_feeds::feed::{FeedError, Secret};
use grid_feeds::http::send;
use planner::time::Timestamp;
use reqwest::Method;
use serde::Deserialize;
use url::Url;

use super::Contact;
use crate::error::VenError;

/// A token that does not say how long it is good for is taken to be so for this long.
const USUAL_LIFE: Duration = Duration::from_hours(1);

/// A token is fetched anew so long before it expires.
const MARGIN: Duration = Duration::from_mins(1);

/// A token and until when it is used.
#[derive(Debug)]
pub(super) struct Token {
    bearer: Secret,
    until: Instant,
}

/// The answer of the token's address.
#[derive(Deserialize)]
struct Granted {
    access_token: String,
    token_type: String,
    expires_in: Option<u64>,
}

/// The answer of `auth/server`.
#[derive(Deserialize)]
struct AuthServer {
    #[serde(rename = "tokenURL")]
    token_url: Url,
}

impl Contact {
    /// The token in use, or a new one.
    pub(crate) async fn token(&self, now: Timestamp) -> Result<Secret, VenError> {
        let mut kept = self.token.lock().await;
        if let Some(token) = kept.as_ref().filter(|token| Instant::now() < token.until) {
            return Ok(token.bearer.clone());
        }
        let token = self.fetch_token(now).await?;
        let bearer = token.bearer.clone();
        *kept = Some(token);
        Ok(bearer)
    }

    /// Does not use a token again, unless another one has taken its place already.
    pub(crate) async fn forget(&self, refused: &Secret) {
        let mut kept = self.token.lock().await;
        if kept.as_ref().is_some_and(|token| token.bearer == *refused) {
            *kept = None;
        }
    }

    async fn fetch_token(&self, now: Timestamp) -> Result<Token, VenError> {
        let refused = |error: FeedError| match error {
            FeedError::Refused { .. } => VenError::Credentials(error),
            error => error.into(),
        };
        let secret = self.settings.client_secret.read().map_err(|error| {
            let message = error.to_string();
            VenError::Credentials(FeedError::Configuration { message })
        })?;
        let url = self.token_url(now).await?;
        let asked = Instant::now();
        let request = self.http.request(Method::POST, url);
        let request = request
            .basic_auth(&self.settings.client_id, Some(secret.expose()))
            .form(&[("grant_type", "client_credentials")]);
        let answer = send(request, Some(&secret), now).await?;
        // What cannot be read may have the token in it, which nobody knows as a secret yet.
        let granted: Granted = serde_json::from_str(answer.success().map_err(refused)?)
            .map_err(|_| VenError::payload("the token", "is no answer with a token"))?;
        if !granted.token_type.eq_ignore_ascii_case("bearer") {
            return Err(VenError::payload("the token", "is no bearer token"));
        }
        let life = granted.expires_in.map_or(USUAL_LIFE, Duration::from_secs);
        let used_for = life.saturating_sub(MARGIN.min(life / 2));
        let until = asked.checked_add(used_for).unwrap_or(asked + USUAL_LIFE);
        Ok(Token { bearer: Secret::granted(&granted.access_token), until })
    }

    /// The URL that gives tokens: of the settings, else as the server says, else `auth/token`.
    async fn token_url(&self, now: Timestamp) -> Result<Url, VenError> {
        if let Some(url) = &self.settings.token_url {
            return Ok(url.clone());
        }
        let answer = send(self.request(Method::GET, "auth/server")?, None, now).await?;
        let told = match answer.success() {
            Ok(text) => serde_json::from_str::<AuthServer>(text)
                .map_err(|error| VenError::payload("auth/server", error))?,
            Err(FeedError::Refused { .. }) => {
                return self.base.join("auth/token").map_err(VenError::configuration);
            }
            Err(error) => return Err(error.into()),
        };
        let told = told.token_url;
        if self.base.scheme() == "https" && told.scheme() != "https" {
            let message = "the server sends our secret to an address without TLS; set token_url";
            return Err(VenError::configuration(message));
        }
        Ok(told)
    }
}
