//! `wattbook batch run --system` with prices, budgets and caps, and `wattbook batch estimates`.

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

const RUN: &str =
    "batch run --system system.toml --workload jobs.csv --origin 2026-01-01T00:00:00Z";

fn site() -> CommandFolder {
    CommandFolder::of(&[("system.toml", SYSTEM), ("jobs.csv", JOBS), ("prices.csv", PRICES)])
}

/// Ada's job starts at 01:00: 2 kW for half an hour at 30 per MWh are 0.03 in place of 0.09; half of the 0.06 is hers. Eve's costs 0.09.
#[test]
fn a_job_is_shifted_to_a_cheap_hour() {
    let site = site();
    site.done(&format!("{RUN} --price prices.csv --out out"));
    let jobs = site.table("out/jobs.csv");
    let of = |id: &str| jobs.iter().find(|row| row["job_id"] == id).unwrap();
    assert_eq!(
        (&*of("1")["starting_time"], &*of("2")["starting_time"]),
        ("3600.000000", "0.000000")
    );
    let told = ["power_estimate_w", "cost", "saved", "credit"].map(|name| of("1")[name].clone());
    assert_eq!(told, ["2000.000000000", "0.030000000", "0.060000000", "0.030000000"]);
    assert_eq!((&*of("2")["cost"], &*of("2")["saved"]), ("0.090000000", ""));
    let users = site.table("out/users.csv");
    assert_eq!((&*users[0]["user"], &*users[0]["credit"]), ("ada", "0.030000000"));
    let summary: Value =
        serde_json::from_slice(&fs::read(site.path().join("out/summary.json")).unwrap()).unwrap();
    assert!((summary["jobs_cost"].as_f64().unwrap() - 0.12).abs() < 1e-12);
    assert_eq!((&summary["jobs_shifted"], &summary["mean_shift"]), (&1.into(), &3600.0.into()));
    let errors = site.table("out/estimate_errors.csv");
    assert_eq!((&*errors[0]["of"], &*errors[0]["mae_s"]), ("all", "900.000000"));
}

#[test]
fn budgets_and_caps_refuse_what_never_fits() {
    let site = site();
    site.write("budgets.toml", "[[budgets]]\nuser = \"/\"\nenergy_kwh = 1.5\nper = \"day\"\n");
    for (arguments, why) in [
        ("--budgets budgets.toml", "above its user's budget whenever it starts"),
        ("--option cap_w=1500", "above the power cap whenever it starts"),
    ] {
        site.done(&format!("{RUN} {arguments} --out out --force"));
        let jobs = site.table("out/jobs.csv");
        let of = |id: &str| jobs.iter().find(|row| row["job_id"] == id).unwrap();
        assert_eq!(
            (&*of("1")["metadata"], &*of("2")["starting_time"]),
            (why, "0.000000"),
            "{arguments}"
        );
    }
    site.write("cost.toml", "[[budgets]]\nuser = \"/\"\ncost = 1.5\nper = \"day\"\n");
    site.write(
        "short.csv",
        "start,end,price_per_mwh\n2026-01-01T00:00:00Z,2026-01-01T00:30:00Z,9\n",
    );
    site.write("wrong.toml", "[[budgets]]\nuser = \"/\"\ncost = 1.5\n");
    for (arguments, told) in [
        ("--budgets cost.toml", "budgets of cost need prices (--price)"),
        ("--budgets wrong.toml", "wrong.toml: line 1: say per = \"day\""),
        ("--price short.csv", "short.csv: covers 2026-01-01T00:00:00Z to 2026-01-01T00:30:00Z"),
        ("--price prices.csv --option credit_share=2", "credit_share: \"2\" is not a number"),
    ] {
        let error = site.refused(&format!("{RUN} {arguments}"));
        assert!(error.contains(told), "{arguments}: {error}");
    }
}

/// The walltimes are 1800 s and 0 s too long: 900 s in the mean. Eve's job starts beside ada's, whatever is estimated.
#[test]
fn estimates_are_compared() {
    let site = site();
    let compare = "batch estimates --system system.toml --workload jobs.csv";
    let table = site.done(&format!("{compare} --option estimate_jobs=8"));
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!(rows.len(), 6);
    assert!(rows[0].starts_with("estimate,jobs,without_estimate,mae_s,"), "{}", rows[0]);
    assert!(rows[1].starts_with("walltime,2,0,900.000000,"), "{}", rows[1]);
    assert!(rows[2].starts_with("real,2,0,0.000000,"), "{}", rows[2]);
    site.done(&format!("{compare} --estimate real,last_two --out out"));
    let estimates: Vec<String> =
        site.table("out/estimates.csv").iter().map(|row| row["estimate"].clone()).collect();
    assert_eq!(estimates, ["real", "last_two"]);
    let told = site.refused(&format!("{compare} --option estimate_job=8"));
    assert!(told.contains("estimate_job is no option of"), "{told}");
}
