//! How many instructions a plan takes: the same number on every run, however busy the machine.
//!
//! Needs Valgrind and `cargo install gungraun-runner@0.20.0`; then
//! `cargo bench -p planner --bench instructions`.
#![expect(clippy::unwrap_used, missing_docs, reason = "a benchmark may stop; macros make items")]

#[path = "plan/fill.rs"]
mod fill;
#[expect(dead_code, reason = "the other benchmark asks more of it")]
#[path = "plan/scenario.rs"]
mod scenario;

use std::hint::black_box;

use gungraun::{library_benchmark, library_benchmark_group, main};
use planner::decision::Decision;
use planner::problem::SearchMode;
use planner::request::Request;
use planner::search::plan;
use planner::time::Seconds;

use scenario::Scenario;

const SLOTS: SearchMode = SearchMode::Slots { slot: Seconds::new(900) };

/// A book of 30 days filled in the order of starts, and a request of 12 h within a day.
fn scenario(nodes: u32, bookings: u32) -> (Scenario, Request) {
    let scenario = Scenario::filled_in_order(nodes, bookings, 30).unwrap();
    let request = scenario.request(7);
    (scenario, request)
}

#[library_benchmark]
#[bench::nodes_1k_bookings_10k(args = (1_000, 10_000), setup = scenario)]
#[bench::nodes_100k_bookings_1k(args = (100_000, 1_000), setup = scenario)]
#[bench::nodes_100k_bookings_10k(args = (100_000, 10_000), setup = scenario)]
fn slots((scenario, request): (Scenario, Request)) -> (Decision, Scenario) {
    let decision = plan(&scenario.view(SLOTS), black_box(&request), &|| false).unwrap();
    // The scenario is given back, so that dropping it does not count.
    (decision, scenario)
}

#[library_benchmark]
#[bench::nodes_1k_bookings_10k(args = (1_000, 10_000), setup = scenario)]
#[bench::nodes_100k_bookings_10k(args = (100_000, 10_000), setup = scenario)]
fn exact((scenario, request): (Scenario, Request)) -> (Decision, Scenario) {
    let search = SearchMode::Exact;
    let decision = plan(&scenario.view(search), black_box(&request), &|| false).unwrap();
    (decision, scenario)
}

library_benchmark_group!(name = plans, benchmarks = [slots, exact]);
main!(library_benchmark_groups = plans);
