//! `wattbook plan` on problem files.

use std::process::Output;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::site::wattbook;

/// The format's example, which asks for two nodes of one.
const EXAMPLE: &str = r#"{
  "now": "2026-01-01T00:00:00Z",
  "search": {"mode": "slots", "slot_s": 900},
  "currency": "EUR",
  "nodes": [{"name": "n1", "idle_power_w": 95.0, "max_power_w": 190.0, "alpha": 0.75}],
  "agendas": {
    "price":     [{"start": "2026-01-01T00:00:00Z", "end": "2026-01-01T06:00:00Z", "price_per_mwh": 76.3}],
    "co2":       [{"start": "2026-01-01T00:00:00Z", "end": "2026-01-01T06:00:00Z", "intensity_g_per_kwh": 56.0}],
    "power_cap": [{"start": "2026-01-01T00:00:00Z", "end": "2026-01-01T06:00:00Z", "cap_w": 12000}]
  },
  "reservations": [{"id": "r1", "start": "2026-01-01T01:00:00Z", "end": "2026-01-01T02:00:00Z", "nodes": ["n1"]}],
  "request": {"nodes": 2, "duration_s": 3600, "earliest_start": "2026-01-01T00:00:00Z", "latest_start": "2026-01-01T04:00:00Z"}
}"#;

fn example() -> Value {
    serde_json::from_str(EXAMPLE).unwrap()
}

/// The example asking for one node.
fn possible() -> Value {
    let mut problem = example();
    problem["request"]["nodes"] = json!(1);
    problem
}

fn run(problem: &str, arguments: &[&str]) -> Output {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("problem.json");
    std::fs::write(&file, problem).unwrap();
    wattbook(&["plan"]).args(arguments).arg(file).output().unwrap()
}

