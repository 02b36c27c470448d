//! What somebody changes or deletes in Slurm behind the service's back.

use serde_json::{Value, json};

use crate::bridge::{Bridge, until, wanted};
use crate::nodes::Nodes;
use crate::on_slurm::on_slurm;
use crate::peer::Peer;
use crate::site::Site;

on_slurm! {
    what_was_changed_and_deleted_is_restored,
    what_was_changed_and_deleted_is_accepted_where_the_site_says_so,
    unknown_reservations_of_our_name_are_listed_and_stay,
    a_cancelled_reservation_goes_from_slurm_too,
    a_reservation_that_comes_back_is_removed_again,
}

async fn what_was_changed_and_deleted_is_restored(site: Site) {
    let bridge = Bridge::of_a_quarter(site).await;
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    let reservation = bridge.book(&alice, &Bridge::request(2, 600, 7200, 7200)).await;
    let (name, wanted) = wanted(&reservation);
    assert_eq!(bridge.ours()[&name], wanted);

    let other = bridge.nodes.names.iter().find(|node| !wanted.nodes.contains(*node)).unwrap();
    for change in [
        format!("update reservationname={name} nodes={other}"),
        format!("update reservationname={name} users=bob"),
        format!("update reservationname={name} duration=30"),
        format!("update reservationname={name} starttime=now+3hours duration=10"),
        format!("delete reservationname={name}"),
    ] {
        bridge.peer.scontrol(&change);
        assert_ne!(bridge.ours().get(&name), Some(&wanted), "{change}");
        until(&format!("restored after {change}"), || async {
            match bridge.ours().get(&name) {
                Some(seen) if *seen == wanted => Ok(()),
                seen => Err(json!(format!("{seen:?}"))),
            }
        })
        .await;
        bridge.until_slurm(&alice, &reservation, "in_force").await;
    }
    assert_eq!(bridge.ours().len(), 1);
}

async fn what_was_changed_and_deleted_is_accepted_where_the_site_says_so(site: Site) {
    let peer = Peer::of_environment();
    let nodes = Nodes::quarter(&peer).await;
    let bridge = Bridge::new(site, peer, nodes, r#"on_drift = "accept""#);
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    let changed = bridge.book(&alice, &Bridge::request(1, 600, 7200, 7200)).await;
    let deleted = bridge.book(&alice, &Bridge::request(1, 600, 7200, 7200)).await;
    let (changed_name, _) = wanted(&changed);
    let (deleted_name, _) = wanted(&deleted);

    bridge.peer.scontrol(&format!("update reservationname={changed_name} users=alice,bob"));
    bridge.peer.scontrol(&format!("delete reservationname={deleted_name}"));
    let lost = bridge.until_slurm(&alice, &deleted, "lost").await;
    assert!(lost["slurm"]["because"].is_string(), "{lost}");
    // A turn later it is still as somebody wanted it.
    bridge.turns(&bridge.operator(&server), 2).await;
    let ours = bridge.ours();
    assert_eq!(ours.keys().collect::<Vec<_>>(), [&changed_name]);
    assert_eq!(ours[&changed_name].users, "alice,bob");
}

async fn unknown_reservations_of_our_name_are_listed_and_stay(site: Site) {
    let bridge = Bridge::of_a_quarter(site).await;
    let server = bridge.serve().await;
    let name = "wattbook-0198f6b0-0000-7000-8000-000000000001";
    let node = &bridge.nodes.names[0];
    let create = "create reservation starttime=now+4hours duration=10 users=bob";
    // One at a time has the name: tests on both databases share the Slurm.
    let name = format!("{}{}", &name[..name.len() - 1], &node[node.len() - 1..]);
    bridge.peer.scontrol(&format!("{create} reservationname={name} nodes={node}"));
    let operator = bridge.operator(&server);
    until("the unknown reservation is listed", || async {
        let seen = operator.get("/api/v1/slurm").await.ok(200);
        let unknown = seen["unknown_reservations"].as_array().unwrap();
        if unknown.contains(&Value::from(name.clone())) { Ok(()) } else { Err(seen) }
    })
    .await;
    bridge.turns(&bridge.operator(&server), 2).await;
    assert!(bridge.ours().contains_key(&name));
}

async fn a_cancelled_reservation_goes_from_slurm_too(site: Site) {
    let bridge = Bridge::of_a_quarter(site).await;
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    let reservation = bridge.book(&alice, &Bridge::request(3, 600, 7200, 7200)).await;
    assert_eq!(bridge.ours().len(), 1);
    alice.delete(&crate::cluster::path(&reservation)).await.ok(200);
    bridge.until_slurm(&alice, &reservation, "removed").await;
    assert_eq!(bridge.ours().len(), 0);
}

/// As with a controller that is killed before it has written down what it removed.
async fn a_reservation_that_comes_back_is_removed_again(site: Site) {
    let bridge = Bridge::of_a_quarter(site).await;
    let server = bridge.serve().await;
    let (alice, operator) = (bridge.alice(&server), bridge.operator(&server));
    let kept = wanted(&bridge.book(&alice, &Bridge::request(1, 600, 7200, 7200)).await);
    let removed = bridge.book(&alice, &Bridge::request(2, 600, 7200, 7200)).await;
    alice.delete(&crate::cluster::path(&removed)).await.ok(200);
    bridge.until_slurm(&alice, &removed, "removed").await;
    let (name, seen) = wanted(&removed);
    bridge.make(&name, &seen);
    until("it is removed again", || async {
        let ours = bridge.ours();
        if ours.contains_key(&name) { Err(json!(format!("{ours:?}"))) } else { Ok(()) }
    })
    .await;
    bridge.until_slurm(&alice, &removed, "removed").await;
    bridge.turns(&operator, 1).await;
    let told = operator.get("/api/v1/slurm").await.ok(200);
    assert!(!told["unknown_reservations"].to_string().contains(&name), "{told}");
    assert_eq!(bridge.ours(), [kept].into());
}
