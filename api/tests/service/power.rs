//! Power now against what was planned, and what is told where nodes draw more.

use std::fmt::Write;
use std::path::PathBuf;

use reqwest::Method;
use serde_json::{Value, json};

use crate::client::Client;
use crate::cluster::{Hours, choose, furnish, instant, propose};
use crate::event_stream::Stream;
use crate::server::Server;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    power_now_is_told_against_what_was_planned,
    draw_above_plan_is_told_once_it_lasts_and_when_it_is_over,
}

const METERS: &str = "
[[meters]]
id = \"bmc\"
kind = \"push\"

[[meters]]
id = \"site\"
kind = \"push\"
covers = \"site\"

[metering]
excess_after_s = 0
";

/// Eight nodes, of which one reservation has two at 200 W each; it began 15 minutes ago. Its id, and the time.
async fn running(site: &Site) -> (Server, String, i64) {
    let server = site.serve().await;
    let client = server.client();
    let hours: Hours = furnish(&client, 8, Some(5000.0)).await;
    let held = propose(&client, &hours.request(2, 2, 2)).await;
    choose(&client, &held, "energy_cost_co2").await;
    server.kill();
    let now = hours.at(2) + 900;
    let clock = format!("{}={}@1", instant(crate::cluster::now()), instant(now));
    let path: PathBuf = site.folder().join("wattbook.toml");
    std::fs::write(&path, METERS).unwrap();
    let arguments = ["--config", path.to_str().unwrap(), "--clock", &clock];
    let server = site.serve_with(&arguments).await;
    (server, held["id"].as_str().unwrap().to_owned(), now)
}

async fn push(client: &Client, lines: &str) {
    let table = format!("meter,node,at,power_w\n{lines}");
    let taken = client.send_csv(Method::POST, "/api/v1/measurements", &table).await.ok(200);
    assert_eq!(taken["refused"], 0, "{taken}");
}

/// Two of eight nodes are reserved at 200 W each, the others draw 100 W idle: 1000 W are planned. One of each is
/// measured, at 150 W and 90 W where 200 W and 100 W were planned; a sample of ten minutes ago is of no use.
async fn power_now_is_told_against_what_was_planned(site: Site) {
    let (server, held, now) = running(&site).await;
    let client = server.client();
    let lines = format!(
        "bmc,n0,{recent},150\nbmc,n5,{recent},90\nbmc,n6,{old},90\n\
         site,Lyon,{recent},1700\n",
        recent = instant(now - 5),
        old = instant(now - 600)
    );
    push(&client, &lines).await;
    let power = client.get("/api/v1/power").await.ok(200);
    let of = |it: &Value| {
        let names = ["nodes", "measured_nodes", "measured_power_w", "planned_of_measured_w"];
        [&names[..], &["planned_power_w"]].concat().iter().map(|name| it[*name].clone()).collect()
    };
    let cluster: Vec<Value> = of(&power["cluster"]);
    assert_eq!(cluster, [json!(8), json!(2), json!(240.0), json!(300.0), json!(1000.0)]);
    let reserved: Vec<Value> = of(&power["reservations"][0]);
    assert_eq!(reserved, [json!(2), json!(1), json!(150.0), json!(200.0), json!(400.0)]);
    assert_eq!(power["reservations"][0]["reservation_id"], json!(held));
    let (cap, counted) = (&power["cap_w"], &power["reserved_power_w"]);
    assert_eq!((cap, counted), (&json!(5000.0), &json!(400.0)));
    assert_eq!((&power["site_power_w"], &power["partitions"]), (&json!(1700.0), &json!([])));
    let metrics = client.get("/metrics").await.body;
    assert!(metrics.contains("wattbook_measured_power_watts{partition=\"\"} 240"), "{metrics}");
    for (name, value) in [
        ("measured_nodes", 1),
        ("measured_power_watts", 150),
        ("planned_of_measured_watts", 200),
        ("planned_power_watts", 400),
    ] {
        let line = format!("\nwattbook_reservation_{name}{{reservation=\"{held}\"}} {value}\n");
        assert!(metrics.contains(&line), "{line}{metrics}");
    }
    // Others see what all draw, and reservations of their own.
    let eve = site.token("eve", "user");
    let seen = server.client().with_token(&eve).get("/api/v1/power").await.ok(200);
    assert_eq!((&seen["reservations"], &seen["cluster"]), (&json!([]), &power["cluster"]));
}

/// Both of its nodes draw 250 W where 200 W were planned of each; all eight together draw as planned: the six others 80 W
/// where 100 W were. Later one draws 150 W.
async fn draw_above_plan_is_told_once_it_lasts_and_when_it_is_over(site: Site) {
    let (server, held, now) = running(&site).await;
    let client = server.client();
    let (eve, olga) = (site.token("eve", "user"), site.token("olga", "operator"));
    let client = client.with_token(&olga);
    let mut told = Stream::opened(&client).await;
    let at = instant(now);
    let mut lines = format!("bmc,n0,{at},250\nbmc,n1,{at},250\n");
    for n in 2..8 {
        writeln!(lines, "bmc,n{n},{at},80").unwrap();
    }
    push(&client, &lines).await;
    let event = told.until("power.exceeded").await.pop().unwrap().data;
    let said = |event: &Value, name: &str| event[name].clone();
    assert_eq!(said(&event, "reservation_id"), json!(held));
    assert_eq!(said(&event, "measured_power_w"), json!(500.0));
    assert_eq!(
        (said(&event, "planned_power_w"), said(&event, "measured_nodes")),
        (json!(400.0), json!(2))
    );
    let power = client.get("/api/v1/power").await.ok(200);
    assert_eq!(power["above_plan_since"], Value::Null);
    assert_eq!(power["reservations"][0]["above_plan_since"], event["since"]);
    // It belongs to a local user, not to eve.
    let seen = server.client().with_token(&eve).get("/api/v1/power").await.ok(200);
    assert_eq!(seen["reservations"], json!([]));

    push(&client, &format!("bmc,n1,{},150\n", instant(now + 1))).await;
    let events = told.until("power.within_plan").await;
    assert_eq!(events.len(), 1, "it was told once: {events:?}");
    assert_eq!(events[0].data["measured_power_w"], json!(400.0));
    let power = client.get("/api/v1/power").await.ok(200);
    assert_eq!(power["reservations"][0]["above_plan_since"], Value::Null);
}
