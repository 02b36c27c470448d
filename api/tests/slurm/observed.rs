//! A service that only observes Slurm: it sees all of it, and changes nothing.

use serde_json::json;

use crate::bridge::{Bridge, until, wanted};
use crate::cluster::{choose, path, propose};
use crate::on_slurm::on_slurm;
use crate::site::Site;

on_slurm! {
    what_is_observed_is_seen_and_not_changed,
}

async fn what_is_observed_is_seen_and_not_changed(site: Site) {
    let bridge = Bridge::of_a_quarter(site).await;
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    let driven = bridge.book(&alice, &Bridge::request(1, 600, 7200, 7200)).await;
    drop(server);

    bridge.replace_in_settings("mode = \"drive\"", "mode = \"observe\"");
    let server = bridge.serve().await;
    let (alice, operator) = (bridge.alice(&server), bridge.operator(&server));
    let names = &bridge.nodes.names;
    bridge.peer.scontrol(&format!("update nodename={} state=power_down", names[0]));
    bridge.peer.scontrol(&format!("update nodename={} state=drain reason=fan", names[1]));
    until("the node is drained here too", || async {
        let outages = operator.get("/api/v1/outages").await.ok(200);
        if outages.to_string().contains("fan") { Ok(()) } else { Err(outages) }
    })
    .await;
    let orders = || {
        let log = std::fs::read_to_string(&bridge.peer.power_log).unwrap_or_default();
        log.lines().filter(|line| line.ends_with(&format!("resume {}", names[0]))).count()
    };
    let before = orders();
    // Soon enough that its nodes would have to be woken; three are left, one of which is off.
    let proposed = propose(&alice, &Bridge::request(3, 600, 30, 30)).await;
    let booked = choose(&alice, &proposed, "cost_co2_energy").await;
    assert_eq!(booked["state"], "confirmed", "{booked}");
    let name = &wanted(&driven).0;
    bridge.peer.scontrol(&format!("update reservationname={name} users=bob"));
    let changed = bridge.ours();
    alice.delete(&path(&driven)).await.ok(200);
    bridge.turns(&operator, 3).await;
    assert_eq!(bridge.ours(), changed, "neither made, restored nor removed");
    assert_eq!(orders(), before, "nothing is woken");
    let told = operator.get("/api/v1/slurm").await.ok(200);
    assert_eq!((&told["mode"], &told["state"]), (&json!("observe"), &json!("connected")));
    let document = alice.get(&path(&booked)).await.ok(200);
    assert!(document["slurm"].is_null(), "{document}");
}
