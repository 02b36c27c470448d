//! What sends the client library's requests, and keeps what it would lose: why they failed.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use openleadr_client::{Client, HttpClient, VirtualEndNode};
use planner::time::Timestamp;
use reqwest::{Method, RequestBuilder, Response};
use url::Url;

use super::{Contact, library, misread};
use crate::error::VenError;

/// Requests of one errand.
pub(crate) struct Calls {
    pub library: Client<VirtualEndNode>,
    failure: Arc<Mutex<Option<VenError>>>,
}

/// Sends requests.
#[derive(Debug)]
pub(super) struct Call {
    contact: Arc<Contact>,
    now: Timestamp,
    failure: Arc<Mutex<Option<VenError>>>,
}

impl Calls {
    pub fn new(contact: &Arc<Contact>, now: Timestamp) -> Self {
        let failure = Arc::default();
        let call = Call { contact: Arc::clone(contact), now, failure: Arc::clone(&failure) };
        Self { library: library(contact.base.clone(), Box::new(call)), failure }
    }

    /// What the library says, with the cause of its failure.
    pub fn told<T>(&self, result: Result<T, openleadr_client::Error>) -> Result<T, VenError> {
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner).take();
        result.map_err(|error| failure.unwrap_or_else(|| misread(&error)))
    }
}

#[async_trait]
impl HttpClient for Call {
    fn request_builder(&self, method: Method, url: Url) -> RequestBuilder {
        self.contact.http.request(method, url)
    }

    /// A failure is kept, and answered with a status that the library takes for one.
    async fn send(&self, request: RequestBuilder) -> reqwest::Result<Response> {
        let answer = self.contact.authorized(request, self.now).await;
        let (status, text) = match answer {
            Ok(answer) => (answer.status, answer.text),
            Err(error) => {
                *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                (500, String::new())
            }
        };
        let mut response = http::Response::new(text);
        *response.status_mut() =
            http::StatusCode::from_u16(status).unwrap_or(http::StatusCode::INTERNAL_SERVER_ERROR);
        Ok(response.into())
    }
}
