//! The Carbon Aware SDK's routes: bodies and errors as its clients know them.

use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{Answer, Client, answer};
use crate::cluster::{Hours, instant, now};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    emissions_are_the_pieces_of_the_time_asked_for,
    without_times_emissions_are_those_of_now,
    averages_weigh_each_piece_by_its_length_and_are_refused_over_gaps,
    forecasts_move_a_window_over_the_data_and_name_the_least,
    bounds_of_forecasts_must_lie_in_what_is_known,
    forecasts_of_the_past_are_what_was_known_then,
    what_is_wrong_is_answered_as_the_sdk_answers_it,
    the_site_is_the_only_location_and_may_have_a_name,
    every_role_may_read_and_nobody_else,
}

/// Three hours of the first of March, and one after a gap of an hour.
async fn march(site: &Site) -> (crate::server::Server, Client) {
    let server = site.serve().await;
    let client = server.client();
    let piece = |hour: i64, value: i64| {
        json!({
            "start": format!("2026-03-01T{hour:02}:00:00Z"),
            "end": format!("2026-03-01T{:02}:00:00Z", hour + 1),
            "intensity_g_per_kwh": value,
        })
    };
    let pieces = json!([piece(0, 30), piece(1, 100), piece(2, 50), piece(4, 30)]);
    client.put("/api/v1/agendas/co2", &pieces).await.ok(200);
    (server, client)
}

fn emission(hour: i64, rating: i64) -> Value {
    json!({
        "location": "site",
        "time": format!("2026-03-01T{hour:02}:00:00+00:00"),
        "rating": rating,
        "duration": "01:00:00",
    })
}

async fn emissions_are_the_pieces_of_the_time_asked_for(site: Site) {
    let (_server, client) = march(&site).await;
    let span = "location=site&time=2026-03-01T00:30:00Z&toTime=2026-03-01T02:00:00Z";
    let both = json!([emission(0, 30), emission(1, 100)]);
    for route in ["/emissions/bylocation", "/emissions/bylocations"] {
        assert_eq!(client.get(&format!("{route}?{span}")).await.ok(200), both, "{route}");
    }
    // One moment, and a day; names of parameters and locations in any case, `+` unescaped.
    let moment = "/emissions/bylocation?Location=SITE&time=2026-03-01T03:30:00+01:00";
    assert_eq!(client.get(moment).await.ok(200), json!([emission(2, 50)]));
    let day = "time=2026-03-01&toTime=2026-03-02";
    let twice = format!("/emissions/bylocations?location=site&location=site&{day}");
    assert_eq!(client.get(&twice).await.ok(200).as_array().unwrap().len(), 8);
    // 30 is the least of 30, 100, 50 and 30; both are.
    let best = client.get(&format!("/emissions/bylocations/best?location=site&{day}")).await;
    assert_eq!(best.ok(200), json!([emission(0, 30), emission(4, 30)]));
    for route in ["bylocation", "bylocations", "bylocations/best"] {
        let gap = "time=2026-03-01T03:00:00Z&toTime=2026-03-01T04:00:00Z";
        let nothing = client.get(&format!("/emissions/{route}?location=site&{gap}")).await;
        assert_eq!((nothing.status, nothing.body.as_str()), (204, ""), "{route}");
    }
}

async fn without_times_emissions_are_those_of_now(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let (start, end) = (now() / 3600 * 3600 - 7200, now() / 3600 * 3600 + 7200);
    let piece =
        json!([{ "start": instant(start), "end": instant(end), "intensity_g_per_kwh": 42.5 }]);
    client.put("/api/v1/agendas/co2", &piece).await.ok(200);
    let now = client.get("/emissions/bylocation?location=site").await.ok(200);
    let time = instant(start).replace('Z', "+00:00");
    let point = json!([{"location": "site", "time": time, "rating": 42.5, "duration": "04:00:00"}]);
    assert_eq!(now, point);
}

