//! Prices, CO2 intensities and caps that do not cover what is played: refused, or told.

use std::fs;
use std::process::Output;

use serde_json::Value;
use tempfile::TempDir;

use crate::site::wattbook;

/// Under EASY job 1 goes from 0 to 6 s, job 4 from 4 to 10 s, job 2 on all machines from 10 to 15 s and job 3
/// until 23 s: of three machines of 95 W idle and 190 W computing, 285 x 23 + 95 x 35 = 9,880 J; until 10 s
/// 285 x 10 + 95 x 12 = 3,990 J.
const TRACE: &str = "\
1 100 -1 6 1 -1 -1 1 10 -1 1
2 101 -1 5 3 -1 -1 3 9 -1 1
3 103 -1 8 1 -1 -1 1 8 -1 1
4 104 -1 6 1 -1 -1 1 6 -1 1
";

const PLATFORM: &str = "\
[[machines]]
count = 3
idle_power_w = 95.0
computing_power_w = 190.0
";

const ORIGIN: &str = "2026-01-01T00:00:00Z";
/// Ten seconds.
const SHORT: &str = "2026-01-01T00:00:00Z,2026-01-01T00:00:10Z";
const YEAR: &str = "2026-01-01T00:00:00Z,2027-01-01T00:00:00Z";

struct Site(TempDir);

impl Site {
    fn new() -> Self {
        let site = Self(TempDir::new().unwrap());
        site.write("trace.swf", TRACE);
        site.write("platform.toml", PLATFORM);
        for (name, span) in [("short", SHORT), ("year", YEAR)] {
            // 3,600 EUR/MWh are 1e-6 EUR/J, 3,600 g/kWh 1e-3 g/J.
            site.write(
                &format!("{name}-price.csv"),
                &format!("start,end,price_per_mwh\n{span},3600\n"),
            );
            let co2 = format!("start,end,intensity_g_per_kwh\n{span},3600\n");
            site.write(&format!("{name}-co2.csv"), &co2);
            site.write(&format!("{name}-cap.csv"), &format!("start,end,cap_w\n{span},1000\n"));
        }
        site
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    fn wattbook(&self, arguments: &str) -> Output {
        let words: Vec<&str> = arguments.split_whitespace().collect();
        wattbook(&words).current_dir(self.0.path()).output().unwrap()
    }

    fn batch(&self, more: &str) -> Output {
        let told = "batch run --workload trace.swf --platform platform.toml --option tau_s=10";
        self.wattbook(&format!("{told} {more}"))
    }

    /// The summary, and what was told beside it.
    fn summary(&self, more: &str) -> (Value, String) {
        let output = self.batch(more);
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{told}");
        (serde_json::from_slice(&output.stdout).unwrap(), told)
    }

    fn refused(&self, more: &str) -> String {
        let output = self.batch(more);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(output.stdout.is_empty());
        told
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.0.path().join(folder)).unwrap();
        let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
        entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect()
    }
}

fn near(value: &Value, expected: f64) {
    let value = value.as_f64().unwrap();
    assert!((value - expected).abs() < 1e-9 * expected.abs().max(1.0), "{value} is not {expected}");
}

#[test]
fn what_prices_do_not_cover_is_an_error_that_names_the_span() {
    let site = Site::new();
    for (argument, of) in [("price", "price"), ("co2", "CO2 intensity")] {
        let told = site.refused(&format!(
            "--policy easy --{argument} short-{argument}.csv --origin {ORIGIN} --out out"
        ));
        for part in [
            format!("short-{argument}.csv: covers 2026-01-01T00:00:00Z to 2026-01-01T00:00:10Z"),
            "the simulation needs 2026-01-01T00:00:00Z to 2026-01-01T00:00:23Z".to_owned(),
            format!("for 56.5 % of it there is no {of}"),
            "--allow-uncovered".to_owned(),
        ] {
            assert!(told.contains(&part), "{part} is not in {told}");
        }
        assert_eq!(site.names("out"), Vec::<String>::new(), "nothing looks complete");
    }
    // Another year: told before anything is played.
    let told = site
        .refused("--policy easy --price year-price.csv --origin 2025-01-01T00:00:00Z --out out");
    let begins = "the simulation begins at 2025-01-01T00:00:00Z (--origin)";
    assert!(told.contains(begins), "{told}");
}

#[test]
fn what_is_covered_is_billed_and_told_where_that_is_allowed() {
    let site = Site::new();
    let tables = |name: &str| {
        format!("--policy easy --price {name}-price.csv --co2 {name}-co2.csv --origin {ORIGIN}")
    };
    let (whole, told) = site.summary(&tables("year"));
    near(&whole["energy_cost"], 0.009_88);
    near(&whole["energy_co2_g"], 9.88);
    assert_eq!((&whole["energy_cost_covered_share"], told.as_str()), (&Value::from(1.0), ""));
    let (part, told) = site.summary(&format!("{} --allow-uncovered", tables("short")));
    near(&part["energy_cost"], 0.003_99);
    near(&part["energy_co2_g"], 3.99);
    for share in ["energy_cost_covered_share", "energy_co2_covered_share"] {
        near(&part[share], 3990.0 / 9880.0);
        assert!(told.contains(share), "{told}");
    }
    // Nothing at all of another year.
    let other = tables("year").replace("2026-01", "2025-01") + " --allow-uncovered";
    let (none, _) = site.summary(&other);
    assert_eq!(
        (&none["energy_cost"], &none["energy_cost_covered_share"]),
        (&0.0.into(), &0.0.into())
    );
    let (without, _) = site.summary("--policy easy");
    assert_eq!(without["energy_cost_covered_share"], Value::Null);
}

