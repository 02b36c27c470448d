//! Long gaps: nodes that the job keeps busy for the least time beyond what they are busy anyhow, so that others stay wholly free for
//! long and could sleep. Of equal ones the node whose jobs end first after it, then the lower number.

use super::{FitView, NodeOrder, PlaceRequest, UnitFitPart, fitting};
use crate::policy::About;
use crate::time::Time;

/// Nodes that are busy anyhow.
pub(super) const FIT: UnitFitPart = UnitFitPart {
    about: About {
        name: "long_gaps",
        meaning: "the nodes that it keeps busy for the least time more",
        options: &[],
    },
    build: |_, _| Box::new(LongGaps::default()),
};

#[derive(Debug, Default)]
struct LongGaps {
    ranks: Vec<((Time, Time), u32)>,
}

impl NodeOrder for LongGaps {
    fn order(&mut self, view: &FitView<'_>, request: &PlaceRequest<'_>, nodes: &mut Vec<u32>) {
        self.ranks.extend(fitting(view, request).map(|(node, _)| {
            let until = view.busy_until.get(node as usize).copied().unwrap_or_default();
            let longer = (request.ends - until).max(Time::ZERO);
            ((longer, (until - request.ends).max(Time::ZERO)), node)
        }));
        self.ranks.sort_unstable();
        nodes.extend(self.ranks.drain(..).map(|(_, node)| node));
    }

    fn wants_ends(&self) -> bool {
        true
    }
}
