//! A client that needs nothing but its settings: no secret, and nothing to remember.

use crate::http::Http;

/// Who asks, what for, and over which connection. Each provider adds how it asks.
#[derive(Debug)]
pub struct PlainClient<S> {
    /// The source's name.
    pub(super) source: Box<str>,
    pub(super) settings: S,
    pub(super) http: Http,
}

impl<S: Clone> PlainClient<S> {
    /// A client of `settings`.
    pub fn new(source: &str, settings: &S, http: &Http) -> Self {
        Self { source: source.into(), settings: settings.clone(), http: http.clone() }
    }
}
