//! Reservations that are made in Slurm when nobody wants them any more.

use serde_json::json;

use crate::bridge::{Bridge, until, wanted};
use crate::cluster::path;
use crate::on_slurm::on_slurm;
use crate::site::Site;

on_slurm! {
    what_is_made_after_it_was_settled_is_removed,
}

/// A request that got no answer may be done when its reservation was cancelled: an orphan that would hold
/// its nodes until its end.
async fn what_is_made_after_it_was_settled_is_removed(site: Site) {
    let bridge = Bridge::of_a_quarter(site).await;
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    let reservation = bridge.book(&alice, &Bridge::request(1, 600, 7200, 7200)).await;
    let (name, made) = wanted(&reservation);
    alice.delete(&path(&reservation)).await.ok(200);
    bridge.until_slurm(&alice, &reservation, "removed").await;
    let node = made.nodes.first().unwrap();
    bridge.peer.scontrol(&format!(
        "create reservation reservationname={name} starttime=now+2hours duration=10 users=alice nodes={node}"
    ));
    until("it is removed again", || async {
        let ours = bridge.ours();
        if ours.is_empty() { Ok(()) } else { Err(json!(format!("{ours:?}"))) }
    })
    .await;
    bridge.until_slurm(&alice, &reservation, "removed").await;
}