/// From 00:30 to 02:30: 30 for half an hour of two, 100 for one, 50 for half of one:
/// 30/4 + 100/2 + 50/4 = 7.5 + 50 + 12.5 = 70. From 00:00 to 03:00: 180/3 = 60.
async fn averages_weigh_each_piece_by_its_length_and_are_refused_over_gaps(site: Site) {
    let (_server, client) = march(&site).await;
    let average = |start: &str, end: &str, value: Value| {
        json!({
            "location": "site",
            "startTime": format!("2026-03-01T{start}:00+00:00"),
            "endTime": format!("2026-03-01T{end}:00+00:00"),
            "carbonIntensity": value,
        })
    };
    let path = "/emissions/average-carbon-intensity";
    let query = "location=site&startTime=2026-03-01T00:30:00Z&endTime=2026-03-01T02:30:00.000Z";
    let answer = client.get(&format!("{path}?{query}")).await.ok(200);
    assert_eq!(answer, average("00:30", "02:30", 70.into()));
    // 20 minutes of 30 and 10 of 100: 1600/30 = 53.333...
    let body = json!([
        {"location": "site", "startTime": "2026-03-01T00:00:00Z", "endTime": "2026-03-01T03:00:00Z"},
        {"location": "Site", "startTime": "2026-03-01T01:40:00+01:00",
         "endTime": "2026-03-01T02:10:00+01:00"},
    ]);
    let answers = client.post(&format!("{path}/batch"), &body).await.ok(200);
    let mut third = average("00:40", "01:10", 53.333_333_333.into());
    third["location"] = "Site".into();
    assert_eq!(answers, json!([average("00:00", "03:00", 60.into()), third]));
    assert_eq!(client.post(&format!("{path}/batch"), &json!([])).await.ok(200), json!([]));

    let gap = "location=site&startTime=2026-03-01T02:00:00Z&endTime=2026-03-01T05:00:00Z";
    let refused = client.get(&format!("{path}?{gap}")).await;
    let detail = "Period out of range. Data points did not cover the requested average period: \
                  2026-03-01T02:00:00+00:00 through 2026-03-01T05:00:00+00:00";
    argument(&refused, detail, &json!({}));
}

/// The SDK's error for an argument.
#[track_caller]
fn argument(answer: &Answer, detail: &str, errors: &Value) {
    let title = "ArgumentException";
    let wanted = json!({"title": title, "status": 400, "detail": detail, "errors": errors});
    assert_eq!((answer.status, problem(answer)), (400, wanted));
}

#[track_caller]
fn problem(answer: &Answer) -> Value {
    assert_eq!(answer.header("content-type"), "application/problem+json; charset=utf-8");
    serde_json::from_str(&answer.body).unwrap()
}

fn point(hours: Hours, hour: i64, minutes: i64, value: &Value) -> Value {
    let timestamp = hours.hour(hour).replace('Z', "+00:00");
    json!({"location": "site", "timestamp": timestamp, "duration": minutes, "value": value})
}

/// Hours of 10, 20, 30, 40 and 5. Means of two hours: 15, 25, 35 and 22.5.
async fn forecasts_move_a_window_over_the_data_and_name_the_least(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = Hours::ahead();
    let agenda = hours.agenda("intensity_g_per_kwh", 0, &[10.0, 20.0, 30.0, 40.0, 5.0]);
    let issued = instant(now() - 60);
    client.put(&format!("/api/v1/agendas/co2?issued_at={issued}"), &agenda).await.ok(200);
    let path = "/emissions/forecasts/current?location=site";
    let text = |time: &str| time.replace('Z', "+00:00");
    let forecast = async |query: &str| {
        let mut forecasts = client.get(&format!("{path}{query}")).await.ok(200);
        assert_eq!(forecasts.as_array().unwrap().len(), 1);
        let mut forecast = forecasts[0].take();
        assert_eq!(forecast["generatedAt"], text(&issued));
        let requested = crate::cluster::seconds(&forecast["requestedAt"]);
        assert!((now() - 30..=now()).contains(&requested));
        for name in ["generatedAt", "requestedAt"] {
            forecast.as_object_mut().unwrap().remove(name);
        }
        forecast
    };
    let of = |start: &str, end: &str, window: i64, least: Vec<Value>, data: Vec<Value>| {
        json!({
            "location": "site", "dataStartAt": text(start), "dataEndAt": text(end),
            "windowSize": window, "optimalDataPoints": least, "forecastData": data,
        })
    };
    let hour = |at: i64, value: Value| point(hours, at, 60, &value);
    let two = |at: i64, value: Value| point(hours, at, 120, &value);

    let data = vec![
        hour(0, 10.into()),
        hour(1, 20.into()),
        hour(2, 30.into()),
        hour(3, 40.into()),
        hour(4, 5.into()),
    ];
    let whole = of(&hours.hour(0), &hours.hour(4), 60, vec![hour(4, 5.into())], data);
    assert_eq!(forecast("").await, whole);
    let data = vec![two(0, 15.into()), two(1, 25.into()), two(2, 35.into()), two(3, 22.5.into())];
    let windows = of(&hours.hour(0), &hours.hour(3), 120, vec![two(0, 15.into())], data.clone());
    assert_eq!(forecast("&windowSize=120").await, windows);
    let bounds = format!("&dataStartAt={}&dataEndAt={}", hours.hour(1), hours.hour(5));
    let later =
        of(&hours.hour(1), &hours.hour(5), 120, vec![two(3, 22.5.into())], data[1..].to_vec());
    assert_eq!(forecast(&format!("{bounds}&windowSize=120")).await, later);
    // Four hours and a half into five: no window of six fits.
    let none = of(&hours.hour(0), &hours.hour(5), 360, vec![], vec![]);
    assert_eq!(forecast("&windowSize=360").await, none);
}

