//! The nodes that a request may take in a slower state.

use std::sync::Arc;

use crate::cap_scope::CapScope;
use crate::node::Nodes;
use crate::node_set::NodeSet;
use crate::order::NodeOrder;
use crate::power_plan::{Permits, Right, RightAction, RightLevel};
use crate::request::Request;
use crate::selection::Selection;
use crate::slower_states::SlowerState;
use crate::time::{Span, Timestamp};

/// The nodes that have a slower state and that a request may take, least-drawing in it first.
#[derive(Clone, Debug)]
pub struct SlowerSelection {
    /// The state.
    pub state: SlowerState,
    /// The nodes with their powers in it; the book counts in the order that it counts in at full speed.
    pub selection: Selection,
    /// When nodes may not be in it, as ranks of the book's order.
    pub closed: Vec<(Span, NodeSet)>,
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
            let selection = Selection::within(order, base);
            Self { state: state.clone(), selection, closed: Vec::new() }
        };
        states.iter().enumerate().filter(|(_, state)| allowed(state)).map(selection).collect()
    }

    /// These nodes while the rights of a site let their power be limited automatically; nothing is known of rights outside of
    /// `reach`. A reservation cannot wait for an approval, so that other levels permit nothing.
    #[must_use]
    pub fn permitted(self, rights: &[Right], reach: Span) -> Self {
        let base = self.selection.base();
        let all = NodeSet::from_ranges(std::iter::once(0..base.count()).collect());
        let mut groups: Vec<(NodeSet, Vec<&Right>)> = vec![(all, Vec::new())];
        for right in rights.iter().filter(|it| it.actions.contains(&RightAction::Limit)) {
            let ranks = base.ranks(&right.nodes);
            let split = groups.into_iter().flat_map(|(nodes, of)| {
                let with = [of.as_slice(), &[right]].concat();
                [(nodes.intersection(&ranks), with), (nodes.difference(&ranks), of)]
            });
            groups = split.filter(|(nodes, _)| !nodes.is_empty()).collect();
        }
        let mut closed = Vec::new();
        for (nodes, rights) in groups {
            let permits = Permits::of(rights, RightAction::Limit, reach);
            let open = permits.spans().iter();
            let open = open.filter(|(_, level)| *level == RightLevel::Automatic);
            let mut from = Timestamp::MIN;
            for (span, _) in open {
                // Nobody asks what was before the reach, or is after it.
                let start = if span.start() == reach.start() { from } else { span.start() };
                closed.extend(Span::new(from, start).map(|it| (it, nodes.clone())));
                from = span.end();
            }
            let end = if from == reach.end() { from } else { Timestamp::MAX };
            closed.extend(Span::new(from, end).map(|it| (it, nodes)));
        }
        Self { closed, ..self }
    }

    /// The nodes that may not be in the state at some instant of a span, as ranks of the book's order.
    pub fn closed_during(&self, span: Span) -> NodeSet {
        let closed = self.closed.iter().filter(|(closed, _)| closed.overlaps(span));
        NodeSet::from_ranges(closed.flat_map(|(_, nodes)| nodes.ranges().iter().cloned()).collect())
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::Time;
    use jiff::tz::TimeZone;

    use super::*;
    use crate::decimal::Fraction;
    use crate::node::Node;
    use crate::order::Preference;
    use crate::power_plan::WeeklyWindow;
    use crate::quantity::Power;
    use crate::slower_states::Speed;

    fn hour(hour: i64) -> Timestamp {
        Timestamp::from_unix_seconds(hour * 3600)
    }

    fn right(nodes: &[u32], level: RightLevel, hours: Option<(i8, i8)>) -> Right {
        let clock = |hour| Time::new(hour, 0, 0, 0).unwrap();
        let window = |(from, to)| WeeklyWindow {
            days: Vec::new(),
            from: clock(from),
            to: clock(to),
            zone: TimeZone::UTC,
        };
        Right {
            nodes: NodeSet::from_positions(nodes.iter().copied()),
            level,
            actions: vec![RightAction::Limit],
            windows: hours.into_iter().map(window).collect(),
        }
    }

    /// n0 at any hour, n1 from 2 to 6 only, n2 after an approval, n3 without a right.
    #[test]
    fn nodes_are_closed_outside_of_the_hours_of_their_rights() {
        let node = |watts: i64| {
            let power = |watts: i64| Power::from_microwatts(watts * 1_000_000);
            Node::new(power(50), power(watts), None).unwrap()
        };
        let nodes = Nodes::numbered(vec![node(100), node(110), node(120), node(130)]).unwrap();
        let order = NodeOrder::new(&nodes, Preference::LeastDraw, Fraction::ONE);
        let selection = SlowerSelection {
            state: SlowerState {
                name: "p1".into(),
                speed: Speed::from_millionths(500_000).unwrap(),
            },
            selection: Selection::all(order.into()),
            closed: Vec::new(),
        };
        let rights = [
            right(&[0], RightLevel::Automatic, None),
            right(&[1], RightLevel::Automatic, Some((2, 6))),
            right(&[2], RightLevel::WithApproval, None),
        ];
        let reach = Span::new(hour(0), hour(12)).unwrap();
        let permitted = selection.permitted(&rights, reach);
        let closed = |from, to| {
            let span = Span::new(hour(from), hour(to)).unwrap();
            permitted.closed_during(span).positions().collect::<Vec<u32>>()
        };
        assert_eq!(closed(0, 12), [1, 2, 3]);
        assert_eq!(closed(2, 6), [2, 3]);
        assert_eq!((closed(1, 3), closed(5, 7)), (vec![1, 2, 3], vec![1, 2, 3]));
    }
}
