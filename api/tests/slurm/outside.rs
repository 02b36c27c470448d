//! Jobs outside of our reservations, whose energy the ledger has, too.

use serde_json::{Value, json};

use crate::bridge::{Bridge, until};
use crate::client::Client;
use crate::cluster::{instant, now};
use crate::nodes::Nodes;
use crate::on_slurm::on_slurm;
use crate::peer::{self, Peer, fields};
use crate::site::Site;

on_slurm! {
    jobs_outside_of_reservations_are_in_the_ledger,
}

/// The rows of jobs in the hours before and after now.
pub async fn rows_of_jobs(client: &Client) -> Vec<Value> {
    let (from, to) = (instant(now() - 7200), instant(now() + 7200));
    let page = client.get(&format!("/api/v1/ledger?from={from}&to={to}")).await.ok(200);
    let rows = page["items"].as_array().unwrap().iter();
    rows.filter(|row| row["holder"] == "job").cloned().collect()
}

/// The nodes draw 200 W at most, and nobody measures them: a job on one has 200 J for each of its seconds. The hour in
/// which it ran is stated by a service whose clock is two hours ahead, and which therefore does not ask Slurm: it does not
/// know which owner bob is.
async fn jobs_outside_of_reservations_are_in_the_ledger(site: Site) {
    let peer = Peer::of_environment();
    let nodes = Nodes::quarter(&peer).await;
    let bridge = Bridge::new(site, peer, nodes, "");
    bridge.replace_in_settings("mode = \"drive\"", "mode = \"observe\"");
    let bob = bridge.site.token("bob", "user");
    let server = bridge.serve().await;
    let (node, partitions) = (&bridge.nodes.names[0], &bridge.nodes.partitions);
    let place = format!("--exclusive -t5 --output=/dev/null -p {partitions} -w {node}");
    let id = bridge.peer.submit("bob", bridge.site.folder(), &place, "sleep 4");
    let shown = until("the job has ended", || async {
        let shown = bridge.peer.scontrol(&format!("-o show job {id}"));
        let shown = fields(&shown);
        if shown["JobState"] == "COMPLETED" { Ok(shown) } else { Err(json!(shown)) }
    })
    .await;
    bridge.turns(&bridge.operator(&server), 2).await;
    drop(server);
    std::fs::write(bridge.site.folder().join("wattbook.toml"), "[ledger]\ndelay_s = 0\n").unwrap();
    let clock = format!("{}={}@1", instant(now()), instant(now() + 7200));
    let server = bridge.site.serve_with(&["--config", "wattbook.toml", "--clock", &clock]).await;
    let operator = bridge.operator(&server);
    let rows = until("the hour is stated", || async {
        let totals = operator.get("/api/v1/ledger/totals").await.ok(200);
        let stated_to = totals["stated_to"].as_str().unwrap_or_default();
        if stated_to <= &*instant(now()) { Err(totals) } else { Ok(rows_of_jobs(&operator).await) }
    })
    .await;
    let took = ["StartTime", "EndTime"].map(|name| peer::instant(&shown[name]));
    let took = took[1] - took[0];
    assert!((4..60).contains(&took), "{shown:?}");
    let energy: i64 = rows.iter().map(|row| row["energy_j"].as_i64().unwrap()).sum();
    assert_eq!(energy, 200 * took, "{rows:?}");
    for row in &rows {
        assert_eq!((&row["job_id"], &row["user"]), (&json!(id), &json!("bob")));
        assert_eq!((&row["reservation_id"], &row["nodes"]), (&Value::Null, &json!(1)));
    }
    assert_eq!(rows_of_jobs(&server.client().with_token(&bob)).await, Vec::<Value>::new());
}
