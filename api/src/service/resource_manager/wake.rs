//! Nodes that are switched off to save energy are woken before reservations begin on them. Each order is
//! a row in the database first, so that none is forgotten or given twice.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use planner::identity::ReservationId;
use planner::node_set::NodeSet;
use planner::power_action::{PowerActionState, PowerChange};
use planner::resource_manager::{
    ManagedNode, ManagerError, NodePower, WakeNeed, WakeOutcome, WakeTimes, withheld_until,
};
use planner::time::{Seconds, Timestamp};
use storage::{LogWhat, NewPowerAction, OutageKind, PowerAction, PowerActionChange, Withheld};

use super::open::ranks;
use super::turn::Turn;
use super::withhold::wake_key;
use super::{ResourceManagerService, TurnError};

/// Nothing is woken earlier before a start than this: no node boots for longer.
const EARLIEST: Seconds = Seconds::new(7200);

/// In one turn so many orders are given at the most, where one for all nodes is refused. What is left is
/// ordered in the next one.
const MOST_ORDERS: usize = 32;

/// The nodes of the resource manager by name.
type NodesByName<'a> = HashMap<&'a str, &'a ManagedNode>;

/// Nodes by name, each with a reservation that it is to be up for, and what it needs for that.
type Due = BTreeMap<(String, ReservationId), WakeNeed>;

impl ResourceManagerService {
    /// Wakes nodes that are needed soon. Those that do not come are withheld, so that others take their
    /// place.
    pub(super) async fn wake(&self, turn: &mut Turn<'_>) -> Result<(), TurnError> {
        let Some(boot) = turn.settings.boot.filter(|_| turn.settings.drives()) else {
            return Ok(());
        };
        let nodes = Arc::clone(&turn.seen.nodes);
        let nodes: NodesByName<'_> =
            nodes.items.iter().map(|node| (node.name.as_ref(), node)).collect();
        let due = self.due(turn, &nodes, boot).await?;
        self.plan_waking(turn, &due).await?;
        let (waiting, ordered) = self.open_waking().await?;
        // What was followed without an order of ours may turn out to be off.
        let needs_order =
            |it: &PowerAction| it.ordered.is_none() && need(&due, it) == Some(WakeNeed::Order);
        let (to_order, others): (Vec<PowerAction>, Vec<PowerAction>) =
            waiting.into_iter().chain(ordered).partition(needs_order);
        let (waiting, ordered): (Vec<PowerAction>, Vec<PowerAction>) =
            others.into_iter().partition(|it| it.state == PowerActionState::Waiting);
        // What waited while the resource manager did not answer may be of no use any more: its reservation
        // was cancelled or has other nodes, or somebody else woke the node.
        let (followed, useless): (Vec<PowerAction>, Vec<PowerAction>) =
            waiting.into_iter().partition(|it| need(&due, it).is_some());
        let useless: Vec<_> = useless.iter().map(|it| it.id).collect();
        self.shared.database.forget_power_actions(&useless).await?;
        self.order(turn, to_order).await?;
        for action in followed {
            self.note_action(action, PowerActionState::Ordered, None, turn.now).await?;
        }
        let names: Vec<String> = ordered.iter().map(|it| it.node.clone()).collect();
        let times = self.times(turn, &names, boot).await?;
        for action in ordered {
            let times = times[&action.node];
            self.look_after(turn, action, &nodes, times).await?;
        }
        Ok(())
    }

    /// What is waiting and what was ordered of the waking for reservations.
    async fn open_waking(&self) -> Result<(Vec<PowerAction>, Vec<PowerAction>), TurnError> {
        let (mut waiting, mut ordered) = (Vec::new(), Vec::new());
        for action in self.shared.database.open_power_actions().await? {
            match (action.change, action.reservation_id, action.state) {
                (PowerChange::On, Some(_), PowerActionState::Waiting) => waiting.push(action),
                (PowerChange::On, Some(_), PowerActionState::Ordered) => ordered.push(action),
                _ => {}
            }
        }
        Ok((waiting, ordered))
    }

