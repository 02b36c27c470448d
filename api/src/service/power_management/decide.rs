//! What people decide: approve, refuse, switch off, wake and hold.

use std::collections::BTreeSet;
use std::sync::Arc;

use planner::power_action::{PowerActionState, PowerChange};
use planner::power_plan::{PowerRules, RightLevel};
use planner::time::Timestamp;
use storage::{LogWhat, NewPowerAction, PowerAction, PowerActionChange, PowerActionId, PowerHold};

use super::list::PowerActionList;
use super::{PowerManagementError, PowerManagementService, USEFUL};
use crate::service::shared::{Access, SiteState};

/// A decision is made anew so often where the plan changed an action meanwhile.
const TRIES: usize = 8;

/// What somebody decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PowerDecision {
    /// A proposal is carried out.
    Approve(PowerActionId),
    /// A power action is not carried out, with why. The node is held until it would have been woken.
    Refuse(PowerActionId, Option<String>),
    /// Nodes are switched off.
    Off(Vec<String>),
    /// Nodes are switched on, and not off again for an hour.
    Wake(Vec<String>),
    /// Nodes are not switched off until an instant; one that has passed ends that.
    Hold(Vec<String>, Timestamp),
}

impl PowerManagementService {
    /// Does what somebody decided: the actions and holds that it concerns, as they are now.
    ///
    /// # Errors
    /// Why not; nothing is changed then.
    pub async fn decide(
        &self,
        access: Access<'_>,
        state: &Arc<SiteState>,
        decision: PowerDecision,
    ) -> Result<PowerActionList, PowerManagementError> {
        let (settings, _) = self.connected().ok_or(PowerManagementError::NotConfigured)?;
        let rules = Self::rules(settings, state)?;
        let decider = Decider { access, rules: &rules, state };
        let mut answer = self.decide_once(&decider, &decision).await;
        // A new plan moves proposals now and then: what was decided holds for what they are now.
        for _ in 1..TRIES {
            if !matches!(answer, Err(PowerManagementError::Changed)) {
                break;
            }
            answer = self.decide_once(&decider, &decision).await;
        }
        self.shared.power_bell.notify_one();
        answer
    }

