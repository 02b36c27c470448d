//! Requests to one controller by Redfish, and who asks.

use grid_feeds::feed::{FeedError, Secret};
use grid_feeds::http::{Http, ask, received, send};
use planner::time::Timestamp;
use reqwest::Method;
use reqwest::header::{ACCEPT, HeaderValue};
use serde_json::{Value, json};

use crate::access::Access;

/// The header in which sessions are shown (DSP0266, 13.3.4).
const TOKEN: &str = "X-Auth-Token";

/// A controller that is asked.
pub struct Session<'a> {
    /// By which it is asked.
    pub http: &'a Http,
    /// Its address, without a slash at the end.
    pub base: String,
    /// Who asks.
    pub access: &'a Access,
    /// Whether a session is opened instead of showing the password each time.
    pub opens: bool,
    /// The instant now.
    pub now: Timestamp,
    /// The token of the session, once it is open.
    pub token: Option<Secret>,
}

impl Session<'_> {
    /// A resource at a path of the controller's own.
    ///
    /// # Errors
    /// No answer, a refusal, or one that is no JSON.
    pub async fn get(&mut self, path: &str) -> Result<Value, FeedError> {
        if !path.starts_with('/') || path.starts_with("//") {
            return Err(payload(path, "is no path of a resource"));
        }
        let was_open = self.token.is_some();
        match self.get_once(path).await {
            // Sessions end by themselves.
            Err(FeedError::Refused { status: 401, .. }) if self.opens && was_open => {
                self.token = None;
                self.get_once(path).await
            }
            answer => answer,
        }
    }

    async fn get_once(&mut self, path: &str) -> Result<Value, FeedError> {
        if self.opens && self.token.is_none() {
            self.token = Some(self.open().await?);
        }
        let request = self.http.request(Method::GET, format!("{}{path}", self.base));
        let request = request.header(ACCEPT, "application/json");
        let (request, secret) = if let Some(token) = &self.token {
            (request.header(TOKEN, sensitive(token)?), Some(token.clone()))
        } else {
            let secret = self.access.secret()?;
            (self.access.shown(request, secret.as_ref()), secret)
        };
        let answer = send(request, secret.as_ref(), self.now).await?;
        let text = answer.success()?;
        serde_json::from_str(text).map_err(|error| payload(path, &error.to_string()))
    }

    /// Opens a session; its token.
    async fn open(&self) -> Result<Secret, FeedError> {
        let Access::Basic { user, .. } = self.access else {
            let message = "a session is opened with a user and a password".to_owned();
            return Err(FeedError::Configuration { message });
        };
        let Some(password) = self.access.secret()? else { return Err(no_token()) };
        let url = format!("{}/redfish/v1/SessionService/Sessions", self.base);
        let body = json!({"UserName": user, "Password": password.expose()});
        let request = self.http.request(Method::POST, url).json(&body);
        let response = ask(request, Some(&password)).await?;
        let token = response.headers().get(TOKEN).and_then(|it| it.to_str().ok());
        let token = token.map(Secret::granted);
        received(response, Some(&password), self.now).await?.success()?;
        token.ok_or_else(no_token)
    }
}

fn sensitive(token: &Secret) -> Result<HeaderValue, FeedError> {
    let mut value = HeaderValue::from_str(token.expose()).map_err(|_| no_token())?;
    value.set_sensitive(true);
    Ok(value)
}

fn no_token() -> FeedError {
    payload("the new session", "has no X-Auth-Token")
}

/// An answer that is not what it ought to be.
pub fn payload(place: &str, message: &str) -> FeedError {
    FeedError::Payload { place: place.to_owned(), message: message.to_owned() }
}
