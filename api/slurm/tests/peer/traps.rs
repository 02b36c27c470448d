//! What Slurm does and nobody expects, by the letters under which it was measured. All but one concern the client:
//!
//! | letter | what Slurm does | what is done about it |
//! |---|---|---|
//! | A | 22.05 makes a smaller reservation than was asked for | nodes are named, and it is read back |
//! | B | nodes of another reservation are refused | others are looked for |
//! | C | `sbatch --test-only` fails beside reservations | it is never asked what would be free |
//! | D | a reservation does not wake its nodes; orders to nodes on their way down are lost | they are woken before it begins, once they are off |
//! | E, F | nodes that are off can be reserved; on their way down, by number, not all of them | nodes are named |
//! | G | a start that has passed is refused | it is sent as now |
//! | H | ordinary users make no reservations | who may not is told so beforehand |
//! | I | a reservation with jobs cannot be deleted | the site says what becomes of them |
//! | J | others' jobs do not get in | owners stand for users and accounts |
//! | K | a reservation for nobody is refused | it is refused before |
//! | L | reservations outlive the controller | both sides are compared anew |
//! | M | a job that reaches into a reservation to come waits | it occupies nothing, and reservations are longer than their jobs |
//! | N | in 22.05 `SuspendTime=INFINITE` switches power saving off | that nodes cannot be woken is an answer |
//! | O | a node that does not wake is down | it is out of service |
//! | P | newer releases have no plugin that limits power | nothing: the cap is kept by planning, and Slurm is asked for no limit |

use planner::resource_manager::{
    Difference, JobPhase, ManagerError, ManagerView, NodePower, OurPart, UnavailableCause,
    WithheldNodes, differences, withheld,
};
use planner::time::{Seconds, Timestamp};
use slurm::{Slurm, SlurmSettings, refuses_nodes};

use crate::peer::{Peer, wanted, words};

const DAY_S: i64 = 86_400;

/// 22.05 makes a smaller reservation than was asked for and says nothing: what is read back tells.
#[tokio::test]
#[ignore = "needs a Slurm: .ci/slurm"]
async fn trap_a_a_shrunk_reservation_is_seen_when_it_is_read_back() {
    let peer = Peer::new().await;
    let start = peer.now().await + Seconds::new(DAY_S);
    peer.slurm.put_reservation(&wanted("wattbook-a1", "n[1-3]", start, 600), None).await.unwrap();
    let wanted = wanted("wattbook-a2", "n[1-16]", start, 600);
    let by_count = format!(
        "scontrol create ReservationName=wattbook-a2 Users=alice NodeCnt=16 StartTime={} Duration=10",
        start.to_string().trim_end_matches('Z')
    );
    match peer.try_run("root", &by_count) {
        Ok(_) => {
            let found = differences(&wanted, &peer.seen("wattbook-a2").await, start);
            let Some(Difference::Nodes { missing, extra }) = found.first() else {
                panic!("{found:?}")
            };
            assert_eq!((missing, extra.len()), (&words("n1 n2 n3"), 0));
        }
        Err(refused) => assert!(refused.contains("busy"), "{refused}"),
    }
}

/// Nodes that are named one by one are taken whole or not at all.
#[tokio::test]
#[ignore = "needs a Slurm: .ci/slurm"]
async fn trap_b_nodes_of_another_reservation_are_refused() {
    let peer = Peer::new().await;
    let start = peer.now().await + Seconds::new(DAY_S);
    peer.slurm.put_reservation(&wanted("wattbook-b1", "n[1-3]", start, 600), None).await.unwrap();
    let answer =
        peer.slurm.put_reservation(&wanted("wattbook-b2", "n[3-6]", start, 600), None).await;
    assert!(answer.as_ref().is_err_and(refuses_nodes), "overlaps: {answer:?}");
    assert_eq!(peer.slurm.reservation("wattbook-b2").await.unwrap(), None);
    // What touches does not overlap.
    let behind = wanted("wattbook-b2", "n[3-6]", start + Seconds::new(600), 600);
    peer.slurm.put_reservation(&behind, None).await.unwrap();
}

