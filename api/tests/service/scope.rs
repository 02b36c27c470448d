//! What the power cap limits: reserved nodes, or the whole cluster with its idle nodes.

use serde_json::json;

use crate::cluster::{choose, furnish, propose};
use crate::site::{Site, on_both_engines, wattbook};

on_both_engines! {
    a_cap_of_all_nodes_counts_idle_ones,
    a_cap_of_reserved_nodes_counts_these_alone,
}

/// Ten nodes of 100 W idle and 200 W at most: idle they draw 1000 W, and each one reserved draws
/// 100 W more. Under 1250 W two can be reserved at once.
async fn a_cap_of_all_nodes_counts_idle_ones(site: Site) {
    let server = site.serve_with(&["--power-cap-scope", "all_nodes"]).await;
    let client = server.client();
    let hours = furnish(&client, 10, Some(1250.0)).await;
    let three = client.post("/api/v1/quotes", &hours.request(3, 2, 2)).await.ok(200);
    assert_eq!(three["reasons"][0]["code"], "power_cap");
    assert_eq!(three["reasons"][0]["binding"]["missing_power_w"], 50.0);
    let two = propose(&client, &hours.request(2, 2, 2)).await;
    assert_eq!(two["offers"][0]["peak_power_w"], 400.0);
    choose(&client, &two, "cost_co2_energy").await;
    client.post("/api/v1/reservations", &hours.request(1, 2, 2)).await.problem(422, "impossible");
    let path = format!("/api/v1/power-profile?{}", hours.span(2, 4));
    let profile = client.get(&path).await.ok(200);
    assert_eq!(profile["cap_scope"], "all_nodes");
    assert_eq!(profile["base_power_w"], 1000.0);
    let step = |hour: usize| profile["steps"][hour].clone();
    assert_eq!(step(0)["reserved_power_w"], 1200.0);
    assert_eq!(step(0)["confirmed_power_w"], 1200.0);
    assert_eq!(step(0)["headroom_w"], 50.0);
    assert_eq!(step(1)["reserved_power_w"], 1000.0);
}

/// The same site: 1250 W are six nodes of 200 W.
async fn a_cap_of_reserved_nodes_counts_these_alone(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 10, Some(1250.0)).await;
    client.post("/api/v1/reservations", &hours.request(7, 2, 2)).await.problem(422, "impossible");
    propose(&client, &hours.request(6, 2, 2)).await;
    let path = format!("/api/v1/power-profile?{}", hours.span(2, 4));
    let profile = client.get(&path).await.ok(200);
    assert_eq!(profile["cap_scope"], "reserved_nodes");
    assert_eq!(profile["base_power_w"], 0.0);
    assert_eq!(profile["steps"][0]["reserved_power_w"], 1200.0);
    assert_eq!(profile["steps"][0]["confirmed_power_w"], json!(0.0));
}

#[test]
fn an_unknown_scope_is_refused_by_name() {
    let output = wattbook(&["serve", "--power-cap-scope", "idle"]).output().unwrap();
    assert!(!output.status.success());
    let log = String::from_utf8(output.stderr).unwrap();
    assert!(log.contains("power_cap_scope") && log.contains("all_nodes"), "{log}");
}
