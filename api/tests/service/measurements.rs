//! Measurements: pushed as CSV and JSON, told by quarter-hours, imported from files.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::Output;

use reqwest::Method;
use serde_json::{Value, json};

use crate::client::Client;
use crate::cluster::{furnish, instant};
use crate::server::Server;
use crate::site::{Site, on_both_engines, wattbook};

on_both_engines! {
    pushed_samples_become_quarter_hours_and_each_is_judged,
    samples_that_cannot_be_read_change_nothing,
    the_first_meter_that_measured_a_quarter_hour_counts,
}

const PATH: &str = "/api/v1/measurements";

const METERS: &str = "
[[meters]]
id = \"bmc\"
kind = \"push\"
most_w = 2000

[[meters]]
id = \"counter\"
kind = \"push\"
values = \"counter\"

[[meters]]
id = \"site\"
kind = \"push\"
covers = \"site\"

[metering]
keep_samples_days = 36500
keep_quarters_days = 36500
";

/// A service with meters and eight nodes.
async fn served(site: &Site) -> Server {
    let path: PathBuf = site.folder().join("wattbook.toml");
    std::fs::write(&path, METERS).unwrap();
    let server = site.serve_with(&["--config", path.to_str().unwrap()]).await;
    furnish(&server.client(), 8, None).await;
    server
}

/// 2026-01-01, so many seconds after 00:00.
fn at(second: i64) -> String {
    instant(1_767_225_600 + second)
}

async fn quarters(client: &Client, node: &str, to: i64) -> Vec<Value> {
    let path = format!("{PATH}?node={node}&from={}&to={}", at(0), at(to));
    client.get(&path).await.ok(200)["quarters"].as_array().unwrap().clone()
}

/// 100 W from 0 to 960 s by one sample a minute is 90,000 J in the first quarter-hour and 6000 J in the second. The
/// late sample of 220 W at 450 s stands between 100 W at 420 s and 480 s: 60 s of 160 W instead of 100 W, 3600 J more.
async fn pushed_samples_become_quarter_hours_and_each_is_judged(site: Site) {
    let server = served(&site).await;
    let client = server.client();
    let rows: Vec<String> = (0..17).map(|n| format!("bmc,n1,{},100\n", at(n * 60))).collect();
    let table = format!("meter,node,at,power_w\n{}", rows.concat());
    let taken = client.send_csv(Method::POST, PATH, &table).await.ok(200);
    assert_eq!((&taken["taken"], &taken["refused"]), (&json!(17), &json!(0)));
    // All of it is of long ago, as where a clock runs behind.
    let furthest = &taken["furthest_behind"];
    assert_eq!((&taken["behind"], &furthest["node"]), (&json!(1), &json!("n1")), "{taken}");
    assert_eq!(furthest["newest_at"], json!(at(960)));
    assert!(furthest["behind_s"].as_i64().unwrap() > 86_400, "{taken}");
    let again = client.send_csv(Method::POST, PATH, &table).await.ok(200);
    assert_eq!((&again["taken"], &again["doubled"]), (&json!(0), &json!(17)));
    assert_eq!((&again["behind"], &again["furthest_behind"]), (&json!(0), &Value::Null));
    let fresh = format!("meter,node,at,power_w\nbmc,n3,{},100\n", instant(crate::cluster::now()));
    assert_eq!(client.send_csv(Method::POST, PATH, &fresh).await.ok(200)["behind"], 0);
    let body = json!({ "meter": "bmc", "samples": [
        { "node": "n1", "at": at(450), "power_w": 220 },
        { "node": "n9", "at": at(60), "power_w": 100 },
        { "node": "n1", "at": at(60), "power_w": 101 },
        { "node": "n1", "at": at(61), "power_w": 0 },
        { "node": "n1", "at": at(62), "power_w": 2000.001 },
        { "node": "n1", "at": "9000-01-01T00:00:00Z", "power_w": 100 },
        { "node": "n2", "at": at(60), "power_w": 100 },
        { "node": "n2", "at": at(0), "power_w": 100 },
    ]});
    let taken = client.post(PATH, &body).await.ok(200);
    let count = |name: &str| taken[name].as_u64().unwrap();
    assert_eq!(["taken", "late", "out_of_order", "refused"].map(count), [3, 1, 2, 5], "{taken}");
    let refused = taken["first_refused"].as_array().unwrap();
    let told: Vec<(&str, &str)> = refused
        .iter()
        .map(|it| (it["pointer"].as_str().unwrap(), it["reason"].as_str().unwrap()))
        .collect();
    assert_eq!(
        told,
        [
            ("/samples/1", "unknown_node"),
            ("/samples/2", "contradicts"),
            ("/samples/3", "zero_is_missing"),
            ("/samples/4", "implausible"),
            ("/samples/5", "in_future"),
        ]
    );
    let found = quarters(&client, "n1", 2700).await;
    let expected = [(93_600.0, 900, 0), (6000.0, 60, 840), (0.0, 0, 900)];
    for (quarter, (measured_j, measured_s, missing_s)) in found.iter().zip(expected) {
        assert_eq!(quarter["measured_j"], json!(measured_j), "{quarter}");
        let seconds = (&quarter["measured_s"], &quarter["missing_s"]);
        assert_eq!(seconds, (&json!(measured_s), &json!(missing_s)));
    }
    assert_eq!((found.len(), &found[0]["start"]), (3, &json!(at(0))));
    assert_eq!((&found[0]["meter"], &found[2]["meter"]), (&json!("bmc"), &Value::Null));
}