/// What others have of the nodes, by what was read alone.
async fn occupied(peer: &Peer, now: Timestamp) -> Vec<WithheldNodes> {
    let names: Vec<_> = (1..=16).map(|number| format!("n{number}")).collect();
    let nodes = peer.slurm.nodes(None).await.unwrap().unwrap().items;
    let reservations = peer.slurm.reservations(None).await.unwrap().unwrap().items;
    let jobs = peer.jobs().await;
    let seen = ManagerView { nodes: &nodes, reservations: &reservations, jobs: &jobs };
    let nodes = names.iter().map(String::as_str).collect();
    withheld(seen, &OurPart { nodes, ..OurPart::default() }, now)
}

/// Slurm says that a job cannot run at all which has to wait for a reservation. What is free is known by what
/// was read: all nodes until the reservation begins.
#[tokio::test]
#[ignore = "needs a Slurm: .ci/slurm"]
async fn trap_c_what_is_free_is_never_asked_but_counted() {
    let peer = Peer::new().await;
    let start = peer.now().await + Seconds::new(1800);
    let name = "wattbook-c";
    peer.slurm.put_reservation(&wanted(name, "n[1-12]", start, 600), None).await.unwrap();
    let asked = peer.try_run("bob", "sbatch --test-only --nodes=8 --time=60 --wrap=true");
    let told = asked.unwrap_err();
    assert!(told.contains("Requested node configuration is not available"), "{told}");
    let now = peer.now().await;
    let occupied = occupied(&peer, now).await;
    let kept: Vec<_> =
        occupied.iter().filter(|it| it.key == format!("reservation {name}")).collect();
    assert_eq!((kept.len(), kept[0].nodes.len()), (1, 12), "{occupied:?}");
    assert_eq!((kept[0].start, kept[0].end), (start, Some(start + Seconds::new(600))));
}

/// D: a reservation does not wake its nodes. E and F: they can be reserved while they are off or on their way.
#[tokio::test]
#[ignore = "needs a Slurm: .ci/slurm"]
async fn trap_d_e_f_sleeping_nodes_are_reserved_whole_and_woken_by_us() {
    let peer = Peer::new().await;
    let nodes = "n[13-14]";
    peer.run(&format!("scontrol update NodeName={nodes} State=POWER_DOWN"));
    let node = peer.until("n13", |node| node.power != NodePower::On).await;
    assert_eq!(node.unavailable, None, "on its way down: {node:?}");
    let now = peer.now().await;
    let while_going = wanted("wattbook-f", nodes, now + Seconds::new(DAY_S), 600);
    if peer.slurm.put_reservation(&while_going, None).await.is_ok() {
        assert_eq!(differences(&while_going, &peer.seen("wattbook-f").await, now), []);
    }
    // An order on their way down is lost.
    peer.slurm.power_up(&["n13".to_owned()]).await.unwrap();
    let off = peer.until("n13", |node| node.power == NodePower::Off).await;
    assert_eq!(off.unavailable, None, "{off:?}");
    peer.until("n14", |node| node.power == NodePower::Off).await;

    let asleep = wanted("wattbook-e", nodes, now, 900);
    peer.slurm.put_reservation(&asleep, None).await.unwrap();
    let now = peer.now().await;
    assert_eq!(differences(&asleep, &peer.seen("wattbook-e").await, now), []);
    for name in ["n13", "n14"] {
        assert_eq!(peer.node(name).await.power, NodePower::Off, "it has begun, and they sleep");
    }

    peer.slurm.power_up(&["n13".to_owned(), "n14".to_owned()]).await.unwrap();
    for name in ["n13", "n14"] {
        peer.until(name, |node| {
            assert_eq!(node.unavailable, None, "on its way up: {node:?}");
            node.power == NodePower::On
        })
        .await;
    }
    let on = peer.slurm.power_up(&["n13".to_owned()]).await;
    assert_eq!(on, Ok(()), "what is on stays so");
}

