//! Workloads: traces in SWF, Batsim's and AccaSim's documents, what sacct prints, tables; and what schedulers say.
#![no_main]

use std::io;

use batch::dispatch::jobs::{
    JobRows, JobsInOrder, JobsOfTable, RowsOfAccasim, RowsOfSacct, RowsOfSacctJson, RowsOfTrace,
    UnitJobError,
};
use batch::dispatch::system::System;
use batch::kernel::external::{Described, read_events};
use batch::message_log::read_messages;
use batch::platform::Platform;
use batch::reservation::reservations;
use batch::sites::read_tasks;
use batch::time::Time;
use batch::workload::{Workload, WorkloadReading, machines_said};
use wattbook_fuzz::FuzzedParser;

wattbook_fuzz::target!(vec![
    FuzzedParser::of_bytes("SWF", SWF, |bytes| played(bytes, false)),
    FuzzedParser::of_bytes("SWF as it stands", SWF, |bytes| played(bytes, true)),
    FuzzedParser::of_bytes("SWF, requests", SWF, |bytes| {
        str::from_utf8(bytes).is_ok_and(|text| simulator::traces::jobs(text).is_ok())
    }),
    FuzzedParser::of_bytes("SWF, units", SWF, |bytes| {
        in_order(RowsOfTrace::new(bytes, &units()))
    }),
    FuzzedParser::of_bytes("Batsim", BATSIM, |bytes| {
        Described::read(bytes).is_ok() & played(bytes, false)
    }),
    FuzzedParser::of_bytes("AccaSim", ACCASIM, |bytes| {
        in_order(RowsOfAccasim::new(bytes, &units()))
    }),
    FuzzedParser::of_bytes("sacct", SACCT, |bytes| {
        in_order(RowsOfSacct::new(bytes, &units(), Box::new(seconds)))
    }),
    FuzzedParser::of_bytes("sacct JSON", SACCT_JSON, |bytes| {
        in_order(RowsOfSacctJson::new(bytes, &units()))
    }),
    FuzzedParser::of_bytes("table", TABLE, |bytes| {
        JobsOfTable::new(bytes, &units())
            .is_ok_and(|mut jobs| jobs.all(|job| job.is_ok()))
    }),
    FuzzedParser::of_bytes("messages", b"time,ended,submitted\n0,,1 2\n10.5,1,b!3\n", |bytes| {
        read_messages(bytes).all(|message| message.is_ok())
    }),
    FuzzedParser::of_text("events", EVENTS, |text| read_events(text, 8).is_ok()),
    FuzzedParser::of_bytes("reservations", b"machines,start,end\n0-3 7,10,20\n0,20,30\n", |bytes| {
        let instant = |text: &str| Time::parse_seconds(text).ok_or_else(|| text.to_owned());
        reservations(bytes, 8, instant).is_ok()
    }),
    FuzzedParser::of_bytes(
        "tasks",
        b"name,submission_time,nodes,run_time,walltime,input_bytes,output_bytes,queue\na,0,3,600,1800,100,600,1\n",
        |bytes| read_tasks(bytes).is_ok(),
    ),
]);

/// The jobs of a trace or a document on eight machines; whether there are any.
fn played(bytes: &[u8], raw: bool) -> bool {
    let _ = machines_said(bytes);
    let reading = WorkloadReading { machines: 8, raw, whole: raw, duplicates: raw };
    let source = Box::new(io::Cursor::new(bytes.to_vec()));
    let platform = Platform::of_machines(8);
    let files = |name: &str| match name {
        "traces" => Ok("rank\n".to_owned()),
        "rank" => Ok("0 compute 1\n".to_owned()),
        name => Err(io::Error::other(name.to_owned())),
    };
    let Ok(mut workload) = Workload::open(source, reading, &platform, None, &files) else {
        return false;
    };
    let _ = workload.begin();
    let Ok(read) = workload.read_all() else { return false };
    assert!(raw || read.jobs.is_sorted_by_key(|job| job.submitted), "{:?}", read.jobs);
    true
}

/// All jobs of rows, which must come in the order of their submission.
fn in_order<S: JobRows>(rows: Result<S, UnitJobError>) -> bool {
    let Ok(rows) = rows else { return false };
    let jobs: Result<Vec<_>, _> = JobsInOrder::new(rows).collect();
    let Ok(jobs) = jobs else { return false };
    assert!(jobs.is_sorted_by_key(|job| job.submitted), "{jobs:?}");
    !jobs.is_empty()
}

fn units() -> System {
    System::parse(SYSTEM).expect("a system")
}

fn seconds(text: &str) -> Result<i64, String> {
    text.parse().map_err(|_| format!("{text:?} is not an instant"))
}

