//! Alternatives of shape, deadlines and tolerances.

use serde_json::{Value, json};

use crate::cluster::{choose, furnish, instant, propose};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    alternatives_are_candidates_of_one_decision,
    a_deadline_stands_in_for_the_latest_start,
    within_a_tolerance_the_next_criterion_decides,
    wrong_shapes_deadlines_and_tolerances_are_refused_with_pointers,
    a_window_between_two_slots_says_which_slots_are_beside_it,
}

/// Five nodes: eight for an hour are too many, four for two hours are not. The request comes back as
/// it was sent.
async fn alternatives_are_candidates_of_one_decision(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 5, None).await;
    let mut request = hours.request(8, 0, 6);
    assert_eq!(client.post("/api/v1/quotes", &request).await.ok(200)["decision"], "impossible");
    request["alternatives"] = json!([{ "nodes": 4, "duration_s": 7200 }]);
    let held = propose(&client, &request).await;
    assert_eq!(held["request"], request);
    for offer in held["offers"].as_array().unwrap() {
        assert_eq!(offer["node_count"], 4);
    }
    let chosen = choose(&client, &held, "cost_co2_energy").await;
    let length =
        crate::cluster::seconds(&chosen["end"]) - crate::cluster::seconds(&chosen["start"]);
    assert_eq!(length, 7200);
    // The alternatives may stand alone.
    let alone = json!({
        "alternatives": [{ "nodes": 1, "duration": "PT1H" }, { "nodes": 5, "duration_s": 60 }],
        "earliest_start": hours.hour(10), "latest_start": hours.hour(11),
    });
    let quote = client.post("/api/v1/quotes", &alone).await.ok(200);
    // A minute of five nodes, 300 node-seconds, against an hour of one.
    assert_eq!(quote["offers"][0]["node_count"], 5);
}

/// Hour 2 is cheap, hour 4 clean: by the end of hour 4 only the first can be met.
async fn a_deadline_stands_in_for_the_latest_start(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 2, None).await;
    let starts = |quote: &Value| -> Vec<Value> {
        quote["offers"].as_array().unwrap().iter().map(|offer| offer["start"].clone()).collect()
    };
    let mut request = hours.request(1, 0, 6);
    let free = client.post("/api/v1/quotes", &request).await.ok(200);
    assert_eq!(starts(&free), [json!(hours.hour(2)), json!(hours.hour(4))]);
    request["latest_end"] = json!(hours.hour(4));
    let bound = client.post("/api/v1/quotes", &request).await.ok(200);
    assert!(!starts(&bound).contains(&json!(hours.hour(4))), "{bound}");
    request.as_object_mut().unwrap().remove("latest_start");
    let alone = client.post("/api/v1/quotes", &request).await.ok(200);
    assert_eq!(alone, bound);
    assert_eq!(propose(&client, &request).await["request"], request);
}

/// Hour 2 costs 100 and emits 60 g/kWh; hour 4 costs 200 and emits 30. Within once more of the least
/// cost, the cleaner wins: 200 <= 100 + 1 x 100. Within 99 % of it all starts that touch hour 2 are
/// as good, emit the same, and the earliest wins: 01:15 costs 0.75 x 200 + 0.25 x 100 = 175.
async fn within_a_tolerance_the_next_criterion_decides(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 2, None).await;
    for (tolerance, expected) in [(0.0, hours.at(2)), (0.99, hours.at(1) + 900), (1.0, hours.at(4))]
    {
        let mut request = hours.request(1, 0, 6);
        request["tolerance"] = json!({ "cost": tolerance });
        let held = propose(&client, &request).await;
        assert_eq!(held["request"], request);
        let chosen = choose(&client, &held, "cost_co2_energy").await;
        assert_eq!(crate::cluster::seconds(&chosen["start"]), expected, "{tolerance}");
        client.delete(&crate::cluster::path(&held)).await.ok(200);
    }
}

async fn wrong_shapes_deadlines_and_tolerances_are_refused_with_pointers(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 2, None).await;
    let shape = json!({ "nodes": 1, "duration_s": 60 });
    for (name, value, pointers) in [
        ("alternatives", json!([]), vec!["/alternatives"]),
        ("alternatives", json!(vec![shape.clone(); 9]), vec!["/alternatives"]),
        (
            "alternatives",
            json!([{ "nodes": 0 }, shape]),
            vec!["/alternatives/0/nodes", "/alternatives/0/duration_s"],
        ),
        ("latest_end", json!("later"), vec!["/latest_end"]),
        ("latest_end", json!(hours.hour(-1)), vec!["/latest_end"]),
        ("tolerance", json!(0.1), vec!["/tolerance"]),
        (
            "tolerance",
            json!({ "cost": -1, "co2": "x", "delay": 1 }),
            vec!["/tolerance/delay", "/tolerance/cost", "/tolerance/co2"],
        ),
        ("pareto", json!(1), vec!["/pareto"]),
    ] {
        let mut request = hours.request(1, 0, 6);
        request[name] = value;
        for path in ["/api/v1/quotes", "/api/v1/reservations"] {
            let problem = client.post(path, &request).await.problem(400, "invalid_body");
            let errors = problem["errors"].as_array().unwrap();
            let found: Vec<&str> =
                errors.iter().map(|it| it["pointer"].as_str().unwrap()).collect();
            assert_eq!(found, pointers, "{request}: {problem}");
        }
    }
}

/// Slots of a quarter of an hour: from 1:05 to 1:10 is none. The exact search starts at 1:05.
async fn a_window_between_two_slots_says_which_slots_are_beside_it(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 1, None).await;
    let at = |minute: i64| instant(hours.at(1) + 60 * minute);
    let mut request = hours.request(1, 1, 1);
    (request["earliest_start"], request["latest_start"]) = (json!(at(5)), json!(at(10)));
    let quote = client.post("/api/v1/quotes", &request).await.ok(200);
    assert_eq!((&quote["decision"], &quote["candidate_starts"]), (&json!("impossible"), &json!(0)));
    let [reason] = quote["reasons"].as_array().unwrap().as_slice() else { panic!("{quote:#}") };
    assert_eq!((&reason["code"], &reason["excluded_starts"]), (&json!("no_slot"), &json!(0)));
    let binding = json!({
        "at_start": at(5), "start": at(0), "end": at(15),
        "slot_s": 900, "slot_before": at(0), "slot_after": at(15),
    });
    assert_eq!(reason["binding"], binding);
    let detail = reason["detail"].as_str().unwrap();
    let nearest = format!("the nearest are {} and {};", at(0), at(15));
    assert!(
        detail.starts_with("reservations start every 15 min") && detail.contains(&nearest),
        "{detail}"
    );
    let refused = client.post("/api/v1/reservations", &request).await.problem(422, "impossible");
    assert_eq!(refused["reasons"], json!([reason]));
    request["search"] = json!({ "mode": "exact" });
    let exact = client.post("/api/v1/quotes", &request).await.ok(200);
    // The later, the more of it is in hour 2, which is cheap.
    assert_eq!(exact["offers"][0]["start"], at(10));
}