    /// The nodes to be woken now.
    async fn due(
        &self,
        turn: &Turn<'_>,
        nodes: &NodesByName<'_>,
        boot: Seconds,
    ) -> Result<Due, TurnError> {
        let soon = needed_soon(turn, nodes);
        let names: Vec<String> = soon.keys().cloned().collect();
        let times = self.times(turn, &names, boot).await?;
        let all = soon.values().flatten();
        let begun = all.filter(|(_, start)| *start <= turn.now).map(|(id, _)| *id);
        let begun: Vec<ReservationId> = begun.collect::<BTreeSet<_>>().into_iter().collect();
        let ordered = self.shared.database.nodes_ordered_for(&begun).await?;
        let mut due = Due::new();
        for (name, starts) in soon {
            let Some(node) = nodes.get(name.as_str()) else { continue };
            for (id, start) in starts {
                let was_ordered = ordered.contains(&(id, name.clone()));
                if let Some(need) = times[&name].need(node, start, was_ordered, turn.now) {
                    due.insert((name.clone(), id), need);
                }
            }
        }
        Ok(due)
    }

    /// Plans the nodes to be woken now.
    async fn plan_waking(&self, turn: &Turn<'_>, due: &Due) -> Result<(), TurnError> {
        let planned = due.keys().map(|(node, reservation_id)| NewPowerAction {
            reservation_id: Some(*reservation_id),
            ..NewPowerAction::due_now(node, PowerChange::On, "reservation", turn.now)
        });
        let planned: Vec<NewPowerAction> = planned.collect();
        self.shared.database.plan_power_actions(&planned, turn.now).await?;
        Ok(())
    }

    /// When nodes are ordered and given up, by name.
    async fn times(
        &self,
        turn: &Turn<'_>,
        nodes: &[String],
        boot: Seconds,
    ) -> Result<HashMap<String, WakeTimes>, TurnError> {
        if nodes.is_empty() {
            return Ok(HashMap::new());
        }
        let measured = self.shared.database.boot_times(nodes).await?;
        let poll = Seconds::new(i64::try_from(turn.settings.poll.as_secs()).unwrap_or(i64::MAX));
        let times = |name: &String| {
            let measured = measured.get(name).map_or(&[][..], Vec::as_slice);
            (name.clone(), WakeTimes::new(measured, boot, poll))
        };
        Ok(nodes.iter().map(times).collect())
    }

    /// Orders nodes to switch on, all of them at once. Where that is refused, each half of them is ordered
    /// alone, so that the others come though one is refused.
    async fn order(&self, turn: &mut Turn<'_>, waiting: Vec<PowerAction>) -> Result<(), TurnError> {
        let mut by_node: BTreeMap<String, Vec<PowerAction>> = BTreeMap::new();
        for action in waiting {
            by_node.entry(action.node.clone()).or_default().push(action);
        }
        let mut lists = vec![by_node.keys().cloned().collect::<Vec<String>>()];
        for _ in 0..MOST_ORDERS {
            let Some(mut nodes) = lists.pop().filter(|nodes| !nodes.is_empty()) else { break };
            let refused = match turn.ports.power.power_up(&nodes).await {
                Ok(()) => None,
                Err(ManagerError::Refused { .. }) if nodes.len() > 1 => {
                    lists.push(nodes.split_off(nodes.len() / 2));
                    lists.push(nodes);
                    continue;
                }
                Err(error @ (ManagerError::Refused { .. } | ManagerError::Unsupported(_))) => {
                    Some(error.to_string())
                }
                Err(error) => return Err(error.into()),
            };
            let actions = nodes.iter().filter_map(|node| by_node.remove(node)).flatten();
            for action in actions.collect::<Vec<PowerAction>>() {
                match &refused {
                    None => {
                        let (ordered, orders) = (Some(turn.now), action.orders.saturating_add(1));
                        let action = PowerAction { ordered, orders, ..action };
                        self.note_action(action, PowerActionState::Ordered, None, turn.now).await?;
                    }
                    Some(because) => failed(turn, action, because.clone()),
                }
            }
        }
        Ok(())
    }

