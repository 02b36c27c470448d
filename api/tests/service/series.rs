//! Series: requests that recur, each occurrence booked within its own window.

use std::collections::BTreeSet;
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{Client, answer, try_answer};
use crate::cluster::{Hours, furnish, nodes};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    each_occurrence_is_booked_at_the_cheapest_start_of_its_window,
    what_is_not_known_waits_until_it_is,
    a_series_is_changed_skipped_and_ended_as_a_whole,
    all_or_none_books_nothing_where_one_is_impossible,
    what_is_no_series_is_refused_with_its_place,
    a_kill_while_a_series_is_made_and_two_processes_book_nothing_twice,
}

/// Price 200 but for 100 in hour 2 of each day, over so many days from hour 0 on; CO2 is flat.
pub(crate) async fn furnish_days(client: &Client, count: u32, days: i64) -> Hours {
    let hours = Hours::ahead();
    client.put("/api/v1/nodes", &nodes(count)).await.ok(200);
    announce(client, hours, days).await;
    hours
}

pub(crate) async fn announce(client: &Client, hours: Hours, days: i64) {
    let price = |hour: i64| if hour % 24 == 2 { 100.0 } else { 200.0 };
    let prices: Vec<f64> = (0..24 * days).map(price).collect();
    let price = hours.agenda("price_per_mwh", 0, &prices);
    client.put("/api/v1/agendas/price", &price).await.ok(200);
    let co2 = hours.agenda("intensity_g_per_kwh", 0, &vec![60.0; prices.len()]);
    client.put("/api/v1/agendas/co2", &co2).await.ok(200);
}

pub(crate) fn daily(hours: Hours, count: u32) -> Value {
    json!({ "request": hours.request(1, 0, 6), "recur": format!("FREQ=DAILY;COUNT={count}"), "time_zone": "UTC" })
}

pub(crate) fn path(series: &Value) -> String {
    format!("/api/v1/series/{}", series["id"].as_str().unwrap())
}

pub(crate) fn of_each(series: &Value, field: &str) -> Vec<Value> {
    series["occurrences"].as_array().unwrap().iter().map(|it| it[field].clone()).collect()
}