    /// The actions and holds that a decision concerns, as they are before it.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn concerned(
        &self,
        decision: &PowerDecision,
    ) -> Result<PowerActionList, PowerManagementError> {
        let now = self.shared.now();
        match decision {
            PowerDecision::Approve(id) | PowerDecision::Refuse(id, _) => {
                let Some(action) = self.shared.database.power_action(*id).await? else {
                    return Ok(PowerActionList { actions: Vec::new(), holds: Vec::new() });
                };
                let mut list = self.list_of(std::slice::from_ref(&action.node), now).await?;
                list.actions = vec![action];
                Ok(list)
            }
            PowerDecision::Off(nodes)
            | PowerDecision::Wake(nodes)
            | PowerDecision::Hold(nodes, _) => self.list_of(nodes, now).await,
        }
    }

    async fn decide_once(
        &self,
        decider: &Decider<'_>,
        decision: &PowerDecision,
    ) -> Result<PowerActionList, PowerManagementError> {
        let now = self.shared.now();
        match decision {
            PowerDecision::Approve(id) => self.approve(decider, *id, now).await,
            PowerDecision::Refuse(id, because) => {
                self.refuse(decider, *id, because.clone(), now).await
            }
            PowerDecision::Off(nodes) => self.ask(decider, nodes, PowerChange::Off, now).await,
            PowerDecision::Wake(nodes) => self.ask(decider, nodes, PowerChange::On, now).await,
            PowerDecision::Hold(nodes, until) => self.hold(decider, nodes, *until, now).await,
        }
    }

    async fn approve(
        &self,
        decider: &Decider<'_>,
        id: PowerActionId,
        now: Timestamp,
    ) -> Result<PowerActionList, PowerManagementError> {
        let action = self.action_of(decider, id).await?;
        if action.state != PowerActionState::Proposed {
            return Err(PowerManagementError::Decided(action.state));
        }
        let node = decider.ordinals(std::slice::from_ref(&action.node))[0];
        if decider.rules.level_off(node, action.due.max(now)) == RightLevel::Propose {
            return Err(PowerManagementError::OnlyProposed);
        }
        let state = PowerActionState::Waiting;
        self.put_decision(decider, action, state, LogWhat::Approved, None, now).await
    }

    async fn refuse(
        &self,
        decider: &Decider<'_>,
        id: PowerActionId,
        because: Option<String>,
        now: Timestamp,
    ) -> Result<PowerActionList, PowerManagementError> {
        let action = self.action_of(decider, id).await?;
        let is_open = matches!(
            action.state,
            PowerActionState::Proposed | PowerActionState::Waiting | PowerActionState::Failed
        );
        if !is_open {
            return Err(PowerManagementError::Decided(action.state));
        }
        let (node, is_sleep) = (action.node.clone(), action.change == PowerChange::Off);
        let held_until = action.wake_at.or(action.until).filter(|it| is_sleep && *it > now);
        let state = PowerActionState::Refused;
        let mut list =
            self.put_decision(decider, action, state, LogWhat::Refused, because, now).await?;
        // Otherwise the next plan would propose it again.
        if let Some(until) = held_until {
            let by = decider.access.owner;
            self.shared
                .database
                .put_power_holds(std::slice::from_ref(&node), Some(until), by, now)
                .await?;
            list.holds.push(PowerHold { node, until, by: by.to_owned(), created: now });
        }
        Ok(list)
    }

    /// Asks for nodes to be switched. A proposal to do so is approved by it.
    async fn ask(
        &self,
        decider: &Decider<'_>,
        nodes: &[String],
        change: PowerChange,
        now: Timestamp,
    ) -> Result<PowerActionList, PowerManagementError> {
        decider.may_decide(nodes)?;
        decider.are_switchable(nodes)?;
        let open = self.open_of(nodes).await?;
        let opposite: BTreeSet<String> = open
            .iter()
            .filter(|it| it.change != change && is_underway(it))
            .map(|it| it.node.clone())
            .collect();
        if !opposite.is_empty() {
            return Err(PowerManagementError::Underway(opposite.into_iter().collect()));
        }
        let by = decider.access.owner;
        let mut changes = Vec::new();
        for action in &open {
            if action.change != change {
                let state = PowerActionState::GivenUp;
                let because = Some(format!("{by} wants the opposite"));
                changes.push(decided(
                    decider,
                    action.clone(),
                    state,
                    LogWhat::GivenUp,
                    because,
                    now,
                ));
            } else if action.state == PowerActionState::Proposed {
                let state = PowerActionState::Waiting;
                let action = PowerAction { due: now, ..action.clone() };
                changes.push(decided(decider, action, state, LogWhat::Approved, None, now));
            }
        }
        let written = self.shared.database.put_power_actions(&changes, now).await?;
        if written.len() < changes.len() {
            return Err(PowerManagementError::Changed);
        }
        let new: Vec<NewPowerAction> =
            nodes.iter().map(|node| asked(node, change, by, now)).collect();
        self.shared.database.plan_power_actions(&new, now).await?;
        if change == PowerChange::On {
            let until = Some(now + USEFUL);
            self.shared.database.put_power_holds(nodes, until, by, now).await?;
        }
        self.list_of(nodes, now).await
    }

    async fn hold(
        &self,
        decider: &Decider<'_>,
        nodes: &[String],
        until: Timestamp,
        now: Timestamp,
    ) -> Result<PowerActionList, PowerManagementError> {
        decider.may_decide(nodes)?;
        let by = decider.access.owner;
        if until <= now {
            self.shared.database.put_power_holds(nodes, None, by, now).await?;
            return self.list_of(nodes, now).await;
        }
        let open = self.open_of(nodes).await?;
        let waits = open.into_iter().filter(|it| it.change == PowerChange::Off && !is_underway(it));
        let because = || Some(format!("{by} holds the node until {until}"));
        let state = PowerActionState::GivenUp;
        let changes: Vec<PowerActionChange> =
            waits.map(|it| decided(decider, it, state, LogWhat::GivenUp, because(), now)).collect();
        self.shared.database.put_power_holds(nodes, Some(until), by, now).await?;
        self.shared.database.put_power_actions(&changes, now).await?;
        self.list_of(nodes, now).await
    }

    /// An action on a node that somebody decides on.
    async fn action_of(
        &self,
        decider: &Decider<'_>,
        id: PowerActionId,
    ) -> Result<PowerAction, PowerManagementError> {
        let action = self.shared.database.power_action(id).await?;
        let action = action.ok_or(PowerManagementError::NoAction)?;
        decider.may_decide(std::slice::from_ref(&action.node))?;
        Ok(action)
    }

    async fn put_decision(
        &self,
        decider: &Decider<'_>,
        action: PowerAction,
        state: PowerActionState,
        what: LogWhat,
        because: Option<String>,
        now: Timestamp,
    ) -> Result<PowerActionList, PowerManagementError> {
        let id = action.id;
        let change = decided(decider, action, state, what, because, now);
        let written = self.shared.database.put_power_actions(&[change], now).await?;
        if !written.contains(&id) {
            return Err(PowerManagementError::Changed);
        }
        let action = self.shared.database.power_action(id).await?;
        Ok(PowerActionList { actions: action.into_iter().collect(), holds: Vec::new() })
    }

    /// The actions of these nodes that are not final.
    async fn open_of(&self, nodes: &[String]) -> Result<Vec<PowerAction>, PowerManagementError> {
        let nodes: BTreeSet<&String> = nodes.iter().collect();
        let open = self.shared.database.open_power_actions().await?;
        Ok(open.into_iter().filter(|it| nodes.contains(&it.node)).collect())
    }

    async fn list_of(
        &self,
        nodes: &[String],
        now: Timestamp,
    ) -> Result<PowerActionList, PowerManagementError> {
        let holds = self.shared.database.power_holds(now).await?;
        let holds = holds.into_iter().filter(|it| nodes.contains(&it.node)).collect();
        Ok(PowerActionList { actions: self.open_of(nodes).await?, holds })
    }
}

