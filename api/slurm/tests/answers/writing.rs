//! What is sent to change something, by slurmrestd and by `scontrol`.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use planner::resource_manager::{ManagedReservation, ManagerError, WantedReservation};
use planner::time::{Seconds, Span, Timestamp};
use serde_json::{Value, json};
use slurm::{PowerDown, Slurm, SlurmSettings};
use tempfile::TempDir;

use crate::server::{Reply, Request, Server, ok, recorded};

/// The clock of the answers that were recorded of 22.05: 2026-11-22T17:28:20Z.
const OLDER_NOW: i64 = 1_795_368_500;

fn words(text: &str) -> BTreeSet<String> {
    text.split(' ').filter(|it| !it.is_empty()).map(str::to_owned).collect()
}

/// From one instant to another, by seconds.
fn wanted(nodes: &str, from: i64, until: i64, users: &str, accounts: &str) -> WantedReservation {
    let at = Timestamp::from_unix_seconds;
    WantedReservation {
        name: "wattbook-x".to_owned(),
        nodes: words(nodes),
        span: Span::new(at(from), at(until)).unwrap(),
        users: words(users),
        accounts: words(accounts),
    }
}

/// As it would be read back.
fn there(wanted: &WantedReservation) -> ManagedReservation {
    let WantedReservation { name, nodes, span, users, accounts } = wanted.clone();
    ManagedReservation { name, nodes, span, users, accounts, flags: BTreeSet::new() }
}

/// An answer that has this reservation, in 22.05's and in newer spelling alike.
fn listed(reservation: &ManagedReservation) -> Reply {
    let joined = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(",");
    let document = json!({"reservations": [{
        "name": reservation.name, "node_list": joined(&reservation.nodes),
        "start_time": reservation.span.start().as_unix_seconds(),
        "end_time": reservation.span.end().as_unix_seconds(),
        "users": joined(&reservation.users), "accounts": joined(&reservation.accounts),
    }]});
    Reply::Answer(200, document.to_string().into_bytes())
}

/// What is sent to 26.05 to make `replaces` into `wanted`.
async fn sent(wanted: &WantedReservation, replaces: Option<ManagedReservation>) -> Value {
    let seen = replaces.clone();
    let server = Server::of("26.05", move |request: &Request| match &seen {
        _ if request.method == "POST" => Reply::Answer(200, b"{}".to_vec()),
        Some(seen) => listed(seen),
        None => Reply::Answer(422, recorded("26.05", "reservation-unknown")),
    })
    .await;
    server.slurm().put_reservation(wanted, replaces.as_ref()).await.unwrap();
    let request = server.requests().pop().unwrap();
    assert_eq!(
        (request.method.as_str(), request.target.as_str()),
        ("POST", "/slurm/v0.0.45/reservation")
    );
    assert!(request.head.to_lowercase().contains("content-type: application/json"));
    serde_json::from_str(&request.body).unwrap()
}

/// The recorded clock of 26.05 is 1795368553.
#[tokio::test]
async fn a_reservation_is_sent_with_its_nodes_and_its_times_to_the_second() {
    let later = wanted("n10 n8 n9 n3", 1_795_400_001, 1_795_403_602, "alice bob", "");
    assert_eq!(
        sent(&later, None).await,
        json!({
            "name": "wattbook-x", "node_list": "n[3,8-10]", "users": ["alice", "bob"],
            "start_time": 1_795_400_001, "end_time": 1_795_403_602,
        })
    );
    let begun = wanted("n1", 1_795_368_000, 1_795_403_602, "", "physics");
    let body = sent(&begun, None).await;
    assert_eq!(
        (&body["start_time"], &body["accounts"]),
        (&json!(1_795_368_553), &json!(["physics"]))
    );
    assert_eq!(body.get("users"), None);
}

/// An empty list leaves what there is; a reservation that has begun takes no start, not even its own.
#[tokio::test]
async fn a_change_empties_what_is_no_more_and_repeats_no_start_that_has_passed() {
    let of_alice = wanted("n1 n2", 1_795_400_000, 1_795_403_600, "alice", "");
    let of_physics = wanted("n1 n2", 1_795_400_000, 1_795_403_600, "", "physics");
    let body = sent(&of_physics, Some(there(&of_alice))).await;
    assert_eq!((&body["users"], &body["accounts"]), (&json!([""]), &json!(["physics"])));
    assert_eq!(body["start_time"], json!(1_795_400_000));

    let begun = wanted("n1", 1_795_368_000, 1_795_403_600, "alice", "");
    let shorter = wanted("n1", 1_795_368_000, 1_795_370_000, "alice", "");
    let body = sent(&shorter, Some(there(&begun))).await;
    assert_eq!((body.get("start_time"), &body["end_time"]), (None, &json!(1_795_370_000)));
}

