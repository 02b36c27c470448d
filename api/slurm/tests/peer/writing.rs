//! Reservations made, read back, changed and removed; nodes switched off.

use std::collections::BTreeSet;

use planner::resource_manager::{JobPhase, ManagerError, NodePower, differences};
use planner::time::{Seconds, Span};
use slurm::PowerDown;

use crate::peer::{Peer, wanted, words};

/// So far ahead that nothing has begun.
const DAY_S: i64 = 86_400;

#[tokio::test]
#[ignore = "needs a Slurm: .ci/slurm"]
async fn a_reservation_is_made_read_back_changed_and_removed() {
    let peer = Peer::new().await;
    let name = "wattbook-made";
    let now = peer.now().await;
    let first = wanted(name, "n[1-3,5,10]", now + Seconds::new(DAY_S), 3601);
    peer.slurm.put_reservation(&first, None).await.unwrap();
    let seen = peer.seen(name).await;
    assert_eq!(differences(&first, &seen, now), []);
    assert_eq!(seen.span, first.span, "to the second");

    // Other nodes, times and users; nodes that it has already, and one that it gives up.
    let mut second = wanted(name, "n[2-4]", now + Seconds::new(DAY_S + 77), 7200);
    second.users = words("alice bob");
    peer.slurm.put_reservation(&second, Some(&seen)).await.unwrap();
    let seen = peer.seen(name).await;
    assert_eq!(differences(&second, &seen, now), []);

    // Shorter.
    let third = {
        let span = Span::starting(second.span.start(), Seconds::new(1800)).unwrap();
        planner::resource_manager::WantedReservation { span, ..second.clone() }
    };
    peer.slurm.put_reservation(&third, Some(&seen)).await.unwrap();
    assert_eq!(differences(&third, &peer.seen(name).await, now), []);

    let listed = peer.slurm.reservations(None).await.unwrap().unwrap().items;
    assert!(listed.contains(&peer.seen(name).await));
    peer.slurm.remove_reservation(name).await.unwrap();
    assert_eq!(peer.slurm.reservation(name).await.unwrap(), None);
    let gone = peer.slurm.remove_reservation(name).await;
    assert!(matches!(gone, Err(ManagerError::Unknown(_))), "{gone:?}");
}

#[tokio::test]
#[ignore = "needs a Slurm: .ci/slurm"]
async fn users_become_accounts_and_accounts_users() {
    let peer = Peer::new().await;
    let name = "wattbook-accounts";
    let now = peer.now().await;
    let of_user = wanted(name, "n6", now + Seconds::new(DAY_S), 600);
    peer.slurm.put_reservation(&of_user, None).await.unwrap();
    let mut of_account = of_user.clone();
    of_account.users = BTreeSet::new();
    of_account.accounts = words("physics");
    for wanted in [&of_account, &of_user] {
        let seen = peer.seen(name).await;
        peer.slurm.put_reservation(wanted, Some(&seen)).await.unwrap();
        assert_eq!(differences(wanted, &peer.seen(name).await, now), []);
    }
    peer.slurm.remove_reservation(name).await.unwrap();
}

#[tokio::test]
#[ignore = "needs a Slurm: .ci/slurm"]
async fn a_reservation_that_has_begun_can_be_shortened_and_get_other_nodes() {
    let peer = Peer::new().await;
    let name = "wattbook-begun";
    let now = peer.now().await;
    let first = wanted(name, "n[7-8]", now, 3600);
    peer.slurm.put_reservation(&first, None).await.unwrap();
    let seen = peer.seen(name).await;
    let second = wanted(name, "n[8-9]", now, 1800);
    peer.slurm.put_reservation(&second, Some(&seen)).await.unwrap();
    let now = peer.now().await;
    assert_eq!(differences(&second, &peer.seen(name).await, now), []);

    // It has begun, and cannot begin again.
    let later = wanted(name, "n[8-9]", now + Seconds::new(600), 600);
    let answer = peer.slurm.put_reservation(&later, Some(&peer.seen(name).await)).await;
    assert!(
        matches!(answer, Err(ManagerError::Refused { code: Some(2104), .. })),
        "already started: {answer:?}"
    );
    peer.slurm.remove_reservation(name).await.unwrap();
}

