//! Contact that is lost for a day, and servers that answer anything but what was asked.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::vtn::{self, Vtn, event};
use super::{report, settings, under_contract_with};
use crate::client::Client;
use crate::cluster::{Hours, instant, nodes, now, seconds};
use crate::server::PATIENCE;
use crate::site::Site;
use crate::supply::{feed, until, write};

/// Half an hour passes in a second.
const RATE: i64 = 1800;

const DAY: i64 = 86_400;

/// The service's time.
async fn time(client: &Client) -> i64 {
    seconds(&client.get("/api/v1/feeds").await.ok(200)["now"])
}

/// What is proposed for so many nodes, some hours ahead.
async fn proposed(client: &Client, count: u32) -> crate::client::Answer {
    let begin = time(client).await + 2 * 3600;
    let request = json!({
        "nodes": count,
        "duration_s": 600,
        "earliest_start": instant(begin),
        "latest_start": instant(begin + 10 * 3600),
    });
    client.post("/api/v1/reservations", &request).await
}

/// The cap that the next hours have, and how it stands.
async fn until_next_cap(client: &Client, cap_w: f64, standing: &str) {
    vtn::until(async || {
        let begin = time(client).await + 2 * 3600;
        let window = format!("from={}&to={}", instant(begin), instant(begin + 3600));
        let agenda = client.get(&format!("/api/v1/agendas/power-cap?{window}")).await.ok(200);
        let piece = &agenda["pieces"][0];
        let stands = &agenda["provenance"][0]["standing"];
        (piece["cap_w"] == cap_w && *stands == standing).then_some(())
    })
    .await;
}

/// That every offer rests on a cap of a standing.
fn assert_rests_on(reservation: &Value, standing: &str) {
    let basis = reservation["basis"].as_array().unwrap();
    let is_it = |it: &Value| it["quantity"] == "power_cap" && it["standing"] == standing;
    let index = basis.iter().position(is_it);
    let index = index.unwrap_or_else(|| panic!("no {standing} in {basis:#?}"));
    let offers = reservation["offers"].as_array().unwrap();
    assert!(!offers.is_empty());
    for offer in offers {
        // An offer that does not rest on all of it says on what it does.
        let rests = offer["basis"].as_array().is_none_or(|it| it.contains(&json!(index)));
        assert!(rests, "{offer:#}");
    }
}

/// 60 kW are 300 nodes of 200 W, the safe mode's 5 kW are 25. The clock is fast, so that the day is
/// one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn for_a_day_without_contact_plans_rest_on_the_safe_mode_cap() {
    let mut vtn = Vtn::start().await;
    let program = vtn.program().await;
    let caps = event(&program, "cap", "IMPORT_CAPACITY_LIMIT", -1, &[60.0; 120]);
    program.create_event(caps).await.unwrap();
    let site = Site::sqlite();
    let settings =
        settings(&vtn, 900, 7200).replace("backoff_longest_s = 2", "backoff_longest_s = 900");
    write(&site, &settings);
    let clock = format!("{0}={0}@{RATE}", instant(now()));
    let server = site.serve_with(&["--config", "wattbook.toml", "--clock", &clock]).await;
    let client = server.client();
    client.put("/api/v1/nodes", &nodes(100)).await.ok(200);
    let hours = Hours::ahead();
    for (path, name) in [("price", "price_per_mwh"), ("co2", "intensity_g_per_kwh")] {
        let agenda = hours.agenda(name, -4, &[100.0; 120]);
        client.put(&format!("/api/v1/agendas/{path}"), &agenda).await.ok(200);
    }
    until_next_cap(&client, 60_000.0, "fresh").await;
    assert_rests_on(&proposed(&client, 50).await.ok(201), "fresh");
    vtn.kill();
    let lost = time(&client).await;
    until_next_cap(&client, 5_000.0, "safe_mode").await;
    while time(&client).await < lost + DAY {
        let answer = proposed(&client, 50).await;
        assert_eq!(answer.status, 422, "{}", answer.body);
        let modest = proposed(&client, 20).await.ok(201);
        assert_rests_on(&modest, "safe_mode");
        client.delete(&crate::cluster::path(&modest)).await;
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    }
    let feeds = client.get("/api/v1/feeds").await.ok(200);
    assert_eq!(feed(&feeds, "caps")["status"], "late");
    vtn.start_again('B').await;
    until_next_cap(&client, 60_000.0, "fresh").await;
    assert_rests_on(&proposed(&client, 50).await.ok(201), "fresh");
    assert_eq!(feed(&client.get("/api/v1/feeds").await.ok(200), "caps")["last_error"], Value::Null);
}

/// In front of the server, and answers in its place while it has failures left.
#[derive(Clone)]
struct Front {
    behind: String,
    /// Of requests for events, and of reports that are sent.
    failures: Arc<Mutex<[VecDeque<u16>; 2]>>,
    /// Nobody gets a token, as with a secret that is no longer right.
    refuses: Arc<AtomicBool>,
    http: reqwest::Client,
}

