//! Reservations in a slower state: nodes are limited while these last, by a site's own command.

use serde_json::{Value, json};

use crate::client::Client;
use crate::cluster::{choose, furnish, instant, now, pass, path, propose};
use crate::event_stream::Stream;
use crate::machines::Machines;
use crate::power_management::{actions, nodes_of, served, until};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    nodes_are_limited_while_the_reservation_lasts_and_as_before_afterwards,
    a_limit_is_lifted_once_its_reservation_is_cancelled,
    who_is_killed_meanwhile_lifts_what_was_limited,
    a_node_whose_limit_is_not_lifted_is_out_of_service,
    without_a_right_nothing_runs_slower,
    another_slow_node_takes_the_place_of_one_that_fails,
}

/// Full speed draws 200 W at the most, half speed 120 W.
fn settings(machines: &Machines, level: &str) -> String {
    let program = machines.program();
    let driver = format!("kind = \"command\", program = \"{}\", limits = true", program.display());
    settings_of(&driver, level, 1)
}

/// With another driver, whose limits are seen so many seconds later.
pub fn settings_of(driver: &str, level: &str, patience_s: u32) -> String {
    format!(
        "[power]\nevery_s = 1\nfirst_wait_s = 1\nlongest_wait_s = 1\nlimit_patience_s = {patience_s}\n\
         driver = {{ {driver} }}\n\
         [[power.slower_states]]\npartition = \"batch\"\nname = \"p1\"\nspeed = 0.5\nmax_power_w = 120\n\
         [[power.rights]]\npartition = \"batch\"\nlevel = \"{level}\"\nactions = [\"limit\"]\n"
    )
}

/// Nodes of 100 W idle under a cap.
pub async fn furnished(client: &Client, count: u32, cap_w: f64) {
    furnish(client, count, Some(cap_w)).await;
    let node = |n: u32| json!({"name": format!("n{n}"), "idle_power_w": 100, "max_power_w": 200, "partitions": ["batch"]});
    client.put("/api/v1/nodes", &(0..count).map(node).collect()).await.ok(200);
}

/// Two nodes for the work of so many seconds at full speed, to begin in three seconds.
fn request(work_s: i64, slowest_speed: f64) -> (Value, i64) {
    request_in(3, work_s, slowest_speed)
}

fn request_in(in_s: i64, work_s: i64, slowest_speed: f64) -> (Value, i64) {
    let start = now() + in_s;
    let request = json!({
        "nodes": 2, "duration_s": work_s, "slowest_speed": slowest_speed, "search": {"mode": "exact"},
        "earliest_start": instant(start), "latest_start": instant(start),
    });
    (request, start)
}

/// Books it; a cap of 300 W leaves no room for two nodes at full speed.
async fn booked(client: &Client, work_s: i64) -> (Value, i64) {
    booked_in(client, 3, work_s).await
}

pub async fn booked_in(client: &Client, in_s: i64, work_s: i64) -> (Value, i64) {
    let (request, start) = request_in(in_s, work_s, 0.5);
    let held = propose(client, &request).await;
    (choose(client, &held, "energy_cost_co2").await, start)
}

async fn until_limited(machines: &Machines, nodes: &[&str], limit: &str) {
    until(&format!("{nodes:?} are limited to {limit}"), || async {
        nodes.iter().all(|node| machines.limit(node) == limit)
    })
    .await;
}

/// At full speed two nodes count 400 W, at half speed 240 W for twice as long. Somebody limited n1 to 180 W before.
async fn nodes_are_limited_while_the_reservation_lasts_and_as_before_afterwards(site: Site) {
    let machines = Machines::of(&site);
    machines.set_limit("n1", 180);
    let server = served(&site, &settings(&machines, "automatic")).await;
    let client = server.client();
    furnished(&client, 3, 300.0).await;
    let (full, _) = request(4, 1.0);
    let told = client.post("/api/v1/quotes", &full).await.ok(200);
    assert_eq!(told["decision"], "impossible", "{told:#}");
    let (reservation, start) = booked(&client, 4).await;
    let offer = &reservation["offers"][0];
    let told = [&offer["power_state"], &offer["speed"], &offer["later_s"], &offer["peak_power_w"]];
    assert_eq!(told, [&json!("p1"), &json!(0.5), &json!(4), &json!(240.0)]);
    assert_eq!(offer["end"], json!(instant(start + 8)));
    assert_eq!(reservation["request"]["slowest_speed"], 0.5);
    let span = format!("from={}&to={}", instant(start), instant(start + 8));
    let profile = client.get(&format!("/api/v1/power-profile?{span}")).await.ok(200);
    assert_eq!(profile["steps"][0]["reserved_power_w"], 240.0, "{profile:#}");
    // 60 W are left.
    let mut third = request(4, 0.5).0;
    third["nodes"] = json!(1);
    let told = client.post("/api/v1/quotes", &third).await.ok(200);
    assert_eq!(told["decision"], "impossible", "{told:#}");

    let nodes = nodes_of(&client, &reservation).await;
    assert_eq!(nodes, ["n0", "n1"]);
    pass(start).await;
    assert_eq!([machines.limit("n0"), machines.limit("n1")], ["120", "120"]);
    assert_eq!(machines.limit("n2"), "none");
    pass(start + 8).await;
    until_limited(&machines, &["n0"], "none").await;
    until_limited(&machines, &["n1"], "180").await;
    until("all is done", || async { actions(&client, "state=final").await.len() == 4 }).await;
    let done = actions(&client, "state=final").await;
    assert!(done.iter().all(|it| it["state"] == "done"), "{done:#?}");
    assert!(done.iter().all(|it| it["reservation_id"] == reservation["id"]), "{done:#?}");
    let words: Vec<(&Value, &Value)> =
        done.iter().map(|it| (&it["action"], &it["limit_w"])).collect();
    assert_eq!(words.iter().filter(|it| *it.0 == "limit" && *it.1 == 120.0).count(), 2);
    assert_eq!(words.iter().filter(|it| *it.0 == "lift" && it.1.is_null()).count(), 1);
    assert_eq!(words.iter().filter(|it| *it.0 == "lift" && *it.1 == 180.0).count(), 1);
}

