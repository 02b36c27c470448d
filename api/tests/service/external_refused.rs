//! `wattbook batch run --policy external`: answers of decision processes that cannot be carried out.

use serde_json::{Value, json};

use crate::external::{HANG_UP, Process, answer, events, site};

/// What is answered to the message that submits the first jobs, and what is told of it.
#[test]
fn answers_that_cannot_be_end_in_clear_errors() {
    let execute = |job: &str, alloc: &str| json!([{"timestamp": 0, "type": "EXECUTE_JOB", "data": {"job_id": job, "alloc": alloc}}]);
    let one = |kind: &str, data: Value| json!([{"timestamp": 0, "type": kind, "data": data}]);
    let event_1 = |kind: &str| format!("the answer to message 2, event 1 ({kind}): ");
    let executed = event_1("EXECUTE_JOB");
    let twice = json!([execute("w0!1", "0")[0], execute("w0!1", "1")[0]]);
    let shared = json!([execute("w0!1", "0")[0], execute("w0!3", "0-1")[0]]);
    let early = json!([{"timestamp": -1, "type": "REJECT_JOB", "data": {"job_id": "w0!1"}}]);
    let later = json!([{"timestamp": 3, "type": "REJECT_JOB", "data": {"job_id": "w0!1"}}]);
    let mapped = json!({"job_id": "w0!3", "alloc": "0-1", "mapping": {"0": "0", "1": "0"}});
    let dynamic = json!({"job_id": "dyn!1", "job": {"res": 1, "profile": "wait"}});
    let cases = [
        (execute("w0!7", "0"), executed.clone() + "there is no job w0!7"),
        (execute("w0!4", "0"), executed.clone() + "there is no job w0!4"),
        (execute("w0!1", "0-1"), executed.clone() + "job w0!1 asks for 1 machines, not for 2"),
        (execute("w0!1", "4"), executed.clone() + "job w0!1: there are no machines 4"),
        (execute("w0!1", "x"), executed.clone() + "\"x\" is not a machine"),
        (twice, "event 2 (EXECUTE_JOB): job w0!1 runs already".to_owned()),
        (
            shared,
            "event 2 (EXECUTE_JOB): job w0!3: these machines are not on and free: 0".to_owned(),
        ),
        (one("EXECUTE_JOB", json!({"job_id": "w0!1"})), executed.clone() + "missing field `alloc`"),
        (one("EXECUTE_JOB", mapped), executed.clone() + "mapping: machines are not shared"),
        (
            one("KILL_JOB", json!({"job_ids": ["w0!1"]})),
            event_1("KILL_JOB") + "job w0!1 does not run",
        ),
        (one("CALL_ME_LATER", json!({"timestamp": -5})), "-5 is not a time from".to_owned()),
        (one("SET_RESOURCE_STATE", json!({"resources": "0-4", "state": "1"})), "0 to 3".to_owned()),
        (
            one("SET_RESOURCE_STATE", json!({"resources": "0", "state": "7"})),
            "\"7\" is no power state".to_owned(),
        ),
        (
            one("CHANGE_JOB_STATE", json!({"job_id": "w0!1", "job_state": "COMPLETED_KILLED"})),
            "cannot become".to_owned(),
        ),
        (one("REGISTER_JOB", dynamic), "dynamic jobs are not enabled".to_owned()),
        (one("NOTIFY", json!({"type": "registration_finished"})), "not enabled".to_owned()),
        (one("QUERY", json!({"requests": {"weather": {}}})), "\"weather\" is not known".to_owned()),
        (
            one(
                "ANSWER",
                json!({"estimate_waiting_time": {"job_id": "w0!1", "estimated_waiting_time": 1}}),
            ),
            "nobody asked about job w0!1".to_owned(),
        ),
        (one("REJECT_JOB", json!({"job_id": "w0!9"})), "there is no job w0!9".to_owned()),
        (
            one("SET_JOB_METADATA", json!({"job_id": "w0!1"})),
            event_1("SET_JOB_METADATA") + "missing field `metadata`",
        ),
        (one("KILL_JOB", json!({"job_ids": "w0!1"})), event_1("KILL_JOB") + "invalid type: string"),
        (
            one(
                "REGISTER_PROFILE",
                json!({"workload_name": "dyn", "profile_name": "p", "profile": {}}),
            ),
            event_1("REGISTER_PROFILE") + "dynamic jobs are not enabled",
        ),
        (one("TELEPORT", json!({})), "there is no such type of event".to_owned()),
        (early, "its timestamp -1.000000 lies before 0.000000, which was reached".to_owned()),
        (later, "its timestamp 3.000000 lies after 0.000000, the answer's now".to_owned()),
        (json!([]), "6 jobs wait, nothing runs, and the scheduler starts none".to_owned()),
    ];
    for (decided, told) in cases {
        fails(
            move |message| {
                let first = events(message, "JOB_SUBMITTED").count() > 0 && message["now"] == 0.0;
                let events = if first { decided.clone() } else { json!([]) };
                json!({"now": message["now"], "events": events}).to_string()
            },
            &told,
        );
    }
    fails(|_| "{\"now\": 0".to_owned(), "the answer to message 1 is no message of the protocol");
    fails(
        |_| json!({"now": -1, "events": []}).to_string(),
        "was sent at -1.000000 s, before its message",
    );
    fails(|_| HANG_UP.to_owned(), "the decision process does not answer message 1");
}

