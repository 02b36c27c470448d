//! What is read of it.

use std::collections::BTreeSet;
use std::time::Duration;

use planner::node_list;
use planner::resource_manager::{JobPhase, ManagedJob, ManagerError, NodePower, UnavailableCause};
use planner::time::{Seconds, Span, Timestamp};
use slurm::{Slurm, Token, TokenSource, Way};

use crate::peer::{Peer, wanted};

#[tokio::test]
#[ignore = "needs a Slurm: .ci/slurm"]
async fn what_it_is_and_what_can_be_done_by_which_way() {
    let peer = Peer::new().await;
    let about = peer.slurm.about().await.unwrap();
    assert_eq!(about.version, peer.text("version"));
    assert_eq!(about.cluster.as_deref(), Some(peer.text("cluster")));
    assert_eq!(about.reads, Way::Rest);
    if peer.is_22_05() {
        assert_eq!((about.data_parser.as_str(), about.writes), ("v0.0.38", Way::Scontrol));
    } else {
        assert!(about.data_parser.as_str() >= "v0.0.43", "{}", about.data_parser);
        assert_eq!(about.writes, Way::Rest);
    }
    assert_eq!(about.may_write, Some(true));
    assert!(about.clock.is_some());
}

#[tokio::test]
#[ignore = "needs a Slurm: .ci/slurm"]
async fn the_socket_of_slurmrestd_answers_as_its_port_does() {
    let peer = Peer::new().await;
    let rest = format!("unix:{}", peer.text("socket")).parse().unwrap();
    let slurm = Slurm::new(slurm::SlurmSettings { rest: Some(rest), ..peer.settings() }).unwrap();
    assert_eq!(slurm.about().await.unwrap().version, peer.text("version"));
    assert_eq!(slurm.nodes(None).await.unwrap().unwrap().items.len(), 16);
}

#[tokio::test]
#[ignore = "needs a Slurm: .ci/slurm"]
async fn a_version_that_cannot_write_says_what_helps() {
    let peer = Peer::new().await;
    let slurm = Slurm::new(slurm::SlurmSettings { scontrol: None, ..peer.settings() }).unwrap();
    let answer = slurm.remove_reservation("wattbook-x").await.unwrap_err();
    if peer.is_22_05() {
        let told = matches!(&answer, ManagerError::Unsupported(it) if it.contains("scontrol"));
        assert!(told, "{answer}");
    } else {
        assert!(matches!(answer, ManagerError::Unknown(_)), "needs no scontrol: {answer}");
    }
}

#[tokio::test]
#[ignore = "needs a Slurm: .ci/slurm"]
async fn tokens_of_another_key_and_no_tokens_are_denied() {
    let peer = Peer::new().await;
    let key = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(key.path(), "another key of thirty-two bytes!").unwrap();
    let lifetime = Duration::from_mins(1);
    for token in [
        TokenSource::Key { file: key.path().to_owned(), lifetime },
        TokenSource::Fixed(Token::new("no-token").unwrap()),
    ] {
        let told = format!("{token:?}");
        let slurm = Slurm::new(slurm::SlurmSettings { token, ..peer.settings() }).unwrap();
        for answer in [
            slurm.about().await.map(drop),
            slurm.nodes(None).await.map(drop),
            slurm.cancel_job("1").await,
        ] {
            assert!(matches!(answer, Err(ManagerError::Denied(_))), "{told}: {answer:?}");
        }
    }
}

#[tokio::test]
#[ignore = "needs a Slurm: .ci/slurm"]
async fn nodes_with_what_they_have_and_why_they_are_out_of_service() {
    let peer = Peer::new().await;
    let node = peer.node("n9").await;
    assert_eq!((node.cpus, node.memory_mib, node.power), (16, 32000, NodePower::On));
    assert_eq!(node.unavailable, None);
    assert_eq!(node.partitions.join(" "), "batch third");
    assert_eq!(node.features.join(" "), "plain wide");
    assert_eq!(&*node.generic_resources, "widget:2");
    assert!(node.booted.is_some());
    assert_ne!(node.address, peer.node("n10").await.address);

    peer.run("scontrol update NodeName=n9 State=DRAIN Reason=fan");
    let drained = peer.until("n9", |node| node.unavailable.is_some()).await.unavailable.unwrap();
    assert_eq!((drained.cause, drained.reason.as_str()), (UnavailableCause::Drained, "fan"));
    peer.run("scontrol update NodeName=n9 State=RESUME");
    peer.run("scontrol update NodeName=n9 State=DOWN Reason=lightning");
    let down = peer.until("n9", |node| {
        node.unavailable.as_ref().is_some_and(|it| it.cause == UnavailableCause::Down)
    });
    assert_eq!(down.await.unavailable.unwrap().reason, "lightning");
    // It may have come back by itself, and is not resumed then.
    let _ = peer.try_run("root", "scontrol update NodeName=n9 State=RESUME");
    peer.until("n9", |node| node.unavailable.is_none()).await;
}

