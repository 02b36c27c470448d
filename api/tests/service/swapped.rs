//! Nodes of reservations that are swapped for others, when their owners ask for it.

use reqwest::Method;
use serde_json::{Value, json};

use crate::book::{assert_sound, assert_whole};
use crate::booking::say;
use crate::client::{Answer, Client, answer};
use crate::cluster::{Hours, choose, furnish, instant, now, path, propose};
use crate::event_stream::Stream;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    a_named_node_is_swapped_and_the_others_are_kept,
    what_runs_gets_another_node_from_now_on,
    where_no_other_is_free_it_is_told_when_one_will_be,
    other_nodes_keep_the_cap,
    only_who_may_change_it_swaps,
    nodes_on_which_jobs_run_are_not_swapped,
}

async fn booked(client: &Client, request: &Value) -> Value {
    choose(client, &propose(client, request).await, "cost_co2_energy").await
}

async fn swap(client: &Client, reservation: &Value, body: &Value) -> Answer {
    client.post(&format!("{}/swap", path(reservation)), body).await
}

/// Names of the nodes of the chosen offer.
fn names(reservation: &Value) -> &Value {
    let offers = reservation["offers"].as_array().unwrap();
    let chosen = offers.iter().find(|it| it["offer_id"] == reservation["chosen_offer_id"]);
    &chosen.unwrap()["nodes"]
}

/// Two of four nodes of 200 W. In the place of n0 comes n2, the first that is free; the energy stays.
async fn a_named_node_is_swapped_and_the_others_are_kept(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 4, Some(800.0)).await;
    let reservation = booked(&client, &hours.request(2, 2, 2)).await;
    assert_eq!(names(&reservation), &json!(["n0", "n1"]));
    swap(&client, &reservation, &json!({})).await.problem(409, "nothing_to_swap");
    for (body, pointer) in [
        (json!({ "nodes": ["n0", "n3"] }), "/nodes/1"),
        (json!({ "nodes": [] }), "/nodes"),
        (json!({ "nodes": "n0" }), "/nodes"),
        (json!({ "node_names": ["n0"] }), "/node_names"),
    ] {
        let problem = swap(&client, &reservation, &body).await.problem(400, "invalid_body");
        assert_eq!(problem["errors"][0]["pointer"], pointer, "{body}: {problem}");
    }
    let before = client.get(&path(&reservation)).await.ok(200);
    let mut stream = Stream::opened(&client).await;
    let swapped = swap(&client, &reservation, &json!({ "nodes": ["n0"] })).await.ok(200);
    assert_eq!(names(&swapped), &json!(["n1", "n2"]));
    for field in ["state", "start", "end", "chosen_offer_id", "degraded", "now_expected"] {
        assert_eq!(swapped[field], before[field], "{field}");
    }
    let notice = &swapped["notice"];
    assert_eq!(notice["code"], "nodes_replaced");
    assert_eq!(
        (&notice["replaced"][0]["lost"]["nodes"], &notice["replaced"][0]["by"]["nodes"]),
        (&json!(["n0"]), &json!(["n2"]))
    );
    assert_eq!(notice["detail"], "node n2 took the place of n0, as was asked for");
    stream.until("reservation.nodes_replaced").await;
    let held = assert_sound(&client, hours, Some(800.0)).await;
    assert_whole(&client.all_reservations().await, &held);
    // n0 is free for others.
    let mut on_n0 = hours.request(1, 2, 2);
    on_n0["only"] = json!(["n0"]);
    client.post("/api/v1/reservations", &on_n0).await.ok(201);
}

/// A quarter of an hour after its begin n1 is swapped: until then it had n0 and n1, since then n0 and n2.
async fn what_runs_gets_another_node_from_now_on(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours: Hours = furnish(&client, 3, None).await;
    let reservation = booked(&client, &hours.request(2, 2, 2)).await;
    server.kill();
    let clock = format!("{}={}@1", instant(now()), instant(hours.at(2) + 900));
    let server = site.serve_with(&["--clock", &clock]).await;
    let client = server.client();
    let swapped = swap(&client, &reservation, &json!({ "nodes": ["n1"] })).await.ok(200);
    assert_eq!((&swapped["state"], names(&swapped)), (&json!("active"), &json!(["n0", "n2"])));
    assert_eq!(swapped["end"], reservation["end"]);
    let from = crate::cluster::seconds(&swapped["notice"]["replaced"][0]["from"]);
    assert!((hours.at(2) + 900..hours.at(2) + 1800).contains(&from), "{swapped}");
    // All nodes draw the same: 2 nodes of 200 W for an hour are 0.4 kWh still.
    let offers = swapped["offers"].as_array().unwrap();
    let offer = offers.iter().find(|it| it["offer_id"] == swapped["chosen_offer_id"]).unwrap();
    assert_eq!(offer["energy_j"], json!(1_440_000.0));
    assert_sound(&client, hours, None).await;
}

/// Ada's node in hours 2 and 3; the only other one is taken in hour 2. From hour 3 on it is free.
async fn where_no_other_is_free_it_is_told_when_one_will_be(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 2, None).await;
    let mut long = hours.request(1, 2, 2);
    long["duration_s"] = json!(7200);
    let reservation = booked(&client, &long).await;
    let other = booked(&client, &hours.request(1, 2, 2)).await;
    let before = client.get(&path(&reservation)).await.ok(200);
    let body = json!({ "nodes": names(&reservation) });
    let problem = swap(&client, &reservation, &body).await.problem(409, "no_other_nodes");
    assert_eq!(problem["free_from"], hours.hour(3));
    assert_eq!(problem["errors"][0]["pointer"], "/nodes");
    assert_eq!(client.get(&path(&reservation)).await.ok(200), before);
    // Out of service to the end, it never is.
    let out = json!({ "nodes": names(&other), "start": hours.hour(3), "reason": "fans" });
    client.post("/api/v1/outages", &out).await.ok(201);
    let problem = swap(&client, &reservation, &body).await.problem(409, "no_other_nodes");
    assert_eq!(problem["free_from"], Value::Null);
}

