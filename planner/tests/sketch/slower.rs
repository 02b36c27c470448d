//! Slower states of nodes, and how slow a request may run.

use planner::node::Node;
use planner::quantity::Power;
use planner::request::Request;
use planner::slower_states::{SlowerPowers, SlowerState, SlowerStates, Speed};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Up to three states, of which the request may take some.
#[derive(Clone, Debug)]
pub struct Slower {
    /// Speeds in millionths; states are named by their position.
    speeds: Vec<i64>,
    /// For each node and state how many quarters of the way from idle to maximum power it draws at most; a node
    /// with more than four does not have the state.
    quarters: Vec<Vec<i64>>,
    /// In millionths.
    slowest_speed: i64,
}

/// In so many of a hundred sketches, of at most so many nodes.
pub fn slower(percent: u32, most: u32) -> impl Strategy<Value = Slower> {
    let speed = select(&[900_000, 800_000, 700_000, 500_000, 500_000, 333_333, 250_000][..]);
    let quarters = vec(vec(0..=5_i64, 3), most as usize);
    let slowest = select(&[1, 250_000, 500_000, 500_001, 800_000, 1_000_000][..]);
    prop::bool::weighted(f64::from(percent) / 100.0).prop_flat_map(move |any| {
        let speeds = vec(speed.clone(), if any { 1..=3 } else { 0..=0 });
        (speeds, quarters.clone(), slowest.clone()).prop_map(|(speeds, quarters, slowest_speed)| {
            Slower { speeds, quarters, slowest_speed }
        })
    })
}

impl Slower {
    /// The states of these nodes; a node does not have those with which its powers do not make a node.
    pub fn states(&self, nodes: &[Node]) -> SlowerStates {
        let of_node = |(node, quarters): (&Node, &Vec<i64>)| {
            let states = self.speeds.iter().zip(quarters).enumerate();
            let state = |(index, (&speed, &quarters)): (usize, (&i64, &i64))| {
                let (idle, max) = (node.idle().as_microwatts(), node.max().as_microwatts());
                let most = Power::from_microwatts(idle + (max - idle) * quarters / 4);
                let speed = Speed::from_millionths(speed).unwrap();
                let state = SlowerState { name: format!("p{index}").into(), speed };
                let powers = SlowerPowers { max: most, limit: None };
                node.slowed(most).is_ok().then_some((state, powers))
            };
            states.filter_map(state).collect::<Vec<_>>()
        };
        let listed: Vec<_> = nodes.iter().zip(&self.quarters).map(of_node).collect();
        SlowerStates::new(&listed).unwrap()
    }

    /// The request, which may run as slowly as drawn.
    pub fn allowed(&self, request: Request) -> Request {
        let slowest_speed = Speed::from_millionths(self.slowest_speed).unwrap();
        Request { slowest_speed, ..request }
    }
}