/// A start that has passed is refused by Slurm; it is sent as now.
#[tokio::test]
#[ignore = "needs a Slurm: .ci/slurm"]
async fn trap_g_a_start_that_has_passed_becomes_now() {
    let peer = Peer::new().await;
    let now = peer.now().await;
    let late = wanted("wattbook-g", "n5", now - Seconds::new(3000), 4000);
    peer.slurm.put_reservation(&late, None).await.unwrap();
    let seen = peer.seen("wattbook-g").await;
    assert!(seen.span.start() >= now, "{seen:?}");
    assert_eq!(differences(&late, &seen, peer.now().await), []);
    peer.slurm.remove_reservation("wattbook-g").await.unwrap();
}

/// Only Slurm's own user, root and operators make and remove reservations; who may not is told so beforehand.
#[tokio::test]
#[ignore = "needs a Slurm: .ci/slurm"]
async fn trap_h_ordinary_users_make_no_reservations() {
    let peer = Peer::new().await;
    let alice = SlurmSettings { user: "alice".to_owned(), ..peer.settings() };
    let alice = Slurm::new(alice).unwrap();
    assert_eq!(alice.about().await.unwrap().may_write, Some(false));
    let start = peer.now().await + Seconds::new(DAY_S);
    let answer = alice.put_reservation(&wanted("wattbook-h", "n5", start, 600), None).await;
    assert!(
        matches!(answer, Err(ManagerError::Refused { code: Some(2010), .. })),
        "invalid user: {answer:?}"
    );
}

/// A reservation in which jobs run is not removed; once they are cancelled it is. J: only its users' jobs run in it.
#[tokio::test]
#[ignore = "needs a Slurm: .ci/slurm"]
async fn trap_i_j_jobs_inside_keep_a_reservation_and_others_do_not_get_in() {
    let peer = Peer::new().await;
    let name = "wattbook-i";
    let inside = wanted(name, "n[11-12]", peer.now().await, 900);
    peer.slurm.put_reservation(&inside, None).await.unwrap();

    let submitted = format!("sbatch --output=/dev/null --reservation={name} --time=5 --wrap=true");
    let refused = peer.try_run("bob", &submitted).unwrap_err();
    assert!(refused.contains("Access denied to requested reservation"), "{refused}");

    let job = peer.submit("alice", &format!("--reservation={name} --time=5 --wrap=sleep\t99"));
    let running = peer.job(&job, |job| job.phase == JobPhase::Running).await;
    assert_eq!(running.reservation.as_deref(), Some(name));
    assert!(inside.nodes.contains(&running.nodes[0]), "{running:?}");
    let busy = peer.slurm.remove_reservation(name).await;
    assert!(
        matches!(busy, Err(ManagerError::Refused { code: Some(2055), .. })),
        "in use: {busy:?}"
    );
    peer.slurm.cancel_job(&job).await.unwrap();
    let ended = peer.job(&job, |job| job.phase == JobPhase::Ended).await;
    assert_eq!(ended.reservation.as_deref(), Some(name), "it is known of which it was");
    peer.slurm.remove_reservation(name).await.unwrap();
}

#[tokio::test]
#[ignore = "needs a Slurm: .ci/slurm"]
async fn trap_k_a_reservation_for_nobody_is_refused() {
    let peer = Peer::new().await;
    let mut of_nobody = wanted("wattbook-k", "n5", peer.now().await + Seconds::new(DAY_S), 600);
    of_nobody.users.clear();
    let answer = peer.slurm.put_reservation(&of_nobody, None).await;
    assert!(matches!(answer, Err(ManagerError::Refused { .. })), "{answer:?}");
    assert_eq!(peer.slurm.reservation("wattbook-k").await.unwrap(), None);
}

/// While the controller is away that is what is told, whatever is asked; afterwards its reservations are there.
#[tokio::test]
#[ignore = "needs a Slurm: .ci/slurm"]
async fn trap_l_reservations_outlive_the_controller() {
    let peer = Peer::new().await;
    let name = "wattbook-l";
    let kept = wanted(name, "n[5-6]", peer.now().await + Seconds::new(DAY_S), 600);
    peer.slurm.put_reservation(&kept, None).await.unwrap();
    let seen = peer.seen(name).await;
    peer.control("stop slurmctld");
    let nodes = peer.slurm.nodes(None).await.map(drop);
    let jobs = peer.slurm.jobs(None).await.map(drop);
    let removed = peer.slurm.remove_reservation(name).await;
    peer.control("start slurmctld");
    peer.control("ready");
    for answer in [nodes, jobs, removed] {
        assert!(matches!(answer, Err(ManagerError::Unreachable(_))), "{answer:?}");
    }
    assert_eq!(peer.seen(name).await, seen);
    peer.slurm.remove_reservation(name).await.unwrap();
}

