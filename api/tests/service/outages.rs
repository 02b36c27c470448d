//! Nodes taken out of service.

use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{Answer, Client, answer};
use crate::cluster::{Hours, choose, furnish, nodes, now, propose, seconds};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    plans_avoid_nodes_that_are_out_of_service,
    an_outage_lists_the_reservations_that_collide,
    outages_come_in_pages_oldest_first,
    outages_are_kept_and_follow_their_nodes,
    a_wrong_outage_is_refused_with_every_error,
    an_outage_of_another_process_is_seen_by_the_next_quote,
    what_is_said_of_an_outage_changes_and_the_rest_stays,
    nodes_that_stay_out_are_out_all_along,
    a_change_that_cannot_be_is_refused,
}

async fn offered(client: &Client, request: &Value) -> Value {
    client.post("/api/v1/quotes", request).await.ok(200)["offers"][0]["nodes"].clone()
}

async fn change(client: &Client, outage: &Value, changes: Value) -> Answer {
    let path = format!("/api/v1/outages/{}", outage["id"].as_str().unwrap());
    answer(client.request(Method::PATCH, &path).json(&changes)).await
}

async fn plans_avoid_nodes_that_are_out_of_service(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 4, None).await;
    // From 3 to 5: an hour from 2 on ends as it begins.
    let (start, end) = (hours.hour(3), hours.hour(5));
    let span = json!({ "nodes": null, "node_ranges": [[0, 1]], "start": start, "end": end });
    let made = client.post("/api/v1/outages", &span).await.ok(201);
    assert_eq!((&made["nodes"], &made["node_count"]), (&json!(["n0", "n1"]), &json!(2)));
    assert_eq!((&made["start"], &made["end"]), (&span["start"], &span["end"]));
    for (hour, expected) in
        [(2, ["n0", "n1"]), (3, ["n2", "n3"]), (4, ["n2", "n3"]), (5, ["n0", "n1"])]
    {
        let request = hours.request(2, hour, hour);
        assert_eq!(offered(&client, &request).await, json!(expected), "hour {hour}");
    }
    let too_many = hours.request(3, 4, 4);
    client.post("/api/v1/reservations", &too_many).await.problem(422, "impossible");
    // Named, from now on, without an end.
    let open = json!({ "nodes": ["n3"], "reason": "disk" });
    let open = client.post("/api/v1/outages", &open).await.ok(201);
    assert_eq!(
        (&open["end"], &open["reason"], &open["owner"]),
        (&json!(null), &json!("disk"), &json!("local"))
    );
    client.post("/api/v1/reservations", &hours.request(2, 4, 4)).await.problem(422, "impossible");
    let listed = client.get("/api/v1/outages").await.ok(200);
    assert_eq!(listed["items"], json!([made, open]));
    let path = |outage: &Value| format!("/api/v1/outages/{}", outage["id"].as_str().unwrap());
    client.delete(&path(&open)).await.ok(200);
    client.delete(&path(&made)).await.ok(200);
    client.delete(&path(&made)).await.problem(404, "not_found");
    client.delete("/api/v1/outages/nonsense").await.problem(404, "not_found");
    assert_eq!(client.get("/api/v1/outages").await.ok(200)["items"], json!([]));
    assert_eq!(offered(&client, &hours.request(3, 4, 4)).await, json!(["n0", "n1", "n2"]));
}

async fn an_outage_lists_the_reservations_that_collide(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 4, None).await;
    let confirmed = async |hour: i64| {
        let held = propose(&client, &hours.request(1, hour, hour)).await;
        choose(&client, &held, "cost_co2_energy").await
    };
    let (first, second, later) = (confirmed(2).await, confirmed(2).await, confirmed(6).await);
    let outage =
        |to: i64| json!({ "node_ranges": [[0, 3]], "start": hours.hour(1), "end": hours.hour(to) });
    let made = client.post("/api/v1/outages", &outage(6)).await.ok(201);
    let mut expected = [first["id"].clone(), second["id"].clone()];
    expected.sort_by_key(ToString::to_string);
    assert_eq!(made["reservations"], json!(expected));
    let longer = client.post("/api/v1/outages", &outage(7)).await.ok(201);
    assert_eq!(longer["reservations"].as_array().unwrap().len(), 3);
    client.delete(&crate::cluster::path(&later)).await.ok(200);
    let listed = client.get("/api/v1/outages").await.ok(200);
    assert_eq!(listed["items"][1]["reservations"].as_array().unwrap().len(), 2);
}