#[tokio::test]
async fn nothing_is_sent_where_the_reservation_is_not_the_one_that_was_seen() {
    let seen = there(&wanted("n1", 1_795_400_000, 1_795_403_600, "alice", ""));
    let other = wanted("n2", 1_795_400_000, 1_795_403_600, "alice", "");
    let is_there = seen.clone();
    let server = Server::of("26.05", move |_| listed(&is_there)).await;
    for replaces in [None, Some(there(&other))] {
        let answer = server.slurm().put_reservation(&other, replaces.as_ref()).await;
        assert!(matches!(answer, Err(ManagerError::Refused { code: None, .. })), "{answer:?}");
    }
    let gone =
        Server::of("26.05", |_| Reply::Answer(422, recorded("26.05", "reservation-unknown")));
    let gone = gone.await;
    let answer = gone.slurm().put_reservation(&other, Some(&seen)).await;
    assert!(matches!(answer, Err(ManagerError::Unknown(_))), "{answer:?}");
    let asked = [server.asked(), gone.asked()].concat();
    assert!(asked.iter().all(|it| it.starts_with("GET ")), "{asked:?}");
}

#[tokio::test]
async fn names_that_mean_something_else_to_slurm_are_not_sent() {
    let server = Server::of("26.05", |_| Reply::Silence).await;
    let slurm = server.slurm();
    let plain = wanted("n1", 1_795_400_000, 1_795_403_600, "alice", "");
    for (nodes, users, accounts) in [
        ("", "alice", ""),
        ("n1", "", ""),
        ("ALL,n1", "alice", ""),
        ("n[1-3]", "alice", ""),
        ("n1", "-alice", ""),
        ("n1", "+alice", ""),
        ("n1", "alice,bob", ""),
        ("n1", "", "physics Flags=MAINT"),
        ("n1", "", "a\nb"),
    ] {
        let one = |name: &str| BTreeSet::from([name.to_owned()]);
        let some = |name: &str| if name.is_empty() { BTreeSet::new() } else { one(name) };
        let wanted = WantedReservation {
            nodes: some(nodes),
            users: some(users),
            accounts: some(accounts),
            ..plain.clone()
        };
        let answer = slurm.put_reservation(&wanted, None).await;
        assert!(matches!(answer, Err(ManagerError::Refused { code: None, .. })), "{wanted:?}");
    }
    for name in ["", "../nodes", "a b", "a,b", "-a"] {
        for answer in [slurm.remove_reservation(name).await, slurm.cancel_job(name).await] {
            assert!(matches!(answer, Err(ManagerError::Refused { .. })), "{name:?}: {answer:?}");
        }
    }
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test]
async fn jobs_are_cancelled_by_both_versions_and_unknown_ones_told() {
    for (version, status) in [("22.05", 500), ("26.05", 200)] {
        let unknown =
            Server::of(version, move |_| Reply::Answer(status, recorded(version, "job-unknown")))
                .await;
        let answer = unknown.slurm().cancel_job("999999").await;
        assert!(matches!(answer, Err(ManagerError::Unknown(_))), "{version}: {answer:?}");
        let known =
            Server::of(version, |_| Reply::Answer(200, br#"{"errors": []}"#.to_vec())).await;
        assert_eq!(known.slurm().cancel_job("12_3").await, Ok(()));
        assert!(known.asked()[0].ends_with("/job/12_3"), "{:?}", known.asked());
    }
}

/// "Invalid user id" is who asks, but where a request names users.
#[tokio::test]
async fn who_may_not_is_denied() {
    let refused = |request: &Request| {
        if request.method == "GET" {
            return Reply::Answer(422, recorded("26.05", "reservation-unknown"));
        }
        let error = json!({"error_number": 2010, "error": "Invalid user id"});
        Reply::Answer(500, json!({"errors": [error]}).to_string().into_bytes())
    };
    let server = Server::of("26.05", refused).await;
    let slurm = server.slurm();
    let answers = [
        slurm.remove_reservation("wattbook-x").await,
        slurm.cancel_job("7").await,
        slurm.power_up(&["n1".to_owned()]).await,
    ];
    for answer in answers {
        assert!(matches!(answer, Err(ManagerError::Denied(_))), "{answer:?}");
    }
    assert_eq!(slurm.about().await.unwrap().may_write, Some(false));
    let named = wanted("n1", 1_795_400_000, 1_795_403_600, "nosuchuser", "");
    let answer = slurm.put_reservation(&named, None).await;
    assert!(matches!(answer, Err(ManagerError::Refused { code: Some(2010), .. })), "{answer:?}");
}

#[tokio::test]
async fn nodes_are_woken_by_one_request() {
    let server = Server::of("26.05", |_| Reply::Answer(200, b"{}".to_vec())).await;
    server.slurm().power_up(&["n2".to_owned(), "n1".to_owned()]).await.unwrap();
    server.slurm().power_up(&[]).await.unwrap();
    let request = server.requests().pop().unwrap();
    assert_eq!(server.asked(), ["POST /slurm/v0.0.45/nodes"]);
    let body: Value = serde_json::from_str(&request.body).unwrap();
    assert_eq!(body, json!({"name": ["n2", "n1"], "state": ["POWER_UP"]}));
}

/// By REST from 26.05 on in both ways; in 25.05 draining takes `scontrol`.
#[tokio::test]
async fn nodes_are_switched_off_by_the_order_that_the_version_has() {
    let nodes = ["n2".to_owned(), "n1".to_owned()];
    let server = Server::of("26.05", |_| Reply::Answer(200, b"{}".to_vec())).await;
    for (how, state) in [(PowerDown::AtOnce, "POWER_DOWN"), (PowerDown::Drained, "POWER_DOWN_ASAP")]
    {
        server.slurm().power_down(&nodes, how).await.unwrap();
        let request = server.requests().pop().unwrap();
        assert_eq!((&*request.method, &*request.target), ("POST", "/slurm/v0.0.45/nodes"));
        let body: Value = serde_json::from_str(&request.body).unwrap();
        assert_eq!(body, json!({"name": ["n2", "n1"], "state": [state]}));
    }
    let asked = server.requests().len();
    server.slurm().power_down(&[], PowerDown::AtOnce).await.unwrap();
    let strange = server.slurm().power_down(&["n1,n2".to_owned()], PowerDown::AtOnce).await;
    assert!(matches!(strange, Err(ManagerError::Refused { .. })), "{strange:?}");
    assert_eq!(server.requests().len(), asked, "nothing is ordered");

    let (older, program) = (older(None).await, Program::new(""));
    let without = older.slurm().power_down(&nodes, PowerDown::AtOnce).await;
    assert!(matches!(without, Err(ManagerError::Unsupported(_))), "{without:?}");
    let slurm = Slurm::new(program.settings(&older)).unwrap();
    slurm.power_down(&nodes, PowerDown::AtOnce).await.unwrap();
    slurm.power_down(&nodes, PowerDown::Drained).await.unwrap();
    assert_eq!(
        program.wrote("arguments").replace('\n', " "),
        "update NodeName=n[1-2] State=POWER_DOWN end update NodeName=n[1-2] State=POWER_DOWN_ASAP end "
    );
}

/// A program in the place of `scontrol` that writes down how it was run, and what it says.
struct Program {
    folder: TempDir,
}

impl Program {
    fn new(says: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("scontrol");
        let text = format!(
            "#!/bin/sh\nhere={}\nprintf '%s\\n' \"$@\" >>$here/arguments\necho end >>$here/arguments\n\
             env >$here/environment\ncat >$here/input\n{says}\n",
            folder.path().display()
        );
        std::fs::write(&file, text).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o700)).unwrap();
        Self { folder }
    }

    fn settings(&self, server: &Server) -> SlurmSettings {
        SlurmSettings {
            scontrol: Some(self.folder.path().join("scontrol")),
            slurm_conf: Some("/etc/slurm/other.conf".into()),
            ..server.settings()
        }
    }

    fn wrote(&self, file: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(file)).unwrap()
    }
}

