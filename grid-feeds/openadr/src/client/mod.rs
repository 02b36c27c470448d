//! Requests to the server: authentication, and what answers mean.
//!
//! Tokens, limits of time and size, redaction and `Retry-After` are the same as for all other feeds.

mod token;

use grid_feeds::feed::{Secret, excerpt};
use grid_feeds::http::{Answer, Http, Timeouts, send};
use planner::time::Timestamp;
use reqwest::{Method, RequestBuilder, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::Mutex;
use url::Url;

use crate::error::VenError;
use crate::pages::{PAGE, Pages};
use crate::settings::Settings;

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

    /// Asks for a document, or sends one.
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

    /// All items of a list, page by page.
    pub async fn list(
        &self,
        path: &str,
        query: &[(&str, &str)],
        now: Timestamp,
    ) -> Result<Vec<Value>, VenError> {
        let mut pages = Pages::new();
        let limit = PAGE.to_string();
        while let Some(skip) = pages.next()? {
            let skip = skip.to_string();
            let query = [query, &[("skip", &skip), ("limit", &limit)]].concat();
            let page: Vec<Value> = self.json(Method::GET, path, &query, None::<&()>, now).await?;
            // Items without a name are told apart by what they say.
            pages.add(page, |item| match item.get("id").and_then(Value::as_str) {
                Some(id) => id.to_owned(),
                None => item.to_string(),
            });
        }
        Ok(pages.into_all())
    }

    /// Deletes a document; one that is not there is deleted.
    pub async fn delete(&self, path: &str, now: Timestamp) -> Result<(), VenError> {
        let request = self.request(Method::DELETE, path)?;
        match self.authorized(request, now).await {
            Err(error) if !error.is_not_found() => Err(error),
            _ => Ok(()),
        }
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
