//! Agendas and nodes in and out: JSON, CSV, revisions, calibrations.

use std::time::Duration;

use reqwest::Method;
use reqwest::header::ACCEPT;
use serde_json::{Value, json};

use crate::book::{assert_sound, assert_whole, ordinals, schedule};
use crate::client::{Client, answer};
use crate::cluster::{Hours, choose, furnish, instant, nodes, now, propose};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    agendas_go_in_and_out_as_csv,
    a_put_replaces_the_span_it_covers_and_leaves_gaps_as_gaps,
    what_was_known_earlier_can_be_read_as_of_then,
    what_is_withdrawn_is_a_gap_and_is_known_as_of_before,
    nodes_go_in_as_csv_and_come_out_page_by_page,
    a_calibration_changes_powers_and_the_draw_order,
    calibrations_of_different_nodes_at_once_all_count,
    bookings_move_with_their_nodes_when_a_calibration_reorders_them,
    a_node_that_is_booked_cannot_vanish,
    provenance_is_checked,
}

async fn pieces(client: &Client, path: &str) -> Value {
    client.get(path).await.ok(200)["pieces"].clone()
}

async fn agendas_go_in_and_out_as_csv(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = Hours::ahead();
    let (from, between, to) = (hours.hour(0), hours.hour(1), hours.hour(2));
    for (quantity, column, unit, values) in [
        ("price", "price_per_mwh", "EUR/MWh", ["-12.5", "76.300001"]),
        ("co2", "intensity_g_per_kwh", "g/kWh", ["0", "112"]),
        ("power-cap", "cap_w", "W", ["12000", "0.000001"]),
    ] {
        let path = format!("/api/v1/agendas/{quantity}");
        let [first, second] = values;
        let table =
            format!("start,end,{column}\n{from},{between},{first}\n{between},{to},{second}\n");
        let put = client.send_csv(Method::PUT, &path, &table).await.ok(200);
        assert_eq!(
            (&put["start"], &put["end"], &put["pieces"]),
            (&json!(from), &json!(to), &json!(2))
        );
        let path = format!("{path}?{}", hours.span(0, 2));
        let read = answer(client.request(Method::GET, &path).header(ACCEPT, "text/csv")).await;
        assert_eq!((read.status, read.body.as_str()), (200, table.as_str()));
        assert!(read.header("content-type").starts_with("text/csv"));
        let document = client.get(&path).await.ok(200);
        assert_eq!((&document["unit"], &document["gaps"]), (&json!(unit), &json!([])));
        let number = |text: &str| text.parse::<f64>().unwrap();
        assert_eq!(document["pieces"][0][column].as_f64(), Some(number(first)));
        assert_eq!(document["pieces"][1][column].as_f64(), Some(number(second)));
    }
}

async fn a_put_replaces_the_span_it_covers_and_leaves_gaps_as_gaps(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 1, None).await;
    let piece = |from: i64, to: i64, price: f64| json!({ "start": hours.hour(from), "end": hours.hour(to), "price_per_mwh": price });
    let new = json!([piece(1, 2, 10.0), piece(3, 4, -20.0)]);
    client.put("/api/v1/agendas/price", &new).await.ok(200);
    let path = format!("/api/v1/agendas/price?{}", hours.span(0, 5));
    let document = client.get(&path).await.ok(200);
    let expected = [piece(0, 1, 200.0), piece(1, 2, 10.0), piece(3, 4, -20.0), piece(4, 5, 200.0)];
    assert_eq!(document["pieces"], json!(expected));
    assert_eq!(document["gaps"], json!([{ "start": hours.hour(2), "end": hours.hour(3) }]));
    // From 1:15 to 2:45 every start needs a price that nobody announced: seven slots of 21.
    let quote = client.post("/api/v1/quotes", &hours.request(1, 0, 5)).await.ok(200);
    assert_eq!(quote["reasons"][0]["code"], "agenda_gap");
    assert_eq!(quote["reasons"][0]["excluded_starts"], 7);
    assert_eq!(quote["offers"][0]["start"], hours.hour(3));
}

