//! `wattbook simulate sesames` on the command line.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::site::wattbook;

fn simulate(arguments: &[&str]) -> Output {
    wattbook(&["simulate", "sesames"]).args(arguments).output().unwrap()
}

fn summary(arguments: &[&str]) -> String {
    let output = simulate(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

const SMALL: [&str; 8] = ["--nodes", "44", "--requests", "20", "--runs", "2", "--format", "json"];

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_others() {
    let first = summary(&SMALL);
    assert_eq!(summary(&SMALL), first);
    assert_ne!(summary(&[&SMALL[..], &["--seed", "2"]].concat()), first);
    let document: Value = serde_json::from_str(&first).unwrap();
    let policies = document["policies"].as_object().unwrap();
    assert_eq!(policies.len(), 4);
    for (policy, measured) in policies {
        for member in [
            "energy_j",
            "cost",
            "co2_g",
            "start_lag_s",
            "unsuccessful_nodes",
            "unsuccessful_power_cap",
            "occupancy",
        ] {
            assert!(measured[member].is_number(), "{policy} has no {member}");
        }
    }
}

#[test]
fn the_comparison_is_a_table_unless_asked_otherwise() {
    let table = summary(&[
        "--nodes",
        "44",
        "--requests",
        "5",
        "--runs",
        "1",
        "--policies",
        "asap_first,cost_co2_energy",
    ]);
    let first_words: Vec<&str> =
        table.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let policies = ["POLICY", "asap_first", "cost_co2_energy"];
    let savings = ["Saved", "POLICY", "cost_co2_energy", "From"];
    assert_eq!(first_words, [&["A"], &policies[..], &savings].concat());
    assert!(table.contains("bootstrap over the requests (1000 resamples, seed 1)"), "{table}");
}

#[test]
fn what_is_wrong_with_a_managers_rights_is_told_with_its_place() {
    let told = |rights: &str| {
        let rights = format!("rights={rights}");
        let output =
            simulate(&[&SMALL[..], &["--set", "manager=sleep", "--set", &rights]].concat());
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    let level = told(r#"[{"partition": "batch", "level": "propose"}]"#);
    assert!(level.contains("rights/0/level: must be automatic or nothing"), "{level}");
    let drawn = told(r#"[{"partition": "batch", "level": "nothing"}]"#);
    assert!(drawn.contains("rights/0/partition: only chooses among nodes"), "{drawn}");
}

/// Two nodes of 100 W for two hours are 1.44e6 J under every policy; on a flat tariff nothing waits.
#[test]
fn requests_and_agendas_are_read_from_files() {
    let folder = TempDir::new().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let requests = file(
        "requests.csv",
        "nodes,duration_s,earliest_start,latest_start\n\
         2,7200,2026-01-01T00:00:00Z,2026-01-01T04:00:00Z\n",
    );
    let nodes = file("nodes.csv", "name,idle_power_w,max_power_w,alpha\na,50,100,1\nb,50,100,1\n");
    let span = "2026-01-01T00:00:00Z,2026-01-02T00:00:00Z";
    let price = file("price.csv", &format!("start,end,price_per_mwh\n{span},100\n"));
    let co2 = file("co2.csv", &format!("start,end,intensity_g_per_kwh\n{span},50\n"));
    let cap = file("cap.csv", &format!("start,end,cap_w\n{span},200\n"));
    let arguments = [
        "--requests-file",
        &requests,
        "--nodes-file",
        &nodes,
        "--price-file",
        &price,
        "--co2-file",
        &co2,
        "--power-cap-file",
        &cap,
        "--start",
        "2026-01-01T00:00:00Z",
        "--days",
        "1",
        "--runs",
        "1",
        "--format",
        "json",
    ];
    let document: Value = serde_json::from_str(&summary(&arguments)).unwrap();
    for (policy, measured) in document["policies"].as_object().unwrap() {
        let close = |member: &str, expected: f64| {
            let value = measured[member].as_f64().unwrap();
            assert!((value - expected).abs() < 1e-9, "{policy} {member}: {value}");
        };
        close("energy_j", 1.44e6);
        close("cost", 0.04);
        close("co2_g", 20.0);
        close("start_lag_s", 0.0);
        close("unsuccessful_nodes", 0.0);
        close("occupancy", 2.0 / 24.0);
    }
}

#[test]
fn bad_input_is_listed_and_exits_with_two() {
    let folder = TempDir::new().unwrap();
    let requests = folder.path().join("requests.csv");
    std::fs::write(&requests, "nodes,duration_s,earliest_start,latest_start\n0,x,noon,\n").unwrap();
    let output =
        simulate(&["--requests-file", requests.to_str().unwrap(), "--price-file", "/none"]);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{errors}");
    for place in ["/none", "line 2, duration_s", "line 2, earliest_start", "line 2, latest_start"] {
        assert!(errors.contains(place), "{place} is not in {errors}");
    }
    let wrong = [
        ["--policies", "cheapest"],
        ["--runs", "0"],
        ["--nodes", "0"],
        ["--cap-mean-percent", "NaN"],
        ["--start", "2026"],
    ];
    for arguments in wrong {
        assert_eq!(simulate(&arguments).status.code(), Some(2), "{arguments:?}");
    }
}

/// Every file of a folder but the timing, by its path in it.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            let inner = self::files(&path).into_iter();
            files.extend(inner.map(|(inner, text)| (format!("{name}/{inner}"), text)));
        } else if name != "timing.json" && !name.ends_with(".parquet") {
            files.insert(name, fs::read_to_string(path).unwrap());
        }
    }
    files
}

fn played_into(folder: &Path, arguments: &[&str]) -> BTreeMap<String, String> {
    summary(&[arguments, &["--out", folder.to_str().unwrap()]].concat());
    files(folder)
}

#[test]
fn results_have_the_same_bytes_on_one_thread_and_on_three() {
    let folder = TempDir::new().unwrap();
    let out = |threads: &str| {
        let arguments = ["--nodes", "44", "--requests", "20", "--runs", "5", "--threads", threads];
        played_into(&folder.path().join(threads), &arguments)
    };
    let one = out("1");
    let names: Vec<&String> = one.keys().collect();
    assert_eq!(names, ["curves.csv", "report.html", "requests.csv", "runs.csv", "summary.json"]);
    assert_eq!(out("3"), one);
    let timing = fs::read_to_string(folder.path().join("3/timing.json")).unwrap();
    let timing: Value = serde_json::from_str(&timing).unwrap();
    assert_eq!((&timing["threads"], &timing["runs_played"]), (&json!(3), &json!(5)));
    // Builds for tests judge every plan of a small cluster.
    assert_eq!(timing["plans_checked"], timing["plans"]);
    // A row for each of 20 requests, 4 policies and 5 runs, and for each policy and run.
    assert_eq!(one["requests.csv"].lines().count(), 1 + 20 * 4 * 5);
    assert_eq!(one["runs.csv"].lines().count(), 1 + 4 * 5);
    assert!(one["report.html"].contains("<svg") && !one["report.html"].contains("http"));
}

const GRID: &str = r#"
name = "What flexibility is worth"
policies = ["asap_first", "asap_least", "cost_co2_energy~5", "knee", "mixed"]
[parameters]
nodes = 44
requests = 10
runs = 3
mix = { knee = 1, asap_least = 2 }
[vary]
max_delay_h = [1, 12]
alpha_known = [true, false]
"#;

#[test]
fn an_experiment_file_is_a_grid_that_the_command_line_overrides() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("grid.toml");
    fs::write(&path, GRID).unwrap();
    let out = folder.path().join("out");
    let run = |arguments: &[&str]| {
        let output = wattbook(&["simulate", "experiment", path.to_str().unwrap()])
            .args(arguments)
            .args(["--out", out.to_str().unwrap()])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    // A header, and five policies in four cells; the four others of each beside asap_first.
    let printed = run(&[]);
    let rows = |text: &str| text.lines().filter(|line| line.contains("max_delay_h=")).count();
    assert_eq!(rows(&printed), (5 + 4) * 4, "{printed}");
    let files = files(&out);
    assert!(files["report.html"].contains("What changes with alpha_known, max_delay_h = 1"));
    let cell = "004-alpha_known=false__max_delay_h=12";
    let document: Value = serde_json::from_str(&files[&format!("{cell}/summary.json")]).unwrap();
    assert_eq!(document["parameters"]["max_delay_h"], 12.0);
    assert_eq!(document["parameters"]["mix"], json!({"asap_least": 2, "knee": 1}));
    let savings = "false,12,knee,savings_vs_asap_first.cost,";
    assert!(files["summary.csv"].lines().any(|line| line.starts_with(savings)));
    let overridden =
        run(&["--max-delay-h", "3", "--policies", "knee", "--set", "runs=1", "--force"]);
    let knees = overridden.lines().filter(|line| line.contains(" knee ")).count();
    assert_eq!(knees, 2, "{overridden}");
}

#[test]
fn parts_of_an_experiment_end_with_the_bytes_of_one_machine() {
    let folder = TempDir::new().unwrap();
    let arguments =
        ["--nodes", "44", "--requests", "20", "--runs", "5", "--vary", "slot_s=900,3600"];
    let whole = played_into(&folder.path().join("whole"), &arguments);
    let parts = folder.path().join("parts");
    // Those of two and of three parts overlap.
    for part in ["1/2", "2/3"] {
        let mut command = wattbook(&["simulate", "sesames"]);
        command.args(arguments).args(["--part", part, "--out", parts.to_str().unwrap()]);
        let output = command.output().unwrap();
        assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
    }
    assert_eq!(played_into(&parts, &arguments), whole);
    // Of ten runs 0, 2, 4, 6, 8 and 1, 4, 7 were played before.
    let timing = fs::read_to_string(parts.join("timing.json")).unwrap();
    let timing: Value = serde_json::from_str(&timing).unwrap();
    assert_eq!(timing["runs_played"], json!(3));
}

/// The journal of an interrupted experiment: what is in it is not played again.
#[cfg(unix)]
#[test]
fn an_interrupted_experiment_goes_on_and_ends_with_the_same_bytes() {
    let folder = TempDir::new().unwrap();
    let arguments = ["--nodes", "20000", "--requests", "60", "--runs", "60", "--threads", "2"];
    let whole = played_into(&folder.path().join("whole"), &arguments);
    let out = folder.path().join("interrupted");
    let journal = out.join("unfinished.jsonl");
    let mut child = wattbook(&["simulate", "sesames"])
        .args(arguments)
        .args(["--out", out.to_str().unwrap()])
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let lines = || fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
    while lines() < 5 && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let ended = child.wait_with_output().unwrap();
    let message = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(1), "{message}");
    assert!(message.contains("the same command goes on"), "{message}");
    let kept = lines() - 1;
    assert!((4..60).contains(&kept), "{kept}");
    // A line that was cut off by a crash counts for nothing.
    let mut text = fs::read_to_string(&journal).unwrap();
    text.push_str("{\"cell\":0,\"played\":{\"run\":59");
    fs::write(&journal, text).unwrap();
    assert_eq!(played_into(&out, &arguments), whole);
    let timing = fs::read_to_string(out.join("timing.json")).unwrap();
    let timing: Value = serde_json::from_str(&timing).unwrap();
    assert_eq!(timing["runs_played"], json!(60 - kept));
}

/// Of a made-up trace: two jobs that fit, one of too many nodes, and one of no known size.
#[test]
fn requests_are_derived_from_a_workload_trace() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("trace.swf");
    let rest = "-1 -1 -1 -1 -1 -1 -1 -1 -1";
    let trace = format!(
        "; MaxNodes: 4\n1 0 1 50 8 -1 -1 8 3600 {rest}\n2 900 1 50 -1 -1 -1 3 -1 {rest}\n\
         3 950 1 50 99 -1 -1 -1 10 {rest}\n4 960 1 50 -1 -1 -1 -1 10 {rest}\n"
    );
    fs::write(&path, trace).unwrap();
    let arguments = ["--swf-file", path.to_str().unwrap(), "--nodes", "4", "--runs", "1"];
    let options = ["--set", "swf_processors_per_node=2", "--policies", "asap_least"];
    let out = folder.path().join("out");
    let files = played_into(&out, &[&arguments[..], &options].concat());
    let rows: Vec<&str> = files["requests.csv"].lines().skip(1).collect();
    assert!(rows[0].starts_with("0,asap_least,1,4,3600,2013-01-01T00:00:00Z,"), "{rows:?}");
    assert!(rows[1].starts_with("0,asap_least,2,2,50,2013-01-01T00:15:00Z,"), "{rows:?}");
    assert_eq!(rows.len(), 2);
}

