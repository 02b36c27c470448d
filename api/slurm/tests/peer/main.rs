//! The client beside a real Slurm. `WATTBOOK_TEST_SLURM` names a JSON file about it (`.ci/slurm-peer`
//! describes one): `rest`, `socket`, `key_file`, `slurm_conf`, `bin` with its commands, `control`, `version`,
//! whether there is a `slurmdbd`, the folder of `pm_counters` where its nodes measure energy, and 16 nodes n1 to n16 with
//! users alice, bob and carol. Tests take turns: each has all nodes.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod energy;
#[expect(dead_code, reason = "more than is needed here")]
#[path = "../../../tests/service/left_out.rs"]
mod left_out;
mod peer;
mod reading;
mod traps;
mod writing;