/// The same where jobs may be registered.
#[test]
fn registrations_that_cannot_be_end_in_clear_errors() {
    let register = |job: &str, res: u32, profile: &str, walltime: f64| {
        let data = json!({"res": res, "profile": profile, "walltime": walltime});
        ("REGISTER_JOB", json!({"job_id": job, "job": data}))
    };
    let profile = |workload: &str, name: &str, kind: &str| {
        let profile = json!({"type": kind, "delay": 3});
        let data = json!({"workload_name": workload, "profile_name": name, "profile": profile});
        ("REGISTER_PROFILE", data)
    };
    let finished = ("NOTIFY", json!({"type": "registration_finished"}));
    let cases = [
        (vec![register("dyn", 1, "p", 9.0)], "job_id \"dyn\" must be WORKLOAD!NAME"),
        (vec![register("dyn!1", 1, "p", 9.0)], "workload dyn has no profile p"),
        (vec![register("w0!1", 1, "wait", 9.0)], "there is a job w0!1 already, or may be one"),
        (vec![register("w0!n", 0, "wait", 9.0)], "or may be one"),
        (vec![profile("dyn", "p", "delay"), register("dyn!1", 0, "p", 9.0)], "asks for no machine"),
        (vec![profile("dyn", "p", "delay"), register("dyn!1", 1, "p", 0.0)], "0 is not a walltime"),
        (vec![profile("w0", "wait", "delay")], "workload w0 has a profile wait already"),
        (vec![profile("dyn", "p", "recv")], "profile \"p\": unknown variant `recv`"),
        (vec![finished.clone(), finished.clone()], "registration_finished was said before"),
        (vec![finished, profile("dyn", "p", "delay")], "registration_finished was said before"),
        (vec![("NOTIFY", json!({"type": "lunch"}))], "\"lunch\" is not known"),
    ];
    for (decided, told) in cases {
        let decide = move |message: &Value| {
            let begins = events(message, "SIMULATION_BEGINS").count() > 0;
            answer(message, if begins { &decided } else { &[] })
        };
        fails_with(decide, "--option dynamic_jobs=true", told);
    }
}

fn fails(decide: impl FnMut(&Value) -> String + Send + 'static, told: &str) {
    fails_with(decide, "", told);
}

fn fails_with(decide: impl FnMut(&Value) -> String + Send + 'static, more: &str, told: &str) {
    let folder = site();
    let process = Process::new(decide);
    let more = format!("--raw --platform platform.toml {more}");
    let output = process.play(folder.path(), "workload.json", &more);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success(), "{told}");
    assert!(text.contains(told), "{told}: {text}");
    assert!(!folder.path().join("out/jobs.csv").exists(), "{told}");
}
