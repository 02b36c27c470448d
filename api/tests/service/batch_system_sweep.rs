//! `wattbook batch sweep` on systems of several resources, and the live view.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::result_files::result_files;
use crate::site::wattbook;

/// 2 orders x 1 x 2 fits x 2 estimates without factors and with, on a drawn workload of 2 seeds and on a file: 3 x 16 instances.
const SWEEP: &str = r#"
seeds = [1, 2]
energy_factors = [{}, { user1 = 0.5 }]
[[workloads]]
model = "eurora"
jobs = 300
[[workloads]]
file = "jobs.csv"
[[systems]]
model = "eurora"
[[policies]]
order = ["energy_fairshare", "sjf"]
backfill = "easy"
fit = ["first_fit", "weighted"]
estimate = ["walltime", "real"]
[options]
half_life_s = 3600
"#;

const JOBS: &str = "\
job_id,submission_time,run_time,requested_time,user,queue,name,units,cores,memory_gb,gpu,mic
a,0,100,200,user1,parallel,one,2,16,4,0,0
b,0,10,20,user2,debug,two,64,1,1,0,0
c,5,0,20,user2,debug,three,1,1,1,1,0
";

struct Site(TempDir);

impl Site {
    fn new(sweep: &str) -> Self {
        let site = Self(TempDir::new().unwrap());
        for (name, text) in [("sweep.toml", sweep), ("jobs.csv", JOBS)] {
            fs::write(site.0.path().join(name), text).unwrap();
        }
        site
    }

    fn sweep(&self, arguments: &str) -> Output {
        let mut command = wattbook(&["batch", "sweep"]);
        command.current_dir(self.0.path()).args(arguments.split(' ')).output().unwrap()
    }

    fn swept(&self, arguments: &str) -> String {
        let output = self.sweep(arguments);
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{told}");
        assert_eq!(output.stdout, b"", "nothing for scripts to trip over");
        told
    }