/// Who decides, and on what.
struct Decider<'a> {
    access: Access<'a>,
    rules: &'a PowerRules,
    state: &'a SiteState,
}

impl Decider<'_> {
    fn ordinals(&self, nodes: &[String]) -> Vec<u32> {
        let index = self.state.cluster.nodes.index();
        nodes.iter().map(|node| index.ordinal(node).unwrap_or(u32::MAX)).collect()
    }

    fn may_decide(&self, nodes: &[String]) -> Result<(), PowerManagementError> {
        if self.access.is_operator() {
            return Ok(());
        }
        let ordinals = self.ordinals(nodes);
        let others = nodes.iter().zip(ordinals);
        let others = others.filter(|(_, node)| !self.rules.may_decide(self.access.owner, *node));
        let others: Vec<String> = others.map(|(name, _)| name.clone()).collect();
        if others.is_empty() { Ok(()) } else { Err(PowerManagementError::NotYours(others)) }
    }

    fn are_switchable(&self, nodes: &[String]) -> Result<(), PowerManagementError> {
        let known =
            |node: u32| self.rules.switching.get(node as usize).copied().flatten().is_some();
        let others = nodes.iter().zip(self.ordinals(nodes)).filter(|(_, node)| !known(*node));
        let others: Vec<String> = others.map(|(name, _)| name.clone()).collect();
        if others.is_empty() { Ok(()) } else { Err(PowerManagementError::NotSwitchable(others)) }
    }
}

/// Whether an order of an action may have its effect yet.
fn is_underway(action: &PowerAction) -> bool {
    matches!(action.state, PowerActionState::Ordered | PowerActionState::Failed)
}

fn decided(
    decider: &Decider<'_>,
    action: PowerAction,
    state: PowerActionState,
    what: LogWhat,
    because: Option<String>,
    now: Timestamp,
) -> PowerActionChange {
    let by = decider.access.owner.to_owned();
    let action = PowerAction {
        state,
        because,
        since: now,
        decided_by: Some(by.clone()),
        decided: Some(now),
        ..action
    };
    PowerActionChange { action, what, by: Some(by) }
}

fn asked(node: &str, change: PowerChange, by: &str, now: Timestamp) -> NewPowerAction {
    let until = Some(now + USEFUL);
    NewPowerAction { until, ..NewPowerAction::due_now(node, change, by, now) }
}