#[tokio::test]
#[ignore = "needs a Slurm: .ci/slurm"]
async fn what_did_not_change_is_not_read_again() {
    let peer = Peer::new().await;
    let job = peer.submit("alice", "--nodelist=n2 --time=5 --wrap=true");
    peer.job(&job, |job| job.phase == JobPhase::Ended).await;
    for _ in 0..60 {
        let nodes = peer.slurm.nodes(None).await.unwrap().unwrap().at;
        let jobs = peer.slurm.jobs(None).await.unwrap().unwrap().at;
        let reservations = peer.slurm.reservations(None).await.unwrap().unwrap().at;
        tokio::time::sleep(Duration::from_secs(2)).await;
        let is_quiet = peer.slurm.nodes(Some(nodes)).await.unwrap().is_none()
            && peer.slurm.jobs(Some(jobs)).await.unwrap().is_none()
            && peer.slurm.reservations(Some(reservations)).await.unwrap().is_none();
        if is_quiet {
            // A change is seen at once, by whom it concerns.
            peer.run("scontrol update NodeName=n2 State=DRAIN Reason=known");
            let changed = peer.slurm.nodes(Some(nodes)).await.unwrap().expect("a changed node");
            peer.run("scontrol update NodeName=n2 State=RESUME");
            let node = changed.items.iter().find(|node| &*node.name == "n2").unwrap();
            assert_eq!(node.unavailable.as_ref().unwrap().reason, "known");
            assert_eq!(changed.items.len(), 16);
            return;
        }
    }
    panic!("something changes all the time");
}

#[tokio::test]
#[ignore = "needs a Slurm: .ci/slurm"]
async fn jobs_from_their_submission_to_their_end() {
    let peer = Peer::new().await;
    let task = "--array=7 --account=physics";
    let arguments = format!(
        "--nodes=2 --nodelist=n[3-4] --exclusive --time=3 --job-name=tea {task} --wrap=sleep\t5"
    );
    let id = peer.submit("alice", &arguments);
    let running = peer.job(&format!("{id}_7"), |job| job.phase == JobPhase::Running).await;
    assert_eq!(running.nodes, ["n3", "n4"]);
    assert_eq!((running.user.as_str(), running.name.as_str()), ("alice", "tea"));
    assert_eq!((running.partition.as_str(), running.reservation), ("batch", None));
    assert_eq!(running.limit, Some(Seconds::new(180)));
    let start = running.start.unwrap();
    assert_eq!(running.end, Some(start + Seconds::new(180)), "until its limit");
    assert!(running.submitted <= start);
    let ended = peer.job(&format!("{id}_7"), |job| job.phase == JobPhase::Ended).await;
    assert_eq!((ended.state.as_str(), ended.energy), ("COMPLETED", None));
    let took = (ended.end.unwrap() - start).get();
    assert!((5..60).contains(&took), "it sleeps for five seconds: {took}");
}

#[tokio::test]
#[ignore = "needs a Slurm: .ci/slurm"]
async fn jobs_that_wait_have_neither_nodes_nor_times_and_can_be_cancelled() {
    let peer = Peer::new().await;
    let id = peer.submit("alice", "--begin=now+1hour --time=2 --wrap=true");
    let waiting = peer.job(&id, |_| true).await;
    assert_eq!((waiting.phase, waiting.state.as_str()), (JobPhase::Waiting, "PENDING"));
    assert_eq!((waiting.start, waiting.end, waiting.nodes), (None, None, vec![]));
    peer.slurm.cancel_job(&id).await.unwrap();
    let cancelled = peer.job(&id, |job| job.phase == JobPhase::Ended).await;
    assert_eq!((cancelled.state.as_str(), cancelled.start), ("CANCELLED", None));
    peer.slurm.cancel_job(&id).await.expect("what has ended is cancelled");
    let unknown = peer.slurm.cancel_job("999999").await;
    assert!(matches!(unknown, Err(ManagerError::Unknown(_))), "{unknown:?}");
}

