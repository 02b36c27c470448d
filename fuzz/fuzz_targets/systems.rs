//! Systems of nodes, and what is beside them: TOML, AccaSim's and Slurm's descriptions, budgets, shares and sites.
#![no_main]

use batch::dispatch::system::{
    ListedSystem, System, SystemError, read_accasim, read_sinfo, read_sinfo_json, read_slurm_conf,
};
use batch::dispatch::{BudgetFile, SharesFile};
use batch::sites::SitesDocument;
use planner::time::Timestamp;
use wattbook_fuzz::FuzzedParser;

wattbook_fuzz::target!(vec![
    FuzzedParser::of_text("TOML system", SYSTEM, system),
    FuzzedParser::of_text(
        "Eurora",
        include_str!("../../planner/batch/src/dispatch/jobs/eurora.toml"),
        system,
    ),
    FuzzedParser::of_text("AccaSim system", ACCASIM, |text| listed(read_accasim(text))),
    FuzzedParser::of_text("sinfo", SINFO, |text| listed(read_sinfo(text))),
    FuzzedParser::of_text("sinfo JSON", SINFO_JSON, |text| listed(read_sinfo_json(text))),
    FuzzedParser::of_text("slurm.conf", SLURM_CONF, |text| {
        listed(read_slurm_conf(text, &mut |name| match name {
            "more.conf" => Ok("NodeName=big CPUs=128 RealMemory=1000000\n".to_owned()),
            "again.conf" => Ok("Include again.conf".to_owned()),
            name => Err(format!("there is no {name}")),
        }))
    }),
    FuzzedParser::of_text("budgets", BUDGETS, |text| {
        BudgetFile::parse(text, Timestamp::from_unix_seconds(1_767_225_600)).is_ok()
    }),
    FuzzedParser::of_text("shares", "account,share,parent\na,2,\nada,1,a\neve,0.5,a\n", |text| {
        SharesFile::parse(text).is_ok()
    }),
    FuzzedParser::of_text("sites", SITES, |text| {
        SitesDocument::parse(&text.replace("RULE", "random").replace("SEED", "1")).is_ok()
    }),
]);

/// What is written is read as the same.
fn system(text: &str) -> bool {
    let Ok(system) = System::parse(text) else { return false };
    let mut written = Vec::new();
    system.write(&mut written).expect("memory");
    let written = String::from_utf8(written).expect("text");
    let again = System::parse(&written);
    assert!(again.as_ref().is_ok_and(|again| *again == system), "{again:?} of {written}");
    let _ = (system.totals(), system.nodes(), system.uneven(), system.has_draws());
    true
}

/// What was listed is written. Limits and names that only Slurm knows need not be a system's.
fn listed(read: Result<ListedSystem, SystemError>) -> bool {
    let Ok(listed) = read else { return false };
    let system = listed.system();
    let _ = (system.totals(), listed.properties_left_out());
    let mut written = Vec::new();
    listed.write(&mut written).expect("memory");
    true
}

const SYSTEM: &str = r#"
[[nodes]]
count = 32
cores = 16
memory_gb = 16
gpu = 2
properties = ["ib", "rack1"]
[nodes.power]
constant_w = 20
cores = { idle_w = 2, full_w = 10.5 }
gpu = { full_w = 200 }

[[nodes]]
count = 6
cores = 16
memory_gb = 32

[shared]
licence = 10

[[queues]]
name = "debug"
expected_wait_s = 3600
max_units = 2
max_time_s = 1800
max = { cores = 32, gpu = 4 }
"#;

const ACCASIM: &str = r#"{"system_name": "part", "start_time": 0, "equivalence": {"processor": {"core": 8}}, "groups": {
    "gpu": {"core": 16, "mem": 16777216, "gpu": 2}, "mic": {"core": 16, "mem": 16777216, "mic": 2}},
    "resources": {"gpu": 2, "mic": 1}}"#;

const SINFO: &str = "NODELIST|CPUS|MEMORY|GRES|PARTITION|AVAIL_FEATURES|TIMELIMIT|JOB_SIZE
n1|16|32000|(null)|batch*|plain|7-00:00:00|1-infinite
n1|16|32000|(null)|short|plain|30:00|1
g[1-2]|16|32000|gpu:a100:2(S:0-1)|batch*|plain,fast|7-00:00:00|1-infinite
";

const SINFO_JSON: &str = r#"{"sinfo": [{"nodes": {"total": 1, "nodes": ["n1"]}, "cpus": {"minimum": 16, "maximum": 16, "total": 16},
    "memory": {"minimum": 32000, "maximum": 32000}, "gres": {"total": "gpu:2", "used": ""},
    "features": {"total": "ib", "active": "ib"},
    "partition": {"name": "batch", "maximums": {"nodes": {"set": false, "infinite": true, "number": 0},
    "time": {"set": true, "infinite": false, "number": 30}}}}]}"#;

const SLURM_CONF: &str = r#"ClusterName=made_up   # NodeName=none CPUs=1
GresTypes=gpu,mic
Licenses=matlab:4,fluent@db:30
NodeName=DEFAULT Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 RealMemory=64000 \
    State=UNKNOWN
NodeName=n[01-03] Feature=plain
nodename=g[1-2] CPUs=32 Gres=gpu:a100:2,mic:1 MemSpecLimit=4000 CoreSpecCount=1 Feature=fast,plain Reason="a new \
one"
Include more.conf
NodeSet=quick Feature=fast
NodeSet=both Nodes=n01,g1
PartitionName=DEFAULT MaxTime=7-00:00:00
PartitionName=batch Nodes=ALL Default=YES MaxNodes=4
PartitionName=mixed Nodes=both,n02 MaxTime=UNLIMITED MaxNodes=2
"#;

const BUDGETS: &str = r#"time_zone = "Europe/Paris"
[[budgets]]
user = "ada"
energy_kwh = 0.5
per = "day"
[[budgets]]
user = "/"
energy_kwh = 2
cost = 0.25
per = "week"
[[budgets]]
user = "*"
co2_kg = 3
from = "2026-01-01 00:00"
to = "2026-02-01 00:00"
"#;

const SITES: &str = include_str!("../../docs/examples/three-sites/experiment.toml");
