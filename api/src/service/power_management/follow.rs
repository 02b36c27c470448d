//! Orders are given and followed. An order is noted before it is given: who is killed in between waits for an effect that
//! does not come, and gives it again; nothing is ordered twice because nobody knew of it.

use std::collections::BTreeMap;

use planner::node_set::NodeSet;
use planner::power_action::{
    ActionWithNode, FollowedAction, NodeUse, OrderAnswer, PowerActionState, PowerChange,
    PowerOrder, PowerReading, PowerStep, next_steps,
};
use planner::quantity::Power;
use planner::resource_manager::withheld_until;
use planner::time::{Seconds, Span};
use storage::{LogWhat, OutageKind, PowerAction, PowerActionChange, Withheld};

use super::limiter::set_limit;
use super::limits::{limit_key, limited_until};
use super::look::{ManagedPower, Turn};
use super::{PowerManagementError, PowerManagementService, USEFUL};
use crate::service::resource_manager::withhold::wake_key;

/// A node that would not switch off is left alone for so long, unless people ask for it.
const LEFT_ALONE: Seconds = Seconds::new(3600);

/// What is ordered for several nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    /// They are switched.
    Switch(PowerOrder),
    /// Their power is limited so, or not at all.
    Limit(Option<Power>),
}

/// A power action with what was read of its node.
struct Followed {
    action: PowerAction,
    rule: FollowedAction,
    seen: PowerReading,
    used: NodeUse,
}

/// A node that was to come and did not, or that stays limited.
pub(super) struct NotCome {
    /// How it is put out of service.
    pub withheld: Withheld,
    /// What is noted of the action once it is: who is killed in between finds out again.
    pub change: PowerActionChange,
}

impl PowerManagementService {
    /// Takes the next step with every action that is due; the nodes that were to come and did not.
    pub(super) async fn follow(
        &self,
        turn: &Turn<'_>,
    ) -> Result<Vec<NotCome>, PowerManagementError> {
        let followed = turn.followed();
        let asked: Vec<ActionWithNode<'_>> = followed
            .iter()
            .map(|it| ActionWithNode {
                node: &it.action.node,
                action: it.rule,
                seen: &it.seen,
                used: &it.used,
            })
            .collect();
        let steps = next_steps(&asked, &turn.settings.follow, turn.now);
        let (mut changes, mut failed) = (Vec::new(), Vec::new());
        let mut orders: BTreeMap<Order, Vec<PowerAction>> = BTreeMap::new();
        for (it, step) in followed.into_iter().zip(steps) {
            match step {
                PowerStep::Keep => {}
                PowerStep::Hold(because) => changes.extend(held(it.action, because)),
                PowerStep::Order(order) => {
                    orders.entry(Order::Switch(order)).or_default().push(it.action);
                }
                PowerStep::Limit(limit) => {
                    orders.entry(Order::Limit(limit)).or_default().push(it.action);
                }
                PowerStep::Become(state, because) => {
                    let withheld = turn.not_come(&it.action, state, because.as_deref());
                    let change = turn.become_so(it.action, state, because);
                    match withheld {
                        Some(withheld) => failed.push(NotCome { withheld, change }),
                        None => changes.push(change),
                    }
                }
            }
        }
        self.put(turn, &changes).await?;
        for (order, actions) in orders {
            failed.extend(self.order(turn, order, actions).await?);
        }
        Ok(failed)
    }

    /// Notes an order, gives it, and notes the answer where it is not that it was accepted: the nodes that will not come.
    async fn order(
        &self,
        turn: &Turn<'_>,
        order: Order,
        actions: Vec<PowerAction>,
    ) -> Result<Vec<NotCome>, PowerManagementError> {
        let noted = actions.into_iter().map(|it| {
            let is_first_limit = it.orders == 0 && matches!(it.change, PowerChange::Limit(_));
            let former = is_first_limit.then(|| turn.limits.former(&it.node)).flatten();
            let former_limit = former.or(it.former_limit);
            let orders = it.orders.saturating_add(1);
            let action = PowerAction { orders, former_limit, ordered: Some(turn.now), ..it };
            turn.become_so(action, PowerActionState::Ordered, None)
        });
        let noted: Vec<PowerActionChange> = noted.collect();
        let written = self.shared.database.put_power_actions(&noted, turn.now).await?;
        // What others changed meanwhile is looked at in the next turn.
        let given: Vec<PowerAction> =
            noted.into_iter().map(|it| it.action).filter(|it| written.contains(&it.id)).collect();
        let mut nodes: Vec<String> = given.iter().map(|it| it.node.clone()).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let now = self.shared.now();
        let mut answers = match order {
            Order::Switch(order) => turn.switch.order(order, nodes, now).await,
            Order::Limit(limit) => set_limit(turn.settings, limit, &nodes, now).await,
        };
        let (mut changes, mut failed) = (Vec::new(), Vec::new());
        for action in given {
            let silent = || OrderAnswer::Uncertain("there was no answer".to_owned());
            let answer = answers.remove(&action.node).unwrap_or_else(silent);
            let (state, because) = match answer {
                OrderAnswer::Accepted => continue,
                OrderAnswer::Uncertain(because) => (PowerActionState::Failed, because),
                OrderAnswer::Refused(because) => (PowerActionState::Refused, because),
            };
            let row_version = action.row_version + 1;
            let action = PowerAction { row_version, ..action };
            let withheld = turn.not_come(&action, state, Some(&because));
            let change = turn.become_so(action, state, Some(because));
            match withheld {
                Some(withheld) => failed.push(NotCome { withheld, change }),
                None => changes.push(change),
            }
        }
        self.put(turn, &changes).await?;
        Ok(failed)
    }

