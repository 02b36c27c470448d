//! Partitions, features and nodes left out.

use reqwest::Method;
use serde_json::{Value, json};

use crate::book::{assert_sound, assert_whole};
use crate::client::Client;
use crate::cluster::{Hours, choose, furnish, propose};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    labels_go_in_as_json_or_csv_and_come_out,
    requests_take_only_nodes_that_match,
    what_a_filter_names_must_be_there,
    another_utilisation_takes_its_own_least_drawing_nodes,
    a_late_choice_whose_partition_is_gone_says_so,
}

/// a to d draw 10, 20, 30 and 40 W: a and c are in gpu, c and d have nvme.
fn labelled() -> Value {
    json!([
        { "name": "a", "idle_power_w": 1, "max_power_w": 10, "partitions": ["gpu"] },
        { "name": "b", "idle_power_w": 1, "max_power_w": 20 },
        { "name": "c", "idle_power_w": 1, "max_power_w": 30,
          "partitions": ["gpu", "big"], "features": ["nvme"] },
        { "name": "d", "idle_power_w": 1, "max_power_w": 40, "features": ["nvme", "ib"] },
    ])
}

/// The labelled nodes, and the agendas of [`furnish`].
async fn furnish_labelled(client: &Client) -> Hours {
    let hours = furnish(client, 1, None).await;
    client.put("/api/v1/nodes", &labelled()).await.ok(200);
    hours
}

fn with(mut request: Value, members: &Value) -> Value {
    for (name, value) in members.as_object().unwrap() {
        request[name] = value.clone();
    }
    request
}

async fn labels_go_in_as_json_or_csv_and_come_out(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    client.put("/api/v1/nodes", &labelled()).await.ok(200);
    let nodes = client.get("/api/v1/nodes").await.ok(200)["nodes"].clone();
    assert_eq!(nodes[2]["partitions"], json!(["gpu", "big"]));
    assert_eq!(nodes[3]["features"], json!(["nvme", "ib"]));
    assert_eq!((nodes[1].get("partitions"), nodes[1].get("features")), (None, None));
    let table = "name,idle_power_w,max_power_w,partitions,features\n\
                 a,1,10,gpu,\nb,1,20,,\nc,1,30,gpu;big,nvme\nd,1,40,,nvme;ib\n";
    client.send_csv(Method::PUT, "/api/v1/nodes", table).await.ok(200);
    assert_eq!(client.get("/api/v1/nodes").await.ok(200)["nodes"], nodes);
    drop(server);
    let again = site.serve().await;
    assert_eq!(again.client().get("/api/v1/nodes").await.ok(200)["nodes"], nodes);
}

async fn requests_take_only_nodes_that_match(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish_labelled(&client).await;
    for (filter, expected) in [
        (json!({}), json!(["a", "b"])),
        (json!({ "partition": "gpu" }), json!(["a", "c"])),
        (json!({ "features": ["nvme"] }), json!(["c", "d"])),
        (json!({ "exclude": ["a", "c"] }), json!(["b", "d"])),
        (json!({ "only": ["d", "b"] }), json!(["b", "d"])),
        (json!({ "only": ["c", "b", "d"], "exclude": ["b"] }), json!(["c", "d"])),
        (json!({ "only": ["a", "c", "d"], "features": ["nvme"] }), json!(["c", "d"])),
        (json!({ "partition": null, "features": [], "exclude": [] }), json!(["a", "b"])),
    ] {
        let request = with(hours.request(2, 2, 2), &filter);
        let quote = client.post("/api/v1/quotes", &request).await.ok(200);
        assert_eq!(quote["offers"][0]["nodes"], expected, "{filter}");
    }
    let narrow = json!({ "partition": "gpu", "features": ["nvme"], "exclude": ["d"] });
    let both = with(hours.request(2, 2, 2), &narrow);
    let quote = client.post("/api/v1/quotes", &both).await.ok(200);
    assert_eq!(quote["decision"], "impossible");
    // What is booked by one filter is taken for all others.
    let request = with(hours.request(1, 2, 2), &narrow);
    let held = propose(&client, &request).await;
    assert_eq!(held["request"], request);
    assert_eq!(held["offers"][0]["nodes"], json!(["c"]));
    choose(&client, &held, "cost_co2_energy").await;
    let quote = client.post("/api/v1/quotes", &hours.request(3, 2, 2)).await.ok(200);
    assert_eq!(quote["offers"][0]["nodes"], json!(["a", "b", "d"]));
    assert_whole(&client.all_reservations().await, &assert_sound(&client, hours, None).await);
}

async fn what_a_filter_names_must_be_there(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish_labelled(&client).await;
    let filter = json!({
        "partition": "nvme", "features": ["ib", "gpu"], "exclude": ["a", "e", "b", "f"],
        "only": ["g", "a"],
    });
    let request = with(hours.request(1, 2, 2), &filter);
    for path in ["/api/v1/quotes", "/api/v1/reservations"] {
        let problem = client.post(path, &request).await.problem(400, "invalid_body");
        let errors = problem["errors"].as_array().unwrap();
        let pointers: Vec<&str> = errors.iter().map(|it| it["pointer"].as_str().unwrap()).collect();
        assert_eq!(pointers, ["/partition", "/features/1", "/exclude/1", "/exclude/3", "/only/0"]);
    }
    let wrong = json!({ "partition": 7, "features": "ib", "exclude": [""] });
    let request = with(hours.request(1, 2, 2), &wrong);
    let problem = client.post("/api/v1/quotes", &request).await.problem(400, "invalid_body");
    assert_eq!(problem["errors"].as_array().unwrap().len(), 3, "{problem}");
}

/// By maximum power x (100 W) comes before y (120 W); at rest y draws 10 W and x 90 W.
async fn another_utilisation_takes_its_own_least_drawing_nodes(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 1, None).await;
    let nodes = json!([
        { "name": "x", "idle_power_w": 90, "max_power_w": 100 },
        { "name": "y", "idle_power_w": 10, "max_power_w": 120 },
    ]);
    client.put("/api/v1/nodes", &nodes).await.ok(200);
    let idle = with(hours.request(1, 2, 2), &json!({ "utilisation": 0 }));
    let full = hours.request(1, 2, 2);
    assert_eq!(propose(&client, &idle).await["offers"][0]["nodes"], json!(["y"]));
    assert_eq!(propose(&client, &full).await["offers"][0]["nodes"], json!(["x"]));
    client.post("/api/v1/reservations", &idle).await.problem(422, "impossible");
}

async fn a_late_choice_whose_partition_is_gone_says_so(site: Site) {
    let server = site.serve_with(&["--hold-s", "1"]).await;
    let client = server.client();
    let hours = furnish_labelled(&client).await;
    let request = with(hours.request(1, 2, 2), &json!({ "partition": "big" }));
    let held = propose(&client, &request).await;
    crate::cluster::expire(&held).await;
    client.put("/api/v1/nodes", &crate::cluster::nodes(2)).await.ok(200);
    let path = format!("{}/choose", crate::cluster::path(&held));
    let late = client.post(&path, &json!({ "ranking": "cost_co2_energy" })).await;
    late.problem(409, "wrong_state");
}
