//! Suppliers that lead elsewhere, or repeat what they were sent: no secret goes there or is shown.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use grid_feeds::feed::{FeedError, Fetched, Query, Secret};
use grid_feeds::http::{Http, Timeouts, send};
use grid_feeds::webhook::Webhook;
use planner::time::{Seconds, Span};
use reqwest::Method;

use crate::world::{SECRET, Source, World, at};

const NOW: &str = "2026-03-10T15:00:00Z";

/// The sources that send a secret, and how they do.
const SECRETIVE: [&str; 12] = [
    "eia",
    "electricity-maps",
    "electricity-maps-v4",
    "entsoe",
    "ercot",
    "iso-ne",
    "nord-pool-account",
    "openelectricity",
    "pjm",
    "tempo",
    "terna",
    "watttime",
];

/// A server that answers what it is told to, and keeps what it was asked.
pub struct Hostile {
    pub base: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Hostile {
    /// The answer is made of the head of the request: line and headers.
    pub fn new(answer: impl Fn(&str) -> String + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&asked);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let mut head = Vec::new();
                let mut byte = [0];
                while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) == 1 {
                    head.push(byte[0]);
                }
                let head = String::from_utf8_lossy(&head).into_owned();
                // What is not read would reset the connection.
                let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
                let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
                let _ = stream.read_exact(&mut body);
                let answer = answer(&head);
                kept.lock().unwrap().push(head + &String::from_utf8_lossy(&body));
                // Who asked may have gone.
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        Self { base, asked }
    }

    /// Heads with their bodies.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

pub fn answer(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n{body}"
    )
}

/// The statuses that send a request elsewhere, and whether it stays the request that it was.
const REDIRECTS: [(&str, bool); 5] = [
    ("301 Moved Permanently", false),
    ("302 Found", false),
    ("303 See Other", false),
    ("307 Temporary Redirect", true),
    ("308 Permanent Redirect", true),
];

fn redirect(status: &str, location: &str) -> String {
    answer(status, &format!("location: {location}\r\n"), "")
}

async fn fetch(source: &Source) -> Result<Fetched, FeedError> {
    let now = at(NOW);
    let window = Span::new(now - Seconds::new(86_400), now + Seconds::new(86_400)).unwrap();
    source.role.fetch(Query { now, window, validator: None }).await
}

/// In none of the spellings that a server could repeat it in.
fn assert_hidden(name: &str, text: &str) {
    for part in ["s3cr/t", "s3cr%2Ft", "s3cr%2ft", "s3cr\\/t", "czNjci90", "MzY3IvdC", "zM2NyL3Q"] {
        assert!(!text.contains(part), "{name}: {text}");
    }
}

#[tokio::test]
async fn no_secret_follows_a_redirect_to_another_port_or_scheme() {
    for name in SECRETIVE {
        for (status, _) in REDIRECTS {
            let elsewhere = Hostile::new(|_| answer("200 OK", "", "{}"));
            let to = elsewhere.base.clone();
            let supplier = Hostile::new(move |_| redirect(status, &format!("{to}/api")));
            let world = World::asking(NOW, &supplier.base);
            let error = fetch(&world.source(name)).await.unwrap_err();
            assert!(matches!(error, FeedError::Transient { .. }), "{name}: {error}");
            assert!(error.to_string().contains(&elsewhere.base), "{name}: {error}");
            assert_eq!(elsewhere.asked(), [""; 0], "{name}");
            assert_eq!(supplier.asked().len(), 1, "{name}");
        }
        let secure = Hostile::new(|_| redirect("302 Found", "https://127.0.0.1:1/"));
        let world = World::asking(NOW, &secure.base);
        let error = fetch(&world.source(name)).await.unwrap_err();
        assert!(error.to_string().contains("https://127.0.0.1:1"), "{name}: {error}");
    }
}

#[tokio::test]
async fn a_redirect_to_the_same_origin_is_followed() {
    for (status, _) in REDIRECTS {
        let supplier = Hostile::new(move |head| {
            if head.starts_with("GET /moved") {
                return answer("200 OK", "", "{}");
            }
            redirect(status, "/moved?securityToken=s3cr%2Ft")
        });
        let world = World::asking(NOW, &supplier.base);
        let error = fetch(&world.source("electricity-maps")).await.unwrap_err();
        assert!(matches!(error, FeedError::NotPublished { .. }), "{error}");
        assert!(supplier.asked().iter().any(|head| head.starts_with("GET /moved")));
    }
    let endless = Hostile::new(|_| redirect("302 Found", "/again"));
    let world = World::asking(NOW, &endless.base);
    let error = fetch(&world.source("electricity-maps")).await.unwrap_err();
    assert!(matches!(error, FeedError::Transient { .. }), "{error}");
    assert_eq!(endless.asked().len(), 4);
}

