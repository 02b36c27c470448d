//! `wattbook batch run --system`: jobs of units on nodes with several resources.

use std::fs;

use serde_json::Value;

use crate::command_folder::CommandFolder;

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

fn site() -> CommandFolder {
    CommandFolder::of(&[("system.toml", SYSTEM), ("jobs.csv", JOBS)])
}

/// Job 2 starts at 10 s, job 4 at 2 s beside job 1, job 3 at 15 s. Job 1 draws 3 x 11 W for 10 s: 330 J, job 2 8 x 11 x 5 = 440 J, times
/// 0.5 for bob.
#[test]
fn jobs_of_units_are_played_on_a_system() {
    let site = site();
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
        serde_json::from_slice(&fs::read(site.path().join("out/summary.json")).unwrap()).unwrap();
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
    let site = site();
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
    let site = site();
    site.done("workload generate --model eurora --jobs 300 --seed 3 --out eurora.csv.gz --system-out eurora.toml");
    site.done(
        "batch run --system eurora.toml --workload eurora.csv.gz --order fairshare_energy_fairshare --backfill \
         easy_per_node --fit hybrid --estimate history --option damping=2 --out out",
    );
    let summary: Value =
        serde_json::from_slice(&fs::read(site.path().join("out/summary.json")).unwrap()).unwrap();
    assert_eq!((&summary["jobs_finished"], &summary["jobs_refused"]), (&300.into(), &0.into()));
    let factors = site.table("out/users.csv");
    assert!(
        factors
            .iter()
            .all(|row| (0.0..=1.0).contains(&row["final_factor"].parse::<f64>().unwrap()))
    );
    site.done("workload generate --model eurora_2014_05 --out may.csv");
    assert_eq!(site.table("may.csv").len(), 4931);
    let told = site.refused("workload generate --model eurora --out eurora.swf");
    assert!(told.contains("must end in .csv"), "{told}");
}

/// Of 190 - 90 W each of 4 processors draws 25 W. Job 7 has both nodes of the partition `fast`, which are n2 and n3, from 10:00 in
/// Paris, 9:00 in UTC; job 8 was submitted a second later, by an instant with an offset, and waits for them; job 9 never started.
#[test]
fn slurms_settings_and_accounting_are_read() {
    let site = site();
    site.write(
        "slurm.conf",
        "ClusterName=a\nInclude nodes.conf\nPartitionName=all Nodes=ALL\nPartitionName=fast Nodes=n[2-3] MaxTime=60\n",
    );
    site.write("nodes.conf", "NodeName=n[1-3] CPUs=4 RealMemory=8000\n");
    site.write("nodes.csv", "name,idle_power_w,max_power_w\nn1,90,190\nn2,90,190\nn3,90,190\n");
    site.write(
        "sacct.txt",
        "JobIDRaw|Submit|Start|ElapsedRaw|TimelimitRaw|User|Partition|State|AllocTRES\n\
         7|2026-03-01T10:00:00|2026-03-01T10:00:00|30|1|ada|fast|COMPLETED|cpu=8,mem=2G,node=2\n\
         7.batch|2026-03-01T10:00:00|2026-03-01T10:00:00|30||||COMPLETED|cpu=4,node=1\n\
         8|2026-03-01T09:00:01Z|2026-03-01T10:00:40|10|1|bob|fast|FAILED|cpu=4,node=1\n\
         9|2026-03-01T10:00:02|Unknown|0|1|bob|fast|CANCELLED|\n",
    );
    site.done("batch system --from slurm.conf --powers nodes.csv --out system.toml");
    let system = fs::read_to_string(site.path().join("system.toml")).unwrap();
    for told in [
        "# n[2-3]\n[[nodes]]\ncount = 2\ncpu = 4\nmemory_mb = 8000\nproperties = [\"partition.fast\"]\n",
        "constant_w = 90\ncpu = { idle_w = 0, full_w = 25 }\n",
        "[[queues]]\nname = \"fast\"\nmax_units = 2\nmax_time_s = 3600\n",
    ] {
        assert!(system.contains(told), "{told} {system}");
    }
    for system in ["system.toml", "slurm.conf"] {
        let output = site.run(&format!(
            "batch run --system {system} --workload sacct.txt --sacct-time-zone Europe/Paris --order fcfs --out out --force"
        ));
        let notes = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{notes}");
        assert!(notes.contains("1 rows dropped, the first on line 5: never started"), "{notes}");
        let jobs = site.table("out/jobs.csv");
        let of = |name: &str| jobs.iter().map(|row| row[name].clone()).collect::<Vec<_>>();
        assert_eq!(of("job_id"), ["7", "8"]);
        assert_eq!(of("starting_time"), ["0.000000", "30.000000"]);
        assert_eq!(of("allocated_resources"), ["n1:1 n2:1", "n1:1"]);
        let summary = fs::read(site.path().join("out/summary.json")).unwrap();
        let summary: Value = serde_json::from_slice(&summary).unwrap();
        let workload = &summary["workload"];
        assert_eq!((&workload["rows"], &workload["jobs"]), (&3.into(), &2.into()));
    }
    let told = site.refused(
        "batch run --system system.toml --workload sacct.txt --sacct-time-zone Mars --order fcfs",
    );
    assert!(told.contains("\"Mars\" is no time zone"), "{told}");
}
