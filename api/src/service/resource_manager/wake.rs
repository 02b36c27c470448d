//! Nodes that are switched off to save energy are woken before reservations begin on them. Each order is
//! a row in the database first, so that none is forgotten or given twice.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use planner::identity::ReservationId;
use planner::node_set::NodeSet;
use planner::resource_manager::{ManagedNode, ManagerError, NodePower, WakeOutcome, WakeTimes};
use planner::time::{Seconds, Timestamp};
use storage::{
    NewPowerAction, OutageKind, PowerAction, PowerActionKind, PowerActionState, Withheld,
};

use super::open::ranks;
use super::turn::Turn;
use super::withhold::wake_key;
use super::{ResourceManagerService, TurnError};

/// Nothing is woken earlier before a start than this: no node boots for longer.
const EARLIEST: Seconds = Seconds::new(7200);

/// The nodes of the resource manager by name.
type NodesByName<'a> = HashMap<&'a str, &'a ManagedNode>;

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
        self.plan_waking(turn, &nodes, boot).await?;
        let open = self.shared.database.open_power_actions().await?;
        let (waiting, ordered): (Vec<PowerAction>, Vec<PowerAction>) =
            open.into_iter().partition(|it| it.state == PowerActionState::Waiting);
        self.order(turn, waiting).await?;
        let names: Vec<String> = ordered.iter().map(|it| it.node.clone()).collect();
        let times = self.times(turn, &names, boot).await?;
        for action in ordered {
            let times = times[&action.node];
            self.look_after(turn, action, &nodes, times).await?;
        }
        Ok(())
    }

    /// Plans the nodes to be woken now.
    async fn plan_waking(
        &self,
        turn: &Turn<'_>,
        nodes: &NodesByName<'_>,
        boot: Seconds,
    ) -> Result<(), TurnError> {
        let mut soon: BTreeMap<String, Vec<(ReservationId, Timestamp)>> = BTreeMap::new();
        for it in &turn.open {
            let Some(wanted) = &it.wanted else { continue };
            let start = wanted.span.start();
            if turn.now < start - EARLIEST {
                continue;
            }
            for name in &wanted.nodes {
                let asleep = nodes.get(name.as_str()).is_some_and(|it| it.power != NodePower::On);
                if asleep {
                    soon.entry(name.clone()).or_default().push((it.stored.id, start));
                }
            }
        }
        let all: Vec<String> = soon.keys().cloned().collect();
        let times = self.times(turn, &all, boot).await?;
        let mut due = Vec::new();
        for (name, starts) in soon {
            let Some(node) = nodes.get(name.as_str()) else { continue };
            let is_due = |start: Timestamp| times[&name].is_due(node, start, turn.now);
            due.extend(starts.into_iter().filter(|(_, start)| is_due(*start)).map(|(id, _)| {
                let (node, kind) = (name.clone(), PowerActionKind::PowerUp);
                NewPowerAction { node, kind, reservation_id: id }
            }));
        }
        self.shared.database.plan_power_actions(&due, turn.now).await?;
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

    /// Orders nodes to switch on, all of them at once.
    async fn order(&self, turn: &mut Turn<'_>, waiting: Vec<PowerAction>) -> Result<(), TurnError> {
        if waiting.is_empty() {
            return Ok(());
        }
        let mut nodes: Vec<String> = waiting.iter().map(|it| it.node.clone()).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let refused = match turn.ports.power.power_up(&nodes).await {
            Ok(()) => None,
            Err(error @ (ManagerError::Refused { .. } | ManagerError::Unsupported(_))) => {
                Some(error.to_string())
            }
            Err(error) => return Err(error.into()),
        };
        for action in waiting {
            let action = PowerAction { ordered: Some(turn.now), ..action };
            match &refused {
                None => self.note_action(turn, action, PowerActionState::Ordered, None).await?,
                Some(because) => self.failed(turn, action, because.clone()).await?,
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
                self.note_action(turn, action, PowerActionState::Done, None).await
            }
            WakeOutcome::Failed => {
                let patience = times.patience.get();
                let because = format!(
                    "it was to switch on at {ordered}, and did not come within {patience} s"
                );
                self.failed(turn, action, because).await
            }
        }
    }

    /// Notes that a node does not come, and withholds it until it is seen to be up.
    async fn failed(
        &self,
        turn: &mut Turn<'_>,
        action: PowerAction,
        because: String,
    ) -> Result<(), TurnError> {
        let ranks: NodeSet = ranks(&turn.state, std::iter::once(&action.node));
        turn.withheld.push(Withheld {
            key: wake_key(&action.node),
            kind: OutageKind::OutOfService,
            reason: because.clone(),
            start: turn.now,
            end: None,
            ranks,
        });
        self.note_action(turn, action, PowerActionState::Failed, Some(because)).await
    }

    async fn note_action(
        &self,
        turn: &Turn<'_>,
        action: PowerAction,
        state: PowerActionState,
        because: Option<String>,
    ) -> Result<(), TurnError> {
        metrics::counter!("wattbook_power_actions_total", "outcome" => state.word()).increment(1);
        let action = PowerAction { state, because, ..action };
        Ok(self.shared.database.put_power_action(&action, turn.now).await?)
    }
}