/// n0 draws 200 W under a cap of 300 W, and n1 would draw 400 W.
async fn other_nodes_keep_the_cap(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 1, Some(300.0)).await;
    let node = |name: &str, max_w: f64| json!({ "name": name, "idle_power_w": 100.0, "max_power_w": max_w });
    let nodes = json!([node("n0", 200.0), node("n1", 400.0)]);
    client.put("/api/v1/nodes", &nodes).await.ok(200);
    let reservation = booked(&client, &hours.request(1, 2, 2)).await;
    assert_eq!(names(&reservation), &json!(["n0"]));
    let body = json!({ "nodes": ["n0"] });
    let problem = swap(&client, &reservation, &body).await.problem(409, "no_other_nodes");
    assert!(problem["detail"].as_str().unwrap().contains("power cap"), "{problem}");
}

async fn only_who_may_change_it_swaps(site: Site) {
    let [ada, bob, olga] = [("ada", "user"), ("bob", "user"), ("olga", "operator")]
        .map(|(owner, role)| site.token(owner, role));
    let server = site.serve().await;
    let [ada, bob, olga] = [&ada, &bob, &olga].map(|token| server.client().with_token(token));
    let hours = furnish(&olga, 3, None).await;
    let held = propose(&ada, &hours.request(1, 2, 2)).await;
    let n0 = json!({ "nodes": ["n0"] });
    swap(&ada, &held, &n0).await.problem(409, "wrong_state");
    let reservation = choose(&ada, &held, "cost_co2_energy").await;
    swap(&bob, &reservation, &n0).await.problem(404, "not_found");
    let route = format!("{}/swap", path(&reservation));
    let stale = ada.request(Method::POST, &route).header("If-Match", "\"99\"").json(&n0);
    answer(stale).await.problem(412, "version_mismatch");
    let with_bob = json!({ "with": ["bob"], "may": "use" });
    ada.post(&format!("{}/share", path(&reservation)), &with_bob).await.ok(200);
    swap(&bob, &reservation, &n0).await.problem(403, "forbidden");
    assert_eq!(names(&swap(&olga, &reservation, &n0).await.ok(200)), &json!(["n1"]));
    ada.delete(&path(&reservation)).await.ok(200);
    swap(&ada, &reservation, &json!({ "nodes": ["n1"] })).await.problem(409, "wrong_state");
}

/// Ada's job 7 runs on n0, the second node of the reservation is idle, and both fail. Slurm does not answer, so that what
/// was last heard of the job stands.
async fn nodes_on_which_jobs_run_are_not_swapped(site: Site) {
    let slurm =
        "[slurm]\nrest = \"http://127.0.0.1:1\"\nmode = \"drive\"\ntoken = { file = \"token\" }\n";
    std::fs::write(site.folder().join("wattbook.toml"), slurm).unwrap();
    std::fs::write(site.folder().join("token"), "x").unwrap();
    let server = site.serve_with(&["--config", "wattbook.toml"]).await;
    let client = server.client();
    let hours = furnish(&client, 4, None).await;
    let reservation = booked(&client, &hours.request(2, 2, 2)).await;
    let id = reservation["id"].as_str().unwrap();
    let id =
        if site.is_postgres() { format!("'{id}'") } else { format!("X'{}'", id.replace('-', "")) };
    let begun = now() - 60;
    site.execute(format!(
        "INSERT INTO managed_jobs (id, submitted_s, reservation_id, user_name, account, partition_name, job_name, state,
            phase, start_s, end_s, limit_s, nodes, ran_in, energy_uj, raw_id)
        VALUES ('7', {begun}, {id}, 'ada', '', 'batch', 'a', 'RUNNING', 'running', {begun}, NULL, NULL, 'n0', 'r', NULL, 7)"
    ))
    .await;
    let both = json!({ "nodes": ["n0", "n1"] });
    for body in [json!({ "nodes": ["n0"] }), both] {
        let refused = swap(&client, &reservation, &body).await.problem(409, "has_jobs");
        assert!(refused["detail"].as_str().unwrap().contains('7'), "{refused}");
        assert_eq!(refused["errors"][0]["pointer"], "/nodes");
    }
    let swapped = swap(&client, &reservation, &json!({ "nodes": ["n1"] })).await.ok(200);
    assert_eq!(names(&swapped), &json!(["n0", "n2"]));
    site.execute("UPDATE managed_jobs SET phase = 'ended', state = 'COMPLETED'").await;
    let swapped = swap(&client, &reservation, &json!({ "nodes": ["n0"] })).await.ok(200);
    assert_eq!(names(&swapped), &json!(["n1", "n2"]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_is_swapped_from_a_terminal() {
    let site = Site::sqlite();
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 2, None).await;
    let reservation = booked(&client, &hours.request(1, 2, 2)).await;
    let id = reservation["id"].as_str().unwrap();
    let nothing = say(&server, &format!("swap {id}"));
    assert_eq!(nothing.code, Some(4), "{}", nothing.err);
    let swapped = say(&server, &format!("swap {id} --nodes n0 --format json")).json();
    assert_eq!(names(&swapped), &json!(["n1"]));
    assert_eq!(say(&server, &format!("swap {id} --nodes n9")).code, Some(2));
}