#[tokio::test]
#[ignore = "needs a Slurm: .ci/slurm"]
async fn jobs_that_ended_are_those_of_slurmdbd() {
    let peer = Peer::new().await;
    if !peer.has_accounting() {
        let answer = peer.slurm.ended_jobs("1").await;
        assert!(matches!(answer, Err(ManagerError::Unsupported(_))), "{answer:?}");
        return;
    }
    let (name, now) = ("wattbook-counted", peer.now().await);
    peer.slurm.put_reservation(&wanted(name, "n[1-2]", now, 900), None).await.unwrap();
    let inside = |more: &str| {
        peer.submit("alice", &format!("--reservation={name} --time=2 {more} --wrap=true"))
    };
    let first = inside("--account=chemistry --nodes=2");
    let array = inside("--array=5,7");
    let tasks = [format!("{array}_5"), format!("{array}_7")];
    // It may have forgotten the first by the end.
    let of_slurmctld = peer.job(&first, |job| job.phase == JobPhase::Ended).await;
    for id in &tasks {
        peer.job(id, |job| job.phase == JobPhase::Ended).await;
    }
    let jobs = ended(&peer, &first, 1).await;
    let job = &jobs[0];
    assert_eq!((job.account.as_str(), job.state.as_str()), ("chemistry", "COMPLETED"));
    assert_eq!((job.nodes.join(" "), job.energy), ("n1 n2".to_owned(), None));
    assert_eq!(
        (&job.id, job.submitted, job.end),
        (&first, of_slurmctld.submitted, of_slurmctld.end)
    );
    let ids = |jobs: Vec<ManagedJob>| jobs.into_iter().map(|job| job.id).collect::<BTreeSet<_>>();
    assert_eq!(ids(ended(&peer, &array, 2).await), BTreeSet::from(tasks.clone()));
    assert_eq!(ids(ended(&peer, &tasks[1], 1).await), BTreeSet::from([tasks[1].clone()]));
    assert_eq!(peer.slurm.ended_jobs("999999").await, Ok(vec![]));

    // All of them by their reservation; not one beside it, and none before it.
    let beside = peer.submit("alice", "--nodelist=n3 --time=2 --wrap=true");
    let end = ended(&peer, &beside, 1).await[0].end.unwrap();
    let inside = wanted(name, "n[1-2]", now, 900);
    let of_reservation = ids(peer.slurm.ended_jobs_in(&inside).await.unwrap());
    let mut all: BTreeSet<String> = tasks.into_iter().chain([first]).collect();
    assert_eq!(of_reservation, all);
    let day = |end: Timestamp| Span::new(end - Seconds::new(86_400), end).unwrap();
    let until = |end: Timestamp| peer.slurm.ended_jobs_during(day(end));
    let during = ids(until(end + Seconds::new(1)).await.unwrap());
    all.insert(beside);
    assert!(during.is_superset(&all), "{during:?} {all:?}");
    assert!(ids(until(now).await.unwrap()).is_disjoint(&all));
    let earlier = wanted(name, "n[1-2]", now - Seconds::new(5000), 900);
    assert_eq!(peer.slurm.ended_jobs_in(&earlier).await, Ok(vec![]));
}

/// The jobs of an id that have ended, once there are so many: slurmdbd is told a little later.
async fn ended(peer: &Peer, id: &str, count: usize) -> Vec<ManagedJob> {
    for _ in 0..60 {
        let ended = peer.slurm.ended_jobs(id).await.unwrap();
        if ended.len() == count {
            return ended;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    panic!("not {count} jobs of {id}")
}

#[tokio::test]
#[ignore = "needs a Slurm: .ci/slurm"]
async fn lists_of_nodes_are_those_of_slurm() {
    let peer = Peer::new().await;
    for list in [
        "n1",
        "n[1-16]",
        "n[08-11,20]",
        "n[1,01,2,02]",
        "n[00-01,0]",
        "n[998-1002]",
        "rack[1-2]n[1-3]",
        "login,n[3-4],n1-ib",
        "n[099-101,7],m1,gpu-a[1-2]",
    ] {
        let names = peer.run(&format!("scontrol show hostnames {list}"));
        let names: Vec<_> = names.lines().map(str::to_owned).collect();
        assert_eq!(node_list::parse(list).unwrap(), names, "read: {list}");
        let written = node_list::format(names.iter().map(String::as_str));
        let again = peer.run(&format!("scontrol show hostnames {written}"));
        let mut again: Vec<_> = again.lines().collect();
        let mut names: Vec<_> = names.iter().map(String::as_str).collect();
        again.sort_unstable();
        names.sort_unstable();
        assert_eq!(again, names, "written: {written}");
    }
}
