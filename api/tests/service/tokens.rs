//! Tokens: made, listed and revoked on the command line, asked for by the service, never shown.

use std::path::Path;
use std::process::Output;

use reqwest::header::{AUTHORIZATION, HOST};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::client::answer;
use crate::cluster::{furnish, path, propose};
use crate::server::Server;
use crate::site::{Site, on_both_engines, wattbook};

on_both_engines! {
    tokens_are_listed_and_revoked_from_the_command_line,
    once_a_token_exists_callers_without_a_valid_one_are_refused,
    revoking_the_last_token_does_not_open_the_service,
    a_reservation_is_its_owners_and_operators_business_only,
}

fn run(site: &Site, arguments: &[&str]) -> Output {
    site.command(arguments).output().unwrap()
}

async fn tokens_are_listed_and_revoked_from_the_command_line(site: Site) {
    let (user, supplier) = (site.token("ada", "user"), site.token("grid", "supplier"));
    assert_ne!(user, supplier);
    let listed = run(&site, &["token", "list"]);
    let table = String::from_utf8(listed.stdout).unwrap();
    assert!(!table.contains(&user) && !table.contains(&supplier), "{table}");
    let rows: Vec<Vec<&str>> =
        table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["ID", "OWNER", "ROLE", "CREATED", "REVOKED"]);
    assert_eq!((&rows[1][1..3], rows[1].len()), (&["ada", "user"][..], 4));
    assert_eq!((&rows[2][1..3], rows[2].len()), (&["grid", "supplier"][..], 4));
    let server = site.serve().await;
    let client = server.client().with_token(&user);
    client.get("/api/v1/nodes").await.ok(200);
    assert!(run(&site, &["token", "revoke", rows[1][0]]).status.success());
    client.get("/api/v1/nodes").await.problem(401, "unauthorised");
    server.client().with_token(&supplier).get("/api/v1/power-profile").await.ok(200);
    let listed = String::from_utf8(run(&site, &["token", "list"]).stdout).unwrap();
    assert_eq!(listed.lines().nth(1).unwrap().split_whitespace().count(), 5, "{listed}");
    let again = run(&site, &["token", "revoke", rows[1][0]]);
    assert_eq!(again.status.code(), Some(1));
    for wrong in [["", "user"], ["ada", "admin"]] {
        let arguments = ["token", "create", "--owner", wrong[0], "--role", wrong[1]];
        assert_eq!(run(&site, &arguments).status.code(), Some(2));
    }
}

async fn once_a_token_exists_callers_without_a_valid_one_are_refused(site: Site) {
    let server = site.serve().await;
    assert!(server.log().contains("there are no API tokens"), "{}", server.log());
    server.client().get("/api/v1/nodes").await.ok(200);
    // Made while the service runs: it counts at once.
    let token = site.token("ada", "user");
    let with = |value: &str| {
        server.client().request(Method::GET, "/api/v1/nodes").header(AUTHORIZATION, value)
    };
    for wrong in ["", "Bearer", "Bearer ", "Bearer wattbook_00", "Basic YTpi", &token] {
        let refused = answer(with(wrong)).await;
        refused.problem(401, "unauthorised");
        assert_eq!(refused.header("www-authenticate"), "Bearer");
    }
    server.client().get("/api/v1/nodes").await.problem(401, "unauthorised");
    for right in [format!("Bearer {token}"), format!("bearer  {token}")] {
        answer(with(&right)).await.ok(200);
    }
    let foreign: RequestBuilder = with(&format!("Bearer {token}")).header(HOST, "book.example");
    answer(foreign).await.ok(200);
}

/// Whoever revokes a token that leaked means to let nobody in, not everybody.
async fn revoking_the_last_token_does_not_open_the_service(site: Site) {
    site.token("ada", "user");
    let server = site.serve().await;
    let listed = String::from_utf8(run(&site, &["token", "list"]).stdout).unwrap();
    let id = listed.lines().nth(1).unwrap().split_whitespace().next().unwrap();
    assert!(run(&site, &["token", "revoke", id]).status.success());
    server.client().get("/api/v1/nodes").await.problem(401, "unauthorised");
    drop(server);
    let server = site.serve().await;
    server.client().get("/api/v1/nodes").await.problem(401, "unauthorised");
}