/// A question without a body that is answered well would look as if what was sent had been done.
#[tokio::test]
async fn what_is_sent_to_be_done_is_never_sent_on_as_another_kind_of_request() {
    let http = Http::new(Timeouts::default()).unwrap();
    for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
        for (status, stays) in REDIRECTS {
            let site = Hostile::new(move |head| {
                if head.contains(" /moved ") {
                    answer("200 OK", "", "")
                } else {
                    redirect(status, "/moved")
                }
            });
            let request = http.request(method.clone(), format!("{}/there", site.base));
            let request = request.header("x-key", "k3y").body("{\"nodes\":3}");
            let said = send(request, None, at(NOW)).await.unwrap();
            let asked = site.asked();
            let expected = format!("{method} /moved ");
            if stays {
                assert_eq!((said.status, asked.len()), (200, 2), "{method} {status}");
                assert!(asked[1].starts_with(&expected), "{}", asked[1]);
                assert!(asked[1].contains("x-key: k3y") && asked[1].ends_with("{\"nodes\":3}"));
            } else {
                assert_eq!(asked.len(), 1, "{method} {status}");
                let error = said.success().unwrap_err();
                assert!(matches!(error, FeedError::Transient { .. }), "{method}: {error}");
            }
        }
    }
}

/// Bodies with which a server repeats the head of a request, where it will be quoted.
fn echoes(head: &str) -> [String; 6] {
    let json = serde_json::to_string(head).unwrap();
    let xml = head.replace('&', "&amp;").replace('<', "&lt;");
    let acknowledgement = format!(
        "<Acknowledgement_MarketDocument><Reason><code>999</code><text>No such token: {xml}</text>\
         </Reason></Acknowledgement_MarketDocument>"
    );
    let document = format!(
        "<Publication_MarketDocument><type>A44</type><TimeSeries><in_Domain.mRID>{xml}\
         </in_Domain.mRID></TimeSeries></Publication_MarketDocument>"
    );
    [
        head.to_owned(),
        format!("{{\"zone\": {json}, \"token\": {json}, \"tempo_like_calendars\": {json}}}"),
        json.clone(),
        format!("{{{json}: 1"),
        acknowledgement,
        document,
    ]
}

#[tokio::test]
async fn an_answer_that_repeats_a_secret_is_shown_without_it() {
    for status in ["200 OK", "400 Bad Request", "401 Unauthorized", "500 Internal Server Error"] {
        for name in SECRETIVE {
            for index in 0..echoes("").len() {
                let supplier = Hostile::new(move |head| answer(status, "", &echoes(head)[index]));
                let world = World::asking(NOW, &supplier.base);
                let error = fetch(&world.source(name)).await.unwrap_err();
                assert_hidden(name, &format!("{error} {error:?}"));
            }
        }
    }
}

/// The name of a login's answer that cannot be read is no secret that we know.
#[tokio::test]
async fn a_new_token_that_cannot_be_read_is_not_quoted() {
    for name in ["ercot", "nord-pool-account", "tempo", "terna", "watttime"] {
        let supplier = Hostile::new(|_| answer("200 OK", "", "\"brand-new-t0ken\""));
        let world = World::asking(NOW, &supplier.base);
        let error = fetch(&world.source(name)).await.unwrap_err();
        assert!(!error.to_string().contains("t0ken"), "{name}: {error}");
    }
}

#[tokio::test]
async fn a_message_is_not_sent_on_and_what_is_said_about_it_has_no_secret() {
    for (status, _) in REDIRECTS {
        let elsewhere = Hostile::new(|_| answer("200 OK", "", ""));
        let to = elsewhere.base.clone();
        let receiver = Hostile::new(move |_| redirect(status, &to));
        let webhook = Webhook::new(&receiver.base, Secret::new(SECRET)).unwrap();
        let error = webhook.send("msg_1", "{}", at(NOW)).await.unwrap_err();
        assert!(matches!(error, FeedError::Transient { .. }), "{error}");
        let error = webhook.send_unread("msg_1", "{}", at(NOW)).await.unwrap_err();
        assert!(matches!(error, FeedError::Transient { .. }), "{error}");
        assert_eq!(elsewhere.asked(), [""; 0]);
        let same = Hostile::new(move |head| {
            let is_sent_on = !head.starts_with("POST /hook");
            if is_sent_on { answer("200 OK", "", "") } else { redirect(status, "/taken") }
        });
        let webhook = Webhook::new(&format!("{}/hook", same.base), Secret::new(SECRET)).unwrap();
        assert!(webhook.send("msg_1", "{}", at(NOW)).await.is_err(), "it was not taken");
        assert!(webhook.send_unread("msg_1", "{}", at(NOW)).await.is_err(), "it was not taken");
        assert_eq!(same.asked().len(), 2, "each was sent once");
    }
    let loud = Hostile::new(|_| answer("403 Forbidden", "", &format!("not {SECRET}")));
    let webhook = Webhook::new(&loud.base, Secret::new(SECRET)).unwrap();
    assert_hidden("webhook", &webhook.send("msg_1", "{}", at(NOW)).await.unwrap_err().to_string());
}