async fn outages_come_in_pages_oldest_first(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 3, None).await;
    for start in [3, 2, 1] {
        let outage = json!({ "nodes": ["n0"], "start": hours.hour(start) });
        client.post("/api/v1/outages", &outage).await.ok(201);
    }
    let first = client.get("/api/v1/outages?limit=2").await.ok(200);
    let starts = |page: &Value| -> Vec<Value> {
        page["items"].as_array().unwrap().iter().map(|it| it["start"].clone()).collect()
    };
    assert_eq!(json!(starts(&first)), json!([hours.hour(3), hours.hour(2)]));
    let cursor = first["next_cursor"].as_str().unwrap();
    let last = client.get(&format!("/api/v1/outages?limit=2&cursor={cursor}")).await.ok(200);
    assert_eq!(json!(starts(&last)), json!([hours.hour(1)]));
    assert_eq!(last["next_cursor"], Value::Null);
}

async fn outages_are_kept_and_follow_their_nodes(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 3, None).await;
    let made = json!({ "nodes": ["n0", "n2"] });
    client.post("/api/v1/outages", &made).await.ok(201);
    // n0 is gone, and n2 comes first.
    let mut fewer = nodes(3);
    let list = fewer.as_array_mut().unwrap();
    list.remove(0);
    list.reverse();
    client.put("/api/v1/nodes", &fewer).await.ok(200);
    assert_eq!(offered(&client, &hours.request(1, 2, 2)).await, json!(["n1"]));
    drop(server);
    let again = site.serve().await;
    let client = again.client();
    let listed = client.get("/api/v1/outages").await.ok(200);
    assert_eq!(listed["items"][0]["nodes"], json!(["n2"]));
    assert_eq!(offered(&client, &hours.request(1, 2, 2)).await, json!(["n1"]));
}

async fn a_wrong_outage_is_refused_with_every_error(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 3, None).await;
    let long = "x".repeat(1001);
    for (body, pointers) in [
        (json!({}), vec![""]),
        (json!({ "nodes": ["n0"], "node_ranges": [[0, 0]] }), vec![""]),
        (json!({ "nodes": null }), vec![""]),
        (json!({ "nodes": [] }), vec![""]),
        (json!({ "nodes": ["n0", "n7", 3], "wat": 1 }), vec!["/wat", "/nodes/1", "/nodes/2"]),
        (
            json!({ "node_ranges": [[0, 3], [2, 1], [0], [-1, 0]] }),
            vec!["/node_ranges/0", "/node_ranges/1", "/node_ranges/2", "/node_ranges/3"],
        ),
        (json!({ "nodes": ["n0"], "start": "soon", "end": 5 }), vec!["/start", "/end"]),
        (json!({ "nodes": ["n0"], "start": hours.hour(3), "end": hours.hour(3) }), vec!["/end"]),
        (json!({ "nodes": ["n0"], "end": "2001-01-01T00:00:00Z" }), vec![""]),
        (json!({ "nodes": ["n0"], "reason": long }), vec!["/reason"]),
    ] {
        let problem = client.post("/api/v1/outages", &body).await.problem(400, "invalid_body");
        let errors = problem["errors"].as_array().unwrap();
        let mut found: Vec<&str> =
            errors.iter().map(|it| it["pointer"].as_str().unwrap()).collect();
        let mut expected = pointers.clone();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{body}: {problem}");
    }
    assert_eq!(client.get("/api/v1/outages").await.ok(200)["items"], json!([]));
}

async fn an_outage_of_another_process_is_seen_by_the_next_quote(site: Site) {
    let (here, there) = (site.serve().await, site.serve().await);
    let (here, there) = (here.client(), there.client());
    let hours: Hours = furnish(&here, 2, None).await;
    let request = hours.request(1, 2, 2);
    for _ in 0..5 {
        assert_eq!(offered(&there, &request).await, json!(["n0"]));
        let made = here.post("/api/v1/outages", &json!({ "nodes": ["n0"] })).await.ok(201);
        assert_eq!(offered(&there, &request).await, json!(["n1"]));
        let path = format!("/api/v1/outages/{}", made["id"].as_str().unwrap());
        there.delete(&path).await.ok(200);
        assert_eq!(offered(&here, &request).await, json!(["n0"]));
    }
}