fn stdout(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

fn decide(problem: &Value) -> Value {
    let output = run(&problem.to_string(), &[]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
    stdout(&output)
}

/// What is wrong with a problem: one line for each error.
fn errors(problem: &Value) -> Vec<String> {
    let output = run(&problem.to_string(), &[]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(output.stdout.is_empty());
    let line = |line: &str| line.strip_prefix("error: ").unwrap().to_owned();
    stderr(&output).lines().map(line).collect()
}

/// Starts every 15 minutes from 00:00 to 04:00: 17.
#[test]
fn the_example_asks_for_more_nodes_than_there_are_and_exits_with_three() {
    let output = run(EXAMPLE, &[]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(3), ""));
    let decision = stdout(&output);
    let reason = json!({
        "code": "nodes", "excluded_starts": 17,
        "binding": {
            "at_start": "2026-01-01T00:00:00Z", "start": "2026-01-01T00:00:00Z",
            "end": "2026-01-01T01:00:00Z", "missing_nodes": 1,
        },
        "detail": decision["reasons"][0]["detail"],
    });
    let expected = json!({
        "decision": "impossible", "candidate_starts": 17, "reasons": [reason],
        "as_soon_as_possible": null, "offers": [], "pareto": [],
    });
    assert_eq!(decision, expected);
}

/// 0.75 x 190 W = 142.5 W for an hour are 513,000 J = 0.1425 kWh: at 76.3 EUR/MWh 0.01087275 EUR, at
/// 56 g/kWh 7.98 g. The node is taken from 01:00 to 02:00, which excludes the seven starts from
/// 00:15 to 01:45. All others tie; the earliest wins every ranking.
#[test]
fn ties_in_all_criteria_make_one_optimum_at_the_earliest_start() {
    let decision = decide(&possible());
    assert_eq!(
        (&decision["decision"], &decision["candidate_starts"]),
        (&json!("optimum"), &json!(17))
    );
    assert_eq!(decision["reasons"][0]["code"], "nodes");
    assert_eq!(decision["reasons"][0]["excluded_starts"], 7);
    let offer = json!({
        "rankings": [
            "energy_cost_co2", "energy_co2_cost", "cost_energy_co2",
            "cost_co2_energy", "co2_energy_cost", "co2_cost_energy",
        ],
        "start": "2026-01-01T00:00:00Z", "end": "2026-01-01T01:00:00Z",
        "node_count": 1, "nodes": ["n1"], "node_ranges": [[0, 0]],
        "energy_j": 513_000.0, "cost": 0.010_872_75, "currency": "EUR", "co2_g": 7.98,
        "peak_power_w": 190.0, "delay_s": 0,
        "saves": { "energy_j": 0.0, "cost": 0.0, "co2_g": 0.0 },
    });
    assert_eq!(decision["offers"], json!([offer]));
    assert_eq!(decision["as_soon_as_possible"], offer);
    let mut on_the_front = offer;
    on_the_front.as_object_mut().unwrap().remove("rankings");
    assert_eq!(decision["pareto"], json!([on_the_front]));
}

#[test]
fn a_problem_is_read_from_standard_input_too() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("problem.json");
    std::fs::write(&file, possible().to_string()).unwrap();
    let input = std::fs::File::open(&file).unwrap();
    let output = wattbook(&["plan", "-"]).stdin(input).output().unwrap();
    assert_eq!(stdout(&output), decide(&possible()));
}

/// From 00:00 and 04:00 the hour costs 0.3; from 02:00 it is a third each of 0.1, 0.2 and 0.6, which
/// are 0.3 too, if not in doubles; CO2 decides.
#[test]
fn equal_costs_by_different_prices_tie_and_the_second_criterion_decides() {
    let mut problem = possible();
    problem["reservations"] = json!([]);
    problem["search"]["slot_s"] = json!(7200);
    let piece = |from: &str, to: &str, name: &str, value: f64| json!({ "start": format!("2026-01-01T{from}:00Z"), "end": format!("2026-01-01T{to}:00Z"), name: value });
    let price = |from, to, value| piece(from, to, "price_per_mwh", value);
    problem["agendas"]["price"] = json!([
        price("00:00", "02:00", 0.3),
        price("02:00", "02:20", 0.1),
        price("02:20", "02:40", 0.2),
        price("02:40", "04:00", 0.6),
        price("04:00", "06:00", 0.3),
    ]);
    let co2 = |from, to, value| piece(from, to, "intensity_g_per_kwh", value);
    problem["agendas"]["co2"] = json!([
        co2("00:00", "02:00", 20.0),
        co2("02:00", "04:00", 10.0),
        co2("04:00", "06:00", 20.0)
    ]);
    let decision = decide(&problem);
    assert_eq!(decision["decision"], "optimum", "{decision}");
    assert_eq!(decision["offers"][0]["start"], "2026-01-01T02:00:00Z");
    assert_eq!(decision["as_soon_as_possible"]["cost"], decision["offers"][0]["cost"]);
}

#[test]
fn more_than_64_nodes_are_given_as_ranges_only() {
    let mut problem = possible();
    problem["nodes"] = json!({ "classes": [
        { "count": 40, "idle_power_w": 20, "max_power_w": 40 },
        { "count": 60, "idle_power_w": 10, "max_power_w": 30 },
    ] });
    problem["reservations"] = json!([
        { "id": "r1", "start": "2026-01-01T00:00:00Z", "end": "2026-01-01T09:00:00Z", "node_ranges": [[40, 41], [50, 50]] },
    ]);
    problem["request"]["nodes"] = json!(64);
    // 57 nodes of 30 W are free, 41 is not among them, and 7 of 40 W.
    let offer = &decide(&problem)["offers"][0];
    assert_eq!(offer["node_ranges"], json!([[0, 6], [42, 49], [51, 99]]));
    assert_eq!(offer["nodes"].as_array().unwrap().len(), 64);
    assert_eq!(offer["nodes"][7], "n42");
    assert_eq!(offer["peak_power_w"], 57.0 * 30.0 + 7.0 * 40.0);
    problem["request"]["nodes"] = json!(65);
    let offer = &decide(&problem)["offers"][0];
    assert_eq!(offer["node_ranges"], json!([[0, 7], [42, 49], [51, 99]]));
    assert_eq!(offer.get("nodes"), None);
}

#[test]
fn nodes_come_from_a_table_beside_the_problem() {
    let folder = TempDir::new().unwrap();
    let table = "name,idle_power_w,max_power_w,alpha\na,10,50,\nn1,10,40,0.5\n";
    std::fs::write(folder.path().join("nodes.csv"), table).unwrap();
    let mut problem = possible();
    problem["nodes"] = json!({ "file": "nodes.csv" });
    // Node a draws 10 + 0.25 x 40 = 20 W, as much as n1: the first in the table wins.
    problem["request"]["utilisation"] = json!(0.25);
    problem["request"]["latest_start"] = problem["request"]["earliest_start"].clone();
    let file = folder.path().join("problem.json");
    std::fs::write(&file, problem.to_string()).unwrap();
    let plan = || wattbook(&["plan"]).arg(&file).output().unwrap();
    let offer = &stdout(&plan())["offers"][0];
    assert_eq!((&offer["nodes"], &offer["energy_j"]), (&json!(["a"]), &json!(72_000.0)));
    std::fs::write(folder.path().join("nodes.csv"), "name,idle_power_w,max_power_w\na,x,y\n")
        .unwrap();
    let output = plan();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stderr(&output).lines().count(), 2, "{}", stderr(&output));
    assert!(stderr(&output).contains("/nodes: nodes.csv: line 2, idle_power_w"));
}

