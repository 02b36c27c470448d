//! `wattbook batch run` on workload files.

use std::fs;
use std::io::Write;
use std::process::Output;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::site::wattbook;

/// On 3 machines: job 1 takes 1 of them from 0 to 6 s and might until 10 s; job 2 all 3; job 3 fits beside job
/// 1, but not before job 2 unless it ends by 10 s: 3 + 8 = 11 s; job 4 does, 4 + 6 = 10 s. The origin is
/// 100 s; job 9 has no run time.
const TRACE: &str = "\
; MaxProcs: 3
1 100 -1 6 1 -1 -1 1 10 -1 1
2 101 -1 5 3 -1 -1 3 9 -1 1
9 102 -1 0 3 -1 -1 3 9 -1 1
3 103 -1 8 1 -1 -1 1 8 -1 1
4 104 -1 6 1 -1 -1 1 6 -1 1
";

/// 95 W idle, 190 W computing.
const PLATFORM: &str = "\
[[machines]]
count = 3
idle_power_w = 95.0
computing_power_w = 190.0
";

struct Site {
    folder: TempDir,
}

impl Site {
    fn new() -> Self {
        let site = Self { folder: TempDir::new().unwrap() };
        site.write("trace.swf", TRACE);
        site.write("platform.toml", PLATFORM);
        site
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).unwrap()
    }

    fn run(&self, arguments: &str) -> Output {
        let mut command = wattbook(&["batch", "run"]);
        command.current_dir(self.folder.path());
        command.args(arguments.split(' ')).output().unwrap()
    }

    fn summary(&self, arguments: &str) -> Value {
        let output = self.run(arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// The standard error of a command that fails with bad input.
    fn refused(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        String::from_utf8(output.stderr).unwrap()
    }
}

/// Job id, start, end and machines of each row.
fn rows(table: &str) -> Vec<[String; 4]> {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let columns = ["job_id", "starting_time", "finish_time", "allocated_resources"];
    let headers = reader.headers().unwrap().clone();
    let place = |name| headers.iter().position(|header| header == name).unwrap();
    let of = |record: csv::StringRecord| columns.map(|name| record[place(name)].to_owned());
    reader.records().map(|record| of(record.unwrap())).collect()
}

#[test]
fn jobs_and_summary_are_written() {
    let site = Site::new();
    let output = site.run("--workload trace.swf --machines 3 --policy easy --out results/easy");
    assert!(output.status.success() && output.stdout.is_empty());
    let expected = [
        ["1", "0.000000", "6.000000", "0"],
        ["4", "4.000000", "10.000000", "1"],
        ["2", "10.000000", "15.000000", "0-2"],
        ["3", "15.000000", "23.000000", "0"],
    ];
    assert_eq!(
        rows(&site.read("results/easy/jobs.csv")),
        expected.map(|row| row.map(str::to_owned))
    );
    let summary: Value = serde_json::from_str(&site.read("results/easy/summary.json")).unwrap();
    assert_eq!(summary["makespan"], 23.0);
    // Waits: 0, 9, 12 and 0 s.
    assert_eq!(summary["mean_waiting_time"], 5.25);
    assert_eq!(summary["time_computing"], f64::from(6 + 6 + 3 * 5 + 8));
    assert_eq!((&summary["nb_jobs"], &summary["consumed_joules"]), (&json!(4), &Value::Null));
    assert_eq!(summary["workload"]["dropped_no_run_time"], 1);
    let left: Vec<_> = fs::read_dir(site.folder.path().join("results/easy")).unwrap().collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

/// 3 machines idle for 23 s, and 35 machine-seconds of 95 W more: 285 * 23 + 95 * 35 = 9880 J. Job 2 takes 3 * 190 * 5
/// = 2850 J.
#[test]
fn a_platform_gives_energies() {
    let site = Site::new();
    let arguments = "--workload trace.swf --platform platform.toml --policy easy";
    assert_eq!(site.summary(arguments)["consumed_joules"], 9880.0);
    let output = site.run(&format!("{arguments} --out out"));
    assert!(output.status.success());
    assert!(site.read("out/jobs.csv").contains(",0-2,2850.000000,"));
    let consumed = site.read("out/consumed_energy.csv");
    let rows: Vec<&str> = consumed.lines().collect();
    assert_eq!(rows.len(), 1 + 8);
    assert_eq!(rows[1], "0.000000,0.000000,s,285.000000,NA");
    // One machine computes for 4 s: (285 + 95) * 4 = 1520 J.
    assert_eq!(rows[2], "4.000000,1520.000000,s,285.000000,380.000000");
    assert!(rows[8].starts_with("23.000000,9880.000000,e,"));
    let states = site.read("out/machine_states.csv");
    assert_eq!(states.lines().nth(2), Some("4.000000,0,0,0,1,2"));
    assert_eq!(site.read("out/pstate_changes.csv"), "time,machine_id,new_pstate\n0,0-2,0\n");
    // Jobs take 2 s longer each: job 4 would end at 12 s, after the walltime, where it is killed: at 10 s.
    let launched = site.summary(&format!("{arguments} --option launch_s=2"));
    assert_eq!((&launched["nb_jobs_killed"], &launched["makespan"]), (&json!(2), &json!(25.0)));
    let idle = format!("{arguments} --option delay_power=idle");
    assert_eq!(site.summary(&idle)["consumed_joules"], f64::from(285 * 23));
}

/// Ten operations a second on machine 0, five on machine 1: the job of both takes as long as the slower one.
#[test]
fn json_workloads_compute_as_fast_as_their_machines() {
    let site = Site::new();
    let speeds =
        "[[machines]]\ncount = 1\nspeed_flops = 10.0\n[[machines]]\ncount = 1\nspeed_flops = 5.0\n";
    site.write("speeds.toml", speeds);
    let workload = json!({
        "nb_res": 2,
        "jobs": [
            {"id": "both", "subtime": 0, "res": 2, "profile": "p", "walltime": 100},
            {"id": "one", "subtime": 1, "res": 1, "profile": "p", "walltime": 100},
            {"id": "late", "subtime": 1, "res": 1, "profile": "wait", "walltime": 3}
        ],
        "profiles": {
            "p": {"type": "parallel_homogeneous", "cpu": 40.0, "com": 0},
            "wait": {"type": "delay", "delay": 3}
        }
    });
    site.write("workload.json", &workload.to_string());
    let output =
        site.run("--workload workload.json --platform speeds.toml --policy fcfs --out out");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let jobs = site.read("out/jobs.csv");
    let expected = [
        ["both", "0.000000", "8.000000", "0-1"],
        ["late", "8.000000", "11.000000", "0"],
        ["one", "8.000000", "16.000000", "1"],
    ];
    assert_eq!(rows(&jobs), expected.map(|row| row.map(str::to_owned)));
    assert!(jobs.contains("late,w0,wait,1.000000,1,3.000000,0,COMPLETED_WALLTIME_REACHED,"));
}

/// The trace as JSON and back, compressed: played the same. Of its five jobs one has no run time; its 35
/// machine-seconds are submitted within 4 s on 3 machines: a load of 35 / 12.
#[test]
fn workloads_are_described_converted_and_cut() {
    let site = Site::new();
    let workload = |arguments: &str| {
        let mut command = wattbook(&["workload"]);
        command.current_dir(site.folder.path());
        let output = command.args(arguments.split(' ')).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    let info: Value = serde_json::from_slice(&workload("info trace.swf --machines 3")).unwrap();
    assert_eq!((&info["jobs"], &info["header"]["MaxProcs"]), (&json!(4), &json!("3")));
    assert_eq!(info["workload"]["dropped_no_run_time"], 1);
    assert_eq!((&info["machine_seconds"], &info["nodes"]["max"]), (&json!(35.0), &json!(3.0)));
    assert_eq!(info["load"], 35.0 / 12.0);
    workload("convert trace.swf --out trace.json");
    workload("convert trace.json --out back.swf.gz");
    workload("convert trace.swf --speed-flops 1e8 --out computing.json");
    let played = |name: &str, more: &str| {
        let run =
            format!("--workload {name} --machines 3 --policy easy --out played --force{more}");
        assert!(site.run(&run).status.success());
        rows(&site.read("played/jobs.csv"))
    };
    let expected = played("trace.swf", "");
    assert_eq!(played("trace.json", ""), expected);
    assert_eq!(played("back.swf.gz", ""), expected);
    site.write("fast.toml", "[[machines]]\ncount = 3\nspeed_flops = 1e8\n");
    assert_eq!(played("computing.json", " --platform fast.toml"), expected);
    workload("generate --jobs 50 --seed 3 --out drawn.json.gz");
    let info: Value = serde_json::from_slice(&workload("info drawn.json.gz")).unwrap();
    assert_eq!((&info["jobs"], &info["workload"]["jobs_read"]), (&json!(50), &json!(50)));
    workload("cut trace.swf --from-s 101 --to-s 104 --out piece.swf");
    let lines: Vec<&str> = TRACE.lines().collect();
    let piece =
        [lines[0], lines[2], lines[3], lines[4]].map(|line| line.to_owned() + "\n").concat();
    assert_eq!(site.read("piece.swf"), piece);
    workload("cut trace.swf --jobs 1 --out first.swf");
    assert_eq!(site.read("first.swf").lines().count(), 2);
}

#[test]
fn compressed_and_disordered_traces_are_taken() {
    let site = Site::new();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(TRACE.as_bytes()).unwrap();
    fs::write(site.folder.path().join("trace.swf.gz"), gzip.finish().unwrap()).unwrap();
    let mut summary = site.summary("--workload trace.swf.gz --machines 3 --policy easy");
    summary["simulation_time"] = Value::Null;
    let mut plain = site.summary("--workload trace.swf --machines 3 --policy easy");
    plain["simulation_time"] = Value::Null;
    assert_eq!(summary, plain);
    let lines: Vec<String> = (0..6000).map(|number| format!("{number} 50 -1 1 1\n")).collect();
    let mut trace = lines.concat();
    trace.push_str("6000 7 -1 1 1\n");
    site.write("late.swf", &trace);
    let summary = site.summary("--workload late.swf --machines 1 --policy fcfs");
    // The first submission is at 7 s; the others begin 43 s later, one after another.
    assert_eq!(summary["makespan"], 6043.0);
}

/// Two switches of two machines. Jobs 1 to 3 take 0, 1 and 2; job 2 ends at 5 s, and job 4 takes two: 1 and 3 are free then, 0
/// and 1 from 10 s on. Job 5 takes three.
#[test]
fn platforms_say_which_machines_share_a_switch() {
    let site = Site::new();
    let trace = "1 0 -1 10 1\n2 0 -1 5 1\n3 0 -1 20 1\n4 1 -1 9 2\n5 2 -1 1 3\n";
    site.write("places.swf", trace);
    let classes = |says: &[&str]| -> String {
        let class = |says: &&str| format!("[[machines]]\n{says}\n");
        says.iter().map(class).collect()
    };
    site.write("sizes.toml", &classes(&["count = 4\ngroup_size = 2"]));
    let (a, b) = ("count = 2\ngroup = \"a\"", "count = 2\ngroup = \"b\"");
    site.write("names.toml", &classes(&[a, b]));
    let played = |policy: &str, more: &str| {
        let run = format!("--workload places.swf --policy {policy} --out played --force {more}");
        let output = site.run(&run);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let rows = rows(&site.read("played/jobs.csv"));
        rows.into_iter().filter(|row| ["4", "5"].contains(&row[0].as_str())).collect::<Vec<_>>()
    };
    let local = [["5", "-1", "-1", ""], ["4", "10.000000", "19.000000", "0-1"]];
    let local = local.map(|row| row.map(str::to_owned));
    for told in
        ["--platform sizes.toml", "--platform names.toml", "--machines 4 --option group_size=2"]
    {
        assert_eq!(played("conservative_local", told), local, "{told}");
        let best = played("conservative_best_effort_local", told);
        assert_eq!(best[0], ["4", "5.000000", "14.000000", "1 3"].map(str::to_owned));
    }
    let told = "--workload places.swf --policy conservative_local";
    let error = site.refused(&format!("{told} --machines 4"));
    assert!(error.contains("needs to know which machines share a switch"), "{error}");
    site.write("both.toml", &classes(&["count = 4\ngroup = \"a\"\ngroup_size = 2"]));
    let error = site.refused(&format!("{told} --platform both.toml"));
    assert_eq!(error, "error: both.toml: machines have either a group or a group_size from 1 on\n");
    site.write("some.toml", &classes(&[a, "count = 2"]));
    let error = site.refused(&format!("{told} --platform some.toml"));
    assert_eq!(error, "error: some.toml: some machines have a group and others have none\n");
}

/// 3 machines idle for 10 s are 2850 J. Job 1 used its processor for 5 s of its 10: half of the 95 W more, 475 J; job 2
/// does not say: 950 J. At a fifth where jobs do not say, 190 J.
#[test]
fn jobs_draw_as_hard_as_they_drive_their_machines() {
    let site = Site::new();
    site.write("used.swf", "1 0 -1 10 1 5 -1 1 20\n2 0 -1 10 1 -1 -1 1 20\n");
    let joules = |more: &str| {
        let told = "--workload used.swf --platform platform.toml --policy easy";
        site.summary(&format!("{told}{more}"))["consumed_joules"].as_f64().unwrap()
    };
    let idle = 2850.0;
    for (more, joules_more) in [
        ("", 950.0 + 950.0),
        (" --option utilisation=0.2", 190.0 + 190.0),
        (" --option job_utilisation=true", 475.0 + 950.0),
        (" --option job_utilisation=true --option utilisation=0.2", 475.0 + 190.0),
        (" --option delay_power=idle", 0.0),
    ] {
        assert!((joules(more) - idle - joules_more).abs() < 1e-9, "{more}");
    }
    let mut command = wattbook(&["workload", "convert", "used.swf", "--out", "used.json"]);
    assert!(command.current_dir(site.folder.path()).status().unwrap().success());
    let told = "--workload used.json --platform platform.toml --policy easy --out out";
    assert!(site.run(told).status.success());
    // Profiles say it; delays that do not draw idle power.
    let jobs = site.read("out/jobs.csv");
    assert!(jobs.contains("1,w0,10 at 0.5,") && jobs.contains(",0,1425.000000,"), "{jobs}");
    assert!(jobs.contains("2,w0,10,") && jobs.contains(",1,950.000000,"), "{jobs}");
    let error =
        site.refused("--workload used.swf --machines 3 --policy easy --option utilisation=2");
    assert!(error.contains("utilisation: \"2\" is not a number from 0 to 1"), "{error}");
}

#[test]
fn bad_input_is_named_and_leaves_nothing() {
    let site = Site::new();
    site.write("bad.swf", "1 0 -1 5 1\n2 0 -1 x 1\n");
    let error = site.refused("--workload bad.swf --machines 3 --policy easy --out out");
    assert_eq!(error, "error: bad.swf: line 2, field 4: \"x\" is not a number\n");
    assert!(!site.folder.path().join("out").exists());
    let error = site.refused("--workload none.swf --machines 3 --policy easy");
    assert!(error.starts_with("error: cannot read none.swf"), "{error}");
    let workload = "--workload trace.swf";
    let error = site.refused(&format!("{workload} --machines 3 --policy best"));
    assert!(error.contains("fcfs, round_robin, sjf, ljf, easy, conservative"), "{error}");
    let option = |said| format!("{workload} --machines 3 --policy easy --option {said}");
    let error = site.refused(&option("tau=1"));
    assert!(error.contains("tau is no option"), "{error}");
    let error = site.refused(&option("tau_s=x"));
    assert!(error.contains("\"x\" is not a time"), "{error}");
    let few = format!("{workload} --machines 4 --platform platform.toml --policy easy");
    assert!(site.refused(&few).contains("4 machines are asked for, and the platform has 3"));
}
