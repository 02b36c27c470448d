//! What becomes of power actions that were planned, when a new plan is there.

use std::collections::BTreeMap;

use super::PowerActionState;
use crate::power_plan::{CriteriaAmounts, RightLevel};
use crate::time::{Seconds, Timestamp};

const QUARTER_HOUR: Seconds = Seconds::new(900);

/// A planned sleep of a node, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SleepProposal {
    /// The node.
    pub node: String,
    /// When it is to be ordered off.
    pub off_at: Timestamp,
    /// When it is to be ordered on again; `None` where nobody has booked it, as far as is planned.
    pub wake_at: Option<Timestamp>,
    /// What that saves.
    pub saves: CriteriaAmounts,
    /// How it comes to be done.
    pub level: RightLevel,
}

/// A power action that switches a node off, was planned and is not final.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenSleep {
    /// The node.
    pub node: String,
    /// How far it is.
    pub state: PowerActionState,
    /// As it was planned.
    pub off_at: Timestamp,
    /// When the node is to be ordered on again; `None` where nobody had booked it.
    pub wake_at: Option<Timestamp>,
    /// What it saves.
    pub saves: CriteriaAmounts,
    /// Whether somebody approved it.
    pub is_approved: bool,
}

/// What becomes of an action that is open, or what is to be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProposalStep {
    /// A new action, in this state.
    Add(SleepProposal, PowerActionState),
    /// The open action of this place is as planned now, in this state.
    Change(usize, SleepProposal, PowerActionState),
    /// The open action of this place is of no use any more.
    Withdraw(usize),
}

/// Compares the open actions with the sleeps of a new plan that begin within `ahead` of `now`, at most one of a node.
///
/// What was ordered is left alone, and followed by [`next_steps`]. What was approved stays approved when the plan moves
/// it, and is withdrawn when it pays no more or its hours are over. What the site's rules make automatic waits for no
/// approval.
///
/// [`next_steps`]: super::next_steps
pub fn proposal_steps(
    open: &[OpenSleep],
    planned: &[SleepProposal],
    ahead: Seconds,
    now: Timestamp,
) -> Vec<ProposalStep> {
    let soon = planned.iter().filter(|it| it.off_at <= now + ahead);
    let mut soon: BTreeMap<&str, &SleepProposal> =
        soon.rev().map(|it| (it.node.as_str(), it)).collect();
    let mut steps = Vec::new();
    for (place, it) in open.iter().enumerate() {
        let planned = soon.remove(it.node.as_str());
        let is_ordered = matches!(it.state, PowerActionState::Ordered | PowerActionState::Failed);
        match planned {
            _ if is_ordered => {}
            Some(planned) => steps.extend(changed(place, it, planned, now)),
            None => steps.push(ProposalStep::Withdraw(place)),
        }
    }
    let added = soon.into_values().map(|it| ProposalStep::Add(it.clone(), first_state(it.level)));
    steps.extend(added);
    steps
}

/// The state of a sleep that nobody has decided on.
fn first_state(level: RightLevel) -> PowerActionState {
    if level == RightLevel::Automatic {
        PowerActionState::Waiting
    } else {
        PowerActionState::Proposed
    }
}

fn changed(
    place: usize,
    open: &OpenSleep,
    planned: &SleepProposal,
    now: Timestamp,
) -> Option<ProposalStep> {
    let state = match open.state {
        PowerActionState::Proposed => first_state(planned.level),
        // What waits without approval does so by an automatic right that may be over.
        _ if !open.is_approved && planned.level != RightLevel::Automatic => {
            return Some(ProposalStep::Withdraw(place));
        }
        state => state,
    };
    let is_same = state == open.state && is_like(open, planned, now);
    (!is_same).then(|| ProposalStep::Change(place, planned.clone(), state))
}

/// Whether an action is told as it is planned. The sleep of an idle node that waits for approval begins ever later, and
/// saves ever less: that is told anew each quarter-hour.
fn is_like(open: &OpenSleep, planned: &SleepProposal, now: Timestamp) -> bool {
    if open.off_at <= now && planned.off_at <= now {
        return is_near(open.wake_at, planned.wake_at)
            && planned.off_at < open.off_at + QUARTER_HOUR;
    }
    open.off_at == planned.off_at && is_near(open.wake_at, planned.wake_at)
}