/// The cap leaves 190 W from 00:10:01 on; the first of seconds wins in exact mode, in slots of 15
/// minutes it is 00:15.
#[test]
fn exact_mode_finds_the_second_at_which_a_start_becomes_possible() {
    let mut problem = possible();
    problem["reservations"] = json!([]);
    problem["agendas"]["power_cap"] = json!([
        { "start": "2026-01-01T00:00:00Z", "end": "2026-01-01T00:10:01Z", "cap_w": 189.999_999 },
        { "start": "2026-01-01T00:10:01Z", "end": "2026-01-01T06:00:00Z", "cap_w": 190 },
    ]);
    assert_eq!(decide(&problem)["offers"][0]["start"], "2026-01-01T00:15:00Z");
    problem["search"] = json!({ "mode": "exact" });
    let decision = decide(&problem);
    assert_eq!(decision["offers"][0]["start"], "2026-01-01T00:10:01Z");
    assert_eq!(decision["reasons"][0]["code"], "power_cap");
}

#[test]
fn a_start_in_the_past_is_clamped_but_a_window_in_the_past_is_an_error() {
    let mut problem = possible();
    problem["reservations"] = json!([]);
    problem["now"] = json!("2026-01-01T00:20:00Z");
    let decision = decide(&problem);
    assert_eq!(decision["offers"][0]["start"], "2026-01-01T00:30:00Z");
    // The delay counts from the clamped earliest start, 00:20.
    assert_eq!(decision["offers"][0]["delay_s"], 600);
    problem["now"] = json!("2026-01-01T04:00:01Z");
    assert_eq!(errors(&problem), ["/request/latest_start: latest_start is in the past"]);
}

