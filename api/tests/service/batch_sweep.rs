//! `wattbook batch sweep` on grid files.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::result_files::result_files;
use crate::site::wattbook;

const TRACE: &str = "\
1 100 -1 6 1 -1 -1 1 10 -1 1
2 101 -1 5 3 -1 -1 3 9 -1 1
3 103 -1 8 1 -1 -1 1 8 -1 1
4 104 -1 6 1 -1 -1 1 6 -1 1
";

const PLATFORM: &str = "\
[[machines]]
count = 7
idle_power_w = 95.0
computing_power_w = 190.0
";

/// 1 trace on 2 platforms under 2 * 2 + 1 * 2 ways, and 1 drawn workload with 2 seeds: 12 + 24.
const GRID: &str = r#"
seeds = [1, 2]
[[workloads]]
file = "trace.swf"
machines = 3
[[workloads]]
name = "drawn"
model = "simbatch"
jobs = 40
[[platforms]]
file = "platform.toml"
[[platforms]]
name = "bare"
machines = 7
[[policies]]
policy = ["easy", "conservative"]
[[policies]]
policy = "fcfs"
tie = "pyss"
[options]
launch_s = [0, 2.5]
"#;

struct Site(TempDir);

impl Site {
    fn new(grid: &str) -> Self {
        let site = Self(TempDir::new().unwrap());
        for (name, text) in [("trace.swf", TRACE), ("platform.toml", PLATFORM), ("grid.toml", grid)]
        {
            fs::write(site.0.path().join(name), text).unwrap();
        }
        site
    }

    fn sweep(&self, arguments: &str) -> Output {
        let mut command = wattbook(&["batch", "sweep", "grid.toml"]);
        command.current_dir(self.0.path()).args(arguments.split(' ')).output().unwrap()
    }

