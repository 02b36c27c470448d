//! Nodes that the resource manager withholds: not offered, taken from reservations, and told of where
//! they are out of service. Another process than the service says so to the database, as one would that
//! keeps both sides equal.

use std::time::Duration;

use planner::node_set::NodeSet;
use planner::time::Timestamp;
use reqwest::Method;
use serde_json::{Value, json};
use storage::{Database, OutageKind, WantedLease, Withheld};

use crate::client::answer;
use crate::cluster::{Hours, choose, furnish, now, path, propose};
use crate::dialogue::until;
use crate::server::Server;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    nodes_that_are_withheld_are_not_offered_and_only_those_out_of_service_are_listed,
    reservations_get_others_for_nodes_that_are_occupied,
}

/// Like nodes rank in input order.
fn withheld(key: &str, kind: OutageKind, reason: &str, node: u32, end: Option<i64>) -> Withheld {
    let at = Timestamp::from_unix_seconds;
    Withheld {
        key: key.to_owned(),
        kind,
        reason: reason.to_owned(),
        start: at(now()),
        end: end.map(at),
        ranks: NodeSet::from_positions([node]),
    }
}

fn job(node: u32, hours: Hours) -> Withheld {
    let reason = format!("job 7 of alice runs there until {}", hours.hour(4));
    withheld("job 7", OutageKind::Occupied, &reason, node, Some(hours.at(4)))
}

/// The service while the other process holds the lease of the resource manager: a service without one in
/// its settings that held it would take back what is withheld.
async fn serve(site: &Site) -> Server {
    let database = Database::connect(&site.database).await.unwrap();
    let (name, lasts) = ("slurm".to_owned(), Duration::from_hours(1));
    let lease = WantedLease { name, lasts, seen: None };
    assert_eq!(database.take_leases("another", &[lease]).await.unwrap(), ["slurm"]);
    database.close().await;
    site.serve().await
}

async fn put(site: &Site, list: &[Withheld]) {
    let database = Database::connect(&site.database).await.unwrap();
    let epoch = database.current_epoch().await.unwrap().unwrap();
    let now = Timestamp::from_unix_seconds(now());
    database.put_withheld(epoch, now, list).await.unwrap();
    database.close().await;
}

async fn nodes_that_are_withheld_are_not_offered_and_only_those_out_of_service_are_listed(
    site: Site,
) {
    let server = serve(&site).await;
    let client = server.client();
    let hours = furnish(&client, 4, None).await;
    let drained = withheld("node n3", OutageKind::OutOfService, "drained: bad fan", 3, None);
    put(&site, &[job(0, hours), drained]).await;
    // The job has n0 until hour 4, and n3 is gone for good.
    for (hour, expected) in [(3, json!(["n1", "n2"])), (4, json!(["n0", "n1"]))] {
        let quote = client.post("/api/v1/quotes", &hours.request(2, hour, hour)).await.ok(200);
        assert_eq!(quote["offers"][0]["nodes"], expected, "hour {hour}");
    }
    client.post("/api/v1/reservations", &hours.request(3, 3, 3)).await.problem(422, "impossible");
    let listed = client.get("/api/v1/outages").await.ok(200);
    let [outage] = listed["items"].as_array().unwrap().as_slice() else { panic!("{listed:#}") };
    let told = ["owner", "reason", "nodes", "end"].map(|field| outage[field].clone());
    assert_eq!(told, [json!("slurm"), json!("drained: bad fan"), json!(["n3"]), Value::Null]);
    let occupancy = format!("/api/v1/occupancy?{}&rows=4&columns=1", hours.span(3, 4));
    let occupancy = client.get(&occupancy).await.ok(200);
    assert_eq!(occupancy["out"], json!([0, 0, 0, 1000]));
    // It ends where it is told of.
    let outage = format!("/api/v1/outages/{}", outage["id"].as_str().unwrap());
    let problem = client.delete(&outage).await.problem(409, "managed_outage");
    assert!(problem["detail"].as_str().unwrap().contains("resource manager"), "{problem:#}");
    let change = client.request(Method::PATCH, &outage).json(&json!({ "reason": "fans" }));
    answer(change).await.problem(409, "managed_outage");
    put(&site, &[]).await;
    assert_eq!(client.get("/api/v1/outages").await.ok(200)["items"], json!([]));
    client.post("/api/v1/quotes", &hours.request(4, 3, 3)).await.ok(200);
}

async fn reservations_get_others_for_nodes_that_are_occupied(site: Site) {
    let server = serve(&site).await;
    let client = server.client();
    let hours = furnish(&client, 3, None).await;
    let held = propose(&client, &hours.request(2, 2, 2)).await;
    let chosen = choose(&client, &held, "energy_cost_co2").await;
    put(&site, &[job(1, hours)]).await;
    let mended =
        until(&client, &path(&chosen), |it| it["notice"]["code"] == "nodes_replaced").await;
    let detail = mended["notice"]["detail"].as_str().unwrap();
    let until_hour_4 = hours.hour(4);
    let expected = format!(
        "node n2 took the place of n1, occupied: job 7 of alice runs there until {until_hour_4}"
    );
    assert_eq!(detail, expected);
    // No others are free when n2 is occupied too.
    let second = withheld("job 8", OutageKind::Occupied, "job 8 runs there", 2, None);
    put(&site, &[job(1, hours), second]).await;
    let degraded = until(&client, &path(&chosen), |it| it["degraded"] == true).await;
    let detail = degraded["notice"]["detail"].as_str().unwrap();
    let expected = "1 of its 2 nodes (n2) is occupied: job 8 runs there; no others";
    assert!(detail.starts_with(expected), "{detail}");
    // Jobs that end early free their nodes.
    put(&site, &[job(1, hours)]).await;
    until(&client, &path(&chosen), |it| it["degraded"] == false).await;
}