async fn samples_that_cannot_be_read_change_nothing(site: Site) {
    let server = served(&site).await;
    let client = server.client();
    let send = async |table: &str| {
        let told = client.send_csv(Method::POST, PATH, table).await.problem(400, "invalid_body");
        told["errors"].as_array().unwrap().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let good = format!("bmc,n1,{},100", at(0));
    let late = at(60);
    let wrong = format!("{good}\nbmc,n1,yesterday,100\nbmc,n1,{late},1e999\n");
    let errors = send(&format!("meter,node,at,power_w\n{wrong}")).await;
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(errors[0].contains("line 3, at") && errors[1].contains("line 4, power_w"));
    let unknown = send(&format!("meter,node,at,power_w\n{good}\npdu,n1,{},100\n", at(0))).await;
    assert!(unknown[0].contains("line 3") && unknown[0].contains("counter"), "{unknown:?}");
    let unit = send(&format!("meter,node,at,energy_j\n{good}\n")).await;
    assert!(unit[0].contains("line 2") && unit[0].contains("sent as power_w"), "{unit:?}");
    assert_eq!(quarters(&client, "n1", 900).await[0]["measured_s"], 0);
    client.get(PATH).await.problem(400, "invalid_parameter");
    let long = format!("{PATH}?node=n1&from={}&to={}", at(0), at(32 * 86_400));
    client.get(&long).await.problem(400, "invalid_parameter");
    let text = client.request(Method::POST, PATH).header("content-type", "text/plain").body("");
    crate::client::answer(text).await.problem(415, "unsupported_media_type");
}

/// The counter measures both quarter-hours whole, the controller before it in the settings the first alone: 900 s of
/// 100 W and a counter that grows by 200 J a second.
async fn the_first_meter_that_measured_a_quarter_hour_counts(site: Site) {
    let server = served(&site).await;
    let client = server.client();
    let mut table = "meter,node,at,power_w,energy_j\n".to_owned();
    for n in 0..=30 {
        if n <= 15 {
            writeln!(table, "bmc,n1,{},100,", at(n * 60)).unwrap();
        }
        writeln!(table, "counter,n1,{},,{}", at(n * 60), n * 60 * 200).unwrap();
        writeln!(table, "site,Lyon,{},500000,", at(n * 60)).unwrap();
    }
    let taken = client.send_csv(Method::POST, PATH, &table).await.ok(200);
    assert_eq!(taken["taken"], 16 + 31 + 31, "{taken}");
    let told = |it: &Value| (it["meter"].clone(), it["measured_j"].clone());
    let found: Vec<_> = quarters(&client, "n1", 1800).await.iter().map(told).collect();
    let expected = [(json!("bmc"), json!(90_000.0)), (json!("counter"), json!(180_000.0))];
    assert_eq!(found, expected);
    assert_eq!(quarters(&client, "Lyon", 900).await[0]["measured_j"], json!(450e6));
    // A reset: nothing is counted across it.
    let reset = format!("meter,node,at,energy_j\ncounter,n1,{},5\n", at(1860));
    assert_eq!(client.send_csv(Method::POST, PATH, &reset).await.ok(200)["resets"], 1);
    assert_eq!(quarters(&client, "n1", 2700).await[2]["measured_s"], 0);
}

fn import(server: &Server, arguments: &[&str]) -> Output {
    let mut command = wattbook(&[&["measurements", "import"][..], arguments].concat());
    command.env("WATTBOOK_URL", format!("http://{}", server.address));
    command.env_remove("WATTBOOK_TOKEN").env_remove("WATTBOOK_TOKEN_FILE");
    command.output().unwrap()
}

/// 100,000 lines are sent in two parts or more; a line that is wrong is told by its place in the file.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_are_imported_in_parts() {
    let site = Site::sqlite();
    let server = served(&site).await;
    let file = |name: &str, text: &str| {
        let path = site.folder().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let mut table = "meter,node,at,power_w\n".to_owned();
    for n in 0..110_000 {
        writeln!(table, "bmc,n{},{},{}", n % 8, at(n / 8 * 60), 100 + n % 8).unwrap();
    }
    let path = file("month.csv", &table);
    let output = import(&server, &[&path, "--format", "json"]);
    assert!(output.status.success(), "{output:?}");
    let taken: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&taken["taken"], &taken["refused"]), (&json!(110_000), &json!(0)));
    let first = quarters(&server.client(), "n3", 900).await;
    assert_eq!(first[0]["measured_j"], json!(103.0 * 900.0));

    let last = format!("bmc,n9,{},100\n", at(0));
    let output = import(&server, &[&file("more.csv", &(table.clone() + &last))]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && told.contains("line 110002: n9 at"), "{told}");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("110000 were there already, 1 were refused"), "{said}");
    let output = import(&server, &[&file("wrong.csv", &(table + "bmc,n1,yesterday,100\n"))]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("wrong.csv: line 110002, at: "), "{told}");

    let sample = |n: i64| json!({ "node": "n1", "at": at(n), "energy_j": n });
    let samples: Vec<Value> = (0..25_000).map(sample).collect();
    let document = json!({ "meter": "counter", "samples": samples }).to_string();
    let output = import(&server, &[&file("counter.json", &document)]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("25000 samples were taken"), "{output:?}");
    for (arguments, code, named) in [
        (vec!["none.csv"], 2, "none.csv"),
        (vec![&*file("notes.txt", "")], 2, "--input says what it is"),
        (vec![&*file("cut.json", "{\"meter\": \"bmc\", \"samples\": [1")], 2, "cut.json"),
    ] {
        let output = import(&server, &arguments);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(code) && told.contains(named), "{told}");
    }
}