async fn what_is_said_of_an_outage_changes_and_the_rest_stays(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 4, None).await;
    let span =
        json!({ "nodes": ["n0"], "start": hours.hour(3), "end": hours.hour(5), "reason": "fans" });
    let mut expected = client.post("/api/v1/outages", &span).await.ok(201);
    let made = expected.clone();
    for (patch, changed) in [
        (json!({ "end": hours.hour(4) }), json!({ "end": hours.hour(4) })),
        (json!({ "start": hours.hour(2) }), json!({ "start": hours.hour(2) })),
        (json!({ "end": null, "reason": "disk" }), json!({ "end": null, "reason": "disk" })),
        (json!({ "reason": null }), json!({ "reason": "" })),
        (
            json!({ "node_ranges": [[1, 2]] }),
            json!({ "nodes": ["n1", "n2"], "node_ranges": [[1, 2]], "node_count": 2 }),
        ),
        (json!({}), json!({})),
    ] {
        for (field, value) in changed.as_object().unwrap() {
            expected[field] = value.clone();
        }
        assert_eq!(change(&client, &made, patch).await.ok(200), expected);
        let listed = client.get("/api/v1/outages").await.ok(200);
        assert_eq!(listed["items"], json!([expected]));
    }
    // Plans follow: n0 is in service again, n1 and n2 are not.
    assert_eq!(offered(&client, &hours.request(2, 3, 3)).await, json!(["n0", "n3"]));
    // It begins now.
    let begun = change(&client, &made, json!({ "start": null })).await.ok(200);
    assert!(seconds(&begun["start"]) <= now() && now() - seconds(&begun["start"]) < 60);
    assert_eq!(offered(&client, &hours.request(2, 0, 0)).await, json!(["n0", "n3"]));
}

/// n0 is out, with n1 or n2 in turns: it is offered to nobody meanwhile.
async fn nodes_that_stay_out_are_out_all_along(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 3, None).await;
    let made = client.post("/api/v1/outages", &json!({ "nodes": ["n0", "n1"] })).await.ok(201);
    let changes = async {
        for turn in 0..40 {
            let nodes = json!({ "nodes": ["n0", if turn % 2 == 0 { "n2" } else { "n1" }] });
            change(&client, &made, nodes).await.ok(200);
        }
    };
    let request = hours.request(1, 2, 2);
    let looks = async {
        for _ in 0..40 {
            let node = offered(&client, &request).await;
            assert!([json!(["n1"]), json!(["n2"])].contains(&node), "{node}");
        }
    };
    tokio::join!(changes, looks);
}

async fn a_change_that_cannot_be_is_refused(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 3, None).await;
    let coming = json!({ "nodes": ["n0"], "start": hours.hour(3), "end": hours.hour(5) });
    let coming = client.post("/api/v1/outages", &coming).await.ok(201);
    for (patch, pointers) in [
        (json!({ "nodes": [] }), vec![""]),
        (json!({ "nodes": ["n0"], "node_ranges": [[0, 0]] }), vec![""]),
        (json!({ "nodes": ["n7"], "wat": 1, "end": 5 }), vec!["/end", "/nodes/0", "/wat"]),
        (json!({ "start": hours.hour(4), "end": hours.hour(4) }), vec!["/end"]),
        (json!({ "end": hours.hour(3) }), vec![""]),
        (json!({ "start": hours.hour(5) }), vec![""]),
        (json!({ "start": hours.hour(-9), "end": hours.hour(-8) }), vec![""]),
        (json!({ "reason": "x".repeat(1001) }), vec!["/reason"]),
    ] {
        let problem = change(&client, &coming, patch.clone()).await.problem(400, "invalid_body");
        let errors = problem["errors"].as_array().unwrap();
        let mut found: Vec<&str> =
            errors.iter().map(|it| it["pointer"].as_str().unwrap()).collect();
        found.sort_unstable();
        assert_eq!(found, pointers, "{patch}: {problem}");
    }
    // What is null is not given.
    let same = change(&client, &coming, json!({ "nodes": null })).await.ok(200);
    assert_eq!(same, coming);
    let begun = json!({ "nodes": ["n1"], "start": hours.hour(-9) });
    let begun = client.post("/api/v1/outages", &begun).await.ok(201);
    let later = change(&client, &begun, json!({ "start": hours.hour(2) })).await;
    let told = later.problem(409, "outage_begun")["detail"].to_string();
    assert!(told.contains("its nodes, end and reason may be changed"), "{told}");
    client.delete(&format!("/api/v1/outages/{}", begun["id"].as_str().unwrap())).await.ok(200);
    let ended = change(&client, &begun, json!({ "end": null })).await;
    ended.problem(409, "outage_over");
    let unknown = json!({ "id": "00000000-0000-7000-8000-000000000000" });
    change(&client, &unknown, json!({})).await.problem(404, "not_found");
    assert_eq!(client.get("/api/v1/outages").await.ok(200)["items"], json!([coming]));
}