    /// Notes what became of actions.
    pub(super) async fn put(
        &self,
        turn: &Turn<'_>,
        changes: &[PowerActionChange],
    ) -> Result<(), PowerManagementError> {
        for change in changes.iter().filter(|it| it.what != LogWhat::Changed) {
            let outcome = change.action.state.word();
            metrics::counter!("wattbook_power_actions_total", "outcome" => outcome).increment(1);
        }
        // Otherwise the next plan would have it ordered off at once, again and again.
        let would_not = changes.iter().map(|it| &it.action).filter(|it| is_in_vain(it));
        let until = turn.now + LEFT_ALONE;
        self.memo().stubborn.extend(would_not.map(|it| (it.node.clone(), until)));
        self.shared.database.put_power_actions(changes, turn.now).await?;
        Ok(())
    }
}

impl Turn<'_> {
    /// The actions whose time has come, those that wake nodes first.
    fn followed(&self) -> Vec<Followed> {
        let names: BTreeMap<&str, (u32, &ManagedPower)> =
            self.nodes.iter().map(|(node, it)| (it.name.as_str(), (*node, it))).collect();
        let due = self.open.iter().filter(|it| it.due <= self.now);
        let mut due: Vec<&PowerAction> = due.collect();
        due.sort_by_key(|it| (it.change == PowerChange::Off, it.id));
        let followed = due.into_iter().map(|it| {
            let node = names.get(it.node.as_str()).copied();
            let patience = match (it.change, node) {
                (PowerChange::On, Some((_, node))) => node.times.patience,
                (change, _) if change.is_limit() => self.settings.limit_patience,
                _ => self.settings.off_patience,
            };
            let rule = FollowedAction {
                change: it.change,
                state: it.state,
                since: it.since,
                orders: it.orders,
                patience,
                until: it.until.unwrap_or(it.created + USEFUL),
            };
            let seen = if it.change.is_limit() {
                self.limits.reading(&it.node)
            } else {
                self.readings.power(&it.node)
            };
            Followed { action: it.clone(), rule, seen, used: self.used(it, node) }
        });
        followed.collect()
    }

    /// Whether a node is in use, or booked before it could be back. Waking it disturbs nobody.
    fn used(&self, action: &PowerAction, node: Option<(u32, &ManagedPower)>) -> NodeUse {
        if action.change.is_limit() {
            return self.used_before_limit(action);
        }
        let Some((ordinal, node)) = node else {
            let gone = "nothing says any more how it is switched";
            return NodeUse::MayBeInUse(gone.to_owned());
        };
        if action.change == PowerChange::On {
            return NodeUse::Free;
        }
        let back = self.now + self.settings.off_patience + node.times.lead;
        let rank = self.state.cluster.reference.rank(ordinal);
        let booked = Span::new(self.now, back).and_then(|span| {
            let mut overlapping = self.state.book.overlapping(span);
            overlapping.find(|it| rank.is_some_and(|rank| it.ranks.contains(rank)))
        });
        match (self.readings.used(&action.node), booked) {
            (NodeUse::Free, Some(booking)) => {
                let (id, start) = (&booking.id, booking.span.start());
                NodeUse::InUse(format!("reservation {id} has it from {start} on"))
            }
            (used, _) => used,
        }
    }

    /// An action in another state from now on.
    fn become_so(
        &self,
        action: PowerAction,
        state: PowerActionState,
        because: Option<String>,
    ) -> PowerActionChange {
        let done = (state == PowerActionState::Done).then_some(self.now);
        let action = PowerAction { state, because, since: self.now, done, ..action };
        PowerActionChange { action, what: LogWhat::of(state), by: None }
    }

    /// A node that was to come for a reservation and does not, or whose power limit is not lifted.
    fn not_come(
        &self,
        action: &PowerAction,
        state: PowerActionState,
        because: Option<&str>,
    ) -> Option<Withheld> {
        if !matches!(state, PowerActionState::GivenUp | PowerActionState::Refused) {
            return None;
        }
        let (node, because) = (&action.node, because.unwrap_or("no order helped"));
        let (key, what, end) = match action.change {
            PowerChange::On => {
                (wake_key(node), "it did not switch on", withheld_until(self.now, self.now))
            }
            PowerChange::Lift(_) => {
                (limit_key(node), "its power limit was not lifted", limited_until(self.now))
            }
            PowerChange::Off | PowerChange::Limit(_) => return None,
        };
        let ordinal = self.state.cluster.nodes.index().ordinal(node)?;
        Some(Withheld {
            key,
            kind: OutageKind::OutOfService,
            reason: format!("{what}: {because}"),
            start: self.now,
            end: Some(end),
            ranks: self.state.cluster.reference.ranks(&NodeSet::from_positions([ordinal])),
        })
    }
}

/// Whether a node was ordered off and would not.
fn is_in_vain(action: &PowerAction) -> bool {
    let is_final = matches!(action.state, PowerActionState::GivenUp | PowerActionState::Refused);
    action.change == PowerChange::Off && action.orders > 0 && is_final
}

/// Why an action is held back, where that is new.
fn held(action: PowerAction, because: String) -> Option<PowerActionChange> {
    if action.because.as_ref() == Some(&because) {
        return None;
    }
    let action = PowerAction { because: Some(because), ..action };
    Some(PowerActionChange { action, what: LogWhat::Changed, by: None })
}
