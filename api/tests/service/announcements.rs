//! What the supplier is told: planned consumption, quiet spans, what was consumed; by webhook too.

use std::sync::{Arc, Mutex};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use tokio::net::TcpListener;

use crate::client::Client;
use crate::cluster::{Hours, choose, furnish, instant, now, propose};
use crate::dialogue::{serve, until};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    planned_consumption_is_told_and_told_anew_when_it_changes,
    a_planned_quiet_night_is_announced_and_withdrawn,
    what_was_consumed_is_compared_with_the_forecast,
}

/// The last message of a kind, once it is as wanted.
async fn last(client: &Client, about: &str, kind: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    let list = format!("/api/v1/negotiations?kind={about}");
    let found = until(client, &list, |it| !it["items"].as_array().unwrap().is_empty()).await;
    let path = format!("/api/v1/negotiations/{}", found["items"][0]["id"].as_str().unwrap());
    let of_kind = |told: &Value| {
        let messages = told["messages"].as_array().unwrap().clone();
        messages.into_iter().rfind(|message| message["kind"] == kind)
    };
    let told = until(client, &path, |told| of_kind(told).is_some_and(|it| is_so(&it))).await;
    of_kind(&told).unwrap()
}

fn interval(message: &Value, start: &str) -> Value {
    let intervals = message["document"]["intervals"].as_array().unwrap();
    intervals.iter().find(|it| it["start"] == start).cloned().unwrap_or_default()
}

/// Four nodes idle at 400 W. Two of them booked for hour 2 at full draw: at most and expected
/// 2 x 100 + 2 x 200 = 600 W, in an hour 0.6 kWh.
async fn planned_consumption_is_told_and_told_anew_when_it_changes(site: Site) {
    let server = serve(&site, "interval_s = 3600\ndebounce_s = 0").await;
    let client = server.client();
    let hours = furnish(&client, 4, None).await;
    let at_2 = hours.hour(2);
    let idle = |message: &Value| interval(message, &at_2)["expected_w"] == 400.0;
    let told = last(&client, "planned_consumption", "forecast", idle).await;
    assert_eq!(
        (&told["direction"], &told["delivery"]),
        (&json!("to_supplier"), &json!("delivered"))
    );
    let booked = propose(&client, &hours.request(2, 2, 2)).await;
    choose(&client, &booked, "cost_co2_energy").await;
    let busy = |message: &Value| interval(message, &at_2)["expected_w"] == 600.0;
    let told = last(&client, "planned_consumption", "forecast", busy).await;
    let hour = interval(&told, &at_2);
    assert_eq!(
        (&hour["reserved_max_w"], &hour["expected_energy_kwh"]),
        (&json!(600.0), &json!(0.6))
    );
}

/// The paper's quiet night (section IV): nothing is booked, 400 W idle are below 500 W. A booking in
/// the middle of it takes the announcement back and announces what is left.
async fn a_planned_quiet_night_is_announced_and_withdrawn(site: Site) {
    let settings = "interval_s = 3600\ndebounce_s = 0\nplan_ahead_s = 43200\n\
                    [negotiation.low_consumption]\nbelow_w = 500\nnotice_s = 60\nat_least_s = 3600";
    let server = serve(&site, settings).await;
    let client = server.client();
    let hours: Hours = furnish(&client, 4, None).await;
    let any = |_: &Value| true;
    let night = last(&client, "low_consumption", "low_consumption", any).await;
    let spans = night["document"]["spans"].as_array().unwrap();
    assert_eq!((spans.len(), &spans[0]["power_w"]), (1, &json!(400.0)));
    let booked = propose(&client, &hours.request(2, 4, 4)).await;
    choose(&client, &booked, "cost_co2_energy").await;
    let gone = last(&client, "low_consumption", "low_consumption_withdrawn", any).await;
    assert_eq!(gone["document"]["spans"][0]["end"], spans[0]["end"]);
    let left = |it: &Value| it["document"]["spans"].as_array().unwrap().len() == 2;
    let left = last(&client, "low_consumption", "low_consumption", left).await;
    assert_eq!(left["document"]["spans"][0]["end"], hours.hour(4));
    assert_eq!(left["document"]["spans"][1]["start"], hours.hour(5));
}

