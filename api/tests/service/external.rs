//! `wattbook batch run --policy external`: decision processes over real sockets.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Output;
use std::thread::{self, JoinHandle};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::oneshot;
use zeromq::{RepSocket, Socket, SocketRecv, SocketSend, ZmqMessage};

use crate::site::wattbook;

/// A decision process: listens, and answers each message by `decide` until it is stopped.
pub struct Process {
    endpoint: String,
    thread: JoinHandle<()>,
    stop: oneshot::Sender<()>,
}

impl Process {
    pub fn new(mut decide: impl FnMut(&Value) -> String + Send + 'static) -> Self {
        let (tell, endpoint) = std::sync::mpsc::channel();
        let (stop, mut stopped) = oneshot::channel();
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(async {
                let mut socket = RepSocket::new();
                let endpoint = socket.bind("tcp://127.0.0.1:0").await.unwrap();
                tell.send(endpoint.to_string()).unwrap();
                loop {
                    let message = tokio::select! {
                        message = socket.recv() => message,
                        _ = &mut stopped => break,
                    };
                    let text = message.ok().and_then(|message| String::try_from(message).ok());
                    // The peer has gone.
                    let Some(text) = text else { continue };
                    let answer = decide(&serde_json::from_str(&text).unwrap());
                    if answer == HANG_UP {
                        break;
                    }
                    let _ = socket.send(ZmqMessage::from(answer)).await;
                }
            });
        });
        Self { endpoint: endpoint.recv().unwrap(), thread, stop }
    }

    /// Plays `workload.json` or another file in `folder` against the process.
    pub fn play(self, folder: &Path, workload: &str, more: &str) -> Output {
        let mut command = wattbook(&["batch", "run", "--policy", "external"]);
        command.args(["--socket", &self.endpoint, "--workload", workload, "--out", "out"]);
        command.args(more.split_ascii_whitespace());
        let output = command.current_dir(folder).output().unwrap();
        // It may have gone before.
        let _ = self.stop.send(());
        self.thread.join().unwrap();
        output
    }
}

/// Instead of an answer: the process goes away.
pub const HANG_UP: &str = "";

/// An answer at the message's own time.
pub fn answer(message: &Value, events: &[(&str, Value)]) -> String {
    let now = &message["now"];
    let event =
        |(kind, data): &(&str, Value)| json!({"timestamp": now, "type": kind, "data": data});
    let events: Vec<Value> = events.iter().map(event).collect();
    json!({"now": now, "events": events}).to_string()
}

pub fn events<'a>(message: &'a Value, kind: &'a str) -> impl Iterator<Item = &'a Value> {
    let of_kind = move |event: &&Value| event["type"] == kind;
    message["events"].as_array().unwrap().iter().filter(of_kind).map(|event| &event["data"])
}

fn machines(text: &str) -> Vec<u64> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        first.parse::<u64>().unwrap()..=last.parse().unwrap()
    };
    text.split(' ').flat_map(range).collect()
}

/// First come, first served, on the lowest free machines.
fn fcfs() -> impl FnMut(&Value) -> String {
    let mut free = BTreeSet::new();
    let mut queue = std::collections::VecDeque::new();
    move |message| {
        for begins in events(message, "SIMULATION_BEGINS") {
            free.extend(0..begins["nb_resources"].as_u64().unwrap());
        }
        for completed in events(message, "JOB_COMPLETED") {
            free.extend(machines(completed["alloc"].as_str().unwrap()));
        }
        for submitted in events(message, "JOB_SUBMITTED") {
            let job = &submitted["job"];
            assert_eq!(submitted["profile"]["type"], "delay");
            queue.push_back((submitted["job_id"].clone(), job["res"].as_u64().unwrap()));
        }
        let mut starts = Vec::new();
        while queue.front().is_some_and(|(_, res)| *res <= free.len() as u64) {
            let (job, res) = queue.pop_front().unwrap();
            let taken: Vec<u64> = (0..res).map(|_| free.pop_first().unwrap()).collect();
            let alloc: Vec<String> = taken.iter().map(u64::to_string).collect();
            starts.push(("EXECUTE_JOB", json!({"job_id": job, "alloc": alloc.join(" ")})));
        }
        answer(message, &starts)
    }
}

/// The same rule at either end of the socket gives the same bytes.
#[test]
fn a_decision_process_plays_as_our_own_policy() {
    let folder = TempDir::new().unwrap();
    let mut command = wattbook(&["workload", "generate", "--jobs", "300", "--out", "drawn.swf"]);
    assert!(command.current_dir(folder.path()).status().unwrap().success());
    let output = Process::new(fcfs()).play(folder.path(), "drawn.swf", "--machines 30");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut command = wattbook(&["batch", "run", "--policy", "fcfs", "--machines", "30"]);
    command.args(["--workload", "drawn.swf", "--out", "own"]).current_dir(folder.path());
    assert!(command.status().unwrap().success());
    let jobs = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(jobs("out/jobs.csv").lines().count(), 301);
    assert!(jobs("out/jobs.csv") == jobs("own/jobs.csv"));
}

