//! The nodes that a request may take in a slower state.

use std::sync::Arc;

use crate::cap_scope::CapScope;
use crate::node::Nodes;
use crate::order::NodeOrder;
use crate::request::Request;
use crate::selection::Selection;
use crate::slower_states::SlowerState;

/// The nodes that have a slower state and that a request may take, least-drawing in it first.
#[derive(Clone, Debug)]
pub struct SlowerSelection {
    /// The state.
    pub state: SlowerState,
    /// The nodes with their powers in it; the book counts in the order that it counts in at full speed.
    pub selection: Selection,
}

impl SlowerSelection {
    /// Those of every state that the request allows, the fastest first; none where it allows none. `O(nodes)`
    /// and a sort for each state.
    pub fn allowed(
        nodes: &Nodes,
        request: &Request,
        scope: CapScope,
        base: &Arc<NodeOrder>,
    ) -> Vec<Self> {
        let states = nodes.slower_states().states();
        let allowed = |state: &SlowerState| state.speed >= request.slowest_speed;
        if !states.iter().any(allowed) {
            return Vec::new();
        }
        let (filter, utilisation) = (&request.filter, request.utilisation_or_full());
        let (excluded, admits) = (filter.excluded(nodes), filter.admits(nodes));
        let may_take = |ordinal: u32| admits(ordinal) && !excluded.contains(ordinal);
        let selection = |(index, state): (usize, &SlowerState)| {
            let order = NodeOrder::in_state(nodes, index, utilisation, scope, may_take);
            Self { state: state.clone(), selection: Selection::within(order, base) }
        };
        states.iter().enumerate().filter(|(_, state)| allowed(state)).map(selection).collect()
    }
}
