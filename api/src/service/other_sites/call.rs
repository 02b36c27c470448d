//! One question to another site, by its public API, within a time.

use std::time::Duration;

use axum::http::Method;
use axum::http::header::CONTENT_TYPE;
use grid_feeds::http::received;
use planner::time::Timestamp;
use serde::Deserialize;

use super::circuit::{Circuit, SiteReach};
use super::silence::Silence;
use crate::config::sites::OtherSite;

/// Another site, and whether it may be asked now.
pub(super) struct Peer {
    pub(super) settings: OtherSite,
    circuit: Circuit,
}

/// What is asked.
pub(super) struct SiteCall<'a> {
    pub(super) method: Method,
    /// Below `/api/v1`.
    pub(super) path: &'a str,
    /// JSON.
    pub(super) body: Option<String>,
    /// The key under which it is done once.
    pub(super) key: Option<String>,
    /// For whom; `None` for this site itself.
    pub(super) user: Option<&'a str>,
}

/// What a site says.
pub(super) struct Said {
    pub(super) status: u16,
    pub(super) text: String,
}

/// The part of a problem document that people are told.
#[derive(Deserialize)]
struct ToldProblem {
    #[serde(default)]
    code: String,
    #[serde(default)]
    detail: String,
    #[serde(default)]
    errors: Vec<ToldError>,
}

#[derive(Deserialize)]
struct ToldError {
    pointer: Option<String>,
    #[serde(default)]
    detail: String,
}

impl Peer {
    pub(super) fn new(settings: OtherSite) -> Self {
        Self { circuit: Circuit::new(settings.pause), settings }
    }

    /// Asks, and waits for the answer no longer than the settings say.
    ///
    /// # Errors
    /// There is none.
    pub(super) async fn ask(&self, asked: SiteCall<'_>, now: Timestamp) -> Result<Said, Silence> {
        let _room = self.circuit.enter()?;
        let after = self.settings.timeout;
        let answer = tokio::time::timeout(after, self.exchange(asked, now)).await;
        let answer = answer.unwrap_or(Err(Silence::Slow { after }));
        // One that has no room for this site's requests is up.
        let is_up = answer.as_ref().map_or_else(Silence::is_of_site_that_is_up, |_| true);
        self.circuit.note(is_up);
        let site = &self.settings.name;
        metrics::counter!("wattbook_other_site_requests_total", "site" => site.clone())
            .increment(1);
        if !is_up {
            metrics::counter!("wattbook_other_site_failures_total", "site" => site.clone())
                .increment(1);
        }
        if let Err(silence) = &answer {
            tracing::warn!(site = self.settings.name, %silence, "another site does not answer");
        }
        answer
    }

    /// How the site answers, as this process has it; `None` while nobody knows.
    pub(super) fn reach(&self) -> Option<SiteReach> {
        self.circuit.reach()
    }

    /// Asks a site of which nothing was heard for a while how it is called, to know whether it answers.
    pub(super) async fn look(&self, quiet: Duration, now: Timestamp) {
        if !self.circuit.is_quiet_for(quiet) {
            return;
        }
        let (method, path) = (Method::GET, "site");
        let asked = SiteCall { method, path, body: None, key: None, user: None };
        // What comes of it is noted.
        let _ = self.ask(asked, now).await;
    }

    async fn exchange(&self, asked: SiteCall<'_>, now: Timestamp) -> Result<Said, Silence> {
        let SiteCall { method, path, body, key, user } = asked;
        let OtherSite { url, token, http, for_users, .. } = &self.settings;
        let mut request = http.request(method, format!("{url}/api/v1/{path}"));
        if let Some(token) = token {
            request = request.bearer_auth(token.expose());
        }
        if let Some(user) = user.filter(|_| *for_users) {
            request = request.header("X-Wattbook-For", user.as_bytes());
        }
        if let Some(key) = key {
            request = request.header("Idempotency-Key", key);
        }
        if let Some(body) = body {
            request = request.header(CONTENT_TYPE, "application/json").body(body);
        }
        let head = request.send().await.map_err(|error| {
            let error = error.without_url();
            let told = causes(&error);
            if error.is_connect() { Silence::Unreachable(told) } else { Silence::Lost(told) }
        })?;
        let answer = received(head, token.as_ref(), now).await;
        let answer = answer.map_err(|error| Silence::Lost(error.to_string()))?;
        let said = Said { status: answer.status, text: answer.text };
        if said.status >= 500 || said.status == 429 {
            return Err(Silence::Failed { status: said.status, detail: said.problem().1 });
        }
        Ok(said)
    }
}

impl Said {
    /// Whether it is what was asked for.
    pub(super) const fn is_success(&self) -> bool {
        self.status >= 200 && self.status < 300
    }

    /// What is wrong by the site's words: the code, and what people are told.
    pub(super) fn problem(&self) -> (String, String) {
        let Ok(ToldProblem { code, detail, errors }) = serde_json::from_str(&self.text) else {
            return (String::new(), format!("status {}", self.status));
        };
        let placed = |ToldError { pointer, detail }| match pointer {
            Some(pointer) if !pointer.is_empty() => format!("{pointer}: {detail}"),
            _ => detail,
        };
        let errors: Vec<String> = errors.into_iter().map(placed).collect();
        let told = if errors.is_empty() { detail } else { errors.join("; ") };
        (code, grid_feeds::feed::excerpt(&told))
    }
}

/// An error with what it comes from.
fn causes(error: &dyn std::error::Error) -> String {
    let (mut told, mut source) = (error.to_string(), error.source());
    while let Some(cause) = source {
        told = format!("{told}: {cause}");
        source = cause.source();
    }
    grid_feeds::feed::scrub(&told)
}
