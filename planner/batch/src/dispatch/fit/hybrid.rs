//! Hybrid (5.3.5): as Balanced, where each bin is sorted as Weighted does.

use super::balanced::{Bins, CRITICAL, critical};
use super::weighted::{WINDOW, rank, weights, window};
use super::{FitView, NodeOrder, PlaceRequest, UnitFitPart, sort_by_rank};
use crate::policy::About;

/// Bins in turn, each by weight.
pub(super) const FIT: UnitFitPart = UnitFitPart {
    about: About {
        name: "hybrid",
        meaning: "as balanced, where those of one kind are sorted as weighted does",
        options: &[CRITICAL, WINDOW],
    },
    build: |system, options| {
        let bins = Bins::new(critical(system, options));
        Box::new(Hybrid { bins, window: window(options), ranks: Vec::new(), sorted: Vec::new() })
    },
};

#[derive(Debug)]
struct Hybrid {
    bins: Bins,
    window: usize,
    ranks: Vec<(f64, u32)>,
    sorted: Vec<u32>,
}

impl NodeOrder for Hybrid {
    fn order(&mut self, view: &FitView<'_>, request: &PlaceRequest<'_>, nodes: &mut Vec<u32>) {
        rank(view, request, &weights(view), &mut self.ranks);
        sort_by_rank(&mut self.sorted, &mut self.ranks);
        // What is sorted before it is dealt is sorted in every bin.
        for node in self.sorted.drain(..) {
            self.bins.add(view, node);
        }
        self.bins.combine(nodes);
    }

    fn window(&self) -> usize {
        self.window
    }
}
