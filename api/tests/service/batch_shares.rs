//! `wattbook batch shares`, and drawn jobs that are dealt to users.

use std::collections::HashMap;
use std::fs;

use crate::command_folder::CommandFolder;

const JOBS: &str = "\
job_id,submission_time,run_time,requested_time,user,cores
x,0,10,10,ada,2
y,0,10,10,bob,2
p,0,10,10,,1
q,0,10,10,huge,3
b,1,10,10,bob,2
a,2,10,10,ada,2
";

fn site() -> CommandFolder {
    CommandFolder::of(&[("jobs.csv", JOBS)])
}

/// As worked out in `planner/batch/src/dispatch/share_study.rs`: ada's stretches of 1 and 3.8 are 1 and 4.8 if she draws twice as
/// much, 5.8 / 4.8 = 1.208333; bob, who goes last as it is, loses nothing. p is nobody's, and q never runs.
#[test]
fn whoever_draws_more_waits() {
    let site = site();
    let study =
        "batch shares --workload jobs.csv --machines 2 --factor 2,1 --order energy_fairshare,fcfs";
    let table = site.done(&format!("{study} --threads 1"));
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!(rows.len(), 13);
    assert_eq!(rows[0], "order,energy_factor,measure,users,min,mean,median,std_dev,max");
    let changed = "1.000000,1.104167,1.104167,0.104167,1.208333";
    assert_eq!(rows[1], format!("energy_fairshare,2,quotient_of_means,2,{changed}"));
    let same = "1.000000,1.000000,1.000000,0.000000,1.000000";
    assert_eq!(rows[4], format!("energy_fairshare,1,quotient_of_means,2,{same}"));
    assert_eq!(rows[9], format!("fcfs,2,geometric_mean,2,{same}"));
    assert_eq!(site.done(&format!("{study} --threads 3")), table);

    site.done(&format!("{study} --users 1 --out out"));
    let users = site.table("out/users.csv");
    let row =
        |row: &HashMap<String, String>| [row["user"].clone(), row["quotient_of_means"].clone()];
    assert_eq!(row(&users[0]), ["ada", "1.208333"]);
    assert_eq!((users.len(), users[0]["jobs"].as_str()), (4, "2"));
    assert_eq!(site.table("out/shares.csv").len(), 12);
}

#[test]
fn what_cannot_be_played_is_told() {
    let site = site();
    fs::write(site.path().join("nobodys.csv"), "job_id,submission_time,run_time,cores\n1,0,5,1\n")
        .unwrap();
    let study = "batch shares --machines 2 --workload";
    for (arguments, told) in [
        ("jobs.csv --factor=-1", "the factor must be a number from 0 on"),
        ("jobs.csv --option half_lif_s=3", "half_lif_s is no option of"),
        ("jobs.csv --system system.toml", "cannot be used with"),
        ("nobodys.csv", "nobodys.csv: no job that a user is known of ran"),
    ] {
        let error = site.refused(&format!("{study} {arguments}"));
        assert!(error.contains(told), "{arguments}: {error}");
    }
}

/// One log has 230 jobs, each of which is some user's; at a thousand times the rate the last comes a thousand times as early.
#[test]
fn drawn_jobs_are_dealt_to_users() {
    let site = site();
    let draw = "workload generate --model light_esp --machines 1000 --users 1,1,1";
    site.done(&format!("{draw} --out esp.csv --system-out esp.toml"));
    site.done(&format!("{draw} --rate 1000 --out burst.csv"));
    let last = |name: &str| site.table(name)[229]["submission_time"].parse::<f64>().unwrap();
    assert!((last("esp.csv") / last("burst.csv") - 1000.0).abs() < 0.1);
    let run = "batch run --system esp.toml --workload esp.csv --order energy_fairshare --backfill easy --out out";
    site.done(&format!("{run} --user-energy-factor user1=0.7"));
    let users = site.table("out/users.csv");
    let names: Vec<&str> = users.iter().map(|row| row["user"].as_str()).collect();
    assert_eq!(names, ["user1", "user2", "user3"]);
    let jobs = users.iter().map(|row| row["jobs"].parse::<u32>().unwrap());
    assert_eq!(jobs.sum::<u32>(), 230);
    for (arguments, told) in [
        ("--out esp.swf", "jobs of units are a table"),
        ("--rate 0 --out esp.csv", "the rate must be from 0.001 to 1000"),
    ] {
        let error = site.refused(&format!("{draw} {arguments}"));
        assert!(error.contains(told), "{arguments}: {error}");
    }
    let error = site.refused("workload generate --model eurora --users 1,1 --out eurora.csv");
    assert!(error.contains("eurora's jobs have users of their own"), "{error}");
}