    /// Looks what became of an order.
    async fn look_after(
        &self,
        turn: &mut Turn<'_>,
        action: PowerAction,
        nodes: &NodesByName<'_>,
        times: WakeTimes,
    ) -> Result<(), TurnError> {
        let ordered = action.ordered.unwrap_or(action.created);
        let outcome = match nodes.get(action.node.as_str()) {
            Some(node) => times.outcome(node, ordered, turn.now),
            None => WakeOutcome::Failed,
        };
        match outcome {
            WakeOutcome::Underway => Ok(()),
            WakeOutcome::Up => {
                let action = PowerAction { done: Some(turn.now), ..action };
                self.note_action(action, PowerActionState::Done, None, turn.now).await
            }
            WakeOutcome::Failed => {
                let patience = times.patience.get();
                let because = format!(
                    "it was to switch on at {ordered}, and did not come within {patience} s"
                );
                failed(turn, action, because);
                Ok(())
            }
        }
    }

    /// Notes which nodes did not come. That is said once they are withheld, so that who is killed in
    /// between finds out again.
    pub(super) async fn note_failed(&self, turn: &mut Turn<'_>) -> Result<(), TurnError> {
        for action in std::mem::take(&mut turn.failed) {
            let because = action.because.clone();
            self.note_action(action, PowerActionState::GivenUp, because, turn.now).await?;
        }
        Ok(())
    }

    async fn note_action(
        &self,
        action: PowerAction,
        state: PowerActionState,
        because: Option<String>,
        now: Timestamp,
    ) -> Result<(), TurnError> {
        metrics::counter!("wattbook_power_actions_total", "outcome" => state.word()).increment(1);
        let action = PowerAction { state, because, since: now, ..action };
        let change = PowerActionChange { action, what: LogWhat::of(state), by: None };
        self.shared.database.put_power_actions(&[change], now).await?;
        Ok(())
    }
}

/// Nodes that are not on, by name, with the reservations that need them soon and when these begin. Nodes
/// that did not come lately are left alone.
fn needed_soon(
    turn: &Turn<'_>,
    nodes: &NodesByName<'_>,
) -> BTreeMap<String, Vec<(ReservationId, Timestamp)>> {
    let lasting = turn.state.outages.iter().filter(|it| it.end.is_none_or(|end| end > turn.now));
    let given_up: HashSet<&str> = lasting.filter_map(|it| it.managed_key.as_deref()).collect();
    let mut soon: BTreeMap<String, Vec<(ReservationId, Timestamp)>> = BTreeMap::new();
    for it in &turn.open {
        let Some(wanted) = &it.wanted else { continue };
        let start = wanted.span.start();
        if turn.now < start - EARLIEST {
            continue;
        }
        let asleep = |name: &&String| {
            nodes.get(name.as_str()).is_some_and(|it| it.power != NodePower::On)
                && !given_up.contains(wake_key(name).as_str())
        };
        for name in wanted.nodes.iter().filter(asleep) {
            soon.entry(name.clone()).or_default().push((it.stored.id, start));
        }
    }
    soon
}

/// What the node of an action needs now.
fn need(due: &Due, action: &PowerAction) -> Option<WakeNeed> {
    due.get(&(action.node.clone(), action.reservation_id?)).copied()
}

/// Withholds a node that does not come.
fn failed(turn: &mut Turn<'_>, action: PowerAction, because: String) {
    let ranks: NodeSet = ranks(&turn.state, std::iter::once(&action.node));
    let needed = turn.open.iter().find(|it| Some(it.stored.id) == action.reservation_id);
    let needed = needed.and_then(|it| it.wanted.as_ref()).map(|wanted| wanted.span.start());
    turn.withheld.push(Withheld {
        key: wake_key(&action.node),
        kind: OutageKind::OutOfService,
        reason: because.clone(),
        start: turn.now,
        end: Some(withheld_until(needed.unwrap_or(turn.now), turn.now)),
        ranks,
    });
    turn.failed.push(PowerAction { because: Some(because), ..action });
}
