//! What is to be done next with all power actions together: so many nodes are on their way at once, each by one order.

use std::collections::HashSet;

use super::{FollowRules, FollowedAction, NodeUse, PowerActionState, PowerReading, PowerStep};
use crate::resource_manager::NodePower;
use crate::time::Timestamp;

/// A power action with its node, as both are now.
#[derive(Clone, Copy, Debug)]
pub struct ActionWithNode<'a> {
    /// The node, by name.
    pub node: &'a str,
    /// The action.
    pub action: FollowedAction,
    /// What was read of the node's power.
    pub seen: &'a PowerReading,
    /// Whether the node is in use.
    pub used: &'a NodeUse,
}

/// What is to be done now with each of these actions, which are all that are not final, in the order in which they get
/// their turn.
///
/// A node is on its way from an order until its effect is seen or it counts as failed, and for as long as its power is
/// seen to change. Orders beyond [`FollowRules::at_once`] are held, as are those for a node that is on its way. Nodes whose
/// power is limited stay where they are.
pub fn next_steps(
    actions: &[ActionWithNode<'_>],
    rules: &FollowRules,
    now: Timestamp,
) -> Vec<PowerStep> {
    let step = |it: &ActionWithNode<'_>| it.action.next_step(it.seen, it.used, rules, now);
    let steps: Vec<PowerStep> = actions.iter().map(step).collect();
    let both = actions.iter().zip(&steps);
    let on_their_way = both.filter(|(it, step)| is_on_its_way(it, step)).map(|(it, _)| it.node);
    let mut on_their_way: HashSet<&str> = on_their_way.collect();
    let admitted = actions.iter().zip(steps).map(|(it, step)| match step {
        PowerStep::Order(_) if on_their_way.contains(it.node) => {
            PowerStep::Hold("another order for this node goes first".to_owned())
        }
        PowerStep::Order(_) if on_their_way.len() >= rules.at_once => {
            PowerStep::Hold(format!("{} nodes are on their way", on_their_way.len()))
        }
        PowerStep::Order(order) => {
            on_their_way.insert(it.node);
            PowerStep::Order(order)
        }
        step => step,
    });
    admitted.collect()
}

fn is_on_its_way(it: &ActionWithNode<'_>, step: &PowerStep) -> bool {
    if it.action.change.is_limit() {
        return false;
    }
    let is_followed = it.action.state == PowerActionState::Ordered && *step == PowerStep::Keep;
    is_followed || it.seen.is(NodePower::PoweringUp) || it.seen.is(NodePower::PoweringDown)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::power_action::{OrderAnswer, PowerChange, PowerOrder};
    use crate::time::Seconds;

    const RULES: FollowRules = FollowRules {
        first_wait: Seconds::new(20),
        longest_wait: Seconds::new(100),
        most_orders: 3,
        forced_after: Some(2),
        at_once: 2,
    };

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix_seconds(seconds)
    }

    fn action(change: PowerChange, state: PowerActionState) -> FollowedAction {
        let (patience, until) = (Seconds::new(60), at(2000));
        FollowedAction { change, state, since: at(0), orders: 0, patience, until }
    }

    const ON: PowerReading = PowerReading::Seen(NodePower::On);
    const DOWN: PowerReading = PowerReading::Seen(NodePower::PoweringDown);

    fn with_node<'a>(
        node: &'a str,
        seen: &'a PowerReading,
        state: PowerActionState,
    ) -> ActionWithNode<'a> {
        let action = action(PowerChange::Off, state);
        ActionWithNode { node, action, seen, used: &NodeUse::Free }
    }

    #[test]
    fn so_many_are_on_their_way_at_once() {
        use PowerActionState::{Ordered, Waiting};
        let order = PowerStep::Order(PowerOrder::Off);
        let held = PowerStep::Hold("2 nodes are on their way".to_owned());
        let waiting = [
            with_node("n1", &ON, Waiting),
            with_node("n2", &ON, Waiting),
            with_node("n3", &ON, Waiting),
        ];
        let steps = next_steps(&waiting, &RULES, at(0));
        assert_eq!(steps, [order.clone(), order.clone(), held.clone()]);

        let ordered = [with_node("n1", &ON, Ordered), waiting[1], waiting[2]];
        let steps = next_steps(&ordered, &RULES, at(0));
        assert_eq!(steps, [PowerStep::Keep, order.clone(), held.clone()]);
        // It is done, or has failed: its place is free at once.
        let steps = next_steps(&ordered, &RULES, at(60));
        assert!(matches!(steps[0], PowerStep::Become(PowerActionState::Failed, _)), "{steps:?}");
        assert_eq!(steps[1..], [order.clone(), order.clone()]);

        // Who was killed before it noted an order, or whoever else switches a node, takes a place all the same.
        let by_others = [with_node("n1", &DOWN, Waiting), waiting[1], waiting[2]];
        let steps = next_steps(&by_others, &RULES, at(0));
        assert!(matches!(&steps[0], PowerStep::Hold(_)), "{steps:?}");
        assert_eq!(steps[1..], [order, held]);
    }

    #[test]
    fn a_node_has_one_order_at_a_time() {
        let twice = [PowerActionState::Waiting; 2].map(|state| with_node("n1", &ON, state));
        let steps = next_steps(&twice, &RULES, at(0));
        let held = PowerStep::Hold("another order for this node goes first".to_owned());
        assert_eq!(steps, [PowerStep::Order(PowerOrder::Off), held]);
    }

    /// What befalls a node in one turn.
    #[derive(Clone, Debug)]
    struct Turn {
        seen: PowerReading,
        used: NodeUse,
        answer: OrderAnswer,
    }

    fn turn() -> impl Strategy<Value = Turn> {
        let words = String::new;
        let seen = prop_oneof![
            3 => Just(PowerReading::Seen(NodePower::On)),
            3 => Just(PowerReading::Seen(NodePower::Off)),
            1 => Just(PowerReading::Seen(NodePower::PoweringUp)),
            1 => Just(PowerReading::Seen(NodePower::PoweringDown)),
            2 => Just(PowerReading::Unknown(words())),
        ];
        let used = prop_oneof![
            4 => Just(NodeUse::Free),
            1 => Just(NodeUse::InUse(words())),
            1 => Just(NodeUse::MayBeInUse(words())),
        ];
        let answer = prop_oneof![
            4 => Just(OrderAnswer::Accepted),
            2 => Just(OrderAnswer::Uncertain(words())),
            1 => Just(OrderAnswer::Refused(words())),
        ];
        (seen, used, answer).prop_map(|(seen, used, answer)| Turn { seen, used, answer })
    }

    fn change() -> impl Strategy<Value = PowerChange> {
        prop_oneof![Just(PowerChange::On), Just(PowerChange::Off)]
    }

    const NODES: usize = 4;

    proptest! {
        /// Whatever controllers say: nothing is ordered that is unknown or in use, no window is exceeded, no state
        /// follows that may not, and every action comes to an end.
        #[test]
        fn no_world_makes_it_break_its_rules(
            changes in proptest::collection::vec(change(), NODES),
            turns in proptest::collection::vec(proptest::collection::vec(turn(), NODES), 1..150),
        ) {
            let names: Vec<String> = (0..NODES).map(|node| format!("n{node}")).collect();
            let mut actions: Vec<FollowedAction> =
                changes.into_iter().map(|it| action(it, PowerActionState::Waiting)).collect();
            for (turn, now) in turns.iter().cycle().zip((0..4000).step_by(10)) {
                let nodes: Vec<ActionWithNode<'_>> = (0..NODES)
                    .map(|node| ActionWithNode {
                        node: &names[node],
                        action: actions[node],
                        seen: &turn[node].seen,
                        used: &turn[node].used,
                    })
                    .collect();
                let steps = next_steps(&nodes, &RULES, at(now));
                let followed = |it: &&FollowedAction| it.state == PowerActionState::Ordered;
                let before = actions.iter().filter(followed).count();
                for (node, step) in steps.into_iter().enumerate() {
                    let was = actions[node];
                    match step {
                        PowerStep::Keep | PowerStep::Hold(_) => continue,
                        PowerStep::Limit(_) => prop_assert!(false, "nothing is limited here"),
                        PowerStep::Order(_) => {
                            prop_assert!(was.change.may_be_ordered(&turn[node].seen));
                            prop_assert_eq!(&turn[node].used, &NodeUse::Free);
                            prop_assert!(was.orders < RULES.most_orders && now < 2000);
                            let answer = turn[node].answer.clone();
                            actions[node] = was.answered(answer, at(now)).0;
                        }
                        PowerStep::Become(state, _) => {
                            if state == PowerActionState::Done {
                                prop_assert!(was.change.is_reached(&turn[node].seen));
                            }
                            actions[node] = FollowedAction { state, since: at(now), ..was };
                        }
                    }
                    prop_assert!(was.state.may_become(actions[node].state));
                }
                let after = actions.iter().filter(followed).count();
                prop_assert!(after <= RULES.at_once.max(before));
            }
            prop_assert!(actions.iter().all(|it| it.state.is_final()), "{:?}", actions);
        }
    }
}
