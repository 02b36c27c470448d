//! Estimates of operations: by the API over a socket, and by `wattbook estimate`.

use std::process::Output;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::cluster::furnish;
use crate::site::{Site, on_both_engines, wattbook};

on_both_engines! {
    versions_are_estimated_and_the_least_is_named,
    the_sites_agendas_give_rates_where_the_request_has_none,
    every_error_is_listed_with_its_place,
}

/// A node that idles at 100 W, has 4 cores and a link of 100 MB/s with 10 us latency.
fn calibration() -> Value {
    json!({
        "idle_power_w": 100,
        "added_power_w": { "computing": 100, "polling": 80, "memory": 40, "disk": 10, "network": 20 },
        "cores_per_node": 4,
        "memory": { "latency_us": 1, "bandwidth_mb_per_s": 1000 },
        "network": { "latency_us": 10, "bandwidth_mb_per_s": 100 },
        "disk": { "write_mb_per_s": 50, "read_mb_per_s": 100, "shared": false },
    })
}

/// 1 MB to 4 nodes with a process each, in segments of 100 kB.
pub fn broadcast() -> Value {
    json!({
        "operation": "broadcast", "calibration": calibration(), "nodes": 4, "processes_per_node": 1,
        "bytes": 1_000_000, "segment_bytes": 100_000,
    })
}

#[track_caller]
fn assert_near(value: &Value, expected: f64) {
    let value = value.as_f64().unwrap();
    assert!((value / expected - 1.0).abs() < 1e-9, "{value} is not {expected}");
}

fn version<'a>(estimate: &'a Value, name: &str) -> &'a Value {
    estimate["versions"].as_array().unwrap().iter().find(|it| it["version"] == name).unwrap()
}

/// Pipelined: (4 - 2 + 10) x (0.01 + 1) = 12.12 ms. Four nodes that poll on one core draw 480 W, and three messages keep two
/// links busy at 20 W for 10 ms: 480 x 0.01212 + 1.2 = 7.0176 J. At 90 EUR/MWh and 72 g/kWh a joule costs 2.5e-8 EUR and
/// emits 2e-5 g.
async fn versions_are_estimated_and_the_least_is_named(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let mut asked = broadcast();
    asked["price_per_mwh"] = json!(90);
    asked["intensity_g_per_kwh"] = json!(72);
    let estimate = client.post("/api/v1/estimates", &asked).await.ok(200);
    let pipelined = version(&estimate, "pipelined");
    assert_near(&pipelined["time_s"], 0.012_12);
    assert_near(&pipelined["energy_j"], 7.017_6);
    assert_near(&pipelined["cost"], 7.017_6 * 2.5e-8);
    assert_near(&pipelined["co2_g"], 7.017_6 * 2e-5);
    assert_eq!(pipelined["segments"], json!({ "count": 10, "bytes": 100_000.0 }));
    // With one process for each node, threads have nobody to share with.
    let least = json!({ "time": "pipelined", "energy": "pipelined", "cost": "pipelined", "co2": "pipelined" });
    assert_eq!(estimate["least"], least);
    assert_eq!(estimate["rates"]["currency"], "EUR");
    assert_eq!(estimate["versions"].as_array().unwrap().len(), 6);
}

/// In hour 2 the site's price is 100 EUR/MWh and its intensity 60 g/kWh; what a request says goes first.
async fn the_sites_agendas_give_rates_where_the_request_has_none(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let rates = async |asked: &Value| {
        client.post("/api/v1/estimates", asked).await.ok(200)["rates"].clone()
    };
    let unknown = json!({ "price_per_mwh": null, "currency": null, "intensity_g_per_kwh": null });
    let mut asked = broadcast();
    assert_eq!(rates(&asked).await, unknown);
    let hours = furnish(&client, 4, None).await;
    assert_eq!(rates(&asked).await, unknown);
    asked["at"] = json!(hours.hour(2));
    let known = |price: f64, currency: &str| json!({ "price_per_mwh": price, "currency": currency, "intensity_g_per_kwh": 60.0 });
    assert_eq!(rates(&asked).await, known(100.0, "EUR"));
    asked["price_per_mwh"] = json!(55.5);
    asked["currency"] = json!("CHF");
    assert_eq!(rates(&asked).await, known(55.5, "CHF"));
    // Beyond the agendas nothing is known.
    let mut beyond = broadcast();
    beyond["at"] = json!("2020-01-01T00:00:00Z");
    assert_eq!(rates(&beyond).await, unknown);
}

