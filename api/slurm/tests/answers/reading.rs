//! What real Slurms answered, as values.

use planner::resource_manager::{
    JobPhase, ManagedJob, ManagedNode, ManagerError, NodePower, UnavailableCause,
};
use planner::time::{Seconds, Timestamp};
use slurm::{NodeEnergy, Way};

use crate::server::{Reply, Server, ok, recorded};

const OURS: &str = "wattbook-0190a5b2-7d5e-7c0a-8f00-0123456789ab";
const OLDER: &str = "22.05";
const NEWER: &str = "26.05";

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_unix_seconds(seconds)
}

/// A server that answers lists with what was recorded.
async fn lists(version: &'static str) -> Server {
    Server::of(version, move |request| {
        let path = request.target.split('?').next().unwrap();
        let name = path.rsplit('/').next().unwrap();
        if path.starts_with("/slurmdb/") {
            ok(version, "slurmdb-jobs")
        } else if name == OURS {
            ok(version, "reservation")
        } else {
            ok(version, name)
        }
    })
    .await
}

#[tokio::test]
async fn each_version_says_what_it_is() {
    let older = lists(OLDER).await.slurm().about().await.unwrap();
    assert_eq!((older.version.as_str(), older.data_parser.as_str()), ("22.05.8", "v0.0.38"));
    assert_eq!((older.cluster, older.clock), (None, Some(at(1_795_368_500))));
    assert!(matches!(&older.writes, Way::None(because) if because.contains("scontrol")));

    let newer = lists(NEWER).await.slurm().about().await.unwrap();
    assert_eq!((newer.version.as_str(), newer.data_parser.as_str()), ("26.05.5", "v0.0.45"));
    assert_eq!(newer.cluster.as_deref(), Some("wattbook30050"));
    assert_eq!((newer.reads, newer.writes), (Way::Rest, Way::Rest));
    assert_eq!(newer.clock, Some(at(1_795_368_553)));
}

#[tokio::test]
async fn nodes_are_the_same_in_both_versions_but_for_their_ports() {
    for (version, port, booted) in [(OLDER, 26050, 1_795_363_721), (NEWER, 30050, 1_795_363_720)] {
        let listing = lists(version).await.slurm().nodes(None).await.unwrap().unwrap();
        let [n1, n9, n12, n13, n14, n16]: [ManagedNode; 6] = listing.items.try_into().unwrap();
        let words = |words: &[Box<str>]| words.join(" ");
        assert_eq!((&*n9.name, words(&n9.partitions)), ("n9", "batch third".to_owned()));
        assert_eq!(
            (words(&n9.features), &*n9.generic_resources),
            ("plain wide".into(), "widget:2")
        );
        assert_eq!((n9.cpus, n9.memory_mib), (16, 32000));
        assert_eq!(*n9.address, format!("127.0.0.1:{}", port + 9));
        assert_eq!(n9.booted, Some(at(booted)));
        assert_eq!((n1.unavailable, n1.power, &*n1.generic_resources), (None, NodePower::On, ""));
        let why = |node: ManagedNode| node.unavailable.map(|it| (it.cause, it.reason));
        assert_eq!((n13.power, n16.power), (NodePower::Off, NodePower::PoweringUp));
        assert_eq!((why(n13), why(n16)), (None, None), "it does not answer yet");
        assert_eq!(why(n12), Some((UnavailableCause::Down, "lightning".to_owned())));
        assert_eq!(why(n14), Some((UnavailableCause::Drained, "fan is loud".to_owned())));
    }
}

/// 22.05 tells nothing of energy; the newer one's zeros were never measured.
#[tokio::test]
async fn nodes_without_an_energy_plugin_tell_no_energy() {
    for version in [OLDER, NEWER] {
        let nodes = lists(version).await.slurm().node_energy().await.unwrap();
        assert_eq!(nodes.len(), 6);
        let tells = |it: &NodeEnergy| {
            it.current_w.is_some() || it.consumed_j.is_some() || it.collected.is_some()
        };
        assert!(!nodes.iter().any(tells), "{nodes:?}");
    }
}

