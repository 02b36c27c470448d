//! `wattbook batch run` and `wattbook workload`: what inputs say by themselves, and what is wrong with them.

use std::fs;
use std::process::Output;

use serde_json::Value;
use tempfile::TempDir;

use crate::site::wattbook;

/// Four jobs of up to three of four processors, from noon of 30 April 2000 and 100 s on.
const TRACE: &str = "\
; UnixStartTime: 957096000
; MaxNodes: 2
; MaxProcs: 4
1 100 -1 6 1 -1 -1 1 10
2 101 -1 5 3 -1 -1 3 9
3 103 -1 8 1 -1 -1 1 8
4 104 -1 6 1 -1 -1 1 6
";

const PLATFORM: &str = "\
[[machines]]
count = 4
idle_power_w = 95.0
computing_power_w = 190.0
";

struct Site(TempDir);

impl Site {
    fn new() -> Self {
        let site = Self(TempDir::new().unwrap());
        site.write("trace.swf", TRACE);
        site.write("platform.toml", PLATFORM);
        site
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).unwrap()
    }

    fn run(&self, arguments: &str) -> Output {
        let mut command = wattbook(&[]);
        command.current_dir(self.0.path()).args(arguments.split(' ')).output().unwrap()
    }

    /// The summary of a simulation that goes well, and what is noted.
    fn played(&self, arguments: &str) -> (Value, String) {
        let output = self.run(&format!("batch run {arguments}"));
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{told}");
        (serde_json::from_slice(&output.stdout).unwrap_or_default(), told)
    }

    /// The errors of bad input.
    fn refused(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {output:?}");
        String::from_utf8(output.stderr).unwrap()
    }
}

#[test]
fn workloads_say_how_many_machines_there_are() {
    let site = Site::new();
    let (summary, told) = site.played("--workload trace.swf --policy easy");
    assert_eq!(summary["nb_computing_machines"], 4);
    assert_eq!(told, "note: 4 machines, as the workload says (MaxProcs)\n");
    let (summary, told) = site.played("--workload trace.swf --policy easy --machines 3");
    assert_eq!((summary["nb_computing_machines"].clone(), told.as_str()), (3.into(), ""));
    site.write("nodes.swf", &TRACE.replace("; MaxProcs: 4\n", ""));
    let (summary, told) = site.played("--workload nodes.swf --policy easy");
    assert_eq!(summary["workload"]["dropped_too_large"], 1);
    assert!(told.contains("2 machines, as the workload says (MaxNodes)"), "{told}");
    assert!(site.run("workload convert trace.swf --machines 4 --out trace.json").status.success());
    let (summary, told) = site.played("--workload trace.json --policy easy");
    assert!(told.contains("4 machines, as the workload says (nb_res)"), "{told}");
    assert_eq!(summary["nb_jobs"], 4);
    site.write("silent.swf", "1 0 -1 5 1\n");
    let error = site.refused("batch run --workload silent.swf --policy easy");
    assert!(
        error.contains("silent.swf: does not say how many machines")
            && error.contains("--machines"),
        "{error}"
    );
}

/// Idle machines draw 380 W: under 600 W two may compute, and job 2 takes three.
#[test]
fn jobs_that_no_cap_lets_start_are_refused_and_counted() {
    let site = Site::new();
    let told =
        "--workload trace.swf --platform platform.toml --policy power_cap --option cap_w=600";
    let (summary, note) = site.played(told);
    assert_eq!(
        (&summary["nb_jobs_rejected"], &summary["nb_jobs_rejected_by_cap"]),
        (&1.into(), &1.into())
    );
    assert_eq!(note, "note: 1 jobs were refused: they could never start under the cap\n");
    site.played(&format!("{told} --out out"));
    let jobs = site.read("out/jobs.csv");
    let row = "2,w0,5,1.000000,3,9.000000,0,REJECTED,-1,-1,-1,-1,-1,-1,,-1,\"above the cap whenever it started even if \
               nothing else ran\"";
    assert!(jobs.contains(row), "{jobs}");
}

#[test]
fn jobs_that_share_an_id_are_an_error_unless_they_may() {
    let site = Site::new();
    site.write("twice.swf", &format!("{TRACE}2 105 -1 6 1\n"));
    let told = "batch run --workload twice.swf --policy easy";
    let error = site.refused(told);
    let expected = "error: twice.swf: line 8: there is a job 2 on line 5 already (--keep-duplicates plays both)\n";
    assert!(error.ends_with(expected), "{error}");
    assert!(site.refused("workload info twice.swf").ends_with(expected));
    let (summary, _) = site.played("--workload twice.swf --policy easy --keep-duplicates");
    assert_eq!(summary["nb_jobs"], 5);
    let error = site.refused(&format!("{told} --keep-duplicates --policy external").replacen(
        " --policy easy",
        "",
        1,
    ));
    assert!(error.contains("tell jobs by their ids"), "{error}");
}

