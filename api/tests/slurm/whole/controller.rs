//! Slurm's daemons are killed: it is waited for them, and nothing is lost.

use std::time::Duration;

use crate::bridge::{Bridge, wanted};
use crate::cluster::{choose, path, propose};
use crate::faults::until_state;
use crate::nodes::Nodes;
use crate::on_slurm::on_slurm;
use crate::peer::Peer;
use crate::site::Site;

on_slurm! {
    a_controller_that_is_away_is_waited_for,
}

/// slurmctld writes down what it was told within five seconds.
const WRITTEN_AFTER: Duration = Duration::from_secs(6);

/// slurmrestd answers errors while its controller is stopped.
async fn a_controller_that_is_away_is_waited_for(site: Site) {
    let peer = Peer::of_environment();
    let nodes = Nodes::all(&peer).await;
    // What was removed just before would come back with a controller that has not written it down.
    tokio::time::sleep(WRITTEN_AFTER).await;
    let bridge = Bridge::new(site, peer, nodes, "timeout_s = 2");
    let server = bridge.serve().await;
    let (alice, operator) = (bridge.alice(&server), bridge.operator(&server));
    let before = bridge.book(&alice, &Bridge::request(1, 600, 7200, 7200)).await;
    bridge.peer.control("kill slurmctld");
    until_state(&operator, &["unreachable"]).await;
    let proposed = propose(&alice, &Bridge::request(2, 600, 7200, 7200)).await;
    let chosen = choose(&alice, &proposed, "cost_co2_energy").await;
    bridge.peer.control("start slurmctld");
    let after = bridge.until_slurm(&alice, &chosen, "in_force").await;
    assert_eq!(bridge.ours(), [wanted(&before), wanted(&after)].into());
    bridge.peer.control("kill slurmrestd");
    until_state(&operator, &["unreachable"]).await;
    alice.delete(&path(&before)).await.ok(200);
    bridge.peer.control("start slurmrestd");
    bridge.until_slurm(&alice, &before, "removed").await;
    assert_eq!(bridge.ours(), [wanted(&after)].into());
}