async fn every_error_is_listed_with_its_place(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let pointers = async |body: Value| -> Vec<String> {
        let problem = client.post("/api/v1/estimates", &body).await.problem(400, "invalid_body");
        let errors = problem["errors"].as_array().unwrap();
        errors.iter().map(|it| it["pointer"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(pointers(json!([])).await, [""]);
    assert_eq!(pointers(json!({})).await, ["/calibration", "/nodes", "/operation"]);
    let mut wrong = broadcast();
    wrong["nodes"] = json!(0);
    wrong["processes_per_node"] = json!(5);
    wrong["bytes"] = json!(0.5);
    wrong["work_s"] = json!(1);
    wrong["calibration"]["disk"] =
        json!({ "write_mb_per_s": 0, "read_mb_per_s": 1, "shared": "no" });
    // Whether processes fit on a node is known once the calibration is right.
    let expected = [
        "/work_s",
        "/calibration/disk/write_mb_per_s",
        "/calibration/disk/shared",
        "/nodes",
        "/bytes",
    ];
    assert_eq!(pointers(wrong.clone()).await, expected);
    wrong["calibration"] = calibration();
    let expected = ["/work_s", "/nodes", "/processes_per_node", "/bytes"];
    assert_eq!(pointers(wrong).await, expected);
}

/// Runs `wattbook estimate` with a calibration file.
fn run(calibration: &str, arguments: &[&str]) -> Output {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("nodes.json"), calibration).unwrap();
    let mut command = wattbook(&["estimate"]);
    command.current_dir(folder.path()).args(arguments).args(["--calibration", "nodes.json"]);
    command.output().unwrap()
}

fn lines(bytes: &[u8]) -> Vec<&str> {
    std::str::from_utf8(bytes).unwrap().lines().collect()
}

#[test]
fn the_command_prints_what_the_api_answers() {
    let arguments = ["broadcast", "--nodes", "4", "--processes-per-node", "1", "--bytes", "1e6"];
    let more = ["--segment-bytes", "100000", "--price-per-mwh", "90", "--format", "json"];
    let output = run(&calibration().to_string(), &[&arguments[..], &more[..]].concat());
    assert_eq!((output.status.code(), lines(&output.stderr).len()), (Some(0), 0));
    let estimate: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_near(&version(&estimate, "pipelined")["energy_j"], 7.017_6);
    assert_near(&version(&estimate, "pipelined")["cost"], 7.017_6 * 2.5e-8);
    assert!(version(&estimate, "pipelined")["co2_g"].is_null());
}

#[test]
fn each_operation_has_a_table() {
    let calibration = calibration().to_string();
    for operation in ["scatter", "gather", "all-gather"] {
        let output = run(&calibration, &[operation, "--nodes", "3", "--bytes-per-process", "8"]);
        assert_eq!(output.status.code(), Some(0), "{operation}");
        let printed = lines(&output.stdout);
        assert!(printed[0].contains("TIME S") && printed[0].contains("LEAST"), "{printed:?}");
    }
    let restart = ["restart", "--nodes", "4", "--bytes-per-process", "250e6", "--lost-s", "PT30M"];
    let output = run(&calibration, &restart);
    let printed = lines(&output.stdout).join("\n");
    // 10 s of reading and 1800 s again at 800 W: 4400 + 1,440,000 J.
    assert!(printed.contains("1810") && printed.contains("1444400"), "{printed}");
    assert!(printed.contains("Left out: uncoordinated_memory_log needs message_bytes_per_s"));
    let checkpoint = ["checkpoint", "--nodes", "4", "--bytes-per-process", "250e6", "--work-s"];
    let more = ["864000", "--node-mtbf-s", "400000", "--skew-s", "2", "--message-bytes-per-s", "0"];
    let output = run(&calibration, &[&checkpoint[..], &more[..]].concat());
    let printed = lines(&output.stdout).join("\n");
    assert!(printed.contains("BY ENERGY") && printed.contains("DALY"), "{printed}");
    // Young's interval of the coordinated version: sqrt(2 x 22.00004 x 100,000) = 2097.6 s.
    assert!(printed.contains("2097.6"), "{printed}");
}

#[test]
fn every_error_names_its_option_or_its_place_in_the_file() {
    let calibration = calibration().to_string().replace("\"shared\":false", "\"shared\":0");
    let arguments = ["scatter", "--nodes", "many", "--bytes-per-process", "0"];
    let output = run(&calibration, &[&arguments[..], &["--currency", "EUR"][..]].concat());
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    let expected = [
        "error: nodes.json: /disk/shared: is neither true nor false",
        "error: --nodes: is not a number",
        "error: --bytes-per-process: must be at least 1",
        "error: --currency: says nothing without price_per_mwh",
    ];
    assert_eq!(lines(&output.stderr), expected);
    let output = run("{", &arguments);
    assert_eq!(output.status.code(), Some(2));
    assert!(lines(&output.stderr)[0].starts_with("error: nodes.json is not JSON: "));
    let mut missing = wattbook(&["estimate"]);
    let output = missing.args(arguments).args(["--calibration", "/nowhere.json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(lines(&output.stderr)[0].starts_with("error: cannot read /nowhere.json: "));
}