#[test]
fn caps_and_budgets_need_what_they_go_by() {
    let site = Site::new();
    let capped = format!("--policy power_cap --cap short-cap.csv --origin {ORIGIN}");
    let told = site.refused(&capped);
    assert!(told.contains("short-cap.csv: covers") && told.contains("there is no cap"), "{told}");
    let (summary, told) = site.summary(&format!("{capped} --allow-uncovered"));
    near(&summary["power_cap_covered_share"], 10.0 / 23.0);
    assert!(told.contains("power_cap_covered_share"), "{told}");
    // Elsewhere cap_w holds.
    let (summary, _) = site.summary(&format!("{capped} --option cap_w=1000"));
    assert_eq!(summary["power_cap_covered_share"], Value::Null);
    let follows = format!(
        "--policy energy_bud --option budget_j=1e6 --option until_s=20 --option follow=price --price \
         short-price.csv --origin {ORIGIN}"
    );
    let told = site.refused(&follows);
    let span = "goes by it from 2026-01-01T00:00:00Z to 2026-01-01T00:00:20Z";
    assert!(told.contains(span), "{told}");
}

#[test]
fn a_sweep_is_refused_or_tells_the_share_in_its_table() {
    let site = Site::new();
    let grid = |more: &str| {
        format!(
            "[[workloads]]\nfile = \"trace.swf\"\n[[platforms]]\nfile = \"platform.toml\"\n\
             [[policies]]\npolicy = \"easy\"\n[supplier]\nprice = \"short-price.csv\"\n\
             origin = \"{ORIGIN}\"\n{more}"
        )
    };
    site.write("grid.toml", &grid(""));
    let output = site.wattbook("batch sweep grid.toml --out out");
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("instance 1: ") && told.contains("allow_uncovered"), "{told}");
    assert!(!site.names("out").contains(&"results.csv".to_owned()));
    site.write("grid.toml", &grid("allow_uncovered = true\n"));
    let output = site.wattbook("batch sweep grid.toml --out out");
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{told}");
    assert!(told.contains("do not cover 1 of 1 instances"), "{told}");
    let table = fs::read_to_string(site.0.path().join("out/results.csv")).unwrap();
    assert!(table.lines().next().unwrap().contains("energy_cost_covered_share"), "{table}");
}

/// One request of two hours that may start until 04:00, so that it needs prices until 06:00.
#[test]
fn a_month_with_agendas_of_another_time_is_refused_or_told() {
    let site = Site::new();
    site.write("nodes.csv", "name,idle_power_w,max_power_w,alpha\na,50,100,1\nb,50,100,1\n");
    site.write(
        "requests.csv",
        "nodes,duration_s,earliest_start,latest_start\n\
         2,7200,2026-01-01T00:00:00Z,2026-01-01T04:00:00Z\n\
         1,3600,2026-01-01T01:00:00Z,2026-01-01T01:00:00Z\n",
    );
    let price =
        |until: &str| format!("start,end,price_per_mwh\n{ORIGIN},2026-01-01T{until}Z,100\n");
    site.write("price.csv", &price("05:59:59"));
    site.write("whole.csv", &price("06:00:00"));
    let month = "simulate sesames --nodes-file nodes.csv --requests-file requests.csv --days 1 --runs 1 \
                 --start 2026-01-01T00:00:00Z --format json --policies asap_first,cost_co2_energy";
    let output = site.wattbook(&format!("{month} --price-file price.csv --out out"));
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{told}");
    for part in [
        "price.csv: covers 2026-01-01T00:00:00Z to 2026-01-01T05:59:59Z",
        "the requests need 2026-01-01T00:00:00Z to 2026-01-01T06:00:00Z",
        "1 of 2 could be placed where there is no price",
        "--allow-uncovered",
    ] {
        assert!(told.contains(part), "{part} is not in {told}");
    }
    assert!(!site.0.path().join("out").exists());
    let played = |more: &str| {
        let output = site.wattbook(&format!("{month} {more}"));
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{told}");
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        (document["policies"]["cost_co2_energy"]["month"].clone(), told)
    };
    let (covered, told) = played("--price-file whole.csv");
    assert_eq!((&covered["covered_share"], told.as_str()), (&Value::from(1.0), ""));
    let (part, told) = played("--price-file price.csv --allow-uncovered");
    near(&part["covered_share"], 0.5);
    assert!(told.contains("price.csv: covers") && told.contains("covered_share"), "{told}");
    // The year before, and drawn requests: nothing of it has a price.
    let year = "simulate sesames --nodes 2 --requests 10 --runs 2 --start 2025-01-01T00:00:00Z --price-file \
                whole.csv";
    let output = site.wattbook(year);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("20 of 20 could be placed where there is no price"), "{told}");
    let output = site.wattbook(&format!("{year} --allow-uncovered"));
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains("cover 0.0 % of the requests"), "{printed}");
}
