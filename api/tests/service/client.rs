//! What clients say to the service, and what it answers.

use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Method, RequestBuilder};
use serde_json::Value;

use crate::server::PATIENCE;

/// A client of one service, with or without a token; clones share its connections.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    base: String,
    token: Option<String>,
}

/// A whole answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: String,
}

impl Client {
    pub fn new(address: &str) -> Self {
        // The client wants one before it knows that it will speak plain HTTP only.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder().timeout(PATIENCE).no_proxy().build().unwrap();
        Self { http, base: format!("http://{address}"), token: None }
    }

    /// The same client under a token.
    pub fn with_token(&self, token: &str) -> Self {
        Self { token: Some(token.to_owned()), ..self.clone() }
    }

    /// A request that is not sent yet.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.base));
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    pub async fn get(&self, path: &str) -> Answer {
        answer(self.request(Method::GET, path)).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        answer(self.request(Method::DELETE, path)).await
    }

    pub async fn put(&self, path: &str, body: &Value) -> Answer {
        answer(self.request(Method::PUT, path).json(body)).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        answer(self.request(Method::POST, path).json(body)).await
    }

    /// Sends a table.
    pub async fn send_csv(&self, method: Method, path: &str, table: &str) -> Answer {
        let request = self.request(method, path).header(CONTENT_TYPE, "text/csv");
        answer(request.body(table.to_owned())).await
    }

    /// Every reservation the caller sees, page by page.
    pub async fn all_reservations(&self) -> Vec<Value> {
        let mut found = Vec::new();
        let mut path = "/api/v1/reservations?limit=1000".to_owned();
        loop {
            let page = self.get(&path).await.ok(200);
            found.extend(page["items"].as_array().unwrap().iter().cloned());
            let Some(cursor) = page["next_cursor"].as_str() else { return found };
            path = format!("/api/v1/reservations?limit=1000&cursor={cursor}");
        }
    }

    /// The whole audit trail, page by page; what was done before is in it.
    pub async fn all_audit_records(&self) -> Vec<Value> {
        let (mut found, mut after) = (Vec::new(), Value::from(0));
        while !after.is_null() {
            let page = self.get(&format!("/api/v1/audit?limit=1000&after={after}")).await.ok(200);
            found.extend(page["items"].as_array().unwrap().iter().cloned());
            after = page["next_after"].clone();
        }
        found
    }
}

/// Sends a request that must be answered.
pub async fn answer(request: RequestBuilder) -> Answer {
    try_answer(request).await.unwrap()
}

/// Sends a request that may be cut off.
pub async fn try_answer(request: RequestBuilder) -> reqwest::Result<Answer> {
    let response = request.send().await?;
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    Ok(Answer { status, headers, body: response.text().await? })
}

/// The answer to a request over which the service may be killed. `None` where it was cut off, or not done since the
/// database kept it waiting for too long, as on a busy machine: what was in progress may still be gone on with.
pub async fn answer_unless_cut_off(request: RequestBuilder) -> Option<Answer> {
    try_answer(request).await.ok().filter(|answer| answer.status != 503)
}

impl Answer {
    /// A header as text; empty where there is none.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The body of an answer that must have this status.
    #[track_caller]
    pub fn ok(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.body);
        assert_eq!(self.header("content-type"), "application/json", "{}", self.body);
        serde_json::from_str(&self.body).unwrap()
    }

    /// A problem document, whatever its code.
    #[track_caller]
    pub fn any_problem(&self) -> Value {
        assert_eq!(self.header("content-type"), "application/problem+json", "{self:?}");
        let problem: Value = serde_json::from_str(&self.body).unwrap();
        assert_eq!(problem["status"], self.status, "{problem}");
        let code = problem["code"].as_str().unwrap();
        assert_eq!(problem["type"], format!("urn:wattbook:problem:{code}"));
        for member in ["title", "detail"] {
            assert!(problem[member].as_str().is_some_and(|text| !text.is_empty()), "{problem}");
        }
        problem
    }

    /// A problem document with this status and code.
    #[track_caller]
    pub fn problem(&self, status: u16, code: &str) -> Value {
        let problem = self.any_problem();
        assert_eq!((self.status, problem["code"].as_str().unwrap()), (status, code), "{problem}");
        problem
    }
}