#[test]
fn empty_workloads_are_errors() {
    let site = Site::new();
    site.write("empty.swf", "; MaxProcs: 4\n");
    site.write("none.swf", "; MaxProcs: 4\n1 0 -1 5 9\n2 0 -1 0 1\n3 0 -1 5 -1\n");
    site.write("empty.json", "{\"nb_res\": 4, \"jobs\": [], \"profiles\": {}}");
    for command in ["batch run --policy easy --workload", "workload info"] {
        for file in ["empty.swf", "empty.json"] {
            let error = site.refused(&format!("{command} {file}"));
            assert!(error.ends_with(&format!("error: {file}: there is no job in it\n")), "{error}");
        }
    }
    let error = site.refused("batch run --policy easy --workload none.swf");
    let expected = "error: none.swf: none of its 3 jobs can be played: 1 have no run time, 1 ask for no processor, 1 ask \
                    for more processors than there are machines\n";
    assert!(error.ends_with(expected), "{error}");
    let error = site.refused("workload cut trace.swf --from-s 0 --to-s 50 --out cut.swf");
    assert!(
        error.contains("no job was submitted then: its jobs were from 100 s to 104 s"),
        "{error}"
    );
    assert!(site.refused("workload cut empty.swf --out cut.swf").contains("there is no job in it"));
    assert!(!site.0.path().join("cut.swf").exists());
    site.refused("workload generate --jobs 0 --out none.swf");
    site.write(
        "grid.toml",
        "[[workloads]]\nfile = \"empty.swf\"\n[[policies]]\npolicy = \"easy\"\n",
    );
    let error = site.refused("batch sweep grid.toml --out out");
    assert!(error.contains("line 1: ") && error.contains("there is no job in it"), "{error}");
    let zero =
        "[[workloads]]\nfile = \"trace.swf\"\nmachines = 0\n[[policies]]\npolicy = \"easy\"\n";
    site.write("grid.toml", zero);
    assert!(
        site.refused("batch sweep grid.toml --out out")
            .contains("line 1: machines and jobs: there must be")
    );
}

#[test]
fn grids_take_machines_from_workloads() {
    let site = Site::new();
    site.write(
        "grid.toml",
        "[[workloads]]\nfile = \"trace.swf\"\n[[policies]]\npolicy = \"easy\"\n",
    );
    let output = site.run("batch sweep grid.toml --out out");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(site.read("out/results.csv").contains("\n1,trace,,4,,easy,"));
}

#[test]
fn options_that_are_none_are_answered_with_those_that_are() {
    let site = Site::new();
    let refused = |more: &str| {
        site.refused(&format!("batch run --workload trace.swf --platform platform.toml {more}"))
    };
    let error = refused("--policy easy --option launch=5");
    assert!(error.contains("launch is no option of easy: did you mean launch_s? It has only those of every policy: tau_s"));
    let error = refused("--policy power_cap --option cap_W=5");
    assert!(error.contains("did you mean cap_w? Its own are cap_w, from_s, until_s,"), "{error}");
    let error = refused("--policy power_cap --option cap_w=500 --option idle_s=5");
    assert!(error.contains("idle_s of power_cap needs shutdown=true"), "{error}");
    assert!(refused("--policy eazy").contains("(did you mean easy?)"));
    let help = String::from_utf8(site.run("batch run --help").stdout).unwrap();
    for line in ["Options of power_cap:", "cap_w ", "Options of inertial_shutdown:", "growth "] {
        assert!(help.contains(line), "{line}: {help}");
    }
}

/// Times by the clock are told by the trace's header: its first job was submitted at 100 s of noon.
#[test]
fn reports_are_of_the_part_that_is_asked_for() {
    let site = Site::new();
    let told = "--workload trace.swf --policy easy --out out --format html";
    site.played(told);
    let page = site.read("out/report.html");
    assert!(page.contains("It lasts from 2000-04-30T12:01:40Z to 2000-04-30T12:01:54Z."), "{page}");
    assert_eq!(page.matches("<title>job ").count(), 4);
    // Job 1 ends at 6 s, and job 4 from 4 s on at 10 s; the others come later.
    site.played(&format!("{told} --force --report-from 2000-04-30T12:01:46Z --report-to 7"));
    let page = site.read("out/report.html");
    let shown: Vec<&str> = page.split("<title>job ").skip(1).map(|rest| &rest[..1]).collect();
    assert!(!shown.is_empty() && !shown.contains(&"1"), "{shown:?}");
    let error = site.refused("batch run --workload trace.swf --policy easy --report-from 5");
    assert!(error.contains("--format html"), "{error}");
    let error = site.refused(&format!("batch run {told} --force --report-from 5 --report-to 5"));
    assert!(error.contains("--report-to must be after --report-from"), "{error}");
    site.write("undated.swf", &TRACE.replace("UnixStartTime", "Began"));
    let error = site.refused(
        &format!("batch run {told} --force --report-from 2000-05-01").replace("trace", "undated"),
    );
    assert!(
        error.contains(
            "--report-from: nobody knows when the simulation begins by the clock: --origin"
        ),
        "{error}"
    );
}

/// The kind of platform that the Batsim thesis has: 4 machines in a cluster, and a master that is none.
#[test]
fn clusters_of_simgrid_are_platforms() {
    let site = Site::new();
    let cluster = |id: &str, radical: &str, role: &str| {
        format!(
            "<cluster id=\"{id}\" prefix=\"{id}\" suffix=\"\" radical=\"{radical}\" bw=\"1GBps\" lat=\"1us\" \
             speed=\"100.0Mf, 50Mf\"><prop id=\"wattage_per_state\" value=\"95.0:190.0, 95.0:150.0\"/>{role}</cluster>"
        )
    };
    let master = cluster("master", "0-0", "<prop id=\"role\" value=\"master\"/>");
    let platform = format!(
        "<?xml version='1.0'?><platform version=\"4.1\"><zone id=\"AS0\" routing=\"Full\">{}{master}</zone></platform>",
        cluster("host", "0-2,7", "")
    );
    site.write("cluster.xml", &platform);
    let joules = |platform: &str| {
        let (summary, _) =
            site.played(&format!("--workload trace.swf --platform {platform} --policy easy"));
        assert_eq!(summary["nb_computing_machines"], 4);
        summary["consumed_joules"].as_f64().unwrap()
    };
    assert!((joules("cluster.xml") - joules("platform.toml")).abs() < 1e-9);
}
