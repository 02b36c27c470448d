//! The stream of events as a client reads it.

use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::Value;

use crate::client::Client;
use crate::server::PATIENCE;

pub const EVENTS: &str = "/api/v1/events";

/// An event as it was sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    pub kind: String,
    pub id: i64,
    pub data: Value,
}

/// An open stream.
pub struct Stream {
    response: reqwest::Response,
    text: String,
}

impl Stream {
    pub async fn open(client: &Client, after: Option<i64>) -> Self {
        Self::try_open(client, after).await.unwrap()
    }

    /// A stream of a service that may be out of reach, or have no database.
    pub async fn try_open(client: &Client, after: Option<i64>) -> Option<Self> {
        let mut request = client.request(Method::GET, EVENTS).timeout(4 * PATIENCE);
        if let Some(id) = after {
            request = request.header("Last-Event-ID", id);
        }
        let response = request.send().await.ok().filter(|it| it.status() != 503)?;
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Some(Self { response, text: String::new() })
    }

    /// A stream that begins with `stream.opened`.
    pub async fn opened(client: &Client) -> Self {
        let mut stream = Self::open(client, None).await;
        assert_eq!(stream.next().await.unwrap().kind, "stream.opened");
        stream
    }

    /// The next event; `None` where the stream has ended.
    pub async fn next(&mut self) -> Option<Told> {
        loop {
            if let Some((head, _)) = self.text.split_once("\n\n") {
                let (event, length) = (told(head), head.len() + 2);
                self.text.drain(..length);
                if event.is_some() {
                    return event;
                }
                continue;
            }
            let chunk = tokio::time::timeout(PATIENCE, self.response.chunk()).await;
            let bytes = chunk.expect("silence").ok().flatten()?;
            self.text.push_str(std::str::from_utf8(&bytes).unwrap());
        }
    }

    /// Events up to one of a kind, that one included.
    pub async fn until(&mut self, kind: &str) -> Vec<Told> {
        let mut found: Vec<Told> = Vec::new();
        while found.last().is_none_or(|event| event.kind != kind) {
            found.push(self.next().await.unwrap_or_else(|| panic!("no {kind} in {found:?}")));
        }
        found
    }
}

/// An event; `None` for a comment.
fn told(text: &str) -> Option<Told> {
    let fields: BTreeMap<&str, &str> = text.lines().filter_map(|it| it.split_once(": ")).collect();
    Some(Told {
        kind: (*fields.get("event")?).to_owned(),
        id: fields["id"].parse().unwrap(),
        data: serde_json::from_str(fields["data"]).unwrap(),
    })
}