const SYSTEM: &str = r#"[[nodes]]
count = 4
cores = 16
memory_mb = 64000
gpu = 4
properties = ["ib"]
[shared]
matlab = 3
[[queues]]
name = "batch"
[[queues]]
name = "long"
"#;

const SWF: &[u8] = b"; Version: 2.2\n; UnixStartTime: 1767225600\n; MaxProcs: 64\n; MaxNodes: 8\n; TimeZoneString: Europe/Paris\n\
    1 0 10 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1\n\
    2 5.5 -1 60 1 50.5 1024 1 120 2048 0 2 1 -1 1 -1 1 10\n\
    3 7 0 30 2 -1 -1 2 -1 -1 5 3 1\n";

const BATSIM: &[u8] = br#"{"nb_res": 8, "extra": 1, "jobs": [
    {"id": "b", "subtime": 30, "res": 2, "profile": "total", "walltime": -1},
    {"id": "a", "subtime": 30, "res": 2, "profile": "twice", "walltime": 60.5},
    {"id": 7, "subtime": 10, "res": 1, "profile": "wait"},
    {"id": 9, "subtime": 0, "res": 1, "profile": "trace"}],
  "profiles": {
    "wait": {"type": "delay", "delay": 5, "utilisation": 0.25},
    "each": {"type": "parallel_homogeneous", "cpu": 100.0, "com": 0},
    "total": {"type": "parallel_homogeneous_total", "cpu": 300, "com": 1},
    "vector": {"type": "parallel", "cpu": [100, 50], "com": [0, 0, 0, 0]},
    "trace": {"type": "smpi", "trace": "traces"},
    "twice": {"type": "composed", "repeat": 2, "seq": ["wait", "each", "vector"]}}}"#;

const ACCASIM: &[u8] = br#"{"jobs": [
    {"job_id": 1, "queued_time": 100, "duration": 60, "expected_duration": 90, "requested_nodes": 2, "user": "ada",
     "requested_resources": {"core": 4, "mem": 1048576, "gpu": 1}},
    {"job_number": "b", "submit_time": 101.5, "duration": 0, "requested_nodes": 1, "requested_resources": {"core": 1}}]}"#;

const SACCT: &[u8] = b"JobID|JobIDRaw|Submit|Start|End|ElapsedRaw|TimelimitRaw|User|Partition|JobName|State|ReqTRES|AllocTRES|ConsumedEnergyRaw
7|7|1000|1100|1200|100|2|ada|batch|train|COMPLETED|cpu=1,mem=1G,node=1|billing=4,cpu=32,gres/gpu:a100=8,gres/gpu=8,license/matlab=2,mem=64G,node=2|12000
7.batch|7.batch|1000|1100|1200|100||||batch|COMPLETED||cpu=16,mem=32G,node=1|
8_3|9|900|950|1000|50|60|eve|long|say|CANCELLED by 100|cpu=2,mem=4000M,node=1||18446744073709551614
13+1|13+1|1004|1004|1024|20|UNLIMITED|eve|batch|a|OUT_OF_MEMORY|cpu=2,node=1|cpu=2,node=1|0
";

const SACCT_JSON: &[u8] = br#"{"meta": {}, "jobs": [
    {"job_id": 7, "name": "a", "association": {"account": "a", "user": "ada"}, "partition": "batch", "steps": [],
     "time": {"submission": 100, "start": 110, "end": 170, "elapsed": 60, "limit": 90}, "state": {"current": "COMPLETED"},
     "tres": {"allocated": [{"type": "cpu", "count": 32}, {"type": "node", "count": 2}, {"type": "mem", "count": 8192},
      {"type": "gres", "name": "gpu:a100", "count": 2}]}},
    {"job_id": 8, "user": "ada", "partition": "batch", "time": {"submission": 100, "start": 110, "elapsed": 60,
     "limit": {"set": true, "infinite": false, "number": 90}}, "state": {"current": ["COMPLETED"]},
     "tres": {"allocated": [{"type": "cpu", "count": 1}, {"type": "node", "count": 1}]}}], "errors": []}"#;

const TABLE: &[u8] = b"job_id,submission_time,run_time,requested_time,user,queue,name,units,cores,gpu,matlab,energy_j
1,100,5,60,ada,batch,run1,2,4,1,,1500
b,101.5,7,,eve,,,,1,,2,
";

const EVENTS: &str = r#"{"type":"machine_unavailable","resources":"0-1 4","timestamp":1.0}
{"type":"machine_available","resources":"0-1","timestamp":2.5}
{"type":"moon","resources":"","timestamp":3}
"#;
