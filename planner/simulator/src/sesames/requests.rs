//! Drawn requests (paper, section VI-A), and the one place where requests are made.
//!
//! "A number of nodes generated randomly between 1 and N; a duration between 15 minutes and 24
//! hours; an early starting time between the first time slot over the whole simulation until the
//! last possible one; a late starting time equal to [the early one plus] the maximum starting time
//! delay." All three are uniform over whole numbers of nodes or slots, and take one word each in
//! this order. A request may start in the month's last slot and so end after it, unless the
//! parameters say otherwise.
//!
//! With a Poisson flow the earliest starts follow a rate of arrival with a daily and a weekly
//! cycle,
//!
//! ```text
//! rate = (1 + daily_swing * cos(2 pi (hour - 14) / 24)) * (weekend_rate at weekends, else 1)
//! ```
//!
//! Given their number, the arrivals of such a process are independent draws from this density.

use planner::decimal::Fraction;
use planner::request::{Request, Shape};
use planner::time::{Seconds, Timestamp};
use rand::Rng;

use super::Parameters;
use super::parameters::{Flow, StartsUntil};
use super::streams::uniform;

/// The hour of most arrivals, UTC.
const BUSIEST_HOUR: f64 = 14.0;
/// Rates are whole numbers of this part: no platform's last digit of a cosine can show.
const RATE_STEPS: f64 = 1000.0;

/// A request that may start up to `max_delay` after its earliest start.
pub fn request(
    nodes: u32,
    duration: Seconds,
    earliest_start: Timestamp,
    max_delay: Seconds,
    utilisation: Option<Fraction>,
) -> Request {
    let latest_start = earliest_start + max_delay;
    let shape = Shape { nodes, duration };
    Request { utilisation, ..Request::new(shape, earliest_start, latest_start) }
}

/// Draws `parameters.requests` requests.
pub(super) fn draw(parameters: &Parameters, rng: &mut impl Rng) -> Vec<Request> {
    let slots = |count: u32| Seconds::new(i64::from(count) * i64::from(parameters.slot_s));
    let month = parameters.month();
    let cycle = (parameters.flow == Flow::Poisson).then(|| cumulated_rates(parameters));
    let starts = |duration: u32| match parameters.starts_until {
        StartsUntil::LastSlot => parameters.slots_in_month(),
        StartsUntil::Fits => parameters.slots_in_month().saturating_sub(duration) + 1,
    };
    (0..parameters.requests)
        .map(|_| {
            let nodes = uniform(rng, 1..=parameters.most_nodes());
            let duration = uniform(rng, parameters.duration_slots());
            let starts = starts(duration);
            let slot = match &cycle {
                None => uniform(rng, 0..=starts - 1),
                Some(rates) => slot_of(&rates[..starts as usize], rng),
            };
            let earliest_start = month.start() + slots(slot);
            request(nodes, slots(duration), earliest_start, parameters.max_delay(), None)
        })
        .collect()
}

/// For each slot of the month the sum of the rates until its end, in steps.
fn cumulated_rates(parameters: &Parameters) -> Vec<u32> {
    let slot = i64::from(parameters.slot_s);
    let first = parameters.start.as_unix_seconds();
    let mut sum = 0_u32;
    (0..i64::from(parameters.slots_in_month()))
        .map(|index| {
            sum = sum.saturating_add(rate(parameters, first + index * slot));
            sum
        })
        .collect()
}

/// The rate of arrival at an instant, in steps, at least one.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 20,000")]
fn rate(parameters: &Parameters, second: i64) -> u32 {
    let hour = second.rem_euclid(86_400) as f64 / 3600.0;
    // 1970-01-01 was a Thursday: with 3 added, Monday is 0.
    let weekend = (second.div_euclid(86_400) + 3).rem_euclid(7) >= 5;
    let swing = (std::f64::consts::TAU * (hour - BUSIEST_HOUR) / 24.0).cos();
    let of_day = 1.0 + parameters.daily_swing * swing;
    let of_week = if weekend { parameters.weekend_rate } else { 1.0 };
    (of_day * of_week * RATE_STEPS).round_ties_even().max(1.0) as u32
}

/// A slot, in proportion to its rate.
fn slot_of(cumulated: &[u32], rng: &mut impl Rng) -> u32 {
    let all = cumulated.last().copied().unwrap_or(1).max(1);
    let at = uniform(rng, 1..=all);
    u32::try_from(cumulated.partition_point(|&until| until < at)).unwrap_or(0)
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

    #[test]
    fn what_must_fit_ends_within_the_month() {
        let fits = Parameters {
            nodes: 9,
            requests: 2000,
            starts_until: StartsUntil::Fits,
            ..Parameters::default()
        };
        let requests = draw(&fits, &mut stream(1, 0, Draw::Requests));
        let ends = requests.iter().map(|request| request.earliest_start + request.duration);
        assert_eq!(ends.max(), Some(fits.month().end()));
    }

    /// Over whole days the rate's mean is 1 on weekdays; at the busiest of 24 hours it is 1.6, at
    /// the quietest 0.4; weekends have half of it.
    #[test]
    fn poisson_arrivals_follow_the_day_and_the_week() {
        let poisson = Parameters {
            nodes: 9,
            requests: 50_000,
            days: 28,
            flow: Flow::Poisson,
            ..Parameters::default()
        };
        let requests = draw(&poisson, &mut stream(1, 0, Draw::Requests));
        let mut by_hour = [0_u32; 24];
        let mut weekend = 0;
        for request in &requests {
            let second = request.earliest_start.as_unix_seconds();
            by_hour[usize::try_from(second / 3600 % 24).unwrap()] += 1;
            weekend += u32::from((second / 86_400 + 3) % 7 >= 5);
        }
        let ratio = f64::from(by_hour[14]) / f64::from(by_hour[2]);
        assert!((3.4..4.6).contains(&ratio), "{ratio}");
        // 2 days of half the rate in 7: 1 / 6 of all.
        assert!((7_900..8_800).contains(&weekend), "{weekend}");
    }
}