    fn swept(&self, arguments: &str) {
        let output = self.sweep(arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

fn table(folder: &Path) -> Vec<std::collections::HashMap<String, String>> {
    let mut reader = csv::Reader::from_path(folder.join("results.csv")).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

#[test]
fn every_combination_is_a_row_as_batch_run_gives_it() {
    let site = Site::new(GRID);
    site.swept("--out out");
    let rows = table(&site.0.path().join("out"));
    assert_eq!(rows.len(), 36);
    let last = &rows[35];
    for (name, value) in [
        ("instance", "36"),
        ("workload", "drawn"),
        ("platform", "bare"),
        ("seed", "2"),
        ("policy", "fcfs"),
        ("allocation", "count"),
        ("tie", "pyss"),
        ("launch_s", "2.5"),
        ("nb_jobs", "40"),
        ("consumed_joules", ""),
    ] {
        assert_eq!(last[name], value, "{name}");
    }
    assert_eq!((rows[0]["seed"].as_str(), rows[0]["machines"].as_str()), ("", "3"));
    let folder = site.0.path().join("out/instances");
    let summary = fs::read_to_string(folder.join("000002/summary.json")).unwrap();
    let document: Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(document["parameters"]["launch_s"], "2.5");
    let mut command = wattbook(&["batch", "run", "--workload", "trace.swf", "--policy", "easy"]);
    command.args(["--machines", "3", "--platform", "platform.toml", "--option", "launch_s=2.5"]);
    let alone = command.current_dir(site.0.path()).output().unwrap();
    let mut alone: Value = serde_json::from_slice(&alone.stdout).unwrap();
    for clock in ["simulation_time", "scheduling_time"] {
        alone.as_object_mut().unwrap().remove(clock);
    }
    assert_eq!(document["summary"], alone);
    assert_eq!(rows[1]["consumed_joules"], alone["consumed_joules"].to_string());
    assert!(!site.0.path().join("out/unfinished.jsonl").exists());
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let site = Site::new(&format!("tables = true\n{GRID}"));
    site.swept("--threads 1 --out one");
    site.swept("--threads 5 --out five");
    let [one, five] = ["one", "five"].map(|name| result_files(&site.0.path().join(name)));
    assert_eq!(one.len(), five.len());
    // results.csv; summary and jobs of each, and three tables more where powers are known.
    assert_eq!(one.len(), 1 + 36 * 2 + 18 * 3);
    for (one, five) in one.iter().zip(&five) {
        assert!(one == five, "{} differs", one.0);
    }
}

/// Killed in the middle, it goes on from what is finished and ends with the same bytes.
#[test]
fn a_killed_sweep_goes_on_and_ends_the_same() {
    let grid = "
seeds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
[[workloads]]
model = \"simbatch\"
jobs = 800
machines = 24
[[policies]]
policy = [\"easy\", \"conservative\", \"sjf\"]
options.launch_s = [0, 1, 2, 3]
";
    let site = Site::new(grid);
    site.swept("--out whole");
    let mut command = wattbook(&["batch", "sweep", "grid.toml", "--threads", "1", "--out", "cut"]);
    command.current_dir(site.0.path()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let journal = site.0.path().join("cut/unfinished.jsonl");
    let lines = || fs::read_to_string(&journal).unwrap_or_default().lines().count();
    let deadline = Instant::now() + Duration::from_mins(2);
    while lines() < 6 && child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < deadline, "nothing is finished");
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // As a kill in the middle of a line leaves it.
    if journal.exists() {
        let text = fs::read_to_string(&journal).unwrap();
        let cut = text.trim_end().len() - 20;
        fs::write(&journal, &text[..cut]).unwrap();
        assert!(!site.0.path().join("cut/results.csv").exists());
    }
    site.swept("--out cut");
    let [whole, cut] = ["whole", "cut"].map(|name| result_files(&site.0.path().join(name)));
    assert!(whole == cut, "what is left of a killed sweep differs");
    let mut timing = String::new();
    let mut file = fs::File::open(site.0.path().join("cut/timing.json")).unwrap();
    file.read_to_string(&mut timing).unwrap();
    let timing: Value = serde_json::from_str(&timing).unwrap();
    assert!(timing["instances_played"].as_u64().unwrap() < 120, "{timing}");
}

/// Parts that other machines play: one of them is killed and played again alone, one is never played.
#[test]
fn parts_end_with_the_bytes_of_one_machine() {
    let site = Site::new(&format!("tables = true\n{GRID}"));
    site.swept("--out whole");
    let told = String::from_utf8(site.sweep("--part 1/4 --out parts").stderr).unwrap();
    assert!(
        told.contains("part 1/4 is played; once all are, the same command without --part"),
        "{told}"
    );
    site.swept("--part 3/4 --out parts");
    let folder = site.0.path().join("parts");
    assert!(!folder.join("results.csv").exists() && !folder.join("unfinished.jsonl").exists());
    // A header, and every fourth of 36 instances; a kill cuts the last line.
    let journal = folder.join("unfinished-3-of-4.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    assert_eq!(text.lines().count(), 1 + 9);
    fs::write(&journal, &text[..text.len() - 20]).unwrap();
    site.swept("--part 3/4 --out parts");
    assert_eq!(fs::read_to_string(&journal).unwrap(), text);
    site.swept("--part 4/4 --out parts");
    // One that is damaged from its beginning on is played again, too.
    let damaged = folder.join("unfinished-4-of-4.jsonl");
    let text = fs::read_to_string(&damaged).unwrap();
    fs::write(&damaged, &text[5..]).unwrap();
    site.swept("--part 4/4 --out parts");
    assert_eq!(fs::read_to_string(&damaged).unwrap().lines().count(), 1 + 9);
    site.swept("--out parts");
    assert!(
        result_files(&site.0.path().join("whole")) == result_files(&folder),
        "parts change results"
    );
    let timing = fs::read_to_string(folder.join("timing.json")).unwrap();
    let timing: Value = serde_json::from_str(&timing).unwrap();
    assert_eq!(timing["instances_played"], 9, "the part that nobody played");

    let refused = |arguments: &str| {
        let output = site.sweep(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(refused("--part 1/4 --out parts").contains("there are results in it"));
    assert!(refused("--part 5/4 --out other").contains("such as 3/8"));
    assert!(refused("--part 1/4 --out other --force").contains("cannot be used with"));
    // Parts of another grid are no parts of this one.
    site.swept("--part 1/2 --out other");
    fs::write(site.0.path().join("grid.toml"), GRID).unwrap();
    assert!(refused("--out other").contains("unfinished-1-of-2.jsonl"));
    assert!(refused("--part 1/2 --out other").contains("unfinished-1-of-2.jsonl"));
}

#[cfg(not(feature = "s3"))]
#[test]
fn a_program_without_stores_says_so() {
    let site = Site::new(GRID);
    let output = site.sweep("--out s3://bucket/sweep");
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("without stores") && text.contains("--features s3"), "{text}");
    assert!(!site.0.path().join("s3:").exists());
}

#[test]
fn another_grid_in_the_same_folder_begins_anew_where_that_is_forced() {
    let site = Site::new(GRID);
    site.swept("--out out");
    fs::write(site.0.path().join("grid.toml"), GRID.replace("seeds = [1, 2]", "")).unwrap();
    let refused = site.sweep("--out out");
    let text = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2), "{text}");
    assert!(text.contains("there are results in it (results.csv)"), "{text}");
    assert!(text.contains("--force"), "{text}");
    assert_eq!(table(&site.0.path().join("out")).len(), 36);
    site.swept("--out out --force");
    let folder = site.0.path().join("out");
    assert_eq!(table(&folder).len(), 24);
    assert_eq!(fs::read_dir(folder.join("instances")).unwrap().count(), 24);
}

/// The nodes that a platform names count as the grid's own files do; services may change, and are not asked.
#[test]
fn other_nodes_begin_anew() {
    let site = Site::new(GRID);
    let write = |name: &str, text: &str| fs::write(site.0.path().join(name), text).unwrap();
    write("platform.toml", "[[machines]]\nnodes = \"nodes.csv\"\n");
    let results = |max_power_w: u32| {
        let node = |n: u32| format!("n{n},95,{max_power_w}\n");
        let nodes: String = (0..7).map(node).collect();
        write("nodes.csv", &format!("name,idle_power_w,max_power_w\n{nodes}"));
        site.swept("--out out --force");
        fs::read_to_string(site.0.path().join("out/results.csv")).unwrap()
    };
    let first = results(190);
    assert!(results(200) != first);
    assert!(results(190) == first);
    write("platform.toml", "[[machines]]\nnodes = \"http://127.0.0.1:9\"\n");
    let text = String::from_utf8(site.sweep("--out out").stderr).unwrap();
    assert!(text.contains("a sweep asks no service: keep its nodes in a file"), "{text}");
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    for (good, wrong, line, told) in [
        ("policy = \"fcfs\"", "policy = \"fifo\"", 18, "policy: \"fifo\" is not a policy: fcfs"),
        ("tie = \"pyss\"", "tie = [\"pys\"]", 19, "tie: \"pys\" is no value of it"),
        ("launch_s", "lunch_s", 21, "lunch_s is no option"),
        ("[0, 2.5]", "[0, -1]", 21, "launch_s: \"-1\" is not a time in seconds"),
        ("[0, 2.5]", "[]", 21, "launch_s: there must be at least one value"),
        (
            "model = \"simbatch\"",
            "model = \"simbach\"",
            6,
            "model: \"simbach\" is none of simbatch",
        ),
        ("file = \"trace.swf\"", "file = \"gone.swf\"", 3, "cannot read gone.swf"),
        ("file = \"trace.swf\"", "raw = true", 3, "a workload has either a file or a model"),
        ("machines = 7\n[[pol", "\n[[pol", 12, "a platform has a file or a number of machines"),
        (
            "machines = 3",
            "machines = 8",
            10,
            "platform.toml: 8 machines are asked for, and the platform has 7",
        ),
        ("tie = \"pyss\"", "tie = \"pyss\"\nallocation = \"set\"", 17, "pyss counts machines"),
    ] {
        assert!(GRID.contains(good), "{good}");
        let site = Site::new(&GRID.replace(good, wrong));
        let output = site.sweep("--out out");
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(&format!("grid.toml: line {line}: {told}")), "{told}: {text}");
        assert!(!site.0.path().join("out").exists(), "{told}");
    }
    let site = Site::new(&GRID.replace("seeds", "sedes"));
    let text = String::from_utf8(site.sweep("--out out").stderr).unwrap();
    assert!(text.contains("line 2") && text.contains("unknown field `sedes`"), "{text}");
}

/// The example of table 7.1: one EASY, 4 * 5 * 2 * 4 = 160 proportional and 4 * 5 * 2 * 2 * 3 * 2 = 480 inertial
/// instances. Its trace is the user's; here a small one stands for it.
#[test]
fn the_example_of_table_7_1_has_641_instances() {
    let site = Site::new("");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/examples/table-7-1");
    let grid = fs::read_to_string(example.join("sweep.toml")).unwrap();
    let grid = grid.replace("KTH-SP2-1996-2.1-cln.swf.gz", "trace.swf");
    fs::write(site.0.path().join("grid.toml"), grid).unwrap();
    fs::copy(example.join("taurus.toml"), site.0.path().join("taurus.toml")).unwrap();
    site.swept("--out out");
    let rows = table(&site.0.path().join("out"));
    let count = |policy: &str| rows.iter().filter(|row| row["policy"] == policy).count();
    let counts = ["easy", "proportional_shutdown", "inertial_shutdown"].map(count);
    assert_eq!((counts, rows.len()), ([1, 160, 480], 641));
    assert!(rows.iter().all(|row| row["machines"] == "100" && row["nb_jobs"] == "4"));
}

/// Three machines of 95 W idle from 0 to 15 s, of which some compute at 190 W: the cost is that of `batch run`
/// with the same tables.
#[test]
fn tables_of_the_supplier_hold_for_all_instances() {
    let supplier = "
[supplier]
price = \"price.csv\"
origin = \"2026-01-01T00:00:00Z\"
";
    let site = Site::new(&format!("{GRID}{supplier}"));
    let price = "start,end,price_per_mwh\n2026-01-01T00:00:00Z,2026-02-01T00:00:00Z,80\n";
    fs::write(site.0.path().join("price.csv"), price).unwrap();
    site.swept("--out out");
    let rows = table(&site.0.path().join("out"));
    let mut command = wattbook(&["batch", "run", "--workload", "trace.swf", "--policy", "easy"]);
    command.args(["--machines", "3", "--platform", "platform.toml", "--price", "price.csv"]);
    command.args(["--origin", "2026-01-01T00:00:00Z"]);
    let alone = command.current_dir(site.0.path()).output().unwrap();
    let alone: Value = serde_json::from_slice(&alone.stdout).unwrap();
    assert!(alone["energy_cost"].as_f64().unwrap() > 0.0);
    assert_eq!(rows[0]["energy_cost"], alone["energy_cost"].to_string());
    assert!(rows.iter().all(|row| (row["platform"] == "bare") == row["energy_cost"].is_empty()));
    let timeless = format!("{GRID}{}", supplier.replace("origin", "# origin"));
    fs::write(site.0.path().join("grid.toml"), timeless).unwrap();
    let text = String::from_utf8(site.sweep("--out other").stderr).unwrap();
    assert!(text.contains("grid.toml: line 23: origin: tables go by the clock"), "{text}");
}
