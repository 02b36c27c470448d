//! How long a plan takes, over books that the planner filled itself.
//!
//! `cargo bench -p planner` measures the grid; `cargo bench -p planner -- --quick` in less time.
//! Each case first prints what its window holds and quantiles over many different requests, since
//! a mean hides the requests that meet the most bookings.
#![expect(clippy::unwrap_used, reason = "a benchmark may stop")]

mod scenario;

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use planner::problem::SearchMode;
use planner::search::plan;
use planner::time::Seconds;

use scenario::Scenario;

const SLOTS: SearchMode = SearchMode::Slots { slot: Seconds::new(900) };

/// Requests over which quantiles are taken.
const REQUESTS: u32 = 500;

fn by_nodes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("10000_bookings_over_30_days");
    for nodes in [1_000, 10_000, 100_000, 1_000_000] {
        let scenario = Scenario::new(nodes, 10_000, 30);
        for (mode, search) in [("slots", SLOTS), ("exact", SearchMode::Exact)] {
            print_quantiles(&scenario, mode, search);
            let request = scenario.request(7);
            group.bench_function(BenchmarkId::new(mode, nodes), |bencher| {
                bencher.iter(|| plan(&scenario.view(search), black_box(&request), &|| false));
            });
        }
    }
    group.finish();
}

fn by_bookings(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("1000000_nodes_over_30_days");
    for bookings in [100, 1_000, 10_000] {
        let scenario = Scenario::new(1_000_000, bookings, 30);
        for (mode, search) in [("slots", SLOTS), ("exact", SearchMode::Exact)] {
            print_quantiles(&scenario, mode, search);
            let request = scenario.request(7);
            group.bench_function(BenchmarkId::new(mode, bookings), |bencher| {
                bencher.iter(|| plan(&scenario.view(search), black_box(&request), &|| false));
            });
        }
    }
    group.finish();
}

fn print_quantiles(scenario: &Scenario, mode: &str, search: SearchMode) {
    let view = scenario.view(search);
    let mut times: Vec<Duration> = Vec::new();
    let mut ranges = Vec::new();
    for number in 0..REQUESTS {
        let request = scenario.request(number);
        ranges.push(scenario.booked_ranges(&request));
        let started = Instant::now();
        black_box(plan(&view, &request, &|| false).unwrap());
        times.push(started.elapsed());
    }
    times.sort_unstable();
    ranges.sort_unstable();
    let micros = |index: usize| times[index].as_secs_f64() * 1e6;
    let (half, last_percent) = (times.len() / 2, times.len() * 99 / 100);
    println!(
        "{mode}: {} nodes, {} bookings, {:.1} ranges each, {:.0} % occupied; in the window {} \
         ranges (p50) {} (p99); plan p50 {:.0} us, p99 {:.0} us",
        scenario.nodes(),
        scenario.bookings(),
        scenario.ranges_per_booking(),
        scenario.occupancy() * 100.0,
        ranges[half],
        ranges[last_percent],
        micros(half),
        micros(last_percent),
    );
}

criterion_group! {
    name = plans;
    config = Criterion::default().sample_size(20).measurement_time(Duration::from_secs(3));
    targets = by_nodes, by_bookings
}
criterion_main!(plans);