#[tokio::test]
#[ignore = "needs a Slurm: .ci/slurm"]
async fn a_reservation_that_is_not_what_was_seen_is_left_as_it_is() {
    let peer = Peer::new().await;
    let name = "wattbook-known";
    let now = peer.now().await;
    let first = wanted(name, "n1", now + Seconds::new(DAY_S), 600);
    let second = wanted(name, "n2", now + Seconds::new(DAY_S), 600);
    peer.slurm.put_reservation(&first, None).await.unwrap();
    let seen = peer.seen(name).await;
    let twice = peer.slurm.put_reservation(&second, None).await;
    assert!(matches!(twice, Err(ManagerError::Refused { .. })), "{twice:?}");
    assert_eq!(peer.seen(name).await, seen);

    peer.run(&format!("scontrol update ReservationName={name} Nodes=n3"));
    let changed = peer.slurm.put_reservation(&second, Some(&seen)).await;
    assert!(matches!(changed, Err(ManagerError::Refused { .. })), "{changed:?}");
    assert_eq!(peer.seen(name).await.nodes, words("n3"));

    peer.slurm.remove_reservation(name).await.unwrap();
    let gone = peer.slurm.put_reservation(&second, Some(&seen)).await;
    assert!(matches!(gone, Err(ManagerError::Unknown(_))), "{gone:?}");
}

#[tokio::test]
#[ignore = "needs a Slurm: .ci/slurm"]
async fn what_slurm_does_not_know_is_refused_with_its_number() {
    let peer = Peer::new().await;
    let name = "wattbook-unknown";
    let now = peer.now().await + Seconds::new(DAY_S);
    let nodes = peer.slurm.put_reservation(&wanted(name, "n1,zz7", now, 600), None).await;
    let mut of_nobody = wanted(name, "n1", now, 600);
    of_nobody.users = words("nosuchuser");
    let users = peer.slurm.put_reservation(&of_nobody, None).await;
    // 26.05 tells no number of unknown users.
    for (answer, numbers) in [(nodes, [2018, 2053]), (users, [2010, -1])] {
        let Err(ManagerError::Refused { code: Some(code), .. }) = answer else {
            panic!("{answer:?}")
        };
        assert!(numbers.contains(&code), "{code}");
    }
    assert_eq!(peer.slurm.reservation(name).await.unwrap(), None);
}

/// An idle node is off after either order. One with a job keeps it where it was drained before, and gets no other.
#[tokio::test]
#[ignore = "needs a Slurm: .ci/slurm"]
async fn nodes_that_are_ordered_off_end_their_jobs_first() {
    let peer = Peer::new().await;
    let node = ["n15".to_owned()];
    for how in [PowerDown::AtOnce, PowerDown::Drained] {
        peer.slurm.power_down(&node, how).await.unwrap();
        let off = peer.until("n15", |node| node.power == NodePower::Off).await;
        assert_eq!(off.unavailable, None, "{how:?}: jobs may wake it: {off:?}");
        peer.slurm.power_up(&node).await.unwrap();
        peer.until("n15", |node| node.power == NodePower::On && node.unavailable.is_none()).await;
    }

    let job = peer.submit("alice", "--nodelist=n15 --time=5 --wrap=sleep\t99");
    peer.job(&job, |job| job.phase == JobPhase::Running).await;
    peer.slurm.power_down(&node, PowerDown::Drained).await.unwrap();
    let next = peer.submit("bob", "--nodelist=n15 --time=5 --wrap=true");
    tokio::time::sleep(std::time::Duration::from_secs(5)).await;
    peer.job(&job, |job| job.phase == JobPhase::Running).await;
    peer.job(&next, |job| job.phase == JobPhase::Waiting).await;
    peer.slurm.cancel_job(&next).await.unwrap();
    peer.slurm.cancel_job(&job).await.unwrap();
    peer.until("n15", |node| node.power == NodePower::Off).await;
    peer.slurm.power_up(&node).await.unwrap();
    peer.until("n15", |node| node.power == NodePower::On && node.unavailable.is_none()).await;
}
