//! How long a plan takes.
//!
//! `cargo bench -p planner --bench plan` measures 12 h requests with a 24 h window over books of
//! 30 days, and the passes over the nodes that new applications cost. `WATTBOOK_BENCH=sizes` prints
//! quantiles for all combinations of nodes, bookings and horizons instead, `WATTBOOK_BENCH=jobs` those
//! with many outages of one node beside the bookings, as running jobs are, and
//! `WATTBOOK_BENCH=brute_force` what the paper's algorithm takes beside the search. Each case
//! prints what its window holds and quantiles over many different requests, since a mean hides the
//! requests that meet the most bookings.
#![expect(clippy::unwrap_used, reason = "a benchmark may stop")]

mod brute_force;
mod fill;
mod scenario;

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion};
use planner::hits::hit_by_outages;
use planner::problem::SearchMode;
use planner::request::Request;
use planner::search::plan;
use planner::time::{Seconds, Timestamp};

use scenario::Scenario;

const MODES: [(&str, SearchMode); 2] =
    [("slots", SearchMode::Slots { slot: Seconds::new(900) }), ("exact", SearchMode::Exact)];

fn main() {
    match std::env::var("WATTBOOK_BENCH").as_deref() {
        Ok("sizes") => sizes(),
        Ok("jobs") => among_jobs(),
        Ok("brute_force") => beside_brute_force(),
        _ => {
            let mut criterion = Criterion::default()
                .sample_size(20)
                .measurement_time(Duration::from_secs(3))
                .configure_from_args();
            plans(&mut criterion);
            passes(&mut criterion);
            hits(&mut criterion);
            criterion.final_summary();
        }
    }
}

/// The growth with nodes, then with bookings.
fn plans(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("plan");
    let by_nodes = [1_000, 10_000, 100_000, 1_000_000].map(|nodes| (nodes, 10_000));
    let by_bookings = [100, 1_000, 100_000].map(|bookings| (1_000_000, bookings));
    for (nodes, bookings) in by_nodes.into_iter().chain(by_bookings) {
        let scenario = Scenario::new(nodes, bookings, 30);
        for (mode, search) in MODES {
            print_quantiles(&scenario, mode, search, (0..500).map(|it| scenario.request(it)));
            let request = scenario.request(7);
            let id = BenchmarkId::new(mode, format!("{nodes} nodes, {bookings} bookings"));
            group.bench_function(id, |bencher| {
                bencher.iter(|| plan(&scenario.view(search), black_box(&request), &|| false));
            });
        }
    }
    group.finish();
}

/// What an application costs that was never seen: ordering the nodes for it, then planning over a
/// book in another order.
fn passes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("new application, 1000000 nodes, 10000 bookings");
    let scenario = Scenario::new(1_000_000, 10_000, 30);
    group.bench_function("order", |bencher| bencher.iter(|| scenario.selection_for(0.35)));
    let selection = scenario.selection_for(0.35);
    for (mode, search) in MODES {
        let request = scenario.request_of(7, 64);
        let view = scenario.view_of(search, &selection);
        group.bench_function(BenchmarkId::new("plan", mode), |bencher| {
            bencher.iter(|| plan(&view, black_box(&request), &|| false));
        });
    }
    group.finish();
}

/// Every combination of the sizes that matter.
fn sizes() {
    for days in [1, 30, 365] {
        for nodes in [1_000, 10_000, 100_000, 1_000_000] {
            for bookings in [100, 1_000, 10_000, 100_000] {
                let Some(scenario) = Scenario::within_reason(nodes, bookings, days) else {
                    println!("{days} days, {nodes} nodes, {bookings} bookings: no room");
                    continue;
                };
                for (mode, search) in MODES {
                    let requests = (0..200).map(|it| scenario.request(it));
                    print_quantiles(&scenario, mode, search, requests);
                }
            }
        }
    }
}

/// Requests that begin within a day, with and without jobs that end within it: by whole minutes, as the
/// service has them, or to the second.
fn among_jobs() {
    for nodes in [1_000, 10_000] {
        let scenario = Scenario::new(nodes, 10_000, 30);
        for (jobs, step) in [(0, 60), (10_000, 60), (10_000, 1)] {
            let scenario = scenario.among_jobs(jobs, Seconds::new(step));
            println!("{jobs} jobs that run and end within a day, in steps of {step} s:");
            for (mode, search) in MODES {
                let requests = (0..200).map(|it| scenario.request_within_a_day(it));
                print_quantiles(&scenario, mode, search, requests);
            }
        }
    }
}

/// Which of ten thousand bookings lose nodes to ten thousand jobs.
fn hits(criterion: &mut Criterion) {
    let scenario = Scenario::new(10_000, 10_000, 30).among_jobs(10_000, Seconds::ONE);
    criterion.bench_function("hits, 10000 bookings, 10000 outages", |bencher| {
        bencher.iter(|| hit_by_outages(black_box(scenario.book()), Timestamp::MIN));
    });
}

/// The search beside the paper's algorithm, which goes through every node at every start.
fn beside_brute_force() {
    for nodes in [1_000, 10_000, 100_000, 1_000_000] {
        let scenario = Scenario::new(nodes, 10_000, 30);
        let (_, slots) = MODES[0];
        let (mut by_search, mut by_force) = (Duration::ZERO, Duration::ZERO);
        for number in 0..3 {
            let request = scenario.request(number);
            let view = scenario.view(slots);
            let started = Instant::now();
            let decision = plan(&view, &request, &|| false).unwrap();
            by_search += started.elapsed();
            let started = Instant::now();
            let best = brute_force::best_by_cost(&scenario, &request);
            by_force += started.elapsed();
            let cheapest = decision.offers().iter().map(|it| it.values.cost.as_exact()).min();
            assert_eq!(cheapest, best, "both find the cheapest start");
        }
        println!(
            "{nodes} nodes, {} bookings: brute force {:.1} ms, search {:.3} ms, ratio {:.0}",
            scenario.bookings(),
            by_force.as_secs_f64() * 1e3 / 3.0,
            by_search.as_secs_f64() * 1e3 / 3.0,
            by_force.as_secs_f64() / by_search.as_secs_f64(),
        );
    }
}

fn print_quantiles(
    scenario: &Scenario,
    mode: &str,
    search: SearchMode,
    requests: impl Iterator<Item = Request>,
) {
    let view = scenario.view(search);
    let mut times: Vec<Duration> = Vec::new();
    let mut ranges = Vec::new();
    for request in requests {
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
        "{mode}: {} days, {} nodes, {} bookings, {:.1} ranges each, {:.0} % occupied; in the \
         window {} ranges (p50) {} (p99); plan p50 {:.0} us, p99 {:.0} us",
        scenario.days(),
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
