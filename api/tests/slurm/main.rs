//! The real binary beside a real Slurm, on both databases. `.ci/slurm` starts two Slurms and runs all of this
//! against each; a plain `cargo test` leaves it out.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

#[expect(dead_code, reason = "more than is needed here")]
#[path = "../service/client.rs"]
mod client;
#[expect(dead_code, reason = "more than is needed here")]
#[path = "../service/cluster.rs"]
mod cluster;
#[expect(dead_code, reason = "more than is needed here")]
#[path = "../service/event_stream.rs"]
mod event_stream;
#[path = "../service/left_out.rs"]
mod left_out;
#[path = "../service/result_files.rs"]
mod result_files;
#[expect(dead_code, reason = "more than is needed here")]
#[path = "../service/server.rs"]
mod server;
#[expect(dead_code, unused_imports, unused_macros, reason = "more than is needed here")]
#[path = "../service/site.rs"]
mod site;

mod bridge;
mod nodes;
mod on_slurm;
mod peer;
mod proxy;

mod accounting;
mod accounts;
mod batch_jobs;
mod down_nodes;
mod drift;
mod faults;
mod give_back;
mod jobs_inside;
mod listed;
mod living;
mod observed;
mod occupied;
mod outside;
mod predictions;
mod replaced;
mod settled;
mod sleeping;
mod sweeps;
mod waking;
mod whole;
