//! `wattbook batch sweep` on systems with prices, caps and budgets.

use std::collections::HashMap;
use std::fs;

use serde_json::Value;

use crate::command_folder::CommandFolder;

/// Four cores of 1 kW.
const SYSTEM: &str = "[[nodes]]\ncount = 1\ncores = 4\n[nodes.power]\ncores = { full_w = 1000 }\n";

/// Ada's job may start within two hours, eve's starts as soon as it can.
const JOBS: &str = "\
job_id,submission_time,run_time,requested_time,user,cores,latest_start
1,0,1800,3600,ada,2,7200
2,0,3600,3600,eve,1,
";

const PRICES: &str = "\
start,end,price_per_mwh
2026-01-01T00:00:00Z,2026-01-01T01:00:00Z,90
2026-01-01T01:00:00Z,2026-01-01T06:00:00Z,30
";

const CAPS: &str = "start,end,cap_w\n2026-01-01T00:00:00Z,2026-01-01T06:00:00Z,2000\n";

const BUDGETS: &str = "[[budgets]]\nuser = \"ada\"\nenergy_kwh = 1.5\nper = \"day\"\n";

const SWEEP: &str = r#"
[[workloads]]
file = "jobs.csv"
[[systems]]
file = "system.toml"
[[supplies]]
[[supplies]]
price = "prices.csv"
origin = "2026-01-01T00:00:00Z"
[[supplies]]
name = "capped"
cap = "caps.csv"
origin = "2026-01-01T00:00:00Z"
[[supplies]]
price = "prices.csv"
budgets = "budgets.toml"
origin = "2026-01-01T00:00:00Z"
[[policies]]
backfill = ["none", "conservative"]
power_estimate = ["full", "real"]
[options]
credit_share = 0.5
"#;

fn site(sweep: &str) -> CommandFolder {
    CommandFolder::of(&[
        ("system.toml", SYSTEM),
        ("jobs.csv", JOBS),
        ("prices.csv", PRICES),
        ("caps.csv", CAPS),
        ("budgets.toml", BUDGETS),
        ("sweep.toml", sweep),
    ])
}

/// Row of an instance by its number, from 1.
fn row<'a>(rows: &'a [HashMap<String, String>], number: &str) -> &'a HashMap<String, String> {
    rows.iter().find(|row| row["instance"] == number).unwrap()
}

/// 2 backfillings x 2 estimates of powers x 4 supplies. With prices ada's job is shifted to 01:00: 0.06 are saved, and half of it is hers; jobs
/// cost 0.03 and 0.09. Under the cap of 2 kW eve's job waits until ada's has ended, 900 s in the mean. Ada's budget never holds 2 kWh, which is
/// what an hour of 2 kW is.
#[test]
fn each_supply_is_played_with_each_policy() {
    let site = site(SWEEP);
    site.done("batch sweep sweep.toml --out out");
    let rows = site.table("out/results.csv");
    assert_eq!(rows.len(), 16);
    let supplies: Vec<&str> = rows.iter().take(5).map(|row| &*row["supply"]).collect();
    assert_eq!(supplies, ["none", "prices", "capped", "prices+budgets", "none"]);
    for (number, name, value) in [
        ("1", "jobs_cost", ""),
        ("1", "mean_waiting_time", "0.0"),
        ("2", "jobs_shifted", "1"),
        ("2", "jobs_cost", "0.12"),
        ("2", "credited", "0.03"),
        ("3", "mean_waiting_time", "900.0"),
        ("3", "max_expected_power_w", "2000.0"),
        ("4", "jobs_refused_by_budget", "1"),
        ("5", "power_estimate", "real"),
        ("11", "backfill", "conservative"),
        ("11", "mean_waiting_time", "900.0"),
        ("11", "power_cap_exceeded_s", "0.0"),
    ] {
        let told = &row(&rows, number)[name];
        let close = told.parse::<f64>().ok().zip(value.parse::<f64>().ok());
        let same = close.map_or(told == value, |(told, value)| (told - value).abs() < 1e-12);
        assert!(same, "{number} {name}: {told}");
    }
    // An instance is what batch run gives.
    let run = "batch run --system system.toml --workload jobs.csv --backfill conservative --origin 2026-01-01T00:00:00Z";
    let alone: Value = serde_json::from_str(&site.done(&format!("{run} --cap caps.csv"))).unwrap();
    for key in ["makespan", "mean_waiting_time", "max_measured_power_w", "power_cap_covered_share"]
    {
        assert_eq!(row(&rows, "11")[key], alone[key].to_string(), "{key}");
    }
    let users = site.table("out/users.csv");
    let of = |number: &str, user: &str| {
        users.iter().find(|row| row["instance"] == number && row["user"] == user).unwrap()
    };
    let credit: f64 = of("2", "ada")["credit"].parse().unwrap();
    assert!((credit - 0.03).abs() < 1e-12);
    assert_eq!((&*of("1", "ada")["credit"], &*of("2", "ada")["jobs_held_by_budget"]), ("", "0"));
    let page = fs::read_to_string(site.path().join("out/report.html")).unwrap();
    for shown in [
        "Prices, CO2, budgets and caps",
        "<td>fcfs credit_share=0.5, power full, capped<td>",
        "Cost of jobs and waits",
    ] {
        assert!(page.contains(shown), "{shown}");
    }
}

