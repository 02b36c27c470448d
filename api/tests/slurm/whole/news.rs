//! Nodes that Slurm gets, loses and renames: it is told once, and nodes are known again after a restart of the service.

use serde_json::{Value, json};

use crate::bridge::{Bridge, until};
use crate::client::Client;
use crate::event_stream::Stream;
use crate::nodes::Nodes;
use crate::on_slurm::on_slurm;
use crate::peer::Peer;
use crate::site::Site;

on_slurm! {
    nodes_that_come_go_and_change_their_names_are_told,
}

/// What Slurm calls nodes, and the ports behind the names.
type Named<'a> = (&'a str, u32);

/// Slurm's settings with other nodes in the place of n16; as they were when dropped.
struct OtherNodes {
    peer: Peer,
    text: String,
    /// The port of n16.
    port: u32,
}

impl OtherNodes {
    fn of(peer: &Peer) -> Self {
        let text = std::fs::read_to_string(&peer.slurm_conf).unwrap();
        let line = text.lines().find(|line| line.starts_with("NodeName=n[9-16] ")).unwrap();
        let ports = line.split(' ').find_map(|word| word.strip_prefix("Port=[")).unwrap();
        let (_, port) = ports.trim_end_matches(']').split_once('-').unwrap();
        let port = port.parse().unwrap();
        Self { peer: peer.clone(), text, port }
    }

    /// Has Slurm begin anew with these nodes in the place of n16.
    fn put(&self, nodes: &[Named<'_>]) {
        let names: String = nodes.iter().flat_map(|(name, _)| [",", name]).collect();
        let line = |(name, port): &Named<'_>| {
            format!("NodeName={name} NodeHostname=wattbook-slurm NodeAddr=127.0.0.1 Port={port}\n")
        };
        let lines: String = nodes.iter().map(line).collect();
        let ports = format!("-{}]", self.port);
        let others = self
            .text
            .replace("NodeName=n[9-16] ", "NodeName=n[9-15] ")
            .replace(&ports, &format!("-{}]", self.port - 1))
            .replace("Nodes=n[13-16]", &format!("Nodes=n[13-15]{names}"))
            .replace("PartitionName=batch", &format!("{lines}PartitionName=batch"));
        std::fs::write(&self.peer.slurm_conf, others).unwrap();
        self.peer.control("restart slurmctld");
    }
}

impl Drop for OtherNodes {
    fn drop(&mut self) {
        std::fs::write(&self.peer.slurm_conf, &self.text).unwrap();
        self.peer.control("restart slurmctld n16");
    }
}

/// What is told of the next nodes after the event `last`: kind, node and the name that it had.
async fn told(client: &Client, last: &mut i64, count: usize) -> Vec<(String, Value, Value)> {
    let mut stream = Stream::open(client, Some(*last)).await;
    let mut told = Vec::new();
    while told.len() < count {
        let event = stream.next().await.expect("more events");
        *last = event.id;
        if event.kind.starts_with("managed_node.") {
            told.push((event.kind, event.data["node"].clone(), event.data["from"].clone()));
        }
    }
    told
}

fn event(kind: &str, node: &str, from: Option<&str>) -> (String, Value, Value) {
    (format!("managed_node.{kind}"), json!(node), json!(from))
}

async fn nodes_that_come_go_and_change_their_names_are_told(site: Site) {
    let peer = Peer::of_environment();
    let nodes = Nodes::all(&peer).await;
    let bridge = Bridge::new(site, peer, nodes, "timeout_s = 2");
    let server = bridge.serve().await;
    let operator = bridge.operator(&server);
    let mut last = {
        let mut stream = Stream::open(&operator, None).await;
        stream.next().await.unwrap().id
    };
    let ninth =
        async |operator: &Client| operator.get("/api/v1/nodes").await.ok(200)["nodes"][8].clone();
    until("what a node has is told", || async {
        let node = ninth(&operator).await;
        if node["slurm"].is_null() { Err(node) } else { Ok(()) }
    })
    .await;
    let node = ninth(&operator).await;
    assert_eq!(node["name"], "n9");
    let has = json!({ "cpus": 16, "memory_mib": 32_000, "generic_resources": "widget:2" });
    assert_eq!(node["slurm"], has);

    let others = OtherNodes::of(&bridge.peer);
    others.put(&[]);
    assert_eq!(told(&operator, &mut last, 1).await, [event("gone", "n16", None)]);

    // It has another name when the service is there again.
    server.kill();
    others.put(&[("x16", others.port)]);
    let server = bridge.serve().await;
    let operator = bridge.operator(&server);
    let renamed = told(&operator, &mut last, 1).await;
    assert_eq!(renamed, [event("renamed", "x16", Some("n16"))]);
    let compared = operator.get("/api/v1/slurm").await.ok(200)["nodes"].clone();
    assert_eq!(compared["renamed"], json!([{ "from": "n16", "to": "x16" }]), "{compared}");
    until("it is out of service under its old name", || async {
        let outages = operator.get("/api/v1/outages").await.ok(200);
        let why = "the resource manager calls it x16: put the nodes with that name";
        let mut all = outages["items"].as_array().unwrap().iter();
        if all.any(|it| it["reason"] == why) { Ok(()) } else { Err(outages) }
    })
    .await;

    others.put(&[("n16", others.port), ("x17", others.port + 9)]);
    let back = told(&operator, &mut last, 2).await;
    assert_eq!(back, [event("renamed", "n16", Some("x16")), event("new", "x17", None)]);
    drop(others);
    assert_eq!(told(&operator, &mut last, 1).await, [event("gone", "x17", None)]);
    bridge.peer.control("ready");
}