async fn bounds_of_forecasts_must_lie_in_what_is_known(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let none = client.get("/emissions/forecasts/current?location=site").await;
    assert_eq!(none.status, 501);
    assert_eq!(problem(&none)["title"], "NotImplementedException");
    let hours = Hours::ahead();
    let agenda = hours.agenda("intensity_g_per_kwh", 0, &[10.0, 20.0]);
    client.put("/api/v1/agendas/co2", &agenda).await.ok(200);
    let bounds = "dataStartAt=1999-01-01T00:00:00Z&dataEndAt=1999-01-02T00:00:00Z";
    let refused = client.get(&format!("/emissions/forecasts/current?location=site&{bounds}")).await;
    let range = format!(
        "must be within time range of the forecasted data, '{}' through '{}'",
        hours.hour(0).replace('Z', "+00:00"),
        hours.hour(2).replace('Z', "+00:00"),
    );
    let errors = json!({
        "dataStartAt": [format!("dataStartAt {range}")],
        "dataEndAt": [format!("dataEndAt {range}")],
    });
    argument(&refused, "Invalid EmissionsForecast", &errors);
    let reversed = format!("dataStartAt={}&dataEndAt={}", hours.hour(1), hours.hour(0));
    let refused =
        client.get(&format!("/emissions/forecasts/current?location=site&{reversed}")).await;
    let errors = json!({"dataStartAt": ["dataStartAt must be earlier than dataEndAt"]});
    argument(&refused, "Invalid EmissionsForecast", &errors);
}

async fn forecasts_of_the_past_are_what_was_known_then(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = Hours::ahead();
    let first = hours.agenda("intensity_g_per_kwh", 0, &[10.0, 20.0]);
    let before = instant(now() - 60);
    client.put("/api/v1/agendas/co2", &first).await.ok(200);
    let known_first = instant(now());
    tokio::time::sleep(std::time::Duration::from_millis(1100)).await;
    let second = hours.agenda("intensity_g_per_kwh", 0, &[30.0, 4.0]);
    client.put("/api/v1/agendas/co2", &second).await.ok(200);
    let request = |at: &str| json!({"location": "site", "requestedAt": at, "windowSize": 60});
    let body = json!([request(&known_first), request(&instant(now() + 1))]);
    let forecasts = client.post("/emissions/forecasts/batch", &body).await.ok(200);
    let least: Vec<&Value> = (0..2).map(|index| &forecasts[index]["optimalDataPoints"]).collect();
    let ten = json!([point(hours, 0, 60, &json!(10))]);
    let four = json!([point(hours, 1, 60, &json!(4))]);
    assert_eq!(least, [&ten, &four]);
    assert_eq!(forecasts[0]["requestedAt"], known_first.replace('Z', "+00:00"));
    let generated = crate::cluster::seconds(&forecasts[0]["generatedAt"]);
    assert!(generated <= crate::cluster::seconds(&known_first.clone().into()));
    let nothing = client.post("/emissions/forecasts/batch", &json!([request(&before)])).await;
    let detail = format!("No forecast was known at {}", before.replace('Z', "+00:00"));
    argument(&nothing, &detail, &json!({}));
}

