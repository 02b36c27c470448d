//! Simulations as tests start, watch and compare them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Client;
use crate::server::PATIENCE;
use crate::site::{Site, wattbook};

pub const SIMULATIONS: &str = "/api/v1/simulations";

/// Over at once.
pub fn short() -> Value {
    json!({
        "name": "short & sweet",
        "policies": ["asap_first", "cost_co2_energy~5"],
        "parameters": { "nodes": 44, "requests": 8, "runs": 4, "seed": 7 },
    })
}

/// Some seconds long, in runs that are short beside a second.
pub fn middling() -> Value {
    json!({
        "policies": ["asap_first", "cost_co2_energy"],
        "parameters": { "nodes": 20_000, "requests": 60, "runs": 150 },
    })
}

/// Longer than any test.
pub fn long() -> Value {
    json!({
        "policies": ["asap_first", "asap_least"],
        "parameters": { "nodes": 100_000, "requests": 10, "runs": 10_000 },
    })
}

/// Starts a simulation; its path.
pub async fn start(client: &Client, experiment: &Value) -> String {
    let answer = client.post(SIMULATIONS, experiment).await;
    let document = answer.ok(202);
    let path = format!("{SIMULATIONS}/{}", document["id"].as_str().unwrap());
    assert_eq!(answer.header("location"), path);
    path
}

/// Reads a simulation until it is as expected.
pub async fn until(client: &Client, path: &str, expected: impl Fn(&Value) -> bool) -> Value {
    let reading = async {
        loop {
            let document = client.get(path).await.ok(200);
            if expected(&document) {
                return document;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    if let Ok(document) = tokio::time::timeout(4 * PATIENCE, reading).await {
        return document;
    }
    panic!("still {}", client.get(path).await.body)
}

pub async fn finished(client: &Client, path: &str) -> Value {
    let document = until(client, path, |it| it["ended_at"].is_string()).await;
    assert_eq!(document["state"], "finished", "{document}");
    document
}

/// Every file but the timing that the command line writes for an experiment and its tables, by
/// its path in the folder.
pub fn command_line(site: &Site, experiment: &Value, tables: &[(&str, &str)]) -> Files {
    let folder = tempfile::tempdir_in(site.folder()).unwrap();
    fs::write(folder.path().join("experiment.json"), experiment.to_string()).unwrap();
    for (name, text) in tables {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let output = wattbook(&["simulate", "experiment", "experiment.json", "--out", "out"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    files(&folder.path().join("out"))
}

pub type Files = BTreeMap<String, String>;

fn files(folder: &Path) -> Files {
    let mut found = Files::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            let inner = files(&path).into_iter();
            found.extend(inner.map(|(inner, text)| (format!("{name}/{inner}"), text)));
        } else if !name.ends_with(".parquet") && name != "timing.json" {
            found.insert(name, fs::read_to_string(path).unwrap());
        }
    }
    found
}

/// The results of a cell beside the files in the command line's folder of it.
pub async fn assert_same(client: &Client, path: &str, cell: &str, files: &Files, folder: &str) {
    for (result, file, kind) in [
        ("summary", "summary.json", "application/json"),
        ("runs.csv", "runs.csv", "text/csv; charset=utf-8"),
        ("requests.csv", "requests.csv", "text/csv; charset=utf-8"),
        ("curves.csv", "curves.csv", "text/csv; charset=utf-8"),
        ("report", "report.html", "text/html; charset=utf-8"),
    ] {
        let answer = client.get(&format!("{path}/{result}{cell}")).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, kind), "{result}");
        assert!(
            answer.body == files[&format!("{folder}{file}")],
            "{result} differs: {}",
            answer.body
        );
    }
}