async fn pass(
    State(front): State<Front>,
    method: Method,
    uri: Uri,
    mut headers: HeaderMap,
    body: Bytes,
) -> Response {
    if uri.path() == "/auth/token" && front.refuses.load(Ordering::Relaxed) {
        let error = json!({"error": "invalid_client"});
        return (StatusCode::UNAUTHORIZED, error.to_string()).into_response();
    }
    let errand = match (uri.path(), &method) {
        ("/events", &Method::GET) => Some(0),
        ("/reports", &Method::POST) => Some(1),
        _ => None,
    };
    if let Some(errand) = errand
        && let Some(status) = front.failures.lock().unwrap()[errand].pop_front()
    {
        let status = StatusCode::from_u16(status).unwrap();
        return (status, [("Retry-After", "1")], "not now").into_response();
    }
    headers.remove("host");
    let url = format!("{}{uri}", front.behind.trim_end_matches('/'));
    let request = front.http.request(method, url).headers(headers).body(body);
    let Ok(answer) = request.send().await else { return StatusCode::BAD_GATEWAY.into_response() };
    let (status, kind) = (answer.status(), answer.headers().get("content-type").cloned());
    let mut response = (status, answer.bytes().await.unwrap()).into_response();
    if let Some(kind) = kind {
        response.headers_mut().insert("content-type", kind);
    }
    response
}

/// Answers for the server, with these failures first; its address.
async fn in_front_of(vtn: &Vtn, failures: [VecDeque<u16>; 2]) -> (Front, String) {
    let front = Front {
        behind: vtn.url(),
        failures: Arc::new(Mutex::new(failures)),
        refuses: Arc::default(),
        http: reqwest::Client::builder().timeout(PATIENCE).no_proxy().build().unwrap(),
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/", listener.local_addr().unwrap());
    let app = Router::new().fallback(pass).with_state(front.clone());
    tokio::spawn(axum::serve(listener, app).into_future());
    (front, base)
}

/// 401 is a stale token, 409 a conflict with another one's report, 429 and 503 ask to wait: none of
/// them keeps agendas from coming nor forecasts from arriving.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn refusals_of_the_moment_are_got_over() {
    let vtn = Vtn::start().await;
    let program = vtn.program().await;
    let statuses = || VecDeque::from([401, 409, 429, 503]);
    let (front, base) = in_front_of(&vtn, [statuses(), statuses()]).await;
    let site = Site::sqlite();
    let settings = settings(&vtn, 1, 7200).replace(&vtn.url(), &base);
    let (server, _) = under_contract_with(&site, &program, settings, 900).await;
    report(&vtn, "wattbook-plan").await;
    let client = server.client();
    let list = "/api/v1/negotiations?kind=planned_consumption";
    let open = until(&client, list, |it| !it["items"].as_array().unwrap().is_empty()).await;
    let path = format!("/api/v1/negotiations/{}", open["items"][0]["id"].as_str().unwrap());
    until(&client, &path, |told| {
        let messages = told["messages"].as_array().unwrap();
        messages.last().is_some_and(|it| it["delivery"] == "delivered")
    })
    .await;
    let left = front.failures.lock().unwrap().clone();
    assert!(left.iter().all(VecDeque::is_empty), "{left:?}");
    let feeds = client.get("/api/v1/feeds").await.ok(200);
    assert_eq!(feed(&feeds, "caps")["status"], "ok");
    // A duplicate would be a second report of the name.
    assert_eq!(vtn::reports(&vtn, "wattbook-plan").await.len(), 1);
}

/// The supplier changes our secret: tokens are void and there are no new ones. The question waits,
/// and says why; the source says so too. Once the secret is right again all goes on by itself.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn a_secret_that_is_wrong_for_a_while_loses_no_message() {
    let mut vtn = Vtn::start().await;
    let program = vtn.program().await;
    let (front, base) = in_front_of(&vtn, Default::default()).await;
    let site = Site::sqlite();
    let settings = settings(&vtn, 1, 7200).replace(&vtn.url(), &base).replace(
        "poll_every_s = 1\n",
        &format!("poll_every_s = 1\ntoken_url = \"{base}auth/token\"\n"),
    );
    let (server, hours) = under_contract_with(&site, &program, settings, 900).await;
    let client = server.client();
    report(&vtn, "wattbook-plan").await;
    front.refuses.store(true, Ordering::Relaxed);
    vtn.kill();
    vtn.start_again('B').await;
    super::ask(&client, hours).await;
    let list = "/api/v1/negotiations?kind=extra_power";
    let open = until(&client, list, |it| !it["items"].as_array().unwrap().is_empty()).await;
    let path = format!("/api/v1/negotiations/{}", open["items"][0]["id"].as_str().unwrap());
    let question = |told: &Value| {
        let messages = told["messages"].as_array().unwrap();
        messages.iter().find(|it| it["kind"] == "request").cloned().unwrap_or_default()
    };
    let told = until(&client, &path, |told| question(told)["attempts"].as_u64() > Some(1)).await;
    let waiting = question(&told);
    assert_eq!(waiting["delivery"], "waiting", "{waiting:#}");
    assert!(waiting.to_string().contains("401"), "{waiting:#}");
    until(&client, "/api/v1/feeds", |it| feed(it, "caps")["last_error"]["class"] == "refused")
        .await;
    front.refuses.store(false, Ordering::Relaxed);
    report(&vtn, "wattbook-request").await;
    until(&client, &path, |told| question(told)["delivery"] == "delivered").await;
    until(&client, "/api/v1/feeds", |it| feed(it, "caps")["status"] == "ok").await;
}
