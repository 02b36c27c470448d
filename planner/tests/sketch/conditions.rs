//! What a request conditions beyond nodes, duration and window: other shapes, a deadline, tolerances.

use planner::request::{Request, Shape, Tolerances};
use planner::time::{Seconds, Timestamp};
use planner::tolerance::Tolerance;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::{instant, multiple};

/// What a request asks for beyond its shape and window.
#[derive(Clone, Debug)]
pub struct Conditions {
    /// Other shapes: nodes, and seconds.
    alternatives: Vec<(u32, i64)>,
    /// The deadline, in seconds after the earliest end of the shortest shape.
    slack: Option<i64>,
    /// Of energy, cost and CO2.
    tolerances: [f64; 3],
}

/// Each of the conditions in so many of a hundred sketches, or more.
pub fn conditions(percent: u32) -> impl Strategy<Value = Conditions> {
    let share = f64::from(percent) / 100.0;
    let duration = prop_oneof![1 => Just(1), 6 => multiple(1..=5), 3 => 2..20_i64];
    let alternatives = prop::bool::weighted(share + 0.15).prop_flat_map(move |any| {
        vec((1..=4_u32, duration.clone()), if any { 1..=3 } else { 0..=0 })
    });
    let slack = prop_oneof![1 => Just(0), 4 => multiple(0..=12), 2 => 1..60_i64];
    let each = select(&[0.0, 0.0, 0.02, 0.1, 0.25, 0.25, 0.333, 0.07, 1.0, 0.000_001, 2.5][..]);
    // Of two shapes at one start both may be tolerated only where all tolerances are large.
    let large = prop::array::uniform3(select(&[0.5, 1.0, 2.5, 10.0][..]));
    let each = prop_oneof![3 => prop::array::uniform3(each), 1 => large].boxed();
    let tolerances = prop::bool::weighted(share + 0.2)
        .prop_flat_map(move |any| if any { each.clone() } else { Just([0.0; 3]).boxed() });
    (alternatives, prop::option::weighted(share, slack), tolerances).prop_map(
        |(alternatives, slack, tolerances)| Conditions { alternatives, slack, tolerances },
    )
}

impl Conditions {
    /// A request of that shape (nodes, seconds) in that window (earliest, length) with these conditions;
    /// its deadline can be met from `now` on.
    pub fn request(&self, own: (u32, i64), (earliest, window): (i64, i64), now: i64) -> Request {
        let shape = |(nodes, seconds)| Shape { nodes, duration: Seconds::new(seconds) };
        let (first, last) = (instant(earliest), instant(earliest + window));
        let mut request = Request::new(shape(own), first, last);
        request.alternatives = self.alternatives.iter().map(|&it| shape(it)).collect();
        let shortest = request.shapes().map(|shape| shape.duration).min().unwrap();
        let possible: Timestamp = first.max(instant(now)) + shortest;
        request.latest_end = self.slack.map(|slack| possible + Seconds::new(slack));
        let [energy, cost, co2] = self.tolerances.map(|it| Tolerance::new(it).unwrap());
        request.tolerances = Tolerances { energy, cost, co2 };
        request
    }
}