#[test]
fn arguments_say_one_supply() {
    let site = site(SWEEP);
    let sweep = "batch sweep --system system.toml --workload jobs.csv --power-estimate full,real";
    site.done(&format!("{sweep} --price prices.csv --origin 2026-01-01T00:00:00Z --out out"));
    let rows = site.table("out/results.csv");
    let told: Vec<[&str; 3]> = rows
        .iter()
        .map(|row| ["power_estimate", "supply", "jobs_shifted"].map(|name| &*row[name]))
        .collect();
    assert_eq!(told, [["full", "prices", "1"], ["real", "prices", "1"]]);
    // Without a supply there is no column of it.
    site.done("batch sweep --system system.toml --workload jobs.csv --out plain");
    let columns = fs::read_to_string(site.path().join("plain/results.csv")).unwrap();
    assert!(!columns.contains("supply") && !columns.contains("power_estimate"), "{columns}");
    let told = site.refused(&format!("{sweep} --price prices.csv --out none"));
    assert!(told.contains("--origin"), "{told}");
}

#[test]
fn what_is_wrong_with_a_supply_is_told_with_its_line() {
    let refused = |from: &str, to: &str| {
        let site = site(&SWEEP.replacen(from, to, 1));
        site.refused("batch sweep sweep.toml --out out")
    };
    let origin = "origin = \"2026-01-01T00:00:00Z\"";
    let told = refused(origin, "");
    assert!(told.contains("line 7: origin: tables go by the clock"), "{told}");
    let told = refused("\"caps.csv\"", "\"none.csv\"");
    assert!(told.contains("line 10: ") && told.contains("none.csv"), "{told}");
    let told = refused("budgets = ", "budget = ");
    assert!(told.contains("unknown field `budget`"), "{told}");
    let told = refused("credit_share = 0.5", "credit_share = 2");
    assert!(told.contains("line 18: credit_share: \"2\" is not a number"), "{told}");
}

/// The prices end at 00:30, before the jobs do: in each instance with one of the two supplies that have them.
#[test]
fn tables_must_cover_what_is_played() {
    let site = site(SWEEP);
    let short = "start,end,price_per_mwh\n2026-01-01T00:00:00Z,2026-01-01T00:30:00Z,9\n";
    site.write("prices.csv", short);
    let told = site.refused("batch sweep sweep.toml --threads 1 --out out");
    assert!(
        told.contains(
            "instance 2: prices.csv: covers 2026-01-01T00:00:00Z to 2026-01-01T00:30:00Z"
        ),
        "{told}"
    );
    let allowed = SWEEP.replace("price =", "allow_uncovered = true\nprice =");
    site.write("sweep.toml", &allowed);
    let output = site.run("batch sweep sweep.toml --out allowed");
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{told}");
    assert!(told.contains("do not cover 8 of 16 instances"), "{told}");
}