/// A 22.05 in which there is this reservation, or none.
async fn older(there: Option<ManagedReservation>) -> Server {
    Server::of("22.05", move |_| match &there {
        Some(there) => listed(there),
        None => Reply::Answer(500, recorded("22.05", "reservation-unknown")),
    })
    .await
}

#[tokio::test]
async fn scontrol_is_run_without_a_shell_in_utc_as_the_user_of_the_token() {
    let (server, program) = (older(None).await, Program::new("echo 'Reservation created'"));
    let slurm = Slurm::new(program.settings(&server)).unwrap();
    // 2026-11-23T02:13:21Z and an hour and a second later.
    let later = wanted("n1 n2 n4", 1_795_400_001, 1_795_403_602, "alice bob", "");
    slurm.put_reservation(&later, None).await.unwrap();
    // It has begun: from now on, 2026-11-22T17:28:20Z.
    let begun = wanted("n7", OLDER_NOW - 60, 1_795_403_602, "$(id)", "");
    let strange = slurm.put_reservation(&begun, None).await;
    assert!(matches!(strange, Err(ManagerError::Refused { .. })), "{strange:?}");
    let begun = wanted("n7", OLDER_NOW - 60, 1_795_403_602, "", "physics");
    slurm.put_reservation(&begun, None).await.unwrap();
    slurm.remove_reservation("wattbook-x").await.unwrap();
    slurm.power_up(&["n3".to_owned(), "n4".to_owned()]).await.unwrap();
    assert_eq!(
        program.wrote("arguments").replace('\n', " "),
        "create ReservationName=wattbook-x Nodes=n[1-2,4] StartTime=2026-11-23T02:13:21 \
         EndTime=2026-11-23T03:13:22 Users=alice,bob end \
         create ReservationName=wattbook-x Nodes=n7 StartTime=2026-11-22T17:28:20 \
         EndTime=2026-11-23T03:13:22 Accounts=physics end \
         delete ReservationName=wattbook-x end \
         update NodeName=n[3-4] State=POWER_UP end "
    );
    let environment = program.wrote("environment");
    for line in ["TZ=UTC", "SLURM_CONF=/etc/slurm/other.conf", "SLURM_JWT=a-token"] {
        assert!(environment.lines().any(|it| it == line), "{line}: {environment}");
    }
    // Nothing of the service's own environment, such as other secrets.
    assert!(!environment.contains("CARGO"), "{environment}");
    assert_eq!(program.wrote("input"), "");
}

