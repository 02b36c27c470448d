//! `wattbook batch run --format`.

use std::fs;

use tempfile::TempDir;

use crate::site::wattbook;

const PLATFORM: &str = "\
[[machines]]
count = 24
idle_power_w = 95.0
computing_power_w = 190.0
[machines.sleep]
off_power_w = 10.0
switching_off_power_w = 100.0
switching_on_power_w = 125.0
switching_off_s = 6.0
switching_on_s = 150.0
";

fn run(folder: &TempDir, more: &str) -> std::process::Output {
    fs::write(folder.path().join("platform.toml"), PLATFORM).unwrap();
    let mut command = wattbook(&["workload", "generate", "--jobs", "60", "--out", "drawn.swf"]);
    assert!(command.current_dir(folder.path()).status().unwrap().success());
    let mut command = wattbook(&["batch", "run", "--workload", "drawn.swf"]);
    command.args(["--platform", "platform.toml", "--policy", "opportunistic_shutdown"]);
    command.args(more.split(' ')).current_dir(folder.path()).output().unwrap()
}

fn files(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path().join("out")).unwrap();
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
    let mut names: Vec<String> =
        entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn formats_are_written_as_asked() {
    let folder = TempDir::new().unwrap();
    let output = run(&folder, "--out out --format paje,html");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(files(&folder), ["report.html", "schedule.trace", "summary.json"]);
    let read = |name: &str| fs::read_to_string(folder.path().join("out").join(name)).unwrap();
    let trace = read("schedule.trace");
    assert_eq!(trace.lines().filter(|line| line.contains(" s \"job ")).count(), 60);
    assert!(trace.lines().any(|line| line.starts_with("5 ") && line.ends_with(" o")));
    let times: Vec<f64> = trace
        .lines()
        .filter(|line| ["4 ", "5 ", "6 "].iter().any(|kind| line.starts_with(kind)))
        .map(|line| line.split(' ').nth(1).unwrap().parse().unwrap())
        .collect();
    assert!(times.is_sorted());
    let page = read("report.html");
    for shown in ["opportunistic_shutdown on drawn.swf", "Power of all machines", "Jobs waiting"] {
        assert!(page.contains(shown), "{shown}");
    }
    let output = run(&folder, "--out out --force --format csv");
    assert!(output.status.success());
    assert!(files(&folder).contains(&"jobs.csv".to_owned()));
}

#[test]
fn formats_need_a_place() {
    let output = run(&TempDir::new().unwrap(), "--format paje");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--format needs --out"));
}
