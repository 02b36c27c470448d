//! The ways to run a request: its shapes at full speed and in each slower state.

use planner::problem::PlanningProblem;
use planner::request::Shape;
use planner::time::Seconds;

use super::world::is_eligible;

/// A shape as it may be run.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// The nodes, and how long they are reserved.
    pub shape: Shape,
    /// The position of the slower state, and the seconds that it takes longer in it.
    pub slower: Option<(usize, i64)>,
}

/// Full speed first, then the states by speed and name; each state for the shapes for which enough nodes have it.
pub fn ways(problem: &PlanningProblem) -> Vec<Way> {
    let request = &problem.request;
    let mut ways: Vec<Way> = request.shapes().map(|shape| Way { shape, slower: None }).collect();
    let states = problem.nodes.slower_states().states();
    let mut places: Vec<usize> = (0..states.len()).collect();
    places.sort_by_key(|&it| (-states[it].speed.as_millionths(), &states[it].name));
    for state in places {
        let speed = states[state].speed.as_millionths();
        if speed < request.slowest_speed.as_millionths() {
            continue;
        }
        let has = |&node: &u32| {
            is_eligible(problem, node)
                && problem.nodes.slower_states().powers(state, node).is_some()
        };
        let nodes = (0..problem.nodes.count()).filter(has).count();
        for shape in request.shapes().filter(|shape| shape.nodes as usize <= nodes) {
            let full = shape.duration.get();
            let enough = |seconds: &i64| seconds * speed >= full * 1_000_000;
            // The slowest speed is a millionth.
            let seconds = (full..=full * 1_000_000).find(enough).unwrap();
            let shape = Shape { duration: Seconds::new(seconds), ..shape };
            ways.push(Way { shape, slower: Some((state, seconds - full)) });
        }
    }
    ways
}