#[test]
fn every_error_is_listed_with_its_place() {
    let mut problem = possible();
    problem["agendas"].as_object_mut().unwrap().remove("co2");
    problem["agendas"]["price"][0]["price_per_mwh"] = json!(1e30);
    problem["agendas"]["power_cap"][0]["end"] = json!("2025-12-31T00:00:00Z");
    problem["nodes"][0]["watts"] = json!(1);
    problem["reservations"][0]["nodes"] = json!(["n1", "n2"]);
    problem["request"] =
        json!({ "nodes": 0, "duration_s": -1, "earliest_start": "2026-01-01T00:00:00Z" });
    problem["comment"] = json!("unknown");
    let errors = errors(&problem);
    let places: Vec<&str> = errors.iter().map(|error| error.split(':').next().unwrap()).collect();
    let expected = [
        "/comment",
        "/nodes/0/watts",
        "/agendas/price/0/price_per_mwh",
        "/agendas/co2",
        "/agendas/power_cap/0/end",
        "/reservations/0/nodes/1",
        "/request/nodes",
        "/request/duration_s",
        "/request/latest_start",
    ];
    assert_eq!(places, expected, "{errors:?}");
}

#[test]
fn what_cannot_be_read_is_bad_input() {
    for (problem, arguments) in
        [("{", &[][..]), ("", &[]), (EXAMPLE, &["--repeat", "0"]), (EXAMPLE, &["-x"])]
    {
        let output = run(problem, arguments);
        assert_eq!(
            (output.status.code(), output.stdout.len()),
            (Some(2), 0),
            "{}",
            stderr(&output)
        );
    }
    let missing = wattbook(&["plan", "/nonexistent/problem.json"]).output().unwrap();
    assert_eq!(missing.status.code(), Some(2));
}

#[test]
fn repeat_prints_quantiles_on_standard_error_and_only_the_decision_on_standard_output() {
    let output = run(&possible().to_string(), &["--repeat", "50"]);
    assert_eq!(stdout(&output), decide(&possible()));
    let lines: Vec<(&str, f64)> = stderr(&output)
        .lines()
        .map(|line| line.split_once(' ').unwrap())
        .map(|(name, number)| (name, number.parse().unwrap()))
        .collect();
    let value = |name: &str| lines.iter().find(|line| line.0 == name).unwrap().1;
    assert!((value("plans") - 50.0).abs() < 0.5);
    let quantiles =
        ["min", "p50", "p90", "p99", "max"].map(|name| value(&format!("planning_{name}_us")));
    assert!(quantiles.is_sorted() && quantiles[0] > 0.0, "{quantiles:?}");
}

/// An hour's work of one node with `alpha` 0.75 draws 142.5 W at full speed: 142.5 Wh. At half of it and 140 W at most,
/// 105 W for two hours are 210 Wh, which is within a cap of 150 W. The limit of the state changes nothing.
#[test]
fn a_request_that_may_run_slower_is_within_a_low_cap() {
    let mut problem = possible();
    problem["agendas"]["power_cap"][0]["cap_w"] = json!(150);
    problem["nodes"][0]["slower_states"] =
        json!([{"name": "p1", "speed": 0.5, "max_power_w": 140, "power_limit_w": 145}]);
    assert_eq!(run(&problem.to_string(), &[]).status.code(), Some(3), "at full speed only");
    problem["request"]["slowest_speed"] = json!(0.5);
    let decision = decide(&problem);
    let offer = &decision["as_soon_as_possible"];
    let told = ["start", "end", "power_state", "speed", "later_s", "peak_power_w", "energy_j"];
    let told = told.map(|field| offer[field].clone());
    let expected = [
        json!("2026-01-01T02:00:00Z"),
        json!("2026-01-01T04:00:00Z"),
        json!("p1"),
        json!(0.5),
        json!(3600),
        json!(140.0),
        json!(756_000.0),
    ];
    assert_eq!(told, expected);
    problem["request"]["slowest_speed"] = json!(0);
    problem["nodes"][0]["slower_states"][0]["speed"] = json!(1);
    let expected = [
        "/nodes/0/slower_states/0/speed: must lie above 0 and below 1",
        "/request/slowest_speed: must lie above 0 and at most 1",
    ];
    assert!(expected.iter().all(|it| errors(&problem).iter().any(|error| error.contains(it))));
}