#[tokio::test]
async fn reservations_are_the_same_in_both_versions() {
    for (version, start) in [(OLDER, 1_795_368_495), (NEWER, 1_795_368_548)] {
        let slurm = lists(version).await.slurm();
        let listed = slurm.reservations(None).await.unwrap().unwrap().items;
        let names: Vec<_> = listed.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["maintenance", OURS]);
        assert!(listed[0].flags.contains("MAINT"));
        let ours = slurm.reservation(OURS).await.unwrap().unwrap();
        assert_eq!(ours, listed[1]);
        assert_eq!(ours.nodes.into_iter().collect::<Vec<_>>(), ["n10", "n3", "n4"]);
        assert_eq!((ours.span.start(), ours.span.end()), (at(start), at(start + 3600)));
        assert_eq!(ours.users.into_iter().collect::<Vec<_>>(), ["alice", "bob"]);
        assert_eq!(ours.accounts.into_iter().collect::<Vec<_>>(), ["physics"]);
    }
}

#[tokio::test]
async fn jobs_are_the_same_in_both_versions() {
    for (version, submitted) in [(OLDER, 1_795_368_496), (NEWER, 1_795_368_548)] {
        let listing = lists(version).await.slurm().jobs(None).await.unwrap().unwrap();
        let [inside, task, rest, short, never]: [ManagedJob; 5] = listing.items.try_into().unwrap();
        assert_eq!((inside.id.as_str(), inside.user.as_str()), ("1", "alice"));
        assert_eq!((inside.phase, inside.state.as_str()), (JobPhase::Running, "RUNNING"));
        assert_eq!(inside.submitted, at(submitted));
        assert_eq!(inside.start, Some(at(submitted)));
        assert_eq!(inside.limit, Some(Seconds::new(300)));
        assert_eq!(inside.end, Some(at(submitted + 300)), "its start and limit");
        assert_eq!(inside.nodes, ["n3", "n4"]);
        assert_eq!((inside.reservation.as_deref(), inside.energy), (Some(OURS), None));
        assert_eq!((task.id.as_str(), task.nodes.join(" ")), ("2_3", "n6".to_owned()));
        assert_eq!((inside.raw_id, task.raw_id), (Some(1), Some(3)), "a task has an id of its own");
        assert_eq!((task.limit, task.reservation), (Some(Seconds::new(86_400)), None));
        assert_eq!((rest.phase, rest.start, rest.end), (JobPhase::Waiting, None, None));
        assert_eq!((short.phase, short.state.as_str()), (JobPhase::Ended, "FAILED"));
        assert!(short.start.is_some() && short.end >= short.start);
        assert_eq!((never.state.as_str(), never.start), ("CANCELLED", None), "it never began");
    }
}

/// 22.05 tells no clock with its lists: it is asked before.
#[tokio::test]
async fn a_list_says_what_to_pass_the_next_time() {
    for (version, seconds) in [(OLDER, 1_795_368_500), (NEWER, 1_795_368_553)] {
        let listing = lists(version).await.slurm().reservations(None).await.unwrap().unwrap();
        assert_eq!(listing.at, at(seconds), "{version}");
    }
}

#[tokio::test]
async fn what_did_not_change_is_no_list() {
    let server = Server::of(OLDER, |_| Reply::Answer(304, Vec::new())).await;
    let slurm = server.slurm();
    assert!(slurm.nodes(Some(at(77))).await.unwrap().is_none());
    assert!(slurm.jobs(Some(at(78))).await.unwrap().is_none());
    assert!(slurm.reservations(Some(at(79))).await.unwrap().is_none());
    assert_eq!(
        server.asked(),
        [
            "GET /slurm/v0.0.38/nodes?update_time=77",
            "GET /slurm/v0.0.38/jobs?update_time=78",
            "GET /slurm/v0.0.38/reservations?update_time=79",
        ]
    );
}

/// 26.05 answers 200 and no jobs where none changed, which must not be taken for no jobs.
#[tokio::test]
async fn an_empty_list_of_unchanged_jobs_is_no_list() {
    let server = Server::of(NEWER, |_| ok(NEWER, "jobs-unchanged")).await;
    assert!(server.slurm().jobs(Some(at(77))).await.unwrap().is_none());
    assert_eq!(server.asked(), ["GET /slurm/v0.0.45/jobs?flags=ALL&update_time=77"]);
    let unasked = server.slurm().jobs(None).await;
    assert!(matches!(unasked, Err(ManagerError::Unreadable(_))), "{unasked:?}");
}