#[tokio::test]
async fn scontrol_changes_what_there_is() {
    let of_alice = there(&wanted("n1", OLDER_NOW - 60, 1_795_403_602, "alice", ""));
    let (server, program) = (older(Some(of_alice.clone())).await, Program::new(""));
    let slurm = Slurm::new(program.settings(&server)).unwrap();
    let of_physics = wanted("n1 n2", OLDER_NOW - 60, 1_795_400_001, "", "physics");
    slurm.put_reservation(&of_physics, Some(&of_alice)).await.unwrap();
    assert_eq!(
        program.wrote("arguments").replace('\n', " "),
        "update ReservationName=wattbook-x Nodes=n[1-2] EndTime=2026-11-23T02:13:21 Users= \
         Accounts=physics end "
    );
}

#[tokio::test]
async fn what_scontrol_complains_of_has_a_number() {
    let complaint =
        "echo 'delete_reservation ReservationName=x: Requested reservation is in use' >&2; exit 1";
    let (server, program) = (older(None).await, Program::new(complaint));
    let slurm = Slurm::new(program.settings(&server)).unwrap();
    let answer = slurm.remove_reservation("wattbook-x").await;
    assert!(matches!(answer, Err(ManagerError::Refused { code: Some(2055), .. })), "{answer:?}");
}

#[tokio::test]
async fn a_scontrol_that_does_not_end_or_is_not_there_is_unreachable() {
    let (server, program) = (older(None).await, Program::new("exec sleep 60"));
    let settings = program.settings(&server);
    let slow = SlurmSettings { timeout: Duration::from_secs(1), ..settings.clone() };
    let gone = SlurmSettings { scontrol: Some("/nonexistent/scontrol".into()), ..settings };
    for settings in [slow, gone] {
        let answer = Slurm::new(settings).unwrap().remove_reservation("wattbook-x").await;
        assert!(
            matches!(&answer, Err(ManagerError::Unreachable(it)) if it.contains("/scontrol")),
            "{answer:?}"
        );
    }
}

#[tokio::test]
async fn the_name_of_the_cluster_is_told_by_scontrol_where_slurmrestd_does_not() {
    let says = "printf 'Configuration data as of now\\nClusterName             = peer\\n'";
    let server = Server::of("22.05", |_| ok("22.05", "nodes")).await;
    let about = Slurm::new(Program::new(says).settings(&server)).unwrap().about().await.unwrap();
    assert_eq!((about.cluster.as_deref(), about.writes), (Some("peer"), slurm::Way::Scontrol));
    assert_eq!(Seconds::new(OLDER_NOW), about.clock.unwrap() - Timestamp::MIN);
}
