//! `wattbook simulate sesames` on the command line.

use std::process::Output;

use serde_json::Value;
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
        table.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(first_words, ["POLICY", "asap_first", "cost_co2_energy"]);
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
