//! `wattbook slurm check` and `diff`: whether both sides agree, differ, or cannot be compared.

use std::time::Duration;

use serde_json::{Value, json};

use crate::bridge::{Bridge, wanted};
use crate::nodes::Nodes;
use crate::on_slurm::on_slurm;
use crate::peer::{Peer, SeenReservation};
use crate::site::Site;

on_slurm! {
    both_sides_are_compared_from_a_terminal,
    what_does_not_fit_is_found_by_a_check,
}

/// What `wattbook slurm` printed, and its exit status.
struct Said {
    status: Option<i32>,
    out: String,
    err: String,
}

impl Said {
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}

fn say(bridge: &Bridge, line: &str) -> Said {
    let line = format!("slurm {line} --config wattbook.toml");
    let output = bridge.site.command(&line.split(' ').collect::<Vec<_>>()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Said { status: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// A comparison as a table and as JSON, which must end with this status.
#[track_caller]
fn compared(bridge: &Bridge, command: &str, status: i32) -> (Said, Value) {
    let (table, json) = (say(bridge, command), say(bridge, &format!("{command} --format json")));
    for said in [&table, &json] {
        assert_eq!(said.status, Some(status), "{}{}", said.out, said.err);
    }
    let document = json.json();
    (table, document)
}

/// All nodes, since what somebody else booked there would be unknown. The service is stopped: it would mend
/// what the test breaks.
async fn both_sides_are_compared_from_a_terminal(site: Site) {
    let peer = Peer::of_environment();
    let nodes = Nodes::all(&peer).await;
    let bridge = Bridge::new(site, peer, nodes, "");
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    let first = wanted(&bridge.book(&alice, &Bridge::request(2, 600, 7200, 7200)).await);
    bridge.book(&alice, &Bridge::request(3, 600, 7200, 7200)).await;
    server.kill();
    // What was put in order in the second in which Slurm is read counts as put in order after it.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let (table, document) = compared(&bridge, "diff", 0);
    let equal = "16 nodes that both have; reservations: 2 in force, 0 waiting, 0 failed, 0 lost\n";
    assert_eq!(table.out, equal);
    assert_eq!(document["counts"]["in_force"], 2, "{document}");

    let (name, seen) = &first;
    bridge.peer.scontrol(&format!("delete reservationname={name}"));
    let (table, document) = compared(&bridge, "diff", 4);
    assert!(table.out.contains(&format!("reservation {name}: it is not there")), "{}", table.out);
    let differences = document["differences"].as_array().unwrap();
    assert_eq!(
        (differences.len(), &differences[0]["reservation"]),
        (1, &json!(name)),
        "{document}"
    );

    // With other nodes it differs, and made by hand as it was both are equal again.
    bridge.make(name, &SeenReservation { nodes: ["n16".to_owned()].into(), ..seen.clone() });
    let (table, _) = compared(&bridge, "diff", 4);
    assert!(table.out.contains("n16"), "{}", table.out);
    bridge.peer.scontrol(&format!("delete reservationname={name}"));
    bridge.make(name, seen);
    compared(&bridge, "diff", 0);

    let foreign = "wattbook-0198f6b0-0000-7000-8000-000000000001";
    bridge.make(foreign, &SeenReservation { nodes: ["n16".to_owned()].into(), ..seen.clone() });
    let (table, document) = compared(&bridge, "diff", 4);
    assert!(table.out.contains("it is none of ours"), "{}", table.out);
    assert_eq!(document["unknown_reservations"], json!([foreign]));
    bridge.peer.scontrol(&format!("delete reservationname={foreign}"));
    compared(&bridge, "diff", 0);

    // Names of nodes that only one side has.
    let server = bridge.serve().await;
    let operator = bridge.operator(&server);
    let node = |name: &str| json!({ "name": name, "idle_power_w": 100, "max_power_w": 200 });
    let names = bridge.nodes.names.iter().take(15).map(String::as_str).chain(["zz7"]);
    operator.put("/api/v1/nodes", &names.map(node).collect()).await.ok(200);
    server.kill();
    let (table, document) = compared(&bridge, "diff", 4);
    let nodes = &document["nodes"];
    assert_eq!((&nodes["unknown"], &nodes["missing"]), (&json!(["n16"]), &json!(["zz7"])));
    assert!(table.out.contains("node n16: only Slurm has it"), "{}", table.out);
}

async fn what_does_not_fit_is_found_by_a_check(site: Site) {
    let bridge = Bridge::of_a_quarter(site).await;
    // There is a database once there is a token in it.
    let (table, document) = compared(&bridge, "check", 0);
    assert!(table.out.contains(&bridge.peer.version), "{}", table.out);
    assert_eq!(document["agrees"], true, "{document}");
    let way =
        if bridge.peer.version.starts_with("22.") { "by scontrol" } else { "by slurmrestd v0.0.4" };
    assert!(detail(&document, "writes").1.starts_with(way), "{document}");
    assert_eq!(
        detail(&document, "partitions").1,
        format!("4 nodes in {}", bridge.nodes.partitions)
    );

    bridge.replace_in_settings("cluster = \"", "cluster = \"not-");
    let (table, document) = compared(&bridge, "check", 4);
    assert_eq!((detail(&document, "cluster").0, &document["agrees"]), ("differs", &json!(false)));
    assert!(table.out.contains("differs"), "{}", table.out);
    bridge.replace_in_settings("cluster = \"not-", "cluster = \"");
    bridge.replace_in_settings("user = \"root\"", "user = \"alice\"");
    let (_, document) = compared(&bridge, "check", 4);
    assert_eq!(detail(&document, "rights").0, "differs", "{document}");
    bridge.replace_in_settings("user = \"alice\"", "user = \"root\"");

    // Nobody listens there.
    bridge.replace_in_settings(&bridge.peer.rest, "http://127.0.0.1:1");
    let (_, document) = compared(&bridge, "check", 1);
    assert_eq!(detail(&document, "connection").0, "unknown", "{document}");
    let (table, document) = compared(&bridge, "diff", 1);
    assert_eq!((&document["state"], table.out.as_str()), (&json!("unreachable"), ""), "{document}");
    assert!(table.err.contains("error: "), "{}", table.err);
}

/// State and detail of a finding of `check`.
fn detail<'a>(document: &'a Value, check: &str) -> (&'a str, &'a str) {
    let mut all = document["checks"].as_array().unwrap().iter();
    let found = all.find(|it| it["check"] == check).unwrap();
    (found["state"].as_str().unwrap(), found["detail"].as_str().unwrap())
}