async fn what_is_wrong_is_answered_as_the_sdk_answers_it(site: Site) {
    let (_server, client) = march(&site).await;
    let unknown = "Unknown Location: 'eastus' not found";
    for path in [
        "/emissions/bylocation?location=eastus",
        "/emissions/bylocations?location=site&location=eastus",
        "/emissions/bylocations/best?location=eastus",
        "/emissions/forecasts/current?location=eastus",
        "/emissions/average-carbon-intensity?location=eastus&startTime=2026-03-01&endTime=2026-03-02",
    ] {
        argument(&client.get(path).await, unknown, &json!({}));
    }
    let not_set = |names: &[&str]| -> Value {
        let errors = names.iter().map(|name| (*name, json!([format!("{name} is not set")])));
        errors.collect()
    };
    for (path, missing) in [
        ("/emissions/bylocations?location=", &["location"][..]),
        ("/emissions/bylocations/best?time=2026-03-01", &["location"]),
        ("/emissions/forecasts/current", &["location"]),
        ("/emissions/average-carbon-intensity?location=site", &["startTime", "endTime"]),
    ] {
        argument(&client.get(path).await, "Invalid parameters", &not_set(missing));
    }
    let batch = "/emissions/forecasts/batch";
    let nothing = client.post(batch, &json!([{}])).await;
    argument(&nothing, "Invalid parameters", &not_set(&["location", "requestedAt"]));
    for (query, message) in [
        ("toTime=2026-03-01", "time must be defined if toTime is defined"),
        ("time=2026-03-01&toTime=2026-03-01", "time must be before toTime"),
    ] {
        let refused = client.get(&format!("/emissions/bylocation?location=site&{query}")).await;
        argument(&refused, "Invalid parameters", &json!({"time": [message]}));
    }
    let unreadable = |errors: Value| {
        json!({
            "type": "https://tools.ietf.org/html/rfc9110#section-15.5.1",
            "title": "One or more validation errors occurred.",
            "status": 400,
            "errors": errors,
        })
    };
    let required = client.get("/emissions/bylocation?location=").await;
    let errors = json!({"location": ["The location field is required."]});
    assert_eq!(problem(&required), unreadable(errors));
    let path = "/emissions/forecasts/current?location=site&dataStartAt=soon&windowSize=ten";
    let errors = json!({
        "dataStartAt": ["The value 'soon' is not valid."],
        "windowSize": ["The value 'ten' is not valid."],
    });
    assert_eq!(problem(&client.get(path).await), unreadable(errors));
    let wrong_date = json!([{"location": "site", "requestedAt": "2021-9-1T08:30:00Z"}]);
    let errors = json!({"$[0].requestedAt":
        ["The JSON value \"2021-9-1T08:30:00Z\" could not be converted."]});
    assert_eq!(problem(&client.post(batch, &wrong_date).await), unreadable(errors));
    let text = client.request(Method::POST, batch).header("content-type", "application/json");
    assert_eq!(answer(text.body("[{")).await.status, 400);
    let text = client.request(Method::POST, batch).header("content-type", "text/plain");
    assert_eq!(answer(text.body("[]")).await.status, 415);
    assert_eq!(answer(client.request(Method::POST, "/locations")).await.status, 405);
}

async fn the_site_is_the_only_location_and_may_have_a_name(site: Site) {
    let server = site.serve().await;
    let location = |name: &str| json!({name: {"latitude": null, "longitude": null, "name": name}});
    assert_eq!(server.client().get("/locations").await.ok(200), location("site"));
    drop(server);
    std::fs::write(site.folder().join("wattbook.toml"), "location = \"Lyon\"\n").unwrap();
    let server = site.serve_with(&["--config", "wattbook.toml"]).await;
    assert_eq!(server.client().get("/locations").await.ok(200), location("Lyon"));
    let nothing = server.client().get("/emissions/bylocation?location=lyon").await;
    assert_eq!(nothing.status, 204);
}

async fn every_role_may_read_and_nobody_else(site: Site) {
    let tokens = ["user", "operator", "supplier"].map(|role| site.token(role, role));
    let server = site.serve().await;
    for token in &tokens {
        server.client().with_token(token).get("/locations").await.ok(200);
    }
    let batch = "/emissions/forecasts/batch";
    for path in [
        "/emissions/bylocation?location=site",
        "/emissions/bylocations?location=site",
        "/emissions/bylocations/best?location=site",
        "/emissions/average-carbon-intensity?location=site",
        "/emissions/forecasts/current?location=site",
        "/locations",
    ] {
        server.client().get(path).await.problem(401, "unauthorised");
    }
    for path in [batch, "/emissions/average-carbon-intensity/batch"] {
        server.client().post(path, &json!([])).await.problem(401, "unauthorised");
    }
}
