//! Balanced (5.3.3): nodes without critical resources first, then the others by turns, so that none of these is used up.
//!
//! Every node is in the bin of the critical resource of which it has most free, or in none. After the nodes of no bin, the next one
//! is always from the bin that is longest; of equal ones from that of the resource that is named first.

use super::{FitView, NodeOrder, PlaceRequest, UnitFitPart};
use crate::dispatch::system::System;
use crate::policy::{About, Options, PolicyOption, option};

/// What can be said of critical resources.
pub(super) const CRITICAL: PolicyOption =
    option("critical", "what some nodes lack", "resources to be spared, such as gpu+mic");

/// Nodes with critical resources by turns.
pub(super) const FIT: UnitFitPart = UnitFitPart {
    about: About {
        name: "balanced",
        meaning: "nodes without critical resources, then those with them by turns",
        options: &[CRITICAL],
    },
    build: |system, options| Box::new(Balanced(Bins::new(critical(system, options)))),
};

#[derive(Debug)]
struct Balanced(Bins);

impl NodeOrder for Balanced {
    fn order(&mut self, view: &FitView<'_>, _: &PlaceRequest<'_>, nodes: &mut Vec<u32>) {
        for node in 0..view.free.nodes() {
            self.0.add(view, node);
        }
        self.0.combine(nodes);
    }
}

/// The critical resources of the options.
pub(super) fn critical(system: &System, options: &mut Options<'_>) -> Vec<usize> {
    let Some(said) = options.text(CRITICAL.name) else { return system.uneven() };
    let mut places = Vec::new();
    for name in said.split('+').filter(|name| !name.is_empty()) {
        match system.resources.iter().position(|it| **it == *name) {
            Some(place) => places.push(place),
            None => options.wrong(format!(
                "critical: nodes have no {name}; they have {}",
                system.resources.join(", ")
            )),
        }
    }
    places
}

/// Nodes by the critical resource of which they have most free.
#[derive(Debug)]
pub(super) struct Bins {
    critical: Vec<usize>,
    none: Vec<u32>,
    /// By critical resource.
    of_critical: Vec<Vec<u32>>,
}

impl Bins {
    pub fn new(critical: Vec<usize>) -> Self {
        let of_critical = vec![Vec::new(); critical.len()];
        Self { critical, none: Vec::new(), of_critical }
    }

    /// Puts a node at the end of its bin.
    pub fn add(&mut self, view: &FitView<'_>, node: u32) {
        let free = view.free.on(node);
        let mut most = (0, None);
        for (bin, &place) in self.critical.iter().enumerate() {
            if free[place] > most.0 {
                most = (free[place], Some(bin));
            }
        }
        match most.1 {
            None => self.none.push(node),
            Some(bin) => self.of_critical[bin].push(node),
        }
    }

    /// Empties the bins into one list.
    pub fn combine(&mut self, nodes: &mut Vec<u32>) {
        nodes.append(&mut self.none);
        let mut taken = vec![0; self.of_critical.len()];
        loop {
            let left = |bin: usize| self.of_critical[bin].len() - taken[bin];
            // Of equal ones `max_by_key` takes the last: they are looked at from the end.
            let longest = (0..self.of_critical.len()).rev().max_by_key(|bin| left(*bin));
            let Some(bin) = longest.filter(|bin| left(*bin) > 0) else { break };
            nodes.push(self.of_critical[bin][taken[bin]]);
            taken[bin] += 1;
        }
        self.of_critical.iter_mut().for_each(Vec::clear);
    }
}
