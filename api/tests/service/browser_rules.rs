//! What a browser may do with answers, and what the pages of other sites may not do through it.

use reqwest::{Method, RequestBuilder};

use crate::client::answer;
use crate::cluster::furnish;
use crate::raw::Raw;
use crate::site::Site;

#[tokio::test]
async fn every_answer_says_how_a_browser_may_treat_it() {
    let site = Site::sqlite();
    let server = site.serve().await;
    let client = server.client();
    for path in ["/", "/api/docs/", "/api/openapi.json", "/api/v1/nodes", "/metrics", "/nonsense"] {
        let said = client.get(path).await;
        assert_eq!(said.header("x-content-type-options"), "nosniff", "{path}");
        let policy = said.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'"), "{path}: {policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{path}: {policy}");
        assert!(!policy.contains("script-src 'self' 'unsafe"), "{path}: {policy}");
    }
}

#[tokio::test]
async fn a_page_of_another_site_changes_nothing_through_the_users_browser() {
    let site = Site::sqlite();
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 2, None).await;
    let booking = |headers: &[(&str, &str)]| -> RequestBuilder {
        let request = client.request(Method::POST, "/api/v1/reservations");
        let request = request.json(&hours.request(1, 0, 1));
        headers.iter().fold(request, |request, (name, value)| request.header(*name, *value))
    };
    for foreign in [
        [("sec-fetch-site", "cross-site")],
        [("sec-fetch-site", "same-site")],
        [("origin", "https://elsewhere.example")],
        [("origin", "null")],
    ] {
        answer(booking(&foreign)).await.problem(403, "cross_site");
    }
    // Without a body, as a form or a picture sends it.
    let bare = client.request(Method::POST, "/api/v1/calendar").header("origin", "null");
    answer(bare).await.problem(403, "cross_site");
    let held = client.get("/api/v1/reservations").await.ok(200);
    assert_eq!(held["items"].as_array().map(Vec::len), Some(0));

    answer(booking(&[("sec-fetch-site", "same-origin")])).await.ok(201);
    let own = format!("http://{}", server.address);
    answer(booking(&[("origin", &own)])).await.ok(201);
    answer(booking(&[])).await.ok(201);
}

#[tokio::test]
async fn a_request_for_two_hosts_is_refused() {
    let site = Site::sqlite();
    let server = site.serve().await;
    let mut raw = Raw::from("127.0.0.1", &server).await;
    raw.request("GET", "/api/v1/nodes", &["Host: elsewhere.example"]).await;
    assert_eq!(raw.status().await, 400);
}
