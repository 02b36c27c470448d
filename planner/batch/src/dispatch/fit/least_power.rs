//! Least power: nodes on which a unit makes the facility draw least more, converters included; of equal ones the lower number.

use planner::quantity::Power;

use super::{FitView, NodeOrder, PlaceRequest, UnitFitPart};
use crate::policy::About;

/// The least that is drawn more.
pub(super) const FIT: UnitFitPart = UnitFitPart {
    about: About {
        name: "least_power",
        meaning: "the nodes that draw least more for it; the system must say what nodes draw",
        options: &[],
    },
    build: |system, options| {
        if !system.has_draws() {
            options.wrong("least_power: the system must say what all nodes draw: [nodes.power]");
        }
        Box::new(LeastPower)
    },
};

#[derive(Debug)]
struct LeastPower;

impl NodeOrder for LeastPower {
    fn order(&mut self, view: &FitView<'_>, request: &PlaceRequest<'_>, nodes: &mut Vec<u32>) {
        let of_types: Vec<Power> = view
            .system
            .types
            .iter()
            .map(|it| {
                let more =
                    it.draw.as_ref().map_or(Power::default(), |it| it.more_for(request.unit));
                // What a converter needs itself is drawn anyhow.
                it.losses.of_node(more) - it.losses.of_node(Power::default())
            })
            .collect();
        nodes.extend(0..view.free.nodes());
        // Stable: of equal ones the lower number stays first.
        nodes.sort_by_key(|node| of_types[view.types[*node as usize]]);
    }
}
