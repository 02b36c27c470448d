//! `wattbook batch run --system`: jobs of units on nodes with several resources.

use std::collections::HashMap;
use std::fs;
use std::process::Output;

use serde_json::Value;
use tempfile::TempDir;

use crate::site::wattbook;

/// Two nodes; a core draws 1 W idle and 11 W in use.
const SYSTEM: &str = r#"
[[nodes]]
count = 2
cores = 4
gpu = 1
[nodes.power]
constant_w = 10
cores = { idle_w = 1, full_w = 11 }

[[queues]]
name = "short"
max_time_s = 60
"#;

/// Job 1 has 3 cores of node 0 until 10 s; job 2 wants both GPUs and all cores, so it waits for node 0; job 3 would be there longer;
/// job 4 ends with job 1; job 5 asks for 5 cores of one node, and job 6 for longer than its queue allows.
const JOBS: &str = "\
job_id,submission_time,run_time,requested_time,user,queue,name,units,cores,gpu
1,100,10,10,ada,,run,1,3,0
2,101,5,5,bob,,run,2,4,1
3,102,9,9,ada,,run,1,1,0
4,102,8,8,eve,,run,1,1,0
5,103,8,8,eve,,run,1,5,0
6,103,8,80,eve,short,run,1,1,0
";

struct Site(TempDir);

impl Site {
    fn new() -> Self {
        let site = Self(TempDir::new().unwrap());
        site.write("system.toml", SYSTEM);
        site.write("jobs.csv", JOBS);
        site
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    fn run(&self, arguments: &str) -> Output {
        let words: Vec<&str> = arguments.split(' ').collect();
        wattbook(&words).current_dir(self.0.path()).output().unwrap()
    }

    fn done(&self, arguments: &str) {
        let output = self.run(arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    fn refused(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        String::from_utf8(output.stderr).unwrap()
    }

    fn table(&self, name: &str) -> Vec<HashMap<String, String>> {
        let mut reader = csv::Reader::from_path(self.0.path().join(name)).unwrap();
        reader.deserialize().map(Result::unwrap).collect()
    }
}

/// Job 2 starts at 10 s, job 4 at 2 s beside job 1, job 3 at 15 s. Job 1 draws 3 x 11 W for 10 s: 330 J, job 2 8 x 11 x 5 = 440 J, times
/// 0.5 for bob.
#[test]
fn jobs_of_units_are_played_on_a_system() {
    let site = Site::new();
    site.done(
        "batch run --system system.toml --workload jobs.csv --order fcfs --backfill easy --fit balanced --steps \
         --user-energy-factor bob=0.5 --out out",
    );
    let jobs = site.table("out/jobs.csv");
    let of = |id: &str| jobs.iter().find(|row| row["job_id"] == id).unwrap();
    let start = |id: &str| of(id)["starting_time"].clone();
    assert_eq!(["1", "2", "3", "4"].map(start), ["0.000000", "10.000000", "15.000000", "2.000000"]);
    assert_eq!(of("2")["allocated_resources"], "n0:1 n1:1");
    assert_eq!(
        (&*of("1")["consumed_energy"], &*of("2")["consumed_energy"]),
        ("330.000000", "220.000000")
    );
    assert_eq!((&*of("1")["estimate"], &*of("4")["user"]), ("10.000000", "eve"));
    assert_eq!(of("5")["metadata"], "no node ever holds a unit of it");
    assert_eq!(
        (&*of("6")["metadata"], &*of("6")["queue"]),
        ("above what its queue allows", "short")
    );
    let summary: Value =
        serde_json::from_slice(&fs::read(site.0.path().join("out/summary.json")).unwrap()).unwrap();
    assert_eq!((&summary["jobs_finished"], &summary["jobs_refused"]), (&4.into(), &2.into()));
    assert_eq!((&summary["fit"], &summary["makespan"]), (&"balanced".into(), &24.0.into()));
    let users = site.table("out/users.csv");
    let names: Vec<&str> = users.iter().map(|row| &*row["user"]).collect();
    // Eve's job ran for 8 s at once; her others were refused.
    assert_eq!((names, &*users[2]["mean_stretch"]), (vec!["ada", "bob", "eve"], "1.000000"));
    assert_eq!((&*users[1]["energy_j"], &*users[1]["node_seconds"]), ("220.000", "10.000000"));
    let steps = site.table("out/steps.csv");
    assert_eq!(
        (&*steps[0]["time"], &*steps[0]["cores"], &*steps[0]["waiting"]),
        ("0.000000", "3", "0")
    );
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let site = Site::new();
    site.write("wrong.toml", "[[nodes]]\ncount = 2\ncores = 1.5\n[extra]\n");
    site.write("wrong.csv", "job_id,submission_time,run_time,cores\n1,0,5,1\n2,1,x,1\n");
    let run = "batch run --system system.toml --workload jobs.csv";
    for (arguments, told) in [
        (
            "batch run --system wrong.toml --workload jobs.csv",
            "wrong.toml: line 3: cores must be a whole number",
        ),
        (
            "batch run --system wrong.toml --workload jobs.csv",
            "wrong.toml: line 4: the system has no extra",
        ),
        (
            "batch run --system system.toml --workload wrong.csv",
            "wrong.csv: line 3: run_time: \"x\" is no time",
        ),
        (&format!("{run} --fit contiguous"), "contiguous is for machines that are counted"),
        (&format!("{run} --order fairshare --option half_live_s=3"), "did you mean half_life_s?"),
        (
            &format!("{run} --fit balanced --option critical=mic"),
            "critical: nodes have no mic; they have cores, gpu",
        ),
        (&format!("{run} --policy easy"), "cannot be used with"),
        (
            "batch run --workload jobs.csv --order priority_rule --machines 2",
            "priority_rule is for systems",
        ),
        ("batch run --workload jobs.csv --order fcfs --machines 2 --steps", "--system"),
        (&format!("{run} --user-energy-factor ada=much"), "\"much\" is no number"),
    ] {
        let error = site.refused(arguments);
        assert!(error.contains(told), "{arguments}: {error}");
    }
}

/// Both files are made by one command, and no job of the workload is refused.
#[test]
fn euroras_workload_is_drawn_and_played() {
    let site = Site::new();
    site.done("workload generate --model eurora --jobs 300 --seed 3 --out eurora.csv.gz --system-out eurora.toml");
    site.done(
        "batch run --system eurora.toml --workload eurora.csv.gz --order fairshare_energy_fairshare --backfill \
         easy_per_node --fit hybrid --estimate history --option damping=2 --out out",
    );
    let summary: Value =
        serde_json::from_slice(&fs::read(site.0.path().join("out/summary.json")).unwrap()).unwrap();
    assert_eq!((&summary["jobs_finished"], &summary["jobs_refused"]), (&300.into(), &0.into()));
    let factors = site.table("out/users.csv");
    assert!(
        factors
            .iter()
            .all(|row| (0.0..=1.0).contains(&row["final_factor"].parse::<f64>().unwrap()))
    );
    let told = site.refused("workload generate --model eurora --out eurora.swf");
    assert!(told.contains("must end in .csv"), "{told}");
}