/// Nothing was told before the hour that is over: there is no error to tell, and none is made up.
async fn what_was_consumed_is_compared_with_the_forecast(site: Site) {
    let server = serve(&site, "interval_s = 1\nplan_ahead_s = 900\ndebounce_s = 0").await;
    let client = server.client();
    furnish(&client, 4, None).await;
    let told = last(&client, "planned_consumption", "forecast", |it| {
        !it["document"]["intervals"].as_array().unwrap().is_empty()
    });
    let told = told.await;
    let begin = crate::cluster::seconds(&told["said_at"]) + 2;
    crate::cluster::pass(begin + 2).await;
    // Idle at 400 W was told; 500 W were drawn.
    let spans = json!([
        { "start": instant(begin - 7200), "end": instant(begin - 7190), "mean_power_w": 450 },
        { "start": instant(begin), "end": instant(begin + 2), "mean_power_w": 500 },
    ]);
    let report = client.put("/api/v1/consumption", &spans).await.ok(200);
    assert_eq!(report["spans"][0]["error_w"], Value::Null);
    assert_eq!(
        (&report["spans"][1]["forecast_w"], &report["bias_w"]),
        (&json!(400.0), &json!(100.0))
    );
    let window = format!("from={}&to={}", instant(begin - 8000), instant(begin + 2));
    assert_eq!(client.get(&format!("/api/v1/consumption?{window}")).await.ok(200), report);
    last(&client, "actual_consumption", "usage", |it| it["document"]["bias_w"] == 100.0).await;
    let ahead =
        json!([{ "start": instant(now()), "end": instant(now() + 900), "mean_power_w": 1 }]);
    client.put("/api/v1/consumption", &ahead).await.problem(400, "invalid_body");
}

#[derive(Clone, Default)]
struct Heard {
    messages: Arc<Mutex<Vec<(HeaderMap, String)>>>,
}

/// Answers 503 to the first two messages.
async fn hear(State(heard): State<Heard>, headers: HeaderMap, body: String) -> StatusCode {
    let mut messages = heard.messages.lock().unwrap();
    messages.push((headers, body));
    if messages.len() <= 2 { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK }
}

/// The supplier's own server refuses twice; then it has the forecast, signed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_are_sent_signed_until_they_arrive() {
    let heard = Heard::default();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/wattbook", listener.local_addr().unwrap());
    let app = axum::Router::new().route("/wattbook", post(hear)).with_state(heard.clone());
    tokio::spawn(axum::serve(listener, app).into_future());
    let site = Site::sqlite();
    std::fs::write(site.folder().join("secret"), "a-long-shared-secret\n").unwrap();
    let settings = format!(
        "debounce_s = 0\n[negotiation.webhook]\nurl = \"{url}\"\nsecret = {{ file = \"secret\" }}"
    );
    let server = serve(&site, &settings).await;
    let client = server.client();
    furnish(&client, 4, None).await;
    let arrived = |it: &Value| it["delivery"] == "delivered" && it["attempts"].as_i64() > Some(0);
    last(&client, "planned_consumption", "forecast", arrived).await;
    let messages = heard.messages.lock().unwrap().clone();
    assert!(messages.len() > 2);
    for (headers, body) in &messages {
        let header = |name: &str| headers[name].to_str().unwrap();
        let signed = format!("{}.{}.{body}", header("webhook-id"), header("webhook-timestamp"));
        let mut mac = Hmac::<Sha256>::new_from_slice(b"a-long-shared-secret").unwrap();
        mac.update(signed.as_bytes());
        let signature = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
        assert_eq!(header("webhook-signature"), signature);
        let document: Value = serde_json::from_str(body).unwrap();
        assert_eq!(document["kind"], "forecast");
    }
    assert!(!server.log().contains("a-long-shared-secret"));
}
