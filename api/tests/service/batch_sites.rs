//! `wattbook batch run --grid-experiment`.

use std::fs;
use std::process::Output;

use serde_json::Value;
use tempfile::TempDir;

use crate::site::wattbook;

/// Two sites on one link each. Lyon has a network of its own, agendas, and users who take both of its nodes for 100 s.
const EXPERIMENT: &str = r#"
origin = "2026-01-01T00:00:00Z"
[[sites]]
name = "lyon"
policy = "easy"
queues = 2
load = "lyon.swf"
price = "price.csv"
[[sites.platform.machines]]
count = 2
idle_power_w = 100
computing_power_w = 200
[sites.platform.network]
bandwidth_bytes_per_s = 20
[[sites]]
name = "sophia"
machines = 4
order = "sjf"
backfill = "easy"
load = { count = 3, seed = 1, nodes = [1, 4] }
[[links]]
name = "up"
between = ["users", "lyon"]
bandwidth_bytes_per_s = 10
latency_s = 1
[[links]]
between = ["users", "sophia"]
bandwidth_bytes_per_s = 1000
[[clients]]
name = "users"
rule = "round_robin"
[[clients.tasks]]
name = "first"
submission_time_s = 0
nodes = 1
run_time_s = 30
walltime_s = 100
input_bytes = 100
output_bytes = 40
[[clients.tasks]]
submission_time_s = 0
nodes = 4
run_time_s = 10
walltime_s = 20
[[clients.tasks]]
submission_time_s = 5
nodes = 9
run_time_s = 1
"#;

/// A job of two nodes for 100 s.
const LOAD: &str = "1 0 -1 100 2 -1 -1 2 100\n";

