//! The book as pictures need it: groups of nodes by lengths of time, some nodes' part of the schedule,
//! a coarse power profile, nodes by power.

use serde_json::{Value, json};

use crate::cluster::{choose, furnish, propose};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    occupancy_tells_what_is_booked_held_and_out_of_service,
    a_part_of_the_schedule_tells_only_its_nodes,
    a_coarse_power_profile_tells_the_most_reserved_and_the_least_cap,
    pictures_of_a_wrong_part_are_refused,
    nodes_stand_by_idle_power,
    a_million_nodes_are_as_small_as_four,
}

async fn occupancy_tells_what_is_booked_held_and_out_of_service(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 4, None).await;
    // Like nodes are taken in input order: n0 and n1 in hour 1, n0 to n2 held in hour 3.
    let booked = propose(&client, &hours.request(2, 1, 1)).await;
    choose(&client, &booked, "cost_co2_energy").await;
    propose(&client, &hours.request(3, 3, 3)).await;
    let outage = json!({ "nodes": ["n3"], "start": hours.hour(0), "end": hours.hour(2) });
    client.post("/api/v1/outages", &outage).await.ok(201);

    let path = format!("/api/v1/occupancy?{}&rows=2&columns=4", hours.span(0, 4));
    let found = client.get(&path).await.ok(200);
    assert_eq!(
        (&found["count"], &found["row_nodes"], &found["column_s"]),
        (&json!(4), &json!(2), &json!(3600))
    );
    assert_eq!(found["row_names"], json!(["n0", "n2"]));
    assert_eq!(found["reservations"], 2);
    assert_eq!(found["booked"], json!([0, 1000, 0, 0, 0, 0, 0, 0]));
    assert_eq!(found["held"], json!([0, 0, 0, 1000, 0, 0, 0, 500]));
    assert_eq!(found["out"], json!([0, 0, 0, 0, 500, 500, 0, 0]));

    let path = format!("/api/v1/occupancy?{}&first_node=2&columns=1", hours.span(0, 4));
    let found = client.get(&path).await.ok(200);
    assert_eq!(
        (&found["first_node"], &found["last_node"], &found["reservations"]),
        (&json!(2), &json!(3), &json!(1))
    );
    assert_eq!((&found["held"], &found["out"]), (&json!([250, 0]), &json!([0, 500])));
}

async fn a_part_of_the_schedule_tells_only_its_nodes(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 4, None).await;
    propose(&client, &hours.request(2, 1, 1)).await;
    propose(&client, &hours.request(3, 3, 3)).await;
    let part = format!("/api/v1/schedule?{}&first_node=1&last_node=2", hours.span(0, 4));
    let items = client.get(&part).await.ok(200)["items"].clone();
    assert_eq!((&items[0]["nodes"], &items[0]["node_ranges"]), (&json!(["n1"]), &json!([[1, 1]])));
    assert_eq!(items[1]["node_ranges"], json!([[1, 2]]));
    let part = format!("/api/v1/schedule?{}&first_node=3", hours.span(0, 4));
    assert_eq!(client.get(&part).await.ok(200)["items"], json!([]));
}

async fn a_coarse_power_profile_tells_the_most_reserved_and_the_least_cap(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 4, Some(700.0)).await;
    let lower = hours.agenda("cap_w", 1, &[500.0]);
    client.put("/api/v1/agendas/power-cap", &lower).await.ok(200);
    // A node of 200 W in hour 0, two in hour 1.
    propose(&client, &hours.request(1, 0, 0)).await;
    propose(&client, &hours.request(2, 1, 1)).await;
    let path = format!("/api/v1/power-profile?{}&columns=2", hours.span(0, 4));
    let steps = client.get(&path).await.ok(200)["steps"].clone();
    let told = |step: &Value| (step["reserved_power_w"].as_f64(), step["cap_w"].as_f64());
    assert_eq!(steps.as_array().unwrap().len(), 2);
    assert_eq!(
        (&steps[0]["start"], &steps[0]["end"]),
        (&json!(hours.hour(0)), &json!(hours.hour(2)))
    );
    assert_eq!(told(&steps[0]), (Some(400.0), Some(500.0)));
    assert_eq!(told(&steps[1]), (Some(0.0), Some(700.0)));
}

async fn pictures_of_a_wrong_part_are_refused(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    for query in
        ["rows=0", "columns=501", "first_node=3&last_node=2", "first_node=-1", "shape=round"]
    {
        let path = format!("/api/v1/occupancy?{query}");
        client.get(&path).await.problem(400, "invalid_parameter");
    }
    // Before there are nodes, none can be shown.
    client.get("/api/v1/occupancy").await.problem(400, "invalid_body");
    furnish(&client, 4, None).await;
    client.get("/api/v1/occupancy?first_node=4").await.problem(400, "invalid_body");
    client.get("/api/v1/schedule?first_node=3&last_node=2").await.problem(400, "invalid_parameter");
    client.get("/api/v1/power-profile?columns=0").await.problem(400, "invalid_parameter");
    client.get("/api/v1/nodes/powers?groups=0").await.problem(400, "invalid_parameter");
}

async fn nodes_stand_by_idle_power(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let empty = client.get("/api/v1/nodes/powers").await.ok(200);
    assert_eq!((&empty["count"], &empty["groups"]), (&json!(0), &json!([])));
    let mut nodes: Vec<Value> = (0..8)
        .map(|n| json!({ "name": format!("n{n}"), "idle_power_w": 107 - n, "max_power_w": 200 }))
        .collect();
    nodes.push(json!({ "name": "hot", "idle_power_w": 150, "max_power_w": 200 }));
    client.put("/api/v1/nodes", &json!(nodes)).await.ok(200);
    let powers = client.get("/api/v1/nodes/powers?groups=9").await.ok(200);
    assert_eq!(
        (&powers["groups"][0]["name"], &powers["groups"][8]["name"]),
        (&json!("n7"), &json!("hot"))
    );
    assert_eq!(
        (&powers["outliers"][0]["name"], &powers["outliers"][0]["by"]),
        (&json!("hot"), &json!(["idle"]))
    );
    let coarse = client.get("/api/v1/nodes/powers?groups=3").await.ok(200);
    assert_eq!(coarse["groups"].as_array().unwrap().len(), 3);
}

async fn a_million_nodes_are_as_small_as_four(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 4, None).await;
    let nodes =
        json!({ "classes": [{ "count": 1_000_000, "idle_power_w": 90, "max_power_w": 200 }] });
    client.put("/api/v1/nodes", &nodes).await.ok(200);
    propose(&client, &hours.request(250_000, 1, 1)).await;
    let path = format!("/api/v1/occupancy?{}&rows=40&columns=160", hours.span(0, 4));
    let answer = client.get(&path).await;
    assert!(answer.body.len() < 100_000, "{} bytes", answer.body.len());
    let held = answer.ok(200)["held"].clone();
    let cells = held.as_array().unwrap().iter().filter(|cell| **cell == json!(1000)).count();
    // A quarter of the rows for a quarter of the columns.
    assert_eq!(cells, 10 * 40);
    let powers = client.get("/api/v1/nodes/powers").await;
    assert!(powers.body.len() < 100_000, "{} bytes", powers.body.len());
}