/// Whether two instants are less than a quarter-hour apart, or both are not known.
fn is_near(one: Option<Timestamp>, other: Option<Timestamp>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one < other + QUARTER_HOUR && other < one + QUARTER_HOUR,
        (one, other) => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use PowerActionState::{Failed, Ordered, Proposed, Waiting};
    use RightLevel::{Automatic, Propose, WithApproval};

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix_seconds(seconds)
    }

    fn planned(node: &str, off: i64, level: RightLevel) -> SleepProposal {
        SleepProposal {
            node: node.to_owned(),
            off_at: at(off),
            wake_at: Some(at(9000)),
            saves: CriteriaAmounts::ZERO,
            level,
        }
    }

    fn open(node: &str, off: i64, state: PowerActionState, is_approved: bool) -> OpenSleep {
        OpenSleep {
            node: node.to_owned(),
            state,
            off_at: at(off),
            wake_at: Some(at(9000)),
            saves: CriteriaAmounts::ZERO,
            is_approved,
        }
    }

    fn steps(open: &[OpenSleep], planned: &[SleepProposal]) -> Vec<ProposalStep> {
        proposal_steps(open, planned, Seconds::new(600), at(1000))
    }

    #[test]
    fn sleeps_that_begin_soon_are_proposed_and_automatic_ones_wait_for_nobody() {
        let plan = [
            planned("n1", 1000, Automatic),
            planned("n1", 1500, WithApproval),
            planned("n2", 1600, WithApproval),
            planned("n3", 1601, Automatic),
            planned("n4", 1200, Propose),
        ];
        let expected = [
            ProposalStep::Add(plan[0].clone(), Waiting),
            ProposalStep::Add(plan[2].clone(), Proposed),
            ProposalStep::Add(plan[4].clone(), Proposed),
        ];
        assert_eq!(steps(&[], &plan), expected, "one of a node, the first, within ten minutes");
    }

    #[test]
    fn what_is_open_follows_the_plan_and_keeps_its_approval() {
        let plan = [planned("n1", 1100, WithApproval), planned("n2", 1100, WithApproval)];
        let before = [open("n1", 1000, Proposed, false), open("n2", 1000, Waiting, true)];
        let expected = [
            ProposalStep::Change(0, plan[0].clone(), Proposed),
            ProposalStep::Change(1, plan[1].clone(), Waiting),
        ];
        assert_eq!(steps(&before, &plan), expected);
        let same = [open("n1", 1100, Proposed, false), open("n2", 1100, Waiting, true)];
        assert_eq!(steps(&same, &plan), []);
        // The rights were widened meanwhile.
        let plan = [planned("n1", 1100, Automatic)];
        let expected = [ProposalStep::Change(0, plan[0].clone(), Waiting)];
        assert_eq!(steps(&same[..1], &plan), expected);
    }

    /// It could have begun at 200 or 100, and begins now, at 1000: 900 s after the latter.
    #[test]
    fn what_is_due_already_is_told_anew_each_quarter_hour() {
        let plan = [planned("n1", 1000, WithApproval)];
        assert_eq!(steps(&[open("n1", 200, Proposed, false)], &plan), []);
        let expected = [ProposalStep::Change(0, plan[0].clone(), Proposed)];
        assert_eq!(steps(&[open("n1", 100, Proposed, false)], &plan), expected);
        let woken_earlier = SleepProposal { wake_at: Some(at(8000)), ..plan[0].clone() };
        let expected = [ProposalStep::Change(0, woken_earlier.clone(), Proposed)];
        assert_eq!(steps(&[open("n1", 200, Proposed, false)], &[woken_earlier]), expected);
        let hardly_earlier = SleepProposal { wake_at: Some(at(8101)), ..plan[0].clone() };
        assert_eq!(steps(&[open("n1", 200, Proposed, false)], &[hardly_earlier]), []);
        let not_booked = SleepProposal { wake_at: None, ..plan[0].clone() };
        let expected = [ProposalStep::Change(0, not_booked.clone(), Proposed)];
        assert_eq!(steps(&[open("n1", 200, Proposed, false)], &[not_booked]), expected);
    }

    #[test]
    fn what_is_planned_no_more_is_withdrawn_unless_it_was_ordered() {
        let before = [
            open("n1", 1000, Proposed, false),
            open("n2", 1000, Waiting, true),
            open("n3", 1000, Ordered, false),
            open("n4", 1000, Failed, false),
        ];
        assert_eq!(steps(&before, &[]), [ProposalStep::Withdraw(0), ProposalStep::Withdraw(1)]);
        // Its automatic hours are over; who may has not approved it.
        let plan = [planned("n2", 1000, WithApproval)];
        let automatic = [open("n2", 1000, Waiting, false)];
        assert_eq!(steps(&automatic, &plan), [ProposalStep::Withdraw(0)]);
    }
}