const PRICES: &str = "start,end,price_per_mwh\n2026-01-01T00:00:00Z,2026-01-01T01:00:00Z,36\n";

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in [("experiment.toml", EXPERIMENT), ("lyon.swf", LOAD), ("price.csv", PRICES)]
    {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn run(folder: &TempDir, more: &[&str]) -> Output {
    let mut command = wattbook(&["batch", "run", "--grid-experiment", "experiment.toml"]);
    command.args(more).current_dir(folder.path()).output().unwrap()
}

fn cell<'a>(table: &'a [Vec<&'a str>], row: usize, column: &str) -> &'a str {
    let place = table[0].iter().position(|name| *name == column).unwrap();
    table[row][place]
}

/// The first task goes to Lyon: its 100 bytes are there at 1 + 10 s. Both nodes are taken until 100 s; then its input takes 5 s to its
/// node, it runs until 135 s, its output is at the frontal at 137 s and back at 142 s. It draws 200 W for 37 s, 7.4 kJ, which
/// cost 36 / 3.6e9 * 7,400. The second goes to Sophia, as the third would, but for its nine nodes, which nobody has.
#[test]
fn an_experiment_is_played_and_told() {
    let folder = folder();
    let output = run(&folder, &["--out", "out", "--format", "csv,paje,html"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read = |name: &str| fs::read_to_string(folder.path().join("out").join(name)).unwrap();
    let jobs = read("jobs.csv");
    let table: Vec<Vec<&str>> = jobs.lines().map(|line| line.split(',').collect()).collect();
    let row = |id: &str, client: &str| {
        (1..table.len())
            .find(|row| {
                cell(&table, *row, "job_id") == id && cell(&table, *row, "client") == client
            })
            .unwrap()
    };
    let first = row("first", "users");
    let expected = [
        ("site", "lyon"),
        ("submission_time", "0.000000"),
        ("queued_time", "11.000000"),
        ("starting_time", "100.000000"),
        ("input_end", "105.000000"),
        ("finish_time", "137.000000"),
        ("output_end", "142.000000"),
        ("flow", "142.000000"),
        ("waiting_time", "89.000000"),
        ("consumed_energy", "7400.000000"),
        ("energy_cost", "0.000074000"),
        ("final_state", "COMPLETED_SUCCESSFULLY"),
    ];
    for (column, value) in expected {
        assert_eq!(cell(&table, first, column), value, "{column}");
    }
    assert_eq!(cell(&table, row("2", "users"), "site"), "sophia");
    let third = row("3", "users");
    assert_eq!((cell(&table, third, "site"), cell(&table, third, "final_state")), ("", "REJECTED"));
    assert_eq!(cell(&table, row("1", ""), "site"), "lyon");
    assert_eq!(table.len(), 1 + 3 + 1 + 3);
    let links = read("links.csv");
    assert!(links.contains("\nup_UP,100.000,10.000000,"), "{links}");
    let summary: Value = serde_json::from_str(&read("summary.json")).unwrap();
    assert_eq!(summary["clients"][0]["tasks_by_site"], serde_json::json!({"lyon": 1, "sophia": 1}));
    assert_eq!(summary["clients"][0]["refused"], 1);
    assert_eq!(summary["sites"][0]["nb_jobs"], 2);
    let trace = read("schedule.trace");
    assert!(trace.contains("\"lyon\"") && trace.contains("\"sophia\""), "both in one trace");
    assert_eq!(trace.matches(" s \"job ").count(), 6);
    let page = read("report.html");
    for shown in ["<h2>Clients</h2>", "round_robin", "<h2>lyon</h2>", "<h2>sophia</h2>"] {
        assert!(page.contains(shown), "{shown}");
    }
    assert!(read("001-lyon/links.csv").contains("\nfrontal_link,140.000,"));
    assert!(read("001-lyon/consumed_energy.csv").starts_with("time,"));
    assert!(read("002-sophia/jobs.csv").starts_with("job_id,"));
    let again = run(&folder, &["--out", "out"]);
    assert_eq!(again.status.code(), Some(2));
    assert!(run(&folder, &["--out", "out", "--force"]).status.success());
    assert!(!folder.path().join("out/report.html").exists(), "replaced by what was asked for");
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let folder = folder();
    let error = |from: &str, to: &str| {
        assert!(EXPERIMENT.contains(from), "{from}");
        fs::write(folder.path().join("experiment.toml"), EXPERIMENT.replace(from, to)).unwrap();
        let output = run(&folder, &[]);
        assert_eq!(output.status.code(), Some(2), "{from}");
        String::from_utf8(output.stderr).unwrap()
    };
    let cases = [
        ("\"easy\"\nqueues", "\"esay\"\nqueues", "site \"lyon\": policy is not a policy"),
        ("\"sjf\"", "\"shortest\"", "site \"sophia\": order"),
        ("origin = \"2026-01-01T00:00:00Z\"", "", "origin at the top"),
        ("\"round_robin\"", "\"cheapest\"", "the rule cheapest needs a price of site \"sophia\""),
        (
            "\"users\", \"sophia\"",
            "\"nobody\", \"sophia\"",
            "client \"users\" cannot reach site \"sophia\"",
        ),
        ("\"lyon.swf\"", "\"none.swf\"", "none.swf"),
        ("queues = 2", "queues = 2\nfrontal = \"front\"\n[[sites.links]]", "unknown field `links`"),
        ("name = \"first\"", "name = \"2\"", "two tasks are named \"2\""),
    ];
    for (from, to, told) in cases {
        let error = error(from, to);
        assert!(
            error.contains(told) && error.contains("experiment.toml") || told == "none.swf",
            "{error}"
        );
    }
    fs::write(folder.path().join("experiment.toml"), EXPERIMENT).unwrap();
    fs::write(folder.path().join("price.csv"), PRICES.replace("T01:00", "T00:01")).unwrap();
    let output = run(&folder, &[]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        told.contains("site \"lyon\": price covers only") && told.contains("--allow-uncovered"),
        "{told}"
    );
    assert!(run(&folder, &["--allow-uncovered"]).status.success());
    let both = run(&folder, &["--workload", "lyon.swf"]);
    assert!(String::from_utf8_lossy(&both.stderr).contains("cannot be used with"));
}