/// The guide shows this experiment; what it says of it must go on being so.
#[test]
fn the_guides_month_of_a_sites_own_data_plays() {
    let folder = TempDir::new().unwrap();
    let month = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/examples/site-month/month.toml");
    let guide = include_str!("../../../docs/guide/simulating.md");
    let lines = fs::read_to_string(month).unwrap();
    for line in lines.lines().filter(|line| !line.starts_with('#')) {
        assert!(guide.contains(line), "the guide lacks {line:?}");
    }
    let output = wattbook(&["simulate", "experiment", month, "--format", "json"])
        .args(["--out", folder.path().to_str().unwrap()])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["parameters"]["nodes"], 64);
    let policy = &document["policies"]["cost_co2_energy~5"];
    let saved = &policy["savings_on_common_requests"];
    assert!(saved["cost"].as_f64().unwrap() > 0.05, "{saved}");
    // The month is what its reservations come to: so many times the mean.
    let [month, number] = [&policy["month"], &policy["scheduled"]];
    let sum = policy["cost"].as_f64().unwrap() * number.as_f64().unwrap();
    assert!((month["cost"].as_f64().unwrap() - sum).abs() < 1e-6, "{month}");
    assert_eq!((&month["served"], &month["covered_share"]), (number, &json!(1.0)));
    let same = &policy["same_requests"];
    let ends = same["saved_ci95"]["cost"].as_array().unwrap();
    let ends: Vec<f64> = ends.iter().map(|end| end.as_f64().unwrap()).collect();
    let cost = same["saved"]["cost"].as_f64().unwrap();
    assert!(ends[0] < cost && cost < ends[1] && ends[0] > 0.0, "{same}");
    assert_eq!(document["intervals"]["method"], "bootstrap_over_requests");
    let page = fs::read_to_string(folder.path().join("report.html")).unwrap();
    for shown in ["The month in total", "over the requests that both served", "bootstrap over"] {
        assert!(page.contains(shown), "{shown}");
    }
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("wrote ") && told.contains("report.html"), "{told}");
}
