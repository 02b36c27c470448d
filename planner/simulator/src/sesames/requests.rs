//! Drawn requests (paper, section VI-A).
//!
//! "A number of nodes generated randomly between 1 and N; a duration between 15 minutes and 24
//! hours; an early starting time between the first time slot over the whole simulation until the
//! last possible one; a late starting time equal to [the early one plus] the maximum starting time
//! delay." All three are uniform over whole numbers of nodes or slots, and take one word each in
//! this order. A request may start in the month's last slot and so end after it.

use planner::request::{Request, Shape};
use planner::time::Seconds;
use rand::Rng;

use super::Parameters;
use super::streams::uniform;

/// Draws `parameters.requests` requests.
pub(super) fn draw(parameters: &Parameters, rng: &mut impl Rng) -> Vec<Request> {
    let slots = |count: u32| Seconds::new(i64::from(count) * i64::from(parameters.slot_s));
    let month = parameters.month();
    (0..parameters.requests)
        .map(|_| {
            let nodes = uniform(rng, 1..=parameters.nodes);
            let duration = slots(uniform(rng, parameters.duration_slots()));
            let earliest_start =
                month.start() + slots(uniform(rng, 0..=parameters.slots_in_month() - 1));
            let latest_start = earliest_start + parameters.max_delay();
            Request::new(Shape { nodes, duration }, earliest_start, latest_start)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::streams::{Draw, stream};
    use super::*;

    fn drawn(nodes: u32, requests: u32) -> Vec<Request> {
        let parameters = Parameters { nodes, requests, ..Parameters::default() };
        draw(&parameters, &mut stream(1, 0, Draw::Requests))
    }

    #[test]
    fn requests_respect_the_papers_bounds() {
        let month = Parameters::default().month();
        for request in drawn(44, 2000) {
            assert!((1..=44).contains(&request.nodes));
            assert!((900..=86_400).contains(&request.duration.get()));
            assert_eq!(request.duration.get() % 900, 0);
            assert!(month.contains(request.earliest_start));
            assert_eq!(request.earliest_start.ceil_to(Seconds::new(900)), request.earliest_start);
            let delay = request.latest_start - request.earliest_start;
            assert_eq!(delay, Parameters::default().max_delay());
        }
    }

    /// "On average, a user requests half of the platform during half of a day" (section VI-B).
    #[test]
    fn requests_have_the_papers_means() {
        let requests = drawn(1000, 4000);
        let mean = |value: fn(&Request) -> f64| requests.iter().map(value).sum::<f64>() / 4000.0;
        assert!((mean(|r| f64::from(r.nodes)) - 500.0).abs() < 15.0);
        assert!((mean(|r| r.duration.get() as f64) - 43_650.0).abs() < 1300.0);
    }

    #[test]
    fn more_requests_come_after_and_more_nodes_only_scale() {
        let few = drawn(1000, 10);
        assert_eq!(drawn(1000, 20)[..10], few);
        for (small, large) in few.iter().zip(drawn(2000, 10)) {
            assert_eq!(
                (small.duration, small.earliest_start),
                (large.duration, large.earliest_start)
            );
            assert!(large.nodes.abs_diff(2 * small.nodes) <= 1);
        }
    }
}