/// The series once nothing of it is due.
pub(crate) async fn settled(client: &Client, series: &Value, booked: u64) -> Value {
    for _ in 0..600 {
        let found = client.get(&path(series)).await.ok(200);
        if found["totals"]["booked"] == booked {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("{}", client.get(&path(series)).await.ok(200));
}

/// A node draws 150 W at half utilisation or 200 W at most; hour 2 of each day costs half of any other.
async fn each_occurrence_is_booked_at_the_cheapest_start_of_its_window(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish_days(&client, 4, 4).await;
    let mut asked = daily(hours, 3);
    asked["except"] = json!([&hours.hour(24)[..10]]);
    let key = || client.request(Method::POST, "/api/v1/series").header("Idempotency-Key", "k");
    let made = answer(key().json(&asked)).await.ok(201);
    // The day that is left out counts.
    assert_eq!(of_each(&made, "start"), [json!(hours.hour(2)), json!(hours.hour(50))]);
    assert_eq!(of_each(&made, "reservation_state"), [json!("confirmed"), json!("confirmed")]);
    assert_eq!((&made["state"], &made["totals"]["booked"]), (&json!("running"), &json!(2)));
    assert_eq!(answer(key().json(&asked)).await.ok(200)["id"], made["id"]);
    let of_series = format!("/api/v1/reservations?series={}", made["id"].as_str().unwrap());
    let listed = client.get(&of_series).await.ok(200);
    let items = listed["items"].as_array().unwrap();
    assert_eq!(items.len(), 2);
    assert!(items.iter().all(|it| it["series"] == made["id"]), "{items:?}");
    assert_eq!(items[0]["occurrence"], made["occurrences"][0]["occurrence"]);
}

async fn what_is_not_known_waits_until_it_is(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish_days(&client, 4, 2).await;
    let made = client.post("/api/v1/series", &daily(hours, 4)).await.ok(201);
    // The third window begins at hour 48, where the agendas end.
    assert_eq!(of_each(&made, "state"), ["booked", "booked", "waiting", "waiting"]);
    announce(&client, hours, 4).await;
    let booked = settled(&client, &made, 4).await;
    let starts: Vec<Value> = [2, 26, 50, 74].iter().map(|hour| json!(hours.hour(*hour))).collect();
    assert_eq!(of_each(&booked, "start"), starts);
}

async fn a_series_is_changed_skipped_and_ended_as_a_whole(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish_days(&client, 4, 5).await;
    let made = client.post("/api/v1/series", &daily(hours, 4)).await.ok(201);
    // The first is changed on its own, and keeps its two nodes.
    let first = made["occurrences"][0]["reservation_id"].as_str().unwrap();
    let first = format!("/api/v1/reservations/{first}");
    answer(client.request(Method::PATCH, &first).json(&json!({ "nodes": 2 }))).await.ok(200);
    let patch = |body: Value| client.request(Method::PATCH, &path(&made)).json(&body);
    let changed = answer(patch(json!({ "request": { "nodes": 3 } }))).await.ok(200);
    assert_eq!(of_each(&changed, "node_count"), [2, 3, 3, 3]);
    assert_eq!(of_each(&changed, "exception"), [true, false, false, false]);
    // The same reservations, changed.
    assert_eq!(of_each(&changed, "reservation_id"), of_each(&made, "reservation_id"));
    // Five nodes are more than there are: each keeps what it has.
    let kept = answer(patch(json!({ "request": { "nodes": 5 } }))).await.ok(200);
    assert_eq!(of_each(&kept, "node_count"), [2, 3, 3, 3]);
    assert!(!kept["occurrences"][1]["reason"]["detail"].as_str().unwrap().is_empty());
    let stale = patch(json!({ "choose": "co2" })).header("If-Match", "\"99\"");
    answer(stale).await.problem(412, "version_mismatch");

    let last = kept["occurrences"][3]["occurrence"].as_str().unwrap();
    let skipped = client.delete(&format!("{}/occurrences/{last}", path(&made))).await.ok(200);
    assert_eq!(skipped["occurrences"][3]["state"], "left_out");
    assert_eq!(skipped["except"], json!([last]));
    let ended = client.delete(&path(&made)).await.ok(200);
    assert_eq!(ended["state"], "ended");
    assert_eq!(of_each(&ended, "reservation_state"), vec![json!("cancelled"); 4]);
    client.delete(&path(&made)).await.problem(409, "wrong_state");
}

async fn all_or_none_books_nothing_where_one_is_impossible(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish_days(&client, 2, 4).await;
    // Both nodes are taken in all of the second window: hours 24 to 31.
    let mut taken = hours.request(2, 24, 24);
    taken["duration_s"] = json!(7 * 3600);
    let held = client.post("/api/v1/reservations", &taken).await.ok(201);
    crate::cluster::choose(&client, &held, "cost_co2_energy").await;
    let mut asked = daily(hours, 3);
    asked["where_impossible"] = json!("refuse");
    client.post("/api/v1/series", &asked).await.problem(422, "impossible");
    let live = client.get("/api/v1/reservations?state=confirmed").await.ok(200);
    assert_eq!(live["items"].as_array().unwrap().len(), 1);
    asked["where_impossible"] = json!("leave_out");
    let made = client.post("/api/v1/series", &asked).await.ok(201);
    assert_eq!(of_each(&made, "state"), ["booked", "impossible", "booked"]);
    assert_eq!(made["occurrences"][1]["reason"]["code"], "impossible");
}

async fn what_is_no_series_is_refused_with_its_place(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 4, None).await;
    for (field, value, pointer) in [
        ("recur", json!("FREQ=DAILY"), "/recur"),
        ("recur", json!("FREQ=DAILY;COUNT=401"), "/recur"),
        ("recur", json!("every day"), "/recur"),
        ("time_zone", json!("Paris"), "/time_zone"),
        ("except", json!(["2026-12-24", "soon"]), "/except/1"),
        ("choose", json!("beauty"), "/choose"),
        ("where_impossible", json!("weep"), "/where_impossible"),
        ("until", json!("later"), "/until"),
    ] {
        let mut asked = daily(hours, 3);
        asked[field] = value;
        let problem = client.post("/api/v1/series", &asked).await.any_problem();
        assert!(problem.to_string().contains(pointer), "{field}: {problem}");
    }
    let mut asked = daily(hours, 3);
    asked["request"]["expected"] = json!({ "node_count": 1 });
    let problem = client.post("/api/v1/series", &asked).await.any_problem();
    assert!(problem.to_string().contains("/request/expected"), "{problem}");
    let none = client.get("/api/v1/series").await.ok(200);
    assert_eq!(none["items"], json!([]));
}

/// A series of 50 is made by a process that is killed meanwhile; two others go on.
async fn a_kill_while_a_series_is_made_and_two_processes_book_nothing_twice(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish_days(&client, 4, 52).await;
    let making = tokio::spawn(async move {
        let post = client.request(Method::POST, "/api/v1/series").json(&daily(hours, 50));
        try_answer(post).await.is_ok()
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    server.kill();
    _ = making.await.unwrap();
    let (first, second) = (site.serve().await, site.serve().await);
    let client = first.client();
    let listed = client.get("/api/v1/series").await.ok(200);
    let series = match listed["items"].as_array().unwrap().first() {
        Some(series) => series.clone(),
        // It was killed before anything was written.
        None => client.post("/api/v1/series", &daily(hours, 50)).await.ok(201),
    };
    let booked = settled(&second.client(), &series, 50).await;
    let ids: BTreeSet<String> =
        of_each(&booked, "reservation_id").iter().map(ToString::to_string).collect();
    assert_eq!(ids.len(), 50);
    // No reservation is confirmed that is not of an occurrence.
    let confirmed = client.get("/api/v1/reservations?state=confirmed&limit=1000").await.ok(200);
    assert_eq!(confirmed["items"].as_array().unwrap().len(), 50);
}
