//! Priority-Weighted (5.3.5): as Weighted, where critical resources count by a priority (equation 5.8): `request x load x p /
//! available`. It is 1 at first, grows by 1 up to 10 whenever a job that asks for the resource is tried and does not
//! start, and falls by 1 whenever one does.

use super::balanced::{CRITICAL, critical};
use super::weighted::{WINDOW, rank, weights, window};
use super::{FitView, NodeOrder, PlaceRequest, UnitFitPart, sort_by_rank};
use crate::dispatch::unit::UnitRequest;
use crate::policy::{About, option};

/// Weights with priorities.
pub(super) const FIT: UnitFitPart = UnitFitPart {
    about: About {
        name: "priority_weighted",
        meaning: "as weighted, where critical resources count more while jobs wait for them",
        options: &[
            CRITICAL,
            WINDOW,
            option("most_priority", "10", "the greatest priority of a critical resource"),
            option("priority_step", "1", "by how much it grows and falls"),
        ],
    },
    build: |system, options| {
        let critical = critical(system, options);
        let most = options.number("most_priority", 1.0, 1e6).unwrap_or(10.0);
        let step = options.number("priority_step", 0.0, 1e6).unwrap_or(1.0);
        let priorities = critical.into_iter().map(|place| (place, 1.0)).collect();
        let window = window(options);
        Box::new(PriorityWeighted { priorities, most, step, window, ranks: Vec::new() })
    },
};

#[derive(Debug)]
struct PriorityWeighted {
    /// Critical resources with their priorities.
    priorities: Vec<(usize, f64)>,
    most: f64,
    step: f64,
    window: usize,
    ranks: Vec<(f64, u32)>,
}

impl NodeOrder for PriorityWeighted {
    fn order(&mut self, view: &FitView<'_>, request: &PlaceRequest<'_>, nodes: &mut Vec<u32>) {
        let mut weights = weights(view);
        for &(place, priority) in &self.priorities {
            weights[place] *= priority;
        }
        rank(view, request, &weights, &mut self.ranks);
        sort_by_rank(nodes, &mut self.ranks);
    }

    fn window(&self) -> usize {
        self.window
    }

    fn learns(&self) -> bool {
        true
    }

    fn critical_of(&self, unit: &UnitRequest) -> u64 {
        bits(self.priorities.iter().map(|(place, _)| asks_for(unit, *place)))
    }

    fn open_to_failures(&self) -> u64 {
        bits(self.priorities.iter().map(|(_, priority)| *priority < self.most && self.step > 0.0))
    }

    fn tried(&mut self, unit: &UnitRequest, started: bool) {
        for (place, priority) in &mut self.priorities {
            if asks_for(unit, *place) {
                let change = if started { -self.step } else { self.step };
                *priority = (*priority + change).clamp(1.0, self.most);
            }
        }
    }
}

fn asks_for(unit: &UnitRequest, place: usize) -> bool {
    unit.kinds(1).any(|(_, kind)| kind.amount(place) > 0)
}

/// Bits by position; what is beyond the last one shares it.
fn bits(set: impl Iterator<Item = bool>) -> u64 {
    let places = set.enumerate().filter(|it| it.1);
    places.fold(0, |bits, (place, _)| bits | 1 << place.min(63))
}