async fn what_was_known_earlier_can_be_read_as_of_then(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = Hours::ahead();
    let first = hours.agenda("price_per_mwh", 0, &[10.0, 20.0]);
    let before = instant(now() - 1);
    client.put("/api/v1/agendas/price", &first).await.ok(200);
    let known_first = instant(now());
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let second = hours.agenda("price_per_mwh", 1, &[99.0]);
    client.put("/api/v1/agendas/price", &second).await.ok(200);
    let path = format!("/api/v1/agendas/price?{}", hours.span(0, 2));
    let newest = hours.agenda("price_per_mwh", 0, &[10.0, 99.0]);
    assert_eq!(pieces(&client, &path).await, newest);
    assert_eq!(pieces(&client, &format!("{path}&as_of={known_first}")).await, first);
    assert_eq!(pieces(&client, &format!("{path}&as_of={before}")).await, json!([]));
    assert_eq!(pieces(&client, &format!("{path}&as_of={}", instant(now() + 1))).await, newest);
}

async fn what_is_withdrawn_is_a_gap_and_is_known_as_of_before(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 1, None).await;
    let path = format!("/api/v1/agendas/price?{}", hours.span(0, 4));
    let (known, before) = (pieces(&client, &path).await, instant(now()));
    tokio::time::sleep(Duration::from_millis(1100)).await;
    // Half an hour into a piece, and half an hour before the end of another.
    let (from, to) = (instant(hours.at(1) + 1800), instant(hours.at(3) + 1800));
    let span = format!("/api/v1/agendas/price?from={from}&to={to}");
    let withdrawn = client.delete(&span).await.ok(200);
    assert!(withdrawn["revision_id"].as_i64().is_some());
    let told = ["start", "end", "pieces"].map(|field| withdrawn[field].clone());
    assert_eq!(told, [json!(from), json!(to), json!(0)]);
    let document = client.get(&path).await.ok(200);
    let piece = |from: &str, to: &str| json!({ "start": from, "end": to, "price_per_mwh": 200.0 });
    let left = [
        piece(&hours.hour(0), &hours.hour(1)),
        piece(&hours.hour(1), &from),
        piece(&to, &hours.hour(4)),
    ];
    assert_eq!(document["pieces"], json!(left));
    assert_eq!(document["gaps"], json!([{ "start": from, "end": to }]));
    assert_eq!(pieces(&client, &format!("{path}&as_of={before}")).await, known);
    let quote = client.post("/api/v1/quotes", &hours.request(1, 2, 2)).await.ok(200);
    assert_eq!(
        (&quote["decision"], &quote["reasons"][0]["code"]),
        (&json!("impossible"), &json!("agenda_gap"))
    );
    client.put("/api/v1/agendas/price", &json!([piece(&from, &to)])).await.ok(200);
    client.post("/api/v1/reservations", &hours.request(1, 2, 2)).await.ok(201);
    for (query, place) in [
        (format!("from={from}"), "to"),
        (format!("to={to}"), "from"),
        (format!("from={to}&to={from}"), "to"),
        (format!("from=soon&to={to}"), "from"),
    ] {
        let refused = client.delete(&format!("/api/v1/agendas/price?{query}")).await;
        let problem = refused.problem(400, "invalid_parameter");
        assert_eq!(problem["errors"][0]["place"], place, "{query}: {problem}");
    }
    let nothing = format!("/api/v1/agendas/weather?from={from}&to={to}");
    client.delete(&nothing).await.problem(404, "not_found");
}

