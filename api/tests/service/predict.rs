//! When a job would start and end: `wattbook predict`, and the same by the API.

use std::fs;
use std::process::Output;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::site::{Site, on_both_engines, wattbook};

on_both_engines! {
    starts_are_predicted_in_a_queue_that_is_sent,
}

/// 8 nodes at noon. All run a job of an hour since ten minutes ago; one job of 4 nodes and two hours waits.
fn state() -> Value {
    json!({"now": "2026-11-30T12:00:00Z", "nodes": 8, "jobs": [
        {"id": 1, "nodes": 8, "walltime_s": 3600, "submitted": "2026-11-30T11:00:00Z", "started": "2026-11-30T11:50:00Z"},
        {"id": 2, "nodes": 4, "walltime_s": 7200, "submitted": "2026-11-30T11:55:00Z"},
    ]})
}

fn predict(state: &Value, more: &str) -> Output {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("queue.json");
    fs::write(&file, state.to_string()).unwrap();
    let mut command = wattbook(&["predict", "--state"]);
    command.arg(&file).args(more.split_whitespace()).output().unwrap()
}

/// Nothing has ended yet, so that every job runs until its walltime: at 12:50 all nodes are free, the waiting job takes 4 until 14:50, and a
/// job of 4 nodes starts with it. One of 8 nodes starts after it.
#[test]
fn without_history_jobs_run_until_their_walltimes() {
    let output = predict(&state(), "--shapes 4x1h,8x1:00:00 --format json");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let at = |time: &str| {
        let instant = format!("2026-11-30T{time}:00Z");
        json!({"expected": instant, "p05": instant, "p95": instant})
    };
    let expected = json!({"now": "2026-11-30T12:00:00Z", "running": 1, "waiting": 1, "shapes": [
        {"nodes": 4, "walltime_s": 3600.0, "start": at("12:50"), "end": at("13:50")},
        {"nodes": 8, "walltime_s": 3600.0, "start": at("14:50"), "end": at("15:50")},
    ]});
    assert_eq!(told, expected);
    let output = predict(&state(), "--shapes 4x1h,8x1h");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("4 nodes for 1:00 start first; 4 nodes for 1:00 end first."), "{text}");
}

/// The queue above, in which shapes of 4 and of 8 nodes are asked for.
pub fn question() -> Value {
    let shapes = json!([{"nodes": 4, "walltime_s": 3600}, {"nodes": 8, "walltime_s": "PT1H"}]);
    json!({"shapes": shapes, "state": state()})
}

/// The same starts as on the command line. Of two partitions of 4 nodes each, one is empty, and what waits in the other does so until its job
/// has run until its walltime.
async fn starts_are_predicted_in_a_queue_that_is_sent(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let told = client.post("/api/v1/predictions", &question()).await.ok(200);
    let starts = |told: &Value| -> Vec<String> {
        let shapes = told["shapes"].as_array().unwrap().iter();
        shapes.map(|it| it["start"]["expected"].as_str().unwrap()[11..16].to_owned()).collect()
    };
    assert_eq!(starts(&told), ["12:50", "14:50"]);
    assert_eq!(told["shapes"][0].get("partition"), None);
    let mut asked = question();
    let state = &mut asked["state"];
    state.as_object_mut().unwrap().remove("nodes");
    state["partitions"] = json!([{"name": "a", "nodes": 4}, {"name": "b", "nodes": 4}]);
    for job in state["jobs"].as_array_mut().unwrap() {
        job["partition"] = json!("b");
        job["nodes"] = json!(4);
    }
    asked["shapes"].as_array_mut().unwrap().pop();
    asked["waiting"] = json!(true);
    let told = client.post("/api/v1/predictions", &asked).await.ok(200);
    assert_eq!(starts(&told), ["12:00", "14:50"]);
    assert_eq!(told["shapes"][1]["partition"], "b");
    let waits = &told["jobs"][0];
    assert_eq!(
        (&waits["id"], &waits["start"]["p95"]),
        (&json!("2"), &json!("2026-11-30T12:50:00Z"))
    );
    for (place, value, pointer) in [
        ("partition", json!("c"), "/partition"),
        ("policy", json!("best"), "/policy"),
        ("policy", json!("power_cap"), "/policy"),
        ("shapes", json!([{"nodes": 5, "walltime_s": 60}]), "/shapes"),
        ("shapes", json!([{"nodes": 1, "walltime_s": 0}]), "/shapes/0/walltime_s"),
    ] {
        let mut wrong = asked.clone();
        wrong[place] = value;
        let refused = client.post("/api/v1/predictions", &wrong).await;
        let refused = refused.problem(400, "invalid_body");
        assert_eq!(refused["errors"][0]["pointer"], pointer, "{refused}");
    }
    let nothing = json!({"shapes": [{"nodes": 1, "walltime_s": 60}]});
    client.post("/api/v1/predictions", &nothing).await.problem(409, "no_queue");
}

/// Ten jobs that ended used a fifth, two fifths, ... of their walltimes. A job of an hour for 8 nodes that has run for ten minutes, a
/// sixth of it, ends at 12:02, 12:14, 12:26, 12:38 or 12:50, each as likely; so the median start of another is 12:26.
#[test]
fn ended_jobs_say_what_is_used_of_walltimes() {
    let mut state = state();
    let jobs = state["jobs"].as_array_mut().unwrap();
    jobs.pop();
    for place in 0..10 {
        let begins = 1_700_000_000 + 1_000 * place;
        let ends = begins + 20 * (place % 5 + 1);
        jobs.push(json!({"user": "eve", "nodes": 1, "walltime_s": 100, "submitted": begins, "started": begins, "ended": ends}));
    }
    let output = predict(&state, "--nodes 1 --time 1h --format json");
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let start = &told["shapes"][0]["start"];
    let expected = json!({"expected": "2026-11-30T12:26:00Z", "p05": "2026-11-30T12:02:00Z", "p95": "2026-11-30T12:50:00Z"});
    assert_eq!(*start, expected);
}

#[test]
fn what_cannot_be_predicted_is_told() {
    let refused = |output: Output, error: &str| {
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(error), "{text}");
        assert!(output.stdout.is_empty());
    };
    refused(predict(&state(), "--nodes 9 --time 1h"), "9 nodes are asked for; there are 8");
    refused(predict(&state(), ""), "say --nodes and --time, or --shapes");
    refused(predict(&state(), "--shapes 8by2h"), "is no shape such as 8x2h");
    refused(predict(&state(), "--nodes 1 --time 1h --policy best"), "is not a policy");
    let capped = predict(&state(), "--nodes 1 --time 1h --policy power_cap");
    refused(capped, "power_cap cannot be played on: ");
    let mut wrong = state();
    wrong["jobs"][1]["started"] = json!("2026-11-30T13:00:00Z");
    refused(predict(&wrong, "--nodes 1 --time 1h"), "/jobs/1/started: is after now");
}