/// Four machines, 5 s to be switched off and 10 s on.
const PLATFORM: &str = "\
[[machines]]
count = 4
speed_flops = 10.0
idle_power_w = 100.0
computing_power_w = 200.0
[machines.sleep]
off_power_w = 10.0
switching_off_power_w = 100.0
switching_on_power_w = 120.0
switching_off_s = 5.0
switching_on_s = 10.0
";

/// Job 3 computes 500 operations, 50 s, on each of two machines; in its sequence four times 100.
const WORKLOAD: &str = r#"{"nb_res": 4, "jobs": [
    {"id": 1, "subtime": 0, "res": 1, "profile": "wait", "walltime": 30, "user": "ann"},
    {"id": 2, "subtime": 0, "res": 9, "profile": "wait", "walltime": 30},
    {"id": 3, "subtime": 0, "res": 2, "profile": "twice", "walltime": 300},
    {"id": 4, "subtime": 1, "res": 1, "profile": "fail"},
    {"id": 5, "subtime": 1, "res": 1, "profile": "wait", "walltime": 8},
    {"id": 6, "subtime": 2, "res": 1, "profile": "wait", "walltime": 30}],
  "profiles": {
    "wait": {"type": "delay", "delay": 10},
    "fail": {"type": "delay", "delay": 4, "ret": 3},
    "work": {"type": "parallel_homogeneous", "cpu": 100, "com": 0},
    "twice": {"type": "composed", "repeat": 2, "seq": ["work", "work"]}}}"#;

