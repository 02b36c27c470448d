//! `wattbook power plan` on problem files.

use std::io::Write;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::site::wattbook;

/// The machine of the Batsim thesis (table 6.1), free for 212 s, then reserved, then free for 211 s.
fn problem() -> Value {
    let at = |second: i64| format!("2026-01-01T00:{:02}:{:02}Z", second / 60, second % 60);
    let day = |key: &str, value: f64| json!([{"start": "2026-01-01T00:00:00Z", "end": "2026-01-02T00:00:00Z", key: value}]);
    json!({
        "now": at(0), "until": at(1023),
        "nodes": [{
            "name": "n1", "idle_power_w": 95, "max_power_w": 190, "partitions": ["batch"],
            "switching": {
                "off_power_w": 9.75, "switching_off_s": 6.1, "switching_off_power_w": 101,
                "switching_on_s": 151.52, "switching_on_power_w": 125.17,
            },
        }],
        "reservations": [{"id": "r1", "start": at(212), "end": at(812), "nodes": ["n1"]}],
        "agendas": {"price": day("price_per_mwh", 72.0), "co2": day("intensity_g_per_kwh", 100.0)},
        "rights": [{
            "nodes": ["n1"], "level": "automatic", "actions": ["off"],
            "windows": [{"days": ["thu"], "from": "01:00", "to": "02:00", "zone": "Europe/Paris"}],
        }],
        "rank_by": ["cost", "co2"],
    })
}

fn run(problem: &Value) -> Output {
    let mut command = wattbook(&["power", "plan", "-"]);
    let streams = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = streams.spawn().unwrap();
    child.stdin.take().unwrap().write_all(problem.to_string().as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn planned(problem: &Value) -> Value {
    let output = run(problem);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Breaks even at 211.7 s: 85.25 W x (212 s - 157.62 s) - 4,607.9584 J = 27.9366 J, at 72 per MWh 27.9366 / 3.6e9 x 72. Midnight of
/// UTC is one o'clock in Paris, on a Thursday.
#[test]
fn a_gap_that_pays_is_slept_in_and_one_that_does_not_is_told() {
    let plan = planned(&problem());
    let saves = json!({"energy_j": 27.9366, "cost": 5.58732e-7, "co2_g": 0.000_776_016_666_667});
    assert_eq!(
        plan["actions"],
        json!([{
            "node": "n1", "off_at": "2026-01-01T00:00:00Z", "wake_at": "2026-01-01T00:01:00.480Z", "saves": saves,
        }])
    );
    let [refused] = plan["refused"].as_array().unwrap().as_slice() else { panic!("{plan}") };
    assert_eq!(
        refused["gap"],
        json!({"start": "2026-01-01T00:13:32Z", "end": "2026-01-01T00:17:03Z"})
    );
    let because = refused["because"].as_str().unwrap();
    assert!(because.starts_with("sleeping does not pay: at best it costs 0.000001"), "{because}");
    assert_eq!(plan["total"], saves);
}

#[test]
fn hours_without_a_right_and_nodes_that_stay_warm_are_told() {
    let mut elsewhere = problem();
    elsewhere["rights"][0]["windows"][0]["zone"] = json!("America/New_York");
    let refused = planned(&elsewhere)["refused"].clone();
    assert_eq!(refused[0]["because"], "no right permits switching the node off");
    let mut warm = problem();
    warm["keep_warm"] = json!([{"partition": "batch", "nodes": 1}]);
    let refused = planned(&warm)["refused"].clone();
    assert_eq!(refused[0]["because"], "1 nodes of partition \"batch\" that nobody has stay up");
}

#[test]
fn every_error_is_told_with_its_place() {
    let mut wrong = problem();
    wrong["until"] = wrong["now"].clone();
    wrong["rights"][0]["windows"][0]["zone"] = json!("Europe/Pariss");
    wrong["nodes"][0]["switching"]["boot_s"] = json!(-1);
    wrong["rank_by"] = json!(["price"]);
    let output = run(&wrong);
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8(output.stderr).unwrap();
    let places: Vec<&str> = errors.lines().filter_map(|line| line.split(": ").nth(1)).collect();
    let expected =
        ["/until", "/nodes/0/switching/boot_s", "/rank_by/0", "/rights/0/windows/0/zone"];
    assert_eq!(places, expected, "{errors}");
}
