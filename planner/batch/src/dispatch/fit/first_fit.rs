//! Simple first-fit (5.3.1): nodes in the order of their numbers.

use super::{FitView, NodeOrder, PlaceRequest, UnitFitPart};
use crate::policy::About;

/// The lowest nodes that have room.
pub(super) const FIT: UnitFitPart = UnitFitPart {
    about: About { name: "first_fit", meaning: "the lowest nodes that have room", options: &[] },
    build: |_, _| Box::new(FirstFit),
};

#[derive(Debug)]
struct FirstFit;

impl NodeOrder for FirstFit {
    fn order(&mut self, view: &FitView<'_>, _: &PlaceRequest<'_>, nodes: &mut Vec<u32>) {
        nodes.extend(0..view.free.nodes());
    }

    fn is_plain(&self) -> bool {
        true
    }
}
