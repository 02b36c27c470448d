//! Commands that ask a service which means harm, or leads elsewhere.

use std::net::SocketAddr;
use std::process::Output;

use axum::Router;
use axum::http::{StatusCode, header};
use axum::routing::{delete, get};
use serde_json::{Value, json};

use crate::site::wattbook;

/// Sets a window's title, clears the screen by a single character, and goes back to the beginning of the line.
const HARM: &str = "\u{1b}]0;pwned\u{7}\u{9b}2J\rn1";

async fn open(app: Router) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(axum::serve(listener, app).into_future());
    address
}

async fn run(address: SocketAddr, arguments: &[&str]) -> Output {
    let mut command = wattbook(arguments);
    command.args(["--url", &address.to_string()]);
    tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
}

#[tokio::test]
async fn what_a_service_says_does_nothing_to_the_terminal() {
    let rights = json!({
        "user": HARM, "role": "user", "rights": [], "rules": [{ "number": 1, "rule": HARM }],
    });
    let refusal = json!({ "code": "forbidden", "detail": HARM, "errors": [] });
    let refused = (StatusCode::FORBIDDEN, refusal.to_string());
    let app = Router::new()
        .route(
            "/api/v1/rights",
            get({
                let rights = rights.to_string();
                async || rights
            }),
        )
        .route("/api/v1/calendar", get(async || refused));
    let address = open(app).await;
    let is_harmless = |said: &[u8]| {
        let said = str::from_utf8(said).unwrap();
        assert!(said.contains("\\u001b]0;pwned\\u0007\\u009b2J\\u000dn1"), "{said:?}");
        assert!(!said.chars().any(|it| it.is_control() && it != '\n'), "{said:?}");
    };
    is_harmless(&run(address, &["rights"]).await.stdout);
    is_harmless(&run(address, &["calendar"]).await.stderr);
    let told = run(address, &["rights", "--format", "json"]).await.stdout;
    assert!(!told.windows(2).any(|pair| pair == "\u{9b}".as_bytes()), "{told:?}");
    let told: Value = serde_json::from_slice(&told).unwrap();
    assert_eq!(told, rights, "the same name to a program");
}

/// Asked as a question, the other place answers well, and nothing was done.
#[tokio::test]
async fn what_is_to_be_done_is_not_asked_elsewhere_as_a_question() {
    for status in [301, 302, 303] {
        let elsewhere = [(header::LOCATION, "/elsewhere")];
        let status = StatusCode::from_u16(status).unwrap();
        let app = Router::new()
            .route("/api/v1/calendar", delete(async move || (status, elsewhere)))
            .route("/elsewhere", get(async || "null"));
        let ended = run(open(app).await, &["calendar", "--end"]).await;
        let told = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(1), "{told}");
        assert!(told.contains(status.as_str()), "{told}");
    }
}