const EVENTS: &str = "\
{\"type\": \"machine_unavailable\", \"resources\": \"0\", \"timestamp\": 20}
{\"type\": \"moon\", \"phase\": \"full\", \"timestamp\": 21}
{\"type\": \"machine_available\", \"resources\": \"0\", \"timestamp\": 22}
";

/// Goes through every type of message, in the order of the simulated time.
fn every_type(message: &Value, seen: &mut BTreeSet<String>) -> Vec<(&'static str, Value)> {
    let now = message["now"].as_f64().unwrap();
    let mut decided = Vec::new();
    for event in message["events"].as_array().unwrap() {
        let (kind, data) = (event["type"].as_str().unwrap(), &event["data"]);
        let of = |name: &str| data[name].as_str().unwrap_or_default().to_owned();
        let detail = match kind {
            "NOTIFY" => of("type"),
            "JOB_COMPLETED" => format!("{} {}", of("job_id"), of("job_state")),
            "JOB_SUBMITTED" => of("job_id"),
            "RESOURCE_STATE_CHANGED" => format!("{}={}", of("resources"), of("state")),
            _ => String::new(),
        };
        seen.insert(format!("{kind} {detail}").trim_end().to_owned());
        let job =
            |name: &str, alloc: &str| ("EXECUTE_JOB", json!({"job_id": name, "alloc": alloc}));
        match (kind, detail.as_str()) {
            ("SIMULATION_BEGINS", _) => {
                assert_eq!(data["profiles"]["w0"]["fail"]["ret"], 3);
                assert_eq!(data["compute_resources"][3]["state"], "idle");
                assert_eq!(data["compute_resources"][3]["name"], "machine3");
                decided.push(("CALL_ME_LATER", json!({"timestamp": 15})));
                decided.push(("CALL_ME_LATER", json!({"timestamp": 60.5})));
                let data = json!({
                    "workload_name": "dyn",
                    "profile_name": "short",
                    "profile": {"type": "delay", "delay": 3},
                });
                decided.push(("REGISTER_PROFILE", data));
            }
            ("JOB_SUBMITTED", "w0!1") => {
                assert_eq!(data["job"]["user"], "ann");
                assert_eq!(data["job"]["walltime"].as_f64(), Some(30.0));
                let note = json!({"job_id": "w0!1", "metadata": "first, \"of all\""});
                decided.push(("SET_JOB_METADATA", note));
                decided.push((
                    "EXECUTE_JOB",
                    json!({
                        "job_id": "w0!1", "alloc": "0", "mapping": {"0": "0"},
                    }),
                ));
            }
            ("JOB_SUBMITTED", "w0!2") => decided.push(("REJECT_JOB", json!({"job_id": "w0!2"}))),
            ("JOB_SUBMITTED", "w0!3") => decided.push(job("w0!3", "1-2")),
            ("JOB_SUBMITTED", "w0!4") => decided.push(job("w0!4", "3")),
            ("JOB_SUBMITTED", "w0!6") => {
                let data = json!({"job_id": "w0!6", "job_state": "RUNNING"});
                decided.push(("CHANGE_JOB_STATE", data));
            }
            ("JOB_COMPLETED", "w0!4 COMPLETED_FAILED") => {
                assert_eq!((now, data["return_code"].as_i64()), (5.0, Some(3)));
                decided.push(job("w0!5", "3"));
            }
            ("QUERY", _) => {
                let about = &data["requests"]["estimate_waiting_time"];
                let estimate = json!({"job_id": about["job_id"], "estimated_waiting_time": 2.5});
                decided.push(("ANSWER", json!({"estimate_waiting_time": estimate})));
            }
            ("REQUESTED_CALL", _) if now < 20.0 => {
                // Machine 3 is free since 13 s; 15 s of 40 are run of job 3: the first part of its two
                // ended at 10 s, the second is half done.
                decided.push(("SET_RESOURCE_STATE", json!({"resources": "3", "state": "1"})));
                decided.push(("KILL_JOB", json!({"job_ids": ["w0!3", "w0!1"]})));
                decided.push(("QUERY", json!({"requests": {"consumed_energy": {}}})));
                let data = json!({"job_id": "w0!6", "job_state": "COMPLETED_SUCCESSFULLY"});
                decided.push(("CHANGE_JOB_STATE", data));
            }
            ("REQUESTED_CALL", _) => {
                decided.push(("NOTIFY", json!({"type": "continue_registration"})));
                let data = json!({"profile": "short", "res": 2, "id": "dyn!late", "walltime": 9});
                decided.push(("REGISTER_JOB", json!({"job_id": "dyn!late", "job": data})));
                decided.push(("NOTIFY", json!({"type": "registration_finished"})));
            }
            ("JOB_KILLED", _) => {
                assert_eq!(data["job_ids"], json!(["w0!3", "w0!1"]));
                let part = json!({"profile_name": "work", "progress": 0.5});
                let progress = json!({
                    "profile_name": "twice", "current_task_index": 1, "current_task": part,
                });
                assert_eq!(data["job_progress"], json!({"w0!3": progress}));
            }
            ("ANSWER", _) => {
                // By 15 s: 4 machines idle, 15 * 400 J; 2 computing for 15 s, 30 * 100 J more. Delays draw
                // idle power.
                assert_eq!(data["consumed_energy"].as_f64(), Some(9000.0));
            }
            ("RESOURCE_STATE_CHANGED", "3=1") => {
                assert!((now - 20.0).abs() < 1e-9);
                decided.push(("SET_RESOURCE_STATE", json!({"resources": "3", "state": "0"})));
            }
            ("RESOURCE_STATE_CHANGED", "3=0") => assert!((now - 30.0).abs() < 1e-9),
            ("NOTIFY", "event_machine_unavailable") => assert_eq!(data["resources"], "0"),
            ("NOTIFY", "moon") => assert_eq!(data["phase"], "full"),
            ("JOB_SUBMITTED", "dyn!late") => decided.push(job("dyn!late", "0 3")),
            _ => {}
        }
    }
    decided
}

pub fn site() -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in
        [("platform.toml", PLATFORM), ("workload.json", WORKLOAD), ("events.jsonl", EVENTS)]
    {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

const EVERYTHING: &str = "--raw --platform platform.toml --events events.jsonl \
    --option dynamic_jobs=true --option acknowledge_dynamic_jobs=true \
    --option ask_waiting_times=true --option forward_unknown_events=true";

#[test]
fn every_type_of_message_goes_over_the_socket() {
    let folder = site();
    let (tell, told) = std::sync::mpsc::channel();
    let mut seen = BTreeSet::new();
    let process = Process::new(move |message| {
        let decided = every_type(message, &mut seen);
        tell.send(seen.clone()).unwrap();
        answer(message, &decided)
    });
    let output = process.play(folder.path(), "workload.json", EVERYTHING);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let expected = [
        "ANSWER",
        "JOB_COMPLETED dyn!late COMPLETED_SUCCESSFULLY",
        "JOB_COMPLETED w0!1 COMPLETED_SUCCESSFULLY",
        "JOB_COMPLETED w0!3 COMPLETED_KILLED",
        "JOB_COMPLETED w0!4 COMPLETED_FAILED",
        "JOB_COMPLETED w0!5 COMPLETED_WALLTIME_REACHED",
        "JOB_KILLED",
        "JOB_SUBMITTED dyn!late",
        "JOB_SUBMITTED w0!1",
        "JOB_SUBMITTED w0!2",
        "JOB_SUBMITTED w0!3",
        "JOB_SUBMITTED w0!4",
        "JOB_SUBMITTED w0!5",
        "JOB_SUBMITTED w0!6",
        "NOTIFY event_machine_available",
        "NOTIFY event_machine_unavailable",
        "NOTIFY moon",
        "NOTIFY no_more_external_event_to_occur",
        "NOTIFY no_more_static_job_to_submit",
        "QUERY",
        "REQUESTED_CALL",
        "RESOURCE_STATE_CHANGED 3=0",
        "RESOURCE_STATE_CHANGED 3=1",
        "SIMULATION_BEGINS",
        "SIMULATION_ENDS",
    ];
    let seen: Vec<String> = told.into_iter().last().unwrap().into_iter().collect();
    assert_eq!(seen, expected);
    let read = |name: &str| fs::read_to_string(folder.path().join("out").join(name)).unwrap();
    let rows = read("jobs.csv");
    let row = |start: &str| {
        let found = rows.lines().find(|row| row.starts_with(start));
        found.unwrap_or_else(|| panic!("{start} in {rows}")).to_owned()
    };
    assert!(row("1,w0,wait,").ends_with(",\"first, \"\"of all\"\"\""));
    assert!(row("2,w0,wait,").contains(",0,REJECTED,"));
    assert!(row("3,w0,twice,").contains(",0,COMPLETED_KILLED,0.000000,15.000000,"));
    // Killed at 13 s, 8 s after its start.
    assert!(row("5,w0,wait,").contains(",0,COMPLETED_WALLTIME_REACHED,5.000000,8.000000,"));
    assert!(row("6,w0,wait,").contains(",1,COMPLETED_SUCCESSFULLY,2.000000,13.000000,"));
    assert!(row("late,dyn,short,").contains(",1,COMPLETED_SUCCESSFULLY,60.500000,3.000000,"));
    let summary: Value = serde_json::from_str(&read("summary.json")).unwrap();
    assert_eq!(
        (summary["nb_jobs"].as_u64(), summary["nb_jobs_killed"].as_u64()),
        (Some(7), Some(2))
    );
    assert_eq!(summary["nb_machine_switches"], 2);
    assert_eq!(read("estimated_waiting_times.csv").lines().count(), 8);
}

#[test]
fn nobody_at_the_other_end_is_told() {
    let folder = site();
    let mut command =
        wattbook(&["batch", "run", "--policy", "external", "--socket-timeout-s", "1"]);
    // A port that is free: it was this test's, and nobody listens there.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    command.args(["--socket", &format!("tcp://127.0.0.1:{port}"), "--machines", "4"]);
    command.args(["--workload", "workload.json"]).current_dir(folder.path());
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("no decision process listens at --socket tcp://127.0.0.1:"), "{text}");
}

/// Machines are told by the names and properties of their hosts.
#[test]
fn hosts_are_told_as_the_platform_has_them() {
    let folder = site();
    let host = |id: &str, property: &str| {
        format!("<host id='{id}' speed='10'><prop id='rack' value='{property}'/></host>")
    };
    let hosts: String = ["a", "b", "c", "d"].map(|id| host(id, "r1")).concat();
    let xml =
        format!("<platform><zone id='z'>{}{hosts}</zone></platform>", host("master_host", "r0"));
    fs::write(folder.path().join("platform.xml"), xml).unwrap();
    let (tell, told) = std::sync::mpsc::channel();
    let process = Process::new(move |message| {
        for begins in events(message, "SIMULATION_BEGINS") {
            tell.send(begins.clone()).unwrap();
        }
        let rejected = events(message, "JOB_SUBMITTED")
            .map(|job| ("REJECT_JOB", json!({"job_id": job["job_id"]})));
        answer(message, &rejected.collect::<Vec<_>>())
    });
    let output = process.play(folder.path(), "workload.json", "--raw --platform platform.xml");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let begins = told.recv().unwrap();
    let of = |id: u64, name: &str| {
        json!({
            "id": id, "name": name, "state": "idle", "properties": {"rack": "r1"}, "zone_properties": {},
        })
    };
    assert_eq!(
        begins["compute_resources"],
        json!([of(0, "a"), of(1, "b"), of(2, "c"), of(3, "d")])
    );
    for (name, value) in [
        ("nb_resources", json!(4)),
        ("nb_compute_resources", json!(4)),
        ("nb_storage_resources", json!(0)),
        ("allow_compute_sharing", json!(false)),
        ("allow_storage_sharing", json!(false)),
        ("storage_resources", json!([])),
        ("workloads", json!({"w0": "workload.json"})),
    ] {
        assert_eq!(begins[name], value, "{name}");
    }
    let config: BTreeSet<&str> =
        begins["config"].as_object().unwrap().keys().map(String::as_str).collect();
    let expected = [
        "dynamic-jobs-acknowledged",
        "dynamic-jobs-enabled",
        "forward-unknown-events",
        "profile-reuse-enabled",
        "profiles-forwarded-on-submission",
        "redis-enabled",
        "redis-hostname",
        "redis-port",
        "redis-prefix",
        "sched-config",
    ];
    assert_eq!(config, expected.into());
}