async fn nodes_go_in_as_csv_and_come_out_page_by_page(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let empty = client.get("/api/v1/nodes").await.ok(200);
    assert_eq!((&empty["epoch"], &empty["count"]), (&Value::Null, &json!(0)));
    let table =
        "name,idle_power_w,max_power_w,alpha\nn1,95,190.5,0.75\n\"n,2\",95,190,\nn3,0,1,1\n";
    let put = client.send_csv(Method::PUT, "/api/v1/nodes", table).await.ok(200);
    assert_eq!(put["count"], 3);
    let page = client.get("/api/v1/nodes?limit=2").await.ok(200);
    let node = |ordinal: u32, name: &str, idle: f64, max: f64, alpha: Option<f64>| {
        json!({
            "ordinal": ordinal, "name": name,
            "idle_power_w": idle, "max_power_w": max, "alpha": alpha,
        })
    };
    let expected = [node(0, "n1", 95.0, 190.5, Some(0.75)), node(1, "n,2", 95.0, 190.0, None)];
    assert_eq!((&page["nodes"], &page["next_cursor"]), (&json!(expected), &json!(2)));
    assert_eq!((&page["count"], &page["max_power_w"]), (&json!(3), &json!(381.5)));
    let rest = client.get("/api/v1/nodes?limit=2&cursor=2").await.ok(200);
    let expected = [node(2, "n3", 0.0, 1.0, Some(1.0))];
    assert_eq!((&rest["nodes"], &rest["next_cursor"]), (&json!(expected), &Value::Null));
    let class = json!({ "classes": [{ "count": 3, "idle_power_w": 1, "max_power_w": 2 }] });
    assert_eq!(client.put("/api/v1/nodes", &class).await.ok(200)["count"], 3);
    assert_eq!(client.get("/api/v1/nodes").await.ok(200)["nodes"][2]["name"], "n2");
}

/// Samples of a node: 5 idle ones around 50 W with an outlier of 500 W, 2 at full load.
fn samples(node: &str, max_w: f64) -> String {
    format!(
        "node,measured_at,load,power_w\n\
         {node},2026-01-01T00:00:00Z,idle,49\n\
         {node},2026-01-01T00:01:00Z,idle,50\n\
         {node},2026-01-01T00:02:00Z,idle,51\n\
         {node},2026-01-01T00:03:00Z,idle,50\n\
         {node},2026-01-01T00:04:00Z,idle,500\n\
         {node},2026-01-01T00:05:00Z,idle,50\n\
         {node},2026-01-01T01:00:00Z,max,{max_w}\n\
         {node},2026-01-01T01:01:00Z,max,90\n"
    )
}

async fn calibrations_of_different_nodes_at_once_all_count(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    furnish(&client, 8, None).await;
    let mut calibrations = tokio::task::JoinSet::new();
    for number in 0..8_u32 {
        let client = client.clone();
        calibrations.spawn(async move {
            let measured_at = "2026-01-01T00:00:00Z";
            let node = format!("n{number}");
            let sample = |load: &str, power_w: u32| {
                json!({ "node": node, "measured_at": measured_at, "load": load, "power_w": power_w })
            };
            let samples = json!([sample("idle", 50 + number), sample("max", 500)]);
            client.post("/api/v1/calibrations", &samples).await.ok(201);
        });
    }
    while let Some(calibrated) = calibrations.join_next().await {
        calibrated.unwrap();
    }
    let nodes = client.get("/api/v1/nodes").await.ok(200);
    for (number, node) in nodes["nodes"].as_array().unwrap().iter().enumerate() {
        let idle = node["idle_power_w"].as_f64().unwrap();
        assert!((idle - (50.0 + number as f64)).abs() < 1e-9, "{node}");
    }
}

