//! Best-fit, the thesis's Consolidate (5.3.2): nodes with the least that is free first, all resources added up.

use super::{FitView, NodeOrder, PlaceRequest, UnitFitPart, fitting, sort_by_rank};
use crate::policy::About;

/// The fullest nodes that have room.
pub(super) const FIT: UnitFitPart = UnitFitPart {
    about: About {
        name: "best_fit",
        meaning: "the nodes with the least that is free, all resources added up",
        options: &[],
    },
    build: |_, _| Box::new(BestFit::default()),
};

#[derive(Debug, Default)]
struct BestFit {
    ranks: Vec<(f64, u32)>,
}

impl NodeOrder for BestFit {
    fn order(&mut self, view: &FitView<'_>, request: &PlaceRequest<'_>, nodes: &mut Vec<u32>) {
        let free = |node| view.free.on(node).iter().map(|amount| f64::from(*amount)).sum();
        self.ranks.extend(fitting(view, request).map(|(node, _)| (free(node), node)));
        sort_by_rank(nodes, &mut self.ranks);
    }
}