/// 22.05 answers 500 where nodes changed since `update_time` and their partitions did not.
#[tokio::test]
async fn changed_nodes_of_22_05_are_read_without_a_time() {
    let server = Server::of(OLDER, |request| {
        if request.target.contains("update_time") {
            Reply::Answer(500, recorded(OLDER, "nodes-changed"))
        } else {
            ok(OLDER, "nodes")
        }
    })
    .await;
    let listing = server.slurm().nodes(Some(at(77))).await.unwrap().unwrap();
    assert_eq!(listing.items.len(), 6);
}

#[tokio::test]
async fn a_reservation_that_is_not_there_is_none() {
    for (version, status, name) in [
        (OLDER, 500, "reservation-unknown"),
        (NEWER, 422, "reservation-unknown"),
        (NEWER, 200, "reservation-where-there-are-none"),
    ] {
        let server =
            Server::of(version, move |_| Reply::Answer(status, recorded(version, name))).await;
        assert_eq!(server.slurm().reservation("nosuch").await, Ok(None), "{version} {name}");
    }
}

#[tokio::test]
async fn jobs_that_ended_are_those_of_slurmdbd_by_their_ids() {
    for (version, start) in [(OLDER, 1_795_368_337), (NEWER, 1_795_368_375)] {
        let server = lists(version).await;
        let slurm = server.slurm();
        let ended = slurm.ended_jobs("1").await.unwrap();
        let [first] = &ended[..] else { panic!("{ended:?}") };
        assert_eq!((first.user.as_str(), first.account.as_str()), ("alice", "physics"));
        assert_eq!((first.start, first.end), (Some(at(start)), Some(at(start + 3))));
        assert_eq!((first.nodes.join(" "), first.energy), ("n1 n2".to_owned(), None));
        assert_eq!((first.limit, first.id.as_str()), (Some(Seconds::new(300)), "1"));
        let mut tasks: Vec<_> =
            slurm.ended_jobs("2").await.unwrap().into_iter().map(|job| job.id).collect();
        tasks.sort_unstable();
        assert_eq!(tasks, ["2_1", "2_2"], "the tasks of an array");
        let asked = server.asked();
        assert!(asked[0].ends_with("/job/1") && asked[1].ends_with("/job/2"), "{asked:?}");
    }
}

/// Of a job on n1 and n2 slurmdbd of 22.05 was told of the batch step first, which is on n1.
#[tokio::test]
async fn a_job_of_which_slurmdbd_knows_a_step_alone_is_not_told_yet() {
    let server = Server::of(OLDER, |_| ok(OLDER, "slurmdb-job-by-its-step")).await;
    assert_eq!(server.slurm().ended_jobs("1").await, Ok(vec![]));
}

/// The clock of the recorded controller is at 1795368500. It was set back where a list of 1000 s later is known.
#[tokio::test]
async fn after_the_clock_was_set_back_lists_are_read_whole() {
    let server = lists(OLDER).await;
    let listing = server.slurm().nodes(Some(at(1_795_369_500))).await.unwrap().unwrap();
    assert_eq!((listing.at, listing.items.len()), (at(1_795_368_500), 6));
    assert_eq!(server.asked(), ["GET /slurm/v0.0.38/nodes"]);
}

#[tokio::test]
async fn what_slurm_is_can_be_found_out_by_reading_alone() {
    for version in [OLDER, NEWER] {
        let server = lists(version).await;
        let about = server.slurm().about_by_reading().await.unwrap();
        assert_eq!(about.may_write, None);
        let asked = server.asked();
        assert!(asked.iter().all(|it| it.starts_with("GET ")), "{asked:?}");
    }
}

#[tokio::test]
async fn without_accounting_ended_jobs_are_refused_with_what_helps() {
    let server = lists(NEWER).await;
    let settings = slurm::SlurmSettings { accounting: false, ..server.settings() };
    let answer = slurm::Slurm::new(settings).unwrap().ended_jobs("1").await.unwrap_err();
    assert!(matches!(&answer, ManagerError::Unsupported(it) if it.contains("accounting = true")));
    let paths = br#"{"paths": {"/slurm/v0.0.45/jobs/": {}}}"#;
    let server = Server::new(move |request| match request.target.as_str() {
        "/openapi/v3" => Reply::Answer(200, paths.to_vec()),
        _ => ok(NEWER, "diag"),
    })
    .await;
    let answer = server.slurm().ended_jobs("1").await.unwrap_err();
    assert!(matches!(&answer, ManagerError::Unsupported(it) if it.contains("openapi/slurmdbd")));
}