async fn a_calibration_changes_powers_and_the_draw_order(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 3, None).await;
    let before = client.get("/api/v1/nodes").await.ok(200);
    let made = client.send_csv(Method::POST, "/api/v1/calibrations", &samples("n2", 100.0)).await;
    let made = made.ok(201);
    assert!(made["epoch"].as_i64() > before["epoch"].as_i64());
    let calibration = &made["calibrations"][0];
    for (member, expected) in [
        ("node", json!("n2")),
        ("measured_at", json!("2026-01-01T01:01:00Z")),
        ("idle_power_w", json!(50.0)),
        ("idle_samples", json!(5)),
        ("max_power_w", json!(100.0)),
        ("max_samples", json!(2)),
        ("outliers", json!(1)),
    ] {
        assert_eq!(calibration[member], expected, "{member}");
    }
    let listed = client.get("/api/v1/calibrations?node=n2").await.ok(200);
    assert_eq!(listed["items"], made["calibrations"]);
    assert_eq!(client.get("/api/v1/calibrations?node=n0").await.ok(200)["items"], json!([]));
    let nodes = client.get("/api/v1/nodes").await.ok(200);
    assert_eq!(nodes["nodes"][2]["max_power_w"], 100.0);
    assert_eq!(nodes["nodes"][0], before["nodes"][0]);
    // n2 draws least now: it goes first.
    let quote = client.post("/api/v1/quotes", &hours.request(1, 0, 0)).await.ok(200);
    assert_eq!(quote["offers"][0]["nodes"], json!(["n2"]));
    assert_eq!(quote["offers"][0]["energy_j"], 360_000.0);
    let sample = |load: &str, power: f64| json!({ "node": "n1", "measured_at": "2026-01-01T00:00:00Z", "load": load, "power_w": power });
    let as_json = json!([sample("idle", 10.0), sample("max", 20.0)]);
    client.post("/api/v1/calibrations", &as_json).await.ok(201);
    let quote = client.post("/api/v1/quotes", &hours.request(1, 0, 0)).await.ok(200);
    assert_eq!(quote["offers"][0]["nodes"], json!(["n1"]));
}

async fn bookings_move_with_their_nodes_when_a_calibration_reorders_them(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 3, None).await;
    let confirmed = propose(&client, &hours.request(1, 2, 2)).await;
    choose(&client, &confirmed, "cost_co2_energy").await;
    let held = propose(&client, &hours.request(1, 2, 2)).await;
    let before = schedule(&client, hours).await;
    client.send_csv(Method::POST, "/api/v1/calibrations", &samples("n2", 100.0)).await.ok(201);
    let after = assert_sound(&client, hours, None).await;
    let nodes_of = |schedule: &[crate::book::Taken]| {
        let mut nodes: Vec<_> =
            schedule.iter().map(|taken| (taken.offer.clone(), taken.ordinals.clone())).collect();
        nodes.sort();
        nodes
    };
    assert_eq!(nodes_of(&after), nodes_of(&before));
    assert_whole(&client.all_reservations().await, &after);
    let chosen = choose(&client, &held, "cost_co2_energy").await;
    assert_eq!(ordinals(&chosen["offers"][0]), [1].into());
    let last = propose(&client, &hours.request(1, 2, 2)).await;
    assert_eq!(last["offers"][0]["nodes"], json!(["n2"]));
}

async fn a_node_that_is_booked_cannot_vanish(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 3, None).await;
    let reservation = propose(&client, &hours.request(2, 2, 2)).await;
    choose(&client, &reservation, "cost_co2_energy").await;
    let problem = client.put("/api/v1/nodes", &nodes(1)).await.problem(409, "nodes_in_use");
    let detail = problem["detail"].as_str().unwrap();
    assert!(
        detail.contains("n1") && detail.contains(reservation["id"].as_str().unwrap()),
        "{detail}"
    );
    assert_eq!(client.get("/api/v1/nodes").await.ok(200)["count"], 3);
    client.put("/api/v1/nodes", &nodes(2)).await.ok(200);
    assert_whole(&client.all_reservations().await, &assert_sound(&client, hours, None).await);
}

async fn provenance_is_checked(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let agenda = Hours::ahead().agenda("price_per_mwh", 0, &[10.0]);
    let known =
        "source=feed&kind=average&quality=measured&currency=EUR&issued_at=2026-01-01T00:00:00Z";
    client.put(&format!("/api/v1/agendas/price?{known}"), &agenda).await.ok(200);
    for (query, place) in [
        ("currency=USD", "currency"),
        ("quality=guessed", "quality"),
        ("kind=median", "kind"),
        ("issued_at=yesterday", "issued_at"),
        ("source=", "source"),
    ] {
        let answer = client.put(&format!("/api/v1/agendas/price?{query}"), &agenda).await;
        let problem = answer.problem(400, "invalid_parameter");
        assert_eq!(problem["errors"][0]["place"], place, "{problem}");
    }
}
