//! Requests to one controller by Redfish, and who asks.

use grid_feeds::feed::{FeedError, Secret};
use grid_feeds::http::{Answer, Http, ask, received, send};
use planner::time::Timestamp;
use reqwest::header::{ACCEPT, HeaderValue, IF_MATCH};
use reqwest::{Method, RequestBuilder};
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

/// A resource as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    /// Its document.
    pub document: Value,
    /// Its entity tag, by which a change says what it is a change of; `None` where the controller tells none.
    pub tag: Option<String>,
}

/// A change of a resource, or an action of it.
#[derive(Clone, Debug)]
pub struct Change<'a> {
    /// `POST` for actions, `PATCH` for properties.
    pub method: Method,
    /// Where it goes, a path of the controller's own.
    pub path: &'a str,
    /// What is sent.
    pub body: Value,
    /// The entity tag of what was read, where there is one.
    pub tag: Option<String>,
}

impl Session<'_> {
    /// A resource at a path of the controller's own.
    ///
    /// # Errors
    /// No answer, a refusal, or one that is no JSON.
    pub async fn get(&mut self, path: &str) -> Result<Value, FeedError> {
        Ok(self.read(path).await?.document)
    }

    /// A resource at a path of the controller's own, with its entity tag.
    ///
    /// # Errors
    /// No answer, a refusal, or one that is no JSON.
    pub async fn read(&mut self, path: &str) -> Result<Resource, FeedError> {
        let answer = self.send(Method::GET, path, |it| it).await?;
        let document = serde_json::from_str(answer.success()?);
        let document = document.map_err(|error| payload(path, &error.to_string()))?;
        let tag = answer.validator.and_then(|it| it.0.strip_prefix("etag:").map(str::to_owned));
        Ok(Resource { document, tag })
    }

    /// Sends a change. That it was accepted says nothing of its effect.
    ///
    /// # Errors
    /// No answer, where it may have been carried out or not; a refusal.
    pub async fn write(&mut self, change: &Change<'_>) -> Result<(), FeedError> {
        let answer = self.send(change.method.clone(), change.path, |request| {
            let request = request.json(&change.body);
            match &change.tag {
                Some(tag) => request.header(IF_MATCH, tag),
                None => request,
            }
        });
        answer.await?.success().map(drop)
    }

    /// Sends a request, once more where the session has ended meanwhile: then nothing was carried out.
    async fn send(
        &mut self,
        method: Method,
        path: &str,
        with: impl Fn(RequestBuilder) -> RequestBuilder,
    ) -> Result<Answer, FeedError> {
        if !path.starts_with('/') || path.starts_with("//") {
            return Err(payload(path, "is no path of a resource"));
        }
        let was_open = self.token.is_some();
        let answer = self.send_once(method.clone(), path, &with).await?;
        if answer.status == 401 && self.opens && was_open {
            self.token = None;
            return self.send_once(method, path, &with).await;
        }
        Ok(answer)
    }

    async fn send_once(
        &mut self,
        method: Method,
        path: &str,
        with: &impl Fn(RequestBuilder) -> RequestBuilder,
    ) -> Result<Answer, FeedError> {
        if self.opens && self.token.is_none() {
            self.token = Some(self.open().await?);
        }
        let request = self.http.request(method, format!("{}{path}", self.base));
        let request = with(request.header(ACCEPT, "application/json"));
        let (request, secret) = if let Some(token) = &self.token {
            (request.header(TOKEN, sensitive(token)?), Some(token.clone()))
        } else {
            let secret = self.access.secret()?;
            (self.access.shown(request, secret.as_ref()), secret)
        };
        send(request, secret.as_ref(), self.now).await
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