/// It waits for it, and has no nodes meanwhile. So does a job within one reservation whose limit reaches into the
/// next one of its nodes: it never begins.
#[tokio::test]
#[ignore = "needs a Slurm: .ci/slurm"]
async fn trap_m_jobs_that_reach_into_a_reservation_to_come_wait() {
    let peer = Peer::new().await;
    let now = peer.now().await;
    let (first, second) = ("wattbook-m1", "wattbook-m2");
    let length = Seconds::new(180);
    peer.slurm.put_reservation(&wanted(first, "n1", now, length.get()), None).await.unwrap();
    let next = wanted(second, "n[1-16]", now + length, 600);
    peer.slurm.put_reservation(&next, None).await.unwrap();
    let reason = |id: &str| peer.run(&format!("squeue --noheader --jobs={id} --format=%r"));
    let outside = peer.submit("bob", "--nodes=2 --time=60 --wrap=true");
    // As long as the reservation, of which a second has passed.
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    let inside = |limit: i64| format!("--reservation={first} --time={limit} --wrap=true");
    let too_long = peer.submit("alice", &inside(length.get() / 60));
    let fitting = peer.submit("alice", &inside(length.get() / 60 - 1));
    peer.job(&fitting, |job| job.phase == JobPhase::Ended && job.start.is_some()).await;
    for id in [&outside, &too_long] {
        let job = peer.job(id, |job| job.phase == JobPhase::Waiting).await;
        assert_eq!((job.start, job.nodes), (None, vec![]), "{id}");
        assert!(reason(id).contains("ReqNodeNotAvail"), "{id}: {}", reason(id));
        let occupied = occupied(&peer, now).await;
        assert!(occupied.iter().all(|it| it.key != format!("job {id}")), "{occupied:?}");
        peer.slurm.cancel_job(id).await.unwrap();
    }
}

/// In 22.05 no node can be switched then, which is an answer and no failure to reach Slurm; 26.05 switches them.
#[tokio::test]
#[ignore = "needs a Slurm: .ci/slurm"]
async fn trap_n_with_an_endless_suspend_time_22_05_switches_no_node() {
    let peer = Peer::new().await;
    let changed = peer.with_settings("SuspendTime=864000", "SuspendTime=INFINITE");
    let up = peer.slurm.power_up(&["n16".to_owned()]).await;
    drop(changed);
    peer.control("ready");
    if peer.is_22_05() {
        assert!(matches!(up, Err(ManagerError::Refused { .. })), "{up:?}");
    } else {
        assert_eq!(up, Ok(()));
    }
}

/// A node that is woken and does not come is down, and off.
#[tokio::test]
#[ignore = "needs a Slurm: .ci/slurm"]
async fn trap_o_a_node_that_does_not_wake_is_out_of_service() {
    let peer = Peer::new().await;
    let absent = std::path::Path::new(peer.text("absent")).join("n16");
    peer.run("scontrol update NodeName=n16 State=POWER_DOWN");
    peer.until("n16", |node| node.power == NodePower::Off).await;
    std::fs::write(&absent, "").unwrap();
    peer.slurm.power_up(&["n16".to_owned()]).await.unwrap();
    let coming = peer.until("n16", |node| node.power == NodePower::PoweringUp).await;
    assert_eq!(coming.unavailable, None);
    // After ResumeTimeout, a minute.
    let node = peer.until("n16", |node| node.unavailable.is_some()).await;
    std::fs::remove_file(&absent).unwrap();
    assert_eq!(node.unavailable.unwrap().cause, UnavailableCause::Down);
    // Switching it on is not enough for newer versions.
    peer.run("scontrol update NodeName=n16 State=RESUME");
    peer.slurm.power_up(&["n16".to_owned()]).await.unwrap();
    peer.until("n16", |node| node.unavailable.is_none() && node.power == NodePower::On).await;
}
