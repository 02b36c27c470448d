//! Long answers are compressed for clients that ask for it.

use std::io::Read;

use flate2::read::GzDecoder;
use reqwest::Method;

use crate::client::Client;
use crate::event_stream::EVENTS;
use crate::site::Site;

/// How an answer is encoded, and its bytes as they were sent.
async fn encoded(client: &Client, path: &str) -> (Option<String>, Vec<u8>) {
    let request = client.request(Method::GET, path).header("Accept-Encoding", "gzip");
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 200);
    let encoding = response.headers().get("content-encoding");
    let encoding = encoding.map(|it| it.to_str().unwrap().to_owned());
    (encoding, response.bytes().await.unwrap().into())
}

#[tokio::test]
async fn a_long_answer_is_compressed_and_a_short_one_is_not() {
    let site = Site::sqlite();
    let server = site.serve().await;
    let client = server.client();
    let (encoding, bytes) = encoded(&client, "/api/openapi.json").await;
    assert_eq!(encoding.as_deref(), Some("gzip"));
    let mut text = String::new();
    GzDecoder::new(bytes.as_slice()).read_to_string(&mut text).unwrap();
    let plain = client.get("/api/openapi.json").await;
    assert!(plain.headers.get("content-encoding").is_none());
    assert_eq!(text, plain.body);
    assert!(bytes.len() < text.len() / 2, "{} of {} bytes", bytes.len(), text.len());
    let (encoding, bytes) = encoded(&client, "/api/v1/site").await;
    assert_eq!((encoding, bytes), (None, client.get("/api/v1/site").await.body.into_bytes()));
}

/// Each event is sent at once, which a compressor would keep until it has enough.
#[tokio::test]
async fn events_are_not_compressed() {
    let site = Site::sqlite();
    let server = site.serve().await;
    let request = server.client().request(Method::GET, EVENTS).header("Accept-Encoding", "gzip");
    let mut response = request.send().await.unwrap();
    assert!(response.headers().get("content-encoding").is_none());
    let first = response.chunk().await.unwrap().unwrap();
    let first = str::from_utf8(&first).unwrap();
    assert!(first.contains("stream.opened"), "{first}");
}