async fn a_reservation_is_its_owners_and_operators_business_only(site: Site) {
    let [ada, bob, operator] =
        [("ada", "user"), ("bob", "user"), ("eve", "operator")].map(|(o, r)| site.token(o, r));
    let server = site.serve().await;
    let client = |token: &str| server.client().with_token(token);
    let hours = furnish(&client(&operator), 4, None).await;
    let hers = propose(&client(&ada), &hours.request(1, 0, 6)).await;
    let his = propose(&client(&bob), &hours.request(1, 0, 6)).await;
    assert_eq!((&hers["owner"], &his["owner"]), (&json!("ada"), &json!("bob")));
    let choosing = format!("{}/choose", path(&hers));
    let choice = json!({ "ranking": "cost_co2_energy" });
    client(&bob).get(&path(&hers)).await.problem(404, "not_found");
    client(&bob).delete(&path(&hers)).await.problem(404, "not_found");
    client(&bob).post(&choosing, &choice).await.problem(404, "not_found");
    let ids = async |token: &str, query: &str| {
        let page = client(token).get(&format!("/api/v1/reservations{query}")).await.ok(200);
        let items = page["items"].as_array().unwrap().iter();
        items.map(|item| item["id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&bob, "").await, [his["id"].clone()]);
    assert_eq!(ids(&bob, "?owner=ada").await, [Value::Null; 0]);
    assert_eq!(ids(&operator, "").await, [hers["id"].clone(), his["id"].clone()]);
    assert_eq!(ids(&operator, "?owner=bob").await, [his["id"].clone()]);
    assert_eq!(client(&operator).post(&choosing, &choice).await.ok(200)["owner"], "ada");
    assert_eq!(client(&ada).get(&path(&hers)).await.ok(200)["state"], "confirmed");
    client(&operator).delete(&path(&his)).await.ok(200);
    // A key is its owner's: another's request under the same key is another request.
    for (token, expected) in [(&ada, 201), (&bob, 201), (&ada, 200)] {
        let post = client(token).request(Method::POST, "/api/v1/reservations");
        let post = post.header("Idempotency-Key", "k").json(&hours.request(1, 0, 6));
        answer(post).await.ok(expected);
    }
}

#[tokio::test]
async fn the_text_of_a_token_is_neither_stored_nor_logged() {
    let site = Site::sqlite();
    let token = site.token("ada", "operator");
    let mut command = site.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("WATTBOOK_LOG", "trace");
    let server = Server::start(command).await;
    let client = server.client().with_token(&token);
    furnish(&client, 1, None).await;
    client.get("/api/v1/nodes?limit=0").await.problem(400, "invalid_parameter");
    server.signal("TERM");
    let (_, log) = server.wait();
    assert!(log.contains("/api/v1/nodes"), "requests are logged: {log}");
    assert!(!log.contains(&token));
    for entry in std::fs::read_dir(site.folder()).unwrap() {
        let file = entry.unwrap().path();
        assert!(!contains(&file, token.as_bytes()), "{}", file.display());
    }
}

fn contains(file: &Path, text: &[u8]) -> bool {
    std::fs::read(file).unwrap().windows(text.len()).any(|window| window == text)
}

#[tokio::test]
async fn without_tokens_the_service_refuses_to_listen_beyond_loopback() {
    let site = Site::sqlite();
    for address in ["0.0.0.0:0", "[::]:0"] {
        let mut command = wattbook(&["serve", "--listen", address]);
        let output = command.args(["--database", &site.database]).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains("refusing to listen") && error.contains("token create"), "{error}");
    }
    let token = site.token("ada", "user");
    let server = Server::start(site.command(&["serve", "--listen", "0.0.0.0:0"])).await;
    server.client().get("/api/v1/nodes").await.problem(401, "unauthorised");
    server.client().with_token(&token).get("/api/v1/nodes").await.ok(200);
}

/// A page in the user's browser that resolves its own name to this machine sends that name.
#[tokio::test]
async fn without_tokens_requests_to_another_host_are_refused() {
    let site = Site::sqlite();
    let server = site.serve().await;
    let get = |host: &str| server.client().request(Method::GET, "/api/v1/nodes").header(HOST, host);
    for host in [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:8080",
        "10.0.0.1",
        "[::2]",
    ] {
        answer(get(host)).await.problem(401, "unauthorised");
    }
    for host in ["localhost", "localhost:80", "127.0.0.1:8080", "127.8.9.1", "[::1]:80"] {
        answer(get(host)).await.ok(200);
    }
}
