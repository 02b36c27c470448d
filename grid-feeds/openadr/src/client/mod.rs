//! Requests to the server: authentication, and what answers mean.
//!
//! Requests are those of `openleadr-client`, which is handed what sends them ([`Call`]): so tokens,
//! limits of time and size, redaction and `Retry-After` are the same as for all other feeds.

mod call;
mod token;

use grid_feeds::feed::{FeedError, Secret};
use grid_feeds::http::{Answer, Http, Timeouts, excerpt, send};
use openleadr_client::{Client, VirtualEndNode};
use planner::time::Timestamp;
use reqwest::{Method, RequestBuilder, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::Mutex;
use url::Url;

use crate::error::VenError;
use crate::settings::Settings;

pub(crate) use call::Calls;
use token::Token;

/// A server with the token that it gave us.
#[derive(Debug)]
pub(crate) struct Contact {
    pub settings: Settings,
    pub base: Url,
    pub http: Http,
    token: Mutex<Option<Token>>,
}

impl Contact {
    /// Nothing is asked yet.
    pub fn new(settings: Settings, timeouts: Timeouts) -> Result<Self, VenError> {
        settings.check().map_err(VenError::configuration)?;
        let (base, http) = (settings.base(), Http::new(timeouts)?);
        Ok(Self { settings, base, http, token: Mutex::new(None) })
    }

    /// A document below the base.
    pub fn request(&self, method: Method, path: &str) -> Result<RequestBuilder, VenError> {
        let url = self.base.join(path).map_err(VenError::configuration)?;
        Ok(self.http.request(method, url))
    }

    /// Sends a request with our token. A token that is refused is fetched anew, once.
    pub async fn authorized(
        &self,
        request: RequestBuilder,
        now: Timestamp,
    ) -> Result<Answer, VenError> {
        let again = request.try_clone();
        let token = self.token(now).await?;
        let answer = self.sent(request, &token, now).await?;
        let unauthorized = StatusCode::UNAUTHORIZED.as_u16();
        let Some(again) = again.filter(|_| answer.status == unauthorized) else {
            return checked(answer);
        };
        self.forget(&token).await;
        let token = self.token(now).await?;
        let answer = self.sent(again, &token, now).await?;
        if answer.status == unauthorized {
            self.forget(&token).await;
            return Err(VenError::StaleToken);
        }
        checked(answer)
    }

    async fn sent(
        &self,
        request: RequestBuilder,
        token: &Secret,
        now: Timestamp,
    ) -> Result<Answer, VenError> {
        Ok(send(request.bearer_auth(token.expose()), Some(token), now).await?)
    }

    /// A request of ours that the client library does not have.
    pub async fn json<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        query: &[(&str, &str)],
        body: Option<&(impl Serialize + Sync)>,
        now: Timestamp,
    ) -> Result<T, VenError> {
        let mut request = self.request(method, path)?.query(query);
        if let Some(body) = body {
            request = request.json(body);
        }
        let answer = self.authorized(request, now).await?;
        serde_json::from_str(&answer.text).map_err(|error| VenError::payload(path, error))
    }

    /// The client library over this contact.
    pub fn client(self: &std::sync::Arc<Self>, now: Timestamp) -> Calls {
        Calls::new(self, now)
    }
}

/// A success, or why it is none.
pub(crate) fn checked(answer: Answer) -> Result<Answer, VenError> {
    if answer.status == StatusCode::CONFLICT.as_u16() {
        return Err(VenError::Conflict { message: excerpt(&answer.text) });
    }
    match answer.success() {
        Ok(_) => Ok(answer),
        Err(error) => Err(error.into()),
    }
}

/// A library client that does not authenticate: what sends its requests does.
fn library(base: Url, call: Box<call::Call>) -> Client<VirtualEndNode> {
    Client::with_http_client(base.clone(), base, call, None)
}

/// What the library could not read, in our words.
fn misread(error: &openleadr_client::Error) -> VenError {
    let mut words = error.to_string();
    let mut source = std::error::Error::source(error);
    if let openleadr_client::Error::Reqwest(error) = error {
        source = std::error::Error::source(error);
    }
    while let Some(cause) = source {
        words = format!("{words}: {cause}");
        source = cause.source();
    }
    VenError::Contact(FeedError::Payload {
        place: "the server's answer".to_owned(),
        message: excerpt(&words),
    })
}