    fn refused(&self, arguments: &str) -> String {
        let output = self.sweep(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        String::from_utf8(output.stderr).unwrap()
    }

    fn table(&self, name: &str) -> Vec<HashMap<String, String>> {
        let mut reader = csv::Reader::from_path(self.0.path().join(name)).unwrap();
        reader.deserialize().map(Result::unwrap).collect()
    }
}

#[test]
fn every_combination_is_a_row_as_batch_run_gives_it() {
    let site = Site::new(SWEEP);
    site.swept("sweep.toml --out out");
    let rows = site.table("out/results.csv");
    assert_eq!(rows.len(), 48);
    let last = &rows[47];
    for (name, value) in [
        ("instance", "48"),
        ("workload", "jobs"),
        ("system", "eurora"),
        ("nodes", "64"),
        ("seed", ""),
        ("order", "sjf"),
        ("backfill", "easy"),
        ("fit", "weighted"),
        ("estimate", "real"),
        ("half_life_s", ""),
        ("user_energy_factor", "user1=0.5"),
        ("baseline", "47"),
        ("jobs", "3"),
        // Without shares a factor changes nothing.
        ("user_stretch_ratio_mean", "1.0"),
    ] {
        assert_eq!(last[name], value, "{name}");
    }
    let first = &rows[0];
    assert_eq!((&*first["half_life_s"], &*first["seed"], &*first["baseline"]), ("3600", "1", "1"));
    assert_eq!(first["mean_slowdown"], first["slowdown_mean"]);
    assert_eq!(first["load_ratio_cores_used"], first["loads_cores_mean"]);
    // An instance is what batch run gives.
    let mut command =
        wattbook(&["batch", "run", "--system", "eurora.toml", "--workload", "eurora.csv"]);
    let drawn = "workload generate --model eurora --jobs 300 --seed 2 --out eurora.csv --system-out eurora.toml";
    let words: Vec<&str> = drawn.split(' ').collect();
    assert!(wattbook(&words).current_dir(site.0.path()).status().unwrap().success());
    command.args([
        "--order",
        "sjf",
        "--backfill",
        "easy",
        "--fit",
        "weighted",
        "--estimate",
        "real",
    ]);
    let alone = command.current_dir(site.0.path()).output().unwrap();
    let alone: Value = serde_json::from_slice(&alone.stdout).unwrap();
    let same = rows.iter().find(|row| {
        row["seed"] == "2"
            && row["order"] == "sjf"
            && row["fit"] == "weighted"
            && row["estimate"] == "real"
    });
    let same = same.unwrap();
    for key in ["makespan", "mean_waiting_time", "mean_slowdown", "consumed_joules"] {
        assert_eq!(same[key], alone[key].to_string(), "{key}");
    }
    let users = site.table("out/users.csv");
    let of = |instance: &str| users.iter().filter(|row| row["instance"] == instance).count();
    // user2's job of 64 units is more than the queue allows, and the other one runs for no time.
    assert_eq!(of("48"), 1);
    assert_eq!(site.table("out/timing.csv").len(), 48);
    let page = fs::read_to_string(site.0.path().join("out/report.html")).unwrap();
    assert!(page.contains("eurora on eurora, seed 2") && page.contains("jobs on eurora"));
    assert!(!page.contains("http"), "nothing is loaded from elsewhere");
}

#[test]
fn neither_threads_nor_an_interruption_change_a_byte() {
    let site = Site::new(SWEEP);
    site.swept("sweep.toml --threads 1 --out one");
    site.swept("sweep.toml --threads 4 --out four");
    let one = result_files(&site.0.path().join("one"));
    assert!(one == result_files(&site.0.path().join("four")), "threads change results");
    // Killed in the middle: the journal has some instances, and half a line.
    let mut command = wattbook(&["batch", "sweep", "sweep.toml", "--threads", "1", "--out", "cut"]);
    command.current_dir(site.0.path()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let journal = site.0.path().join("cut/unfinished.jsonl");
    let since = Instant::now();
    while fs::read_to_string(&journal).map_or(0, |text| text.lines().count()) < 5
        && child.try_wait().unwrap().is_none()
    {
        assert!(since.elapsed() < Duration::from_mins(1), "nothing is finished");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    if journal.exists() {
        let mut text = fs::read_to_string(&journal).unwrap();
        text.push_str("{\"instance\":");
        fs::write(&journal, text).unwrap();
        site.swept("sweep.toml --out cut");
    }
    assert!(
        one == result_files(&site.0.path().join("cut")),
        "what is left of a killed sweep differs"
    );
    for part in ["2/2", "1/2"] {
        site.swept(&format!("sweep.toml --part {part} --out parts"));
    }
    site.swept("sweep.toml --out parts");
    assert!(one == result_files(&site.0.path().join("parts")), "parts change results");
}

#[test]
fn arguments_say_the_same_as_a_file() {
    let file = SWEEP
        .replace("energy_factors = [{}, { user1 = 0.5 }]", "")
        .replace("[[workloads]]\nfile = \"jobs.csv\"", "");
    let site = Site::new(&file);
    site.swept("sweep.toml --out file");
    site.swept(
        "--system eurora --workload eurora --jobs 300 --seed 1,2 --order energy_fairshare,sjf --backfill easy \
         --fit first_fit,weighted --estimate walltime,real --option half_life_s=3600 --out arguments",
    );
    let path = |name: &str| site.0.path().join(name);
    assert!(result_files(&path("file")) == result_files(&path("arguments")));
    site.swept("--system eurora --workload jobs.csv --fit all --out fits");
    assert!(site.table("fits/results.csv").len() >= 8, "every fit that there is");
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let wrong = |from: &str, to: &str| {
        let site = Site::new(&SWEEP.replace(from, to));
        site.refused("sweep.toml --out out")
    };
    let told = wrong("half_life_s = 3600", "half_lif_s = 3600");
    assert!(told.contains("sweep.toml: line 17: half_lif_s: no part"), "{told}");
    let told = wrong("half_life_s = 3600", "half_life_s = \"x\"");
    assert!(told.contains("sweep.toml: line 11: half_life_s"), "{told}");
    let told = wrong("\"sjf\"", "\"sfj\"");
    assert!(told.contains("line 12: order: \"sfj\" is no order of --system: fcfs"), "{told}");
    let told = wrong("file = \"jobs.csv\"", "file = \"none.csv\"");
    assert!(told.contains("line 7: cannot read") && told.contains("none.csv"), "{told}");
    let told = wrong("model = \"eurora\"\n[[policies]]", "model = \"frontier\"\n[[policies]]");
    assert!(told.contains("line 9: model: \"frontier\" is not eurora"), "{told}");
    let site = Site::new(SWEEP);
    let told = site.refused("--system eurora --workload eurora --order fcf --out out");
    assert!(told.contains("fcfs"), "{told}");
    let told = site.refused("sweep.toml --watch-on 0.0.0.0:0 --out out");
    assert!(told.contains("--watch-openly"), "{told}");
}

/// What an address answers to a GET: the head and the body.
fn got(address: &str, path: &str, host: &str) -> std::io::Result<(String, String)> {
    let mut stream = TcpStream::connect(address)?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    Ok((head.to_owned(), body.to_owned()))
}

/// A year of Eurora's jobs is long enough to be seen.
#[test]
fn a_run_is_seen_at_an_address_of_this_computer_until_it_ends() {
    let site = Site::new(SWEEP);
    let arguments = "batch sweep --system eurora --workload eurora --threads 1 --watch --watch-on 127.0.0.1:0 --out out";
    let words: Vec<&str> = arguments.split(' ').collect();
    let mut command = wattbook(&words);
    command.current_dir(site.0.path()).stderr(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    told.read_line(&mut line).unwrap();
    let address =
        line.trim_end().strip_prefix("watch it at http://").unwrap().trim_end_matches('/');
    let since = Instant::now();
    let state = loop {
        assert!(since.elapsed() < Duration::from_mins(1), "no job is done");
        let (head, body) = got(address, "/state.json", address).unwrap();
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        let state: Value = serde_json::from_str(&body).unwrap();
        if state["runs"][0]["jobs_done"].as_u64().is_some_and(|done| done > 100) {
            break state;
        }
    };
    assert_eq!((&state["instances"], &state["instances_done"]), (&1.into(), &0.into()));
    let run = &state["runs"][0];
    assert_eq!(run["jobs"], 372_320);
    assert_eq!(run["resources"][0]["name"], "cores");
    assert_eq!(run["resources"][0]["total"], 1024);
    let (head, page) = got(address, "/", address).unwrap();
    let head = head.to_lowercase();
    assert!(
        head.contains("content-security-policy: default-src 'none'; script-src 'self'"),
        "{head}"
    );
    assert!(page.contains("page.js") && !page.contains("http"), "{page}");
    // Another name for this address, as another site's page could use it.
    let (head, _) = got(address, "/state.json", "evil.example").unwrap();
    assert!(head.starts_with("HTTP/1.1 403"), "{head}");
    let address = address.to_owned();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(got(&address, "/", &address).is_err(), "it ends with the run");
}

#[test]
fn standard_output_stays_what_it_is_while_it_is_watched() {
    let site = Site::new(SWEEP);
    let run = |watch: &[&str]| {
        let mut command = wattbook(&["batch", "run", "--system", "eurora.toml"]);
        command.args(["--workload", "jobs.csv"]).args(watch).current_dir(site.0.path());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let mut summary: Value = serde_json::from_slice(&output.stdout).unwrap();
        summary.as_object_mut().unwrap().remove("simulation_time");
        summary
    };
    let drawn =
        "workload generate --model eurora --jobs 1 --out eurora.csv --system-out eurora.toml";
    let words: Vec<&str> = drawn.split(' ').collect();
    assert!(wattbook(&words).current_dir(site.0.path()).status().unwrap().success());
    assert_eq!(run(&[]), run(&["--watch", "--watch-on", "127.0.0.1:0"]));
    let machines = "batch run --workload jobs.csv --policy fcfs --machines 4 --watch";
    let words: Vec<&str> = machines.split(' ').collect();
    let output = wattbook(&words).current_dir(site.0.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}
