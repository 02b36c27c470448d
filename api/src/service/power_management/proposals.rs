//! What is planned becomes power actions, and what is planned no more is withdrawn.

use std::collections::HashSet;

use planner::power_action::{
    OpenSleep, PowerActionState, PowerChange, ProposalStep, SleepProposal, proposal_steps,
};
use planner::power_plan::CriteriaAmounts;
use planner::time::Seconds;
use storage::{LogWhat, NewPowerAction, PowerAction, PowerActionChange};

use super::look::Turn;
use super::plan::SitePlan;
use super::{PLAN, PowerManagementError, PowerManagementService};

/// A sleep of which nobody says when it ends is of no use after so long, unless it is planned anew.
const DAY: Seconds = Seconds::new(86_400);

impl PowerManagementService {
    /// Compares the open actions of the plan with the new one, and does the difference. Nodes that somebody else has
    /// switched are left alone.
    pub(super) async fn propose(
        &self,
        turn: &Turn<'_>,
        planned: &SitePlan,
    ) -> Result<(), PowerManagementError> {
        let (ours, others): (Vec<&PowerAction>, Vec<&PowerAction>) =
            turn.open.iter().partition(|it| it.asked_by == PLAN && it.change == PowerChange::Off);
        let others: HashSet<&str> = others.iter().map(|it| it.node.as_str()).collect();
        let is_free = |it: &&SleepProposal| !others.contains(it.node.as_str());
        let sleeps: Vec<SleepProposal> = planned.sleeps.iter().filter(is_free).cloned().collect();
        let open: Vec<OpenSleep> = ours.iter().map(|it| open_sleep(it)).collect();
        let steps = proposal_steps(&open, &sleeps, turn.settings.ahead, turn.now);
        let (mut added, mut changed) = (Vec::new(), Vec::new());
        for step in steps {
            match step {
                ProposalStep::Add(sleep, state) => added.push(new_action(sleep, state)),
                ProposalStep::Change(place, sleep, state) => {
                    changed.push(moved(ours[place], &sleep, state));
                }
                ProposalStep::Withdraw(place) => changed.push(withdrawn(ours[place])),
            }
        }
        self.shared.database.put_power_actions(&changed, turn.now).await?;
        self.shared.database.plan_power_actions(&added, turn.now).await?;
        Ok(())
    }
}

fn open_sleep(action: &PowerAction) -> OpenSleep {
    OpenSleep {
        node: action.node.clone(),
        state: action.state,
        off_at: action.due,
        wake_at: action.wake_at,
        saves: action.saves.unwrap_or(CriteriaAmounts::ZERO),
        is_approved: action.decided_by.is_some(),
    }
}

fn new_action(sleep: SleepProposal, state: PowerActionState) -> NewPowerAction {
    NewPowerAction {
        node: sleep.node,
        change: PowerChange::Off,
        asked_by: PLAN.to_owned(),
        reservation_id: None,
        state,
        due: sleep.off_at,
        until: Some(sleep.wake_at.unwrap_or(sleep.off_at + DAY)),
        wake_at: sleep.wake_at,
        saves: Some(sleep.saves),
        because: None,
    }
}

fn moved(
    action: &PowerAction,
    sleep: &SleepProposal,
    state: PowerActionState,
) -> PowerActionChange {
    let action = PowerAction {
        state,
        due: sleep.off_at,
        until: Some(sleep.wake_at.unwrap_or(sleep.off_at + DAY)),
        wake_at: sleep.wake_at,
        saves: Some(sleep.saves),
        ..action.clone()
    };
    PowerActionChange { action, what: LogWhat::Changed, by: None }
}

fn withdrawn(action: &PowerAction) -> PowerActionChange {
    let because = "it would not pay any more, or is not permitted any more".to_owned();
    let state = PowerActionState::GivenUp;
    let action = PowerAction { state, because: Some(because), ..action.clone() };
    PowerActionChange { action, what: LogWhat::GivenUp, by: None }
}
