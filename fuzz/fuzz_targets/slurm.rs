//! What slurmrestd answers, in the versions that were recorded.
#![no_main]

use wattbook_fuzz::FuzzedParser;

/// A recorded answer.
macro_rules! recorded {
    ($file:literal) => {
        include_bytes!(concat!("../../api/slurm/tests/fixtures/", $file))
    };
}

wattbook_fuzz::target!(vec![
    FuzzedParser::of_bytes("nodes", recorded!("22.05/nodes.json"), slurm::fuzzing::nodes),
    FuzzedParser::of_bytes("nodes 26.05", recorded!("26.05/nodes.json"), slurm::fuzzing::nodes),
    FuzzedParser::of_bytes(
        "reservations",
        recorded!("22.05/reservations.json"),
        slurm::fuzzing::reservations,
    ),
    FuzzedParser::of_bytes(
        "reservations 26.05",
        recorded!("26.05/reservations.json"),
        slurm::fuzzing::reservations,
    ),
    FuzzedParser::of_bytes("jobs", JOBS, slurm::fuzzing::jobs),
    FuzzedParser::of_bytes("jobs 22.05", recorded!("22.05/jobs.json"), slurm::fuzzing::jobs),
    FuzzedParser::of_bytes("ended jobs", ENDED_JOBS, slurm::fuzzing::ended_jobs),
    FuzzedParser::of_bytes(
        "ended jobs 22.05",
        recorded!("22.05/slurmdb-jobs.json"),
        slurm::fuzzing::ended_jobs,
    ),
    FuzzedParser::of_bytes("diagnosis", recorded!("26.05/diag.json"), slurm::fuzzing::diagnosis),
    FuzzedParser::of_bytes(
        "description",
        recorded!("26.05/openapi.json"),
        slurm::fuzzing::description,
    ),
    FuzzedParser::of_bytes("refusal", recorded!("26.05/denied.json"), slurm::fuzzing::refusal),
]);

/// What is read of a job alone: recorded answers are long.
const JOBS: &[u8] = br#"{"last_update": {"set": true, "infinite": false, "number": 1795644264}, "jobs": [
    {"job_id": 7, "array_job_id": {"set": true, "number": 7}, "array_task_id": {"set": true, "number": 3},
     "submit_time": 1795644000, "user_name": "ada", "user_id": 1000, "account": "a", "partition": "batch",
     "name": "x", "job_state": ["RUNNING"], "start_time": 1795644100, "end_time": 1795647700,
     "time_limit": {"set": true, "infinite": false, "number": 60}, "nodes": "n[1-3,07],g1",
     "node_count": 4, "priority": 4294901758, "state_reason": "None", "resv_name": "wattbook-1",
     "tres_alloc_str": "cpu=32,mem=64G,energy=1200,node=2"},
    {"job_id": 8, "submit_time": 1795644000, "job_state": "PENDING", "array_task_string": "1-5,9,10-20:2%4",
     "node_count": 2, "state_reason": "Priority", "nodes": null}]}"#;

/// What is read of a job of slurmdbd alone.
const ENDED_JOBS: &[u8] = br#"{"jobs": [
    {"job_id": 7, "array": {"job_id": 7, "task_id": {"set": true, "number": 3}},
     "time": {"submission": 1795644000, "eligible": 1795644000, "start": 1795644100, "end": 1795647700,
      "limit": {"set": true, "infinite": false, "number": 60}},
     "state": {"current": ["COMPLETED"]}, "user": "ada", "account": "a", "partition": "batch", "name": "x",
     "nodes": "n[1-3]", "reservation": {"id": 4, "name": "wattbook-1", "requested": ""},
     "tres": {"allocated": [{"type": "energy", "count": 0}, {"type": "node", "count": 3}]},
     "steps": [{"statistics": {"energy": {"consumed": 1200}}},
      {"statistics": {"energy": {"consumed": {"set": true, "number": 300}}}}]}]}"#;
