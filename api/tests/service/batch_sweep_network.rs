//! `wattbook batch sweep` of jobs that communicate.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::site::wattbook;

/// Two machines of 10 operations a second on links of 20 bytes/s in each direction.
const PLATFORM: &str = "\
[[machines]]
count = 2
speed_flops = 10
[network]
bandwidth_bytes_per_s = 20
";

const WORKLOAD: &str = r#"{"nb_res": 2,
    "jobs": [{"id": "a", "subtime": 0, "res": 2, "profile": "talk", "walltime": 100}],
    "profiles": {"talk": {"type": "parallel_homogeneous", "cpu": 20, "com": 100}}}"#;

const SWEEP: &str = "\
[[workloads]]
file = \"w.json\"
[[platforms]]
file = \"net.toml\"
[[platforms]]
file = \"bare.toml\"
[[policies]]
policy = \"fcfs\"
[options]
network = [true, false]
";

/// Computing 20 operations takes 2 s, and meanwhile 100 bytes each way take 5 s over the network.
#[test]
fn communication_takes_time_where_there_is_a_network_and_it_is_wanted() {
    let folder = TempDir::new().unwrap();
    let bare = PLATFORM.split("[network]").next().unwrap();
    let files =
        [("net.toml", PLATFORM), ("bare.toml", bare), ("w.json", WORKLOAD), ("sweep.toml", SWEEP)];
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let mut command = wattbook(&["batch", "sweep", "sweep.toml", "--out", "out", "--threads", "2"]);
    let output = command.current_dir(folder.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let table = fs::read_to_string(folder.path().join("out/results.csv")).unwrap();
    let mut rows = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = rows.next().unwrap();
    let place = |name: &str| header.iter().position(|column| *column == name).unwrap();
    let (makespan, communicating) = (place("makespan"), place("jobs_communicating"));
    let told: Vec<(f64, &str)> =
        rows.map(|row| (row[makespan].parse().unwrap(), row[communicating])).collect();
    assert_eq!(told, [(5.0, "0"), (2.0, "1"), (2.0, "1"), (2.0, "1")]);
    let mut command = wattbook(&["batch", "run", "--workload", "w.json", "--platform", "net.toml"]);
    let output = command.args(["--policy", "fcfs"]).current_dir(folder.path()).output().unwrap();
    let alone: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(alone["makespan"], 5.0);
}
