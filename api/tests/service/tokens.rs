//! Tokens: made, listed and revoked on the command line, asked for by the service, never shown.

use std::path::Path;
use std::process::Output;
use std::time::{Duration, Instant};

use reqwest::header::{AUTHORIZATION, HOST};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::client::answer;
use crate::cluster::{furnish, path, propose};
use crate::event_stream::Stream;
use crate::server::{PATIENCE, Server};
use crate::site::{Site, on_both_engines, wattbook};

on_both_engines! {
    tokens_are_listed_and_revoked_from_the_command_line,
    once_a_token_exists_callers_without_a_valid_one_are_refused,
    revoking_the_last_token_does_not_open_the_service,
    the_last_use_of_a_token_is_listed,
    a_token_ends_by_itself_and_its_streams_with_it,
    a_token_is_renewed_without_a_gap,
    a_token_may_be_for_less_than_its_role,
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
    let header = ["ID", "OWNER", "ROLE", "CREATED", "USED", "EXPIRES", "REVOKED", "ONLY"];
    assert_eq!(rows[0], header);
    for (row, who) in rows[1..].iter().zip([["ada", "user"], ["grid", "supplier"]]) {
        assert_eq!((&row[1..3], &row[4..]), (&who[..], &["-"; 4][..]));
    }
    let server = site.serve().await;
    let client = server.client().with_token(&user);
    client.get("/api/v1/nodes").await.ok(200);
    assert!(run(&site, &["token", "revoke", rows[1][0]]).status.success());
    client.get("/api/v1/nodes").await.problem(401, "unauthorised");
    server.client().with_token(&supplier).get("/api/v1/power-profile").await.ok(200);
    let listed = String::from_utf8(run(&site, &["token", "list"]).stdout).unwrap();
    let revoked = listed.lines().nth(1).unwrap().split_whitespace().nth(6).unwrap();
    assert!(revoked.starts_with("20"), "{listed}");
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

/// What `token create` or `token renew` prints.
fn made(site: &Site, arguments: &[&str]) -> String {
    let output = run(site, arguments);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// The columns of the token of an owner that is listed at this place among theirs.
fn listed(site: &Site, owner: &str, place: usize) -> Vec<String> {
    let table = String::from_utf8(run(site, &["token", "list"]).stdout).unwrap();
    let rows = table.lines().map(|line| line.split_whitespace().map(str::to_owned));
    let mut theirs = rows.map(Iterator::collect::<Vec<_>>).filter(|row| row[1] == owner);
    theirs.nth(place).unwrap()
}

async fn the_last_use_of_a_token_is_listed(site: Site) {
    let (ada, _bob) = (site.token("ada", "user"), site.token("bob", "user"));
    let server = site.serve().await;
    server.client().with_token(&ada).get("/api/v1/nodes").await.ok(200);
    let began = Instant::now();
    while listed(&site, "ada", 0)[4] == "-" {
        assert!(began.elapsed() < PATIENCE, "its use is not noted");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let (used, created) = (&listed(&site, "ada", 0)[4], &listed(&site, "ada", 0)[3]);
    assert!(used >= created, "{used}");
    assert_eq!(listed(&site, "bob", 0)[4], "-", "nobody used it");
}

async fn a_token_ends_by_itself_and_its_streams_with_it(site: Site) {
    let create = ["token", "create", "--create-database", "--owner", "ada", "--role", "user"];
    let short = made(&site, &[&create[..], &["--expires-in", "10s"]].concat());
    let lasting = site.token("bob", "user");
    let server = site.serve().await;
    let ada = server.client().with_token(&short);
    let me = ada.get("/api/v1/me").await.ok(200);
    assert_eq!(me["expires_at"].as_str().unwrap(), listed(&site, "ada", 0)[5]);
    let mut stream = Stream::opened(&ada).await;
    assert_eq!(stream.next().await, None, "its time is over");
    ada.get("/api/v1/nodes").await.problem(401, "unauthorised");
    let bob = server.client().with_token(&lasting);
    assert_eq!(bob.get("/api/v1/me").await.ok(200)["expires_at"], Value::Null);
    let refused = run(&site, &["token", "renew", &listed(&site, "ada", 0)[0]]);
    assert_eq!(refused.status.code(), Some(1), "it has ended: {refused:?}");
}

async fn a_token_is_renewed_without_a_gap(site: Site) {
    let first = site.token("ada", "operator");
    let server = site.serve().await;
    let mut stream = Stream::opened(&server.client().with_token(&first)).await;
    let id = listed(&site, "ada", 0)[0].clone();
    let renew = ["token", "renew", &id, "--overlap", "10s", "--expires-in", "1h"];
    let second = made(&site, &renew);
    let [first, second] = [first, second].map(|token| server.client().with_token(&token));
    first.get("/api/v1/outages").await.ok(200);
    second.get("/api/v1/outages").await.ok(200);
    let renewed = listed(&site, "ada", 1);
    assert_eq!((&*renewed[2], &*renewed[6]), ("operator", "-"), "{renewed:?}");
    // The stream was begun when the first had no end.
    while stream.next().await.is_some() {}
    first.get("/api/v1/outages").await.problem(401, "unauthorised");
    second.get("/api/v1/outages").await.ok(200);
    let third = made(&site, &["token", "renew", &renewed[0]]);
    server.client().with_token(&third).get("/api/v1/outages").await.ok(200);
    second.get("/api/v1/outages").await.ok(200);
    assert!(listed(&site, "ada", 2)[5].starts_with("20"), "it lasts as long as the one before");
}

async fn a_token_may_be_for_less_than_its_role(site: Site) {
    let create = ["token", "create", "--create-database", "--owner", "eve", "--role", "operator"];
    let only = ["--only", "reservation.read,outage.declare"];
    let narrow = made(&site, &[&create[..], &only[..]].concat());
    assert_eq!(listed(&site, "eve", 0)[7..], ["reservation.read", "outage.declare"]);
    site.token("ada", "user");
    let operator = site.token("root", "operator");
    let server = site.serve().await;
    let hours = furnish(&server.client().with_token(&operator), 2, None).await;
    let eve = server.client().with_token(&narrow);
    eve.get("/api/v1/reservations").await.ok(200);
    eve.get("/api/v1/me").await.ok(200);
    let refused = eve.get("/api/v1/nodes").await;
    let problem = refused.problem(403, "forbidden");
    assert!(problem["detail"].as_str().unwrap().contains("This token"), "{problem}");
    eve.post("/api/v1/reservations", &hours.request(1, 0, 1)).await.problem(403, "forbidden");
    let outage = json!({ "nodes": ["n0"], "start": hours.hour(1), "end": hours.hour(2) });
    let declared = eve.post("/api/v1/outages", &outage).await.ok(201);
    let outage = format!("/api/v1/outages/{}", declared["id"].as_str().unwrap());
    eve.delete(&outage).await.problem(403, "forbidden");
    // Who changes an outage must be let end it.
    let change = eve.request(Method::PATCH, &outage).json(&json!({ "end": hours.hour(3) }));
    answer(change).await.problem(403, "forbidden");
    let for_ada = eve.request(Method::GET, "/api/v1/reservations").header("X-Wattbook-For", "ada");
    answer(for_ada).await.problem(403, "forbidden");
    let rights = eve.get("/api/v1/rights").await.ok(200);
    let may = |action: &str| {
        let rights = rights["rights"].as_array().unwrap();
        rights.iter().find(|it| it["action"] == action).unwrap()["may"].clone()
    };
    assert_eq!((may("reservation.read"), may("node.read")), (json!("yes"), json!("no")));
    assert_eq!(may("me.read"), "yes");
    let id = &listed(&site, "eve", 0)[0];
    let renewed = server.client().with_token(&made(&site, &["token", "renew", id]));
    renewed.get("/api/v1/nodes").await.problem(403, "forbidden");
    let unknown = run(&site, &[&create[..], &["--only", "node.paint"]].concat());
    assert_eq!(unknown.status.code(), Some(2));
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