async fn a_limit_is_lifted_once_its_reservation_is_cancelled(site: Site) {
    let machines = Machines::of(&site);
    let server = served(&site, &settings(&machines, "automatic")).await;
    let client = server.client();
    furnished(&client, 2, 300.0).await;
    let (reservation, _) = booked(&client, 600).await;
    until_limited(&machines, &["n0", "n1"], "120").await;
    client.delete(&path(&reservation)).await.ok(200);
    until_limited(&machines, &["n0", "n1"], "none").await;
}

async fn who_is_killed_meanwhile_lifts_what_was_limited(site: Site) {
    let machines = Machines::of(&site);
    let text = settings(&machines, "automatic");
    let server = served(&site, &text).await;
    let client = server.client();
    furnished(&client, 2, 300.0).await;
    let (_, start) = booked(&client, 3).await;
    until_limited(&machines, &["n0", "n1"], "120").await;
    server.kill();
    pass(start + 7).await;
    assert_eq!(machines.limit("n0"), "120", "nobody was there to lift it");
    let _server = served(&site, &text).await;
    until_limited(&machines, &["n0", "n1"], "none").await;
}

/// Three orders without effect, each followed for a second: given up, and told. The other node is free again.
async fn a_node_whose_limit_is_not_lifted_is_out_of_service(site: Site) {
    let machines = Machines::of(&site);
    let server = served(&site, &settings(&machines, "automatic")).await;
    let client = server.client();
    furnished(&client, 2, 300.0).await;
    let (_, start) = booked(&client, 3).await;
    machines.get_stuck("n0");
    let mut stream = Stream::opened(&client).await;
    pass(start + 6).await;
    let told = stream.until("power_action.given_up").await.pop().unwrap();
    assert_eq!((&told.data["node"], &told.data["action"]), (&json!("n0"), &json!("lift")));
    until("n0 is out of service", || async {
        let outages = client.get("/api/v1/outages").await.ok(200);
        outages["items"].as_array().unwrap().iter().any(|it| {
            it["nodes"] == json!(["n0"])
                && it["reason"].as_str().unwrap().starts_with("its power limit was not lifted")
        })
    })
    .await;
    until_limited(&machines, &["n1"], "none").await;
}

async fn without_a_right_nothing_runs_slower(site: Site) {
    let machines = Machines::of(&site);
    let server = served(&site, &settings(&machines, "with_approval")).await;
    let client = server.client();
    furnished(&client, 2, 300.0).await;
    let told = client.post("/api/v1/quotes", &request(4, 0.5).0).await.ok(200);
    assert_eq!(told["decision"], "impossible", "{told:#}");
    let wrong =
        client.post("/api/v1/quotes", &request(4, 0.0).0).await.problem(400, "invalid_body");
    assert_eq!(wrong["errors"][0]["pointer"], "/slowest_speed", "{wrong:#}");
}

/// 240 W are reserved of 300 W; the node that comes counts 120 W in the place of 120 W, where at full speed it would count
/// 80 W more than are left.
async fn another_slow_node_takes_the_place_of_one_that_fails(site: Site) {
    let machines = Machines::of(&site);
    let server = served(&site, &settings(&machines, "automatic")).await;
    let client = server.client();
    furnished(&client, 3, 300.0).await;
    let (reservation, _) = booked(&client, 600).await;
    until_limited(&machines, &["n0", "n1"], "120").await;
    let mut stream = Stream::opened(&client).await;
    let outage = json!({"nodes": ["n1"], "start": instant(now()), "reason": "fans"});
    client.post("/api/v1/outages", &outage).await.ok(201);
    stream.until("reservation.nodes_replaced").await;
    assert_eq!(nodes_of(&client, &reservation).await, ["n0", "n2"]);
    let told = client.get(&path(&reservation)).await.ok(200);
    assert_eq!(told["offers"][0]["peak_power_w"], 240.0, "{told:#}");
    until_limited(&machines, &["n0", "n2"], "120").await;
    until_limited(&machines, &["n1"], "none").await;
}
